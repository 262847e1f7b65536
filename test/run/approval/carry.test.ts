/** An approval of one whole plan stands for another that does the same, or less of it: where the catalog lets it, and nowhere else. */
import { Effect } from "effect"
import { arg, type Compiled, type CompiledPlan, compile, defineCatalog, tool } from "sequitur"
import { createRunner, type Entry, Journal, memory, planRequest, type RunnerOptions } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { expect, test } from "vitest"
import { z } from "zod"
import type { RunStarted } from "../../../src/journal/entry.ts"
import { RunSecrets } from "../../../src/journal/secrets.ts"
import { prepare } from "../../../src/run/next/prepare.ts"
import { rederive } from "../../../src/run/rederive.ts"
import { newFile } from "../../journal/stores.ts"
import { accepted } from "../desk.ts"
import { codeOf, everybody, say } from "./people.ts"

const spec = {
  name: "bank",
  version: "1",
  carryOver: true,
  blastRadius: { cents: { max: 100_000, approveAbove: 100 } },
  tools: {
    look: tool({
      description: "Look.",
      effect: "read",
      params: z.strictObject({ id: z.string() }),
      result: z.strictObject({ id: z.string() }),
    }),
    pay: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({
        to: z.string(),
        cents: z.int().min(0).max(50_000),
        pin: z.string().meta({ sensitive: true }).optional(),
      }),
      blast: { cents: arg("cents", { max: 50_000 }) },
      idempotency: "natural",
      compensate: "none",
      authority: { approval: "always" },
    }),
  },
} as const
const catalog = defineCatalog(spec)

const planOf = (steps: readonly object[], by = catalog): CompiledPlan =>
  accepted(compile(by, JSON.stringify({ version: 1, steps })) as Compiled)
const look = { id: "look", tool: "look", args: { id: "a" } }
const pay = (id: string, to: string, cents: number, more = {}) => ({ id, tool: "pay", args: { to, cents, ...more } })

const signed = planOf([look, pay("a", "shop", 900), pay("b", "bob", 50)])
const principal = { tenant: "acme", subject: "ada", roles: ["clerk"] }

function world(store: RunnerOptions["store"] = memory(), hang = false, by = catalog) {
  const made: string[] = []
  const held: (() => void)[] = []
  const runner = createRunner({
    catalog: by,
    store,
    approvers: (kid) => everybody().find((one) => one.kid === kid),
    tools: {
      look: ({ id }) => ({ id }),
      pay: ({ to, cents }) => {
        made.push(`${to} ${cents}`)
        return hang && to === "bob" ? new Promise<null>((done) => held.push(() => done(null))) : null
      },
    },
  })
  return { made, runner, free: () => held.map((done) => done()) }
}

let count = 0
const fresh = () => `run${++count}`
const tokenFor = async (runId: string, plan = signed, by = catalog): Promise<string> =>
  say(await planRequest(plan, { catalog: by, runId, principal }))
const scope = (runId: string, approval: unknown, approvedPlan?: unknown) =>
  ({ principal, sessionId: runId, taskId: runId, runId, approval, approvedPlan }) as never

const lesser: readonly (readonly [string, readonly object[]])[] = [
  ["ids and reads differ", [pay("x", "shop", 900), look, pay("y", "bob", 50)]],
  ["less is paid", [look, pay("a", "shop", 899), pay("b", "bob", 0)]],
]

test.each(lesser)("the same, or less: %s", async (_, steps) => {
  const { runner, made } = world()
  const [runId, plan] = [fresh(), planOf(steps)]
  const token = await tokenFor(runId)
  expect(await codeOf(runner.run(plan, scope(runId, token)))).toBe("RUN308")
  expect(await runner.run(plan, scope(runId, token, signed))).toMatchObject({ status: "succeeded" })
  expect(made).toHaveLength(2)
  const entries = await runner.entries(runId)
  expect(entries.some(({ event }) => event.kind === "approval-requested")).toBe(false)
  expect(entries[0]?.event).toMatchObject({ approved: { plan: { planHash: signed.planHash } } })
  const ready = prepare(plan, catalog)
  if (ready instanceof Error) throw ready
  expect(rederive(ready, runId, entries)).toMatchObject({ status: "succeeded" })
})

const greater: readonly (readonly [string, readonly object[], string])[] = [
  ["an effect more", [pay("a", "shop", 900), pay("b", "bob", 50), pay("c", "eve", 1)], "`c` was not in it"],
  ["an effect less", [pay("a", "shop", 900)], "`b` is left out"],
  ["another order", [pay("b", "bob", 50), pay("a", "shop", 900)], "another order"],
  ["another payee", [pay("a", "shop", 900), pay("b", "eve", 50)], "`b` has other arguments (to)"],
  ["a cent more", [pay("a", "shop", 901), pay("b", "bob", 50)], "951 cents instead of 950"],
  ["more of one, less of the other", [pay("a", "shop", 800), pay("b", "bob", 150)], "`b` has other arguments (cents)"],
]

test.each(greater)("anything else is refused before anything is written: %s", async (_, steps, told) => {
  const { runner, made } = world()
  const runId = fresh()
  const refused = await runner
    .run(planOf(steps), scope(runId, await tokenFor(runId), signed))
    .catch((error: { code: string; message: string }) => error)
  expect(refused).toMatchObject({ code: "RUN308", message: expect.stringContaining(told) })
  expect(await runner.runs()).toEqual([])
  expect(made).toEqual([])
})

test("only where the catalog lets it, and only what was signed", async () => {
  const { carryOver: _, ...strict } = spec
  const by = defineCatalog(strict) as unknown as typeof catalog
  const steps = [look, pay("a", "shop", 900), pay("b", "bob", 49)]
  const runId = fresh()
  const token = await tokenFor(runId, planOf(signed.plan.document.steps, by), by)
  const refusing = world(memory(), false, by).runner
  expect(
    await codeOf(refusing.run(planOf(steps, by), scope(runId, token, planOf(signed.plan.document.steps, by)))),
  ).toBe("RUN308")
  const { runner, made } = world()
  const [plan, mine] = [planOf(steps), fresh()]
  expect(await codeOf(runner.run(plan, scope(runId, token, planOf(signed.plan.document.steps, by))))).toBe("RUN308")
  expect(await codeOf(runner.run(plan, scope(mine, await tokenFor(mine), plan)))).toBe("RUN308")
  expect(await codeOf(runner.run(plan, scope(mine, await tokenFor(fresh()), signed)))).toBe("RUN308")
  expect(await codeOf(runner.run(plan, scope(mine, undefined, signed)))).toBe("RUN201")
  for (const odd of [null, {}, { ...signed }, "plan"])
    expect(await codeOf(runner.run(plan, scope(mine, await tokenFor(mine), odd)))).toBe("RUN201")
  expect(made).toEqual([])
})

test("another process that takes the run up judges it anew", async () => {
  const file = newFile()
  const runId = fresh()
  const plan = planOf([pay("a", "shop", 10), pay("b", "bob", 5)])
  const first = world(sqlite(file), true)
  first.runner.run(plan, scope(runId, await tokenFor(runId), signed)).catch(() => {})
  while (first.made.length < 2) await new Promise((done) => setTimeout(done, 5))
  const second = world(sqlite(file))
  expect(await second.runner.resume(runId, { takeOver: true })).toMatchObject({ status: "succeeded" })
  expect(second.made).toEqual(["bob 5"])
  const entries = await second.runner.entries(runId)

  const forge = async (change: (started: RunStarted) => RunStarted): Promise<unknown> => {
    const [head, ...rest] = entries.slice(
      0,
      entries.findIndex(({ event }) => event.kind === "taken-up"),
    )
    const forged = [{ ...head, event: change(head?.event as RunStarted) }, ...rest] as readonly Entry[]
    const to = newFile()
    await Effect.runPromise(Journal.use((journal) => journal.adopt(forged)).pipe(Effect.provide(sqlite(to))) as never)
    const { runner, made } = world(sqlite(to))
    const found = await runner.resume(runId, { takeOver: true }).then(
      ({ status }) => status,
      ({ code }) => code,
    )
    await runner.close()
    return made.length === 0 ? found : [found, ...made]
  }
  const withPlan = (other: CompiledPlan) => (started: RunStarted) => {
    const { planHash, catalogHash } = signed
    const approved = { ...(started.approved as NonNullable<RunStarted["approved"]>) }
    return { ...started, approved: { ...approved, plan: { planHash, catalogHash, document: other.plan.document } } }
  }
  expect(await forge((started) => started)).toEqual(["succeeded", "bob 5"])
  expect(await forge(withPlan(planOf([pay("a", "shop", 10), pay("b", "bob", 6)])))).toBe("RUN504")
  expect(await forge(withPlan(plan))).toBe("RUN504")
  first.free()
  await first.runner.close()
  await second.runner.close()
})

test("what was signed is shown without its secrets", async () => {
  const pin = { pin: "hunter2-hunter2" }
  const plan = planOf([pay("a", "shop", 900, pin), pay("b", "bob", 50)])
  const less = planOf([pay("a", "shop", 1, pin), pay("b", "bob", 50)])
  const { runner } = world()
  const runId = fresh()
  await runner.run(less, scope(runId, await tokenFor(runId, plan), plan))
  const entries = await runner.entries(runId)
  const secrets = RunSecrets.of(entries)
  const shown = JSON.stringify(entries.map((entry) => secrets.redact(entry)))
  expect(JSON.stringify(entries)).toContain(plan.planHash)
  expect(shown).not.toContain("hunter2")
  expect(shown).not.toContain("eyJ")
})
