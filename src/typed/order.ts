/** Order: ids are well formed and used once, and what a step waits for are earlier calls. Codes: SEQ105, SEQ106, SEQ201 … SEQ204. */
import type { Say } from "./plan-error.ts"
import type { Context, EarlierCalls, Missing, Nth, Unordered } from "./reference.ts"
import type { IsBefore } from "./sum.ts"

/** The id of each step; `?` where it is not a word of its own. */
export type Ids<Steps> = {
  readonly [I in keyof Steps]: Steps[I] extends { readonly id: infer Id extends string } ? Word<Id> : "?"
}

/** A text that is known: no union, and not any text of a kind. */
export type Word<Text extends string> = string extends Text ? "?" : IsOne<Text> extends true ? Text : "?"

type IsOne<T, All = T> = T extends unknown
  ? [All] extends [T]
    ? Record<never, never> extends Record<T & string, 1>
      ? false
      : true
    : false
  : never

/** By id, the index of its step; of an id that is used twice, both. */
export type IndexOf<Names extends readonly string[]> = {
  [I in Exclude<keyof Names, keyof (readonly unknown[])> & string as Nth<Names, I>]: I
}

export type CheckId<C extends Context, I extends string, Id extends string> = C["index"][Id] extends infer At extends
  string
  ? [At] extends [I]
    ? Id extends `${infer First}${string}`
      ? First extends Letter
        ? Id extends Kept
          ? IllNamed<Id, "the name is kept for the language">
          : IsName<Id> extends true
            ? Id
            : IllNamed<Id, "it has a character that no id has, or more than 64">
        : Id extends Kept
          ? IllNamed<Id, "the name is kept for the language">
          : IllNamed<Id, `it begins with \`${First}\``>
      : IllNamed<Id, "it is empty">
    : true extends IsBefore<At, I>
      ? Say<"SEQ106", { id: Id }>
      : Id
  : Id

type IllNamed<Id, Reason> = Say<"SEQ105", { id: Id; reason: Reason }>

/** A text of letters, digits, `_` and `-`, read four at a time; after sixty-four it is too long. */
type IsName<
  Text extends string,
  Left extends readonly unknown[] = Sixteen,
> = Text extends `${infer A}${infer B}${infer C}${infer D}${infer Rest}`
  ? [A | B | C | D] extends [LetterOrDigit]
    ? Left extends readonly [unknown, ...infer Fewer]
      ? IsName<Rest, Fewer>
      : false
    : false
  : Text extends `${infer A}${infer Rest}`
    ? A extends LetterOrDigit
      ? Left extends readonly []
        ? false
        : IsName<Rest, Left>
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
  ? { readonly [K in keyof After]: CheckName<C, I, Id, After[K]> }
  : readonly string[]

type CheckName<C extends Context, I extends string, Id, Name> = Name extends string
  ? string extends Name
    ? Name
    : C["index"][Name] extends infer At extends string
      ? true extends IsBefore<At, I>
        ? C["names"][At] extends `>${string}`
          ? Say<"SEQ204", { step: Id; transition: Name }>
          : Name
        : Unordered<At, I, Id, Name>
      : C["open"] extends true
        ? Name
        : Missing<Name, EarlierCalls<C, I>, Id>
  : string
