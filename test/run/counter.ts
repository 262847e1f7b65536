/**
 * A counter of payments outside, and a catalog of every way that a tool can be settled, for the tests of the rules of a run:
 * what is called, under which key, and what became of it.
 */
import { Context, Effect, Layer } from "effect"
import { arg, type CatalogSpec, defineCatalog, fromArgs, fromResult, tool } from "sequitur"
import { type Ids, Journal, memory, type Reconciliation, reconciled, seededIds, toolbox } from "sequitur/run"
import { z } from "zod"
import type { Event } from "../../src/journal/entry.ts"

const params = z.strictObject({
  invoice: z.string(),
  memo: z.string().optional(),
  cents: z.int().min(0).max(1_000).optional(),
})
const result = z.object({ id: z.string() })
const base = { description: "Pays.", effect: "destructive", params, result, timeoutMs: 1_000 } as const
const undo = {
  tool: "unpay",
  args: { id: fromResult("/id"), invoice: fromArgs("/invoice") },
} as const

export const retentionMs = 60_000
export const finalAfterMs = 10_000

export const tools = {
  look: tool({ description: "Looks.", effect: "read", params, result, timeoutMs: 1_000 }),
  natural: tool({ ...base, idempotency: "natural", compensate: undo }),
  keyed: tool({ ...base, idempotency: { key: { retentionMs } }, compensate: undo }),
  asked: tool({ ...base, idempotency: "none", reconcile: { finalAfterMs }, compensate: undo }),
  both: tool({ ...base, idempotency: { key: { retentionMs } }, reconcile: { finalAfterMs }, compensate: "none" }),
  bare: tool({ ...base, idempotency: "none", compensate: undo }),
  once: tool({
    ...base,
    idempotency: { key: { retentionMs } },
    once: { by: ["/invoice"], scope: "tenant" },
    compensate: undo,
  }),
  counted: tool({
    ...base,
    params: params.required({ cents: true }),
    idempotency: { key: { retentionMs } },
    blast: { cents: arg("cents") },
    compensate: "none",
  }),
  unpay: tool({
    description: "Takes a payment back.",
    effect: "write",
    params: z.strictObject({ id: z.string(), invoice: z.string() }),
    idempotency: { key: { retentionMs } },
    compensate: "none",
  }),
} as const

export const spec = {
  name: "counter",
  version: "1",
  tools,
  blastRadius: { cents: { max: 1_000, per: "session" } },
} as const
export const catalog = defineCatalog(spec)

/** What a handler does when it is called, the n-th time. */
export type Way = (key: string | undefined, args: { readonly invoice: string }) => unknown

export interface Outside {
  /** By key, how often it was applied. */
  readonly applied: Map<string, number>
  readonly calls: { readonly tool: string; readonly key: string | undefined; readonly args: unknown }[]
  readonly asked: string[]
}

export const makeOutside = (): Outside => ({ applied: new Map(), calls: [], asked: [] })

/** Lets promises of handlers settle, by turns of the event loop: as many on a busy machine. */
export const settle = Effect.promise(async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise((done) => setImmediate(done))
})

/** Never answers, whether it has applied the effect or not. */
export const silence = (): Promise<never> => new Promise(() => {})

export interface Instead {
  readonly call?: { readonly [tool: string]: Way }
  readonly reconcile?: (key: string, asked: number) => Reconciliation<{ id: string }> | Promise<never>
}

/** A toolbox on the outside; `instead` misbehaves. */
export function boxOn(outside: Outside, { call = {}, reconcile }: Instead = {}, of = catalog) {
  const handler =
    (tool: string) =>
    (args: { readonly invoice: string }, { idempotencyKey: key }: { readonly idempotencyKey: string | undefined }) => {
      outside.calls.push({ tool, key, args })
      const way = call[tool]
      if (way !== undefined) return way(key, args)
      if (key !== undefined) outside.applied.set(key, (outside.applied.get(key) ?? 0) + 1)
      return tool === "unpay" ? null : { id: `p_${args.invoice}` }
    }
  const ask = (key: string) => {
    outside.asked.push(key)
    return reconcile?.(key, outside.asked.length) ?? reconciled.unknown("it is down")
  }
  const handlers = Object.fromEntries(
    Object.keys(tools).map((name) => [
      name,
      name === "asked" || name === "both" ? { call: handler(name), reconcile: ask } : handler(name),
    ]),
  )
  return toolbox(of as never, handlers as never) as never
}

export type Services = Context.Context<Journal | Ids>

/** A store and ids, to be shared by what runs in one test. */
export const openStore: Effect.Effect<{
  readonly journal: Context.Service.Shape<typeof Journal>
  readonly provide: <A, E>(effect: Effect.Effect<A, E, Journal | Ids>) => Effect.Effect<A, E>
}> = Effect.map(Effect.scoped(Layer.build(Layer.merge(memory(), seededIds("counter")))), (services) => ({
  journal: Context.get(services, Journal),
  provide: (effect) => Effect.provideContext(effect, services),
}))

export const kindsOf = (entries: readonly { readonly event: Event }[]): readonly string[] =>
  entries.map(({ event }) => event.kind)

export const catalogWith = (more: Partial<CatalogSpec>) =>
  defineCatalog({ ...spec, ...more } as never) as typeof catalog
