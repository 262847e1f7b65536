/** The recorded conversations as plans: the calls as they were made, and between them what a person or the host does. */
import { readData } from "../data.ts"
import { isAuthentication, isChange } from "./policy.ts"

export interface RecordedPlan {
  readonly id: string
  readonly actions: readonly RecordedCall[]
}

export interface RecordedCall {
  readonly name: string
  readonly arguments: { readonly [parameter: string]: unknown }
  /** Only in the replay: JSON text, or plain text. */
  readonly result?: string
}

export const readPlans = (set: "test" | "train" | "dev"): readonly RecordedPlan[] =>
  JSON.parse(readData(`tau-bench/retail_${set}_plans.json`)) as readonly RecordedPlan[]

export const readReplay = (): readonly RecordedPlan[] =>
  JSON.parse(readData("tau-bench/retail_test_replay.json")) as readonly RecordedPlan[]

/** The same plans, each value taken from the first earlier result that holds it. */
export interface ReferredPlan {
  readonly id: string
  readonly steps: readonly WrittenStep[]
}

export const readReferred = (): readonly ReferredPlan[] =>
  JSON.parse(readData("tau-bench/retail_test_refplans.json")) as readonly ReferredPlan[]

/** Without the `literal` that each reference carries beside it. */
export const withReferences = ({ steps }: ReferredPlan): string =>
  JSON.stringify({ version: 1, steps }, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("$from" in value)) return value
    const { literal: _literal, ...reference } = value as { readonly literal?: unknown }
    return reference
  })

/** JSON where it is JSON. */
export function answerOf({ result = "" }: RecordedCall): unknown {
  try {
    return JSON.parse(result)
  } catch {
    return result
  }
}

export const isRefused = ({ result }: RecordedCall): boolean => result?.startsWith("Error:") ?? false

interface WrittenStep {
  readonly id: string
  readonly [field: string]: unknown
}

const callsOf = ({ actions }: RecordedPlan): readonly WrittenStep[] =>
  actions.map((action, index) => ({ id: `s${index}`, tool: action.name, args: action.arguments }))

const write = (steps: readonly WrittenStep[]): string => JSON.stringify({ version: 1, steps })

/** The calls and nothing else. */
export const asRecorded = (plan: RecordedPlan): string => write(callsOf(plan))

/**
 * With the transitions that no agent can record, because they are not its own: the host lets the user in after the
 * tries to find them, if there was one, and the user says yes before the first change.
 */
export function withPeople(plan: RecordedPlan): string {
  const { actions } = plan
  const calls = callsOf(plan)
  const foreign = actions.findIndex(({ name }) => !isAuthentication(name))
  const tries = foreign === -1 ? actions.length : foreign
  const change = actions.findIndex(({ name }) => isChange(name))
  const steps = calls.flatMap((call, index) => [
    ...(index === tries && tries > 0
      ? [{ id: "authenticated", transition: "AUTHENTICATED", after: [`s${tries - 1}`] }]
      : []),
    ...(index === change ? [{ id: "confirmed", transition: "CHANGING" }] : []),
    call,
  ])
  return write(steps)
}
