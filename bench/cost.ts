/** What is counted, not timed: commits of a run whose every step has an effect, and memory that runs hold while they wait for a person. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type CompiledPlan, defineCatalog, definePlan, tool } from "sequitur"
import { createRunner, Journal, memory } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { z } from "zod"
import type { Figures } from "./report.ts"

const commitsMax = 1.2
const waitingBytesMax = 4_096

const steps = 30

const catalog = defineCatalog({
  name: "cost",
  version: "1",
  approvals: "unsigned",
  machine: { initial: "DRAFT", transitions: { DRAFT: { AGREED: { guard: "approval" } }, AGREED: {} } },
  tools: {
    pay: tool({
      description: "Pay.",
      effect: "write",
      states: ["DRAFT", "AGREED"],
      params: z.strictObject({ n: z.int() }),
      result: z.object({ receipt: z.string() }),
      idempotency: { key: { retentionMs: 86_400_000 } },
      compensate: "none",
    }),
  },
})
const tools = { pay: ({ n }: { readonly n: number }) => ({ receipt: `r${n}` }) }
const who = { principal: { tenant: "acme", subject: "ada" }, sessionId: "cost" } as const

export async function countCosts(runs: number): Promise<readonly Figures[]> {
  const about = `A run of ${steps} steps, each with an effect. ${runs.toLocaleString("en")} runs that wait for an approval, in one process, on SQLite.`
  const figures = [
    { name: "commits a step", value: await commitsPerStep(), max: commitsMax },
    { name: "heap of a waiting run, in bytes", value: await bytesPerWaitingRun(runs), max: waitingBytesMax },
  ]
  return [{ title: "Cost", about, figures }]
}

async function commitsPerStep(): Promise<number> {
  let commits = 0
  const counting = Layer.effect(
    Journal,
    Effect.map(Journal, (journal) => ({
      ...journal,
      append: (...given) => {
        commits++
        return journal.append(...given)
      },
    })),
  ).pipe(Layer.provide(memory()))
  const runner = createRunner({ catalog, tools, store: counting })
  const pays = Array.from({ length: steps }, (_, n) => ({ id: `s${n}`, tool: "pay", args: { n } }) as const)
  const report = await runner.run(accepted(pays), { ...who, taskId: "t" })
  await runner.close()
  if (report.status !== "succeeded") throw new Error(`the run ends ${report.status}`)
  return commits / steps
}

async function bytesPerWaitingRun(runs: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "sequitur-cost-"))
  const runner = createRunner({ catalog, tools, store: sqlite(join(folder, "journal.db")) })
  try {
    const plan = accepted([
      { id: "pay", tool: "pay", args: { n: 1 } },
      { id: "agree", transition: "AGREED" },
    ])
    const wait = async (count: number, from: number): Promise<void> => {
      const reports = await Promise.all(
        Array.from({ length: count }, (_, n) => runner.run(plan, { ...who, taskId: `t${from + n}` })),
      )
      if (reports.some(({ status }) => status !== "awaiting_approval")) throw new Error("a run does not wait")
    }
    const held = (): number => {
      globalThis.gc?.()
      return process.memoryUsage().heapUsed
    }
    // What is made once for all of them, first.
    await wait(Math.min(200, runs), 0)
    const before = held()
    for (let from = 1_000; from < 1_000 + runs; from += 100) await wait(Math.min(100, 1_000 + runs - from), from)
    return Math.max(0, held() - before) / runs
  } finally {
    await runner.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function accepted(steps: readonly object[]): CompiledPlan {
  const compiled = definePlan(catalog, { version: 1, steps } as never)
  if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ message }) => message).join("\n"))
  return compiled.plan as CompiledPlan
}
