/** What has no parts, as JSON Schema: strings, numbers, booleans, null, and lists of literals. */
import { Kind } from "@sinclair/typebox"
import {
  boundsOf,
  describe,
  type LiteralShape,
  type NumberShape,
  patternsOf,
  type Scalar,
  type Shape,
  type StringShape,
} from "../../catalog/schema/shape.ts"
import type { Json, JsonObject } from "../../text/json.ts"

/** How much of JSON Schema a reader of schemas takes. */
export interface Dialect {
  readonly keywords: ReadonlySet<string>
  /** The most that `minItems` may be. */
  readonly minItemsMax?: number
  /** Patterns with nothing but characters, classes, groups and plain repetitions, anchored at both ends. */
  readonly simplePatterns?: boolean
}

/** All of JSON Schema 2020-12. */
export const whole: Dialect = {
  keywords: new Set([
    "const",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
  ]),
}

/** One schema for each type among them. Literals of one type become one list. */
export function scalarSchemas(shapes: readonly Shape[], dialect: Dialect): readonly JsonObject[] {
  const schemas: JsonObject[] = []
  const lists = new Map<string, Scalar[]>()
  for (const shape of shapes) {
    switch (shape[Kind]) {
      case "Null":
        schemas.push({ type: "null" })
        break
      case "Boolean":
        schemas.push({ type: "boolean" })
        break
      case "Literal":
        addLiteral(shape, lists)
        break
      case "String":
        schemas.push(stringSchema(shape, dialect))
        break
      case "Number":
      case "Integer":
        schemas.push(numberSchema(shape, dialect))
        break
      default:
        throw new TypeError(`no scalar: ${shape[Kind]}`)
    }
  }
  return [...schemas, ...[...lists].map(([type, values]) => listSchema(type, values, dialect))]
}

function addLiteral({ const: value }: LiteralShape, lists: Map<string, Scalar[]>): void {
  const type = typeof value
  const known = lists.get(type)
  if (known === undefined) lists.set(type, [value])
  else if (!known.includes(value)) known.push(value)
}

function listSchema(type: string, values: readonly Scalar[], { keywords }: Dialect): JsonObject {
  if (keywords.has("const")) return values.length === 1 ? { const: values[0] as Scalar } : { enum: values }
  // Lists of booleans are not taken everywhere.
  if (type === "boolean") return values.length === 2 ? { type } : { type, description: `always ${values[0]}` }
  return { type, enum: values }
}

type Said = readonly (readonly [keyword: string, value: Json | undefined])[]

/** What the reader takes as keywords, the rest in words: the compiler holds the plan to it in any case. */
function say(type: string, said: Said, shape: Shape, { keywords }: Dialect): JsonObject {
  const given = said.filter(([, value]) => value !== undefined) as readonly (readonly [string, Json])[]
  const taken = given.filter(([keyword]) => keywords.has(keyword))
  const words = taken.length < given.length && !keywords.has("const") ? { description: describe(shape) } : {}
  return { type, ...Object.fromEntries(taken), ...words }
}

function stringSchema(shape: StringShape, dialect: Dialect): JsonObject {
  const { minLength, maxLength, lengthIn, format } = shape
  // JSON Schema counts code points, of which a string of UTF-16 units may have half as many.
  const min = minLength === undefined || lengthIn === "code-points" ? minLength : Math.ceil(minLength / 2)
  const patterns = patternsOf(shape)
  // What a format asks is kilobytes at worst, and its name tells a model more.
  const longest = format === undefined ? Number.POSITIVE_INFINITY : formatPatternMax
  const sayable = patterns
    .filter((pattern) => pattern.source.length <= longest && isSayable(pattern, dialect))
    .map(({ source }) => source)
  const unsaid = sayable.length < patterns.length ? true : undefined
  const lengths: Said = [
    ["minLength", min === 0 ? undefined : min],
    ["maxLength", maxLength],
  ]
  const [pattern, ...more] = sayable
  const bare = say("string", [...lengths, ["pattern", pattern], ["unsaid pattern", unsaid]], shape, dialect)
  // In words, and not as `format`: some providers refuse a schema with one that they do not know.
  const schema = format === undefined ? bare : { ...bare, description: describeFormat(shape, format) }
  if (more.length === 0) return schema
  return dialect.simplePatterns
    ? { ...schema, description: describe(shape) }
    : { ...schema, allOf: more.map((source) => ({ pattern: source })) }
}

const formatPatternMax = 200

function describeFormat(shape: StringShape, format: string): string {
  const known = Object.hasOwn(examples, format) ? examples[format] : undefined
  const example = known?.find((text) => fits(text, shape))
  return example === undefined ? describe(shape) : `${describe(shape)}, as "${example}"`
}

/** Of formats that are often taken for another. By zod's options each comes in several ways. */
const examples: { readonly [format: string]: readonly string[] } = {
  date: ["2026-01-31"],
  "date-time": ["2026-01-31T09:30:00Z"],
  datetime: ["2026-01-31T09:30:00Z", "2026-01-31T09:30Z", "2026-01-31T09:30:00.000Z"],
  time: ["09:30:00Z", "09:30:00", "09:30", "09:30:00.000"],
  duration: ["P3DT12H"],
  email: ["ada@example.org"],
  uri: ["https://example.org/a"],
  url: ["https://example.org/a"],
}

const fits = (text: string, shape: StringShape): boolean =>
  text.length >= (shape.minLength ?? 0) &&
  text.length <= (shape.maxLength ?? text.length) &&
  patternsOf(shape).every(({ source, flags }) => new RegExp(source, flags).test(text))

interface Pattern {
  readonly source: string
  readonly flags: string
}

/**
 * JSON Schema's patterns have the flag `u` and no other. Without it a pattern sees the halves of a character beyond
 * U+FFFF: it means the same with it only if it can match neither them nor the whole.
 */
function isSayable({ source, flags }: Pattern, dialect: Dialect): boolean {
  if (flags !== "u" && (flags !== "" || /\.|\[\^|\\[DWSpP]/.test(source))) return false
  if (dialect.simplePatterns && !isSimple(source)) return false
  return isPattern(source)
}

/** Some patterns are none with the flag `u`. */
function isPattern(source: string): boolean {
  try {
    new RegExp(source, "u")
    return true
  } catch {
    return false
  }
}

/** No look-around, no back-reference, no `\b`, no long repetition: what all providers say they take. */
const isSimple = (source: string): boolean =>
  /^\^(?:[^\\(|]|\\[dws\-./]|\((?!\?)[^()]*\))*\$$/.test(source) && !/\{\d*,?\d{3,}\}|\\[^dws\-./]/.test(source)

function numberSchema(shape: NumberShape, dialect: Dialect): JsonObject {
  const { min, max, minOpen, maxOpen } = boundsOf(shape)
  const { multipleOf } = shape
  // Readers of plans hold no integer beyond the safe ones: that bound tells nobody anything.
  const low = min > Number.MIN_SAFE_INTEGER ? min : undefined
  const high = max < Number.MAX_SAFE_INTEGER ? max : undefined
  const integers = shape[Kind] === "Integer" && Number.isInteger(multipleOf)
  const said: Said = [
    [minOpen ? "exclusiveMinimum" : "minimum", low],
    [maxOpen ? "exclusiveMaximum" : "maximum", high],
    // Of fractions each reader rounds in its own way.
    [integers ? "multipleOf" : "multiple in words", multipleOf],
  ]
  return say(shape[Kind] === "Integer" ? "integer" : "number", said, shape, dialect)
}

/** The bounds of an array's length. */
export function countSchema(
  shape: { readonly minItems?: number; readonly maxItems?: number },
  { keywords, minItemsMax = Infinity }: Dialect,
): JsonObject {
  const { minItems = 0, maxItems } = shape
  const min = Math.min(minItems, minItemsMax)
  return {
    ...(min > 0 && keywords.has("minItems") ? { minItems: min } : {}),
    ...(maxItems !== undefined && keywords.has("maxItems") ? { maxItems } : {}),
  }
}
