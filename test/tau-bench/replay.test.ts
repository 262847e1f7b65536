/**
 * The recorded conversations once more, this time run: each handler gives what the shop gave then. What the shop said
 * to a read, even "user not found", is an answer; an effect that it refused had not been applied.
 */
import { type Catalog, type CompiledPlan, compile } from "sequitur"
import { createRunner, memory, notApplied } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { hasData } from "../data.ts"
import { isAuthentication, isChange, policyCatalog } from "./policy.ts"
import {
  answerOf,
  isRefused,
  type RecordedCall,
  type RecordedPlan,
  readReferred,
  readReplay,
  withPeople,
  withReferences,
} from "./recorded.ts"
import { resultsCatalog } from "./results.ts"

interface Called {
  readonly stepId: string
  readonly tool: string
  readonly args: unknown
}

/** To its end, with a yes to all that is asked. */
async function drive(catalog: Catalog, plan: CompiledPlan, recorded: RecordedPlan) {
  const called: Called[] = []
  const handlerOf =
    (tool: string) =>
    (args: unknown, { stepId }: { readonly stepId: string }) => {
      called.push({ stepId, tool, args })
      const call = recorded.actions[Number(stepId.slice(1))] as RecordedCall
      if (isRefused(call) && isEffect(call)) throw notApplied(call.result ?? "")
      return answerOf(call)
    }
  const tools = Object.fromEntries([...catalog.tools.keys()].map((name) => [name, handlerOf(name)]))
  const runner = createRunner({ catalog, tools, store: memory() })
  const asked: string[] = []
  const { id } = recorded
  let report = await runner.run(plan, { principal: { tenant: "shop", subject: "agent" }, sessionId: id, taskId: id })
  while (report.status === "awaiting_approval") {
    asked.push(report.awaiting.stepId)
    report = await runner.approve(report.runId, report.awaiting.stepId, { by: "user", reason: "yes" })
  }
  await runner.close()
  return { report, called, asked }
}

const isEffect = ({ name }: RecordedCall): boolean => isChange(name) || name === "transfer_to_human_agents"

function accepted(catalog: Catalog, text: string): CompiledPlan {
  const compiled = compile(catalog, text)
  if (!compiled.ok)
    throw new Error(compiled.diagnostics.map(({ code, at, message }) => `${code} ${at} ${message}`).join("\n"))
  return compiled.plan
}

const calls = (actions: readonly RecordedCall[]): readonly Called[] =>
  actions.map((call, index) => ({ stepId: `s${index}`, tool: call.name, args: call.arguments }))

const print = (title: string, ends: { readonly [end: string]: number }): void =>
  console.log(
    [`| ${title} | plans |`, "|---|---|", ...Object.entries(ends).map(([end, times]) => `| ${end} | ${times} |`)].join(
      "\n",
    ),
  )

describe.skipIf(!hasData)("tau-bench retail, run", () => {
  const replay = hasData ? readReplay() : []

  test("every conversation ends as it did: each call once, in order, with its own arguments, and its answer kept", async () => {
    const catalog = policyCatalog()
    const ends: Record<string, number> = {}
    for (const recorded of replay.filter(({ actions }) => isAuthentication(actions[0]?.name ?? ""))) {
      const { id, actions } = recorded
      const plan = accepted(catalog, withPeople(recorded))
      const { report, called, asked } = await drive(catalog, plan, recorded)
      const refusal = actions.findIndex((call) => isRefused(call) && isEffect(call))
      const answered = refusal === -1 ? actions : actions.slice(0, refusal)
      expect(called, id).toEqual(calls(refusal === -1 ? actions : actions.slice(0, refusal + 1)))
      expect(report.status, id).toBe(refusal === -1 ? "succeeded" : "failed")
      expect(report.steps, id).toEqual(Object.fromEntries(answered.map((call, index) => [`s${index}`, answerOf(call)])))
      expect(asked, id).toEqual(plan.approvals.map(({ stepId }) => stepId))
      if (report.status === "failed") expect(report.failure.message, id).toContain(actions[refusal]?.result?.slice(7))
      ends[report.status] = (ends[report.status] ?? 0) + 1
    }
    print("run", ends)
    // 12 and 13: a payment method that the order does not take; 64: an exchange of an order that was never delivered.
    expect(ends).toEqual({ succeeded: 42, failed: 3 })
  })

  test("with references for what earlier results hold, every call gets the arguments that were recorded", async () => {
    const catalog = resultsCatalog()
    const ends: Record<string, number> = {}
    const referred = readReferred().filter(({ steps }) => steps.length > 0)
    let references = 0
    for (const written of referred) {
      const recorded = replay.find(({ id }) => id === written.id) as RecordedPlan
      const plan = accepted(catalog, withReferences(written))
      references += plan.steps.reduce((sum, { step }) => sum + (step.kind === "call" ? step.reads.length : 0), 0)
      const { report, called } = await drive(catalog, plan, recorded)
      expect(called, written.id).toEqual(calls(recorded.actions.slice(0, called.length)))
      const refusal = recorded.actions.findIndex((call) => isRefused(call) && isEffect(call))
      expect([written.id, report.status, called.length]).toEqual([
        written.id,
        refusal === -1 ? "succeeded" : "failed",
        refusal === -1 ? recorded.actions.length : refusal + 1,
      ])
      ends[report.status] = (ends[report.status] ?? 0) + 1
    }
    print("run with references", ends)
    expect(referred).toHaveLength(75)
    expect(references).toBe(481)
    expect(ends).toEqual({ succeeded: 71, failed: 4 })
  })
})
