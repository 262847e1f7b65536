/**
 * Tells a host of what waits for a person: at least once for each request, whatever becomes of the process that made it. That it was
 * told is written down with the run; until then it is tried again, by every process that was given somebody to tell.
 */
import * as Effect from "effect/Effect"
import { standing } from "../journal/asked.ts"
import { JournalConflict } from "../journal/failure.ts"
import { Journal } from "../journal/journal.ts"
import type { RunState } from "../journal/state.ts"
import { shownIn, type WaitingApproval, waitingIn } from "./approval/waiting.ts"
import { conflictsMax } from "./drive/book.ts"
import type { OnEvent, RunEntry } from "./listener.ts"
import { put } from "./put.ts"
import { readState } from "./run.ts"
import type { Handled } from "./toolbox.ts"

/**
 * Told of each request that waits, without its secrets; perhaps more than once, so that it is known again by `request.requestId`.
 * When it returns, or its promise resolves, or its Effect succeeds, the request counts as delivered. It has 30 seconds; then its `signal` is aborted.
 */
export type OnRequested = (waiting: WaitingApproval, context: { readonly signal: AbortSignal }) => Handled<unknown>

/** How long one attempt may take, and how long after the first that failed comes the next: then twice as long each time. */
const attemptMs = 30_000
const firstPauseMs = 250
const longestPauseMs = 600_000
/** How often the store is looked through for what another process has left untold. */
const scanMs = 10_000

interface Trouble {
  readonly failures: number
  /** By a clock that nobody sets. */
  readonly notBeforeMs: number
}

type Run = <A, E>(effect: Effect.Effect<A, E, Journal>) => Promise<A>

export interface OutboxOptions {
  readonly onRequested: OnRequested
  readonly onEvent?: OnEvent | undefined
  /** Only what waits in this run: whoever has a run of its own leaves the others to theirs. */
  readonly runId?: string | undefined
  /** Told once for each run and reason that it could not be delivered. */
  readonly onError?: ((error: unknown, runId: string) => void) | undefined
}

export class Outbox {
  readonly #run: Run
  readonly #options: OutboxOptions
  readonly #underWay = new Map<string, Promise<void>>()
  readonly #troubles = new Map<string, Trouble>()
  /** Runs that have asked while an attempt for them was under way: it may have looked too early. */
  readonly #missed = new Set<string>()
  /** Requests that were told of by this process: should it be slow to be written down, they are not told of twice. */
  readonly #told = new Set<string>()
  #scanned: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /** Begins with what was left untold. It never keeps its process alive. */
  constructor(run: Run, options: OutboxOptions) {
    this.#run = run
    this.#options = options
    this.#scan()
  }

  /** To be told of each entry as it becomes durable. */
  readonly note = ({ runId, event }: RunEntry): void => {
    const { runId: own = runId } = this.#options
    if (runId !== own || event.kind !== "approval-requested") return
    if (this.#underWay.has(runId)) this.#missed.add(runId)
    else this.#begin(runId)
  }

  /** Waits for the attempts under way, `graceMs` at most. What is not delivered by then, another process delivers. */
  async close(graceMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    // It keeps the process alive: whoever waits for this has nothing else that would.
    const grace = setTimeout(resolve, graceMs)
    await Promise.race([this.#scanned, late])
    this.#closed = true
    clearTimeout(this.#timer)
    await Promise.race([Promise.allSettled(this.#underWay.values()), late])
    clearTimeout(grace)
  }

  #scan(): void {
    const { runId: own } = this.#options
    if (own === undefined) this.#lookRound()
    else this.#begin(own)
    this.#timer = setTimeout(() => this.#scan(), scanMs).unref()
  }

  #lookRound(): void {
    const waiting = Journal.use((journal) => journal.list())
    this.#scanned = this.#run(waiting).then(
      (runs) => {
        for (const { runId, status } of runs) if (status === "awaiting_approval") this.#begin(runId)
      },
      () => {},
    )
  }

  #begin(runId: string): void {
    const trouble = this.#troubles.get(runId)
    if (trouble === undefined || performance.now() >= trouble.notBeforeMs) this.#deliver(runId)
  }

  #deliver(runId: string): void {
    if (this.#closed || this.#underWay.has(runId)) return
    const attempt = this.#attempt(runId).then(
      () => void this.#troubles.delete(runId),
      (error: unknown) => this.#failed(runId, error),
    )
    this.#underWay.set(
      runId,
      attempt.finally(() => {
        this.#underWay.delete(runId)
        if (this.#missed.delete(runId)) this.#begin(runId)
      }),
    )
  }

  #failed(runId: string, error: unknown): void {
    const failures = (this.#troubles.get(runId)?.failures ?? 0) + 1
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))
    this.#troubles.set(runId, { failures, notBeforeMs: performance.now() + pauseMs })
    if (failures === 1) tellError(this.#options.onError, error, runId)
    // When it goes off, it is time, whatever the clock says: timers may be a millisecond early.
    if (!this.#closed) setTimeout(() => this.#deliver(runId), pauseMs).unref()
  }

  async #attempt(runId: string): Promise<void> {
    const state = await this.#run(stateOf(runId))
    const waiting = untold(state)
    if (waiting === undefined) return
    const { requestId } = waiting.request
    if (!this.#told.has(requestId)) {
      await within(attemptMs, async (signal) => {
        const answer = this.#options.onRequested(shownIn(waiting, state), { signal })
        return Effect.isEffect(answer) ? this.#run(answer as Effect.Effect<unknown, unknown>) : answer
      })
      this.#told.add(requestId)
    }
    await this.#run(writeDown(runId, requestId, this.#options.onEvent))
    this.#told.delete(requestId)
  }
}

const stateOf = (runId: string) => Journal.use((journal) => readState(journal, runId, undefined))

/** What waits and was not told of yet. */
function untold(state: RunState): WaitingApproval | undefined {
  const waiting = waitingIn(state)
  if (waiting === undefined || standing(state, waiting.request.stepId)?.delivered === true) return undefined
  return waiting
}

/** Nothing is written of a request that was decided meanwhile. */
const writeDown = (runId: string, requestId: string, onEvent: OnEvent | undefined) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const once = Effect.gen(function* () {
      const state = yield* readState(journal, runId, undefined)
      const request = untold(state)?.request
      if (request?.requestId !== requestId) return
      const { stepId } = request
      yield* put(journal, state, { kind: "request-delivered", requestId, stepId }, undefined, onEvent)
    })
    return yield* Effect.retry(once, { times: conflictsMax, while: (error) => error instanceof JournalConflict })
  })

async function within(ms: number, deliver: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const controller = new AbortController()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new Error(`\`onRequested\` did not answer within ${ms} ms`))
    controller.abort()
  }, ms).unref()
  try {
    await Promise.race([deliver(controller.signal), late])
  } finally {
    clearTimeout(timer)
  }
}

function tellError(onError: OutboxOptions["onError"], error: unknown, runId: string): void {
  try {
    onError?.(error, runId)
  } catch {
    // As of OnEvent.
  }
}
