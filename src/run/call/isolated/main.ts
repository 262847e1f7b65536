/** The process of an isolated handler: loads its module once, then answers one call after the other. */
import { once } from "node:events"
import { Socket } from "node:net"
import { Worker } from "node:worker_threads"
import { describeThrown } from "../describe.ts"
import { type Answer, threw } from "../ending.ts"
import { notApplied } from "../not-applied.ts"
import { type Taken, take } from "../take.ts"
import { Told } from "../told.ts"
import { Line, lineFd } from "./line.ts"
import type { Guarded, Order, Report, Station } from "./message.ts"
import { leftOf } from "./start.ts"

type Handler = (...given: readonly unknown[]) => unknown

const [module = "", name = "", parent, memoryMb] = process.argv.slice(2)

// Whoever runs us decides when we end: what a terminal sends, it sends to us both.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})

// Where nobody listens any more, we are at our end.
const line = new Line(new Socket({ fd: lineFd, readable: true, writable: true }), {
  onText: (text) => obey(JSON.parse(text) as Order),
  onEnd: () => process.exit(),
  onBroken: () => process.exit(),
})
const report = (message: Report): Promise<void> => line.send(JSON.stringify(message))

// What a call has left behind fails in the time of another: that one is not to be ended by it.
const stray = (): void => void report({ kind: "stray" })
process.on("unhandledRejection", stray)
process.on("uncaughtException", stray)

const guarded: Guarded = { parent: Number(parent), memoryMb: Number(memoryMb) }
const guard = new Worker(new URL(`./guard${import.meta.url.slice(-3)}`, import.meta.url), { workerData: guarded })
const loaded = load({ module, name })
let told: Told | undefined

function obey(order: Order): void {
  if (order.kind === "abort") told?.abort()
  else void answer(order)
}

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

async function answer({ call, for: asked, inputs, facts, bounds, start }: Order & { kind: "begin" }): Promise<void> {
  const mine = new Told(facts)
  told = mine
  const handler = await loaded
  const said = await listen(async () => {
    if (handler instanceof Error) throw handler
    // While its module was loaded it may have been given up: that is waiting to be heard.
    await turn()
    if (mine.aborted) throw notApplied("it was given up before it was called")
    await report({ kind: "began", call })
    // At the very edge: by now another may have asked what became of it, and gone on.
    if (start !== undefined && leftOf(start) < 0) return tooLate
    return settle(await handler(...inputs, mine), mine)
  })
  if (said === undefined) return
  const answered: Answer<Taken[keyof Taken]> =
    said.kind === "returned" ? { kind: "returned", value: take[asked](said.value, bounds) } : said
  await report({ kind: "answered", call, answer: answered })
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Undefined where a call that was given up has only been interrupted: then it has said nothing. */
async function listen(ask: () => Promise<unknown>): Promise<Answer<unknown> | undefined> {
  try {
    const value = await ask()
    if (value === tooLate) return { kind: "too-late" }
    return value === interrupted ? undefined : { kind: "returned", value }
  } catch (error) {
    return threw(error)
  }
}

const interrupted = Symbol("interrupted")
const tooLate = Symbol("too late")

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
