/** What a zod schema asks of a value through the schemas in it: for the count of a validator's work. */
import type { $ZodType, $ZodTypes } from "zod/v4/core"
import { isObject, type Json, type JsonObject } from "../../../text/json.ts"
import type { Ask } from "../work.ts"

type Asked = readonly [schema: $ZodType, value: Json]
type Def = $ZodTypes["_zod"]["def"]
type DefOf<Type extends Def["type"]> = Extract<Def, { readonly type: Type }>

/** zod looks at all that is there: it does not stop at what is wrong, and only a discriminator tells alternatives apart. */
export const askZod: Ask<$ZodType> = function* (schema, value) {
  const def = schema._zod.def as Def
  for (const one of schemasOfChecks(def))
    if (isObject(value)) yield* Object.values(value).map((inner): Asked => [one, inner])
  switch (def.type) {
    case "union":
      for (const option of optionsFor(def, value)) yield [option, value]
      return
    case "intersection":
      yield [def.left, value]
      yield [def.right, value]
      return
    case "lazy":
      yield [(schema._zod as unknown as { readonly innerType: $ZodType }).innerType, value]
      return
    case "array":
      if (Array.isArray(value)) for (const item of value) yield [def.element, item]
      return
    case "tuple":
      if (Array.isArray(value)) yield* ofTuple(def, value)
      return
    case "object":
      if (isObject(value)) yield* ofObject(def, value)
      return
    case "record":
      if (!isObject(value)) return
      for (const [key, inner] of Object.entries(value)) {
        yield [def.keyType, key]
        yield [def.valueType, inner]
      }
      return
    default:
      if ("innerType" in def) yield [def.innerType as $ZodType, value]
  }
}

/** Those of `z.property()`. */
function* schemasOfChecks(def: Def): Iterable<$ZodType> {
  for (const check of def.checks ?? []) {
    const { schema, shape = {} } = check._zod.def as { readonly schema?: $ZodType; readonly shape?: object }
    if (schema !== undefined) yield schema
    yield* Object.values(shape) as $ZodType[]
  }
}

function optionsFor(def: DefOf<"union">, value: Json): readonly $ZodType[] {
  if (!("discriminator" in def) || ("unionFallback" in def && def.unionFallback === true)) return def.options
  const key = String(def.discriminator)
  const tag = isObject(value) ? value[key] : undefined
  return def.options.filter((option) => {
    const values = option._zod.propValues?.[key]
    return values === undefined || values.has(tag as string)
  })
}

function* ofTuple(def: DefOf<"tuple">, items: readonly Json[]): Iterable<Asked> {
  for (const [index, item] of items.entries()) {
    const own = def.items[index] ?? def.rest
    if (own) yield [own, item]
  }
}

function* ofObject({ shape, catchall }: DefOf<"object">, value: JsonObject): Iterable<Asked> {
  for (const [key, inner] of Object.entries(value)) {
    const own = Object.hasOwn(shape, key) ? shape[key] : catchall
    if (own !== undefined) yield [own, inner]
  }
}
