/** Counting with digits: natural numbers as decimal strings, least significant digit first ("0521" is 1250). */

export type Reverse<Text extends string, Done extends string = ""> = Text extends `${infer First}${infer Rest}`
  ? Reverse<Rest, `${First}${Done}`>
  : Done

/** A + B. What is left of the longer one is taken over in one go, so it costs what the shorter one is long. */
export type Add<A extends string, B extends string, Done extends string = ""> = B extends ""
  ? `${Done}${A}`
  : A extends `${infer One extends Digit}${infer RestA}`
    ? B extends `${infer Other extends Digit}${infer RestB}`
      ? Sums[One][Other] extends `${infer Carry}${infer Own}`
        ? Carry extends "0"
          ? Add<RestA, RestB, `${Done}${Own}`>
          : AddOne<RestA, RestB, `${Done}${Own}`>
        : never
      : never
    : `${Done}${B}`

/** A + B + 1. */
type AddOne<A extends string, B extends string, Done extends string> = A extends ""
  ? Add<"1", B, Done>
  : A extends `${infer One extends Digit}${infer Rest}`
    ? One extends "9"
      ? B extends `${infer Other}${infer RestB}`
        ? AddOne<Rest, RestB, `${Done}${Other}`>
        : AddOne<Rest, "", `${Done}0`>
      : Add<`${Next[One]}${Rest}`, B, Done>
    : never

export type Digit = keyof Next

/** One more. Of 9, the digit alone: whoever counts minds the carry. */
export interface Next {
  readonly "0": "1"
  readonly "1": "2"
  readonly "2": "3"
  readonly "3": "4"
  readonly "4": "5"
  readonly "5": "6"
  readonly "6": "7"
  readonly "7": "8"
  readonly "8": "9"
  readonly "9": "0"
}

/** One more, of a number written as one writes it: "9" gives "10". */
export type Increment<Number extends string> = Reverse<Add<Reverse<Number>, "1">>

/** A > B. The most significant digit that differs is the last that is seen. */
export type IsMore<
  A extends string,
  B extends string,
  SoFar = false,
> = A extends `${infer One extends Digit}${infer RestA}`
  ? B extends `${infer Other extends Digit}${infer RestB}`
    ? IsMore<RestA, RestB, One extends Other ? SoFar : One extends Below[Other] ? false : true>
    : true
  : B extends ""
    ? SoFar
    : false

/** A step's index in five digits: of texts of one length the first digit that differs says which number is the lesser. */
export type Place<I extends string> = I extends `${bigint}${bigint}${string}`
  ? I extends `${bigint}${bigint}${bigint}${string}`
    ? I extends `${bigint}${bigint}${bigint}${bigint}${string}`
      ? I extends `${bigint}${bigint}${bigint}${bigint}${bigint}${string}`
        ? I
        : `0${I}`
      : `00${I}`
    : `000${I}`
  : `0000${I}`

/** What is at an earlier place: a pattern, so that a place is held against it in one question. */
export type Earlier<At extends string> = At extends `${infer A}${infer B}${infer C}${infer D}${infer E}`
  ? EarlierTens<A, B, C, D> | `${A}${B}${C}${D}${Below[E]}`
  : never

/** For ten steps the same: asked as a question, for those tsc remembers. */
type EarlierTens<A extends string, B extends string, C extends string, D extends string> = A extends string
  ?
      | `${Below[A]}${string}`
      | `${A}${Below[B]}${string}`
      | `${A}${B}${Below[C]}${string}`
      | `${A}${B}${C}${Below[D]}${string}`
  : never

interface Below {
  readonly [other: string]: string
  readonly "0": never
  readonly "1": "0"
  readonly "2": "0" | "1"
  readonly "3": "0" | "1" | "2"
  readonly "4": "0" | "1" | "2" | "3"
  readonly "5": "0" | "1" | "2" | "3" | "4"
  readonly "6": "0" | "1" | "2" | "3" | "4" | "5"
  readonly "7": "0" | "1" | "2" | "3" | "4" | "5" | "6"
  readonly "8": "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7"
  readonly "9": "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8"
}

/** The sum of two digits, with its carry before it. */
interface Sums {
  readonly "0": Row<"00", "01", "02", "03", "04", "05", "06", "07", "08", "09">
  readonly "1": Row<"01", "02", "03", "04", "05", "06", "07", "08", "09", "10">
  readonly "2": Row<"02", "03", "04", "05", "06", "07", "08", "09", "10", "11">
  readonly "3": Row<"03", "04", "05", "06", "07", "08", "09", "10", "11", "12">
  readonly "4": Row<"04", "05", "06", "07", "08", "09", "10", "11", "12", "13">
  readonly "5": Row<"05", "06", "07", "08", "09", "10", "11", "12", "13", "14">
  readonly "6": Row<"06", "07", "08", "09", "10", "11", "12", "13", "14", "15">
  readonly "7": Row<"07", "08", "09", "10", "11", "12", "13", "14", "15", "16">
  readonly "8": Row<"08", "09", "10", "11", "12", "13", "14", "15", "16", "17">
  readonly "9": Row<"09", "10", "11", "12", "13", "14", "15", "16", "17", "18">
}

interface Row<A, B, C, D, E, F, G, H, I, J> {
  readonly "0": A
  readonly "1": B
  readonly "2": C
  readonly "3": D
  readonly "4": E
  readonly "5": F
  readonly "6": G
  readonly "7": H
  readonly "8": I
  readonly "9": J
}
