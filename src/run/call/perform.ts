/** Makes one call: the handler's world of promises, throws and silence comes in here, and one typed event goes out. */
import * as Cause from "effect/Cause"
import type { Context } from "effect/Context"
import * as Effect from "effect/Effect"
import type { Exit } from "effect/Exit"
import type { Fiber } from "effect/Fiber"
import { judgeWhole } from "../../catalog/schema/judge.ts"
import type { AttemptFailed, InDoubt, Outcome } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { Bounds } from "../../text/bounds.ts"
import { copyJson } from "../../text/copy-json.ts"
import { isObject, type Json, setMember } from "../../text/json.ts"
import {
  BudgetExhausted,
  EffectInDoubt,
  ResultMismatch,
  ResultNotPlain,
  ResultTooLarge,
  StepFailed,
  StepTimedOut,
  type StopReason,
} from "../failure.ts"
import { tellIssues } from "../misfits.ts"
import type { CallAction } from "../next/next.ts"
import type { ReadyCall } from "../next/prepare.ts"
import { type AnyHandler, type CallContext, NotApplied, type Principal } from "../toolbox.ts"
import { describeThrown } from "./describe.ts"
import type { Watch } from "./watch.ts"

/** What calls of one run have in common. */
export interface Worker {
  readonly runId: string
  readonly principal: Required<Principal>
  readonly handlers: ReadonlyMap<string, AnyHandler>
  readonly bounds: Bounds
  readonly watch: Watch
  readonly context: Context<never>
}

/** How long a call may take, and what is used up when it takes longer: the tool's own time, or the run's. */
export interface TimeLimit {
  readonly ms: number
  readonly exhausts?: { readonly budget: "wallMs" | "deadlineMs"; readonly max: number }
}

/** How a call ended. */
type Ending =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "late" }

/**
 * Calls the handler of a step. When it is interrupted the handler's signal is aborted and nothing is said: an effect's intent
 * then stays without an outcome, which is the truth. What a call says after it was given up is not heard.
 */
export const perform = (
  worker: Worker,
  action: CallAction,
  limit: TimeLimit,
): Effect.Effect<Outcome | AttemptFailed | InDoubt> =>
  Effect.callback((resume) => {
    const { watch } = worker
    const beganMs = watch.nowMs()
    let open = true
    let fiber: Fiber<unknown, unknown> | undefined
    const context = new Calling(worker, action)
    const giveUp = (): void => {
      context.abort()
      fiber?.interruptUnsafe()
    }
    const settle = (ending: Ending): void => {
      if (!open) return
      open = false
      watch.stop()
      const tookMs = watch.nowMs() - beganMs
      if (ending.kind === "late") giveUp()
      resume(Effect.sync(() => tell(ending, worker.bounds, action, limit, tookMs)))
    }
    const returned = invoke(worker, action, context)
    if (returned.kind !== "returned") settle(returned)
    else if (answersBy(Effect.isEffect, returned.value)) {
      fiber = Effect.runForkWith(worker.context)(returned.value as Effect.Effect<unknown, unknown>)
      fiber.addObserver((exit) => settle(endingOf(exit)))
    } else if (answersBy(isThenable, returned.value)) {
      Promise.resolve(returned.value).then(
        (value) => settle({ kind: "returned", value }),
        (error: unknown) => settle({ kind: "threw", error }),
      )
    } else settle(returned)
    if (open) watch.start(beganMs + limit.ms, () => settle({ kind: "late" }))
    return Effect.sync(() => {
      open = false
      watch.stop()
      giveUp()
    })
  })

function invoke({ handlers }: Worker, { call, args }: CallAction, context: CallContext): Ending {
  try {
    // Its own copy: what a handler does to its arguments, now or later, changes nothing of ours.
    return { kind: "returned", value: handlers.get(call.tool.name)?.(copy(args), context) }
  } catch (error) {
    return { kind: "threw", error }
  }
}

const isThenable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function"

/** Whatever stands in the way of asking, the value has been returned: it is looked at as a result. */
function answersBy(ask: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return ask(value)
  } catch {
    return false
  }
}

const endingOf = (exit: Exit<unknown, unknown>): Ending =>
  exit._tag === "Success" ? { kind: "returned", value: exit.value } : { kind: "threw", error: Cause.squash(exit.cause) }

function copy(value: Json): Json {
  if (Array.isArray(value)) return value.map(copy)
  if (!isObject(value)) return value
  const object: Record<string, Json> = {}
  for (const key of Object.keys(value)) setMember(object, key, copy(value[key] as Json))
  return object
}

/** What handlers see of the run. The signal is made when it is first asked for: most do not ask. */
class Calling implements CallContext {
  readonly idempotencyKey: string | undefined
  readonly attempt: number
  readonly principal: Required<Principal>
  readonly runId: string
  readonly stepId: string
  #controller: AbortController | undefined
  #aborted = false

  constructor({ principal, runId }: Worker, { call, attempt, idempotencyKey }: CallAction) {
    this.idempotencyKey = idempotencyKey
    this.attempt = attempt
    this.principal = principal
    this.runId = runId
    this.stepId = call.step.id
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#aborted) this.#controller.abort()
    return this.#controller.signal
  }

  abort(): void {
    this.#aborted = true
    this.#controller?.abort()
  }
}

/** The event that an ending is, by what is known of it: an effect that may have happened is never called failed. */
function tell(
  ending: Ending,
  bounds: Bounds,
  { call, attempt }: CallAction,
  limit: TimeLimit,
  took: number,
): Outcome | AttemptFailed | InDoubt {
  const { tool } = call
  const stepId = call.step.id
  const name = tool.name
  const tookMs = Math.max(0, Math.round(took))
  const failed = (reason: StopReason): AttemptFailed => ({
    kind: "attempt-failed",
    stepId,
    attempt,
    tookMs,
    failure: record(reason),
  })
  const doubt = (said: string): InDoubt => {
    const failure = record(new EffectInDoubt({ stepId, tool: name, said }))
    return { kind: "in-doubt", stepId, attempt, tookMs, failure }
  }
  switch (ending.kind) {
    case "returned": {
      const { result, reason } = admitResult(ending.value, call, bounds)
      if (reason === undefined) return { kind: "outcome", stepId, attempt, tookMs, result: result ?? null }
      if (!tool.mutates) return failed(reason)
      const failure = record(reason)
      return { kind: "outcome", stepId, attempt, tookMs, ...(result === undefined ? {} : { result }), failure }
    }
    case "threw": {
      const said = describeThrown(ending.error)
      if (tool.mutates && !isNotApplied(ending.error)) return doubt(`\`${name}\` said: ${said}`)
      return failed(new StepFailed({ stepId, tool: name, said }))
    }
    case "late":
      if (tool.mutates) return doubt(`\`${name}\` did not answer within ${limit.ms} ms`)
      if (limit.exhausts === undefined) return failed(new StepTimedOut({ stepId, tool: name, timeoutMs: limit.ms }))
      return failed(new BudgetExhausted({ ...limit.exhausts, stepId, used: limit.exhausts.max, because: "" }))
  }
}

const isNotApplied = (error: unknown): boolean => answersBy((asked) => asked instanceof NotApplied, error)

interface Admitted {
  /** As far as it could be written down. */
  readonly result?: Json
  readonly reason?: StopReason
}

/** A handler that returns nothing has returned null. */
function admitResult(
  value: unknown,
  { tool, step }: ReadyCall,
  { depth, nodes, resultBytes: bytes }: Bounds,
): Admitted {
  const copied = copyJson(value === undefined ? null : value, { depth, nodes, bytes }, { numbers: "finite" })
  const stepId = step.id
  if (!copied.ok) {
    const { at, problem } = copied
    if (problem.startsWith("more than ")) return { reason: new ResultTooLarge({ stepId, tool: tool.name, problem }) }
    return { reason: new ResultNotPlain({ stepId, tool: tool.name, at: at || "/", problem }) }
  }
  const result = copied.value
  const issues = tool.result === undefined ? [] : judgeWhole(tool.result, result)
  if (issues.length === 0) return { result }
  return { result, reason: new ResultMismatch({ stepId, tool: tool.name, misfits: tellIssues(issues) }) }
}
