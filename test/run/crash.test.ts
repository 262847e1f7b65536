/** Crashes: a run that is killed anywhere, again and again, repeats no effect blindly, and ends in a state that tells the truth. */
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { array, assert, asyncProperty, constantFrom, integer, property, record } from "fast-check"
import type { CompiledPlan } from "sequitur"
import {
  type CallContext,
  decide,
  execute,
  type Handlers,
  Journal,
  type JournalService,
  memory,
  resume,
  StoreUnavailable,
  seededIds,
  toolbox,
  verify,
} from "sequitur/run"
import { describe, expect, test } from "vitest"
import { replay } from "../../src/journal/state.ts"
import {
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

/** Where a life ends: just before its n-th append or just after, in its n-th call before the work is done or just after. */
interface Death {
  readonly at: "before-append" | "after-append" | "before-work" | "after-work"
  readonly count: number
}

interface Setting {
  readonly plan: CompiledPlan
  readonly of: typeof catalog | typeof guarded
}

const runId = "run"

/** One life: the run is begun or taken up, until it stops by itself ("awaiting_approval", "RunEnded", …) or dies. */
const live = (
  { plan, of }: Setting,
  journal: JournalService,
  outside: string[],
  death: Death | undefined,
): Promise<string> =>
  Effect.gen(function* () {
    const died = yield* Deferred.make<string>()
    const die = Deferred.succeed(died, "dead")
    let appends = 0
    let calls = 0
    const now = (at: Death["at"], count: number): boolean => death?.at === at && death.count === count
    const mortal: JournalService = {
      ...journal,
      append: (id, records, as) =>
        Effect.suspend(() => {
          const count = appends++
          if (now("before-append", count)) return Effect.andThen(die, Effect.die("dead"))
          const written = journal.append(id, records, as)
          return now("after-append", count) ? Effect.andThen(written, Effect.andThen(die, Effect.die("dead"))) : written
        }),
    }
    const mortalHandlers = Object.entries(handlersOf(countCalls())).map(([name, handler]) => [
      name,
      (args: unknown, context: CallContext) => {
        const count = calls++
        if (now("before-work", count)) return Effect.andThen(die, Effect.never)
        if (context.idempotencyKey !== undefined) outside.push(context.idempotencyKey)
        if (now("after-work", count)) return Effect.andThen(die, Effect.never)
        return (handler as (args: unknown, context: CallContext) => unknown)(args, context)
      },
    ])
    const box = toolbox(of as typeof catalog, Object.fromEntries(mortalHandlers) as Handlers<Desk>)
    const begun = (yield* journal.read(runId)).length > 0
    // Who comes next knows that the one before is dead.
    const go = begun
      ? resume(runId, { catalog: box.catalog, tools: box, takeOver: true })
      : execute(plan, { ...scope, runId, catalog: box.catalog, tools: box })
    const life = Effect.map(go, ({ status }): string => status).pipe(
      Effect.catch(({ _tag }) => Effect.succeed<string>(_tag)),
      Effect.catchDefect(() => Effect.succeed("dead")),
      Effect.provide(Layer.merge(Layer.succeed(Journal, mortal), seededIds(1))),
    )
    return yield* Effect.raceFirst(life, Deferred.await(died))
  }).pipe(Effect.runPromise)

/** Lives and dies, is approved where it waits, and is taken up once more than it has died. */
async function survive(setting: Setting, deaths: readonly Death[]) {
  const services = await Effect.runPromise(Effect.scoped(Layer.build(memory())))
  const journal = Context.get(services, Journal)
  const outside: string[] = []
  const ways: string[] = []
  for (let lives = 0; lives < deaths.length + 3; lives++) {
    const way = await live(setting, journal, outside, deaths[lives])
    ways.push(way)
    if (way === "awaiting_approval") {
      const decision = decide(runId, "open", { decision: "approved", by: "bob" })
      await Effect.runPromise(Effect.provideContext(decision, services))
    } else if (way !== "dead") break
  }
  const entries = await Effect.runPromise(journal.read(runId))
  const state = replay(runId, entries)
  if (state instanceof Error) throw state
  return { ways, outside, entries, state }
}

/** What must hold whatever happened. */
async function checkTruth(setting: Setting, deaths: readonly Death[]) {
  const { outside, entries, state } = await survive(setting, deaths)
  const began = entries.flatMap(({ event }) =>
    event.kind === "intent" && event.idempotencyKey ? [event.idempotencyKey] : [],
  )
  const effects = setting.plan.steps.filter(
    ({ step }) => step.kind === "call" && !["find", "look"].includes(step.tool),
  ).length
  expect(verify(runId, entries)).toBeUndefined()
  // At most one effect per intent, and one intent per effect.
  expect(new Set(outside).size).toBe(outside.length)
  expect(new Set(began).size).toBe(began.length)
  expect(["succeeded", "in_doubt"]).toContain(state.status)
  if (state.status === "succeeded") {
    expect([...outside].sort()).toEqual([...began].sort())
    expect(outside).toHaveLength(effects)
    return "succeeded"
  }
  // In doubt is the last one begun, and nothing was begun behind it.
  expect(began.filter((key) => !outside.includes(key)).length).toBeLessThanOrEqual(1)
  expect(state.step.open?.idempotencyKey).toBe(began.at(-1))
  return "in_doubt"
}

const plain: Setting = { plan: refundPlan, of: catalog }
const behindGuard: Setting = { plan: guardedPlan, of: guarded }

const unharmed: Death = { at: "before-work", count: 1_000 }

const ways = ["before-append", "after-append", "before-work", "after-work"] as const

describe.each([
  ["without a guard", plain],
  ["behind a guard", behindGuard],
])("A081, A082, A083: killed once %s", (_, setting) => {
  for (const at of ways) {
    test(at, async () => {
      const ends = new Set<string>()
      for (let count = 0; count < 8; count++) {
        ends.add(await checkTruth(setting, [{ at, count }]))
        ends.add(await checkTruth(setting, [unharmed, { at, count }]))
      }
      expect(ends).toEqual(new Set(["succeeded", "in_doubt"]))
    })
  }
})

test("a read that was cut off is called again, and nothing is in doubt", async () => {
  const reads = { plan: planOf([steps.find, steps.look]), of: catalog }
  for (const at of ways) {
    for (let count = 0; count < 4; count++) expect(await checkTruth(reads, [{ at, count }])).toBe("succeeded")
  }
})

test("A082: an effect that was cut off is in doubt, whether it has happened or not, and stays so", async () => {
  for (const at of ["before-work", "after-work"] as const) {
    const { ways, outside, state } = await survive(plain, [{ at, count: 1 }])
    expect(ways).toEqual(["dead", "in_doubt"])
    expect(state.failure).toMatchObject({ tag: "EffectInDoubt", stepId: "cancel" })
    expect(outside).toHaveLength(at === "after-work" ? 1 : 0)
  }
})

test("A081: killed again and again, also while it is taken up", async () => {
  const death = record<Death>({ at: constantFrom(...ways), count: integer({ min: 0, max: 8 }) })
  const note = (text: string) => ({ id: `note_${text}`, tool: "note", args: { text } })
  const long: Setting = {
    plan: planOf([steps.find, note("a"), steps.look, note("b"), steps.cancel, steps.refund]),
    of: catalog,
  }
  const setting = constantFrom(plain, behindGuard, long)
  await assert(
    asyncProperty(setting, array(death, { maxLength: 4 }), async (setting, deaths) => {
      await checkTruth(setting, deaths)
    }),
    { numRuns: 300 },
  )
})

test("whatever beginning of a journal is left, it is taken up from there", async () => {
  const whole = await survive(plain, [])
  expect(whole.state.status).toBe("succeeded")
  const cut = property(integer({ min: 1, max: whole.entries.length }), (length) => {
    const state = replay(runId, whole.entries.slice(0, length))
    expect(state).not.toBeInstanceOf(Error)
  })
  assert(cut)
  for (let length = 1; length <= whole.entries.length; length++) {
    const services = await Effect.runPromise(Effect.scoped(Layer.build(memory())))
    const journal = Context.get(services, Journal)
    await Effect.runPromise(journal.append(runId, whole.entries.slice(0, length)))
    const before = whole.entries
      .slice(0, length)
      .flatMap(({ event }) => (event.kind === "outcome" ? [event.stepId] : []))
    const last = whole.entries[length - 1]?.event
    const outside: string[] = []
    const way = await live(plain, journal, outside, undefined)
    if (length === whole.entries.length) expect(way).toBe("RunEnded")
    else if (last?.kind === "intent" && last.idempotencyKey !== undefined) expect(way).toBe("in_doubt")
    else {
      expect(way).toBe("succeeded")
      expect(outside).toHaveLength(3 - before.filter((stepId) => stepId !== "find").length)
    }
  }
})

test("A087: where an entry cannot be written, nothing is called that depends on it", async () => {
  const services = await Effect.runPromise(Effect.scoped(Layer.build(memory())))
  const stores = [0, 1, 2, 3, 4].flatMap((failing) => [true, false].map((forever) => ({ failing, forever })))
  for (const { failing, forever } of stores) {
    const journal = Context.get(services, Journal)
    let appends = 0
    const full: JournalService = {
      ...journal,
      append: (id, records, as) =>
        (forever ? appends++ >= failing : appends++ === failing)
          ? Effect.fail(new StoreUnavailable({ store: "test", reason: "the disk is full" }))
          : journal.append(id, records, as),
    }
    const calls = countCalls()
    const box = toolbox(catalog, handlersOf(calls))
    const layer = Layer.merge(Layer.succeed(Journal, full), seededIds(failing))
    const id = `full-${failing}-${forever}`
    const go = execute(refundPlan, { ...scope, taskId: id, runId: id, catalog, tools: box })
    const error = await Effect.runPromise(Effect.flip(go).pipe(Effect.provide(layer)))
    // Once an effect has answered, what it said must not be lost with the entry: it is tried once more, alone.
    if (failing < 2 || !forever) expect(error).toMatchObject({ _tag: "StoreUnavailable", code: "RUN501", again: true })
    else expect(error).toMatchObject({ _tag: "OutcomeNotRecorded", code: "RUN506", again: false })
    expect(error.message).toContain("the disk is full")
    expect(calls.made).toHaveLength(failing)
    const kept = (await Effect.runPromise(journal.read(id))).filter(({ event }) => event.kind === "outcome")
    expect(kept).toHaveLength(forever ? Math.max(0, failing - 1) : failing)
  }
})

test("of two that take up one run at once, one is stopped, and no effect is made twice", async () => {
  const { entries } = await survive(plain, [{ at: "after-append", count: 0 }])
  const services = await Effect.runPromise(Effect.scoped(Layer.build(memory())))
  const journal = Context.get(services, Journal)
  await Effect.runPromise(journal.append(runId, entries.slice(0, 1)))
  const outside: string[] = []
  // Two views of one store, as two processes have.
  const lives = [{ ...journal }, { ...journal }].map((view) => live(plain, view, outside, undefined))
  // Each says that it knows that the other is dead, and is wrong: one of them is told so.
  const stopped = (await Promise.all(lives)).filter((way) =>
    /^(LeaseLost|JournalConflict|OutcomeNotRecorded)$/.test(way),
  )
  expect(stopped).toHaveLength(1)
  expect(new Set(outside).size).toBe(outside.length)
})

test("a run that is interrupted while an outcome is being written has it written", async () => {
  const services = await Effect.runPromise(Effect.scoped(Layer.build(memory())))
  const journal = Context.get(services, Journal)
  await Effect.gen(function* () {
    const writing = yield* Deferred.make<void>()
    // A store that takes its time, as one across a network does.
    const slow: JournalService = {
      ...journal,
      append: (id, records, as) =>
        Effect.gen(function* () {
          if (records.some(({ event }) => event.kind === "outcome" && event.stepId === "cancel")) {
            yield* Deferred.succeed(writing, undefined)
          }
          yield* Effect.sleep(5)
          yield* journal.append(id, records, as)
        }),
    }
    const box = toolbox(catalog, handlersOf(countCalls()))
    const go = execute(refundPlan, { ...scope, runId, catalog, tools: box })
    const fiber = yield* Effect.forkChild(Effect.provideService(go, Journal, slow))
    yield* Deferred.await(writing)
    yield* Fiber.interrupt(fiber)
    const entries = yield* journal.read(runId)
    expect(entries.flatMap(({ event }) => (event.kind === "outcome" ? [event.stepId] : []))).toEqual(["find", "cancel"])
  }).pipe(Effect.provide(seededIds(1)), Effect.runPromise)
})

test("D19: a run that is under way here is not taken up here as well", async () => {
  const services = await Effect.runPromise(Effect.scoped(Layer.build(memory())))
  const journal = Context.get(services, Journal)
  await Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const cancel = () =>
      Effect.andThen(
        Deferred.succeed(begun, undefined),
        Effect.as(Deferred.await(goOn), { id: "w2", proratedCents: 5 }),
      )
    const box = toolbox(catalog, handlersOf(countCalls(), { cancel }))
    const fiber = yield* Effect.forkChild(execute(refundPlan, { ...scope, runId, catalog, tools: box }))
    yield* Deferred.await(begun)
    const before = (yield* journal.read(runId)).length
    expect(yield* Effect.flip(resume(runId, { catalog, tools: box }))).toMatchObject({
      _tag: "RunUnderWay",
      again: true,
    })
    expect(yield* journal.read(runId)).toHaveLength(before)
    yield* Deferred.succeed(goOn, undefined)
    expect(yield* Fiber.join(fiber)).toMatchObject({ status: "succeeded" })
  }).pipe(Effect.provide(Layer.merge(Layer.succeed(Journal, journal), seededIds(1))), Effect.runPromise)
})
