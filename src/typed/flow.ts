/**
 * Rules for data: what must be stated is, and what is written or read at first hand comes from where it may. What comes
 * through tools or by a choice the compiler follows. Codes: SEQ601 … SEQ603; what is missing (SEQ506) TypeScript tells.
 */
import type { Word } from "./order.ts"
import type { Say } from "./plan-error.ts"
import type { PathOf, PickOf, Site, Spot } from "./reference.ts"
import type { IsToCome, Scalar, ScalarsOf, Unescape } from "./value.ts"

/** A rule, and the way to what it is about, `tags/0`: `""` where it is reached. */
export interface RuleOn<Path extends string, Rule> {
  readonly path: Path
  readonly rule: Rule
}

/** Never where a tool has none. */
export type RulesOf<T> = T extends { readonly rules: infer Rules }
  ? string extends keyof Rules
    ? never
    : {
        [Key in keyof Rules & string]: Key extends `/${infer Path}`
          ? RuleOn<Path, Rules[Key]>
          : RuleOn<Escape<Key>, Rules[Key]>
      }[keyof Rules & string]
  : never

/** A key as a pointer's token. */
type Escape<Key extends string> = Key extends `${string}${"/" | "~"}${string}` ? EscapeEach<Key> : Key

type EscapeEach<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends "~" ? "~0" : First extends "/" ? "~1" : First}${EscapeEach<Rest>}`
  : ""

/** The places that are labelled; `""` is all of it. */
export interface LabelsOf<T> {
  readonly untrusted: T extends { readonly untrusted: infer Places } ? PlacesIn<Places> : never
  readonly private: T extends { readonly private: infer Places } ? PlacesIn<Places> : never
}

type PlacesIn<Places> = Places extends true
  ? ""
  : Places extends readonly (infer Place extends string)[]
    ? string extends Place
      ? never
      : Place
    : never

export interface AnyLabels {
  readonly untrusted: string
  readonly private: string
}

/**
 * What must be stated, of the parameters themselves or of the members of an object that is reached: what a rule names, and
 * the object that it would stand in. What would stand in the items of a list is not missed where there is none.
 */
export type MustState<Rules> =
  Rules extends RuleOn<infer Path, { readonly mustState: true }>
    ? `/${Path}/` extends "//" | `${string}/*/${string}`
      ? never
      : Path extends `${infer First}/${string}`
        ? Unescape<First>
        : Unescape<Path>
    : never

/** `Right` is what is asked of the arguments but for the rules: what is at fault is told once. */
export type Ruled<S extends Site, Rules, Args, Right> = Stated<
  Rules,
  Args,
  {
    readonly [Key in keyof Right]: Key extends keyof Args
      ? // Beside `unknown` tsc asks nothing: with any other type it would read the words that are written as any text.
        IsToCome<ScalarsOf<Args[Key]> | null> extends false
        ? [Args[Key]] extends [Right[Key]]
          ? CheckRuled<S, Within<Rules, Key & string>, Key & string, Args[Key]>
          : Right[Key]
        : unknown
      : Right[Key]
  }
>

type Stated<Rules, Given, Right> = [Exclude<MustState<Rules>, keyof Given>] extends [never]
  ? Right
  : Right & { readonly [Name in Exclude<MustState<Rules>, keyof Given>]: unknown }

/** The rules about what is one key further in. */
type Within<Rules, Key extends string> = WithinToken<Rules, Escape<Key>>

type WithinToken<Rules, Key extends string> =
  Rules extends RuleOn<infer Path, infer Rule>
    ? Path extends `${infer First}/${infer Rest}`
      ? First extends Key | "*"
        ? RuleOn<Rest, Rule>
        : never
      : Path extends ""
        ? never
        : Path extends Key | "*"
          ? RuleOn<"", Rule>
          : never
    : never

/** Of a union each. */
type CheckRuled<S extends Site, Rules, Argument extends string, A> = [Rules] extends [never]
  ? A
  : unknown extends A
    ? A
    : A extends undefined
      ? A
      : FaultOf<S, Rules, Argument, A> extends infer Faults
        ? [Faults] extends [never]
          ? CheckInside<S, Rules, Argument, A>
          : Faults
        : never

type CheckInside<S extends Site, Rules, Argument extends string, A> = A extends Scalar | Form
  ? A
  : A extends readonly unknown[]
    ? {
        readonly [I in keyof A]: I extends string
          ? CheckRuled<S, Within<Rules, I>, `${Argument}/${I}`, A[I]>
          : CheckRuled<S, Within<Rules, "*">, `${Argument}/*`, A[I]>
      }
    : string extends keyof A
      ? A
      : Stated<
          Rules,
          A,
          {
            readonly [Key in keyof A]: CheckRuled<S, Within<Rules, Key & string>, `${Argument}/${Key & string}`, A[Key]>
          }
        >

type Form = { readonly $from: unknown } | { readonly $concat: unknown } | { readonly $literal: unknown }

type FaultOf<S extends Site, Rules, Argument extends string, A> =
  Rules extends RuleOn<infer Rest, infer Rule>
    ? A extends { readonly $from: infer Source extends string }
      ? FaultOfRead<S, Rule, Argument, Source, GiverOf<S, Source>, PlaceRead<A, Rest>, A, Rest>
      : Rest extends ""
        ? Rule extends { readonly from: readonly string[] }
          ? Say<"SEQ601", { argument: Argument; tool: S["tool"]; path: `${Argument} ← ${SayMade<A>}` }>
          : FaultOfLabels<S, Rule, Argument, Trail<S, "untrusted", A>, Trail<S, "private", A>>
        : never
    : never

/** A place that types cannot be sure of is `?`. */
type FaultOfRead<
  S extends Site,
  Rule,
  Argument extends string,
  Source extends string,
  Giver extends string,
  Place extends string,
  A,
  Rest extends string,
> = "?" extends Giver | Place
  ? never
  : Rule extends { readonly from: readonly (infer From)[] }
    ? true extends IsFrom<From, Giver, Place>
      ? FaultOfLabels<
          S,
          Rule,
          Argument,
          TrailOfChoice<S, "untrusted", A, Source, Rest>,
          TrailOfChoice<S, "private", A, Source, Rest>
        >
      : Say<
          "SEQ601",
          {
            argument: Argument
            tool: S["tool"]
            path: `${Argument} ← ${SaySpot<Source, Place>}${Giver extends "input" ? "" : ` (${Giver})`}`
          }
        >
    : FaultOfLabels<
        S,
        Rule,
        Argument,
        TrailOfChoice<S, "untrusted", A, Source, Rest>,
        TrailOfChoice<S, "private", A, Source, Rest>
      >

type FaultOfLabels<S extends Site, Rule, Argument extends string, Untrusted extends string, Hidden extends string> = [
  Rule extends { readonly trusted: true } ? Untrusted : never,
] extends [never]
  ? [Rule extends { readonly public: true } ? Hidden : never] extends [never]
    ? never
    : Say<"SEQ603", { argument: Argument; tool: S["tool"]; path: `${Argument} ← ${Hidden}` }>
  : Say<"SEQ602", { argument: Argument; tool: S["tool"]; path: `${Argument} ← ${Untrusted}` }>

/** The tool that gives what is read, or `input`. */
type GiverOf<S extends Site, Source extends string> = Source extends "input"
  ? "input"
  : S["plan"]["spots"][Source] extends Spot<unknown, infer Name extends string>
    ? Word<Name> extends S["plan"]["toolNames"]
      ? Name
      : "?"
    : "?"

/** Where in it: what is picked is in any item. */
type PlaceRead<
  A,
  Rest extends string,
> = Word<`${PathOf<A> & string}${A extends { readonly where: unknown } ? `/*${PickOf<A> & string}` : ""}${Rest extends "" ? "" : `/${Rest}`}`>

type SaySpot<Source extends string, Place extends string> = Place extends "" ? Source : `${Source} ${Place}`

/** What the plan makes itself: a literal, where there is no reference in it. */
type SayMade<A> = A extends { readonly $concat: infer Parts extends readonly unknown[] }
  ? Parts extends readonly Scalar[]
    ? "a literal"
    : "a text that `$concat` makes"
  : HoldsRead<A> extends true
    ? `an ${A extends readonly unknown[] ? "array" : "object"} that the plan makes`
    : "a literal"

/** Whether anything in it is only known when it runs. */
export type HoldsRead<A> = true extends HoldsReadIn<A> ? true : false

type HoldsReadIn<A> = A extends Scalar | { readonly $literal: unknown }
  ? false
  : A extends { readonly $from: unknown }
    ? true
    : A extends readonly (infer Item)[]
      ? HoldsReadIn<Item>
      : { [Key in keyof A]: HoldsReadIn<A[Key]> }[keyof A]

/** The way that labelled data took into a value, as the compiler says it; never where there is none at first hand. */
type Trail<S extends Site, Label extends keyof AnyLabels, A> = A extends Scalar | { readonly $literal: unknown }
  ? never
  : A extends { readonly $from: unknown }
    ? TrailOfRead<S, Label, A>
    : A extends { readonly $concat: readonly (infer Part)[] }
      ? `${S["id"]}.$concat ← ${TrailOfRead<S, Label, Part>}`
      : A extends readonly (infer Item)[]
        ? Trail<S, Label, Item>
        : { [Key in keyof A]: Trail<S, Label, A[Key]> }[keyof A]

type TrailOfRead<S extends Site, Label extends keyof AnyLabels, A> = A extends {
  readonly $from: infer Source extends string
}
  ? TrailOfChoice<S, Label, A, Source, "">
  : never

/** What is read, else what it is chosen by. */
type TrailOfChoice<S extends Site, Label extends keyof AnyLabels, A, Source extends string, Rest extends string> = [
  TrailOf<S, Label, Source, PlaceRead<A, Rest>>,
] extends [never]
  ? A extends { readonly where: infer Where }
    ? {
        [Pointer in keyof Where & string]: TrailOfMatch<S, Label, Source, PathOf<A> & string, Pointer, Where[Pointer]>
      }[keyof Where & string]
    : never
  : TrailOf<S, Label, Source, PlaceRead<A, Rest>>

type TrailOfMatch<
  S extends Site,
  Label extends keyof AnyLabels,
  Source extends string,
  Path extends string,
  Pointer extends string,
  Asked,
> = [TrailOf<S, Label, Source, PlaceRead<{ readonly path: `${Path}/*${Pointer}` }, "">>] extends [never]
  ? Asked extends { readonly $from: infer Other extends string }
    ? `${S["id"]}.where ← ${TrailOf<S, Label, Other, PlaceRead<Asked, "">>}`
    : never
  : `${S["id"]}.where ← ${TrailOf<S, Label, Source, PlaceRead<{ readonly path: `${Path}/*${Pointer}` }, "">>}`

type TrailOf<S extends Site, Label extends keyof AnyLabels, Source extends string, Place extends string> =
  GiverOf<S, Source> extends infer Giver extends string
    ? "?" extends Giver | Place
      ? never
      : true extends Overlap<
            Giver extends "input" ? S["plan"]["inputLabels"][Label] : S["plan"]["tools"][Giver]["labels"][Label],
            Place
          >
        ? `${SaySpot<Source, Place>} (${Label}: ${Giver extends "input" ? "the inputs" : Giver})`
        : never
    : never

/** Whether one of the places that a rule names is this one. */
type IsFrom<From, Giver extends string, Place extends string> = From extends `${infer Name}#${infer Pattern}`
  ? Name extends Giver
    ? Matches<Pattern, Place>
    : false
  : true

type Matches<Pattern extends string, Place extends string> = Pattern extends `/${infer One}/${infer Rest}`
  ? Place extends `/${infer Other}/${infer More}`
    ? One extends Other | "*"
      ? Matches<`/${Rest}`, `/${More}`>
      : false
    : false
  : Pattern extends `/${infer One}`
    ? Place extends `/${string}/${string}`
      ? false
      : Place extends `/${infer Other}`
        ? One extends Other | "*"
          ? true
          : false
        : false
    : Place extends ""
      ? true
      : false

/** Whether the one is the other, or holds it, or is held by it. */
type Overlap<One extends string, Other extends string> = One extends `/${infer A}/${infer Rest}`
  ? Other extends `/${infer B}/${infer More}`
    ? AreAlike<A, B> extends true
      ? Overlap<`/${Rest}`, `/${More}`>
      : false
    : Other extends `/${infer B}`
      ? AreAlike<A, B>
      : true
  : One extends `/${infer A}`
    ? Other extends `/${infer B}/${string}`
      ? AreAlike<A, B>
      : Other extends `/${infer B}`
        ? AreAlike<A, B>
        : true
    : true

type AreAlike<A, B> = "*" extends A | B ? true : A extends B ? true : false
