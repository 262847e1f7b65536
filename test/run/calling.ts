/** Calls made by hand, without a run around them: one read, one effect that can be reconciled, the same in a process of its own. */
import { Clock, Effect } from "effect"
import { defineCatalog, tool } from "sequitur"
import { z } from "zod"
import type { Observed } from "../../src/journal/entry.ts"
import type { Calling, Worker } from "../../src/run/call/call.ts"
import { Watch } from "../../src/run/call/watch.ts"
import type { ToolHandlers } from "../../src/run/toolbox.ts"
import { defaultBounds } from "../../src/text/bounds.ts"

const params = z.strictObject({ n: z.int() })
const result = z.object({ n: z.int() })
const effect = {
  description: "Sets it.",
  effect: "write",
  params,
  result,
  idempotency: { key: { retentionMs: 86_400_000 } },
  reconcile: { finalAfterMs: 60_000 },
  compensate: "none",
  timeoutMs: 1_000,
} as const

export const catalog = defineCatalog({
  name: "numbers",
  version: "1",
  tools: {
    get: tool({ description: "Reads it.", effect: "read", params, result, timeoutMs: 1_000 }),
    set: tool(effect),
    put: tool({ ...effect, isolate: true }),
    any: tool({ description: "Reads anything.", effect: "read", params }),
  },
})

export const call = (name: "get" | "set" | "put" | "any", more: Partial<Calling> = {}): Calling => {
  const tool = catalog.tools.get(name)
  if (tool === undefined) throw new Error(`no ${name}`)
  return { stepId: name, tool, attempt: 1, args: { n: 1 }, ...(tool.mutates ? { idempotencyKey } : {}), ...more }
}

export const idempotencyKey = "k1:0123"

export interface Station {
  readonly worker: Worker
  readonly observed: readonly Observed[]
}

/** A worker by the clock of the test. */
export const makeStation = (handlers: { readonly [name: string]: Partial<ToolHandlers> }): Effect.Effect<Station> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const observed: Observed[] = []
    const worker: Worker = {
      runId: "run",
      principal: Object.freeze({ tenant: "acme", subject: "ann", roles: ["agent"] }),
      handlers: new Map(Object.entries(handlers) as [string, ToolHandlers][]),
      bounds: { ...defaultBounds, nodes: 1_000, resultBytes: 10_000 },
      watch: new Watch(yield* Clock.Clock, Effect.runForkWith(context)),
      context,
      observe: (event) => observed.push(event),
      cutOff: undefined,
    }
    return { worker, observed }
  })

/** Lets promises and processes go on, by the clock on the wall. */
export const pause = (ms = 5): Effect.Effect<void> => Effect.promise(() => new Promise((done) => setTimeout(done, ms)))
