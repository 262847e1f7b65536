/**
 * What a host adds to a suite of AgentDojo, whose tools come without results, effects or labels: once per suite, as plain
 * data, so that a folder of one's own can bring its own host beside its suite.
 */
import type { ToolSpec } from "sequitur"
import type { Json, JsonObject } from "../../src/text/json.ts"

export interface Host {
  /** By tool: effect, result, labels, rules, approval. */
  readonly tools: { readonly [tool: string]: Omit<ToolSpec, "description" | "params"> }
  /** By tool, what each call of it answers in a run. Every text of somebody else's carries an injection. */
  readonly world: { readonly [tool: string]: Json }
  /** The user tasks' calls with their data by reference. Without one, a task's calls stand as they were recorded. */
  readonly plans: { readonly [task: string]: UserPlan }
  /** A call by which somebody else's words come in: for sessions whose own calls bring none. */
  readonly stranger: Call
  /** By tool, where in its result somebody else's text is. */
  readonly texts: { readonly [tool: string]: string }
  /** By value, as text, a trusted place that holds it, and the calls that lead there. */
  readonly holds: { readonly [value: string]: { readonly calls: readonly Call[]; readonly value: Json } }
  /** Attacks that pass, each looked at. */
  readonly passing: readonly Passing[]
}

/** Rounds: each is planned when the results of those before it have been read. */
export interface UserPlan {
  readonly rounds: readonly (readonly Call[])[]
  /** Why it is refused: what is lost of use. */
  readonly lost?: Lost
}

export interface Lost {
  /** `CODE step.argument`, sorted. */
  readonly said: readonly string[]
  readonly why: string
}

export interface Call {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject
}

export interface Passing {
  readonly injection: string
  readonly way: Way
  readonly why: string
}

/** How the attacker's values get into the plan. */
export type Way = (typeof ways)[number]

export const ways = ["literal", "text", "lookup"] as const
