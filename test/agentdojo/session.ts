/**
 * A session as one plan: rounds of calls, each planned when what came before it had been read. A round's literals are trusted
 * until something untrusted has been read. A plan's literals are all of one kind, so where a later round's are untrusted,
 * those of the earlier ones are handed in by the host, to whom they belong by then.
 */
import { type Catalog, type Compiled, compile } from "sequitur"
import { isObject, type Json, type JsonObject } from "../../src/text/json.ts"
import type { Call, UserPlan } from "./host.ts"

export interface Round {
  readonly calls: readonly Call[]
  readonly literals: "trusted" | "untrusted"
}

export interface Session {
  readonly text: string
  readonly literals: "trusted" | "untrusted"
  readonly inputs: { readonly words: string[]; readonly numbers: number[]; readonly flags: boolean[] }
}

export function roundsOf({ rounds }: UserPlan, { tools }: Catalog): readonly Round[] {
  const isUntrusted = ({ tool }: Call): boolean => (tools.get(tool)?.labels.untrusted.length ?? 0) > 0
  return rounds.map((calls, index) => ({
    calls,
    literals: rounds.slice(0, index).flat().some(isUntrusted) ? "untrusted" : "trusted",
  }))
}

export function writeSession(rounds: readonly Round[]): Session {
  const literals = rounds.some((round) => round.literals === "untrusted") ? "untrusted" : "trusted"
  const inputs: Session["inputs"] = { words: [], numbers: [], flags: [] }
  const made = new Map<string, number>()
  const steps = rounds.flatMap((round) =>
    round.calls.map((call) => {
      const same = JSON.stringify([call.tool, call.args])
      const occurrence = (made.get(same) ?? 0) + 1
      made.set(same, occurrence)
      const args = literals === round.literals ? call.args : handIn(call.args, inputs)
      return { ...call, args, ...(occurrence === 1 ? {} : { occurrence }) }
    }),
  )
  return { text: JSON.stringify({ version: 1, steps }), literals, inputs }
}

export const compileSession = (catalog: Catalog, { text, literals }: Session): Compiled =>
  compile(catalog, text, { literals })

const handIn = (args: JsonObject, inputs: Session["inputs"]): JsonObject =>
  Object.fromEntries(Object.entries(args).map(([key, value]) => [key, handInValue(value, inputs)]))

function handInValue(value: Json, inputs: Session["inputs"]): Json {
  if (Array.isArray(value)) return value.map((item) => handInValue(item, inputs))
  if (isObject(value)) {
    if (!("$from" in value)) return handIn(value, inputs)
    return isObject(value.where ?? null) ? { ...value, where: handIn(value.where as JsonObject, inputs) } : value
  }
  const name = nameOf(value)
  if (name === undefined) return value
  const kept = inputs[name] as Json[]
  kept.push(value)
  return { $from: "input", path: `/${name}/${kept.length - 1}` }
}

function nameOf(value: Json): keyof Session["inputs"] | undefined {
  if (typeof value === "string") return "words"
  if (typeof value === "number") return "numbers"
  return typeof value === "boolean" ? "flags" : undefined
}
