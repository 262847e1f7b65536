/**
 * A process that ends after any entry: whoever goes on asks no rule and no person again that has answered, reads again what may have
 * changed, and makes each effect as often as its journal lacks it.
 */
import { Effect, Layer } from "effect"
import { arg, type Compiled, compile, defineCatalog, type GuardFacts, predicate, tool } from "sequitur"
import {
  approve,
  type Entry,
  execute,
  type Handlers,
  type Ids,
  Journal,
  memory,
  planRequest,
  resume,
  seededIds,
} from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import { awaitedBy } from "../../../src/journal/asked.ts"
import { replay } from "../../../src/journal/state.ts"
import { boundOf } from "../../../src/run/approval/bound.ts"
import { prepare } from "../../../src/run/next/prepare.ts"
import { rederive } from "../../../src/run/rederive.ts"
import { accepted } from "../desk.ts"
import { everybody, say } from "./people.ts"

let asked = 0
const rule = predicate("small", "1", ({ follows }: GuardFacts) => {
  asked++
  return follows.length > 0
})

const effect = { effect: "write", idempotency: "natural", compensate: "none", validate: true } as const
const catalog = defineCatalog({
  name: "bank",
  version: "1",
  machine: {
    initial: "LOOKING",
    transitions: {
      LOOKING: { PAYING: { guard: "approval", covers: "next" } },
      PAYING: { CLOSING: { guard: rule } },
      CLOSING: {},
    },
  },
  blastRadius: { cents: { max: 100_000, approveAbove: 1_000, per: "session" } },
  tools: {
    look: tool({
      description: "Look.",
      effect: "read",
      params: z.strictObject({}),
      result: z.object({ cents: z.int().min(0).max(50_000) }),
    }),
    pay: tool({
      description: "Pay.",
      ...effect,
      params: z.strictObject({ to: z.string(), cents: z.int().min(0).max(50_000) }),
      states: ["PAYING"],
      blast: { cents: arg("cents", { max: 50_000 }) },
      authority: { freshness: { pointers: ["/cents"], maxAgeMs: 1 } },
    }),
    close: tool({
      description: "Close.",
      ...effect,
      params: z.strictObject({ id: z.string() }),
      states: ["CLOSING"],
      authority: { approval: "always" },
    }),
  },
})
type Spec = (typeof catalog)["spec"]

const plan = accepted(
  compile(
    catalog,
    JSON.stringify({
      version: 1,
      steps: [
        { id: "look", tool: "look", args: {} },
        { id: "open", transition: "PAYING" },
        { id: "pay", tool: "pay", args: { to: "bob", cents: { $from: "look", path: "/cents" } } },
        { id: "rule", transition: "CLOSING" },
        { id: "close", tool: "close", args: { id: "a" } },
      ],
    }),
  ) as Compiled,
)

const principal = { tenant: "acme", subject: "ada" }
const scope = { principal, sessionId: "s", taskId: "t", runId: "run" }
/** As long as makes a read too old. */
const wait = (): Promise<void> => new Promise((done) => setTimeout(done, 5))

interface Life {
  readonly made: string[]
  readonly entries: readonly Entry[]
  readonly status: string
}

/** From what is there of it, to its end: people agree to whatever they are asked. */
async function live(before: readonly Entry[], approval?: string): Promise<Life> {
  const made: string[] = []
  const tools: Handlers<Spec> = {
    look: async () => {
      made.push("look")
      await wait()
      return { cents: 5_000 }
    },
    pay: { call: () => note("pay"), validate: () => true },
    close: { call: () => note("close"), validate: () => true },
  }
  const note = (what: string): null => {
    made.push(what)
    return null
  }
  const options = { catalog, tools, approvers: everybody() }
  const services = await Effect.runPromise(Effect.scoped(Layer.build(Layer.merge(memory(), seededIds(before.length)))))
  const inIt = <A, E>(work: Effect.Effect<A, E, Ids | Journal>): Promise<A> =>
    Effect.runPromise(Effect.provideContext(work, services))
  const read = () => inIt(Journal.use((journal) => journal.read("run")))
  if (before.length > 0) await inIt(Journal.use((journal) => journal.append("run", before)) as never)
  let { status } =
    before.length > 0
      ? await inIt(resume("run", { ...options, takeOver: true }))
      : await inIt(execute(plan, { ...scope, ...options, ...(approval === undefined ? {} : { approval }) }))
  for (let times = 0; status === "awaiting_approval" && times < 5; times++) {
    const state = replay("run", await read())
    const request = state instanceof Error ? undefined : awaitedBy(state)
    if (state instanceof Error || request === undefined) throw new Error("nothing waits")
    const token = await say({ bound: boundOf(state, request) })
    await wait()
    status = (await inIt(approve("run", request.stepId, { token, ...options }))).status
  }
  return { made, status, entries: await read() }
}

const count = (entries: readonly Entry[], kind: string, stepId?: string): number =>
  entries.filter(
    ({ event }) => event.kind === kind && (stepId === undefined || ("stepId" in event && event.stepId === stepId)),
  ).length

const ready = prepare(plan, catalog)

async function cutEverywhere(whole: Life): Promise<void> {
  const { entries } = whole
  expect(whole.status).toBe("succeeded")
  if (ready instanceof Error) throw ready
  for (let length = 1; length < entries.length; length++) {
    asked = 0
    const cut = entries.slice(0, length)
    const { made, status, entries: all } = await live(cut)
    const where = `cut after ${cut.at(-1)?.event.kind} (${length})`
    expect(status, where).toBe("succeeded")
    for (const name of ["pay", "close"])
      expect(made.filter((one) => one === name).length, `${where}: ${name}`).toBe(1 - count(cut, "outcome", name))
    expect(asked, where).toBe(1 - count(cut, "rule-evaluated"))
    expect(count(all, "rule-evaluated"), where).toBe(1)
    expect(count(all, "approval-requested"), where).toBe(count(entries, "approval-requested"))
    expect(rederive(ready, "run", all), where).toMatchObject({ status: "succeeded" })
  }
}

test("with one decision for the guard and what follows, and one for what is never done unasked", async () => {
  const whole = await live([])
  expect(whole.entries.map(({ event }) => event.kind)).toEqual([
    "run-started",
    "intent",
    "outcome",
    "approval-requested",
    "approval-decided",
    "taken-up",
    "state-entered",
    "reread",
    "intent",
    "outcome",
    "rule-evaluated",
    "state-entered",
    "approval-requested",
    "approval-decided",
    "taken-up",
    "intent",
    "outcome",
    "run-ended",
  ])
  await cutEverywhere(whole)
}, 30_000)

test("with a plan that was approved as a whole", async () => {
  const request = await planRequest(plan, { catalog, runId: "run", principal })
  const whole = await live([], await say(request))
  expect(count(whole.entries, "approval-requested")).toBe(0)
  await cutEverywhere(whole)
}, 30_000)
