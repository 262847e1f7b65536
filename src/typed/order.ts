/** Order: ids are well formed and used once, and what a step waits for are earlier calls. Codes: SEQ105, SEQ106, SEQ201 … SEQ204. */
import type { Say } from "./plan-error.ts"
import type { Context, EarlierCalls, IsBefore, Missing, Nth, Spot, Unordered } from "./reference.ts"
import type { Place } from "./sum.ts"
import type { IsToCome } from "./value.ts"

/** A text that is known: no union, and not any text of a kind. */
export type Word<Text extends string> = string extends Text ? "?" : IsOne<Text> extends true ? Text : "?"

type IsOne<T, All = T> = T extends unknown
  ? [All] extends [T]
    ? Record<never, never> extends Record<T & string, 1>
      ? false
      : true
    : false
  : never

/** The id of each step; `?` where it is not a word of its own. What is only words, tsc has not to look into at each turn. */
export type IdsOf<Steps> = {
  readonly [I in keyof Steps]: Steps[I] extends { readonly id: infer Id extends string } ? Word<Id> : "?"
}

/** What each step is, as a word: a call's tool, a transition's state after `>`, `()` where no tool is written, or `?`. */
export type NamesOf<Steps> = {
  readonly [I in keyof Steps]: Steps[I] extends { readonly tool: infer Tool }
    ? Steps[I] extends { readonly transition: string }
      ? "?"
      : Tool extends string
        ? Word<Tool>
        : "()"
    : Steps[I] extends { readonly transition: infer State extends string }
      ? Word<State> extends "?"
        ? "?"
        : `>${State}`
      : Steps[I] extends { readonly transition: unknown }
        ? // To no state that there is; that it is no text is told where it stands.
          ">?"
        : "?"
}

/** By id, where its step is, and what; of an id that is used twice, both. */
export type SpotsOf<Ids extends readonly string[], Names extends readonly string[]> = {
  readonly [I in keyof Ids as I extends `${bigint}` ? Ids[I] & string : never]: Spot<Place<I & string>, Nth<Names, I>>
}

export type CheckId<C extends Context, I extends string, Id extends string> = [C["spots"][Id]["at"]] extends [Place<I>]
  ? CheckForm<Id>
  : unknown extends C["spots"][Id]["at"]
    ? CheckEachForm<Id>
    : CheckForm<Id> extends Id
      ? true extends IsBefore<C["spots"][Id]["at"], Place<I>>
        ? Say<"SEQ106", { id: Id }>
        : Id
      : CheckForm<Id>

/** Of several ids each; of what is no word the compiler judges. */
type CheckEachForm<Id extends string> = Id extends unknown ? (Word<Id> extends "?" ? Id : CheckForm<Id>) : never

type CheckForm<Id extends string> = Id extends Kept
  ? IllNamed<Id, "the name is kept for the language">
  : IsName<Id> extends true
    ? Id
    : IllNamed<Id, WhyNoName<Id>>

type IllNamed<Id, Reason> = Say<"SEQ105", { id: Id; reason: Reason }>

type WhyNoName<Id extends string> = Id extends `${infer First}${string}`
  ? First extends Letter
    ? "it has a character that no id has, or more than 64"
    : `it begins with \`${First}\``
  : "it is empty"

/** A letter, and then letters, digits, `_` and `-`. Most ids have at most eight: those are filled up, and read in one go. */
type IsName<Id extends string> =
  `${Id}_______` extends `${infer First}${infer B}${infer C}${infer D}${infer E}${infer F}${infer G}${infer H}${infer Rest}`
    ? [First] extends [Letter]
      ? [B | C | D | E | F | G | H] extends [LetterOrDigit]
        ? Rest extends "" | "_" | "__" | "___" | "____" | "_____" | "______" | "_______"
          ? true
          : IsLongName<Id>
        : false
      : false
    : false

/** Four at a time; after sixty-four it is too long. */
type IsLongName<
  Text extends string,
  Left extends readonly unknown[] = Sixteen,
> = Text extends `${infer A}${infer B}${infer C}${infer D}${infer Rest}`
  ? [A | B | C | D] extends [LetterOrDigit]
    ? Left extends readonly [unknown, ...infer Fewer]
      ? IsLongName<Rest, Fewer>
      : false
    : false
  : Text extends `${infer A}${infer Rest}`
    ? A extends LetterOrDigit
      ? Left extends readonly []
        ? false
        : IsLongName<Rest, Left>
      : false
    : true

type Sixteen = readonly [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]

type Letter = Lower | Uppercase<Lower> | "_"
type LetterOrDigit = Letter | `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | "-"
type Lower =
  | "a"
  | "b"
  | "c"
  | "d"
  | "e"
  | "f"
  | "g"
  | "h"
  | "i"
  | "j"
  | "k"
  | "l"
  | "m"
  | "n"
  | "o"
  | "p"
  | "q"
  | "r"
  | "s"
  | "t"
  | "u"
  | "v"
  | "w"
  | "x"
  | "y"
  | "z"

/** As in `document/document.ts`; a test holds them equal. */
export type Kept =
  | "input"
  | "then"
  | "constructor"
  | "prototype"
  | "__proto__"
  | "toString"
  | "valueOf"
  | "hasOwnProperty"
  | "toJSON"

export type CheckAfter<C extends Context, I extends string, Id, After> = After extends readonly unknown[]
  ? { readonly [K in keyof After]: IsToCome<After[K]> extends false ? CheckName<C, I, Id, After[K]> : After[K] }
  : readonly string[]

type CheckName<C extends Context, I extends string, Id, Name> = Name extends string
  ? string extends Name
    ? Name
    : C["spots"][Name] extends Spot<infer At, infer Kind>
      ? true extends IsBefore<At, Place<I>>
        ? Kind extends `>${string}`
          ? Say<"SEQ204", { step: Id; transition: Name }>
          : Name
        : Unordered<At, Place<I>, Id, Name>
      : C["open"] extends true
        ? Name
        : Missing<Name, EarlierCalls<C, Place<I>>, Id>
  : string
