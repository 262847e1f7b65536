/**
 * Arguments: each is declared, present where it must be, and of the right kind; a reference gives what could be right.
 * What is only wrong in its type is left to TypeScript's own words.
 * Codes: SEQ121, SEQ123, SEQ130, SEQ131, SEQ207, SEQ213.
 */
import type { HoldsRead } from "./flow.ts"
import type { Word } from "./order.ts"
import type { Refuse, Say } from "./plan-error.ts"
import type { Fault, Marked, Read, ReadPath, SayPlace, Site, SourceOf } from "./reference.ts"
import type {
  AnyKey,
  CouldBe,
  DescribeAny,
  Found,
  IsFraction,
  IsToCome,
  Member,
  Needed,
  Objects,
  Scalar,
} from "./value.ts"

/** What is asked of one value: itself where it may be right, else what says why not. */
export type CheckValue<S extends Site, Path extends string, T, A> =
  IsToCome<A> extends false ? CheckKnown<S, Path, T, A> : A

type CheckKnown<S extends Site, Path extends string, T, A> = [A] extends [Scalar]
  ? CheckScalar<S, Path, T, A>
  : [A] extends [{ readonly $from: infer Source; readonly path: infer Inner }]
    ? [keyof A] extends ["$from" | "path"]
      ? CheckRead<S, Path, T, A, ReadSimply<SourceOf<S, Source>, Source, Inner>>
      : CheckForm<S, Path, T, A>
    : A extends readonly unknown[]
      ? CheckArray<S, Path, T, A>
      : A extends object
        ? [Extract<keyof A, `$${string}`>] extends [never]
          ? CheckPlain<S, Path, T, Objects<T>, A>
          : CheckForm<S, Path, T, A>
        : A

/** The most common form of all, without a question more than it needs. */
type ReadSimply<Whole, Source, Path> =
  Whole extends Found<infer Value> ? ReadPath<Value, Path, `\`${Source & string}\``, "path"> : Whole

type CheckPlain<S extends Site, Path extends string, T, O, A> = [O] extends [never]
  ? unknown extends T
    ? { readonly [Key in keyof A]: CheckValue<S, Below<Path, Key>, unknown, A[Key]> }
    : T
  : CheckObject<S, Path, O, A>

type CheckScalar<S extends Site, Path extends string, T, A> = [EachCouldBe<A, T>] extends [true]
  ? Path extends S["integers"]
    ? CheckInteger<S, Path, A>
    : A
  : T

/** Of several values each; but what is known to be a boolean is as wide as a text of which no more is known. */
type EachCouldBe<A, T> = boolean extends A ? CouldBe<A, T> : A extends unknown ? CouldBe<A, T> : never

type CheckInteger<S extends Site, Path extends string, A> = [FractionIn<A>] extends [never]
  ? A
  : Refuse<`SEQ123: \`${Path}\` of \`${S["tool"]}\` must be an integer, but is ${FractionIn<A>}`>

type FractionIn<A> = A extends number ? (IsFraction<A> extends true ? A : never) : never

type CheckArray<S extends Site, Path extends string, T, A extends readonly unknown[]> = unknown extends T
  ? { readonly [I in keyof A]: CheckValue<S, Below<Path, I>, unknown, A[I]> }
  : Extract<T, readonly unknown[]> extends infer List extends readonly unknown[]
    ? [List] extends [never]
      ? T
      : [A["length"] & List["length"]] extends [never]
        ? WrongLength<S, Path, T, List["length"], A["length"]>
        : { readonly [I in keyof A]: CheckValue<S, Below<Path, I>, ItemAt<List, I>, A[I]> }
    : never

/** A tuple is whole. Where it may be of several lengths TypeScript says which. */
type WrongLength<S extends Site, Path extends string, T, Wanted extends number, Found extends number> =
  Word<`${Wanted}`> extends "?"
    ? T
    : Refuse<`SEQ123: \`${Path}\` of \`${S["tool"]}\` must be an array of exactly ${SayItems<Wanted>}, but is an array of ${SayItems<Found>}`>

type SayItems<Count extends number> = Count extends 1 ? "1 item" : `${Count} items`

/** A tuple holds something else at each index, and after them what it ends with. */
type ItemAt<List extends readonly unknown[], I> = List extends unknown
  ? I extends keyof List
    ? List[I]
    : number extends List["length"]
      ? RestOf<List>
      : never
  : never

type RestOf<List extends readonly unknown[]> = List extends readonly [unknown, ...infer Rest]
  ? RestOf<Rest>
  : List[number]

/** TypeScript says itself what is missing. */
export type CheckObject<S extends Site, Path extends string, O, A> = string extends keyof A
  ? A
  : [Needed<O>] extends [keyof A]
    ? {
        readonly [Key in keyof A]: Key extends keyof O
          ? CheckValue<S, Path extends "" ? Key & string : Below<Path, Key>, O[Key], A[Key]>
          : CheckOther<S, Path, O, Key, A[Key]>
      }
    : {
        readonly [Key in keyof A | Needed<O>]: Key extends keyof A
          ? CheckOther<S, Path, O, Key, A[Key]>
          : Member<O, Key>
      }

/** A key that not every branch has. */
type CheckOther<S extends Site, Path extends string, O, Key, Value> =
  Key extends AnyKey<O>
    ? CheckValue<S, Below<Path, Key>, Member<O, Key>, Value>
    : Key extends string
      ? string extends AnyKey<O>
        ? CheckValue<S, Below<Path, Key>, Member<O, string>, Value>
        : Say<"SEQ121", { tool: S["tool"]; argument: Below<Path, Key> }>
      : Value

/** The key is a number where an array has as many items as it will: each stands for all of them. */
type Below<Path extends string, Key> = Path extends ""
  ? Key & string
  : Key extends string
    ? `${Path}/${Key}`
    : `${Path}/*`

type FromField = "$from" | "path" | "where" | "pick"

/** Every object with a key that begins with `$` is an expression or a fault. */
type CheckForm<S extends Site, Path extends string, T, A> = [
  Exclude<Extract<keyof A, `$${string}`>, "$from" | "$concat" | "$literal">,
] extends [never]
  ? A extends { readonly $from: unknown }
    ? [keyof A] extends [FromField]
      ? CheckRead<S, Path, T, A, Read<S, A>>
      : { readonly [Key in keyof A]: Key extends FromField ? A[Key] : NoField<"`$from` has no field", Key> }
    : A extends { readonly $concat: infer Parts }
      ? [keyof A] extends ["$concat"]
        ? CheckConcat<S, Path, T, A, Parts>
        : {
            readonly [Key in keyof A]: Key extends "$concat" ? A[Key] : NoField<"`$concat` stands alone, without", Key>
          }
      : A extends { readonly $literal: infer Value }
        ? [keyof A] extends ["$literal"]
          ? CheckLiteral<T, A, Value>
          : {
              readonly [Key in keyof A]: Key extends "$literal"
                ? A[Key]
                : NoField<"`$literal` stands alone, without", Key>
            }
        : A
  : {
      readonly [Key in keyof A]: Key extends "$from" | "$concat" | "$literal"
        ? A[Key]
        : Key extends `$${string}`
          ? Say<"SEQ130", { key: Key }>
          : A[Key]
    }

type NoField<Problem extends string, Key> = Refuse<`SEQ131: ${Problem} \`${Key & string}\``>

/** Where a source may be one of several, it is enough that one is right. */
type CheckRead<S extends Site, Path extends string, T, A, Verdict> =
  IsToCome<Verdict> extends false ? CheckVerdict<S, Path, T, A, Verdict> : A

type CheckVerdict<S extends Site, Path extends string, T, A, Verdict> = [Verdict] extends [Fault<infer Field, infer E>]
  ? Marked<A, Field, E>
  : Verdict extends Found<infer Value>
    ? CouldBe<Value, T> extends true
      ? A
      : NeverFits<S, Path, T, SaySource<A>, Value>
    : A

type NeverFits<S extends Site, Path extends string, T, Source extends string, Value> = Say<
  "SEQ207",
  {
    argument: Path extends "" ? "args" : Path
    tool: S["tool"]
    expected: DescribeAny<T>
    source: Source
    given: DescribeAny<Value>
  }
>

/** "`find` at `/workspaces` selected by `where`" */
type SaySource<A> = A extends { readonly $from: infer Source extends string }
  ? `${SayPlace<Source, A extends { readonly path: infer Path } ? Path : "">}${A extends { readonly where: unknown } ? " selected by `where`" : ""}`
  : "`$concat`"

type CheckConcat<S extends Site, Path extends string, T, A, Parts> = Parts extends readonly unknown[]
  ? CouldBe<string, T> extends true
    ? { readonly $concat: { readonly [I in keyof Parts]: CheckPart<S, Parts[I]> } }
    : Parts extends readonly Scalar[]
      ? T
      : NeverFits<S, Path, T, SaySource<A>, string>
  : { readonly $concat: readonly unknown[] }

type CheckPart<S extends Site, Part> = IsToCome<Part> extends false ? CheckKnownPart<S, Part> : Part

type CheckKnownPart<S extends Site, Part> = [Part] extends [Scalar]
  ? [IsPart<Part>] extends [true]
    ? Part
    : NoPart
  : Part extends { readonly $from: unknown }
    ? [keyof Part] extends [FromField]
      ? Read<S, Part> extends infer Verdict
        ? [Verdict] extends [Fault<infer Field, infer E>]
          ? Marked<Part, Field, E>
          : Verdict extends Found<infer Value>
            ? CouldBe<Value, string | number | boolean> extends true
              ? Part
              : Say<"SEQ213", { source: SaySource<Part>; given: DescribeAny<Value> }>
            : Part
        : never
      : CheckForm<S, "", unknown, Part>
    : Part extends { readonly $concat: unknown }
      ? CheckForm<S, "", string, Part> extends infer Right
        ? Part extends Right
          ? HoldsRead<Part> extends true
            ? NoPart
            : Part
          : Right
        : never
      : Part extends { readonly $literal: unknown }
        ? Part
        : Part extends object
          ? NoPart
          : Part

/** Of several values each. */
type IsPart<Part> = Part extends null
  ? false
  : Part extends number
    ? number extends Part
      ? true
      : `${Part}` extends `${bigint}`
        ? true
        : false
    : true

type NoPart = Refuse<"SEQ131: `$concat` joins strings, integers and booleans, or a `$from` to such">

/** Taken as it stands, and never looked into for expressions: of what is no scalar the kind alone is asked. */
type CheckLiteral<T, A, Value> = IsToCome<Value> extends false ? ([EachCouldBe<Value, T>] extends [true] ? A : T) : A
