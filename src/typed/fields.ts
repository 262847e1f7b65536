/**
 * What is read off a schema as it stands: its fields, and which of them are integers. To work out what all of it gives,
 * before a plan asks, costs more than all the rest of a catalog.
 */
import type { AnySchema, Infer } from "../catalog/schema/schema.ts"
import type { Member } from "./value.ts"

/** zod's objects. `Others` is what they take beside. */
interface Shaped<Shape, Others> {
  readonly _zod: { readonly def: { readonly shape: Shape }; readonly config: { readonly out: Others } }
}

/** The parameters that types see; any where they see none. */
export type NameIn<Params extends AnySchema> =
  Params extends Shaped<infer Shape, infer Others> ? NameOf<keyof Shape | keyof Others> : NameOf<KeyOf<Infer<Params>>>
type NameOf<Key> = [Key] extends [never] ? string : Key & string
type KeyOf<Value> = unknown extends Value ? string : Value extends object ? keyof Value : never

/** What one parameter may be. */
export type ValueIn<Params extends AnySchema, Name extends string> =
  Params extends Shaped<infer Shape, unknown>
    ? Name extends keyof Shape
      ? Shape[Name] extends infer Schema extends AnySchema
        ? Infer<Schema>
        : unknown
      : unknown
    : Member<Infer<Params>, Name>

/**
 * The places that hold integers, as `cents` or `lines/0/cents`: to the types of values they are numbers as any. Of zod's,
 * `z.int()`, `z.int32()` and `z.uint32()`: `z.number().int()` is a number to types. A name with `/` could be a path, and is
 * left to the compiler.
 */
export type IntegersOf<Params> =
  Params extends Shaped<infer Shape, unknown>
    ? IntegersIn<Shape, "">
    : Params extends { readonly type: "object"; readonly properties: infer Properties }
      ? IntegersIn<Properties, "">
      : never

type IntegersIn<Fields, Before extends string> = {
  [Name in keyof Fields & string]: Name extends `${string}/${string}`
    ? never
    : IntegersAt<Fields[Name], `${Before}${Name}`>
}[keyof Fields & string]

/** Schemas may hold themselves: nothing is read five deep. */
type IntegersAt<Schema, At extends string> = At extends `${string}/${string}/${string}/${string}/${string}`
  ? never
  : Schema extends { readonly _zod: { readonly def: infer Def } }
    ? Def extends { readonly format: "safeint" | "int32" | "uint32" }
      ? At
      : Def extends { readonly innerType: infer Inner }
        ? IntegersAt<Inner, At>
        : Def extends { readonly element: infer Item }
          ? IntegersAt<Item, `${At}/${Index}`>
          : Def extends { readonly shape: infer Shape }
            ? IntegersIn<Shape, `${At}/`>
            : Def extends { readonly valueType: infer Value }
              ? IntegersOfRecord<Value, At>
              : Def extends { readonly items: infer Items extends readonly unknown[] }
                ? IntegersOfTuple<Items, At>
                : Def extends { readonly options: readonly (infer Option)[] }
                  ? IntegersOfUnion<Option, At>
                  : never
    : Schema extends { readonly type: "integer" }
      ? At
      : Schema extends { readonly anyOf: readonly (infer Option)[] }
        ? IntegersOfEither<Exclude<Option, { readonly type: "null" }>, At>
        : Schema extends { readonly type: "array"; readonly items?: infer Item }
          ? Item extends readonly unknown[]
            ? IntegersOfTuple<Item, At>
            : IntegersAt<Item, `${At}/${Index}`>
          : Schema extends {
                readonly type: "object"
                readonly patternProperties: { readonly [_: string]: infer Value }
              }
            ? IntegersOfRecord<Value, At>
            : Schema extends { readonly type: "object"; readonly properties: infer Properties }
              ? IntegersIn<Properties, `${At}/`>
              : never

type IntegersOfTuple<Items extends readonly unknown[], At extends string> = {
  [I in keyof Items & `${number}`]: IntegersAt<Items[I], `${At}/${I}`>
}[keyof Items & `${number}`]

/** Any text may be a key, one with `/` too: only where the values themselves are integers is it sure what is meant. */
type IntegersOfRecord<Value, At extends string> = At extends IntegersAt<Value, At> ? `${At}/${string}` : never

/** What is one thing or null is that thing. */
type IntegersOfEither<Option, At extends string> =
  IsOne<Option> extends true ? IntegersAt<Option, At> : IntegersOfUnion<Option, At>

type IsOne<T, All = T> = T extends unknown ? ([All] extends [T] ? true : false) : never

/** A fraction is refused where some branch is of integers and none of any numbers. */
type IntegersOfUnion<Option, At extends string> = [NumberOf<Option>] extends ["whole"]
  ? [NumberOf<Option>] extends [never]
    ? never
    : At
  : never

type NumberOf<Option> = Option extends unknown
  ? "" extends IntegersAt<Option, "">
    ? "whole"
    : Option extends AnySchema
      ? [Extract<Infer<Option>, number>] extends [never]
        ? unknown extends Infer<Option>
          ? "any"
          : never
        : "any"
      : "any"
  : never

/** `*` is that of every item of an array that is of any length. */
type Index = bigint | "*"
