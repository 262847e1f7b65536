/** Asks the host for what a call may show the outside: short-lived, for this call alone, and kept nowhere. */
import * as Effect from "effect/Effect"
import type { Json } from "../../text/json.ts"
import { CredentialsUnavailable } from "../failure.ts"
import type { AnyHandler, Handled } from "../toolbox.ts"
import { ask, type Ended } from "./ask.ts"
import type { Calling, Worker } from "./call.ts"
import type { TakenCredentials } from "./take.ts"

/**
 * Names what your `credentials` gives, once, and handlers know it:
 * `declare module "sequitur/run" { interface Provided { readonly credentials: { readonly token: string } } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a host adds to it.
export interface Provided {}

/** Plain JSON, or undefined for a tool that needs none. */
export type Credentials = Provided extends { readonly credentials: infer Given } ? Given : unknown

/** What the credentials are for. */
export interface AskedFor {
  readonly tenant: string
  readonly subject: string
  readonly roles: readonly string[]
  readonly tool: string
  readonly runId: string
  readonly stepId: string
  readonly attempt: number
  /** The call itself, a look whether it may be made, one that undoes it, or the question what became of it. */
  readonly for: "call" | "validate" | "undo" | "reconcile"
}

/** Asked right before each call. What it throws is told to nobody: it may hold a secret. */
export type CredentialsProvider = (asked: AskedFor, context: { readonly signal: AbortSignal }) => Handled<Credentials>

export const getCredentials = (
  worker: Worker,
  provider: CredentialsProvider,
  { stepId, tool, attempt, idempotencyKey }: Calling,
  purpose: AskedFor["for"],
): Effect.Effect<Json | undefined, CredentialsUnavailable> => {
  const { principal, runId } = worker
  const asked = { ...principal, tool: tool.name, runId, stepId, attempt, for: purpose }
  const answered = ask(worker, {
    for: "credentials",
    handler: provider as AnyHandler,
    inputs: [asked],
    facts: { idempotencyKey, attempt, principal, runId, stepId },
    limitMs: tool.timeoutMs,
    cutOff: false,
    afterwards: () => {},
  })
  return Effect.flatMap(answered, (ended) => {
    const problem = problemOf(ended, tool.timeoutMs)
    if (problem !== undefined) return Effect.fail(new CredentialsUnavailable({ stepId, tool: tool.name, problem }))
    const { ending } = ended
    return Effect.succeed(ending.kind === "returned" && ending.value.ok === true ? ending.value.value : undefined)
  })
}

function problemOf({ ending }: Ended<TakenCredentials>, limitMs: number): string | undefined {
  if (ending.kind === "threw") return "`credentials` threw"
  if (ending.kind !== "returned") return `\`credentials\` did not answer within ${limitMs} ms`
  return ending.value.ok === false ? `what \`credentials\` gave is no plain JSON: ${ending.value.problem}` : undefined
}
