/** Asks a handler: its world of promises, throws and silence comes in here, and one ending goes out. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Fiber } from "effect/Fiber"
import { isObject, type Json } from "../../text/json.ts"
import type { AnyHandler } from "../toolbox.ts"
import type { Worker } from "./call.ts"
import { type Answer, type Ending, threw } from "./ending.ts"
import { Isolated } from "./isolated/isolated.ts"
import { maskFor } from "./mask.ts"
import { type Taken, take } from "./take.ts"
import { type Facts, Told } from "./told.ts"

export interface Question<For extends keyof Taken> {
  readonly for: For
  readonly handler: AnyHandler | Isolated
  /** What it is called with, before the context. */
  readonly inputs: readonly Json[]
  readonly facts: Facts
  readonly limitMs: number
  /** Of the time in which an effect must be begun. */
  readonly leftMs?: (() => number) | undefined
  /** Whether it may be cut off from outside. */
  readonly cutOff: boolean
  /** Hears what the handler says after it was given up. */
  readonly afterwards: (answer: Answer<Taken[For]>) => void
}

export interface Ended<Value> {
  readonly ending: Ending<Value>
  readonly tookMs: number
}

/** Heard once. The answer is looked at only when it is asked for. */
type Hear<Value> = (answer: () => Answer<Value>) => void
type Abort = () => void

/**
 * Asks, and waits for as long as it may take. When it is interrupted, nothing is said here: an effect's intent then stays without
 * an outcome, which is the truth. Whoever gives up aborts the handler's signal, and goes on listening.
 */
export const ask = <For extends keyof Taken>(
  worker: Worker,
  question: Question<For>,
): Effect.Effect<Ended<Taken[For]>> =>
  Effect.callback((resume) => {
    const { watch } = worker
    const mask = maskFor(worker.runId, question.for, question.facts.credentials)
    const beganMs = watch.nowMs()
    let open = true
    let heard = false
    let abort: Abort | undefined
    const close = (): void => {
      open = false
      watch.stop()
      if (question.cutOff) worker.cutOff = undefined
    }
    const end = (ending: () => Ending<Taken[For]>): void => {
      close()
      const tookMs = Math.max(0, Math.round(watch.nowMs() - beganMs))
      resume(Effect.sync(() => ({ ending: ending(), tookMs })))
    }
    const giveUp = (kind: "late" | "cut-off"): void => {
      if (!open) return
      end(() => ({ kind }))
      abort?.()
    }
    const hear: Hear<Taken[For]> = (answer) => {
      if (heard) return
      heard = true
      if (open) end(() => mask(answer()))
      else question.afterwards(mask(answer()))
    }
    if (question.cutOff) worker.cutOff = () => giveUp("cut-off")
    abort = begin(worker, question, hear)
    if (open) watch.start(beganMs + question.limitMs, () => giveUp("late"))
    return Effect.sync(() => {
      close()
      abort()
    })
  })

function begin<For extends keyof Taken>(
  { bounds, context }: Worker,
  { handler, inputs, facts, leftMs, for: asked }: Question<For>,
  hear: Hear<Taken[For]>,
): Abort {
  // Its own copies: what a handler does to its arguments, now or later, changes nothing of ours.
  if (handler instanceof Isolated) return handler.begin({ for: asked, inputs, facts, bounds }, leftMs, hear)
  const told = new Told(facts)
  const hold = (value: unknown): void => hear(() => ({ kind: "returned", value: take[asked](value, bounds) }))
  const refuse = (error: unknown): void => hear(() => threw(error))
  let fiber: Fiber<unknown, unknown> | undefined
  let aborted = false
  try {
    if (leftMs !== undefined && leftMs() < 0) {
      hear(() => ({ kind: "too-late" }))
      return () => {}
    }
    const value: unknown = (handler as (...given: readonly unknown[]) => unknown)(...inputs.map(copy), told)
    if (answersBy(Effect.isEffect, value)) {
      fiber = Effect.runForkWith(context)(value as Effect.Effect<unknown, unknown>)
      fiber.addObserver((exit) => {
        if (exit._tag === "Success") hold(exit.value)
        // What was interrupted by us has said nothing.
        else if (!aborted || !Cause.hasInterruptsOnly(exit.cause)) refuse(Cause.squash(exit.cause))
      })
    } else follow(value, hold, refuse)
  } catch (error) {
    refuse(error)
  }
  return () => {
    aborted = true
    told.abort()
    fiber?.interruptUnsafe()
  }
}

/** How many promises may stand within one another. One that comes to itself would be followed for ever. */
const promisesMax = 10

/** Waits for what is like a promise, and for what that comes to. */
function follow(
  value: unknown,
  hold: (value: unknown) => void,
  refuse: (error: unknown) => void,
  left = promisesMax,
): void {
  let then: unknown
  const waits = answersBy((thenable) => {
    then = thenOf(thenable)
    return typeof then === "function"
  }, value)
  if (!waits || left === 0) {
    hold(value)
    return
  }
  let answered = false
  const once = (inner: unknown): void => {
    if (answered) return
    answered = true
    follow(inner, hold, refuse, left - 1)
  }
  try {
    Reflect.apply(then as () => void, value, [once, refuse])
  } catch (error) {
    refuse(error)
  }
}

const thenOf = (value: unknown): unknown =>
  (typeof value === "object" && value !== null) || typeof value === "function"
    ? (value as { readonly then?: unknown }).then
    : undefined

/** Whatever stands in the way of asking, the value has been returned: it is looked at as a result. */
function answersBy(question: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return question(value)
  } catch {
    return false
  }
}

function copy(value: Json): Json {
  if (Array.isArray(value)) return value.map(copy)
  if (!isObject(value)) return value
  const object: Record<string, Json> = { ...value }
  // Each is a member of its own by now, whatever it is called.
  for (const key of Object.keys(object)) {
    const inner = object[key] as Json
    if (typeof inner === "object" && inner !== null) object[key] = copy(inner)
  }
  return object
}
