/**
 * All that zod offers: each name it exports and each method of its schemas is lowered exactly, left to zod in part, or
 * refused by name. The tables are held against what is there, so that a new zod fails here until it is judged.
 */
import { defineCatalog, named, tool } from "sequitur"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { accepts } from "../../src/catalog/schema/accept.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import type { Json } from "../../src/text/json.ts"

/** `exact`, `opaque` (zod judges more than the shape says), or the code and what is named of what is refused. */
type Judgement = "exact" | "opaque" | `SEQ80${2 | 4 | 5} ${string}`
type Table = { readonly [name: string]: readonly [is: Judgement, schema: unknown] }

const yes = named("yes", "1", () => true)
const sized = (check: unknown) => z.set(z.string()).check(check as never)
const object = z.object({ a: z.string(), b: z.int().optional() })
const tagged = z.discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })])

const constructors: Table = {
  _default: ["SEQ802 `.default()`", z._default(z.string(), "a")],
  _function: ["SEQ804 `z.function()`", z._function()],
  any: ["exact", z.any()],
  array: ["exact", z.array(z.int())],
  base64: ["opaque", z.base64()],
  base64url: ["opaque", z.base64url()],
  bigint: ["SEQ804 `z.bigint()`", z.bigint()],
  boolean: ["exact", z.boolean()],
  catch: ["SEQ802 `.catch()`", z.catch(z.string(), "a")],
  cidrv4: ["exact", z.cidrv4()],
  cidrv6: ["opaque", z.cidrv6()],
  codec: ["SEQ802 `z.codec()`", z.codec(z.string(), z.number(), { decode: Number, encode: String })],
  creditCard: ["opaque", z.creditCard()],
  cuid: ["exact", z.cuid()],
  cuid2: ["exact", z.cuid2()],
  currencyCode: ["exact", z.currencyCode()],
  custom: ["opaque", z.custom(yes)],
  date: ["SEQ804 `z.date()`", z.date()],
  discriminatedUnion: ["exact", tagged],
  e164: ["exact", z.e164()],
  email: ["exact", z.email()],
  emoji: ["exact", z.emoji()],
  enum: ["exact", z.enum(["a", "b"])],
  exactOptional: ["exact", z.object({ a: z.exactOptional(z.string()) })],
  file: ["SEQ804 `z.file()`", z.file()],
  float32: ["exact", z.float32()],
  float64: ["exact", z.float64()],
  function: ["SEQ804 `z.function()`", z.function()],
  guid: ["exact", z.guid()],
  hash: ["exact", z.hash("sha256")],
  hex: ["exact", z.hex()],
  hostname: ["exact", z.hostname()],
  httpUrl: ["opaque", z.httpUrl()],
  iban: ["opaque", z.iban()],
  instanceof: ["SEQ805 `z.custom()`", z.instanceof(Date)],
  int: ["exact", z.int()],
  int32: ["exact", z.int32()],
  int64: ["SEQ804 `z.bigint()`", z.int64()],
  intersection: ["exact", z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }))],
  ipv4: ["exact", z.ipv4()],
  ipv6: ["opaque", z.ipv6()],
  json: ["opaque", z.json()],
  jwt: ["opaque", z.jwt()],
  keyof: ["exact", z.keyof(object)],
  ksuid: ["exact", z.ksuid()],
  lazy: ["exact", z.lazy(() => z.string())],
  literal: ["exact", z.literal(["a", 1, null])],
  looseObject: ["exact", z.looseObject({ a: z.string() })],
  looseRecord: ["opaque", z.looseRecord(z.string().regex(/^a/), z.int())],
  mac: ["exact", z.mac()],
  map: ["SEQ804 `z.map()`", z.map(z.string(), z.string())],
  nan: ["SEQ804 `z.nan()`", z.nan()],
  nanoid: ["exact", z.nanoid()],
  nativeEnum: ["exact", z.nativeEnum({ A: "a", One: 1 })],
  never: ["exact", z.never()],
  nonoptional: ["exact", z.object({ a: z.nonoptional(z.string().optional()) })],
  null: ["exact", z.null()],
  nullable: ["exact", z.nullable(z.string())],
  nullish: ["exact", z.object({ a: z.nullish(z.string()) })],
  number: ["exact", z.number()],
  object: ["exact", object],
  optional: ["exact", z.object({ a: z.optional(z.string()) })],
  partialRecord: ["exact", z.partialRecord(z.enum(["a", "b"]), z.int())],
  pipe: ["SEQ802 `.pipe()`", z.pipe(z.string(), z.string())],
  prefault: ["SEQ802 `.prefault()`", z.prefault(z.string(), "a")],
  preprocess: ["SEQ802 `z.preprocess()`", z.preprocess((value) => value, z.string())],
  promise: ["SEQ804 `z.promise()`", z.promise(z.string())],
  readonly: ["exact", z.readonly(z.array(z.int()))],
  record: ["exact", z.record(z.string(), z.int())],
  set: ["SEQ804 `z.set()`", z.set(z.string())],
  strictObject: ["exact", z.strictObject({ a: z.string() })],
  string: ["exact", z.string()],
  stringFormat: ["exact", z.stringFormat("v", /^v\d/)],
  stringbool: ["SEQ802 `z.codec()`", z.stringbool()],
  success: ["SEQ802 `z.success()`", z.success(z.string())],
  symbol: ["SEQ804 `z.symbol()`", z.symbol()],
  templateLiteral: ["exact", z.templateLiteral(["id-", z.int()])],
  transform: ["SEQ802 `z.transform()`", z.transform((value) => value)],
  tuple: ["exact", z.tuple([z.string(), z.int()])],
  uint32: ["exact", z.uint32()],
  uint64: ["SEQ804 `z.bigint()`", z.uint64()],
  ulid: ["exact", z.ulid()],
  undefined: ["SEQ804 `z.undefined()`", z.undefined()],
  union: ["exact", z.union([z.string(), z.int()])],
  unknown: ["exact", z.unknown()],
  url: ["opaque", z.url()],
  uuid: ["exact", z.uuid()],
  uuidv4: ["exact", z.uuidv4()],
  uuidv6: ["exact", z.uuidv6()],
  uuidv7: ["exact", z.uuidv7()],
  void: ["SEQ804 `z.void()`", z.void()],
  xid: ["exact", z.xid()],
  xor: ["opaque", z.xor([z.string(), z.int()])],
}

const checks: Table = {
  check: ["opaque", z.string().check(z.check(named("short", "1", () => undefined)))],
  describe: ["exact", z.string().check(z.describe("words"))],
  endsWith: ["exact", z.string().check(z.endsWith("a"))],
  gt: ["exact", z.number().check(z.gt(1))],
  gte: ["exact", z.number().check(z.gte(1))],
  includes: ["exact", z.string().check(z.includes("a"))],
  length: ["exact", z.string().check(z.length(1))],
  lowercase: ["exact", z.string().check(z.lowercase())],
  lt: ["exact", z.number().check(z.lt(1))],
  lte: ["exact", z.number().check(z.lte(1))],
  maxLength: ["exact", z.string().check(z.maxLength(1))],
  maxSize: ["SEQ804 `z.set()`", sized(z.maxSize(1))],
  meta: ["exact", z.string().check(z.meta({ title: "words" }))],
  mime: ["SEQ804 `z.file()`", z.file().check(z.mime(["image/png"]))],
  minLength: ["exact", z.string().check(z.minLength(1))],
  minSize: ["SEQ804 `z.set()`", sized(z.minSize(1))],
  multipleOf: ["exact", z.number().check(z.multipleOf(2))],
  negative: ["exact", z.number().check(z.negative())],
  nonnegative: ["exact", z.number().check(z.nonnegative())],
  nonpositive: ["exact", z.number().check(z.nonpositive())],
  normalize: ["SEQ802 `.normalize()`", z.string().check(z.normalize())],
  overwrite: ["SEQ802 `.overwrite()`", z.string().check(z.overwrite((text) => text))],
  positive: ["exact", z.number().check(z.positive())],
  properties: ["opaque", z.looseObject({}).check(z.properties({ a: z.string() }) as never)],
  property: ["opaque", z.string().check(z.property("length", z.literal(1)))],
  refine: ["opaque", z.string().check(z.refine(yes))],
  regex: ["exact", z.string().check(z.regex(/a/))],
  size: ["SEQ804 `z.set()`", sized(z.size(1))],
  slugify: ["SEQ802 `.slugify()`", z.string().check(z.slugify())],
  startsWith: ["exact", z.string().check(z.startsWith("a"))],
  superRefine: ["SEQ805 `.check()` or `.superRefine()`", z.string().check(z.superRefine(() => undefined))],
  toLowerCase: ["SEQ802 `.toLowerCase()`", z.string().check(z.toLowerCase())],
  toUpperCase: ["SEQ802 `.toUpperCase()`", z.string().check(z.toUpperCase())],
  trim: ["SEQ802 `.trim()`", z.string().check(z.trim())],
  uppercase: ["exact", z.string().check(z.uppercase())],
}

/** Namespaces with constructors of their own. */
const iso: Table = {
  date: ["exact", z.iso.date()],
  datetime: ["exact", z.iso.datetime()],
  duration: ["exact", z.iso.duration()],
  time: ["exact", z.iso.time()],
}

const coerce: Table = {
  bigint: ["SEQ802 `z.coerce.bigint()`", z.coerce.bigint()],
  boolean: ["SEQ802 `z.coerce.boolean()`", z.coerce.boolean()],
  date: ["SEQ802 `z.coerce.date()`", z.coerce.date()],
  number: ["SEQ802 `z.coerce.number()`", z.coerce.number()],
  string: ["SEQ802 `z.coerce.string()`", z.coerce.string()],
}

/** Exports that make no schema and no check, or make schemas that are built of the others. */
const others: readonly string[] = words(`
  $brand $input $output INVALID NEVER TimePrecision ZodFirstPartyTypeKind ZodIssueCode
  ZodCompileAsyncError ZodCompileUnsupportedError ZodError ZodRealError
  clone compile config core decode decodeAsync deepPartial encode encodeAsync flattenError formatError fromJSONSchema
  getDiscriminatedOption getErrorMap globalRegistry input invertCodec iso coerce locales memoizer output parse parseAsync
  prettifyError regexes registry safeDecode safeDecodeAsync safeEncode safeEncodeAsync safeParse safeParseAsync
  setErrorMap toJSONSchema toZod treeifyError util validate validateAsync withParser
`)

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

const classes: readonly string[] = words(`
  ZodAny ZodArray ZodBase64 ZodBase64URL ZodBigInt ZodBigIntFormat ZodBoolean ZodCIDRv4 ZodCIDRv6 ZodCUID ZodCUID2
  ZodCatch ZodCodec ZodCreditCard ZodCustom ZodCustomStringFormat ZodDate ZodDefault ZodDiscriminatedUnion ZodE164
  ZodEmail ZodEmoji ZodEnum ZodExactOptional ZodFile ZodFunction ZodGUID ZodIBAN ZodIPv4 ZodIPv6 ZodISODate
  ZodISODateTime ZodISODuration ZodISOTime ZodInstanceOf ZodIntersection ZodJWT ZodKSUID ZodLazy ZodLiteral ZodMAC
  ZodMap ZodNaN ZodNanoID ZodNever ZodNonOptional ZodNull ZodNullable ZodNumber ZodNumberFormat ZodObject ZodOptional
  ZodPipe ZodPrefault ZodPreprocess ZodPromise ZodReadonly ZodRecord ZodSet ZodString ZodStringFormat ZodSuccess
  ZodSymbol ZodTemplateLiteral ZodTransform ZodTuple ZodType ZodULID ZodURL ZodUUID ZodUndefined ZodUnion ZodUnknown
  ZodVoid ZodXID ZodXor _ZodString
`)

const text = z.string()
const number = z.number()
const list = z.array(z.int())

const methods: Table = {
  // Of all schemas.
  and: ["exact", z.object({ a: text }).and(z.object({ b: text }))],
  apply: ["exact", text.apply((schema) => schema.min(1))],
  array: ["exact", text.array()],
  brand: ["exact", text.brand("x")],
  catch: ["SEQ802 `.catch()`", text.catch("a")],
  check: ["SEQ805 `.check()` or `.superRefine()`", text.check(() => undefined)],
  default: ["SEQ802 `.default()`", text.default("a")],
  describe: ["exact", text.describe("words")],
  exactOptional: ["exact", z.object({ a: text.exactOptional() })],
  meta: ["exact", text.meta({ title: "words" })],
  nonoptional: ["exact", z.object({ a: text.optional().nonoptional() })],
  nullable: ["exact", text.nullable()],
  nullish: ["exact", z.object({ a: text.nullish() })],
  optional: ["exact", z.object({ a: text.optional() })],
  or: ["exact", text.or(z.int())],
  overwrite: ["SEQ802 `.overwrite()`", text.overwrite((value) => value)],
  pipe: ["SEQ802 `.pipe()`", text.pipe(text)],
  prefault: ["SEQ802 `.prefault()`", text.prefault("a")],
  readonly: ["exact", list.readonly()],
  refine: ["opaque", text.refine(yes)],
  superRefine: ["SEQ805 `.check()` or `.superRefine()`", text.superRefine(() => undefined)],
  transform: ["SEQ802 `.transform()`", text.transform((value) => value)],
  with: ["exact", text.with(z.minLength(1))],
  // Of strings.
  base64: ["opaque", text.base64()],
  base64url: ["opaque", text.base64url()],
  cidrv4: ["exact", text.cidrv4()],
  cidrv6: ["opaque", text.cidrv6()],
  cuid: ["exact", text.cuid()],
  cuid2: ["exact", text.cuid2()],
  date: ["exact", text.date()],
  datetime: ["exact", text.datetime()],
  duration: ["exact", text.duration()],
  e164: ["exact", text.e164()],
  email: ["exact", text.email()],
  emoji: ["exact", text.emoji()],
  endsWith: ["exact", text.endsWith("a")],
  guid: ["exact", text.guid()],
  includes: ["exact", text.includes("a")],
  ipv4: ["exact", text.ipv4()],
  ipv6: ["opaque", text.ipv6()],
  jwt: ["opaque", text.jwt()],
  ksuid: ["exact", text.ksuid()],
  length: ["exact", text.length(1)],
  lowercase: ["exact", text.lowercase()],
  max: ["exact", text.max(1)],
  min: ["exact", text.min(1)],
  nanoid: ["exact", text.nanoid()],
  nonempty: ["exact", text.nonempty()],
  normalize: ["SEQ802 `.normalize()`", text.normalize()],
  regex: ["exact", text.regex(/a/)],
  slugify: ["SEQ802 `.slugify()`", text.slugify()],
  startsWith: ["exact", text.startsWith("a")],
  time: ["exact", text.time()],
  toLowerCase: ["SEQ802 `.toLowerCase()`", text.toLowerCase()],
  toUpperCase: ["SEQ802 `.toUpperCase()`", text.toUpperCase()],
  trim: ["SEQ802 `.trim()`", text.trim()],
  ulid: ["exact", text.ulid()],
  uppercase: ["exact", text.uppercase()],
  url: ["opaque", text.url()],
  uuid: ["exact", text.uuid()],
  uuidv4: ["exact", text.uuidv4()],
  uuidv6: ["exact", text.uuidv6()],
  uuidv7: ["exact", text.uuidv7()],
  xid: ["exact", text.xid()],
  // Of numbers.
  finite: ["exact", number.finite()],
  gt: ["exact", number.gt(1)],
  gte: ["exact", number.gte(1)],
  int: ["exact", number.int()],
  lt: ["exact", number.lt(1)],
  lte: ["exact", number.lte(1)],
  multipleOf: ["exact", number.multipleOf(2)],
  negative: ["exact", number.negative()],
  nonnegative: ["exact", number.nonnegative()],
  nonpositive: ["exact", number.nonpositive()],
  positive: ["exact", number.positive()],
  safe: ["exact", number.safe()],
  step: ["exact", number.step(2)],
  // Of objects.
  catchall: ["exact", object.catchall(z.int())],
  exactPartial: ["exact", object.exactPartial()],
  extend: ["exact", object.extend({ c: text })],
  keyof: ["exact", object.keyof()],
  loose: ["exact", object.loose()],
  merge: ["exact", object.merge(z.object({ c: text }))],
  omit: ["exact", object.omit({ a: true })],
  partial: ["exact", object.partial()],
  passthrough: ["exact", object.passthrough()],
  pick: ["exact", object.pick({ a: true })],
  required: ["exact", object.required()],
  safeExtend: ["exact", object.safeExtend({ c: text })],
  strict: ["exact", object.strict()],
  strip: ["exact", object.strip()],
  // Of tuples, enums, and what holds one other schema.
  exclude: ["exact", z.enum(["a", "b"]).exclude(["a"])],
  extract: ["exact", z.enum(["a", "b"]).extract(["a"])],
  rest: ["exact", z.tuple([text]).rest(z.int())],
  unwrap: ["exact", text.nullable().unwrap()],
  // Of what is no JSON.
  maxSize: ["SEQ804 `z.set()`", z.set(text).max(1)],
  mime: ["SEQ804 `z.file()`", z.file().mime("image/png")],
  minSize: ["SEQ804 `z.set()`", z.set(text).min(1)],
  size: ["SEQ804 `z.set()`", z.set(text).size(1)],
}

/** Members that ask, tell, copy, or lead back to a part. */
const asking: readonly string[] = words(`
  ~standard _def _zod constructor def type description isNullable isOptional clone register spa toJSONSchema
  decode decodeAsync encode encodeAsync parse parseAsync safeDecode safeDecodeAsync safeEncode safeEncodeAsync safeParse
  safeParseAsync validate validateAsync
  format isFinite isInt maxValue minValue maxDate minDate maxLength minLength
  element shape options enum value values keyType valueType in out input output properties
  implement implementAsync removeCatch removeDefault
`)

const pool: readonly Json[] = [
  ...[null, true, 0, 1, -1, 2, 2.5, "", "a", "b", "A", "ab", "v1", "id-7", "EUR", "a.b", "2024-02-29", "12:00:00"],
  ...[[], [1], ["a"], ["a", 1], [1, 2], {}, { a: "x" }, { a: 1 }, { a: null }, { a: "x", b: 1 }, { a: "x", b: "y" }],
  ...[{ a: "x", c: "y" }, { kind: "a" }, { kind: "c" }, { length: 1 }, "😀", "abc@example.com", "127.0.0.1", "::1"],
]

const tables = { constructors, checks, iso, coerce, methods }

describe.each(Object.entries(tables))("%s", (_, table) => {
  it.each(Object.entries(table))("%s", (_, [is, schema]) => {
    const { diagnostics } = defineCatalog({
      name: "zod",
      version: "1",
      tools: { look: tool({ description: "Look.", effect: "read", params: schema as z.ZodType }) },
    })
    // That the arguments of a call are an object is asked elsewhere.
    const faults = diagnostics.filter(
      ({ code, severity, message }) =>
        severity === "error" && /^SEQ80[2-5]/.test(code) && !message.includes("is no object, as the arguments"),
    )
    const lowered = lowerSchema(schema, "result")
    if (is !== "exact" && is !== "opaque") {
      expect(lowered.ok).toBe(false)
      const [code = "", ...named] = is.split(" ")
      expect(faults.map((fault) => `${fault.code} ${fault.message}`).join("\n")).toContain(code)
      expect(faults.map(({ message }) => message).join("\n")).toContain(named.join(" "))
      return
    }
    expect(faults).toEqual([])
    if (!lowered.ok) throw new Error(JSON.stringify(lowered.faults))
    const { shape, exact, judge } = lowered.schema
    expect(exact).toBe(is === "exact")
    for (const value of pool) {
      const right = judge(value).length === 0
      if (is === "exact" || right) expect({ value, right: accepts(shape, value) }).toEqual({ value, right })
    }
  })
})

describe("nothing of zod's is left out", () => {
  const difference = (one: Iterable<string>, other: Iterable<string>): readonly string[] => {
    const known = new Set(other)
    return [...new Set(one)].filter((name) => !known.has(name)).sort()
  }

  it("exports", () => {
    const judged = [...Object.keys(constructors), ...Object.keys(checks), ...others, ...classes]
    expect(difference(Object.keys(z), judged), "new to zod: judge them").toEqual([])
    expect(difference(judged, Object.keys(z)), "gone from zod").toEqual([])
  })

  it("names under `z.iso` and `z.coerce`", () => {
    const made = (space: object): readonly string[] => Object.keys(space).filter((name) => !name.startsWith("Zod"))
    expect(made(z.iso).toSorted()).toEqual(Object.keys(iso))
    expect(made(z.coerce).toSorted()).toEqual(Object.keys(coerce))
  })

  it("methods, of a schema from each constructor", () => {
    const found = Object.values(constructors).flatMap(([, schema]) => membersOf(schema as object))
    const judged = [...Object.keys(methods), ...asking]
    expect(difference(found, judged), "new to zod: judge them").toEqual([])
  })
})

function membersOf(schema: object): readonly string[] {
  const names: string[] = []
  for (let here = schema; here !== null && here !== Object.prototype; here = Object.getPrototypeOf(here))
    names.push(...Object.getOwnPropertyNames(here))
  return names
}
