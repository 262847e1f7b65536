/** The process of an isolated handler: loads its module once, then answers one call after the other. */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { describeThrown } from "../describe.ts"
import { type Answer, threw } from "../ending.ts"
import { notApplied } from "../not-applied.ts"
import { type Taken, take } from "../take.ts"
import { Told } from "../told.ts"
import type { Call, Guarded, Order, Report, Station } from "./message.ts"

type Handler = (...given: readonly unknown[]) => unknown

const [module = "", name = "", parent, memoryMb] = process.argv.slice(2)

// It is ours: what a handler brings along may take it for its own.
const send = process.send?.bind(process)
delete process.send

/** Until it is written: then it arrives, whatever becomes of us. Where nobody listens any more, we are at our end. */
const report = (message: Report): Promise<void> =>
  new Promise((resolve) => send?.(message, undefined, undefined, (error) => error ?? resolve()))

// Whoever runs us decides when we end: what a terminal sends, it sends to us both.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})
process.on("disconnect", () => process.exit())

// What a call has left behind fails in the time of another: that one is not to be ended by it.
const stray = (): void => void report({ kind: "stray" })
process.on("unhandledRejection", stray)
process.on("uncaughtException", stray)

const guarded: Guarded = { parent: Number(parent), memoryMb: Number(memoryMb) }
const guard = new Worker(new URL(`./guard${import.meta.url.slice(-3)}`, import.meta.url), { workerData: guarded })
const loaded = load({ module, name })
let told: Told | undefined

process.on("message", (order: Order) => {
  if (order.kind === "abort") told?.abort()
  else void answer(order)
})

async function load({ module, name }: Station): Promise<Handler | Error> {
  try {
    const [exported] = await Promise.all([import(module), once(guard, "message")])
    const handler: unknown = (exported as Readonly<Record<string, unknown>>)[name]
    if (typeof handler === "function") return handler as Handler
    return notApplied(`\`${module}\` exports no function \`${name}\``)
  } catch (error) {
    return notApplied(`\`${module}\` cannot be loaded: ${describeThrown(error)}`)
  }
}

async function answer({ for: asked, inputs, facts, bounds }: Call): Promise<void> {
  const mine = new Told(facts)
  told = mine
  const handler = await loaded
  const said = await listen(async () => {
    if (handler instanceof Error) throw handler
    // While its module was loaded it may have been given up: that is waiting to be heard.
    await turn()
    if (mine.aborted) throw notApplied("it was given up before it was called")
    await report({ kind: "began" })
    return settle(await handler(...inputs, mine), mine)
  })
  if (said === undefined) return
  const answered: Answer<Taken[keyof Taken]> =
    said.kind === "threw" ? said : { kind: "returned", value: take[asked](said.value, bounds) }
  await report({ kind: "answered", answer: answered })
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Undefined where a call that was given up has only been interrupted: then it has said nothing. */
async function listen(ask: () => Promise<unknown>): Promise<Answer<unknown> | undefined> {
  try {
    const value = await ask()
    return value === interrupted ? undefined : { kind: "returned", value }
  } catch (error) {
    return threw(error)
  }
}

const interrupted = Symbol("interrupted")

/** Effects are run. Whoever makes one has loaded the library for it: without one, a process need not. */
async function settle(value: unknown, told: Told): Promise<unknown> {
  if (!mayBeEffect(value)) return value
  const [Effect, Cause] = await Promise.all([import("effect/Effect"), import("effect/Cause")])
  if (!Effect.isEffect(value)) return value
  const exit = await Effect.runPromiseExit(value as never, { signal: told.signal })
  if (exit._tag === "Success") return exit.value
  if (told.signal.aborted && Cause.hasInterruptsOnly(exit.cause)) return interrupted
  throw Cause.squash(exit.cause)
}

function mayBeEffect(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false
  try {
    const prototype: unknown = Object.getPrototypeOf(value)
    return prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null
  } catch {
    return false
  }
}
