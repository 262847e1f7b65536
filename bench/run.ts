/** What it costs to run a plan step by step, beside a loop that only awaits its handlers. */
import { type CompiledPlan, compile } from "sequitur"
import { createRunner, memory } from "sequitur/run"
import { catalog } from "./catalog.ts"
import { box, type Handler, handlers } from "./handlers.ts"
import { type Contender, type Pace, race } from "./harness.ts"
import { makePlan } from "./plans.ts"
import { perUnit, type Table } from "./report.ts"

export const steps = 30
const plans = 16

export const maxTimesLoop = 7

/** Whoever runs the plans. */
export const who = { principal: { tenant: "acme", subject: "ada" }, sessionId: "bench", taskId: "bench" } as const

/** A plan, and its calls as they come out when it is run: to make them again without it. */
export interface Rehearsed {
  readonly plan: CompiledPlan
  readonly calls: readonly RehearsedCall[]
}

interface RehearsedCall {
  readonly id: string
  readonly args: unknown
  readonly handle: Handler
}

/** Runs each plan once, to see that it succeeds and what it calls. */
export async function rehearse(): Promise<readonly Rehearsed[]> {
  const made: { readonly args: unknown; readonly handle: Handler }[] = []
  const tools = box((tool, args) => made.push({ args, handle: handlers.get(tool) as Handler }))
  const runner = createRunner({ catalog, tools, store: memory() })
  const rehearsed: Rehearsed[] = []
  for (let seed = 1; seed <= plans; seed++) {
    const compiled = compile(catalog, JSON.stringify(makePlan(steps, seed)))
    if (!compiled.ok) throw new Error(`plan ${seed} is refused: ${compiled.diagnostics[0]?.message}`)
    made.length = 0
    const report = await runner.run(compiled.plan, who)
    if (report.status !== "succeeded") throw new Error(`plan ${seed} ends ${report.status}: ${JSON.stringify(report)}`)
    const ids = compiled.plan.plan.steps.flatMap((step) => (step.kind === "call" ? [step.id] : []))
    if (made.length !== ids.length) throw new Error(`plan ${seed} makes ${made.length} calls, not ${ids.length}`)
    rehearsed.push({ plan: compiled.plan, calls: made.map((call, index) => ({ id: ids[index] as string, ...call })) })
  }
  await runner.close()
  return rehearsed
}

export async function benchRun(pace: Pace): Promise<readonly Table[]> {
  const rehearsed = await rehearse()
  const tools = box()
  const contenders: readonly Contender[] = [
    { name: "bare async loop", run: (times) => repeat(times, rehearsed, loopBare) },
    {
      name: "loop with a timer, a signal, a copy and a list of what happened",
      run: (times) => repeat(times, rehearsed, loopByHand),
    },
    {
      name: "`runner.run`, in memory",
      run: async (times) => {
        // A store of its own, so that no sample pays for what the ones before have kept.
        const runner = createRunner({ catalog, tools, store: memory() })
        let tasks = 0
        await repeat(times, rehearsed, async ({ plan }) => {
          // Of one task, a plan's second run would be answered from its first.
          const report = await runner.run(plan, { ...who, taskId: `task ${tasks++}` })
          if (report.status !== "succeeded") throw new Error("a run did not succeed")
        })
        await runner.close()
      },
    },
  ]
  const [bare, byHand, run] = perUnit(await race(contenders, pace), steps)
  if (bare === undefined || byHand === undefined || run === undefined) throw new Error("a contender is missing")
  const rows = [bare, byHand, { ...run, aim: { ratioMax: maxTimesLoop } }]
  const times = (run.microseconds / byHand.microseconds).toFixed(1)
  const about = `${plans} plans, compiled beforehand; handlers that answer at once. \`runner.run\` takes ${times} × the second loop.`
  return [{ title: `Run, ${steps} steps`, unit: "step", about, rows }]
}

let next = 0

async function repeat(
  times: number,
  rehearsed: readonly Rehearsed[],
  run: (one: Rehearsed) => Promise<void>,
): Promise<void> {
  for (let time = 0; time < times; time++) await run(rehearsed[next++ % rehearsed.length] as Rehearsed)
}

async function loopBare({ calls }: Rehearsed): Promise<void> {
  const results = new Map<string, unknown>()
  for (const { id, args, handle } of calls) results.set(id, await handle(args))
}

/** What a careful host would write without us. It checks nothing, keeps nothing, and makes no key. */
async function loopByHand({ calls }: Rehearsed): Promise<void> {
  const results = new Map<string, unknown>()
  const happened: object[] = []
  for (const { id, args, handle } of calls) {
    happened.push({ kind: "intent", id, args })
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), 30_000)
    try {
      const result = await handle(structuredClone(args))
      happened.push({ kind: "outcome", id, result })
      results.set(id, result)
    } catch (error) {
      happened.push({ kind: "failed", id, error })
    } finally {
      clearTimeout(timer)
    }
  }
}
