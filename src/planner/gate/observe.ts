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
import { admitResult } from "../../run/call/admit-result.ts"
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
export const isCallable = ({ handlers }: Pick<Toolbox, "handlers">, tool: string, { given, odd }: ReadCall): boolean =>
  typeof handlers.get(tool)?.call === "function" && (given !== undefined || isObject(odd))

/** Tools in processes of their own are called by the executor alone. */
export const isolatedIn = ({ handlers }: Toolbox): readonly string[] =>
  [...handlers].flatMap(([name, { call }]) => (call instanceof Isolated ? [name] : []))

interface Equipped extends Pick<Toolbox, "handlers" | "catalog"> {
  readonly credentials: CredentialsProvider | undefined
  readonly keySecret: Uint8Array | undefined
}

/** What came of a call that was made as ever. */
export interface Came {
  /** As much of it as is kept. */
  readonly kept: Pick<CallObserved, "result" | "failure" | "wouldFail">
  /** As JSON says it; null where it cannot. */
  readonly shown: Json
  /** As the tool gave it, where that is no plain JSON. */
  readonly raw?: unknown
  readonly tookMs: number
}

/** Makes the call, as long as it takes. */
export function* answerAsEver(
  { handlers, catalog, credentials: provider, keySecret }: Equipped,
  state: RunState,
  call: ReadCall,
): Effect.fn.Return<Came, RunFailure, Ids> {
  const { tool } = call
  const clock = yield* Clock
  const beganMs = clock.currentTimeMillisUnsafe()
  const handler = handlers.get(tool)?.call as unknown as (args: unknown, context: unknown) => unknown
  const declared = catalog.tools.get(tool)
  const facts = factsOf(state, call, declared, keySecret)
  const credentials = provider && declared && (yield* entrust(provider, declared, facts, catalog))
  const mask = maskFor(state.runId, "result", credentials)
  const asked = Effect.tryPromise({
    try: async () => {
      const answer = handler(argsOf(call), { ...facts, signal: new AbortController().signal, credentials })
      return Effect.isEffect(answer) ? Effect.runPromise(answer as Effect.Effect<unknown, unknown>) : answer
    },
    catch: (error) => error,
  })
  const came = yield* Effect.match(asked, {
    onSuccess: (value) => read(value, mask, catalog, declared && { stepId: call.callId, tool: declared }),
    onFailure: (error): Omit<Came, "tookMs"> => {
      const answer: Answer<Copied> = mask(threw(error))
      // What it quotes of arguments that are kept nowhere could not be covered later.
      const said = answer.kind === "threw" ? answer.said : "it was not called"
      const doubt = answer.kind === "threw" && !answer.notApplied && declared !== undefined && isLost(declared)
      const failure = failed(call, secretsOf(call, catalog).scrub(said))
      return { kept: { failure, ...(doubt ? { wouldFail: "RUN109" } : {}) }, shown: null }
    },
  })
  return { ...came, tookMs: Math.max(0, clock.currentTimeMillisUnsafe() - beganMs) }
}

/** Whether nobody can find out what has become of a call that has thrown, nor call it again. */
const isLost = ({ mutates, idempotency, reconcile }: Tool): boolean =>
  mutates && idempotency.kind === "none" && reconcile === undefined

/** A copy of its own, where there can be one. */
function argsOf({ given, odd }: ReadCall): unknown {
  if (given !== undefined) return structuredClone(given)
  try {
    return structuredClone(odd)
  } catch {
    return odd
  }
}

/** Whatever it is, it is the host's to go on with; what is no plain JSON, or too long, is kept as far as it is some. */
function read(
  value: unknown,
  mask: ReturnType<typeof maskFor<"result">>,
  { bounds }: Catalog,
  about: Parameters<typeof admitResult>[1] | undefined,
): Omit<Came, "tookMs"> {
  const failure = about && admitResult(take.result(value, bounds), about).failure
  const wouldFail = failure === undefined ? {} : { wouldFail: failure.code }
  const keep = (one: unknown): Json | undefined => {
    const answer = mask({ kind: "returned", value: take.result(one, bounds) })
    return answer.kind === "returned" && answer.value.ok ? answer.value.value : undefined
  }
  const plain = keep(value)
  if (plain !== undefined) return { kept: { result: plain, ...wouldFail }, shown: plain }
  const said = sayAsJson(value)
  const kept = said === undefined ? undefined : keep(said)
  return { kept: { ...(kept === undefined ? {} : { result: kept }), ...wouldFail }, shown: said ?? null, raw: value }
}

function sayAsJson(value: unknown): Json | undefined {
  try {
    return JSON.parse(JSON.stringify(value)) as Json
  } catch {
    return undefined
  }
}

/** What is to be written down of it. */
export const observedAs = (
  { callId, tool, digest }: ReadCall,
  { kept, tookMs }: Came,
  { diagnostics, waits, step, seen, planHash }: Foreseen,
): CallObserved => ({
  kind: "call-observed",
  callId,
  tool: tool.slice(0, 200),
  digest,
  tookMs,
  diagnostics,
  ...(waits ? { waits } : {}),
  ...(step === undefined || "failure" in kept ? {} : { made: { step, seen, planHash } }),
  ...kept,
})

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
  const keyed = declared?.mutates === true && given !== undefined
  const key = keyed
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
