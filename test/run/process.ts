/**
 * A process of its own for the tests that kill one: `process.ts <store> <outside> <death> run`, or `… decide <by>`.
 * Every effect adds its key as a line to the file `outside`. `death` is a place and a count: `after-append:2`.
 */
import { appendFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { decide, execute, type Ids, Journal, liveIds, type RunFailure } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { catalog, countCalls, guarded, guardedPlan, handlersOf, refundPlan, scope } from "./desk.ts"

const [store = "", outside = "", death = "", what = "", by = ""] = process.argv.slice(2)

const counts = new Map<string, number>()

function perhapsDie(place: string): void {
  const count = counts.get(place) ?? 0
  counts.set(place, count + 1)
  if (death === `${place}:${count}`) process.kill(process.pid, "SIGKILL")
}

const mortal = Layer.effect(
  Journal,
  Effect.map(Journal, (journal) => ({
    ...journal,
    append: (...args: Parameters<typeof journal.append>) =>
      Effect.suspend(() => {
        perhapsDie("before-append")
        return Effect.tap(journal.append(...args), () => Effect.sync(() => perhapsDie("after-append")))
      }),
  })),
).pipe(Layer.provide(sqlite(store)))

const effect =
  <Result>(result: Result) =>
  (_: unknown, { idempotencyKey }: { readonly idempotencyKey: string | undefined }): Result => {
    perhapsDie("before-work")
    appendFileSync(outside, `${idempotencyKey}\n`)
    perhapsDie("after-work")
    return result
  }

const handlers = handlersOf(countCalls(), {
  cancel: effect({ id: "w2", proratedCents: 2_450 }),
  refund: effect({ refundId: "r1" }),
  note: effect(null),
})

const options = { ...scope, runId: "run" }

const ways = {
  run: () => Effect.map(execute(refundPlan, { ...options, catalog, tools: handlers }), ({ status }) => status),
  guarded: () =>
    Effect.map(execute(guardedPlan, { ...options, catalog: guarded, tools: handlers }), ({ status }) => status),
  decide: () => Effect.as(decide("run", "open", { decision: "approved", by }), "decided"),
}

const go: Effect.Effect<string, RunFailure, Journal | Ids> = ways[what as keyof typeof ways]()

const said = go.pipe(
  Effect.catch(({ _tag }) => Effect.succeed<string>(_tag)),
  Effect.provide(Layer.merge(mortal, liveIds)),
)
console.log(await Effect.runPromise(said))
