/** Handlers that are run in processes of their own by `isolated.test.ts`, each with its own way to misbehave. */
import { closeSync, writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import { notApplied } from "../../src/run/call/not-applied.ts"
import { reconciled } from "../../src/run/call/reconciliation.ts"
import type { CallContext } from "../../src/run/toolbox.ts"

interface Args {
  readonly n: number
}

export const answer = ({ n }: Args) => ({ n: n + 1 })
export const promise = async ({ n }: Args) => ({ n: n + 1 })
export const effect = ({ n }: Args) => Effect.succeed({ n: n + 1 })
export const context = ({ n }: Args, { idempotencyKey, attempt, principal, runId, stepId, signal }: CallContext) => ({
  n: n + 1,
  told: { idempotencyKey, attempt, principal, runId, stepId, aborted: signal.aborted },
})
export const where = async () => {
  await later(30)
  return { n: process.pid }
}

export const mismatch = () => ({ n: "2" })
export const date = () => ({ n: new Date(0) })
export const getter = () => ({
  get n() {
    return 2
  },
})
export const halves = () => ({ n: 2, text: "\ud83d" })
export const large = () => new Array(10_000_000).fill(0)

export const fails = () => {
  throw new Error("boom")
}
export const throwsNull = async () => {
  throw null
}
export const declines = () => {
  throw notApplied("card declined", { retryAfterMs: 500 })
}
export const effectFails = () => Effect.fail(notApplied("card declined"))

/** What is called with 0 answers at once: its process has begun then. */
export const blocks = ({ n }: Args) => {
  for (;;) if (n === 0) return { n }
}
export const eatsHeap = () => {
  const eaten: unknown[] = []
  for (;;) eaten.push({ n: [eaten.length] })
}
export const eatsBuffers = () => {
  const eaten: unknown[] = []
  for (;;) eaten.push(Buffer.alloc(1_000_000, 1))
}
/** In one step, so that nothing but V8 itself can stop it. */
export const eatsAtOnce = () => ({ n: new Array(1e9).fill(0).length })
export const exits = () => process.exit(3)
export const aborts = () => process.abort()
export const crashes = () => process.kill(process.pid, "SIGSEGV") && later(10_000)
export const hangsUp = () => closeSync(3) ?? later(10_000)
export const blocksLoudly = () => {
  console.log("blocks")
  for (;;);
}
/** The line to its runner is there for it to write to: what stands before its answer is no part of it. */
export const writes = ({ n, text, bytes }: Args & { readonly text?: string; readonly bytes?: readonly number[] }) => {
  if (text !== undefined || bytes !== undefined) writeSync(3, Buffer.from((text ?? bytes) as string))
  return { n }
}
export const floods = async ({ n }: Args) => {
  for (let times = 0; times < 2_000; times++) {
    writeSync(3, "x".repeat(10_000))
    await later(0)
  }
  return { n }
}

/** As a terminal does to all processes that run in it. */
export const interrupted = async ({ n }: Args) => {
  process.kill(process.pid, "SIGINT")
  await later(30)
  return { n: n + 1 }
}

/** Says what it has done once it is aborted. */
export const late = ({ n }: Args, { signal }: CallContext) => {
  if (n === 0) return { n }
  return new Promise((resolve) => signal.addEventListener("abort", () => setTimeout(resolve, 20, { n: n + 1 })))
}
export const lateDecline = ({ n }: Args, { signal }: CallContext) => {
  if (n === 0) return { n }
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(notApplied("not yet sent"))))
}
export const interruptible = ({ n }: Args) => (n === 0 ? { n } : Effect.never)

/** Leaves something behind that fails while the next call is under way. */
export const litters = async ({ n }: Args) => {
  if (n === 1) {
    setTimeout(() => Promise.reject(new Error("left behind")), 5)
    setTimeout(() => {
      throw new Error("left behind")
    }, 10)
  } else await later(40)
  return { n: process.pid }
}

export const reconcile = (key: string, { n }: Args) =>
  n === 1 ? reconciled.applied({ n: key.length }) : Promise.resolve(reconciled.barred())
export const reconcileLarge = () => reconciled.applied(new Array(10_000_000).fill(0))
export const reconcileOddly = () => "applied"

export const noFunction = 7

const later = (ms: number) => new Promise((done) => setTimeout(done, ms))
/** What it was trusted with comes back, as it is and as part of a URL. */
export const credentials = ({ n }: Args, { credentials }: CallContext) => {
  const { token } = credentials as { readonly token: string }
  return {
    n: token.length,
    told: token,
    url: `https://x.test/?n=${n}&key=${encodeURIComponent(token)}`,
    argv: process.argv.join(" "),
  }
}
