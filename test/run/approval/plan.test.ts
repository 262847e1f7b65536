/** Whole plans approved before they run: bound to the very plan, catalog, inputs and principal, for one run, and so far and no further. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { arg, type Compiled, type CompiledPlan, compile, defineCatalog, tool } from "sequitur"
import {
  type Approver,
  createRunner,
  type Event,
  type Handlers,
  issueApproval,
  memory,
  type PlanRequest,
  planRequest,
  type RunnerOptions,
} from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { findIn } from "../../../src/run/approval/key-set.ts"
import { prepare } from "../../../src/run/next/prepare.ts"
import { rederive } from "../../../src/run/rederive.ts"
import { accepted } from "../desk.ts"
import { approver, codeOf, everybody, people, say } from "./people.ts"

const spec = {
  name: "bank",
  version: "1",
  inputs: z.strictObject({ to: z.string() }),
  machine: {
    initial: "LOOKING",
    transitions: { LOOKING: { PAYING: { guard: "approval" } }, PAYING: { LOOKING: {} } },
  },
  blastRadius: { cents: { max: 100_000, approveAbove: 1_000 }, wires: { max: 9, approveAbove: 1, per: "session" } },
} as const

const tools = {
  look: tool({
    description: "Look.",
    effect: "read",
    params: z.strictObject({ id: z.string() }),
    result: z.object({ cents: z.int().min(0).max(50_000), id: z.string(), account: z.int() }),
  }),
  pay: tool({
    description: "Pay.",
    effect: "write",
    params: z.strictObject({ to: z.string(), cents: z.int().min(0).max(50_000), account: z.int().optional() }),
    states: ["PAYING"],
    blast: { cents: arg("cents", { max: 50_000 }) },
    idempotency: "natural",
    compensate: "none",
  }),
  close: tool({
    description: "Close.",
    effect: "destructive",
    params: z.strictObject({ id: z.string() }),
    states: ["PAYING"],
    idempotency: "natural",
    compensate: "none",
    authority: { approval: "always", approvers: 2, approverRoles: ["lead"] },
  }),
  wire: tool({
    description: "Wire.",
    effect: "write",
    params: z.strictObject({ to: z.string() }),
    states: ["PAYING"],
    blast: { wires: 1 },
    idempotency: "natural",
    compensate: "none",
  }),
} as const

const catalog = defineCatalog({ ...spec, tools })
type Spec = (typeof catalog)["spec"]

const planOf = (...steps: readonly object[]): CompiledPlan =>
  accepted(compile(catalog, JSON.stringify({ version: 1, steps })) as Compiled)
const look = { id: "look", tool: "look", args: { id: "a" } }
const open = { id: "open", transition: "PAYING" }
const to = { $from: "input", path: "/to" }
const cents = { $from: "look", path: "/cents" }
const pay = (id: string, args: object) => ({ id, tool: "pay", args: { to, cents: 0, ...args } })
const close = { id: "close", tool: "close", args: { id: "a" } }

const principal = { tenant: "acme", subject: "ada", roles: ["clerk"] }
const inputs = { to: "shop" }
let count = 0
const fresh = () => `run${++count}`
const request = (plan: CompiledPlan, runId: string, more: object = {}): Promise<PlanRequest> =>
  planRequest<Spec>(plan, { catalog, runId, principal, inputs, ...more })

interface World {
  readonly made: string[]
  readonly runner: ReturnType<typeof createRunner<Spec>>
  readonly knowing: (known: readonly Approver[]) => void
  readonly run: (
    plan: CompiledPlan,
    runId: string,
    approval?: unknown,
    more?: object,
  ) => Promise<{ readonly status: string }>
}

function world(store: RunnerOptions["store"] = memory(), reads = { cents: 5_000, id: "x", account: 7 }): World {
  const made: string[] = []
  let known: readonly Approver[] = everybody()
  const note = (what: string): null => {
    made.push(what)
    return null
  }
  const handlers: Handlers<Spec> = {
    look: () => reads,
    pay: ({ to, cents }) => note(`pay ${to} ${cents}`),
    close: ({ id }) => note(`close ${id}`),
    wire: ({ to }) => note(`wire ${to}`),
  }
  const runner = createRunner({
    catalog,
    store,
    approvers: (kid) => known.find((one) => one.kid === kid),
    tools: handlers,
  })
  return {
    made,
    runner,
    knowing: (others) => {
      known = others
    },
    run: (plan, runId, approval, more = {}) =>
      runner.run(plan, {
        principal,
        sessionId: `s_${runId}`,
        taskId: `t_${runId}`,
        inputs,
        runId,
        ...(approval === undefined ? {} : { approval: approval as string }),
        ...more,
      }),
  }
}

describe("a plan that was approved as a whole", () => {
  const plan = planOf(look, open, pay("a", { cents: 900 }), pay("b", { cents, to: "bob" }))

  test("is shown with all that is known, and runs without asking anybody", async () => {
    const { run, made, runner } = world()
    const runId = fresh()
    const asked = await request(plan, runId)
    expect(asked).toMatchObject({
      tenant: "acme",
      subject: "ada",
      blast: { cents: 50_900, wires: 0 },
      asks: [],
      follows: [
        { stepId: "look", args: { id: "a" } },
        { stepId: "a", args: { to: "shop", cents: 900 } },
        { stepId: "b", args: { to: "bob", cents }, open: ["/steps/3/args/cents"] },
      ],
    })
    expect(await run(plan, runId, await say(asked))).toMatchObject({ status: "succeeded" })
    expect(made).toEqual(["pay shop 900", "pay bob 5000"])
    const entries = await runner.entries(runId)
    expect(entries.filter(({ event }) => event.kind === "approval-requested")).toEqual([])
    expect(entries[0]?.event).toMatchObject({
      approved: { blast: { cents: 50_900 }, people: [{ by: "eve", reason: "seen" }] },
    })
    const ready = prepare(plan, catalog)
    if (ready instanceof Error) throw ready
    expect(rederive(ready, runId, entries)).toMatchObject({ status: "succeeded" })
  })

  test("is for one run: neither again, nor under another id", async () => {
    const { run, made, runner } = world()
    const runId = fresh()
    const token = await say(await request(plan, runId))
    expect(await codeOf(run(plan, fresh(), token))).toBe("RUN308")
    const scope = { principal, inputs, sessionId: "s", taskId: "t", approval: token }
    // The token names its run.
    expect(await runner.run(plan, scope)).toMatchObject({ status: "succeeded", runId })
    expect(await codeOf(runner.run(plan, scope))).toBe("RUN207")
    expect(await codeOf(run(plan, runId, token))).toBe("RUN207")
    expect(made).toHaveLength(2)
  })

  test("of anything else is refused, with nothing written or called", async () => {
    const { run, runner, made, knowing } = world()
    const runId = fresh()
    const asked = await request(plan, runId)
    const token = await say(asked)
    const trap = new Proxy([token], {
      get: () => {
        throw new Error("a trap")
      },
    })
    const other = planOf(look, open, pay("a", { cents: 901 }), pay("b", { cents, to: "bob" }))
    const tokens: readonly (readonly [string, () => Promise<unknown>])[] = [
      ["RUN308", async () => run(other, runId, token)],
      ["RUN308", async () => run(plan, runId, token, { inputs: { to: "thief" } })],
      ["RUN308", async () => run(plan, runId, token, { principal: { ...principal, subject: "mallory" } })],
      ["RUN308", async () => run(plan, runId, token, { principal: { ...principal, roles: ["clerk", "root"] } })],
      ["RUN308", async () => run(plan, runId, token, { principal: { ...principal, tenant: "other" } })],
      ["RUN308", async () => run(plan, runId, await say(asked, "eve", { decision: "denied" }))],
      ["RUN309", async () => run(plan, runId, await say(asked, "eve", { notBeforeMs: Date.now() + 60_000 }))],
      ["RUN310", async () => run(plan, runId, await say(asked, "eve", { notBeforeMs: 0, expiresAtMs: 1_000 }))],
      ["RUN307", async () => run(plan, runId, await say(asked, "nobody"))],
      ["RUN306", async () => run(plan, runId, await say(asked, "eve", { key: people.bob?.privateKey as never }))],
      ["RUN306", async () => run(plan, runId, "nonsense")],
      ["RUN306", async () => run(plan, runId, "")],
      ["RUN306", async () => run(plan, runId, null)],
      ["RUN306", async () => run(plan, runId, { token })],
      ["RUN201", async () => run(plan, runId, [])],
      ["RUN201", async () => run(plan, runId, Array(17).fill(token))],
      ["RUN201", async () => run(plan, runId, trap)],
      ["RUN311", async () => run(plan, runId, [token, await say(asked, "eve", { reason: "again" })])],
    ]
    for (const [code, refused] of tokens) expect(await codeOf(refused())).toBe(code)
    knowing([approver("eve", { tenant: "other" })])
    expect(await codeOf(run(plan, runId, token))).toBe("RUN311")
    knowing([approver("eve", { revokedAtMs: 1 })])
    expect(await codeOf(run(plan, runId, token))).toBe("RUN307")
    const blind = createRunner({ catalog, store: memory(), tools: {} as never })
    expect(
      await codeOf(blind.run(plan, { principal, sessionId: "s", taskId: "t", inputs, runId, approval: token })),
    ).toBe("RUN203")
    expect(await runner.runs()).toEqual([])
    expect(made).toEqual([])
    knowing(everybody())
    expect(await run(plan, runId, token)).toMatchObject({ status: "succeeded" })
  })

  test("a refusal says what it was signed for, and as what it is handed in", async () => {
    const { run } = world()
    const runId = fresh()
    const token = await say(await request(plan, runId, { principal: { ...principal, roles: [] } }))
    const told = async (more: object, id = runId): Promise<string> => {
      const refused = await run(plan, id, token, { principal: { ...principal, roles: [] }, ...more }).catch((e) => e)
      return refused instanceof Error ? refused.message : "not refused"
    }
    expect(await told({ principal })).toContain("it was signed for roles [], you run as [clerk]")
    expect(await told({ principal: { tenant: "acme", subject: "mallory", roles: [] } })).toContain(
      "it was signed for the subject `ada`, you run as `mallory`",
    )
    expect(await told({ principal: { tenant: "other", subject: "ada", roles: [] } })).toContain(
      "it was signed for the tenant `acme`, you run as `other`",
    )
    expect(await told({ inputs: { to: "thief" } })).toMatch(/about another `inputs`: its inputs/)
    expect(await told({}, fresh())).toContain(`it was signed for the run \`${runId}\``)
    expect(await told({})).toBe("not refused")
  })

  test("a token that does not name its principal is bound to it all the same", async () => {
    const { run, runner } = world()
    const [first, second] = [fresh(), fresh()]
    const old = async (runId: string): Promise<string> => {
      const { principal: _, ...bound } = (await request(plan, runId)).bound
      return say({ bound })
    }
    const refused = run(plan, first, await old(first), { principal: { ...principal, roles: [] } })
    expect(await codeOf(refused)).toBe("RUN308")
    expect(await run(plan, second, await old(second))).toMatchObject({ status: "succeeded" })
    // One whose roles are too many to be written out, too.
    const roles = Array.from({ length: 100 }, (_, index) => `role-${index}-of-a-long-name`)
    const third = fresh()
    const asked = await request(plan, third, { principal: { ...principal, roles } })
    expect(asked.bound.principal).toBeUndefined()
    const done = await run(plan, third, await say(asked), { principal: { ...principal, roles } })
    expect(done).toMatchObject({ status: "succeeded" })
    expect(await runner.runs()).toHaveLength(2)
  })

  test("a run that is there already is told of in the same words, whosever it is", async () => {
    const { runner, run } = world()
    const runId = fresh()
    await run(plan, runId)
    const told = async (tenant: string): Promise<unknown> => {
      const found = await runner
        .run(plan, { principal: { ...principal, tenant }, inputs, sessionId: "s", taskId: "t", runId })
        .catch((error) => error)
      const { code, message, hint, fields } = found
      return { code, message, hint, fields }
    }
    const own = await told("acme")
    expect(own).toMatchObject({ code: "RUN207", fields: { runId }, hint: expect.stringContaining("one run alone") })
    expect(await told("other")).toEqual(own)
  })

  test("a token for one step is none for a plan, nor the other way round", async () => {
    const { run, runner } = world()
    const runId = fresh()
    await run(plan, runId)
    const [waiting] = await runner.approvals.list()
    if (waiting === undefined) throw new Error("nothing waits")
    const ofPlan = await request(plan, runId)
    expect(await codeOf(runner.approve(runId, "open", { token: await say(ofPlan) }))).toBe("RUN308")
    expect(await codeOf(run(plan, fresh(), await say(waiting)))).toBe("RUN306")
    const blast = { bound: { ...waiting.bound, blast: { cents: 1 } } }
    expect(await codeOf(runner.approve(runId, "open", { token: await say(blast) }))).toBe("RUN308")
    const step = { bound: { ...waiting.bound, ...ofPlan.bound, request: waiting.bound.request } }
    expect(await codeOf(runner.approve(runId, "open", { token: await say(step) }))).toBe("RUN308")
  })

  test("any bit, any character, any field of it: refused, and burns nothing", async () => {
    const { run, runner, made } = world()
    const runId = fresh()
    const asked = await request(plan, runId)
    const token = await say(asked)
    const [header = "", payload = "", signature = ""] = token.split(".")
    const raw = Buffer.from(payload, "base64url")
    for (let bit = 0; bit < raw.length * 8; bit += 3) {
      const flipped = Buffer.from(raw)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const forged = `${header}.${flipped.toString("base64url")}.${signature}`
      expect(await codeOf(run(plan, runId, forged)), `bit ${bit}`).not.toBe("taken")
    }
    const others = {
      request: "plan2",
      run: "other",
      tenant: "other",
      plan: "0".repeat(64),
      catalog: "0".repeat(64),
      step: "open",
      inputs: "0".repeat(64),
    }
    for (const [field, other] of Object.entries(others))
      expect(await codeOf(run(plan, runId, await say({ bound: { ...asked.bound, [field]: other } }))), field).toBe(
        "RUN308",
      )
    const { blast: _, ...without } = asked.bound
    expect(await codeOf(run(plan, runId, await say({ bound: without })))).toBe("RUN306")
    for (const blast of [{ cents: -1 }, { cents: 1.5 }, { cents: "5" }, { cents: 1e300 }, [], "all"])
      expect(await codeOf(run(plan, runId, await say({ bound: { ...asked.bound, blast: blast as never } })))).toBe(
        "RUN306",
      )
    expect(await runner.runs()).toEqual([])
    expect(made).toEqual([])
    expect(await codeOf(run(plan, runId, token))).toBe("taken")
  })
})

describe("so far and no further", () => {
  test("what is not known beforehand but an amount is asked about when it is known", async () => {
    const unknown = [
      { to: { $from: "look", path: "/id" } },
      { to: { $concat: ["x-", { $from: "look", path: "/id" }] } },
      { account: { $from: "look", path: "/account" } },
    ]
    for (const args of unknown) {
      const plan = planOf(look, open, pay("a", { cents: 5_000, ...args }))
      const { run, made, runner } = world()
      const runId = fresh()
      const asked = await request(plan, runId)
      const told = { kind: "unseen", call: "a", arguments: Object.keys(args) }
      expect(asked.asks).toEqual([
        { ...told, stepId: "open" },
        { ...told, stepId: "a" },
      ])
      expect(await run(plan, runId, await say(asked))).toMatchObject({
        status: "awaiting_approval",
        awaiting: { stepId: "open" },
      })
      expect(made).toEqual([])
      expect(await runner.approvals.list()).toHaveLength(1)
    }
  })

  test("what passes what was agreed to is asked about, though its tool is not", async () => {
    const plan = planOf(look, open, pay("a", { cents: 600 }), pay("b", { cents }), pay("c", { cents: 200 }))
    const { run, made, runner } = world(memory(), { cents: 300, id: "", account: 0 })
    const runId = fresh()
    const asked = await request(plan, runId, { blast: { cents: 800 } })
    expect(asked.bound.blast).toEqual({ cents: 800, wires: 0 })
    expect(await run(plan, runId, await say(asked))).toMatchObject({
      status: "awaiting_approval",
      awaiting: { stepId: "b", because: [{ kind: "above", dimension: "cents", above: 800, total: 900 }] },
    })
    expect(made).toEqual(["pay shop 600"])
    const [waiting] = await runner.approvals.list()
    if (waiting === undefined) throw new Error("nothing waits")
    const next = await runner.approve(runId, "b", { token: await say(waiting, "bob") })
    expect(next).toMatchObject({ status: "awaiting_approval", awaiting: { stepId: "c" } })
    const ready = prepare(plan, catalog)
    if (ready instanceof Error) throw ready
    expect(rederive(ready, runId, await runner.entries(runId))).toMatchObject({ status: "awaiting_approval" })
  })

  test("a bound that nobody could mean is refused when it is asked for", async () => {
    const plan = planOf(open, pay("a", { cents: 600 }))
    for (const blast of [{ cents: -1 }, { cents: 0.5 }, { records: 1 }, { cents: "5" }, 5, { cents: 999_999 }])
      expect(await codeOf(request(plan, fresh(), { blast }))).toBe("RUN201")
    expect(await codeOf(request(plan, ""))).toBe("RUN201")
    expect(await codeOf(request(plan, fresh(), { inputs: { to: 5 } }))).toBe("RUN201")
    expect(await codeOf(request({} as never, fresh()))).toBe("RUN201")
    expect(await codeOf(planRequest(plan, { catalog: {} as never, runId: "r", principal, inputs }))).toBe("RUN201")
  })

  test("where two must agree, two must have; with the roles that it takes, and without whose run it is", async () => {
    const plan = planOf(open, close)
    const cases: readonly (readonly [readonly string[], string])[] = [
      [["eve"], "awaiting_approval"],
      [["eve", "ada"], "awaiting_approval"],
      [["eve", "bob"], "succeeded"],
    ]
    for (const [who, status] of cases) {
      const { run, made } = world()
      const runId = fresh()
      const asked = await request(plan, runId)
      expect(asked.asks).toEqual([{ kind: "people", stepId: "close", approvers: 2, approverRoles: ["lead"] }])
      const tokens = await Promise.all(who.map((name) => say(asked, name)))
      expect((await run(plan, runId, tokens)).status).toBe(status)
      expect(made).toEqual(status === "succeeded" ? ["close a"] : [])
    }
    const { run, made, knowing } = world()
    knowing([approver("eve"), approver("bob", { roles: ["clerk"] })])
    const runId = fresh()
    const asked = await request(plan, runId)
    expect((await run(plan, runId, [await say(asked, "eve"), await say(asked, "bob")])).status).toBe(
      "awaiting_approval",
    )
    expect(made).toEqual([])
  })

  test("what counts no more when it comes to the deed does not count: the step is asked about", async () => {
    const plan = planOf(open, pay("a", { cents: 5_000 }), pay("b", { cents: 5_000, to: "b" }))
    const { made, knowing, runner } = world()
    const runId = fresh()
    const token = await say(await request(plan, runId))
    const other = createRunner({
      catalog,
      store: memory(),
      approvers: (kid) => (made.length > 0 ? [] : everybody()).find((one) => one.kid === kid),
      tools: {
        look: () => ({ cents: 1, id: "", account: 0 }),
        close: () => null,
        wire: () => null,
        pay: ({ to }) => {
          made.push(to)
          return null
        },
      },
    })
    knowing([])
    await runner.close()
    const report = await other.run(plan, { principal, sessionId: "s", taskId: "t", inputs, runId, approval: token })
    expect(report).toMatchObject({ status: "awaiting_approval", awaiting: { stepId: "b" } })
    expect(made).toEqual(["shop"])
    const ready = prepare(plan, catalog)
    if (ready instanceof Error) throw ready
    const entries = await other.entries(runId)
    expect(rederive(ready, runId, entries)).toMatchObject({ status: "awaiting_approval" })
  })

  test("a key set that is down is told as such, and nothing is called", async () => {
    const plan = planOf(open, pay("a", { cents: 5_000 }))
    let down = false
    const made: string[] = []
    const runner = createRunner({
      catalog,
      store: memory(),
      approvers: (kid) => {
        if (down) throw new Error("the directory is down")
        return everybody().find((one) => one.kid === kid)
      },
      tools: {
        look: () => ({ cents: 1, id: "", account: 0 }),
        close: () => null,
        wire: () => null,
        pay: ({ to }) => {
          made.push(to)
          return null
        },
      },
    })
    const runId = fresh()
    const approval = await say(await request(plan, runId))
    const options = { principal, sessionId: "s", taskId: "t", inputs, runId, approval }
    down = true
    expect(await codeOf(runner.run(plan, options))).toBe("RUN314")
    expect(await runner.runs()).toEqual([])
    down = false
    expect(await runner.run(plan, options)).toMatchObject({ status: "succeeded" })
    expect(made).toEqual(["shop"])
  })

  test("a limit of the session is passed by who agreed to the plan; the line that they did not see holds others", async () => {
    const wires = (id: string) => ({ id, tool: "wire", args: { to: `${id}${count}` } })
    const plan = planOf(open, wires("a"), wires("b"))
    const { run, made, runner } = world(sqlite(join(folder, "wires.db")))
    const runId = fresh()
    const token = await say(await request(plan, runId))
    expect(await run(plan, runId, token, { sessionId: "one" })).toMatchObject({ status: "succeeded" })
    const after = planOf(open, { id: "a", tool: "wire", args: { to: "late" } })
    const later = fresh()
    const asked = await request(after, later)
    expect(await run(after, later, await say(asked), { sessionId: "one" })).toMatchObject({ status: "succeeded" })
    expect(made).toHaveLength(3)
    const unasked = fresh()
    await run(after, unasked, undefined, { sessionId: "one", taskId: "u" })
    const [waiting] = await runner.approvals.list()
    if (waiting === undefined) throw new Error("nothing waits")
    const next = await runner.approve(unasked, "open", { token: await say(waiting) })
    expect(next).toMatchObject({ status: "awaiting_approval", awaiting: { stepId: "a" } })
    await runner.close()
  })
})

describe("derived anew", () => {
  test("what was agreed to, more of it, or for another bound does not follow where it was not", async () => {
    const plan = planOf(look, open, pay("a", { cents: 5_000 }))
    const { run, runner } = world()
    const runId = fresh()
    await run(plan, runId, await say(await request(plan, runId)))
    const entries = await runner.entries(runId)
    const ready = prepare(plan, catalog)
    if (ready instanceof Error) throw ready
    const told = (change: (event: Event) => Event): unknown => {
      const state = rederive(
        ready,
        runId,
        entries.map((entry) => ({ ...entry, event: change(entry.event) })),
      )
      return state instanceof Error ? "refused" : state.status
    }
    expect(told((event) => event)).toBe("succeeded")
    const without = ({ approved: _, ...event }: Event & { kind: "run-started" }): Event => event
    expect(told((event) => (event.kind === "run-started" ? without(event) : event))).toBe("refused")
    expect(
      told((event) =>
        event.kind === "run-started" && event.approved
          ? { ...event, approved: { ...event.approved, blast: { cents: 4_999 } } }
          : event,
      ),
    ).toBe("refused")
  })
})

const folder = mkdtempSync(join(tmpdir(), "sequitur-plan-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each([
  ["memory", () => memory()],
  ["sqlite", () => sqlite(join(folder, "runs.db"))],
])("a hundred who begin at once: %s", (_, store) => {
  test("are one run, by one token or by many", async () => {
    const plan = planOf(open, pay("a", { cents: 5_000 }))
    const { run, made, runner } = world(store())
    const runId = fresh()
    const asked = await request(plan, runId)
    const one = await say(asked)
    const tokens = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? one : say(asked, "bob", { reason: `${i}` }))),
    )
    const said = await Promise.allSettled(tokens.map((token) => run(plan, runId, token)))
    expect(said.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    expect(made).toEqual(["pay shop 5000"])
    await runner.close()
  })
})

test("who signs need have nothing but what was shown", async () => {
  const plan = planOf(open, pay("a", { cents: 5_000 }))
  const runId = fresh()
  const asked: PlanRequest = JSON.parse(JSON.stringify(await request(plan, runId)))
  const { kid = "", privateKey } = people.eve ?? {}
  const token = await issueApproval({ bound: asked.bound, decision: "approved", kid, key: privateKey as never })
  expect(await world().run(plan, runId, token)).toMatchObject({ status: "succeeded" })
})

test("what is to be signed is shown without secrets, and is a digest over all of it", async () => {
  const pin = z.string().meta({ sensitive: true })
  const vault = defineCatalog({
    name: "vault",
    version: "1",
    inputs: z.strictObject({ pin }),
    tools: {
      unlock: tool({
        description: "Unlock.",
        effect: "write",
        params: z.strictObject({ pin, note: z.string() }),
        idempotency: "natural",
        compensate: "none",
        authority: { approval: "always" },
      }),
    },
  })
  const args = { pin: { $from: "input", path: "/pin" }, note: "say pin-4711-0815" }
  const text = { version: 1, goal: "use pin-4711-0815", steps: [{ id: "in", tool: "unlock", args }] }
  const plan = accepted(compile(vault, JSON.stringify(text)) as Compiled)
  const ask = (pin: string) => planRequest(plan, { catalog: vault, runId: "r", principal, inputs: { pin } })
  const asked = await ask("pin-4711-0815")
  expect(JSON.stringify(asked)).not.toContain("4711")
  expect(asked.follows).toMatchObject([{ stepId: "in", args: { pin: "[redacted]" } }])
  expect((await ask("pin-4711-0816")).bound.inputs).not.toBe(asked.bound.inputs)
})

test("one person is one, however the name is written, and whatever their key is called", async () => {
  const { run, knowing } = world()
  const plan = planOf(open, close)
  const [nfc, nfd] = ["jos\u00e9", "jose\u0301"]
  knowing([approver("eve", { subject: nfc }), approver("bob", { subject: nfd })])
  const runId = fresh()
  const asked = await request(plan, runId)
  expect(await codeOf(run(plan, runId, [await say(asked), await say(asked, "bob")]))).toBe("RUN311")
  const own = fresh()
  const mine = { principal: { ...principal, subject: nfc } }
  const ofMine = await request(plan, own, mine)
  knowing([approver("eve", { subject: nfd }), approver("bob")])
  expect(await run(plan, own, [await say(ofMine), await say(ofMine, "bob")], mine)).toMatchObject({
    status: "awaiting_approval",
  })
  const eve = approver("eve")
  expect(findIn([eve, { ...eve, kid: "other", subject: "mallory" }], eve.kid)).toBeUndefined()
  expect(findIn([eve, { ...eve, kid: "other" }], eve.kid)).toBe(eve)
})
