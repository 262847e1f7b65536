/** Secrets that are easily found again, every way to write one, and whether a text holds one in any of them. */
import type { Json } from "sequitur"

/** With what each way of writing must escape. */
export const apiKey = 'cnry-7Qx"9/é&k+Z<0\\w'
export const token = "tok_3fV9mR2sLq8ZtY6u"
/** A plan should hold none, and one that does must not be told of it. */
export const literal = "lit%Gx4?nB7=vC1 pW"

export const secrets = [apiKey, token, literal] as const

const base64 = (text: string): string => Buffer.from(text).toString("base64")

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
    for (const undone of [...undoEscapes(one), ...decode(one).filter((part) => hasTrace(part, traces))])
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
    text.replace(/\\(["\\/])/g, "$1"),
    fromPercents(text),
    fromPercents(text.replaceAll("+", " ")),
    text.replace(/&(quot|lt|gt|#39|amp);/g, (_, name: string) => entities[name] ?? ""),
  ].filter((undone) => undone !== text)

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
