/** Secrets that are easily found again, every way to write one, and whether a text holds one in any of them. */
import type { Json } from "sequitur"

/** With what each way of writing must escape. */
export const apiKey = 'cnry-7Qx"9/é&k+Z<0\\w'
export const token = "tok_3fV9mR2sLq8ZtY6u"
/** A plan should hold none, and one that does must not be told of it. */
export const literal = "lit%Gx4?nB7=vC1 pW"

export const secrets = [apiKey, token, literal] as const

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const hexPairs = (secret: string): readonly string[] => Buffer.from(secret).toString("hex").match(/../g) ?? []

/** As mail has it. */
const inLines = (text: string, width: number, end: string): string =>
  (text.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join(end)

const long = "As it stands in a longer text, which is broken into lines wherever they are full"

/** As it comes back from systems that have seen it. */
export const everyWay = (secret: string): readonly string[] => [
  secret,
  JSON.stringify({ secret }),
  JSON.stringify(JSON.stringify({ secret })),
  `https://user:${encodeURIComponent(secret)}@example.test/?key=${encodeURIComponent(secret)}&again=${encodeURI(secret)}`,
  new URLSearchParams({ secret }).toString(),
  `Authorization: Basic ${base64(`user:${secret}`)}`,
  ...["", "a", "ab"].map((before) => base64(`${before}${secret}${before}`)),
  Buffer.from(`:${secret}`).toString("base64url"),
  Buffer.from(secret).toString("hex"),
  Buffer.from(secret).toString("hex").toUpperCase(),
  `X-KEY: ${secret.toUpperCase()}`,
  ...[76, 64].flatMap((width) =>
    ["\n", "\r\n"].flatMap((end) =>
      ["", "a", "ab"].map((before) => inLines(base64(`${before}${long}${secret}${long}`), width, end)),
    ),
  ),
  JSON.stringify({ mail: inLines(base64(`${long}${secret}`), 76, "\r\n") }),
  ...["", "a", "ab"].flatMap((before) =>
    ["", "a", "ab"].map((again) => base64(`${again}${base64(`${before}${secret}`)}`)),
  ),
  base64(inLines(base64(`${long}${secret}`), 64, "\n")),
  ...[":", " ", "-"].flatMap((sign) => [hexPairs(secret).join(sign), hexPairs(secret).join(sign).toUpperCase()]),
  hexPairs(secret)
    .map((pair) => `0x${pair}`)
    .join(", "),
  hexPairs(secret)
    .map((pair) => `\\x${pair}`)
    .join(""),
  JSON.stringify(
    secret.replaceAll("\\", "\\x5c").replaceAll("&", "\\x26").replaceAll("0", "\\x30").replaceAll("7", "\\u0037"),
  ),
  [...secret].map((character) => `&#${character.codePointAt(0)};`).join(""),
  [...secret].map((character) => `&#x${character.codePointAt(0)?.toString(16).toUpperCase()};`).join(""),
  hexPairs(secret)
    .map((pair) => `=${pair.toUpperCase()}`)
    .join(""),
  `${secret.slice(0, 5).replaceAll("=", "=3D")}=\r\n${secret.slice(5).replaceAll("=", "=3D")}`,
  `<b>${secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")}</b>`,
]

/** Undoes every way of writing, one inside another, and looks: it knows nothing of how they are hidden. */
export function holds(text: string, secret: string): boolean {
  const wanted = secret.toLowerCase()
  const traces = tracesOf(wanted)
  const seen = new Set<string>()
  const waiting = [{ one: text, depth: 0 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { one, depth } = next
    if (seen.has(one)) continue
    seen.add(one)
    if (one.toLowerCase().includes(wanted)) return true
    if (depth === 3) continue
    for (const undone of [
      ...undoEscapes(one),
      ...decode(one).filter((part) => hasTrace(part, traces) || /[\w+/-]{12}/.test(part)),
    ])
      waiting.push({ one: undone, depth: depth + 1 })
  }
  return false
}

/** Three letters or digits in a row stay what they are in each way of writing but base64 and hex. */
const tracesOf = (secret: string): readonly string[] =>
  [...secret].flatMap((_, at) => secret.slice(at, at + 3).match(/^[a-z0-9]{3}$/) ?? [])

const hasTrace = (text: string, traces: readonly string[]): boolean => {
  const lower = text.toLowerCase()
  return traces.some((trace) => lower.includes(trace))
}

const fromPercents = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString())

const undoEscapes = (text: string): readonly string[] =>
  [
    text.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    text.replace(/(?:\\x[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("\\x", ""), "hex").toString()),
    text.replace(/\\(["\\/])/g, "$1"),
    text.replace(/\\r|\\n/g, "\n"),
    fromPercents(text),
    fromPercents(text.replaceAll("+", " ")),
    text.replace(/&(quot|lt|gt|#39|amp);/g, (_, name: string) => entities[name] ?? ""),
    text.replace(/&#(\d{1,6});/g, (_, point: string) => String.fromCodePoint(Number(point))),
    text.replace(/&#x([0-9a-f]{1,5});/gi, (_, point: string) => String.fromCodePoint(Number.parseInt(point, 16))),
    fromPercents(text.replace(/=\r?\n/g, "").replace(/=(?=[0-9a-f]{2})/gi, "%")),
    text.replace(/(?<=[\w+/-]{20})\r?\n(?=[\w+/=-])/g, ""),
    text.replace(/(?<=\b(?:0x)?[0-9a-f]{2})(?:[-: ]|, )(?:0x)?(?=[0-9a-f]{2}\b)/gi, ""),
  ].filter((undone) => undone !== text)

/** Decoded by chance it has no word in it. */
const decode = (text: string): readonly string[] =>
  [
    ...(text.match(/[0-9a-f]{12,}/gi) ?? []).flatMap((hex) =>
      [hex, hex.slice(1)].map((one) => Buffer.from(one, "hex")),
    ),
    ...(text.match(/[\w+/-]{8,}/g) ?? []).flatMap((word) =>
      [0, 1, 2, 3].map((from) => Buffer.from(word.slice(from), "base64")),
    ),
  ].map(String)

const entities: Readonly<Record<string, string>> = { quot: '"', lt: "<", gt: ">", "#39": "'", amp: "&" }

export const json = (value: Json): string => JSON.stringify(value)
