/** What is handed to listeners, and taken from hosts, changes no run: neither by being altered, nor by throwing. */
import { arg, defineCatalog, tool } from "sequitur"
import { createRunner, type InputsRefused, memory, type PlainDecision, type RunOptions } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import { catalog, countCalls, guarded, guardedPlan, handlersOf, planOf, refundPlan, scope } from "./desk.ts"

const bank = defineCatalog({
  name: "bank",
  version: "1",
  blastRadius: { cents: { max: 50 } },
  tools: {
    card: tool({
      description: "Read.",
      effect: "read",
      params: z.strictObject({}),
      result: z.object({ card: z.string(), cents: z.int().min(0).max(50) }),
    }),
    look: tool({ description: "Look.", effect: "read", params: z.strictObject({}) }),
    pay: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ card: z.string().regex(/^\d+$/), cents: z.int().min(0).max(50) }),
      blast: { cents: arg("cents") },
      idempotency: "none",
      compensate: "none",
    }),
  },
})
const from = (path: string) => ({ $from: "card", path })
const payPlan = planOf(
  [
    { id: "card", tool: "card", args: {} },
    { id: "look", tool: "look", args: {} },
    { id: "pay", tool: "pay", args: { card: from("/card"), cents: from("/cents") } },
  ],
  bank,
)

test("a listener that alters what it is told alters nothing", async () => {
  {
    const paid: unknown[] = []
    const refused: string[] = []
    const onEvent = ({ event }: { event: unknown }) => {
      const told = event as { kind: string; result?: { card?: string; cents?: number }; args?: { card?: string } }
      const alter = (change: () => void) => {
        try {
          change()
        } catch (error) {
          refused.push(`${error}`)
        }
      }
      if (told.result?.card !== undefined) alter(() => Object.assign(told.result ?? {}, { card: "***", cents: 9_999 }))
      if (told.args?.card !== undefined) alter(() => Object.assign(told.args ?? {}, { card: "***" }))
      alter(() => {
        told.kind = "evil"
      })
    }
    const tools = {
      card: () => ({ card: "4111", cents: 5 }),
      look: () => null,
      pay: (args: unknown) => paid.push(args),
    }
    const runner = createRunner({ catalog: bank, tools, store: memory(), onEvent })
    const { inputs: _, ...rest } = scope
    const report = await runner.run(payPlan, { ...rest, runId: "run" })
    expect(report.status).toBe("succeeded")
    expect(paid).toEqual([{ card: "4111", cents: 5 }])
    expect(refused.length).toBeGreaterThanOrEqual(10)
    const kinds = (await runner.entries("run")).map(({ event }) => event.kind)
    expect(kinds).toEqual(["run-started", ...Array(3).fill(["intent", "outcome"]).flat(), "run-ended"])
    await runner.close()
  }
})

test("a listener that rejects, or answers with something that throws, is ignored", async () => {
  const escaped: unknown[] = []
  const note = (error: unknown) => escaped.push(error)
  process.on("unhandledRejection", note)
  const trap = () => {
    throw new Error("trap")
  }
  const then = "then"
  const answers = [async () => trap(), () => Object.defineProperty({}, then, { get: trap }), () => ({ [then]: trap })]
  for (const onEvent of answers) {
    const runner = createRunner({ catalog, tools: handlersOf(countCalls()), store: memory(), onEvent })
    expect((await runner.run(refundPlan, scope)).status).toBe("succeeded")
    await runner.close()
  }
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off("unhandledRejection", note)
  expect(escaped).toEqual([])
})

test("a report is a copy: what is done to it does not reach the run", async () => {
  const runner = createRunner({ catalog: guarded, tools: handlersOf(countCalls()), store: memory() })
  const report = await runner.run(guardedPlan, { ...scope, runId: "run" })
  if (report.status !== "awaiting_approval") throw new Error(report.status)
  const before = JSON.stringify(await runner.entries("run"))
  Object.assign(report.awaiting, { requestId: "other", follows: [] })
  expect(JSON.stringify(await runner.entries("run"))).toBe(before)
  expect((await runner.approve("run", "open", { by: "eve" })).status).toBe("succeeded")
  await runner.close()
})

test("options whose getters throw are refused by their type, and nothing is begun", async () => {
  const calls = countCalls()
  const runner = createRunner({ catalog: guarded, tools: handlersOf(calls), store: memory() })
  const throwing = <Key extends string>(key: Key): object =>
    Object.defineProperty({ ...scope, by: "eve" }, key, {
      enumerable: true,
      get: () => {
        throw new Error("boom")
      },
    })
  const refused = async (asked: Promise<unknown>): Promise<string> => {
    const error = (await asked.then(
      () => undefined,
      (reason: unknown) => reason,
    )) as InputsRefused
    expect(error).toMatchObject({ _tag: "InputsRefused", code: "RUN201" })
    return error.message
  }
  for (const key of ["principal", "sessionId", "inputs", "origin", "runId"]) {
    expect(await refused(runner.run(guardedPlan, throwing(key) as RunOptions))).toContain(
      "`options` of this run cannot be read",
    )
  }
  const principal = throwing("tenant")
  expect(await refused(runner.run(guardedPlan, { ...scope, principal } as RunOptions))).toContain("`principal`")
  expect(await runner.runs()).toEqual([])
  await runner.run(guardedPlan, { ...scope, runId: "run" })
  const by = throwing("by") as PlainDecision
  await refused(runner.approve("run", "open", by))
  await refused(runner.deny("run", "open", by))
  await refused(runner.decide("run", "open", by as never))
  for (const asked of [runner.status, runner.entries, runner.resume]) {
    await refused(asked("run", throwing("tenant")))
    await refused(asked("run", null as never))
  }
  await refused(runner.runs(throwing("tenant")))
  expect((await runner.status("run")).status).toBe("awaiting_approval")
  await runner.close()
  const tools = throwing("find") as never
  const other = createRunner({ catalog, tools, store: memory() })
  await expect(other.run(refundPlan, scope)).rejects.toMatchObject({ _tag: "HandlerMissing" })
  await other.close()
})
