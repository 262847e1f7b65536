/** A worker: takes up what is due in a store, so that no run waits for somebody to think of it. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Catalog } from "../catalog/catalog.ts"
import { changedParts, sliceFor } from "../catalog/slice.ts"
import type { RunStarted } from "../journal/entry.ts"
import type { JournalNewer, StoreUnavailable } from "../journal/failure.ts"
import { Journal } from "../journal/journal.ts"
import type { RunState } from "../journal/state.ts"
import { refuseCount, sayFound } from "./admit.ts"
import { type HandlerMissing, InputsRefused } from "./failure.ts"
import { type Ids, live } from "./ids.ts"
import type { OnEvent } from "./listener.ts"
import { type OnRequested, Outbox } from "./outbox.ts"
import { type Driving, goOn, readState } from "./run.ts"
import { listen, silent, type Telemetry, type TelemetryLayer } from "./telemetry.ts"
import { equip, isToolbox, type Toolbox } from "./toolbox.ts"

/** What does the work of a run that is due: by its first entry, where a host has several catalogs. */
export type ToolsFor = (started: RunStarted) => Toolbox | PromiseLike<Toolbox>

/** Told of what stands in the way: of one run, or (without its id) of all. Once for each run and reason, not at every attempt. */
export type OnError = (error: unknown, runId: string | undefined) => void

export interface WorkOptions
  extends Pick<Driving, "onEvent" | "onTakeUp" | "leaseMs" | "approvers" | "credentials" | "keySecret"> {
  /**
   * The toolbox; or several, of several catalogs or of one before and after a deploy: a run is given to the first whose catalog is
   * what it was compiled for. Or a function that finds it.
   */
  readonly tools: Toolbox | readonly Toolbox[] | ToolsFor
  /** How many runs are worked on at once. Default 4. */
  readonly concurrency?: number | undefined
  /** How often the store is asked what is due, in milliseconds. Default 1,000. */
  readonly everyMs?: number | undefined
  /** Ends when nothing is due and nothing under way. */
  readonly untilIdle?: boolean | undefined
  /** How long calls under way are waited for when the worker is stopped, in milliseconds. Default 30,000. */
  readonly graceMs?: number | undefined
  readonly onError?: OnError | undefined
  /** Told of what waits for a person, whoever made the run: at least once for each request, tried again until it has answered. */
  readonly onRequested?: OnRequested | undefined
}

export interface WorkerOptions extends WorkOptions {
  /** `sqlite(file)`, or whatever other processes write to as well. */
  readonly store: Layer.Layer<Journal, StoreUnavailable | JournalNewer>
  readonly ids?: Layer.Layer<Ids>
  /** Where spans and metrics go. Left out, nothing is measured. */
  readonly telemetry?: TelemetryLayer | undefined
}

export interface Worker {
  /**
   * Takes up nothing new, waits for the calls under way, lets go of their runs (others may go on with them at once), and closes
   * the store. What is still under way after `graceMs` is left as a process that ends would leave it.
   */
  readonly stop: () => Promise<void>
  /** Settles when the worker has stopped; rejects where it could not work at all: the store. */
  readonly stopped: Promise<void>
}

/**
 * Works until it is stopped: `const worker = createWorker({ store: sqlite("runs.db"), tools })`, `await worker.stop()`. Throws where
 * its own options are refused: nobody may ever ask a worker anything.
 */
export function createWorker(options: WorkerOptions): Worker {
  const refused = admit(options)
  if (refused !== undefined) throw refused
  const { store, ids = live } = options
  const listening = listen(options.telemetry, options)
  const runtime = ManagedRuntime.make(Layer.mergeAll(store, ids, listening.layer))
  const fiber = runtime.runFork(work(options, listening))
  const stopped = new Promise<void>((done, fail) => {
    fiber.addObserver((exit) => {
      const interrupted = Exit.isSuccess(exit) || Exit.hasInterrupts(exit)
      const failed = interrupted ? undefined : Exit.findErrorOption(exit)
      runtime
        .dispose()
        .then(() => (interrupted ? done() : fail(failed?._tag === "Some" ? failed.value : exit.cause)), fail)
    })
  })
  // Whoever only stops it is told there.
  stopped.catch(() => {})
  return {
    stop: async () => {
      fiber.interruptUnsafe()
      await stopped
    },
    stopped,
  }
}

/** The same as an Effect, that works until it is interrupted, and is done when all is let go of. */
export const work = (
  options: WorkOptions,
  telemetry: Telemetry = { ...silent, onEvent: options.onEvent, onTakeUp: options.onTakeUp },
): Effect.Effect<void, InputsRefused | HandlerMissing, Journal | Ids> =>
  Effect.suspend(() => {
    const refused = admit(options)
    return refused === undefined ? loop(options, telemetry) : Effect.fail(refused)
  })

function admit({
  tools,
  concurrency = 1,
  everyMs = 1,
  graceMs = 0,
}: WorkOptions): InputsRefused | HandlerMissing | undefined {
  for (const [name, value, min] of [
    ["concurrency", concurrency, 1],
    ["everyMs", everyMs, 1],
    ["graceMs", graceMs, 0],
  ] as const) {
    if (Number.isSafeInteger(value) && value >= min) continue
    return refuseCount(`\`${name}\``, value, min, "worker")
  }
  const boxes = typeof tools === "function" ? [] : [tools].flat()
  if (typeof tools === "function" || (boxes.length > 0 && boxes.every(isToolbox)))
    return boxes.find(({ fault }) => fault !== undefined)?.fault
  return new InputsRefused({
    of: "worker",
    field: "`tools`",
    problem: `must be what \`toolbox\` makes, but ${sayTools(tools, boxes)}`,
    expected: "Give a toolbox, a list of them, or a function that finds one.",
  })
}

function sayTools(tools: unknown, boxes: readonly unknown[]): string {
  if (!Array.isArray(tools)) return sayFound(tools)
  const strange = boxes.find((box) => !isToolbox(box))
  return boxes.length === 0 ? "the list is empty" : `one of the list ${sayFound(strange)}`
}

/** Why a run was not taken further, and when that is tried again. */
interface Trouble {
  readonly said: string
  readonly failures: number
  readonly sinceMs: number
  readonly pauseMs: number
}

/** Not before its pause is over, by a clock that may have been set back. */
const isPaused = (trouble: Trouble | undefined, nowMs: number): boolean =>
  trouble !== undefined && nowMs >= trouble.sinceMs && nowMs < trouble.sinceMs + trouble.pauseMs

const loop = Effect.fnUntraced(function* (
  {
    tools,
    concurrency = 4,
    everyMs = 1_000,
    graceMs = 30_000,
    untilIdle,
    onError,
    leaseMs,
    approvers,
    credentials,
    keySecret,
    onRequested,
  }: WorkOptions,
  telemetry: Telemetry,
): Effect.fn.Return<void, never, Journal | Ids> {
  const journal = yield* Journal
  const clock = yield* Clock
  const underWay = new Map<string, Fiber.Fiber<void>>()
  const troubles = new Map<string | undefined, Trouble>()
  const freed = Latch.makeUnsafe(false)
  let stopping = false

  const note = (error: unknown, runId: string | undefined): void => {
    const before = troubles.get(runId)
    const [said, failures] = [sayError(error), (before?.failures ?? 0) + 1]
    const sinceMs = clock.currentTimeMillisUnsafe()
    troubles.set(runId, { said, failures, sinceMs, pauseMs: backoffMs(failures, everyMs) })
    if (before?.said !== said) tellError(onError, error, runId)
  }

  const { onTakeUp } = telemetry
  const run = Effect.runPromiseWith(yield* Effect.context<Journal | Ids>())
  let outbox: Outbox | undefined
  const onEvent: OnEvent = (entry) => {
    outbox?.note(entry)
    return telemetry.onEvent?.(entry)
  }
  if (onRequested !== undefined)
    outbox = new Outbox(run, { onRequested, onEvent, onError: (error, runId) => tellError(onError, error, runId) })
  const driving: Driving = { leaseMs, approvers, credentials, keySecret, onEvent, onTakeUp, stopping: () => stopping }

  const goOnWith = (runId: string): Effect.Effect<void, never, Journal | Ids> =>
    Effect.gen(function* () {
      const state = yield* readState(journal, runId, undefined)
      const toolbox = yield* Effect.tryPromise({ try: async () => findTools(tools, state), catch: (error) => error })
      yield* goOn(state, isToolbox(toolbox) ? toolbox : equip({ tools: toolbox }), driving)
      troubles.delete(runId)
    }).pipe(
      Effect.catch((error) => Effect.sync(() => (isRaced(error) ? undefined : note(error, runId)))),
      Effect.catchDefect((defect) => Effect.sync(() => note(defect, runId))),
      Effect.ensuring(
        Effect.sync(() => {
          underWay.delete(runId)
          freed.openUnsafe()
        }),
      ),
    )

  /** True where there is more to do than may be done at once. */
  const takeUpDue = Effect.gen(function* () {
    const nowMs = clock.currentTimeMillisUnsafe()
    const free = concurrency - underWay.size
    if (free === 0) return true
    // Runs in trouble stand in front: they have waited longest.
    const due = yield* journal.due(nowMs, free + underWay.size + troubles.size)
    troubles.delete(undefined)
    const found = due.filter((runId) => !underWay.has(runId) && !isPaused(troubles.get(runId), nowMs))
    for (const runId of found.slice(0, free)) {
      // It is in the map before it can have ended.
      const begun = Effect.andThen(Effect.yieldNow, goOnWith(runId))
      underWay.set(runId, yield* Effect.forkDetach(begun))
    }
    yield* telemetry.measure(journal, nowMs)
    return found.length >= free
  }).pipe(
    Effect.catch((error) => {
      note(error, undefined)
      return Effect.succeed(false)
    }),
  )

  const keepOn = Effect.gen(function* () {
    for (;;) {
      freed.closeUnsafe()
      const more = yield* takeUpDue
      if (untilIdle && underWay.size === 0) return
      const rest = Effect.sleep(everyMs)
      yield* more || untilIdle ? Effect.raceFirst(rest, freed.await) : rest
    }
  })

  const windUp = Effect.gen(function* () {
    stopping = true
    const delivered = Effect.promise(async () => outbox?.close(graceMs))
    const fibers = [...underWay.values()]
    yield* Effect.raceFirst(Fiber.awaitAll(fibers), Effect.sleep(graceMs))
    yield* Fiber.interruptAll(fibers)
    yield* delivered
  })
  return yield* Effect.ensuring(keepOn, windUp)
})

/** Somebody else is at work on it, or was first: that is what leases are for. */
const isRaced = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  ["RunUnderWay", "LeaseLost", "JournalConflict", "RunNotFound"].includes(`${error._tag}`)

/** Doubled each time: what cannot be mended by waiting is not asked for every second. */
const backoffMs = (failures: number, everyMs: number): number => Math.min(everyMs * 2 ** failures, 600_000)

function tellError(onError: OnError | undefined, error: unknown, runId: string | undefined): void {
  try {
    onError?.(error, runId)
  } catch {
    // As of OnEvent.
  }
}

function sayError(error: unknown): string {
  try {
    return String(error)
  } catch {
    return "something that cannot be told"
  }
}

/**
 * The toolbox for a run: one whose catalog still means to it what it began with; else one that has its tools, to settle and undo
 * what was begun.
 */
async function findTools(tools: WorkOptions["tools"], { started }: RunState): Promise<Toolbox | undefined> {
  if (typeof tools === "function") return tools(started)
  const boxes = [tools].flat()
  const called = started.document.steps.flatMap(({ tool }) => (tool === undefined ? [] : [tool]))
  // Of an open run any tool may be called next.
  const named = (catalog: Catalog) => (started.open === undefined ? called : catalog.tools.keys())
  return (
    boxes.find(({ catalog }) => changedParts(started.slice, sliceFor(catalog, named(catalog))).length === 0) ??
    boxes.find(({ handlers }) => Object.keys(started.tools).every((name) => handlers.has(name))) ??
    boxes[0]
  )
}
