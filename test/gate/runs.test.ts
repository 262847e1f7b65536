/** The open run behind a gate: approvals, doubt, cancelling, expiry, other processes, and its journal derived anew. */
import { Effect } from "effect"
import { defineCatalog, fromResult, tool } from "sequitur"
import { createGate, verdictText } from "sequitur/gate"
import { createRunner, createWorker, type Entry, type Journal, RunSecrets, seededIds, toolbox } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { exportLines, importLines } from "../../src/journal/export.ts"
import { replay } from "../../src/journal/state.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { rederive } from "../../src/run/rederive.ts"
import { footingFor } from "../../src/run/run.ts"
import { fails, makeWorld, openShop, sharedStore, shop, throws } from "./shop.ts"

const entriesOf = (journal: Journal["Service"], runId: string): Promise<readonly Entry[]> =>
  Effect.runPromise(journal.read(runId))

/** Holds every entry against what `next` would have done, and every table against the entries. */
async function derive(journal: Journal["Service"], runId: string) {
  const entries = await entriesOf(journal, runId)
  const state = replay(runId, entries)
  if (state instanceof Error) throw state
  const ready = footingFor(state, { catalog: shop as never, handlers: new Map(), fault: undefined })
  if (ready instanceof Error) throw ready
  const derived = rederive(ready, runId, entries)
  if (derived instanceof Error) throw derived
  const verified = await Effect.runPromise(journal.inspect((whole) => verifyStore(whole)))
  expect(verified.findings).toEqual([])
  const lines = await Effect.runPromise(journal.inspect((whole) => [...exportLines(whole)]))
  expect(importLines(lines)).toMatchObject({ kind: "whole" })
  return derived
}

describe("approval", () => {
  test("a call waits, others with it, and goes on by the same id once it is agreed to", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store })
    const waiting = await gate.call("grant", { right: "read" }, { callId: "g" })
    expect(waiting).toMatchObject({ kind: "waiting", stepId: "g", callId: "g" })
    expect(await gate.call("grant", { right: "read" }, { callId: "g" })).toEqual(waiting)
    expect(await gate.call("mail", {}, { callId: "m" })).toMatchObject({ kind: "waiting", callId: "m", stepId: "g" })
    const runner = createRunner({ catalog: shop, tools: world.tools, store })
    const [asked] = await runner.approvals.list()
    expect(asked).toMatchObject({ runId: gate.runId, request: { stepId: "g", follows: [{ args: { right: "read" } }] } })
    await runner.decide(gate.runId, "g", { decision: "approved", by: "eve" })
    expect(world.count("grant")).toBe(0)
    expect(await gate.call("grant", { right: "read" }, { callId: "g" })).toMatchObject({
      kind: "accepted",
      replayed: false,
    })
    expect(await gate.call("mail", {}, { callId: "m" })).toMatchObject({ kind: "accepted" })
    expect(world.made.map(({ tool }) => tool)).toEqual(["grant", "mail"])
    await gate.close()
    expect(await derive(journal, gate.runId)).toMatchObject({ status: "succeeded" })
    await runner.close()
  })

  test("another process may make what was agreed to, and the gate gives its result", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store })
    await gate.call("grant", { right: "read" }, { callId: "g" })
    const runner = createRunner({ catalog: shop, tools: world.tools, store })
    expect(await runner.approve(gate.runId, "g", { by: "eve" })).toMatchObject({ status: "running" })
    expect(world.count("grant")).toBe(1)
    expect(await gate.call("grant", { right: "read" }, { callId: "g" })).toMatchObject({ kind: "accepted" })
    expect(await gate.call("mail", {}, { callId: "m" })).toMatchObject({ kind: "accepted" })
    expect(world.count("grant")).toBe(1)
    await gate.close()
    await derive(journal, gate.runId)
    await runner.close()
  })

  test("a denial fails the call, and the run goes on", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store })
    await gate.call("grant", { right: "read" }, { callId: "g" })
    const runner = createRunner({ catalog: shop, tools: world.tools, store })
    await runner.deny(gate.runId, "g", { by: "eve", reason: "no" })
    expect(await gate.call("grant", { right: "read" }, { callId: "g" })).toMatchObject({
      kind: "failed",
      applied: false,
      failure: { tag: "ApprovalDenied" },
    })
    expect(await gate.call("mail", {}, { callId: "m" })).toMatchObject({ kind: "accepted" })
    expect(world.count("grant")).toBe(0)
    await gate.close()
    expect(await derive(journal, gate.runId)).toMatchObject({ status: "succeeded" })
    await runner.close()
  })

  test("proposed again by another id it is the same call: while it waits, once it was made, and once it was denied", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store })
    const ask = (callId: string, right = "read") => gate.call("grant", { right }, { callId })
    expect(await ask("a")).toMatchObject({ kind: "waiting", stepId: "a" })
    expect(await ask("b")).toMatchObject({ kind: "waiting", callId: "b", stepId: "a" })
    const runner = createRunner({ catalog: shop, tools: world.tools, store })
    await runner.decide(gate.runId, "a", { decision: "approved", by: "eve" })
    expect(await ask("c")).toMatchObject({ kind: "accepted", callId: "c", stepId: "a", replayed: false })
    expect(await gate.call("mail", {}, { callId: "m" })).toMatchObject({ kind: "accepted" })
    expect(await ask("d")).toMatchObject({ kind: "accepted", stepId: "a", replayed: true })
    expect(await ask("a")).toMatchObject({ kind: "accepted", stepId: "a", replayed: true })
    expect(world.count("grant")).toBe(1)

    expect(await ask("e", "write")).toMatchObject({ kind: "waiting", stepId: "e" })
    await runner.deny(gate.runId, "e", { by: "eve" })
    expect(await ask("f", "write")).toMatchObject({ kind: "failed", stepId: "e", failure: { tag: "ApprovalDenied" } })
    expect(await ask("g")).toMatchObject({ kind: "accepted", stepId: "a", replayed: true })
    // That it is meant once more is the host's word.
    const twice = { callId: "h", occurrence: 2 }
    expect(await gate.call("grant", { right: "write" }, twice)).toMatchObject({ kind: "waiting", stepId: "h" })
    expect(world.count("grant")).toBe(1)
    await gate.close()
    await derive(journal, gate.runId)
    await runner.close()
  })

  test("a transition that the machine does not have is refused also while another call waits", async () => {
    const gate = await openShop(makeWorld())
    expect(await gate.call("grant", { right: "read" }, { callId: "g" })).toMatchObject({ kind: "waiting" })
    const refused = await gate.enter("SELING")
    expect(refused).toMatchObject({
      kind: "refused",
      tool: "SELING",
      diagnostics: [{ code: "SEQ303", at: "/transition" }],
    })
    expect(JSON.stringify(refused)).toContain("SELLING")
    expect(await gate.enter("SELLING")).toMatchObject({ kind: "waiting", callId: "enter-SELLING", stepId: "g" })
    await gate.leave()
  })

  test("a guarded transition waits likewise; denied, the state is as before", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store })
    const runner = createRunner({ catalog: shop, tools: world.tools, store })
    const first = await gate.enter("ADMIN")
    expect(first.kind).toBe("waiting")
    expect(await gate.enter("ADMIN")).toEqual(first)
    await runner.deny(gate.runId, (first as { stepId: string }).stepId, { by: "eve" })
    const second = await gate.enter("ADMIN")
    expect(second.kind).toBe("waiting")
    expect(second).not.toEqual(first)
    await runner.decide(gate.runId, (second as { stepId: string }).stepId, { decision: "approved", by: "eve" })
    expect(await gate.enter("ADMIN")).toMatchObject({ kind: "accepted", result: { state: "ADMIN" } })
    expect(await gate.call("wipe", {}, { callId: "w" })).toMatchObject({ kind: "accepted" })
    expect(await gate.enter("SELLING")).toMatchObject({ kind: "refused" })
    await gate.close()
    await derive(journal, gate.runId)
    await runner.close()
  })

  test("what still waits when the gate is closed comes to nothing", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store })
    await gate.call("grant", { right: "read" }, { callId: "g" })
    expect(await gate.close()).toMatchObject({ status: "succeeded" })
    expect(world.count("grant")).toBe(0)
    expect(await derive(journal, gate.runId)).toMatchObject({ status: "succeeded" })
  })
})

describe("doubt", () => {
  test.each([
    ["applied", { applied: {} }, "accepted", 1],
    ["notApplied", { notApplied: true }, "accepted", 2],
  ])("once a person says %s, calls are taken again", async (_, word, kind, made) => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store })
    world.next.set("post", throws)
    expect(await gate.call("post", { text: "x" }, { callId: "p" })).toMatchObject({ kind: "in-doubt" })
    world.next.clear()
    const runner = createRunner({ catalog: shop, tools: world.tools, store })
    await runner.resolve(gate.runId, "p", { by: "eve", reason: "seen", ...word } as never)
    expect(await gate.call("post", { text: "x" }, { callId: "p" })).toMatchObject({ kind })
    expect(world.count("post")).toBe(made)
    expect(await gate.call("mail", {}, { callId: "m" })).toMatchObject({ kind: "accepted" })
    await gate.close()
    await derive(journal, gate.runId)
    await runner.close()
  })
})

describe("its end", () => {
  test("what a cancel has undone is not answered as if it stood", async () => {
    const { store } = await sharedStore()
    const safe = { idempotency: { key: { retentionMs: 86_400_000 } } } as const
    const catalog = defineCatalog({
      name: "list",
      version: "1",
      approvals: "unsigned",
      tools: {
        add: tool({
          description: "Add.",
          effect: "write",
          params: z.strictObject({ x: z.string() }),
          result: z.strictObject({ id: z.string() }),
          compensate: { tool: "remove", args: { id: fromResult("/id") } },
          ...safe,
        }),
        remove: tool({
          description: "Remove.",
          effect: "write",
          params: z.strictObject({ id: z.string() }),
          compensate: "none",
          ...safe,
        }),
      },
    })
    const removed: unknown[] = []
    const tools = { add: () => ({ id: "i1" }), remove: (args: unknown) => void removed.push(args) }
    const who = { principal: { tenant: "t", subject: "ann" }, session: "s", task: "k", runId: "run" }
    const gate = await createGate({ catalog, tools, store, ...who })
    const add = () => gate.call("add", { x: "1" }, { callId: "a" })
    expect(await add()).toMatchObject({ kind: "accepted", result: { id: "i1" } })
    const runner = createRunner({ catalog, tools, store })
    await runner.cancel("run", { by: "eve" })
    await gate.call("add", { x: "2" }, { callId: "b" })
    expect(removed).toEqual([{ id: "i1" }])
    const verdict = await add()
    expect(verdict).toMatchObject({ kind: "failed", callId: "a", undone: true, applied: false })
    expect(verdictText(verdict)).toContain("has been undone")
    await gate.close()
    await runner.close()
  })

  test("cancelled by anybody, it takes no further call", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store })
    await gate.call("mail", {}, { callId: "m" })
    const runner = createRunner({ catalog: shop, tools: world.tools, store })
    await runner.cancel(gate.runId, { by: "eve" })
    expect(await gate.call("mail", {}, { callId: "n" })).toMatchObject({
      kind: "run-over",
      failure: { tag: "RunCancelled" },
    })
    expect(await gate.call("mail", {}, { callId: "m" })).toMatchObject({ kind: "accepted", replayed: true })
    expect(await derive(journal, gate.runId)).toMatchObject({ status: "cancelled" })
    await gate.close()
    await runner.close()
  })

  test("it expires: by the next call, or by a worker, and what it has done remains", async () => {
    for (const by of ["call", "worker"]) {
      const { store, journal } = await sharedStore()
      const world = makeWorld()
      const gate = await openShop(world, { store, expiresMs: 60, leaseMs: 20 })
      expect(await gate.call("post", { text: "x" }, { callId: "p" })).toMatchObject({ kind: "accepted" })
      await new Promise((resolve) => setTimeout(resolve, 90))
      if (by === "worker") {
        const worker = createWorker({ store, tools: toolbox(shop, world.tools), untilIdle: true, everyMs: 5 })
        await worker.stopped
        const state = replay(gate.runId, await entriesOf(journal, gate.runId))
        expect(state).toMatchObject({ status: "exhausted" })
      }
      expect(await gate.call("mail", {}, { callId: "m" })).toMatchObject({
        kind: "run-over",
        failure: { tag: "BudgetExhausted" },
      })
      expect(await derive(journal, gate.runId)).toMatchObject({ status: "exhausted" })
      await gate.leave()
    }
  })
})

describe("other processes", () => {
  test("a run that is held is refused; left, it is gone on with where it stands", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store, runId: "run" })
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    await expect(openShop(world, { store, runId: "run" })).rejects.toMatchObject({ _tag: "RunUnderWay" })
    await gate.leave()
    const other = await openShop(world, { store, runId: "run", ids: seededIds("other") })
    expect(await other.call("find", { customerId: "c1" }, { callId: "f" })).toMatchObject({
      kind: "accepted",
      replayed: true,
    })
    await other.enter("SELLING")
    expect(await other.call("refund", { orderId: "o1", cents: 5 }, { callId: "r" })).toMatchObject({ kind: "accepted" })
    await other.close()
    await derive(journal, "run")
  })

  test("taken over, the first is told so, and nothing is made twice", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store, runId: "run" })
    await gate.call("mail", {}, { callId: "a" })
    const other = await openShop(world, { store, runId: "run", ids: seededIds("other"), takeOver: true })
    expect(await other.call("mail", {}, { callId: "b" })).toMatchObject({ kind: "accepted" })
    await expect(gate.call("mail", {}, { callId: "c" })).rejects.toMatchObject({ _tag: "RunUnderWay" })
    await other.leave()
    expect(await gate.call("mail", {}, { callId: "b" })).toMatchObject({ kind: "accepted", replayed: true })
    expect(world.count("mail")).toBe(2)
    await gate.close()
    await derive(journal, "run")
  })

  test.each([
    ["another's", { principal: { tenant: "acme", subject: "bob" } }, "InputsRefused"],
    ["of another task", { task: "t2" }, "InputsRefused"],
    ["of another session", { session: "s2" }, "InputsRefused"],
    [
      "of one with other roles",
      { principal: { tenant: "acme", subject: "ann", roles: ["treasurer"] } },
      "InputsRefused",
    ],
    ["of other literals", { literals: "untrusted" as const }, "InputsRefused"],
    ["of another tenant", { principal: { tenant: "evil", subject: "ann" } }, "RunExists"],
  ])("a run that is %s is refused", async (_, more, tag) => {
    const { store } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store, runId: "run" })
    await gate.leave()
    await expect(openShop(world, { store, runId: "run", ...more })).rejects.toMatchObject({ _tag: tag })
  })

  test("an imported one is held to its plan before anything is called for it", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store, runId: "run" })
    await gate.enter("SELLING")
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    await gate.leave()
    const lines = await Effect.runPromise(journal.inspect((whole) => [...exportLines(whole)]))
    const imported = importLines(lines)
    if (imported.kind !== "whole") throw new Error(imported.kind)
    const copy = await sharedStore()
    await Effect.runPromise(copy.journal.adopt(imported.entries))
    await expect(openShop(world, { store: copy.store, runId: "run" })).rejects.toMatchObject({ _tag: "RunUnderWay" })
    const other = await openShop(world, { store: copy.store, runId: "run", takeOver: true })
    expect(await other.call("refund", { orderId: "o1", cents: 5 }, { callId: "r" })).toMatchObject({ kind: "accepted" })
    await other.close()
    await derive(copy.journal, "run")
    // What was put into it there is found out.
    const forged = imported.entries.map((entry) =>
      entry.event.kind === "step-added" && entry.event.step.tool === "find"
        ? { ...entry, event: { ...entry.event, step: { ...entry.event.step, args: { customerId: "c9" } } } }
        : entry,
    )
    const third = await sharedStore()
    await Effect.runPromise(third.journal.adopt(forged as never))
    await expect(openShop(world, { store: third.store, runId: "run", takeOver: true })).rejects.toMatchObject({
      code: expect.stringMatching(/^RUN/),
    })
  })

  test("with another catalog it takes no further step, and can be closed", async () => {
    const { store } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store, runId: "run" })
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    await gate.leave()
    const changed = defineCatalog({
      ...shop.spec,
      blastRadius: { cents: { max: 9_999 }, parcels: { max: 4, per: "session" } },
    })
    const other = await openShop(world, { store, runId: "run", catalog: changed as never })
    await expect(other.call("mail", {}, { callId: "m" })).rejects.toMatchObject({ _tag: "StalePlan" })
    expect(world.count("mail")).toBe(0)
    expect(await other.close()).toMatchObject({ status: "succeeded" })
  })

  test("an effect of the same task that another run has made is answered with what it gave", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    for (const [index, replayed] of [false, true].entries()) {
      const gate = await openShop(world, { store, ids: seededIds(index) })
      await gate.enter("SELLING")
      await gate.call("find", { customerId: "c1" }, { callId: "f" })
      expect(await gate.call("refund", { orderId: "o1", cents: 5 }, { callId: "r" })).toMatchObject({
        kind: "accepted",
        result: { refundId: "r-o1" },
      })
      const kinds = (await entriesOf(journal, gate.runId)).map(({ event }) => event.kind)
      expect(kinds.includes("replayed")).toBe(replayed)
      await gate.close()
      await derive(journal, gate.runId)
    }
    expect(world.count("refund")).toBe(1)
  })

  test("a limit of the session holds for all its runs", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const sent: string[] = []
    for (const index of [0, 1, 2]) {
      const gate = await openShop(world, { store, ids: seededIds(index), task: `t${index}` })
      await gate.enter("SELLING")
      await gate.call("find", { customerId: "c1" }, { callId: "f" })
      await gate.call("refund", { orderId: "o1", cents: 5 }, { callId: "r" })
      for (const to of ["a", "b"]) {
        const verdict = await gate.call("ship", { to }, { callId: `s-${to}` })
        sent.push(verdict.kind === "failed" ? verdict.failure.tag : verdict.kind)
      }
      await gate.close()
      await derive(journal, gate.runId)
    }
    expect(sent).toEqual(["accepted", "accepted", "accepted", "accepted", "LimitExhausted", "LimitExhausted"])
    expect(world.count("ship")).toBe(4)
  })
})

describe("its journal", () => {
  test("does not hold where a step was put into it that the gates refuse", async () => {
    const { store, journal } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store })
    await gate.enter("SELLING")
    await gate.call("find", { customerId: "c1" }, { callId: "f" })
    world.next.set("refund", fails())
    await gate.call("refund", { orderId: "o1", cents: 5 }, { callId: "r" })
    await gate.close()
    const entries = await entriesOf(journal, gate.runId)
    const state = replay(gate.runId, entries)
    const ready = footingFor(state as never, { catalog: shop as never, handlers: new Map(), fault: undefined })
    const change = (kind: string, fields: object, of = (_: Entry) => true): readonly Entry[] =>
      entries.map((entry) =>
        entry.event.kind === kind && of(entry) ? ({ ...entry, event: { ...entry.event, ...fields } } as Entry) : entry,
      )
    expect(rederive(ready as never, gate.runId, entries)).toMatchObject({ status: "succeeded" })
    const isRefund = ({ event }: Entry): boolean => event.kind === "step-added" && event.step.tool === "refund"
    for (const changed of [
      change("step-added", { step: { id: "r", tool: "refund", args: { orderId: "o9", cents: 5 } } }, isRefund),
      change("step-added", { seen: 0 }, isRefund),
      change("step-added", { planHash: "0" }, isRefund),
      change("step-given-up", { failure: { tag: "StepFailed", code: "RUN101", message: "else", stepId: "r" } }),
      entries.filter((entry) => !isRefund(entry)).map((entry, seq) => ({ ...entry, seq })),
      change("run-started", { open: undefined }),
    ])
      expect(rederive(ready as never, gate.runId, changed)).toMatchObject({ _tag: "JournalDiverged" })
  })

  test("is the same again for the same seed", async () => {
    const stories: string[] = []
    for (const _ of [1, 2]) {
      const { store, journal } = await sharedStore()
      const gate = await openShop(makeWorld(), { store, runId: "run" })
      await gate.enter("SELLING")
      await gate.call("find", { customerId: "c1" }, { callId: "f" })
      await gate.call("refund", { orderId: "o1", cents: 5 }, { callId: "r" })
      await gate.close()
      const entries = await entriesOf(journal, "run")
      stories.push(JSON.stringify(entries.map(({ seq, event }) => [seq, { ...event, tookMs: 0 }])))
    }
    expect(stories[0]).toBe(stories[1])
  })

  test("shows no secret of a call", () => {
    const started = {
      kind: "run-started",
      document: { version: 1, steps: [] },
      inputs: null,
      open: {},
      salt: "s",
      tools: { pay: { sensitive: { args: ["/card"] } } },
    }
    const added = {
      kind: "step-added",
      callId: "c",
      seen: 0,
      planHash: "h",
      step: { id: "c", tool: "pay", args: { card: "4111-1111-1111", n: 1 } },
    }
    const entries = [started, added].map((event, seq) => ({ seq, atMs: 0, event }) as never)
    const told = JSON.stringify(entries.map((entry) => RunSecrets.of(entries).redact(entry)))
    expect(told).not.toContain("4111-1111")
    expect(told).toContain('"n":1')
  })
})

test("whoever stands behind another call is told which, and what to do", async () => {
  const world = makeWorld()
  const gate = await openShop(world)
  const verdicts = await gate.turn([
    { callId: "g", tool: "grant", args: { right: "r" } },
    { callId: "m", tool: "mail", args: {} },
  ])
  expect(verdicts).toMatchObject([
    { kind: "waiting", tool: "grant", stepId: "g" },
    { kind: "waiting", tool: "mail", stepId: "g", behind: "grant" },
  ])
  expect(verdicts.map((verdict) => verdictText(verdict))).toEqual([
    expect.not.stringContaining("behind"),
    expect.stringMatching(/"mail" was not made.*behind "grant".*ask for the same call again/),
  ])
  await gate.leave()
  const doubtful = await openShop(world)
  world.next.set("post", throws)
  expect(await doubtful.call("post", { text: "x" }, { callId: "p" })).toMatchObject({ kind: "in-doubt" })
  const held = await doubtful.call("mail", {}, { callId: "m" })
  expect(held).toMatchObject({ kind: "in-doubt", tool: "mail", behind: "post" })
  expect(verdictText(held)).toContain('"mail" was not made: it stands behind "post"')
  await doubtful.leave()
})

test("an open run takes more calls than a plan has steps", async () => {
  const world = makeWorld()
  const gate = await openShop(world)
  for (let index = 0; index < 260; index++)
    expect(await gate.call("mail", {}, { callId: `m${index}` })).toMatchObject({ kind: "accepted" })
  await gate.leave()
})
