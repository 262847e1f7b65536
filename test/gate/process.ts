/**
 * A process of its own for the tests that kill one: `process.ts <store> <outside> <death>`. It asks the calls of a story of its
 * gate, by the same ids each time, and prints the verdicts. Every effect adds its key as a line to the file `outside`. `death` is
 * a place and a count: `after-append:2`.
 */
import { appendFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createGate } from "sequitur/gate"
import { Journal } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { makeWorld, shop, who } from "./shop.ts"

const [store = "", outside = "", death = ""] = process.argv.slice(2)

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
  (result: object) =>
  (_: unknown, { idempotencyKey }: { readonly idempotencyKey: string }): object => {
    perhapsDie("before-work")
    appendFileSync(outside, `${idempotencyKey}\n`)
    perhapsDie("after-work")
    return result
  }

const tools = {
  ...(makeWorld().tools as object),
  refund: effect({ refundId: "r1" }),
  ship: effect({ parcel: "p1" }),
  post: effect({}),
}

const gate = await createGate({ catalog: shop, tools, store: mortal, runId: "run", takeOver: true, ...who } as never)
const told: unknown[] = [await gate.enter("SELLING", { callId: "sell" })]
for (const [callId, tool, args] of [
  ["find", "find", { customerId: "c1" }],
  ["refund", "refund", { orderId: "o1", cents: 900 }],
  ["wrong", "refund", "{"],
  ["ship", "ship", { to: "x" }],
  ["post", "post", { text: "done" }],
] as const)
  told.push(await gate.call(tool, args, { callId }))
const settled = told.every((verdict) => (verdict as { readonly kind: string }).kind !== "in-doubt")
if (settled) await gate.close()
else await gate.leave()
process.stdout.write(JSON.stringify(told.map((verdict) => (verdict as { readonly kind: string }).kind)))
