/** The checks of a zod schema: what can be said in a shape, and what is left to its validator. */
import type { $ZodCheck, $ZodChecks, $ZodStringFormatChecks, $ZodType } from "zod/v4/core"
import { canonical } from "../../../text/canonical.ts"
import { child, type Pointer } from "../../../text/pointer.ts"
import { isPlainPattern } from "../pattern-cost.ts"
import { plain } from "../plain.ts"
import type { NumberRules, PatternRule, StringRules } from "../shape.ts"
import { aside, type Findings, noteFunction, notePattern } from "./findings.ts"

/** Checks that could not be said, as text, and the rules that could. */
export interface Checked<Rules> {
  readonly rules: Rules
  readonly left: readonly string[]
  /** No value passes. */
  readonly never: boolean
}

type Draft<Rules> = { -readonly [K in keyof Rules]: Rules[K] }

/** Says one check in the draft; false where that cannot be. */
type Take<Rules> = (check: Check, draft: Draft<Rules>) => boolean | "never"

type Check = $ZodChecks | $ZodStringFormatChecks

/** Lowers a schema nested in a check. */
type Lower = (schema: $ZodType, findings: Findings, at: Pointer) => unknown

/** A schema of a format (`z.email()`) is its own first check. */
export function checksOf(schema: $ZodType): readonly Check[] {
  const { traits, def } = schema._zod
  const own = traits.has("$ZodCheck") ? [schema as unknown as Check] : []
  return [...own, ...((def.checks ?? []) as unknown as readonly Check[])]
}

export function readChecks<Rules extends object>(
  checks: readonly Check[],
  take: Take<Rules>,
  findings: Findings,
  at: Pointer,
  lower: Lower,
): Checked<Rules> {
  const rules = {} as Draft<Rules>
  const left: string[] = []
  let never = false
  for (const check of checks) {
    noteOwnPatterns(check, findings, at)
    const taken = isUnconditional(check) && take(check, rules)
    if (taken === "never") never = true
    if (taken !== false) continue
    const what = leave(check, findings, at, lower)
    if (what !== undefined) left.push(what)
  }
  return { rules: rules as Rules, left, never }
}

/**
 * zod gives the checks of length a condition (`when`) of their own, and authors may give any check one. A check made
 * afresh by the same constructor tells the two apart.
 */
function isUnconditional(check: Check): boolean {
  const { when, ...def } = check._zod.def
  if (when === undefined) return true
  const { constr: Constructor } = check._zod as unknown as { constr: new (def: object) => $ZodCheck }
  return new Constructor(def)._zod.def.when === when
}

export const takeNone: Take<object> = () => false

export const takeString: Take<StringRules> = (check, draft) => {
  const { def } = check._zod
  switch (def.check) {
    case "min_length":
      return narrow(draft, def.minimum, undefined)
    case "max_length":
      return narrow(draft, undefined, def.maximum)
    case "length_equals":
      return narrow(draft, def.length, def.length)
    case "string_format":
      return takeFormat(check as $ZodStringFormatChecks, draft)
    default:
      return false
  }
}

function narrow(draft: Draft<StringRules>, min: number | undefined, max: number | undefined): boolean {
  if (!isCount(min ?? 0) || !isCount(max ?? 0)) return false
  if (min !== undefined) draft.minLength = Math.max(min, draft.minLength ?? 0)
  if (max !== undefined) draft.maxLength = Math.min(max, draft.maxLength ?? max)
  draft.lengthIn = "code-points"
  return true
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** Formats whose patterns zod itself writes, with the author's text in them, or never asks. */
const unasked: ReadonlySet<string> = new Set([
  "starts_with",
  "ends_with",
  "includes",
  "ipv6",
  "cidrv6",
  "base64",
  "base64url",
])

/** The regular expressions that zod will ask; only a shape can hold their texts to a length. */
function noteOwnPatterns(check: Check, findings: Findings, at: Pointer): void {
  const { def } = check._zod as unknown as { readonly def: FormatDef & { readonly check: string } }
  if (def.check !== "string_format" || unasked.has(def.format)) return
  for (const pattern of [def.pattern, def.hostname, def.protocol]) {
    if (!(pattern instanceof RegExp)) continue
    const rule = { source: pattern.source, flags: pattern.flags.replace("g", "") }
    const isShown = pattern === def.pattern && isUnconditional(check) && takeFormat(check as $ZodStringFormatChecks, {})
    notePattern(findings, rule, at, !isShown)
  }
}

/** The formats that zod judges by their pattern and nothing else. */
const patterned: ReadonlySet<string> = new Set([
  ...["regex", "lowercase", "uppercase", "email", "guid", "uuid", "nanoid", "cuid", "cuid2", "ulid", "xid", "ksuid"],
  ...["emoji", "datetime", "date", "time", "duration", "ipv4", "mac", "cidrv4", "e164"],
])

function takeFormat(check: $ZodStringFormatChecks, draft: Draft<StringRules>): boolean {
  const { def, traits } = check._zod as unknown as { readonly def: FormatDef; readonly traits?: ReadonlySet<string> }
  const isCustom = traits?.has("$ZodCustomStringFormat") === true
  if (def.format !== "regex") draft.format = def.format
  const pattern = patternOfFormat(def, isCustom)
  if (pattern !== undefined) draft.patterns = [...(draft.patterns ?? []), pattern]
  return pattern !== undefined
}

interface FormatDef {
  readonly format: string
  readonly pattern?: unknown
  readonly hostname?: unknown
  readonly protocol?: unknown
  readonly prefix?: string
  readonly suffix?: string
  readonly includes?: string
  readonly position?: number
}

function patternOfFormat(def: FormatDef, isCustom: boolean): PatternRule | undefined {
  switch (def.format) {
    case "starts_with":
      return { source: `^${escapePattern(def.prefix ?? "")}`, flags: "" }
    case "ends_with":
      return { source: `${escapePattern(def.suffix ?? "")}$`, flags: "" }
    case "includes":
      return def.position === undefined ? { source: escapePattern(def.includes ?? ""), flags: "" } : undefined
  }
  if (isCustom) {
    // zod does not wind such a pattern back: it would judge by what came before.
    const rule = readPattern(def.pattern)
    return rule !== undefined && !/[gy]/.test((def.pattern as RegExp).flags) ? rule : undefined
  }
  return patterned.has(def.format) ? readPattern(def.pattern) : undefined
}

/** A regular expression as data; undefined for one that was made to behave otherwise. */
export function readPattern(pattern: unknown): PatternRule | undefined {
  return isPlainPattern(pattern) ? { source: pattern.source, flags: pattern.flags.replace("g", "") } : undefined
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

export const takeNumber: Take<NumberRules & { integer?: boolean }> = (check, draft) => {
  const { def } = check._zod
  switch (def.check) {
    case "greater_than":
      return raise(draft, def.value, def.inclusive)
    case "less_than":
      return lower(draft, def.value, def.inclusive)
    case "multiple_of": {
      if (draft.multipleOf !== undefined || !Number.isFinite(def.value)) return false
      draft.multipleOf = def.value as number
      draft.multipleBy = "rounding"
      return true
    }
    case "number_format": {
      const range = formatRanges[def.format]
      if (range === undefined) return false
      if (def.format.includes("int")) draft.integer = true
      return raise(draft, range[0], true) && lower(draft, range[1], true)
    }
    default:
      return false
  }
}

type NumberDraft = Draft<NumberRules>

function raise(draft: NumberDraft, value: unknown, inclusive: boolean): boolean | "never" {
  if (typeof value !== "number") return false
  if (value === -Infinity) return true
  if (!Number.isFinite(value)) return "never"
  const key = inclusive ? "minimum" : "exclusiveMinimum"
  draft[key] = Math.max(value, draft[key] ?? value)
  return true
}

function lower(draft: NumberDraft, value: unknown, inclusive: boolean): boolean | "never" {
  if (typeof value !== "number") return false
  if (value === Infinity) return true
  if (!Number.isFinite(value)) return "never"
  const key = inclusive ? "maximum" : "exclusiveMaximum"
  draft[key] = Math.min(value, draft[key] ?? value)
  return true
}

/** zod's own (`NUMBER_FORMAT_RANGES`), but for that of every double. */
const formatRanges: { readonly [format: string]: readonly [min: number, max: number] } = {
  safeint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  int32: [-2_147_483_648, 2_147_483_647],
  uint32: [0, 4_294_967_295],
  float32: [-3.4028234663852886e38, 3.4028234663852886e38],
  float64: [-Infinity, Infinity],
}

export const takeArray: Take<{ minItems?: number; maxItems?: number }> = (check, draft) => {
  const { def } = check._zod
  const [min, max] =
    def.check === "min_length"
      ? [def.minimum, undefined]
      : def.check === "max_length"
        ? [undefined, def.maximum]
        : def.check === "length_equals"
          ? [def.length, def.length]
          : []
  if ((min ?? max) === undefined || !isCount(min ?? 0) || !isCount(max ?? 0)) return false
  if (min !== undefined) draft.minItems = Math.max(min, draft.minItems ?? 0)
  if (max !== undefined) draft.maxItems = Math.min(max, draft.maxItems ?? max)
  return true
}

/** A check that only zod can judge, as text for the shape; undefined where it was refused, or is no check. */
function leave(check: Check, findings: Findings, at: Pointer, lowerInner: Lower): string | undefined {
  const { def } = check._zod as unknown as { readonly def: OtherDef }
  if (def.when !== undefined && !isUnconditional(check)) noteFunction(def.when, findings, at, "`when`")
  switch (def.check) {
    case "describe":
    case "meta":
      return undefined
    case "overwrite":
      findings.faults.push({ kind: "transforms", at, what: nameOverwrite(def.tx) })
      return undefined
    case "custom":
      // `.refine()` keeps its function; that of `.check()` is the check; that of `.superRefine()` is out of sight.
      return def.fn === undefined
        ? noteFunction(check._zod.check, findings, at, "`.check()` or `.superRefine()`")
        : noteFunction(def.fn, findings, at, def.abort ? "`z.custom()`" : "`.refine()`")
    case "string_format": {
      if (def.normalize) findings.faults.push({ kind: "transforms", at, what: "`normalize` of `z.url()`" })
      const isFunction = def.fn !== undefined && def.pattern === undefined
      return isFunction ? noteFunction(def.fn, findings, at, "`z.stringFormat()`") : fingerprint(def)
    }
    case "property":
    case "properties": {
      const shape = def.shape ?? { [String(def.property)]: def.schema as $ZodType }
      // zod drops what these schemas give back: nothing is stripped, and so nothing closed.
      const inner = aside(findings, () =>
        Object.entries(shape).map(([key, schema]) => [key, lowerInner(schema, findings, child(at, key))]),
      )
      return `properties ${canonical(plain(Object.fromEntries(inner)))}`
    }
    default:
      return fingerprint(def)
  }
}

interface OtherDef {
  readonly check: string
  readonly when?: unknown
  readonly fn?: unknown
  readonly tx?: unknown
  readonly abort?: boolean
  readonly normalize?: boolean
  readonly pattern?: unknown
  readonly shape?: { readonly [key: string]: $ZodType }
  readonly property?: PropertyKey
  readonly schema?: $ZodType
}

/** zod keeps the function, not the method's name; the function's text gives it away. */
function nameOverwrite(tx: unknown): string {
  const method = /\.(trim|toLowerCase|toUpperCase|normalize|slugify)\(/.exec(Function.prototype.toString.call(tx))?.[1]
  return `\`.${method ?? "overwrite"}()\``
}

/** What there is to see of a definition: no functions, no messages, no schemas. */
const fingerprint = (def: object): string =>
  JSON.stringify(def, (key, value: unknown) => {
    if (key === "error" || key === "checks" || typeof value === "function") return undefined
    if (value instanceof RegExp) return String(value)
    if (typeof value === "bigint") return `${value}n`
    return typeof value === "object" && value !== null && "_zod" in value ? undefined : value
  })
