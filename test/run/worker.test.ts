/** A worker: what is due is taken up, as many at once as may be, and no bad run stops the others. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { defineCatalog } from "sequitur"
import {
  createWorker,
  decide,
  execute,
  type Handlers,
  type Ids,
  Journal,
  memory,
  seededIds,
  type Toolbox,
  toolbox,
  type WorkOptions,
  work,
} from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, describe, expect, test } from "vitest"
import {
  type Calls,
  catalog,
  countCalls,
  type Desk,
  guarded,
  guardedPlan,
  handlersOf,
  planOf,
  refundPlan,
  scope,
  calls as steps,
} from "./desk.ts"

const box = (calls: Calls, of = guarded as typeof catalog, instead: Partial<Handlers<Desk>> = {}): Toolbox =>
  toolbox(of, handlersOf(calls, instead)) as unknown as Toolbox

/** A store and ids of the test's own, and a worker on them for as long as the test goes on. */
const office = (options: Omit<WorkOptions, "tools"> & { readonly tools: WorkOptions["tools"] }) =>
  Effect.gen(function* () {
    const services = yield* Effect.scoped(Layer.build(Layer.merge(memory(), seededIds("office"))))
    const provide = <A, E>(effect: Effect.Effect<A, E, Journal | Ids>) => Effect.provideContext(effect, services)
    const journal = Context.get(services, Journal)
    const begin = Effect.forkChild(provide(work(options)))
    const statuses = Effect.map(journal.list(), (runs) =>
      Object.fromEntries(runs.map((run) => [run.runId, run.status])),
    )
    return { provide, journal, begin, statuses }
  })

/** Promises of handlers settle by the clock on the wall. */
const settle = Effect.promise(async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise((done) => setImmediate(done))
  await new Promise((done) => setTimeout(done, 10))
})
const pass = (ms: number) => Effect.andThen(TestClock.adjust(ms), settle)

const start = (runId: string, calls: Calls, plan = guardedPlan, of = guarded as typeof catalog) =>
  execute(plan as never, { ...scope, taskId: runId, runId, catalog: of, tools: box(calls, of) as never })

describe("takes up", () => {
  it.effect("a run that was approved by `decide`", () =>
    Effect.gen(function* () {
      const calls = countCalls()
      const { provide, begin, statuses } = yield* office({ tools: box(calls) })
      yield* provide(start("one", calls))
      const worker = yield* begin
      yield* pass(5_000)
      expect(yield* statuses).toEqual({ one: "awaiting_approval" })
      yield* provide(decide("one", "open", { decision: "approved", by: "eve" }))
      yield* pass(1_000)
      expect(yield* statuses).toEqual({ one: "succeeded" })
      expect([calls.count("cancel"), calls.count("refund")]).toEqual([1, 1])
      yield* Fiber.interrupt(worker)
    }),
  )

  it.effect("a run that somebody asked to be cancelled", () =>
    Effect.gen(function* () {
      const calls = countCalls()
      const { provide, begin, statuses, journal } = yield* office({ tools: box(calls) })
      yield* provide(start("one", calls))
      yield* journal.append("one", [
        { seq: 4, atMs: 0, event: { kind: "cancel-requested", by: "eve", reason: "no more" } },
      ])
      const worker = yield* begin
      yield* pass(1_000)
      expect(yield* statuses).toEqual({ one: "cancelled" })
      yield* Fiber.interrupt(worker)
    }),
  )

  it.effect("a run whose owner is heard of no more, and not before", () =>
    Effect.gen(function* () {
      const calls = countCalls()
      const { journal, begin, statuses } = yield* office({ tools: box(calls, catalog) })
      const stuck = toolbox(catalog, handlersOf(countCalls(), { find: () => new Promise<never>(() => {}) }))
      const options = { ...scope, runId: "one", catalog, tools: stuck, leaseMs: 10_000 }
      // It ends as a process does: nothing is written any more.
      let dead = false
      const mortal: typeof journal = {
        ...journal,
        append: (...args) => (dead ? Effect.never : journal.append(...args)),
        renew: (...args) => (dead ? Effect.never : journal.renew(...args)),
      }
      const dying = yield* Effect.forkDetach(
        execute(refundPlan, options).pipe(
          Effect.provide(Layer.merge(Layer.succeed(Journal, mortal), seededIds("dying"))),
        ),
      )
      yield* settle
      dead = true
      dying.interruptUnsafe()
      const worker = yield* begin
      yield* pass(9_000)
      expect(calls.made).toEqual([])
      yield* pass(2_000)
      expect(yield* statuses).toEqual({ one: "succeeded" })
      expect(calls.count("refund")).toBe(1)
      yield* Fiber.interrupt(worker)
    }),
  )

  it.effect("a run that waits past its deadline, to end it", () =>
    Effect.gen(function* () {
      const calls = countCalls()
      const of = defineCatalog({ ...guarded.spec, budgets: { deadlineMs: 60_000 } })
      const plan = planOf([steps.find, { id: "open", transition: "CHANGING" }, steps.cancel], of)
      const tools = box(calls, of as never)
      const { provide, begin, statuses } = yield* office({ tools })
      yield* provide(execute(plan, { ...scope, runId: "one", catalog: of as never, tools: tools as never }))
      const worker = yield* begin
      yield* pass(60_000)
      expect(yield* statuses).toEqual({ one: "awaiting_approval" })
      yield* pass(2_000)
      expect(yield* statuses).toEqual({ one: "exhausted" })
      expect(calls.count("cancel")).toBe(0)
      yield* Fiber.interrupt(worker)
    }),
  )
})

describe("bounds", () => {
  it.effect("how many runs are worked on at once, and goes on with the next as soon as one is done", () =>
    Effect.gen(function* () {
      const calls = countCalls()
      const gates: (() => void)[] = []
      let most = 0
      let now = 0
      const cancel = async ({ id }: { readonly id: string }) => {
        most = Math.max(most, ++now)
        await new Promise<void>((done) => gates.push(done))
        now--
        return { id, proratedCents: 2_450 }
      }
      const tools = box(calls, guarded as never, { cancel })
      const { provide, begin, statuses } = yield* office({ tools, concurrency: 2 })
      for (const runId of ["a", "b", "c", "d", "e"]) {
        yield* provide(start(runId, countCalls()))
        yield* provide(decide(runId, "open", { decision: "approved", by: "eve" }))
      }
      const worker = yield* begin
      yield* settle
      expect(gates).toHaveLength(2)
      gates.shift()?.()
      yield* settle
      // No time has passed by the clock.
      expect([gates.length, most]).toEqual([2, 2])
      for (let open = gates.shift(); open !== undefined; open = gates.shift()) {
        open()
        yield* settle
      }
      expect(Object.values(yield* statuses)).toEqual(Array(5).fill("succeeded"))
      expect(most).toBe(2)
      yield* Fiber.interrupt(worker)
    }),
  )

  it.effect("what cannot be done is told once, asked for less and less often, and stops no other", () =>
    Effect.gen(function* () {
      const calls = countCalls()
      const told: unknown[] = []
      const changed = defineCatalog({ ...guarded.spec, budgets: { sideEffects: 7 } })
      let asked = 0
      const { provide, begin, statuses } = yield* office({
        concurrency: 1,
        tools: (started) => {
          asked += started.taskId === "bad" ? 1 : 0
          return box(calls, (started.taskId === "bad" ? changed : guarded) as never)
        },
        onError: (error, runId) => told.push([runId, (error as { code: string }).code]),
      })
      for (const runId of ["bad", "good"]) {
        yield* provide(start(runId, countCalls()))
        yield* provide(decide(runId, "open", { decision: "approved", by: "eve" }))
      }
      const worker = yield* begin
      for (let second = 0; second < 60; second++) yield* pass(1_000)
      expect(yield* statuses).toEqual({ bad: "running", good: "succeeded" })
      expect(told).toEqual([["bad", "RUN202"]])
      expect(asked).toBeGreaterThan(3)
      expect(asked).toBeLessThan(8)
      yield* Fiber.interrupt(worker)
    }),
  )

  it.effect("a toolbox that cannot be found, a store that cannot be asked, an `onError` that throws: it goes on", () =>
    Effect.gen(function* () {
      const calls = countCalls()
      let broken = true
      const { provide, begin, statuses } = yield* office({
        tools: () => {
          if (broken) throw new Error("not yet")
          return box(calls)
        },
        onError: () => {
          throw new Error("nobody listens")
        },
      })
      yield* provide(start("one", countCalls()))
      yield* provide(decide("one", "open", { decision: "approved", by: "eve" }))
      const worker = yield* begin
      yield* pass(1_000)
      broken = false
      yield* pass(4_000)
      expect(yield* statuses).toEqual({ one: "succeeded" })
      yield* Fiber.interrupt(worker)
    }),
  )
})

describe("several toolboxes", () => {
  it.effect("each run is given to the one whose catalog it was compiled for", () =>
    Effect.gen(function* () {
      const [old, now] = [countCalls(), countCalls()]
      const changed = defineCatalog({ ...guarded.spec, budgets: { sideEffects: 7 } }) as never
      const { provide, begin, statuses } = yield* office({ tools: [box(now, changed), box(old)] })
      yield* provide(start("one", countCalls()))
      yield* provide(decide("one", "open", { decision: "approved", by: "eve" }))
      const worker = yield* begin
      yield* pass(1_000)
      expect(yield* statuses).toEqual({ one: "succeeded" })
      expect([old.count("cancel"), now.made.length]).toEqual([1, 0])
      yield* Fiber.interrupt(worker)
    }),
  )
})

describe("stopping", () => {
  it.effect("waits for the call under way, lets go of the run before its next step, and another goes on at once", () =>
    Effect.gen(function* () {
      const calls = countCalls()
      let open = (): void => {}
      const cancel = async ({ id }: { readonly id: string }) => {
        await new Promise<void>((done) => {
          open = done
        })
        return { id, proratedCents: 2_450 }
      }
      const { provide, begin, statuses, journal } = yield* office({ tools: box(calls, guarded as never, { cancel }) })
      yield* provide(start("one", countCalls()))
      yield* provide(decide("one", "open", { decision: "approved", by: "eve" }))
      const worker = yield* begin
      yield* settle
      const stopping = yield* Effect.forkChild(Fiber.interrupt(worker))
      yield* settle
      expect(stopping.pollUnsafe()).toBeUndefined()
      open()
      yield* settle
      expect(stopping.pollUnsafe()).toBeDefined()
      const kinds = (yield* journal.read("one")).map(({ event }) => event.kind)
      expect(kinds.at(-1)).toBe("outcome")
      expect(yield* statuses).toEqual({ one: "running" })
      expect(yield* journal.due(yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis), 9)).toEqual([
        "one",
      ])
      const next = yield* Effect.forkChild(provide(work({ tools: box(calls) })))
      yield* settle
      expect(yield* statuses).toEqual({ one: "succeeded" })
      expect([calls.count("cancel"), calls.count("refund")]).toEqual([1, 1])
      yield* Fiber.interrupt(next)
    }),
  )

  it.effect("does not wait for ever", () =>
    Effect.gen(function* () {
      const cancel = () => new Promise<never>(() => {})
      const tools = box(countCalls(), guarded as never, { cancel })
      const { provide, begin, statuses } = yield* office({ tools, graceMs: 500 })
      yield* provide(start("one", countCalls()))
      yield* provide(decide("one", "open", { decision: "approved", by: "eve" }))
      const worker = yield* begin
      yield* settle
      const stopping = yield* Effect.forkChild(Fiber.interrupt(worker))
      yield* pass(600)
      expect(stopping.pollUnsafe()).toBeDefined()
      // As of a process that ended: its effect is settled by whoever takes it up.
      expect(yield* statuses).toEqual({ one: "running" })
    }),
  )
})

describe("what it is handed", () => {
  test("is looked at when it is made; and a store that cannot be used rejects `stopped`", async () => {
    const wrong: readonly (readonly [Partial<WorkOptions>, string])[] = [
      [{ tools: undefined as never }, "`tools` of this worker must be what `toolbox` makes, but is missing"],
      [{ tools: [] }, "`tools` of this worker must be what `toolbox` makes, but the list is empty"],
      [
        { tools: ["x"] as never },
        "`tools` of this worker must be what `toolbox` makes, but one of the list is a string",
      ],
      [
        { tools: box(countCalls()), concurrency: 0 },
        "`concurrency` of this worker must be a whole number, 1 or more, but is 0",
      ],
      [
        { tools: box(countCalls()), everyMs: 0.5 },
        "`everyMs` of this worker must be a whole number, 1 or more, but is 0.5",
      ],
    ]
    for (const [options, message] of wrong) {
      const make = () => createWorker({ store: memory(), ...options } as never)
      expect(make).toThrow(expect.objectContaining({ code: "RUN201", message }))
    }
    const unfit = toolbox(catalog, {} as never)
    expect(() => createWorker({ store: memory(), tools: unfit })).toThrow(expect.objectContaining({ code: "RUN203" }))
    const folder = mkdtempSync(join(tmpdir(), "sequitur-worker-"))
    const store = sqlite(join(folder, "none.db"), { create: false })
    await expect(createWorker({ store, tools: box(countCalls()) }).stopped).rejects.toMatchObject({ code: "RUN501" })
    rmSync(folder, { recursive: true })
  })
})

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const processOf = (file: string, ...args: readonly string[]) => {
  const child = spawn(process.execPath, ["--conditions=@sequitur/source", resolve(import.meta.dirname, file), ...args])
  let said = ""
  child.stdout.on("data", (chunk) => {
    said += chunk
  })
  child.stderr.on("data", (chunk) => {
    said += chunk
  })
  const ended = new Promise<void>((done) => child.once("close", () => done()))
  return { child, ended, said: () => said }
}

const until = async (what: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 400; tries++) {
    if (await what()) return
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error("it has not come to that in 20 seconds")
}

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "sequitur-worker-"))
  folders.push(folder)
  return { store: join(folder, "runs.db"), outside: join(folder, "outside") }
}

const statusOf = (store: string, runId: string): Promise<string | undefined> =>
  Effect.runPromise(
    Journal.use((journal) => journal.list()).pipe(
      Effect.map((runs) => runs.find((run) => run.runId === runId)?.status),
      Effect.provide(sqlite(store, { create: false })),
    ),
  )

const outsideOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []

describe("between processes", () => {
  test("what one process began until it was killed, and a second decided, a worker finishes in a third", {
    timeout: 60_000,
  }, async () => {
    const { store, outside } = newFolder()
    const first = processOf("process.ts", store, outside, "after-append:1", "guarded")
    await first.ended
    expect(await statusOf(store, "run")).toBe("awaiting_approval")
    const decided = processOf("process.ts", store, outside, "", "decide", "eve")
    await decided.ended
    const worker = processOf("worker-process.ts", store, outside)
    await until(async () => (await statusOf(store, "run")) === "succeeded")
    expect(new Set(outsideOf(outside)).size).toBe(2)
    expect(outsideOf(outside)).toHaveLength(2)
    worker.child.kill("SIGTERM")
    await worker.ended
    expect(worker.said()).toBe("ready\nstopped\n")
  })

  test("of workers on one file one is killed: others finish its runs, and no effect is made twice", {
    timeout: 120_000,
  }, async () => {
    const { store, outside } = newFolder()
    const layer = Layer.merge(sqlite(store), seededIds("two"))
    const runs = ["r1", "r2", "r3", "r4", "r5", "r6"]
    const each = (act: (runId: string) => Effect.Effect<unknown, unknown, Journal | Ids>) =>
      Effect.runPromise(Effect.provide(Effect.forEach(runs, act), layer))
    await each((runId) => start(runId, countCalls()))
    const worker = async () => {
      const begun = processOf("worker-process.ts", store, outside)
      await until(async () => begun.said().includes("ready"))
      return begun
    }
    const [one, two] = await Promise.all([worker(), worker()])
    await each((runId) => decide(runId, "open", { decision: "approved", by: "eve" }))
    await until(async () => outsideOf(outside).length >= 3)
    one.child.kill("SIGKILL")
    const three = await worker()
    const over = async (): Promise<boolean> => {
      const states = await Promise.all(runs.map((runId) => statusOf(store, runId)))
      return states.every((status) => status === "succeeded" || status === "in_doubt")
    }
    await until(over)
    for (const { child } of [two, three]) child.kill("SIGTERM")
    await Promise.all([two.ended, three.ended])
    const made = outsideOf(outside)
    expect(new Set(made).size).toBe(made.length)
    const states = await Promise.all(runs.map((runId) => statusOf(store, runId)))
    // What the one that was killed had under way cannot be asked after, and is a person's.
    expect(states.filter((status) => status === "in_doubt").length).toBeLessThanOrEqual(4)
    expect(states.filter((status) => status === "succeeded").length).toBeGreaterThanOrEqual(2)
    for (const { said } of [two, three]) expect(said()).toBe("ready\nstopped\n")
  })
})
