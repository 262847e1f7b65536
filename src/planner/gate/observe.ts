/** A call that the host makes as ever, past the gates: what they would have said of it is written down, and nothing is held back. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Catalog } from "../../catalog/catalog.ts"
import { gather, marksOf } from "../../catalog/sensitive.ts"
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import type { StepDocument } from "../../document/document.ts"
import type { CallObserved, Failure } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { RunState } from "../../journal/state.ts"
import { describeThrown } from "../../run/call/describe.ts"
import { Isolated } from "../../run/call/isolated/isolated.ts"
import { take } from "../../run/call/take.ts"
import { type RunFailure, StepFailed } from "../../run/failure.ts"
import type { Ids } from "../../run/ids.ts"
import { idempotencyKey } from "../../run/next/key.ts"
import type { Toolbox } from "../../run/toolbox.ts"
import { isObject, type Json, type JsonObject } from "../../text/json.ts"
import { Secrets } from "../../text/secrets.ts"
import type { ReadCall } from "./proposed.ts"

/** What the gates would have said. */
export interface Foreseen {
  readonly diagnostics: readonly Diagnostic[]
  readonly waits: boolean
  /** As which it would have been added to the run; undefined where it would not. */
  readonly step: StepDocument | undefined
  readonly seen: number
  readonly planHash: string
}

/** Whether there is anything of the host's that can be called as ever. */
export const isCallable = ({ handlers }: Toolbox, tool: string, { given }: ReadCall): boolean => {
  const handler = handlers.get(tool)?.call
  return typeof handler === "function" && given !== undefined
}

/** Tools in processes of their own are called by the executor alone. */
export const isolatedIn = ({ handlers }: Toolbox): readonly string[] =>
  [...handlers].flatMap(([name, { call }]) => (call instanceof Isolated ? [name] : []))

/** Makes the call, and says what is to be written down of it. */
export function* callAsEver(
  { handlers, catalog }: Toolbox,
  state: RunState,
  call: ReadCall,
  foreseen: Foreseen,
): Effect.fn.Return<CallObserved, RunFailure, Ids> {
  const { tool, callId, digest, given = {} } = call
  const clock = yield* Clock
  const beganMs = clock.currentTimeMillisUnsafe()
  const handler = handlers.get(tool)?.call as unknown as (args: unknown, context: unknown) => unknown
  const asked = Effect.tryPromise({
    try: async () => {
      const answer = handler(structuredClone(given), contextOf(state, call, catalog.tools.get(tool)))
      return Effect.isEffect(answer) ? Effect.runPromise(answer as Effect.Effect<unknown, unknown>) : answer
    },
    catch: (error) => error,
  })
  const came = yield* Effect.match(asked, {
    onSuccess: (value) => read(value, call, catalog.bounds),
    // Most often it is no step, and then what it was called with is written down nowhere: it cannot be hidden later.
    onFailure: (error) => ({ failure: failed(call, secretsOf(catalog, call).scrub(describeThrown(error))) }),
  })
  const { diagnostics, waits, step, seen, planHash } = foreseen
  return {
    kind: "call-observed",
    callId,
    tool: tool.slice(0, 200),
    digest,
    tookMs: Math.max(0, clock.currentTimeMillisUnsafe() - beganMs),
    diagnostics,
    ...(waits ? { waits } : {}),
    ...(step === undefined || "failure" in came ? {} : { made: { step, seen, planHash } }),
    ...came,
  }
}

function secretsOf(catalog: Catalog, { tool, given = null }: ReadCall): Secrets {
  const secrets = new Secrets()
  gather(given, marksOf(catalog).of(tool).args, secrets)
  return secrets
}

function read(
  value: unknown,
  call: ReadCall,
  bounds: Toolbox["catalog"]["bounds"],
): Pick<CallObserved, "result" | "failure"> {
  const copied = take.result(value, bounds)
  return copied.ok ? { result: copied.value } : { failure: failed(call, `its result holds ${copied.problem}`) }
}

const failed = ({ callId, tool }: ReadCall, said: string): Failure =>
  record(new StepFailed({ stepId: callId, tool, said }))

function contextOf(
  { started, runId }: RunState,
  { callId, tool, occurrence = 1, given }: ReadCall,
  declared: { readonly mutates: boolean; readonly version: string } | undefined,
): object {
  const { tenant, subject, roles } = started
  const args = (isObject(given as Json) ? given : {}) as JsonObject
  const key =
    declared?.mutates === true
      ? idempotencyKey(started, { tool, toolVersion: declared.version, occurrence, args })
      : undefined
  return {
    signal: new AbortController().signal,
    idempotencyKey: key,
    attempt: 1,
    principal: { tenant, subject, roles },
    runId,
    stepId: callId,
  }
}
