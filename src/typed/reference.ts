/**
 * References: each names an earlier call, or the inputs, and leads to a value that is declared there.
 * Codes: SEQ131, SEQ132, SEQ201 … SEQ206, SEQ210 … SEQ212.
 */
import type { CheckValue } from "./arguments.ts"
import type { AnyLabels, HoldsRead } from "./flow.ts"
import type { Word } from "./order.ts"
import type { Refuse, Say } from "./plan-error.ts"
import type { Earlier, Place } from "./sum.ts"
import type { AnyFacts, Undeclared } from "./tools.ts"
import type {
  CouldBe,
  DescribeAny,
  Follow,
  Found,
  IllFormed,
  IsFraction,
  IsToCome,
  ItemOf,
  Lost,
  Scalar,
} from "./value.ts"

/** What every step's questions are asked with. */
export interface Context {
  readonly tools: { readonly [name: string]: AnyFacts }
  readonly toolNames: string
  /** What the inputs are; undefined where the catalog declares none. */
  readonly inputs: Found<unknown> | undefined
  readonly inputLabels: AnyLabels
  readonly inputIntegers: unknown
  /** Those of the machine; never where there is none. */
  readonly states: string
  /** By index. */
  readonly names: { readonly [index: string]: string }
  /** By id. */
  readonly spots: { readonly [id: string]: Spot<unknown, unknown> }
  /** Some step could not be read: it may be the one that is named. */
  readonly open: boolean
}

/** Where a step is, and what: a call's tool, a transition's state after `>`, or `?`. */
export interface Spot<At, Name> {
  readonly at: At
  readonly name: Name
}

/** The call whose arguments are asked about. */
export interface Site {
  readonly plan: Context
  /** Its place, in digits that can be compared. */
  readonly at: string
  readonly id: string
  readonly tool: string
  /** The parameters that are integers. */
  readonly integers: unknown
}

/** A fault of a reference, by the field that it is told at; `""` is the whole of it. */
export interface Fault<Field extends string, E> {
  readonly field: Field
  readonly error: E
}

/** One element of a tuple, by its index as a key. `T[I & keyof T]` would build a union of all its keys each time. */
export type Nth<T extends readonly unknown[], I> = I extends `${infer Index extends number}` ? T[Index] : never

/** A list by the keys of its elements: of an object what is not there is unknown, and no key has to be asked for. */
export type ByIndex<List extends readonly unknown[]> = {
  readonly [I in keyof List as I extends `${bigint}` ? I : never]: Nth<List, I>
}

/** Whether it is a reference that is right at first sight: to an earlier call, of whose result what is at the path may fit. */
export type IsRightRead<C extends Context, I extends string, A, T> = A extends Reference
  ? [keyof A] extends [keyof Reference]
    ? C["spots"][A["$from"]] extends Spot<Earlier<Place<I>>, infer Name extends string>
      ? Fits<Gives<C, Name, A["path"]>, T>
      : false
    : false
  : false

interface Reference {
  readonly $from: string
  readonly path: string
}

/** Asked of each tool and path once. */
type Gives<C extends Context, Name extends string, Path extends string> = Name extends C["toolNames"]
  ? Follow<C["tools"][Name]["gives"], Path>
  : undefined

type Fits<Given, T> = Given extends Found<infer Value> ? CouldBe<Value, T> : false

/** What the source of a reference gives as a whole. */
export type SourceOf<S extends Site, Source> = Source extends string
  ? S["plan"]["spots"][Source] extends Spot<infer At, infer Name>
    ? true extends IsBefore<At, S["at"]>
      ? ResultAt<S["plan"], Name, S["id"], Source>
      : Fault<"$from", Unordered<At, S["at"], S["id"], Source>>
    : OtherSource<S, Source>
  : Fault<"$from", string>

type OtherSource<S extends Site, Source extends string> = Source extends "input"
  ? S["plan"]["inputs"] extends Found<unknown>
    ? S["plan"]["inputs"]
    : Fault<"", Say<"SEQ210", { step: S["id"] }>>
  : string extends Source
    ? Found<unknown>
    : S["plan"]["open"] extends true
      ? Found<unknown>
      : Fault<
          "$from",
          Missing<
            Source,
            EarlierCalls<S["plan"], S["at"]> | (S["plan"]["inputs"] extends Found<unknown> ? "input" : never),
            S["id"]
          >
        >

/** Where nothing is written yet, what may stand there: editors offer it. */
export type Missing<Name extends string, Known, Id> = Name extends ""
  ? [Known] extends [never]
    ? Say<"SEQ201", { step: Id; missing: Name }>
    : Known
  : Say<"SEQ201", { step: Id; missing: Name }>

/** By their ids. `At` is a place. */
export type EarlierCalls<C extends Context, At extends string> = {
  [Id in keyof C["spots"]]: true extends IsBefore<C["spots"][Id]["at"], At>
    ? C["spots"][Id]["name"] extends `>${string}`
      ? never
      : Id
    : never
}[keyof C["spots"]]

/** Of an id that is used twice, either may be meant. */
export type IsBefore<At, Other extends string> = At extends Earlier<Other> ? true : false

export type Unordered<At, I, Id, Source> = At extends I
  ? Say<"SEQ203", { step: Id }>
  : Say<"SEQ202", { step: Id; later: Source }>

type ResultAt<C extends Context, Name, Id, Source> = Name extends C["toolNames"]
  ? Found<C["tools"][Name]["gives"]>
  : Name extends `>${string}`
    ? Fault<"$from", Say<"SEQ204", { step: Id; transition: Source }>>
    : Found<unknown>

/** The value of a reference or a selection, or the fault of it. */
export type Read<S extends Site, A> = A extends { readonly $from: infer Source }
  ? SourceOf<S, Source> extends infer Whole
    ? Whole extends Found<infer Value>
      ? A extends { readonly where: infer Where }
        ? Select<S, Value, A, Where, Source & string>
        : A extends { readonly pick: unknown }
          ? Fault<"pick", Refuse<"SEQ131: `pick` needs `where`">>
          : A extends { readonly path: infer Path }
            ? ReadPath<Value, Path, `\`${Source & string}\``, "path">
            : Found<Value extends Undeclared ? unknown : Value>
      : Whole
    : never
  : never

export type ReadPath<Value, Path, Says extends string, Field extends string> = Path extends string
  ? Follow<Value, Path> extends infer End
    ? End extends Found<unknown>
      ? End
      : Word<Path> extends "?"
        ? // Which path it is, is not known: the compiler judges.
          Found<unknown>
        : End extends Lost<infer Place, infer Why>
          ? Fault<
              Field,
              Say<Why extends "absent" ? "SEQ205" : "SEQ206", { source: Says; path: Reached<Value, Path, Place> }>
            >
          : End extends IllFormed
            ? Fault<Field, Say<"SEQ132", { pointer: Path }>>
            : never
    : never
  : Fault<Field, string>

/** Where no result is declared the whole path is told. */
type Reached<Value, Path, Place> = Value extends Undeclared ? Path : Place

/** The one element for which `where` holds, and of it what is at `pick`. */
type Select<S extends Site, Value, A, Where, Source extends string> = [IsNothing<Where>] extends [true]
  ? Fault<"where", Refuse<"SEQ131: `where` is an object with at least one pointer to compare">>
  : Value extends Undeclared
    ? Fault<
        A extends { readonly path: string } ? "path" : "",
        Say<"SEQ205", { source: `\`${Source}\``; path: PathOf<A> }>
      >
    : ReadPath<Value, PathOf<A>, `\`${Source}\``, "path"> extends infer Whole
      ? Whole extends Found<infer List>
        ? SelectOf<S, List, ItemOf<List>, A, Where, SayPlace<Source, PathOf<A>>, WholeIn<S["plan"], Source>>
        : Whole
      : never

/** Whether there is nothing in it to compare; what is of any type is left to the compiler. */
type IsNothing<Where> = unknown extends Where
  ? false
  : [Where] extends [Scalar | readonly unknown[]]
    ? true
    : [keyof Where] extends [never]
      ? true
      : false

/** The places of integers in what is read. */
type WholeIn<C extends Context, Source extends string> = Source extends "input"
  ? C["inputIntegers"]
  : C["spots"][Source] extends Spot<unknown, infer Name extends C["toolNames"]>
    ? C["tools"][Name]["givenIntegers"]
    : never

type SelectOf<S extends Site, List, Item, A, Where, Place extends string, Whole> = [Item] extends [never]
  ? Fault<A extends { readonly path: string } ? "path" : "", Say<"SEQ211", { source: Place; given: DescribeAny<List> }>>
  : (
        unknown extends Where
          ? unknown
          : Matches<S, Item, Where, Place, `${PathOf<A> & string}/*`, Whole>
      ) extends infer Right
    ? Where extends Right
      ? ReadPath<Item, PickOf<A>, `an element of ${Place}`, "pick">
      : Fault<"where", Right>
    : never

export type PathOf<A> = A extends { readonly path: infer Path } ? Path : ""
export type PickOf<A> = A extends { readonly pick: infer Pick } ? Pick : ""

export type SayPlace<Source extends string, Path> = Path extends ""
  ? `\`${Source}\``
  : `\`${Source}\` at \`${Path & string}\``

/** Each comparison can hold: the element may lack what is compared, but what is declared can be equal to what is asked. */
type Matches<S extends Site, Item, Where, Place extends string, In extends string, Whole> = {
  readonly [Pointer in keyof Where]: Pointer extends string
    ? Follow<Item, Pointer> extends infer End
      ? End extends Found<infer Declared>
        ? Compare<S, Where[Pointer], Declared, Pointer, `${In}${Pointer}` extends `/${Whole & string}` ? true : false>
        : End extends Lost<infer Ended, infer Why>
          ? Why extends "optional"
            ? Compare<S, Where[Pointer], unknown, Pointer, false>
            : Say<"SEQ205", { source: `an element of ${Place}`; path: Ended }>
          : Say<"SEQ132", { pointer: Pointer }>
      : never
    : Where[Pointer]
}

/** What is compared is a value, or a plain reference of its own. */
type Compare<S extends Site, A, Declared, Pointer extends string, IsWhole> =
  IsToCome<A> extends false ? CompareKnown<S, A, Declared, Pointer, IsWhole> : A

type CompareKnown<S extends Site, A, Declared, Pointer extends string, IsWhole> = unknown extends A
  ? A
  : [A] extends [Scalar]
    ? CouldBe<A, Declared> extends true
      ? IsFraction<A> extends IsWhole & true
        ? NoMatch<Pointer, "an integer", Written<A>>
        : A
      : NoMatch<Pointer, DescribeAny<Declared>, Written<A>>
    : A extends { readonly $from: unknown }
      ? CompareRead<S, A, Declared, Pointer>
      : A extends { readonly $literal: infer Value }
        ? CouldBe<Value, Declared> extends true
          ? CheckValue<S, "", unknown, A>
          : NoMatch<Pointer, DescribeAny<Declared>, Written<Value>>
        : CheckValue<S, "", unknown, A> extends infer Right
          ? [A] extends [Right]
            ? HoldsRead<A> extends true
              ? NotPlain
              : CouldBe<A extends { readonly $concat: unknown } ? string : A, Declared> extends true
                ? A
                : NoMatch<Pointer, DescribeAny<Declared>, Written<A>>
            : Right
          : never

type CompareRead<S extends Site, A, Declared, Pointer extends string> =
  CheckValue<S, "", unknown, A> extends infer Right
    ? [A] extends [Right]
      ? A extends { readonly where: unknown }
        ? NotPlain
        : Read<S, A> extends Found<infer Value>
          ? CouldBe<Value, Declared> extends true
            ? A
            : NoMatch<Pointer, DescribeAny<Declared>, DescribeAny<Value>>
          : A
      : Right
    : never

type NotPlain = Refuse<"SEQ131: `where` compares with a literal or a plain `$from`">

type NoMatch<Pointer extends string, Declared extends string, Wanted extends string> = Say<
  "SEQ212",
  { path: Pointer; declared: Declared; wanted: Wanted }
>

type Written<Value> = Value extends string
  ? `"${Value}"`
  : Value extends number | boolean | null
    ? `${Value}`
    : Value extends readonly unknown[]
      ? "an array"
      : "an object"

/** The fields of a reference, each as it is written but for the one at fault. */
export type Mark<A, Field, E> = { readonly [Key in keyof A]: Key extends Field ? E : A[Key] }

/** A reference with its fault: at a field of it, or in its place. */
export type Marked<A, Field, E> = Field extends "" ? E : { readonly [Key in keyof A]: Key extends Field ? E : A[Key] }
