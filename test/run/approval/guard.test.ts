/** What a catalog says of people at a guard: how many, as whom, and whether their decision is for the call behind it too. */
import { arg, type Compiled, compile, defineCatalog, predicate, tool } from "sequitur"
import { type Approver, createRunner, memory, planRequest, type WaitingApproval } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { explainApproval } from "../../../src/explain/approval.ts"
import { plain } from "../../../src/explain/look.ts"
import { explainPlan } from "../../../src/explain/table.ts"
import { viewPlan } from "../../../src/explain/view.ts"
import { prepare } from "../../../src/run/next/prepare.ts"
import { rederive } from "../../../src/run/rederive.ts"
import { accepted } from "../desk.ts"
import { approver, codeOf, everybody, say } from "./people.ts"

interface Terms {
  readonly covers?: "next"
  readonly approvers?: number
  readonly approverRoles?: readonly string[]
}

/** `wires` are counted over a session, `cents` over a run. */
const catalogOf = (guard: Terms, authority: Omit<Terms, "covers"> = {}) =>
  defineCatalog({
    name: "bank",
    version: "1",
    machine: {
      initial: "LOOKING",
      transitions: { LOOKING: { PAYING: { guard: "approval", ...guard } }, PAYING: { LOOKING: {} } },
    },
    blastRadius: { cents: { max: 100_000, approveAbove: 1_000 }, wires: { max: 9, approveAbove: 1, per: "session" } },
    tools: {
      look: tool({
        description: "Look.",
        effect: "read",
        params: z.strictObject({ id: z.string() }),
        result: z.object({ cents: z.int().min(0).max(50_000) }),
      }),
      pay: tool({
        description: "Pay.",
        effect: "write",
        params: z.strictObject({ to: z.string(), cents: z.int().min(0).max(50_000) }),
        states: ["PAYING"],
        blast: { cents: arg("cents", { max: 50_000 }) },
        idempotency: "natural",
        compensate: "none",
        authority,
      }),
      close: tool({
        description: "Close.",
        effect: "destructive",
        params: z.strictObject({ id: z.string() }),
        states: ["PAYING"],
        idempotency: "natural",
        compensate: "none",
        authority: { approval: "always", ...authority },
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
    },
  })

type Catalog = ReturnType<typeof catalogOf>

const planFor = (catalog: Catalog, ...steps: readonly object[]) =>
  accepted(compile(catalog, JSON.stringify({ version: 1, steps })) as Compiled)
const look = { id: "look", tool: "look", args: { id: "a" } }
const open = { id: "open", transition: "PAYING" }
const pay = (id: string, cents: unknown) => ({ id, tool: "pay", args: { to: id, cents } })
const close = { id: "close", tool: "close", args: { id: "a" } }
const read = { $from: "look", path: "/cents" }
let count = 0

function world(catalog: Catalog, keySet: readonly Approver[] = everybody()) {
  const made: string[] = []
  const note = (what: string): null => {
    made.push(what)
    return null
  }
  let known = keySet
  const runner = createRunner({
    catalog,
    store: memory(),
    approvers: (kid) => known.find((one) => one.kid === kid),
    tools: {
      look: () => ({ cents: 5_000 }),
      pay: ({ to, cents }) => note(`pay ${to} ${cents}`),
      close: ({ id }) => note(`close ${id}`),
      wire: ({ to }) => note(`wire ${to}`),
    },
  })
  return {
    made,
    runner,
    knowing: (others: readonly Approver[]): void => {
      known = others
    },
    run: (...steps: readonly object[]) =>
      runner.run(planFor(catalog, ...steps), {
        principal: { tenant: "acme", subject: "ada" },
        sessionId: "s",
        taskId: `t${++count}`,
        runId: `run${count}`,
      }),
    waiting: async (): Promise<WaitingApproval> => {
      const [found] = await runner.approvals.list()
      if (found === undefined) throw new Error("nothing waits")
      return found
    },
  }
}

describe("at a guard", () => {
  test("two must agree, and neither is whose run it is", async () => {
    const { run, waiting, runner, made } = world(catalogOf({ approvers: 2 }))
    await run(open, pay("a", 5))
    const asked = await waiting()
    expect(asked.request).toMatchObject({ from: "LOOKING", to: "PAYING", approvers: 2 })
    expect(await codeOf(runner.approvals.answer(await say(asked, "ada")))).toBe("RUN311")
    expect((await runner.approvals.answer(await say(asked, "eve"))).status).toBe("awaiting_approval")
    expect(await codeOf(runner.approvals.answer(await say(asked, "eve", { reason: "again" })))).toBe("RUN311")
    expect(await runner.resume(asked.runId)).toMatchObject({ status: "awaiting_approval" })
    expect(made).toEqual([])
    const done = await runner.approve(asked.runId, "open", { token: await say(asked, "bob") })
    expect([done.status, made]).toEqual(["succeeded", ["pay a 5"]])
  })

  test("only somebody with the role may agree; and they must have it still when it comes to the deed", async () => {
    const guard = { approverRoles: ["head", "chief"] }
    const keys = (roles: string[]): Approver[] => [approver("eve", { roles }), approver("bob")]
    const { run, waiting, runner, made, knowing } = world(catalogOf(guard), keys(["chief"]))
    await run(open, pay("a", 5))
    const asked = await waiting()
    expect(await codeOf(runner.approvals.answer(await say(asked, "bob")))).toBe("RUN311")
    await runner.approvals.answer(await say(asked, "eve"))
    knowing(keys(["lead"]))
    expect(await runner.resume(asked.runId)).toMatchObject({ status: "awaiting_approval" })
    expect(made).toEqual([])
    knowing(keys(["head"]))
    const again = await waiting()
    const done = await runner.approve(asked.runId, "open", { token: await say(again, "eve") })
    expect([done.status, made]).toEqual(["succeeded", ["pay a 5"]])
  })

  test("compile and explain tell how many", () => {
    const catalog = catalogOf({ approvers: 2 })
    const compiled = compile(catalog, JSON.stringify({ version: 1, steps: [open, pay("a", 5)] }))
    expect(compiled.diagnostics).toMatchObject([
      { code: "SEQ501", message: "`LOOKING` to `PAYING` needs approval by 2 people" },
    ])
    const seen = explainPlan(viewPlan(planFor(catalog, open, pay("a", 5)), catalog), plain)
    expect(seen).toContain("LOOKING → PAYING, by 2 people, before a")
  })
})

describe("one decision for the guard and the call behind it", () => {
  const both = catalogOf({ covers: "next" })

  test("is asked for once, shows both, and is enough", async () => {
    const { run, waiting, runner, made } = world(both)
    await run(open, close)
    const asked = await waiting()
    expect(asked.request).toMatchObject({ stepId: "open", covers: true, because: [{ kind: "always" }] })
    expect(explainApproval(asked.request, plain)).toContain(
      "LOOKING → PAYING, and for `close` too: its tool is never called unasked",
    )
    const done = await runner.approve(asked.runId, "open", { token: await say(asked) })
    expect([done.status, made]).toEqual(["succeeded", ["close a"]])
    const entries = await runner.entries(asked.runId)
    expect(entries.filter(({ event }) => event.kind === "approval-requested")).toHaveLength(1)
    const ready = prepare(planFor(both, open, close), both)
    if (ready instanceof Error) throw ready
    expect(rederive(ready, asked.runId, entries)).toMatchObject({ status: "succeeded" })
  })

  test("is for an amount that was read before; not for the calls after it", async () => {
    const { run, waiting, runner, made } = world(both)
    await run(look, open, pay("a", read), pay("b", 500), pay("c", 0))
    const asked = await waiting()
    expect(asked.request).toMatchObject({ covers: true, because: [{ kind: "above", total: 5_000, above: 1_000 }] })
    const next = await runner.approve(asked.runId, "open", { token: await say(asked) })
    expect([next.status, made]).toEqual(["awaiting_approval", ["pay a 5000"]])
    expect((await waiting()).request).toMatchObject({ stepId: "b", because: [{ total: 5_500 }] })
  })

  test("the catalog that does not say so asks twice", async () => {
    const { run, waiting, runner, made } = world(catalogOf({}))
    await run(open, close)
    const asked = await waiting()
    expect(asked.request.covers).toBeUndefined()
    const next = await runner.approve(asked.runId, "open", { token: await say(asked) })
    expect([next.status, made]).toEqual(["awaiting_approval", []])
  })

  test("who must make it is who must for both; where nobody could be, it is asked twice", async () => {
    const strict = catalogOf(
      { covers: "next", approverRoles: ["lead", "head"] },
      { approvers: 2, approverRoles: ["head"] },
    )
    const one = world(strict)
    await one.run(open, close)
    expect((await one.waiting()).request).toMatchObject({ covers: true, approvers: 2, approverRoles: ["head"] })
    const apart = catalogOf({ covers: "next", approverRoles: ["lead"] }, { approverRoles: ["head"] })
    const two = world(apart)
    await two.run(open, close)
    expect((await two.waiting()).request).toMatchObject({ approverRoles: ["lead"] })
    expect((await two.waiting()).request.covers).toBeUndefined()
  })

  test("that counts no more once the guard is passed does not count for the call: it is asked about by itself", async () => {
    const { run, waiting, runner, made, knowing } = world(both)
    await run(open, close)
    const asked = await waiting()
    await runner.approvals.answer(await say(asked))
    let looks = 0
    // The first look is that at the guard.
    knowing(
      new Proxy(everybody(), {
        get: (all, key) =>
          key === "find" ? () => (looks++ === 0 ? approver("eve") : undefined) : Reflect.get(all, key),
      }),
    )
    expect(await runner.resume(asked.runId)).toMatchObject({
      status: "awaiting_approval",
      awaiting: { stepId: "close" },
    })
    expect(made).toEqual([])
    knowing(everybody())
    const alone = await waiting()
    const done = await runner.approve(asked.runId, "close", { token: await say(alone, "bob") })
    expect([done.status, made]).toEqual(["succeeded", ["close a"]])
    const ready = prepare(planFor(both, open, close), both)
    if (ready instanceof Error) throw ready
    expect(rederive(ready, asked.runId, await runner.entries(asked.runId))).toMatchObject({ status: "succeeded" })
  })

  test("what the session has come to since is not what was shown: it is asked anew", async () => {
    const { run, waiting, runner, made } = world(both)
    const wire = (id: string) => ({ id, tool: "wire", args: { to: `${id}${count}` } })
    const first = await run(open, wire("w"))
    const before = await waiting()
    // Nothing was wired by then, so nothing was said of it.
    expect(before.request.because).toBeUndefined()
    await run(open, wire("w"))
    const other = (await runner.approvals.list()).find(({ runId }) => runId !== first.runId)
    if (other === undefined) throw new Error("nothing waits")
    const done = await runner.approve(other.runId, "open", { token: await say(other) })
    expect(done.status).toBe("succeeded")
    const late = await runner.approve(first.runId, "open", { token: await say(before) })
    expect(late).toMatchObject({ status: "awaiting_approval", awaiting: { stepId: "w", because: [{ total: 2 }] } })
    expect(made).toHaveLength(1)
  })

  test("compile lists it once, and says what it is for", () => {
    const compiled = compile(
      both,
      JSON.stringify({ version: 1, steps: [open, close, { ...close, id: "again", occurrence: 2 }] }),
    )
    expect(compiled.diagnostics.filter(({ severity }) => severity === "approval").map(({ at }) => at)).toEqual([
      "/steps/0/transition",
      "/steps/2/tool",
    ])
    if (!compiled.ok) throw new Error("refused")
    expect(compiled.plan.approvals).toMatchObject([
      { kind: "transition", covers: "close" },
      { kind: "always", stepId: "again" },
    ])
    expect(explainPlan(viewPlan(compiled.plan, both), plain)).toContain("for the call of `close` too")
  })
})

describe("what the principal may not do behind a guard", () => {
  const small = predicate("small", "1", ({ cents }: { readonly cents: number }) => cents <= 1_000)

  test("is refused before anybody is asked, where the arguments are known by then", async () => {
    const { made, runner, run } = world(catalogOf({}, { when: small } as Terms))
    const refused = await run(look, open, pay("a", read))
    expect([refused.status, (refused as { failure?: { code: string } }).failure?.code]).toEqual(["failed", "RUN115"])
    expect(await runner.approvals.list()).toEqual([])
    expect(made).toEqual([])
    expect((await runner.entries(refused.runId)).map(({ event }) => event.kind)).not.toContain("approval-requested")
    await runner.close()
  })

  test("by who they are, also where the arguments are not known yet; what is not known cannot be refused", async () => {
    const readLater = [open, look, pay("a", read)]
    const others = world(catalogOf({}, { roles: ["treasurer"] } as Terms))
    const refused = await others.run(...readLater)
    expect((refused as { failure?: { code: string } }).failure?.code).toBe("RUN115")
    await others.runner.close()
    const { runner, run } = world(catalogOf({}, { when: small } as Terms))
    expect((await run(...readLater)).status).toBe("awaiting_approval")
    await runner.close()
  })

  test("a run in which people were asked all the same, as they were once, is still replayed", async () => {
    let allows = true
    const pure = predicate("small", "1", () => allows)
    const catalog = catalogOf({}, { when: pure } as Terms)
    const { run, runner, waiting, made } = world(catalog)
    const { runId } = await run(look, open, pay("a", read))
    allows = false
    const ready = prepare(planFor(catalog, look, open, pay("a", read)), catalog)
    if (ready instanceof Error) throw ready
    expect(rederive(ready, runId, await runner.entries(runId))).toMatchObject({ status: "awaiting_approval" })
    const done = await runner.approve(runId, "open", { token: await say(await waiting()) })
    expect([done.status, done.failure?.code, made]).toEqual(["failed", "RUN115", []])
    const entries = await runner.entries(runId)
    const kinds = entries.map(({ event }) => event.kind).filter((kind) => kind !== "taken-up")
    expect(kinds.slice(-4)).toEqual(["approval-requested", "approval-decided", "state-entered", "run-ended"])
    expect(rederive(ready, runId, entries)).toMatchObject({ status: "failed" })
    // That is all that is let be: another request, or a call after it, is not.
    const forged = entries.map((entry) =>
      entry.event.kind === "approval-requested" ? { ...entry, event: { ...entry.event, follows: [] } } : entry,
    )
    expect(rederive(ready, runId, forged)).toMatchObject({ _tag: "JournalDiverged" })
    const skipped = entries.filter(({ event }) => !event.kind.startsWith("approval-"))
    const renumbered = skipped.map((entry, seq) => ({ ...entry, seq }))
    expect(rederive(ready, runId, renumbered)).toMatchObject({ _tag: "JournalDiverged" })
    await runner.close()
  })

  test("what one word on the whole plan does not do for is told of a guard and of what it covers; and it is so", async () => {
    const plan = [open, close]
    const asksOf = async (guard: Terms, authority: Omit<Terms, "covers">) => {
      const catalog = catalogOf(guard, authority)
      const { runner } = world(catalog, [approver("eve"), approver("bob")])
      const principal = { tenant: "acme", subject: "ada" }
      const asked = await planRequest(planFor(catalog, ...plan), { catalog, runId: "whole", principal })
      const scope = { principal, sessionId: "s", taskId: "whole", approval: await say(asked) }
      const { status, awaiting } = await runner.run(planFor(catalog, ...plan), scope)
      return { asks: asked.asks, status, at: awaiting?.stepId }
    }
    const two = { kind: "people", approvers: 2 }
    expect(await asksOf({ covers: "next" }, {})).toEqual({ asks: [], status: "succeeded", at: undefined })
    expect(await asksOf({ covers: "next" }, { approvers: 2 })).toEqual({
      asks: [{ ...two, stepId: "close" }],
      status: "awaiting_approval",
      at: "close",
    })
    expect(await asksOf({ approvers: 2 }, {})).toMatchObject({ asks: [{ ...two, stepId: "open" }], at: "open" })
    const roles = { approverRoles: ["head"] }
    expect(await asksOf({}, roles)).toMatchObject({ asks: [{ kind: "people", approvers: 1, ...roles }], at: "close" })
  })

  test("nor is it asked about with the whole plan", async () => {
    const catalog = catalogOf({}, { when: small } as Terms)
    const request = planRequest(planFor(catalog, open, pay("a", 5_000)), {
      catalog,
      runId: "r",
      principal: { tenant: "acme", subject: "ada" },
    })
    expect(await codeOf(request)).toBe("RUN115")
  })
})
