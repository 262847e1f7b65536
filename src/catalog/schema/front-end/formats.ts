/**
 * The formats of JSON Schema and TypeBox that are judged: a fixed list, and beside it what a catalog declares. No import
 * can change either. zod's own string formats are zod's.
 */
import type { Pointer } from "../../../text/pointer.ts"
import type { PatternRule } from "../shape.ts"
import { quote } from "../show.ts"
import type { Findings } from "./findings.ts"

/** What a format asks of a string or of a number; one that asks nothing is a note. */
export interface Format {
  readonly pattern?: string
  /** Those of the pattern, where they are others than `u`. */
  readonly flags?: string
  /** A function of the host's. */
  readonly right?: (text: string) => boolean
  /** One that a catalog declares: what it asks, as text to be hashed. */
  readonly own?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** By name. */
export type Formats = ReadonlyMap<string, Format>

export const patternOf = ({ pattern, flags = "u" }: Format): PatternRule | undefined =>
  pattern === undefined ? undefined : { source: pattern, flags }

/** What it asks of a string; undefined where it asks nothing. */
export function askOf(format: Format): ((text: string) => boolean) | undefined {
  const rule = patternOf(format)
  if (rule === undefined) return format.right
  const pattern = new RegExp(rule.source, rule.flags)
  return (text) => pattern.test(text)
}

/** The format that a schema names. Undefined after noting a fault: a format that is not known is never a note. */
export function findFormat(name: string, findings: Findings, at: Pointer): Format | undefined {
  const format = findings.formats.get(name)
  if (format === undefined) {
    const problem = "is not known"
    const remedy = "Declare it in the catalog's `formats`, or take it out of the schema."
    findings.faults.push({ kind: "unsupported", at, what: `the format ${quote(name)}`, problem, remedy })
  } else if (format.own !== undefined) findings.functions.add(`format ${name}: ${format.own}`)
  return format
}

const hour = "(?:[01]\\d|2[0-3])"
const minute = "[0-5]\\d"
const leapYear = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
const date = `(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|${leapYear}-02-29)`
/** RFC 3339. A leap second may be told in UTC only. */
const time = `(?:${hour}:${minute}:${minute}(?:\\.\\d+)?(?:[Zz]|[+-]${hour}:${minute})|23:59:60(?:\\.\\d+)?(?:[Zz]|[+-]00:00))`

const byte = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"
const ipv4 = `${byte}(?:\\.${byte}){3}`
const group = "[0-9A-Fa-f]{1,4}"
/** The last 32 bits. */
const low = `(?:${group}:${group}|${ipv4})`
/** RFC 3986, by how many groups stand before the double colon. */
const ipv6 = `(?:${[
  `(?:${group}:){6}${low}`,
  `::(?:${group}:){5}${low}`,
  `(?:${group})?::(?:${group}:){4}${low}`,
  `(?:(?:${group}:){0,1}${group})?::(?:${group}:){3}${low}`,
  `(?:(?:${group}:){0,2}${group})?::(?:${group}:){2}${low}`,
  `(?:(?:${group}:){0,3}${group})?::${group}:${low}`,
  `(?:(?:${group}:){0,4}${group})?::${low}`,
  `(?:(?:${group}:){0,5}${group})?::${group}`,
  `(?:(?:${group}:){0,6}${group})?::`,
].join("|")})`

const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
const hostname = `(?!.{254})${label}(?:\\.${label})*`
const mailbox = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"

const escaped = "%[0-9A-Fa-f]{2}"
const unreserved = "\\-A-Za-z0-9._~!$&'()*+,;="
const segment = `(?:[${unreserved}:@]|${escaped})`
const ending = `(?:\\?(?:[${unreserved}:@/?]|${escaped})*)?(?:#(?:[${unreserved}:@/?]|${escaped})*)?`
const host = `(?:\\[(?:${ipv6}|[Vv][0-9A-Fa-f]+\\.[${unreserved}:]+)\\]|(?:[${unreserved}]|${escaped})*)`
/** A user's name may hold what a port may not: what stands before the last `@` is told by looking ahead. */
const authority = `(?:(?:[${unreserved}:]|${escaped})*@)?${host}(?::\\d*)?`
const absolute = `(?:/(?:${segment}+(?:/${segment}*)*)?|${segment}+(?:/${segment}*)*|)`
const uri = `[A-Za-z][A-Za-z0-9+.-]*:(?://${authority}(?:/${segment}*)*|${absolute})${ending}`
/** The first segment of a relative path has no colon. */
const first = `(?:[${unreserved}@]|${escaped})`
const relative = `(?://${authority}(?:/${segment}*)*|/(?:${segment}+(?:/${segment}*)*)?|${first}+(?:/${segment}*)*|)${ending}`

const inTemplate = `[^\\x00-\\x20\\x7f"%<>\\\\^\`{|}]`
const variable = `(?:[A-Za-z0-9_]|${escaped})+(?:\\.(?:[A-Za-z0-9_]|${escaped})+)*(?::[1-9]\\d{0,3}|\\*)?`
const template = `(?:${inTemplate}|${escaped}|\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\})*`

const pointer = "(?:/(?:[^~/]|~[01])*)*"
const ofTime = "(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)"
const ofDate = "(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)"

const whole = (pattern: string): Format => ({ pattern: `^(?:${pattern})$` })
const note: Format = {}

/** The standard's own that a pattern can say, and those of OpenAPI. The others (`regex`, `iri`, `idn-email`, …) are refused. */
export const formats: Formats = new Map(
  Object.entries({
    date: whole(date),
    time: whole(time),
    "date-time": whole(`${date}[Tt]${time}`),
    duration: whole(`P(?:\\d+W|${ofDate}(?:T${ofTime})?|T${ofTime})`),
    email: whole(`(?=.{1,64}@)${mailbox}@(?:${hostname}|\\[(?:${ipv4}|IPv6:${ipv6})\\])`),
    hostname: whole(hostname),
    ipv4: whole(ipv4),
    ipv6: whole(ipv6),
    uri: whole(uri),
    url: whole(uri),
    "uri-reference": whole(`${uri}|${relative}`),
    "uri-template": whole(template),
    uuid: whole("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
    "json-pointer": whole(pointer),
    "relative-json-pointer": whole(`(?:0|[1-9]\\d*)(?:#|${pointer})`),
    byte: whole("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"),
    int32: { minimum: -2_147_483_648, maximum: 2_147_483_647 },
    uint32: { minimum: 0, maximum: 4_294_967_295 },
    // A number of JSON is one of these anyway, or is not held by a double.
    int64: note,
    uint64: { minimum: 0 },
    float: note,
    double: note,
    binary: note,
    password: note,
  }),
)
