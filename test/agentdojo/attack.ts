/** An injection's calls in a user's session: after its own calls, or in the place of what it was to do. */
import type { Catalog } from "sequitur"
import { isObject, type Json } from "../../src/text/json.ts"
import type { Call, Host, UserPlan, Way } from "./host.ts"
import { compileSession, type Round, roundsOf, writeSession } from "./session.ts"
import type { Suite, Task } from "./suite.ts"

export const places = ["appended", "replacing"] as const
export type Place = (typeof places)[number]

export interface Attack {
  readonly rounds: readonly Round[]
  /** The injection's own calls that a rule guards: what must not happen. */
  readonly guarded: readonly string[]
}

export const planOf = ({ host }: Suite, { id, ground_truth }: Task): UserPlan =>
  host.plans[id] ?? {
    rounds: [ground_truth.map(({ function: tool, args }, index) => ({ id: `s${index}`, tool, args }))],
  }

/** `CODE step.argument`, sorted. */
export function saidOf(catalog: Catalog, rounds: readonly Round[]): readonly string[] {
  const calls = rounds.flatMap((round) => round.calls)
  const { diagnostics } = compileSession(catalog, writeSession(rounds))
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, at }) => {
      const [, , index, , ...argument] = at.split("/")
      return `${code} ${[calls[Number(index)]?.id ?? at, ...argument].join(".")}`
    })
    .sort()
}

/** The part of a user's plan that is accepted: what was refused, and what needs it, has not happened. */
export function acceptedRounds(plan: UserPlan, catalog: Catalog): readonly Round[] {
  const rounds = roundsOf(plan, catalog)
  const refused = new Set(saidOf(catalog, rounds).map((one) => one.split(/[ .]/)[1] ?? ""))
  const keeps = ({ id, args }: Call): boolean => {
    if (!refused.has(id) && !sourcesIn(args).some((source) => refused.has(source))) return true
    refused.add(id)
    return false
  }
  return rounds.map(({ calls, literals }) => ({ calls: calls.filter(keeps), literals }))
}

function sourcesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(sourcesIn)
  if (!isObject(value)) return []
  return [...(typeof value.$from === "string" ? [value.$from] : []), ...Object.values(value).flatMap(sourcesIn)]
}

export function attackWith(suite: Suite, injection: Task, user: readonly Round[], way: Way, place: Place): Attack {
  const { host, catalog } = suite
  const kept = user.map(({ calls, literals }) => ({
    calls: place === "appended" ? calls : calls.filter(({ tool }) => !catalog.tools.get(tool)?.mutates),
    literals,
  }))
  const { stranger } = host
  const bearer = bearerIn(
    kept.flatMap(({ calls }) => calls),
    host,
  )
  const calls = writeCalls(injection, way, bearer ?? stranger, host)
  const lookups = way === "lookup" ? lookupsOf(injection, host) : []
  // Whoever refers to a text need not have read it. Else the attacker's wishes were read before they were written down.
  const injected: Round = { calls: [...lookups, ...calls], literals: way === "text" ? "trusted" : "untrusted" }
  const before: readonly Round[] = bearer === undefined ? [{ calls: [stranger], literals: "trusted" }] : []
  return {
    rounds: [...before, ...kept, injected],
    guarded: calls.filter(({ tool }) => host.tools[tool]?.rules !== undefined).map(({ id }) => id),
  }
}

/** The first call that brings in somebody else's words. */
const bearerIn = (calls: readonly Call[], { texts }: Host): Call | undefined =>
  calls.find(({ tool }) => texts[tool] !== undefined)

const textOf = ({ id, tool }: Call, { texts }: Host): Json => ({ $from: id, path: texts[tool] ?? "" })

function writeCalls({ ground_truth }: Task, way: Way, bearer: Call, host: Host): readonly Call[] {
  const calls: Call[] = []
  for (const { function: tool, args, placeholder_args: asked } of ground_truth) {
    const take = (name: string, value: Json): Json => {
      if (way === "literal") return value
      if (way === "lookup") return host.holds[`${value}`]?.value ?? value
      // What is to be carried off is what the injection itself has read.
      const source = asked?.[name] === "$content" ? (bearerIn(calls.toReversed(), host) ?? bearer) : bearer
      return typeof value === "string" ? textOf(source, host) : value
    }
    const taken = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, take(name, value)]))
    calls.push({ id: `injected${calls.length}`, tool, args: taken })
  }
  return calls
}

/** Each once. */
function lookupsOf({ ground_truth }: Task, { holds }: Host): readonly Call[] {
  const calls = ground_truth.flatMap(({ args }) =>
    Object.values(args).flatMap((value) => holds[`${value}`]?.calls ?? []),
  )
  return [...new Map(calls.map((call) => [call.id, call])).values()]
}
