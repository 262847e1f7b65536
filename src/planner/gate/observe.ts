/** A call that the host makes as ever, past the gates: what they would have said of it is written down, and nothing is held back. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Catalog, Tool } from "../../catalog/catalog.ts"
import { gather, marksOf } from "../../catalog/sensitive.ts"
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import type { StepDocument } from "../../document/document.ts"
import type { CallObserved, Failure } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { RunState } from "../../journal/state.ts"
import { type CredentialsProvider, getCredentials } from "../../run/call/credentials.ts"
import { type Answer, threw } from "../../run/call/ending.ts"
import { Isolated } from "../../run/call/isolated/isolated.ts"
import { maskFor } from "../../run/call/mask.ts"
import { take } from "../../run/call/take.ts"
import { Watch } from "../../run/call/watch.ts"
import { type RunFailure, StepFailed } from "../../run/failure.ts"
import type { Ids } from "../../run/ids.ts"
import { idempotencyKey } from "../../run/next/key.ts"
import type { CallContext, Toolbox } from "../../run/toolbox.ts"
import type { Copied } from "../../text/copy-json.ts"
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

interface Equipped extends Pick<Toolbox, "handlers" | "catalog"> {
  readonly credentials: CredentialsProvider | undefined
  readonly keySecret: Uint8Array | undefined
}

/** Makes the call, and says what is to be written down of it. */
export function* callAsEver(
  { handlers, catalog, credentials: provider, keySecret }: Equipped,
  state: RunState,
  call: ReadCall,
  foreseen: Foreseen,
): Effect.fn.Return<CallObserved, RunFailure, Ids> {
  const { tool, callId, digest, given = {} } = call
  const clock = yield* Clock
  const beganMs = clock.currentTimeMillisUnsafe()
  const handler = handlers.get(tool)?.call as unknown as (args: unknown, context: unknown) => unknown
  const declared = catalog.tools.get(tool)
  const facts = factsOf(state, call, declared, keySecret)
  const credentials = provider && declared && (yield* entrust(provider, declared, facts, catalog))
  const mask = maskFor(state.runId, "result", credentials)
  const asked = Effect.tryPromise({
    try: async () => {
      const answer = handler(structuredClone(given), { ...facts, signal: new AbortController().signal, credentials })
      return Effect.isEffect(answer) ? Effect.runPromise(answer as Effect.Effect<unknown, unknown>) : answer
    },
    catch: (error) => error,
  })
  const came = yield* Effect.match(asked, {
    onSuccess: (value) => read(mask({ kind: "returned", value: take.result(value, catalog.bounds) }), call, catalog),
    onFailure: (error) => read(mask(threw(error)), call, catalog),
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

function read(answer: Answer<Copied>, call: ReadCall, catalog: Catalog): Pick<CallObserved, "result" | "failure"> {
  if (answer.kind === "returned")
    return answer.value.ok
      ? { result: answer.value.value }
      : { failure: failed(call, `its result holds ${answer.value.problem}`) }
  // What it quotes of arguments that are kept nowhere could not be covered later.
  const said = answer.kind === "threw" ? answer.said : "it was not called"
  return { failure: failed(call, secretsOf(call, catalog).scrub(said)) }
}

function secretsOf({ tool, given }: ReadCall, catalog: Catalog): Secrets {
  const secrets = new Secrets()
  if (given !== undefined) gather(given, marksOf(catalog).of(tool).args, secrets)
  return secrets
}

const failed = ({ callId, tool }: ReadCall, said: string): Failure =>
  record(new StepFailed({ stepId: callId, tool, said }))

type Facts = Pick<CallContext, "idempotencyKey" | "attempt" | "principal" | "runId" | "stepId">

function factsOf(
  { started, runId }: RunState,
  { callId, tool, occurrence = 1, given }: ReadCall,
  declared: Tool | undefined,
  keySecret: Uint8Array | undefined,
): Facts {
  const { tenant, subject, roles } = started
  const args = (isObject(given as Json) ? given : {}) as JsonObject
  const key =
    declared?.mutates === true
      ? idempotencyKey(started, { tool, toolVersion: declared.version, occurrence, args }, 0, keySecret)
      : undefined
  return { idempotencyKey: key, attempt: 1, principal: { tenant, subject, roles }, runId, stepId: callId }
}

/** As for a call that the gates have let through: without them nothing is called. */
function* entrust(
  provider: CredentialsProvider,
  tool: Tool,
  { runId, principal, ...facts }: Facts,
  { bounds }: Catalog,
): Effect.fn.Return<Json | undefined, RunFailure> {
  const context = yield* Effect.context<never>()
  const watch = new Watch(yield* Clock, Effect.runForkWith(context))
  const worker = { runId, principal, handlers: new Map(), bounds, watch, context, observe: () => {}, cutOff: undefined }
  const asked = getCredentials(worker, provider, { ...facts, tool, args: {} }, "call")
  return yield* Effect.ensuring(
    asked,
    Effect.sync(() => watch.close()),
  )
}
