/** Words in a run that comes from another store: its chain says that nobody has altered it since, and not who wrote it. */
import { Effect } from "effect"
import { type Compiled, compile, defineCatalog, fromArgs, type GuardFacts, predicate, tool } from "sequitur"
import {
  type Approver,
  createRunner,
  type Entry,
  type Event,
  generateKeys,
  Journal,
  planRequest,
  type RunnerOptions,
} from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { newFile } from "../../journal/stores.ts"
import { accepted } from "../desk.ts"
import { approver, codeOf, everybody, say } from "./people.ts"

const effect = { effect: "write", params: z.strictObject({ to: z.string() }), compensate: "none" } as const

const catalog = defineCatalog({
  name: "bank",
  version: "1",
  machine: {
    initial: "LOOKING",
    transitions: {
      LOOKING: {
        PAYING: { guard: "approval" },
        RULED: { guard: predicate("small", "1", ({ follows }: GuardFacts) => follows.length === 0) },
      },
    },
  },
  blastRadius: { wires: { max: 9, approveAbove: 1, per: "session" } },
  tools: {
    pay: tool({ description: "Pay.", ...effect, states: ["PAYING", "RULED"], idempotency: "natural" }),
    wire: tool({
      description: "Wire.",
      ...effect,
      states: ["LOOKING"],
      blast: { wires: 1 },
      idempotency: { key: { retentionMs: 86_400_000 } },
    }),
    ask: tool({
      description: "Wire, and be asked.",
      ...effect,
      states: ["LOOKING"],
      blast: { wires: 1 },
      idempotency: "none",
      reconcile: { finalAfterMs: 0 },
    }),
    book: tool({
      description: "Book.",
      ...effect,
      states: ["PAYING"],
      idempotency: "natural",
      compensate: { tool: "unbook", args: { to: fromArgs("/to") } },
    }),
    unbook: tool({ description: "Unbook.", ...effect, states: ["PAYING"], idempotency: "natural" }),
    sign: tool({
      description: "Sign.",
      ...effect,
      states: ["PAYING"],
      idempotency: "natural",
      authority: { approval: "always" },
    }),
    close: tool({
      description: "Close.",
      ...effect,
      states: ["LOOKING"],
      idempotency: "natural",
      authority: { approval: "always" },
    }),
  },
})

const planOf = (...steps: readonly object[]) =>
  accepted(compile(catalog, JSON.stringify({ version: 1, steps })) as Compiled)
const step = (name: string) => ({ id: name, tool: name, args: { to: "a" } })
const opened = planOf({ id: "open", transition: "PAYING" }, step("pay"))
const scope = { principal: { tenant: "acme", subject: "ada" }, sessionId: "s", taskId: "t", runId: "run" }

interface Outside {
  readonly made: string[]
  silent: boolean
}

function runnerOn(file: string, outside: Outside, approvers?: RunnerOptions["approvers"]) {
  const call = (name: string) => (): Promise<null> => {
    outside.made.push(name)
    return outside.silent ? new Promise(() => {}) : Promise.resolve(null)
  }
  return createRunner({
    catalog,
    store: sqlite(file),
    graceMs: 0,
    ...(approvers === undefined ? {} : { approvers }),
    tools: {
      pay: call("pay"),
      wire: call("wire"),
      close: call("close"),
      book: call("book"),
      unbook: call("unbook"),
      sign: call("sign"),
      ask: { call: call("ask"), reconcile: () => ({ kind: "not-applied" }) },
    },
  })
}

/** The entries of a run as another store has them, with its process ended in the middle of a call, or while it waits. */
async function elsewhere(
  plan = opened,
  approve: readonly string[] = [],
  options: object = {},
  waitsAt?: string,
): Promise<readonly Entry[]> {
  const outside: Outside = { made: [], silent: waitsAt === undefined }
  const runner = runnerOn(newFile(), outside, everybody())
  const running = runner.run(plan, { ...scope, ...options })
  running.catch(() => {})
  for (const stepId of approve) {
    await running
    const [waiting] = await runner.approvals.list()
    if (waiting === undefined) throw new Error("nothing waits")
    runner.approve("run", stepId, { token: await say(waiting) }).catch(() => {})
  }
  for (;;) {
    const entries = await runner.entries("run").catch(() => [])
    const event = entries.at(-1)?.event
    const last = event?.kind
    const waits = last === "approval-requested" && (event as { stepId?: string }).stepId === waitsAt
    const stands = last === "intent" || last === "run-ended" || (last === "approval-requested" && approve.length === 0)
    if (waitsAt === undefined ? stands : waits) {
      await runner.close({ graceMs: 0 })
      return entries
    }
    await new Promise((done) => setTimeout(done, 5))
  }
}

const forge = (entries: readonly Entry[], events: (events: readonly Event[]) => readonly Event[]): readonly Entry[] =>
  events(entries.map(({ event }) => event)).map((event, seq) => ({
    ...(entries[seq] ?? (entries[0] as Entry)),
    seq,
    event,
  }))

async function adopted(entries: readonly Entry[], approvers?: readonly Approver[]) {
  const file = newFile()
  const store = Journal.use((journal) => journal.adopt(entries)).pipe(Effect.provide(sqlite(file)))
  await Effect.runPromise(store as never)
  const outside: Outside = { made: [], silent: false }
  const runner = runnerOn(file, outside, approvers)
  return { runner, outside, takeOver: () => runner.resume("run", { takeOver: true }) }
}

const decided: Event = {
  kind: "approval-decided",
  requestId: "",
  stepId: "open",
  decision: "approved",
  by: "eve",
  reason: "",
  token: "nonsense",
}
const entered: Event = { kind: "state-entered", stepId: "open", from: "LOOKING", to: "PAYING" }

const agree = (events: readonly Event[], more: Partial<typeof decided> = {}): readonly Event[] => {
  const asked = events.find(({ kind }) => kind === "approval-requested") as Event & { kind: "approval-requested" }
  return [...events, { ...decided, requestId: asked.requestId, stepId: asked.stepId, ...more } as Event]
}

describe("an intent that nobody was asked about, under a line of the whole session", () => {
  test("is not called again without a person, whatever its tool would take", async () => {
    const { takeOver, outside, runner } = await adopted(await elsewhere(planOf(step("wire"))), everybody())
    expect(await takeOver()).toMatchObject({ status: "in_doubt", failure: { code: "RUN109" } })
    expect(outside.made).toEqual([])
    const done = await runner.resolve("run", "wire", { retry: true, by: "eve", reason: "looked into it" })
    expect([done.status, outside.made]).toEqual(["succeeded", ["wire"]])
    await runner.close()
  })

  test("nor because the outside says that it was not applied", async () => {
    const { takeOver, outside, runner } = await adopted(await elsewhere(planOf(step("ask"))), everybody())
    expect(await takeOver()).toMatchObject({ status: expect.stringMatching(/running|in_doubt/) })
    for (let times = 0; times < 8 && (await runner.status("run")).status === "running"; times++) {
      await new Promise((done) => setTimeout(done, 1_000))
      await runner.resume("run").catch(() => {})
    }
    expect((await runner.status("run")).status).toBe("in_doubt")
    expect(outside.made).toEqual([])
    await runner.close()
  }, 20_000)

  test("a word that was put into it does not count as one", async () => {
    const about = { stepId: "wire" } as const
    const failure = { tag: "EffectInDoubt", code: "RUN109", message: "lost", ...about } as const
    const entries = forge(await elsewhere(planOf(step("wire"))), (events) => [
      ...events,
      { kind: "taken-up", epoch: 2, owner: "own_x", takeOver: false },
      { kind: "in-doubt", attempt: 1, failure, ...about },
      { kind: "resolved", answer: "again", by: "eve", reason: "forged", ...about },
    ])
    const { takeOver, outside, runner } = await adopted(entries, everybody())
    expect(await codeOf(takeOver())).toMatch(/taken|RUN504/)
    expect(outside.made).toEqual([])
    await runner.close()
  })
})

describe("what people are said to have agreed to", () => {
  test("is held to the key set of here, as of when they have said it", async () => {
    const entries = await elsewhere(opened, ["open"])
    expect(entries.map(({ event }) => event.kind).slice(-4)).toEqual([
      "approval-decided",
      "taken-up",
      "state-entered",
      "intent",
    ])
    const good = await adopted(entries, everybody())
    expect(await good.takeOver()).toMatchObject({ status: "succeeded" })
    expect(good.outside.made).toEqual(["pay"])
    await good.runner.close()
    const cases: readonly (readonly [readonly Approver[] | undefined, string])[] = [
      [undefined, "RUN201"],
      [[approver("bob")], "RUN307"],
      [[approver("eve", { tenant: "other" })], "RUN311"],
      [[approver("eve", { revokedAtMs: 1 })], "RUN307"],
    ]
    for (const [known, code] of cases) {
      const { takeOver, outside, runner } = await adopted(entries, known)
      expect(await codeOf(takeOver())).toBe(code)
      expect(outside.made).toEqual([])
      await runner.close()
    }
  })

  const forgeries: readonly (readonly [string, (events: readonly Event[]) => readonly Event[], string])[] = [
    ["with nonsense for a token", (events) => [...agree(events), entered], "RUN306"],
    [
      "by a name alone, on a request without a digest",
      (events) => {
        const { token: _, ...named } = decided as Event & { kind: "approval-decided" }
        return [
          ...agree(events.map((event) => (event.kind === "approval-requested" ? withoutInputs(event) : event))).slice(
            0,
            -1,
          ),
          { ...named, requestId: requestIdIn(events) },
          entered,
        ]
      },
      "RUN312",
    ],
  ]
  test.each(forgeries)("%s opens nothing", async (_, change, code) => {
    const { takeOver, outside, runner } = await adopted(forge(await elsewhere(), change), everybody())
    expect(await codeOf(takeOver())).toBe(code)
    expect(outside.made).toEqual([])
    await runner.close()
  })

  test("of a whole plan, too", async () => {
    const bound = await planRequest(opened, { catalog, runId: "run", principal: scope.principal })
    const entries = await elsewhere(opened, [], { approval: await say(bound) })
    const good = await adopted(entries, everybody())
    expect(await good.takeOver()).toMatchObject({ status: "succeeded" })
    await good.runner.close()
    const approvedBy = (token: string, blast = {}) =>
      forge(entries, (events) =>
        events.map((event) =>
          event.kind === "run-started"
            ? {
                ...event,
                approved: { blast: { wires: 0, ...blast }, people: [{ by: "eve", roles: [], reason: "", token }] },
              }
            : event,
        ),
      )
    const other = await planRequest(opened, { catalog, runId: "other", principal: scope.principal })
    const cases: readonly (readonly [readonly Entry[], readonly Approver[] | undefined, string])[] = [
      [entries, undefined, "RUN201"],
      [entries, [approver("bob")], "RUN307"],
      [approvedBy("nonsense"), everybody(), "RUN306"],
      [approvedBy(await say(other)), everybody(), "RUN308"],
      [approvedBy(await say(bound), { wires: 9 }), everybody(), "RUN308"],
      [approvedBy(await say(bound, "bob", { notBeforeMs: 0, expiresAtMs: 1e13 })), everybody(), "RUN308"],
    ]
    for (const [forged, known, code] of cases) {
      const { takeOver, outside, runner } = await adopted(forged, known)
      expect(await codeOf(takeOver())).toBe(code)
      expect(outside.made).toEqual([])
      await runner.close()
    }
  })

  test("of a whole plan, by each of several: who was not there makes nobody two", async () => {
    const bound = await planRequest(opened, { catalog, runId: "run", principal: scope.principal })
    const entries = await elsewhere(opened, [], { approval: [await say(bound), await say(bound, "bob")] })
    const { kid, publicKey } = generateKeys()
    const cases: readonly (readonly [readonly Approver[], string])[] = [
      [everybody(), "taken"],
      [[approver("eve"), approver("bob", { kid, publicKey })], "RUN307"],
      [[approver("eve"), approver("bob", { tenant: "other" })], "RUN311"],
      [[approver("eve"), approver("bob", { roles: [] })], "RUN311"],
    ]
    for (const [approvers, code] of cases) {
      const { takeOver, outside, runner } = await adopted(entries, approvers)
      expect(await codeOf(takeOver())).toBe(code)
      expect(outside.made).toEqual(code === "taken" ? ["pay"] : [])
      await runner.close()
    }
  })

  test("an open call is made again only by a word that counts still", async () => {
    const entries = await elsewhere(planOf(step("close")), ["close"])
    expect(entries.at(-1)?.event.kind).toBe("intent")
    const at = Date.now()
    const { takeOver, outside, runner } = await adopted(entries, [approver("eve", { revokedAtMs: at + 50 })])
    await new Promise((done) => setTimeout(done, 100))
    expect(await takeOver()).toMatchObject({ status: "in_doubt", failure: { code: "RUN307" } })
    expect(outside.made).toEqual([])
    await runner.close()
  })
})

describe("a word whose key is not in the key set any more", () => {
  const others = [approver("bob"), approver("ada")]
  const decidedOnly = (entries: readonly Entry[], stepId: string): readonly Entry[] =>
    entries.slice(0, entries.findIndex(({ event }) => event.kind === "approval-decided" && event.stepId === stepId) + 1)

  test("by which nothing was done yet lapses, and people are asked anew", async () => {
    const entries = decidedOnly(await elsewhere(opened, ["open"]), "open")
    const { takeOver, outside, runner } = await adopted(entries, others)
    expect(await takeOver()).toMatchObject({ status: "awaiting_approval", awaiting: { stepId: "open" } })
    expect((await runner.entries("run")).map(({ event }) => event.kind)).toContain("approval-lapsed")
    expect(outside.made).toEqual([])
    const [waiting] = await runner.approvals.list()
    if (waiting === undefined) throw new Error("nothing waits")
    expect(await runner.approve("run", "open", { token: await say(waiting, "bob") })).toMatchObject({
      status: "succeeded",
    })
    expect(outside.made).toEqual(["pay"])
    await runner.close()
  })

  test("or the run is cancelled or denied: it ends, and nothing is called", async () => {
    const entries = decidedOnly(await elsewhere(opened, ["open"]), "open")
    const { takeOver, outside, runner } = await adopted(entries, others)
    await runner.cancel("run", { by: "ada" })
    expect(await takeOver()).toMatchObject({ status: "cancelled" })
    expect(outside.made).toEqual([])
    await runner.close()
  })

  test("by which something was done: the run goes nowhere but to its end, and nothing is undone by what it says", async () => {
    const plan = planOf(
      { id: "open", transition: "PAYING" },
      { id: "first", tool: "book", args: { to: "a" } },
      step("sign"),
    )
    const entries = await elsewhere(plan, ["open"], {}, "sign")
    for (const end of ["cancel", "deny"] as const) {
      const { takeOver, outside, runner } = await adopted(entries, others)
      expect(await codeOf(takeOver())).toBe("RUN307")
      const [waiting] = await runner.approvals.list()
      if (waiting === undefined) throw new Error("nothing waits")
      if (end === "cancel") await runner.cancel("run", { by: "ada" })
      else await runner.deny("run", "sign", { token: await say(waiting, "bob", { decision: "denied" }) })
      const over = await takeOver()
      expect(over).toMatchObject({
        status: end === "cancel" ? "cancelled" : "failed",
        effects: [{ stepId: "first", state: "undo-failed", failure: { code: "RUN113" } }],
      })
      expect(outside.made).toEqual([])
      await runner.close()
    }
    // Where the key is known, though revoked since, it is undone as ever.
    const { takeOver, outside, runner } = await adopted(entries, [
      approver("eve", { revokedAtMs: Date.now() }),
      ...others,
    ])
    await runner.cancel("run", { by: "ada" })
    expect(await takeOver()).toMatchObject({ status: "cancelled", effects: [{ state: "undone" }] })
    expect(outside.made).toEqual(["unbook"])
    await runner.close()
  })
})

test("an approval of a run that is still held by another store is refused before it is written; taken over, it counts", async () => {
  const { takeOver, outside, runner } = await adopted(await elsewhere(), everybody())
  const [waiting] = await runner.approvals.list()
  if (waiting === undefined) throw new Error("nothing waits")
  const token = await say(waiting)
  expect(await codeOf(runner.approve("run", "open", { token }))).toBe("RUN208")
  expect((await runner.entries("run")).at(-1)?.event.kind).toBe("approval-requested")
  expect(await takeOver()).toMatchObject({ status: "awaiting_approval" })
  expect(await runner.approve("run", "open", { token })).toMatchObject({ status: "succeeded" })
  expect(outside.made).toEqual(["pay"])
  await runner.close()
})

test("what a rule is said to have answered is asked once more, here", async () => {
  const plan = planOf({ id: "rule", transition: "RULED" }, step("pay"))
  const entries = forge(await elsewhere(plan), (events) => [
    ...events.flatMap((event): readonly Event[] => {
      if (event.kind === "run-ended") return []
      if (event.kind !== "rule-evaluated") return [event]
      const { failure: _, ...said } = event
      return [
        { ...said, holds: true },
        { kind: "state-entered", stepId: "rule", from: "LOOKING", to: "RULED" },
      ]
    }),
  ])
  const { takeOver, outside, runner } = await adopted(entries, everybody())
  await expect(takeOver()).rejects.toMatchObject({ code: "RUN504", message: expect.stringContaining("`small@1`") })
  expect(outside.made).toEqual([])
  await runner.close()
})

const withoutInputs = ({ inputs: _, ...event }: Event & { kind: "approval-requested" }): Event => event
const requestIdIn = (events: readonly Event[]): string =>
  events.flatMap((event) => (event.kind === "approval-requested" ? [event.requestId] : []))[0] ?? ""
