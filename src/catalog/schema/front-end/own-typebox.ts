/**
 * A TypeBox schema made our own. TypeBox schemas are plain data that a host may change later, and TypeBox asks formats
 * and kinds of the host's in registries that any import may change: in a copy, each such place holds its function.
 */
import { Kind, type TSchema, TypeRegistry } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import type { Json } from "../../../text/json.ts"
import type { Pointer } from "../../../text/pointer.ts"
import { hiddenSteps } from "../guard.ts"
import type { Answer } from "../judge.ts"
import type { Issue } from "../schema.ts"
import { withinWork } from "../work.ts"
import { askTypeBox, isLiteral } from "./ask-typebox.ts"
import type { Findings, KindCheck } from "./findings.ts"
import { askOf, type Formats } from "./formats.ts"

/** What a place in a copy asks that TypeBox by itself cannot. */
interface Question {
  readonly right: (value: unknown) => boolean
  readonly issuesOf: (value: unknown, at: Pointer) => Iterable<Issue>
}

const question = Symbol("question")
/** TypeBox asks kinds that are not its own of its registry: this one kind leads to the place's own question. */
const asking = "sequitur.question"

interface Asking extends TSchema {
  readonly [question]: Question
}

/** Parts of one schema. */
const partsMax = 100_000

/** A copy, with the symbols that TypeBox keeps. `change` is done to each object of it, after its parts. */
export function copyTypeBox<S>(schema: S, change: (part: Record<PropertyKey, unknown>) => void = () => undefined): S {
  const copies = new Map<object, object>()
  const copy = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null || !isPlain(part)) return part
    const known = copies.get(part)
    if (known !== undefined) return known
    if (copies.size === partsMax) throw new TypeError(`it has more than ${partsMax} parts`)
    const made: Record<PropertyKey, unknown> = Array.isArray(part) ? ([] as never) : {}
    copies.set(part, made)
    for (const key of Reflect.ownKeys(part).filter((one) => Object.prototype.propertyIsEnumerable.call(part, one))) {
      const value = copy((part as typeof made)[key])
      Object.defineProperty(made, key, { value, enumerable: true, writable: true, configurable: true })
    }
    if (Kind in made) change(made)
    return made
  }
  return copy(schema) as S
}

const isPlain = (part: object): boolean =>
  Array.isArray(part) || [Object.prototype, null].includes(Object.getPrototypeOf(part))

/** The author's validator: TypeBox's own, which generates no code. */
export function validateByTypeBox(schema: TSchema, findings: Findings): (copy: Json) => Answer {
  const own = copyTypeBox(schema, (part) => settle(part as unknown as TSchema, findings))
  const validate = (copy: Json): Answer => {
    // Whoever took it out of the registry, or put another there: it is asked for now.
    if (TypeRegistry.Get(asking) !== ask) TypeRegistry.Set(asking, ask)
    return Value.Check(own, copy) ? { ok: true, output: copy } : { ok: false, issues: issuesOf(own, copy) }
  }
  const { recursive, parts } = findings
  const perCharacter = hiddenSteps(findings)
  return withinWork(validate, { schema: own, ask: askTypeBox(own), recursive, parts, perCharacter })
}

const ask = (schema: unknown, value: unknown): boolean => (schema as Asking)[question].right(value)

function* issuesOf(schema: TSchema, value: unknown): Iterable<Issue> {
  for (const error of Value.Errors(schema, value)) {
    const asked = (error.schema as Partial<Asking>)[question]
    const at = error.path as Pointer
    if (asked === undefined) yield { at, message: error.message }
    else yield* asked.issuesOf(error.value, at)
  }
}

/** Puts functions where TypeBox would look for them by name. */
function settle(part: TSchema, { formats, kinds }: Findings): void {
  if (part[Kind] === "Object") part.properties = literalsFirst(part.properties)
  const check = kinds.get(part[Kind])
  const asked = part[Kind] === "String" ? questionOfFormat(part, formats) : check && questionOfKind(part, check)
  if (asked !== undefined) Object.assign(part, { [Kind]: asking, [question]: asked })
}

function literalsFirst(properties: { readonly [key: string]: TSchema }): object {
  const entries = Object.entries(properties)
  const literals = entries.filter(([, property]) => isLiteral(property))
  return Object.fromEntries([...literals, ...entries.filter(([, property]) => !isLiteral(property))])
}

function questionOfFormat(part: TSchema, formats: Formats): Question | undefined {
  const { format, ...rest } = part
  if (typeof format !== "string") return undefined
  delete part.format
  const right = askOf(formats.get(format) ?? {})
  if (right === undefined) return undefined
  // All else that the string is held to.
  const { $id: _, ...text } = rest
  const isText = (value: unknown): value is string => Value.Check(text as unknown as TSchema, value)
  return {
    right: (value) => isText(value) && right(value),
    issuesOf: (value, at) =>
      isText(value)
        ? [{ at, message: `Expected string to match '${format}' format` }]
        : [...issuesOf(text as unknown as TSchema, value)].map(({ message }) => ({ at, message })),
  }
}

function questionOfKind(part: TSchema, check: KindCheck): Question {
  const kind = part[Kind]
  const written = { ...part }
  return {
    right: (value) => Boolean(check(written, value)),
    issuesOf: (_, at) => [{ at, message: `Expected kind '${kind}'` }],
  }
}
