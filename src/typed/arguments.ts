/**
 * Arguments: each is declared, present where it must be, and of the right kind; a reference gives what could be right.
 * What is only wrong in its type is left to TypeScript's own words. Codes: SEQ120 … SEQ122, SEQ130, SEQ131, SEQ207, SEQ213.
 */
import type { PlanError, Refuse, Say } from "./plan-error.ts"
import type { Context, Fault, Mark, Read, SayPlace } from "./reference.ts"
import type { AnyKey, CouldBe, DescribeAny, Found, Member, Needed, Objects, Scalar } from "./value.ts"

/** What the faults in the arguments of one call are told with. */
export interface Call {
  readonly id: string
  readonly tool: string
  readonly at: string
  /** The parameters that are integers. */
  readonly integers: PropertyKey
}

/** What is asked of one value: itself where it may be right, else what says why not. */
export type CheckValue<C extends Context, S extends Call, Path extends string, T, A> = [A] extends [Scalar]
  ? CheckScalar<S, Path, T, A>
  : A extends readonly unknown[]
    ? CheckArray<C, S, Path, T, A>
    : A extends object
      ? [Extract<keyof A, `$${string}`>] extends [never]
        ? [Objects<T>] extends [never]
          ? unknown extends T
            ? CheckParts<C, S, Path, A>
            : T
          : CheckObject<C, S, Path, Objects<T>, A>
        : CheckForm<C, S, Path, T, A>
      : A

type CheckScalar<S extends Call, Path extends string, T, A> =
  CouldBe<A, T> extends true
    ? [A] extends [number]
      ? `${A}` extends `${string}.${string}`
        ? Path extends S["integers"]
          ? PlanError<`SEQ122: \`${Path}\` of \`${S["tool"]}\` must be an integer, but is a number \`${A}\``>
          : A
        : A
      : A
    : T

type CheckArray<
  C extends Context,
  S extends Call,
  Path extends string,
  T,
  A extends readonly unknown[],
> = unknown extends T
  ? { readonly [I in keyof A]: CheckValue<C, S, `${Path}/${I & string}`, unknown, A[I]> }
  : Extract<T, readonly unknown[]> extends infer List extends readonly unknown[]
    ? [List] extends [never]
      ? T
      : { readonly [I in keyof A]: CheckValue<C, S, `${Path}/${I & string}`, ItemAt<List, I>, A[I]> }
    : never

/** A tuple holds something else at each index. */
type ItemAt<List extends readonly unknown[], I> = List extends unknown
  ? number extends List["length"]
    ? List[number]
    : I extends keyof List
      ? List[I]
      : never
  : never

/** Of data of any kind the references alone are asked about. */
type CheckParts<C extends Context, S extends Call, Path extends string, A> = {
  readonly [Key in keyof A]: CheckValue<C, S, `${Path}/${Key & string}`, unknown, A[Key]>
}

export type CheckObject<C extends Context, S extends Call, Path extends string, O, A> = string extends keyof A
  ? A
  : [Needed<O>] extends [keyof A]
    ? { readonly [Key in keyof A]: CheckKey<C, S, Path, O, Key, A[Key]> }
    : {
        readonly [Key in keyof A | Needed<O>]: Key extends keyof A
          ? CheckKey<C, S, Path, O, Key, A[Key]>
          : Member<O, Key>
      }

type CheckKey<C extends Context, S extends Call, Path extends string, O, Key, Value> =
  Key extends AnyKey<O>
    ? [Member<O, Key>] extends [never]
      ? NoParameter<S, Below<Path, Key>>
      : CheckValue<C, S, Below<Path, Key>, Member<O, Key>, Value>
    : Key extends string
      ? string extends AnyKey<O>
        ? CheckValue<C, S, Below<Path, Key>, Member<O, string>, Value>
        : NoParameter<S, Below<Path, Key>>
      : Value

type NoParameter<S extends Call, Path> = Say<"SEQ121", { tool: S["tool"]; argument: Path }>

type Below<Path extends string, Key> = Path extends "" ? Key & string : `${Path}/${Key & string}`

/** Every object with a key that begins with `$` is an expression or a fault. */
type CheckForm<C extends Context, S extends Call, Path extends string, T, A> = [
  Exclude<Extract<keyof A, `$${string}`>, "$from" | "$concat" | "$literal">,
] extends [never]
  ? A extends { readonly $from: unknown }
    ? [Exclude<keyof A, "$from" | "path" | "where" | "pick">] extends [never]
      ? CheckRead<S, Path, T, A, Read<C, S["at"], S["id"], A>>
      : {
          readonly [Key in keyof A]: Key extends "$from" | "path" | "where" | "pick"
            ? A[Key]
            : NoField<"`$from` has no field", Key>
        }
    : A extends { readonly $concat: infer Parts }
      ? [Exclude<keyof A, "$concat">] extends [never]
        ? CheckConcat<C, S, Path, T, A, Parts>
        : {
            readonly [Key in keyof A]: Key extends "$concat" ? A[Key] : NoField<"`$concat` stands alone, without", Key>
          }
      : A extends { readonly $literal: infer Value }
        ? [Exclude<keyof A, "$literal">] extends [never]
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
type CheckRead<S extends Call, Path extends string, T, A, Verdict> = [Verdict] extends [Fault<infer Field, infer E>]
  ? Field extends ""
    ? E
    : Mark<A, Field, E>
  : Verdict extends Found<infer Value>
    ? CouldBe<Value, T> extends true
      ? A
      : Say<
          "SEQ207",
          {
            argument: Named<Path>
            tool: S["tool"]
            expected: DescribeAny<T>
            source: SaySource<A>
            given: DescribeAny<Value>
          }
        >
    : A

type Named<Path> = Path extends "" ? "args" : Path

/** "`find` at `/workspaces` selected by `where`" */
type SaySource<A> = A extends { readonly $from: infer Source extends string }
  ? `${SayPlace<Source, A extends { readonly path: infer Path } ? Path : "">}${A extends { readonly where: unknown } ? " selected by `where`" : ""}`
  : "`$concat`"

type CheckConcat<C extends Context, S extends Call, Path extends string, T, A, Parts> = Parts extends readonly unknown[]
  ? CouldBe<string, T> extends true
    ? { readonly $concat: { readonly [I in keyof Parts]: CheckPart<C, S, Parts[I]> } }
    : Parts extends readonly Scalar[]
      ? T
      : Say<
          "SEQ207",
          { argument: Named<Path>; tool: S["tool"]; expected: DescribeAny<T>; source: SaySource<A>; given: "a string" }
        >
  : { readonly $concat: readonly unknown[] }

type CheckPart<C extends Context, S extends Call, Part> = [Part] extends [Scalar]
  ? [Part] extends [null]
    ? NoPart
    : [Part] extends [number]
      ? number extends Part
        ? Part
        : `${Part}` extends `${bigint}`
          ? Part
          : NoPart
      : Part
  : Part extends { readonly $from: unknown }
    ? Read<C, S["at"], S["id"], Part> extends infer Verdict
      ? [Verdict] extends [Fault<infer Field, infer E>]
        ? Field extends ""
          ? E
          : Mark<Part, Field, E>
        : Verdict extends Found<infer Value>
          ? CouldBe<Value, string | number | boolean> extends true
            ? Part
            : Say<"SEQ213", { source: SaySource<Part>; given: DescribeAny<Value> }>
          : Part
      : never
    : Part extends { readonly $literal: unknown } | { readonly $concat: unknown }
      ? Part
      : NoPart

type NoPart = Refuse<"SEQ131: `$concat` joins strings, integers and booleans, or a `$from` to such">

/** Taken as it stands, and never looked into for expressions: of what is no scalar the kind alone is asked. */
type CheckLiteral<T, A, Value> = CouldBe<Value, T> extends true ? A : T
