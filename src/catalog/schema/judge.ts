/** Asks the author's own validator, and holds it to what a validator is: it answers at once, and changes nothing. */
import { isObject, type Json } from "../../text/json.ts"
import { child, type Pointer, root } from "../../text/pointer.ts"
import { hushIssues, hushMisfits } from "../sensitive.ts"
import { judgePattern, type Misfit } from "./pattern.ts"
import type { Issue, Role, Schema } from "./schema.ts"

/** What a front-end's validator says of a value that it may keep. */
export type Answer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly issues: Iterable<Issue> }

/** How many issues of one value are told. */
const issuesMax = 100
/** How much of a validator's message is told, in UTF-16 units. */
const messageMax = 300

/** Whatever the validator does, the answer is a list of issues. */
export function judgeBy(validate: (copy: Json) => Answer, role: Role): Schema["judge"] {
  return (value) => {
    try {
      const answer = validate(copy(value))
      if (!answer.ok) return told(answer.issues)
      const changed = difference(value, answer.output, root, role)
      return changed === undefined
        ? []
        : [{ at: changed, message: "the schema changes this value instead of judging it" }]
    } catch (thrown) {
      return told([{ at: root, message: `the schema failed to judge this value: ${reasonOf(thrown)}` }])
    }
  }
}

/** What is thrown is the author's: its message may be no text, or throw in its turn. */
function reasonOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : undefined
    return typeof message === "string" ? message : "it threw"
  } catch {
    return "it threw"
  }
}

function told(issues: Iterable<Issue>): readonly Issue[] {
  const all: Issue[] = []
  for (const { at, message } of issues) {
    if (all.length === issuesMax) break
    all.push({ at, message: message.length > messageMax ? `${message.slice(0, messageMax)}…` : message })
  }
  return all.length > 0 ? all : [{ at: root, message: "the schema refuses this value" }]
}

function copy(value: Json): Json {
  if (Array.isArray(value)) return value.map(copy)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
}

/**
 * Where the output is not the input. A key that holds undefined is no key. In a result, keys that nobody declared may
 * be left out: they are kept out of reach, not refused.
 */
function difference(input: unknown, output: unknown, at: Pointer, role: Role): Pointer | undefined {
  if (input === output) return undefined
  if (Array.isArray(input) && Array.isArray(output)) {
    if (input.length !== output.length) return at
    return firstOf(input.keys(), (index) => difference(input[index], output[index], child(at, index), role))
  }
  if (!isObject(input) || !isObject(output)) return at
  const added = Object.keys(output).find((key) => !Object.hasOwn(input, key) && output[key] !== undefined)
  if (added !== undefined) return child(at, added)
  return firstOf(Object.keys(input), (key) => {
    const missing = !Object.hasOwn(output, key) || output[key] === undefined
    if (missing) return role === "result" ? undefined : child(at, key)
    return difference(input[key], output[key], child(at, key), role)
  })
}

function firstOf<T>(all: Iterable<T>, ask: (one: T) => Pointer | undefined): Pointer | undefined {
  for (const one of all) {
    const found = ask(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** The verdict that counts, on a value that is known: its shape's, and where that is looser the author's. */
export function judgeWhole(schema: Schema, value: Json): readonly Issue[] {
  const misfits = judgePattern<never>(schema.shape, { kind: "literal", at: root, value }, () => undefined)
  if (misfits.length === 0) return schema.exact ? [] : hushIssues(schema.judge(value), schema, value)
  const told = hushMisfits(misfits, schema)
  // First what is missing: whoever shows only a few should not leave that out.
  const missing = told.filter(({ kind }) => kind === "missing")
  return [...missing, ...told.filter(({ kind }) => kind !== "missing")].map(sayMisfit)
}

export const sayMisfit = ({ at, kind, key, expected, found }: Misfit): Issue => ({
  at,
  message: kind === "missing" ? `\`${key}\` is missing: expected ${expected}` : `expected ${expected}, found ${found}`,
})
