/** Calls that wait for people, and people's signed answers: bound to the very thing, counted once, looked at again before the deed. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { arg, compile, defineCatalog, predicate, tool } from "sequitur"
import type { Event } from "sequitur/run"
import {
  type Approver,
  createRunner,
  generateKeys,
  issueApproval,
  memory,
  type Runner,
  type RunnerOptions,
  verifyApproval,
  type WaitingApproval,
} from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { replay } from "../../../src/journal/state.ts"
import { next } from "../../../src/run/next/next.ts"
import { prepare } from "../../../src/run/next/prepare.ts"
import { rederive } from "../../../src/run/rederive.ts"
import { accepted } from "../desk.ts"

const catalog = defineCatalog({
  name: "pay",
  version: "1",
  blastRadius: { cents: { max: 100_000, approveAbove: 1_000 }, wires: { max: 10, approveAbove: 1, per: "session" } },
  tools: {
    look: tool({
      description: "Look at an account.",
      effect: "read",
      params: z.strictObject({ id: z.string() }),
      result: z.object({ cents: z.int().min(0).max(50_000), region: z.string() }),
      authority: { roles: ["clerk"] },
    }),
    pay: tool({
      description: "Pay an amount.",
      effect: "write",
      params: z.strictObject({ to: z.string(), cents: z.int().min(0).max(50_000) }),
      blast: { cents: arg("cents", { max: 50_000 }) },
      idempotency: "natural",
      compensate: "none",
    }),
    close: tool({
      description: "Close an account.",
      effect: "destructive",
      params: z.strictObject({ id: z.string(), region: z.string() }),
      authority: {
        approval: "always",
        approvers: 2,
        when: predicate("own-region", "1", ({ region }: { region: string }, { subject }) => subject === region),
      },
      idempotency: "natural",
      compensate: "none",
    }),
    wire: tool({
      description: "Wire something.",
      effect: "write",
      params: z.strictObject({ to: z.string() }),
      blast: { wires: 1 },
      idempotency: "natural",
      compensate: "none",
    }),
  },
})

const people = Object.fromEntries(["eve", "bob", "ada"].map((name) => [name, generateKeys()]))
const approver = (name: string, more: Partial<Approver> = {}): Approver => {
  const { kid, publicKey } = people[name] ?? generateKeys()
  return { kid, publicKey, subject: name, tenant: "acme", roles: ["lead"], ...more }
}

/** What may change between an answer and the deed. */
let keySet: Approver[] = []

interface World {
  readonly runner: Runner<(typeof catalog)["spec"]>
  readonly made: string[]
}

function open(store: RunnerOptions["store"] = memory()): World {
  keySet = [approver("eve"), approver("bob"), approver("ada")]
  const made: string[] = []
  const note = (what: string): null => {
    made.push(what)
    return null
  }
  const runner = createRunner({
    catalog,
    store,
    approvers: (kid) => keySet.find((one) => one.kid === kid),
    tools: {
      look: ({ id }) => ({ cents: 40_000, region: id }),
      pay: ({ to, cents }) => note(`pay ${to} ${cents}`),
      close: ({ id }) => note(`close ${id}`),
      wire: ({ to }) => note(`wire ${to}`),
    },
  })
  return { runner, made }
}

const planOf = (...steps: readonly object[]) => accepted(compile(catalog, JSON.stringify({ version: 1, steps })))
const pay = (id: string, cents: unknown, to = id) => ({ id, tool: "pay", args: { to, cents } })
const scope = { principal: { tenant: "acme", subject: "ada", roles: ["clerk"] }, sessionId: "s", taskId: "t" }
let count = 0
const options = () => ({ ...scope, runId: `run_${++count}`, taskId: `t${count}` })

const say = (waiting: WaitingApproval, name = "eve", more: Partial<Parameters<typeof issueApproval>[0]> = {}) => {
  const { kid, privateKey } = people[name] ?? generateKeys()
  return issueApproval({
    bound: waiting.bound,
    decision: "approved",
    reason: "seen",
    kid,
    key: privateKey as never,
    ...more,
  })
}

async function waitingIn({ runner }: World): Promise<WaitingApproval> {
  const [waiting] = await runner.approvals.list()
  if (waiting === undefined) throw new Error("nothing waits")
  return waiting
}

describe("a call that waits", () => {
  test("is shown with its resolved arguments and why, and made once when it was agreed to", async () => {
    const world = open()
    const look = { id: "look", tool: "look", args: { id: "a1" } }
    const plan = planOf(look, pay("small", 900), pay("rest", { $from: "look", path: "/cents" }, "a1"))
    const report = await world.runner.run(plan, options())
    expect(report.status).toBe("awaiting_approval")
    const waiting = await waitingIn(world)
    expect(waiting.request).toMatchObject({
      stepId: "rest",
      because: [{ kind: "above", dimension: "cents", above: 1_000, total: 40_900 }],
      follows: [{ stepId: "rest", tool: "pay", args: { to: "a1", cents: 40_000 } }],
    })
    expect(waiting).toMatchObject({ subject: "ada", agreed: [], done: [{ stepId: "small", undone: false }] })
    expect(world.made).toEqual(["pay small 900"])
    const after = await world.runner.approve(waiting.runId, "rest", { token: await say(waiting) })
    expect(after.status).toBe("succeeded")
    expect(world.made).toEqual(["pay small 900", "pay a1 40000"])
    const kinds = (await world.runner.entries(waiting.runId)).map(({ event }) => event.kind)
    expect(kinds.filter((kind) => kind === "approval-requested")).toHaveLength(1)
  })

  test("sums do not slip through in parts, and at the threshold nobody is asked", async () => {
    const world = open()
    const at = await world.runner.run(planOf(pay("a", 500), pay("b", 500)), options())
    expect(at.status).toBe("succeeded")
    const past = await world.runner.run(planOf(pay("a", 500), pay("b", 501)), options())
    expect(past).toMatchObject({ status: "awaiting_approval", awaiting: { stepId: "b" } })
  })

  test("a limit of the session counts what other runs have done", async () => {
    const world = open()
    const wire = (to: string) => planOf({ id: "w", tool: "wire", args: { to } })
    expect((await world.runner.run(wire("one"), options())).status).toBe("succeeded")
    const second = await world.runner.run(wire("two"), options())
    expect(second).toMatchObject({
      status: "awaiting_approval",
      awaiting: { because: [{ kind: "above", dimension: "wires", above: 1, total: 2 }] },
    })
  })

  test("what another run has made is not asked about again", async () => {
    const world = open()
    const plan = planOf(pay("a", 5_000))
    const task = options()
    await world.runner.run(plan, task)
    const waiting = await waitingIn(world)
    await world.runner.approve(waiting.runId, "a", { token: await say(waiting) })
    const again = await world.runner.run(plan, { ...task, runId: "again" })
    expect(again.status).toBe("succeeded")
    expect(world.made).toEqual(["pay a 5000"])
  })

  test("a denial ends the run, and nothing is called", async () => {
    const world = open()
    await world.runner.run(planOf(pay("a", 5_000)), options())
    const waiting = await waitingIn(world)
    const denied = await world.runner.deny(waiting.runId, "a", {
      token: await say(waiting, "bob", { decision: "denied" }),
    })
    expect(denied).toMatchObject({
      status: "failed",
      failure: { code: "RUN301", message: "`bob` denied step `a`: seen" },
    })
    expect(world.made).toEqual([])
  })
})

describe("an answer", () => {
  async function asked(): Promise<World & { readonly waiting: WaitingApproval }> {
    const world = open()
    await world.runner.run(planOf(pay("a", 5_000)), options())
    return { ...world, waiting: await waitingIn(world) }
  }
  const tagOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => "taken",
      ({ _tag }) => _tag,
    )

  test("without a signature, or with one that is not about this, is refused, and burns no good one", async () => {
    const { runner, waiting, made } = await asked()
    const { runId } = waiting
    const before = (await runner.entries(runId)).length
    const other = generateKeys()
    const foreign = { ...waiting, bound: { ...waiting.bound, inputs: "0".repeat(64) } }
    const tokens: [string, string][] = [
      ["TokenRefused", "nonsense"],
      ["ApprovalMismatch", await say(foreign)],
      ["ApprovalExpired", await say(waiting, "eve", { notBeforeMs: 0, expiresAtMs: 1_000 })],
      ["ApprovalEarly", await say(waiting, "eve", { notBeforeMs: Date.now() + 60_000 })],
      ["ApproverUnknown", await say(waiting, "nobody")],
      ["TokenRefused", await say(waiting, "eve", { key: other.privateKey as never })],
    ]
    expect(await tagOf(runner.approve(runId, "a", { by: "eve" }))).toBe("DecisionUnsigned")
    for (const [tag, token] of tokens) expect(await tagOf(runner.approve(runId, "a", { token }))).toBe(tag)
    keySet = [approver("eve", { tenant: "other" })]
    const good = await say(waiting)
    expect(await tagOf(runner.approve(runId, "a", { token: good }))).toBe("ApproverNotEntitled")
    keySet = [approver("eve")]
    expect(await tagOf(runner.deny(runId, "a", { token: good }))).toBe("ApprovalMismatch")
    expect((await runner.entries(runId)).length).toBe(before)
    expect(await tagOf(runner.approve(runId, "a", { token: good }))).toBe("taken")
    expect(made).toEqual(["pay a 5000"])
  })

  test("is taken without going on, and found again; used twice it is refused", async () => {
    const { runner, waiting, made } = await asked()
    const token = await say(waiting)
    expect((await runner.approvals.answer(token)).status).toBe("running")
    expect(made).toEqual([])
    expect(await tagOf(runner.approvals.answer(token))).toBe("ApprovalReplayed")
    expect(await tagOf(runner.approvals.answer(await say(waiting, "bob")))).toBe("ApprovalAlreadyDecided")
    expect((await runner.resume(waiting.runId)).status).toBe("succeeded")
    expect(await tagOf(runner.approvals.answer(token))).toBe("RunEnded")
  })

  test("can be looked at before it is handed in, which uses up nothing", async () => {
    const { runner, waiting } = await asked()
    const { bound } = waiting
    const token = await say(waiting)
    const approvers = [approver("eve")]
    expect(await verifyApproval(token, { bound, approvers })).toMatchObject({
      claims: { decision: "approved", reason: "seen" },
      approver: { subject: "eve" },
    })
    const other = { ...bound, step: "b" }
    await expect(verifyApproval(token, { bound: other, approvers })).rejects.toMatchObject({ code: "RUN308" })
    await expect(verifyApproval(token, { bound, approvers: [] })).rejects.toMatchObject({ code: "RUN307" })
    const late = { bound, approvers, nowMs: Date.now() + 7_200_000 }
    await expect(verifyApproval(token, late)).rejects.toMatchObject({ code: "RUN310" })
    expect((await runner.approvals.answer(token)).status).toBe("running")
  })

  test("another tenant's request is as if it never was", async () => {
    const { runner, waiting } = await asked()
    expect(await runner.approvals.list({ tenant: "other" })).toEqual([])
    expect(await tagOf(runner.approvals.get(waiting.request.requestId, { tenant: "other" }))).toBe("ApprovalNotFound")
    expect(await tagOf(runner.approvals.answer(await say(waiting), { tenant: "other" }))).toBe("RunNotFound")
    expect(await runner.approvals.get(waiting.request.requestId)).toEqual(waiting)
  })

  test("that does not count any more at the deed lapses, and the step is asked about anew", async () => {
    const { runner, waiting, made } = await asked()
    await runner.approvals.answer(await say(waiting))
    keySet = [approver("eve", { revokedAtMs: 1 }), approver("bob")]
    const again = await runner.resume(waiting.runId)
    expect(again.status).toBe("awaiting_approval")
    expect(made).toEqual([])
    const second = await waitingIn({ runner, made })
    expect(second.request.requestId).not.toBe(waiting.request.requestId)
    const done = await runner.approve(waiting.runId, "a", { token: await say(second, "bob") })
    expect([done.status, made]).toEqual(["succeeded", ["pay a 5000"]])
  })

  test("that lapses again and again ends the run", async () => {
    const { runner, waiting, made } = await asked()
    let open = waiting
    for (const last of [false, false, true]) {
      keySet = [approver("eve")]
      await runner.approvals.answer(await say(open))
      keySet = []
      const report = await runner.resume(waiting.runId)
      expect(report.status).toBe(last ? "failed" : "awaiting_approval")
      if (!last) open = await waitingIn({ runner, made })
      else expect(report).toMatchObject({ failure: { code: "RUN307" } })
    }
    expect(made).toEqual([])
  })
})

describe("two people", () => {
  const close = planOf({ id: "c", tool: "close", args: { id: "a1", region: "ada" } })

  test("must agree, different ones, and not whose run it is", async () => {
    const world = open()
    const { runner, made } = world
    await runner.run(close, options())
    const waiting = await waitingIn(world)
    const { runId } = waiting
    await expect(runner.approvals.answer(await say(waiting, "ada"))).rejects.toMatchObject({ code: "RUN311" })
    expect((await runner.approvals.answer(await say(waiting, "eve"))).status).toBe("awaiting_approval")
    const other = say(waiting, "eve", { reason: "again" })
    await expect(runner.approvals.answer(await other)).rejects.toMatchObject({ code: "RUN311" })
    expect((await waitingIn(world)).agreed).toEqual(["eve"])
    expect(made).toEqual([])
    const done = await runner.approve(runId, "c", { token: await say(waiting, "bob") })
    expect([done.status, made]).toEqual(["succeeded", ["close a1"]])
  })

  test("one who denies is enough", async () => {
    const world = open()
    await world.runner.run(close, options())
    const waiting = await waitingIn(world)
    await world.runner.approvals.answer(await say(waiting, "eve"))
    const denied = await world.runner.approvals.answer(await say(waiting, "bob", { decision: "denied" }))
    expect(denied.status).toBe("failed")
  })
})

const folder = mkdtempSync(join(tmpdir(), "sequitur-approval-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each([
  ["memory", () => memory()],
  ["sqlite", () => sqlite(join(folder, "runs.db"))],
])("a hundred who answer at once: %s", (_, store) => {
  test("are one decision, by one token or by many", async () => {
    const world = open(store())
    await world.runner.run(planOf(pay("a", 5_000)), options())
    const waiting = await waitingIn(world)
    const one = await say(waiting)
    const tokens = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? one : say(waiting, "bob", { reason: `${i}` }))),
    )
    const said = await Promise.allSettled(tokens.map((token) => world.runner.approvals.answer(token)))
    expect(said.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    const kinds = (await world.runner.entries(waiting.runId)).map(({ event }) => event.kind)
    expect(kinds.filter((kind) => kind === "approval-decided")).toHaveLength(1)
    expect((await world.runner.resume(waiting.runId)).status).toBe("succeeded")
    expect(world.made).toEqual(["pay a 5000"])
    await world.runner.close()
  })
})

describe("what attackers tried", () => {
  test("many runs of one session at once come no further than the line that nobody agreed to pass", async () => {
    const world = open(sqlite(join(folder, "race.db")))
    const runs = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        world.runner.run(planOf({ id: "w", tool: "wire", args: { to: `${i}` } }), options()),
      ),
    )
    expect(runs.map(({ status }) => status).sort()).toEqual([...Array(7).fill("awaiting_approval"), "succeeded"])
    expect(world.made).toHaveLength(1)
    // What they were shown is what they would have come to then: after the first of them, the next is asked anew.
    const [first, second] = await world.runner.approvals.list()
    if (first === undefined || second === undefined) throw new Error("nothing waits")
    await world.runner.approve(first.runId, "w", { token: await say(first) })
    const late = await world.runner.approve(second.runId, "w", { token: await say(second) })
    expect([late.status, world.made.length]).toEqual(["awaiting_approval", 2])
    await world.runner.close()
  })

  test("a key set that is down, or never answers, is told as such; nothing is called, and no approval is lost", async () => {
    let down = false
    const made: string[] = []
    const runner = createRunner({
      catalog,
      store: memory(),
      approvers: async (kid) => {
        if (down) throw new Error("the directory is down")
        return [approver("eve")].find((one) => one.kid === kid)
      },
      tools: {
        look: () => ({ cents: 1, region: "" }),
        close: () => null,
        wire: () => null,
        pay: ({ to }) => {
          made.push(to)
          return null
        },
      },
    })
    await runner.run(planOf(pay("a", 5_000)), options())
    const [waiting] = await runner.approvals.list()
    if (waiting === undefined) throw new Error("nothing waits")
    const token = await say(waiting)
    down = true
    await expect(runner.approvals.answer(token)).rejects.toMatchObject({ code: "RUN314", again: true })
    down = false
    await runner.approvals.answer(token)
    down = true
    await expect(runner.resume(waiting.runId)).rejects.toMatchObject({ code: "RUN314" })
    expect(made).toEqual([])
    down = false
    expect(await runner.resume(waiting.runId)).toMatchObject({ status: "succeeded" })
    expect(made).toEqual(["a"])
  })

  test("who has agreed may still stop it, and so may whose run it is", async () => {
    for (const name of ["eve", "ada"]) {
      const world = open()
      await world.runner.run(planOf({ id: "c", tool: "close", args: { id: "a1", region: "ada" } }), options())
      const waiting = await waitingIn(world)
      await world.runner.approvals.answer(await say(waiting, "eve"))
      const denied = await world.runner.approvals.answer(await say(waiting, name, { decision: "denied" }))
      expect(denied.status).toBe("failed")
    }
  })

  test("of a forged journal nothing is called: no signature, fewer people, none at all", async () => {
    const world = open()
    await world.runner.run(planOf({ id: "c", tool: "close", args: { id: "a1", region: "ada" } }), options())
    const waiting = await waitingIn(world)
    await world.runner.approvals.answer(await say(waiting, "eve"))
    await world.runner.approvals.answer(await say(waiting, "bob"))
    const entries = await world.runner.entries(waiting.runId)
    const compiled = planOf({ id: "c", tool: "close", args: { id: "a1", region: "ada" } })
    const ready = prepare(compiled, catalog)
    if (ready instanceof Error) throw ready
    const problemOf = (change: (event: Event) => Event | undefined): string => {
      const forged = entries.flatMap((entry) => {
        const event = change(entry.event)
        return event === undefined ? [] : [{ ...entry, event }]
      })
      const state = rederive(
        ready,
        waiting.runId,
        forged.map((entry, seq) => ({ ...entry, seq })),
      )
      return state instanceof Error ? state.message : "follows"
    }
    expect(problemOf((event) => event)).toBe("follows")
    expect(problemOf((event) => (event.kind === "run-started" ? { ...event, unsigned: true } : event))).toMatch(
      /otherwise/,
    )
    const unsign = ({ token: _, ...event }: Event & { kind: "approval-decided" }): Event => event
    expect(problemOf((event) => (event.kind === "approval-decided" ? unsign(event) : event))).toMatch(/signature/)
    const fewer = ({ approvers: _, ...event }: Event & { kind: "approval-requested" }): Event => event
    const whole = ({ left: _, ...event }: Event & { kind: "approval-decided" }): Event => event
    let said = 0
    expect(
      problemOf((event) => {
        if (event.kind === "approval-requested") return fewer(event)
        if (event.kind !== "approval-decided") return event
        said++
        return said === 1 ? whole(event) : undefined
      }),
    ).toMatch(/`approval-requested` stands where/)
    expect(world.made).toEqual([])
  })

  test("a result that was rewritten after it was agreed to is asked about anew", async () => {
    const world = open()
    const look = { id: "look", tool: "look", args: { id: "a1" } }
    await world.runner.run(planOf(look, pay("rest", { $from: "look", path: "/cents" })), options())
    const waiting = await waitingIn(world)
    await world.runner.approvals.answer(await say(waiting))
    const entries = (await world.runner.entries(waiting.runId)).map((entry) =>
      entry.event.kind === "outcome"
        ? { ...entry, event: { ...entry.event, result: { cents: 50_000, region: "" } } }
        : entry,
    )
    const state = replay(waiting.runId, entries)
    if (state instanceof Error) throw state
    const ready = prepare(planOf(look, pay("rest", { $from: "look", path: "/cents" })), catalog)
    if (ready instanceof Error) throw ready
    const action = next(ready, state)
    if (action.kind !== "call") throw new Error(action.kind)
    expect(action.asks?.inputs).not.toBe(action.asked?.request.inputs)
  })
})

describe("who may", () => {
  test("is asked again at dispatch, of resolved arguments, before anybody is asked to approve", async () => {
    const world = open()
    const look = { id: "look", tool: "look", args: { id: "elsewhere" } }
    const close = { id: "c", tool: "close", args: { id: "a1", region: { $from: "look", path: "/region" } } }
    const report = await world.runner.run(planOf(look, close), options())
    expect(report).toMatchObject({
      status: "failed",
      failure: { code: "RUN115", message: "step `c` may not call `close`: `own-region@1` says no to these arguments" },
    })
    const other = { ...options(), principal: { tenant: "acme", subject: "ada", roles: ["visitor"] } }
    expect(await world.runner.run(planOf(look), other)).toMatchObject({
      status: "failed",
      failure: { code: "RUN115", message: "step `look` may not call `look`: it takes one of the roles `clerk`" },
    })
    expect(world.made).toEqual([])
  })

  test("an answer tells whoever cannot sign for a tenant nothing of its runs", async () => {
    const world = open()
    await world.runner.run(planOf(pay("a", 5_000)), { ...options(), runId: "waits" })
    await world.runner.run(planOf(pay("a", 5_000)), { ...options(), runId: "decided", taskId: "another" })
    const waiting = (await world.runner.approvals.list()).find(({ runId }) => runId === "decided") as WaitingApproval
    await world.runner.decide("decided", "a", { decision: "approved", token: await say(waiting) })
    const stranger = generateKeys()
    const tokenOf = (run: string, { kid, privateKey }: ReturnType<typeof generateKeys>) => {
      const bound = { ...waiting.bound, run, request: "a" }
      return issueApproval({ bound, decision: "approved", kid, key: privateKey })
    }
    const toldOf = async (run: string, keys: ReturnType<typeof generateKeys>) => {
      const answered = world.runner.approvals.answer(await tokenOf(run, keys))
      return answered.catch((error) => `${error.code} ${String(error.message).replaceAll(run, "RUN")}`)
    }
    const runs = ["waits", "decided", "nowhere"]
    const foreign = generateKeys()
    keySet = [...keySet, { kid: foreign.kid, publicKey: foreign.publicKey, subject: "zed", tenant: "other", roles: [] }]
    for (const [keys, code] of [
      [stranger, "RUN307"],
      [foreign, "RUN204"],
    ] as const) {
      const told = new Set(await Promise.all(runs.map((run) => toldOf(run, keys))))
      expect([...told]).toEqual([expect.stringContaining(code)])
    }
    const { kid } = people.eve as ReturnType<typeof generateKeys>
    const forged = await Promise.all(runs.map((run) => toldOf(run, { ...stranger, kid })))
    expect([...new Set(forged)]).toEqual([expect.stringContaining("RUN306")])
  })

  test("without a key set nothing that was signed is acted on, and the run waits on", async () => {
    const world = open()
    await world.runner.run(planOf(pay("a", 5_000)), options())
    const waiting = await waitingIn(world)
    const blind = createRunner({ catalog, store: memory(), tools: {} as never })
    expect(await blind.approvals.list()).toEqual([])
    await expect(blind.approvals.answer(await say(waiting))).rejects.toMatchObject({ _tag: "InputsRefused" })
  })
})

test("a token that would never count is not issued", async () => {
  const bound = {
    request: "r",
    run: "r",
    tenant: "t",
    plan: "0".repeat(64),
    catalog: "0".repeat(64),
    step: "s",
    inputs: "0".repeat(64),
  }
  await expect(say({ bound } as never, "eve", { notBeforeMs: 2_000, expiresAtMs: 2_000 })).rejects.toThrow(
    "`expiresAtMs` (2000)",
  )
  await expect(say({ bound } as never, "eve", { notBeforeMs: 2_000, expiresAtMs: Number.NaN })).rejects.toThrow(
    RangeError,
  )
})
