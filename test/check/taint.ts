/**
 * An interpreter of plans on marked values: each value carries its marks and the place it was born at, and every rule of a
 * catalog is asked of what has arrived. It knows nothing of how the compiler follows data: it runs the plan.
 */
import type { CatalogSpec, Json, JsonObject, ToolSpec } from "sequitur"

/** A value with what is known of each of its parts. */
export type Marked = (
  | { readonly kind: "scalar"; readonly value: null | boolean | number | string }
  | { readonly kind: "array"; readonly items: readonly Marked[] }
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, Marked> }
) & { readonly untrusted: boolean; readonly private: boolean; readonly born: string | undefined }

interface WrittenStep {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject
}

export interface Story {
  readonly spec: CatalogSpec
  readonly steps: readonly WrittenStep[]
  /** What whoever wrote the plan has seen. */
  readonly seen: { readonly untrusted: boolean; readonly private: boolean }
  /** The inputs are their word, too. */
  readonly owned: boolean
  readonly inputs: Json
  /** What each tool answers, whatever it is asked. */
  readonly answers: { readonly [tool: string]: Json }
}

/** The rules that are broken, as `step place rule`. */
export function runMarked({ spec, steps, seen, owned, inputs, answers }: Story): readonly string[] {
  const known = new Map<string, Marked>([
    // What they write is from no place, once they have seen what is not to be trusted.
    [
      "input",
      mark(inputs, owned && seen.untrusted ? "made" : "input#", [], spec.inputLabels ?? {}, owned ? seen : none),
    ],
  ])
  const broken: string[] = []
  for (const { id, tool, args } of steps) {
    const declared = spec.tools[tool] as ToolSpec
    const given = resolve(args, known, seen, declared.params as JsonObject)
    broken.push(...brokenRules(given, declared).map((rule) => `${id} ${rule}`))
    const through = {
      // A call without arguments says nothing.
      untrusted:
        partsOf(given).some(([, part]) => isMarked(part, "untrusted")) &&
        declared.endorse?.includes("trusted") !== true,
      private:
        partsOf(given).some(([, part]) => isMarked(part, "private")) && declared.endorse?.includes("public") !== true,
    }
    known.set(id, mark(answers[tool] as Json, `${tool}#`, [], declared, through))
  }
  return broken
}

const none = { untrusted: false, private: false }
const kinds = ["untrusted", "private"] as const
type Kind = (typeof kinds)[number]
type Labels = Pick<ToolSpec, Kind>

function mark(value: Json, place: string, path: readonly string[], labels: Labels, through: typeof none): Marked {
  const has = (kind: Kind): boolean => {
    const said = labels[kind] ?? []
    return said === true || said.some((pointer) => isAt(pointer, path))
  }
  const own = {
    untrusted: through.untrusted || has("untrusted"),
    private: through.private || has("private"),
    born: `${place}${path.map((token) => `/${token}`).join("")}`,
  }
  const inner = (key: string, part: Json): Marked => mark(part, place, [...path, key], labels, through)
  if (Array.isArray(value))
    return { kind: "array", items: value.map((item: Json, index) => inner(`${index}`, item)), ...own }
  if (typeof value !== "object" || value === null) return { kind: "scalar", value, ...own } as Marked
  const fields = Object.entries(value).map(([key, part]) => [key, inner(key, part as Json)] as const)
  return { kind: "object", fields: new Map(fields), ...own }
}

/** Whether a pattern names the place, or something round it. */
function isAt(pattern: string, path: readonly string[]): boolean {
  const tokens = pattern.split("/").slice(1)
  return tokens.length <= path.length && tokens.every((token, index) => token === "*" || token === path[index])
}

/** The value itself, or anything in it. */
function isMarked(value: Marked, kind: Kind): boolean {
  if (value[kind]) return true
  return partsOf(value).some(([, part]) => isMarked(part, kind))
}

function partsOf(value: Marked): readonly (readonly [string, Marked])[] {
  if (value.kind === "array") return value.items.map((item, index) => [`${index}`, item] as const)
  return value.kind === "object" ? [...value.fields] : []
}

function resolve(
  written: Json,
  known: ReadonlyMap<string, Marked>,
  seen: typeof none,
  schema: JsonObject = {},
): Marked {
  // An empty list is as much its writer's as a word.
  const empty = typeof written === "object" && written !== null && Object.keys(written).length === 0
  const own = { untrusted: seen.untrusted && empty, private: seen.private && empty, born: undefined }
  const again = (part: Json, of?: Json): Marked => resolve(part, known, seen, of as JsonObject | undefined)
  if (Array.isArray(written))
    return { kind: "array", items: written.map((item: Json) => again(item, schema.items)), ...own }
  if (typeof written !== "object" || written === null)
    return { kind: "scalar", value: written, ...own, ...seen } as Marked
  const object = written as { readonly [key: string]: Json }
  if (typeof object.$from === "string") return read(object, known, seen)
  if (Array.isArray(object.$concat)) {
    const parts = object.$concat.map((part: Json) => again(part))
    const text = parts.map((part) => (part.kind === "scalar" ? part.value : "")).join("")
    return { kind: "scalar", value: text, ...join(parts), born: undefined }
  }
  const named = (schema.properties ?? {}) as JsonObject
  const fields = Object.entries(object).map(([key, part]) => [key, again(part, named[key])] as const)
  // A key that no schema declares is a word of its writer's, too.
  const madeUp = Object.keys(object).some((key) => !Object.hasOwn(named, key))
  const by = (label: keyof typeof none): boolean => own[label] || (seen[label] && madeUp)
  return { kind: "object", fields: new Map(fields), ...own, untrusted: by("untrusted"), private: by("private") }
}

const join = (parts: readonly Marked[]) => ({
  untrusted: parts.some((part) => isMarked(part, "untrusted")),
  private: parts.some((part) => isMarked(part, "private")),
})

function read(form: { readonly [key: string]: Json }, known: ReadonlyMap<string, Marked>, seen: typeof none): Marked {
  const found = walk(known.get(form.$from as string) as Marked, form.path as string | undefined)
  if (form.where === undefined) return found
  const wanted = Object.entries(form.where as JsonObject).map(
    ([pointer, value]) => [pointer, resolve(value, known, seen)] as const,
  )
  const looked: Marked[] = wanted.map(([, value]) => value)
  const matching = partsOf(found).filter(([, item]) =>
    wanted.every(([pointer, value]) => {
      const there = walk(item, pointer)
      looked.push(there)
      return there.kind === "scalar" && value.kind === "scalar" && there.value === value.value
    }),
  )
  if (matching.length !== 1) throw new Error(`${matching.length} elements match`)
  const picked = walk((matching[0] as readonly [string, Marked])[1], form.pick as string)
  const by = join(looked)
  return { ...picked, untrusted: picked.untrusted || by.untrusted, private: picked.private || by.private }
}

function walk(value: Marked, pointer = ""): Marked {
  const [, ...tokens] = pointer.split("/")
  return tokens.reduce((inner, token) => {
    const part = partsOf(inner).find(([key]) => key === token)
    if (part === undefined) throw new Error(`nothing at ${pointer}`)
    return part[1]
  }, value)
}

function brokenRules(args: Marked, { rules = {} }: ToolSpec): readonly string[] {
  return Object.entries(rules).flatMap(([name, { from, trusted, public: shown }]) => {
    const tokens = name.startsWith("/") ? name.split("/").slice(1) : [name]
    return placesAt(args, tokens).flatMap((value) => {
      const known = from === undefined || from.some((origin) => isBorn(value, origin))
      return [
        ...(known ? [] : [`${name} from`]),
        ...(trusted && isMarked(value, "untrusted") ? [`${name} trusted`] : []),
        ...(shown && isMarked(value, "private") ? [`${name} public`] : []),
      ]
    })
  })
}

function placesAt(value: Marked, [token, ...rest]: readonly string[]): readonly Marked[] {
  if (token === undefined) return [value]
  return partsOf(value)
    .filter(([key]) => token === "*" || key === token)
    .flatMap(([, part]) => placesAt(part, rest))
}

function isBorn({ born = "" }: Marked, origin: string): boolean {
  const [place, pattern] = [born.split("/"), origin.split("/")]
  return place.length === pattern.length && pattern.every((token, index) => token === "*" || token === place[index])
}
