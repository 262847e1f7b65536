/**
 * What types know of values: whether one could ever be right, and what stands at a pointer in it. Only what is surely
 * wrong is refused; where a type says too little, the compiler judges at run time.
 */
import type { Undeclared } from "./tools.ts"

export type Scalar = string | number | boolean | null | undefined

/**
 * Whether a type is still to come: a type parameter of the function around the plan, or made of one. Of such a value tsc puts
 * `IsToCome<A> extends false ? Check<A> : A` off, and then asks of what is written only what could hold whatever the
 * parameter is, `never` too: that the first branch is out, and the value is itself. The compiler judges it.
 */
export type IsToCome<A> = [A] extends [never] ? true : false

/** All that an object or a list is made of. */
export type ScalarsOf<A> = A extends Scalar
  ? A
  : A extends readonly (infer Item)[]
    ? ScalarsOf<Item>
    : { [Key in keyof A]: ScalarsOf<A[Key]> }[keyof A]

/** Of what is known only to be a number it is not known. */
export type IsFraction<N> = [N] extends [number]
  ? `${N}` extends `${string}.${string}` | `${string}e-${string}`
    ? `${N}` extends `${string}e+${string}`
      ? false
      : true
    : false
  : false

/** Whether any value of the one type could be one of the other. */
export type CouldBe<Given, Asked> = [Given] extends [Asked]
  ? true
  : [Given & Asked] extends [never]
    ? [Plain<Given> & Plain<Asked>] extends [never]
      ? false
      : true
    : [Meet<Given, Asked>] extends [never]
      ? false
      : true

/** The members of enums as the words and numbers that they are. */
type Plain<T> = T extends string ? `${T}` : T extends number ? PlainNumber<T> : T

type PlainNumber<N extends number> = number extends N ? N : `${N}` extends `${infer Value extends number}` ? Value : N

/** Branch by branch: scalars by value, arrays and objects by kind, and objects by the scalars that both must have. */
type Meet<Given, Asked> = unknown extends Asked
  ? true
  : unknown extends Given
    ? true
    : Given extends Scalar
      ? MeetScalars<Given, Extract<Asked, Scalar>>
      : Given extends readonly unknown[]
        ? [Extract<Asked, readonly unknown[]>] extends [never]
          ? never
          : true
        : MeetObjects<Given, Objects<Asked>>

type MeetScalars<Given, Asked> = [Given & Asked] extends [never]
  ? [Plain<Given> & Plain<Asked>] extends [never]
    ? never
    : true
  : true

type MeetObjects<Given, Asked> = Asked extends unknown
  ? [Given & Asked] extends [never]
    ? never
    : [Apart<Given, Asked>] extends [never]
      ? true
      : never
  : never

/** The keys that the one surely has and the other declares, whose scalars are never equal. */
type Apart<Given, Asked> = {
  [Key in keyof Given & keyof Asked]: [Given[Key]] extends [Exclude<Scalar, undefined>]
    ? [Asked[Key]] extends [Scalar]
      ? CouldBe<Given[Key], Asked[Key]> extends true
        ? never
        : Key
      : never
    : never
}[keyof Given & keyof Asked]

/** The branches that are objects and no arrays. */
export type Objects<T> = T extends Scalar | readonly unknown[] ? never : T extends object ? T : never

/** Every key of every branch. */
export type AnyKey<T> = T extends unknown ? keyof T : never

/** What the branches that have the key hold there. */
export type Member<T, Key> = T extends unknown ? (Key extends keyof T ? T[Key] : never) : never

/** The keys that every branch must have. */
export type Needed<T> = { [Key in keyof T]-?: IsOptional<T, Key> extends true ? never : Key } extends infer Keys
  ? string extends keyof Keys
    ? never
    : Keys[keyof Keys]
  : never

/** What is of any type may be left out only where it is said to be. */
type IsOptional<T, Key extends keyof T> = undefined extends T[Key]
  ? unknown extends T[Key]
    ? Record<never, never> extends Pick<T, Key>
      ? true
      : false
    : true
  : false

/** What is at a pointer: a value of this type. */
export interface Found<Value> {
  readonly found: Value
}

/** Nothing is, from the token on that ends this pointer; `optional` is what may be left out there. */
export interface Lost<Reached extends string, Why extends "absent" | "optional"> {
  readonly lost: Reached
  readonly why: Why
}

/** The text is no pointer. */
export interface IllFormed {
  readonly illFormed: true
}

/** What stands at a pointer (RFC 6901), if every right value has something there, or may have in some branch. */
export type Follow<T, Path extends string> = Path extends `/${string}`
  ? Path extends `${string}~${string}`
    ? IsEscaped<Path> extends true
      ? Walk<T, Path, "">
      : IllFormed
    : Walk<T, Path, "">
  : Path extends ""
    ? Found<T extends Undeclared ? unknown : T>
    : Path extends `${infer _}${infer _}`
      ? IllFormed
      : Found<unknown>

type IsEscaped<Path extends string> = Path extends `${string}~${infer Rest}`
  ? Rest extends `${"0" | "1"}${infer After}`
    ? IsEscaped<After>
    : false
  : true

export type Unescape<Token extends string> = Token extends `${infer Before}~${infer Rest}`
  ? Rest extends `1${infer After}`
    ? `${Before}/${Unescape<After>}`
    : Rest extends `0${infer After}`
      ? `${Before}~${Unescape<After>}`
      : Token
  : Token

type Walk<T, Path extends string, Before extends string> = Path extends `/${infer Token}/${infer Rest}`
  ? Enter<T, Token> extends infer Inner
    ? [Inner] extends [never]
      ? WalkOtherwise<T, Token, `/${Rest}`, Before>
      : Walk<Inner, `/${Rest}`, `${Before}/${Token}`>
    : never
  : Path extends `/${infer Token}`
    ? Enter<T, Token> extends infer Inner
      ? [Inner] extends [never]
        ? WalkOtherwise<T, Token, "", Before>
        : Found<Inner>
      : never
    : Found<T>

/** The token may be escaped. */
type WalkOtherwise<
  T,
  Token extends string,
  Rest extends string,
  Before extends string,
> = Token extends `${string}~${string}`
  ? Enter<T, Unescape<Token>> extends infer Inner
    ? [Inner] extends [never]
      ? WalkOptional<T, Token, Rest, Before>
      : Walk<Inner, Rest, `${Before}/${Token}`>
    : never
  : WalkOptional<T, Token, Rest, Before>

/** What may be left out is told as such where the rest of the pointer leads somewhere. */
type WalkOptional<T, Token extends string, Rest extends string, Before extends string> =
  EnterOptional<T, Unescape<Token>> extends infer Inner
    ? [Inner] extends [never]
      ? Lost<`${Before}/${Token}`, "absent">
      : Rest extends ""
        ? Lost<`${Before}/${Token}`, "optional">
        : Walk<Inner, Rest, `${Before}/${Token}`> extends infer End
          ? End extends Lost<string, "absent">
            ? End
            : Lost<`${Before}/${Token}`, "optional">
          : never
    : never

/** One token further in, in any branch that leads there. */
type Enter<T, Token extends string> = unknown extends T
  ? unknown
  : T extends Scalar | Undeclared
    ? never
    : T extends readonly unknown[]
      ? Item<T, Token>
      : Token extends keyof T
        ? T extends { readonly [_ in Token]: infer Value }
          ? Value
          : string extends keyof T
            ? T[Token]
            : never
        : Token extends `${infer Index extends number}`
          ? Index extends keyof T
            ? T[Index]
            : never
          : never

type Item<T extends readonly unknown[], Token extends string> = Token extends `${infer Index extends bigint}`
  ? Token extends `-${string}`
    ? never
    : `${Index}` extends Token
      ? number extends T["length"]
        ? T[number]
        : Token extends keyof T
          ? T[Token]
          : never
      : never
  : never

type EnterOptional<T, Token extends string> = T extends Scalar | readonly unknown[]
  ? never
  : Token extends keyof T
    ? Exclude<T[Token], undefined>
    : never

/** The items of the branches that are arrays; never where none is. */
export type ItemOf<T> = unknown extends T ? unknown : T extends readonly (infer Item)[] ? Item : never

/** A type in a few words. Never longer than its kinds: what is at most, or one of what, only the schema says. */
export type Describe<T> = unknown extends T
  ? "any value"
  : T extends string
    ? "a string"
    : T extends number
      ? "a number"
      : T extends boolean
        ? "a boolean"
        : T extends null
          ? "null"
          : T extends readonly unknown[]
            ? "an array"
            : T extends object
              ? "an object"
              : never

/** Of several kinds the first, so that a message is one message. */
export type DescribeAny<T, Kinds = Describe<T>> = [Kinds] extends ["any value"]
  ? "any value"
  : "a string" extends Kinds
    ? Or<"a string", Exclude<Kinds, "a string">>
    : "a number" extends Kinds
      ? Or<"a number", Exclude<Kinds, "a number">>
      : "a boolean" extends Kinds
        ? Or<"a boolean", Exclude<Kinds, "a boolean">>
        : "an array" extends Kinds
          ? Or<"an array", Exclude<Kinds, "an array">>
          : "an object" extends Kinds
            ? Or<"an object", Exclude<Kinds, "an object">>
            : "null"

type Or<First extends string, Rest> = [Rest] extends [never] ? First : `${First} or ${DescribeAny<never, Rest>}`
