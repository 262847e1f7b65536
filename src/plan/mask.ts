/**
 * A plan's text with its secrets covered, character by character, so that every place in it stays where it is. Strings are known
 * by what they say, however they are escaped; in a text that is no plan, values are known by the name before them.
 */
import type { Catalog } from "../catalog/catalog.ts"
import type { Path } from "../catalog/place.ts"
import { marksOf } from "../catalog/sensitive.ts"
import { isObject, type Json, type JsonObject } from "../text/json.ts"
import { findPlaces } from "../text/locate.ts"
import { formatPointer, parsePointer } from "../text/pointer.ts"
import { covered, Secrets } from "../text/secrets.ts"
import { Written } from "./sensitive.ts"

export interface Masked {
  readonly text: string
  /** What was found. */
  readonly secrets: Secrets
}

const cover = "*"

export function maskText(text: string, catalog: Catalog, secrets = new Secrets()): Masked {
  const document = parse(text)
  const plan = isObject(document) && document.sequitur !== undefined ? document.document : document
  const masked = isPlan(plan)
    ? maskPlaces(text, new Written(plan, marksOf(catalog)), plan === document ? [] : ["document"], secrets)
    : maskNamed(text, namesIn(catalog), secrets)
  return { text: maskStrings(secrets.cover(masked, cover), secrets), secrets }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Its steps are written as steps are, and not in the form of a provider. */
const isPlan = (plan: Json | undefined): plan is JsonObject =>
  isObject(plan) &&
  Array.isArray(plan.steps) &&
  plan.steps.every((step: Json) => isObject(step) && !("do" in step) && typeof step.args !== "string")

function maskPlaces(text: string, written: Written, way: Path, secrets: Secrets): string {
  written.gather(secrets)
  const places = written.literals
  if (places.length === 0) return text
  const find = findPlaces(text)
  return places.reduce((masked, place) => {
    const span = find(formatPointer([...way, ...place]), "value")
    return span === undefined ? masked : coverSpan(masked, span.start, span.end)
  }, text)
}

function coverSpan(text: string, start: number, end: number): string {
  const quotes = text[start] === '"' && text[end - 1] === '"' && end - start > 1 ? 1 : 0
  const [from, to] = [start + quotes, end - quotes]
  return text.slice(0, from) + covered(text.slice(from, to), cover) + text.slice(to)
}

/** What marked parameters are called. In the envelope form of a provider all arguments are one text. */
function namesIn({ tools }: Catalog): readonly string[] {
  const pointers = [...tools.values()].flatMap(({ params }) => params.sensitive)
  const names = pointers.map((pointer) => parsePointer(pointer)?.findLast((token) => token !== "*") ?? "args")
  return names.length === 0 ? [] : [...new Set([...names, "args"])]
}

const valueAfter = String.raw`\s*:\s*`
/** A text, ended or not; a number or a word; or, where more than one value begins, all that follows. A reference is none. */
const value = String.raw`("(?:[^"\\]|\\.)*"?|(?!\{\s*"\$from")[{\[][^]*|[^\s,{}[\]"]+)`

function maskNamed(text: string, names: readonly string[], secrets: Secrets): string {
  if (names.length === 0) return text
  let masked = text
  for (const name of names) {
    const written = JSON.stringify(name).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    for (const found of text.matchAll(new RegExp(written + valueAfter + value, "g"))) {
      const [whole, given = ""] = found
      if (name === "args" && !given.startsWith('"')) continue
      const end = found.index + whole.length
      secrets.add(parse(given) ?? given.replace(/^"/, ""))
      masked = coverSpan(masked, end - given.length, end)
    }
  }
  return masked
}

/** A string may be escaped in as many ways as it has characters. */
const maskStrings = (text: string, secrets: Secrets): string =>
  secrets.none
    ? text
    : text.replace(/"(?:[^"\\]|\\.)*"/g, (token) => {
        const said = parse(token)
        return typeof said === "string" && secrets.scrub(said) !== said ? coverSpan(token, 0, token.length) : token
      })
