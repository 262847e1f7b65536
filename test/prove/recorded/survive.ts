/**
 * One recorded plan, run on handlers that give what was given then: killed at one point and gone on with by another process. A person
 * says of what is in doubt what the outside world knows: whether it was called.
 */
import { Effect, Exit } from "effect"
import type { Catalog, CompiledPlan } from "sequitur"
import {
  approve,
  execute,
  Journal,
  type JournalService,
  memory,
  notApplied,
  type RunReport,
  resolve,
  resume,
  toolbox,
} from "sequitur/run"
import { report } from "../../../src/run/report.ts"
import { readState } from "../../../src/run/run.ts"
import { Chances, Draw } from "../simulate/draw.ts"
import { Machine, type Needs } from "../simulate/machine.ts"
import { mountOn } from "../simulate/mount.ts"
import { Timeline } from "../simulate/timeline.ts"

/** What a call of a step gave; where it was refused, nothing has happened. */
export type Answer = { readonly result: unknown } | { readonly refused: string }

export interface RecordedRun {
  readonly id: string
  readonly catalog: Catalog
  readonly plan: CompiledPlan
  readonly answerOf: (stepId: string) => Answer
}

export interface Survived {
  readonly status: string
  readonly steps: unknown
  /** By step, how often the outside was called. */
  readonly calls: ReadonlyMap<string, number>
  /** Tasks of the process that was to be killed. */
  readonly tasks: number
  readonly killed: boolean
  readonly resolved: number
}

const stepsMax = 100_000

/** To its end, with a yes to all that is asked. The first process dies after so many tasks. */
export function survive(recorded: RecordedRun, killAfter: number): Survived {
  const { catalog, plan, id, answerOf } = recorded
  const timeline = new Timeline()
  const store = Effect.runSync(Effect.scoped(Effect.provide(Journal, memory())))
  const disk = {
    timeline,
    draw: new Draw(1, 1),
    chances: new Chances(1, 0, new Set(), () => 0),
    acknowledged: [],
    atWork: 0,
  }
  const calls = new Map<string, number>()
  const handle = (_: unknown, { stepId }: { readonly stepId: string }) =>
    Effect.suspend(() => {
      calls.set(stepId, (calls.get(stepId) ?? 0) + 1)
      const answer = answerOf(stepId)
      return "refused" in answer ? Effect.fail(notApplied(answer.refused)) : Effect.succeed(answer.result)
    })
  const tools = Object.fromEntries([...catalog.tools.keys()].map((name) => [name, handle]))
  const equipment = { catalog, tools: toolbox(catalog as never, tools as never) as never }
  const machines = [0, 1].map((place) => new Machine(`${id}.${place}`, timeline, { offsetMs: 0 }, mountOn(disk, store)))
  const [first, second] = machines as [Machine, Machine]
  let tasks = 0
  let resolved = 0
  const go = (machine: Machine, work: Effect.Effect<RunReport, unknown, Needs>): RunReport | undefined => {
    let ended: Exit.Exit<RunReport, unknown> | undefined
    machine.run(work, (exit) => {
      ended = exit
    })
    for (let step = 0; ended === undefined && !machine.dead; step++) {
      if (step > stepsMax) throw new Error(`${id} does not end`)
      if (machine.waits) machine.step()
      else if (!timeline.pass()) throw new Error(`${id} stands still`)
      if (machine === first && ++tasks >= killAfter) machine.kill()
    }
    if (ended !== undefined && Exit.isFailure(ended)) throw new Error(`${id}: ${ended.cause}`)
    return ended?.value
  }
  const started = {
    principal: { tenant: "acme", subject: "agent" },
    sessionId: id,
    taskId: id,
    runId: id,
    ...equipment,
  }
  let told = go(first, execute(plan, started))
  for (;;) {
    const machine = first.dead ? second : first
    told ??= standing(store, id)
    if (told === undefined) told = go(machine, execute(plan, started))
    else if (told.status === "running") told = go(machine, resume(id, { ...equipment, takeOver: true }))
    else if (told.status === "awaiting_approval")
      told = go(machine, approve(id, told.awaiting.stepId, { by: "user", reason: "yes", ...equipment }))
    else if (told.status === "in_doubt") {
      const { stepId = "" } = told.failure
      const answer = answerOf(stepId)
      const happened = calls.has(stepId) && "result" in answer
      const found = happened ? { applied: answer.result } : ({ notApplied: true } as const)
      resolved++
      told = go(machine, resolve(id, stepId, { by: "shop", reason: "looked", ...found, ...equipment }))
    } else return { status: told.status, steps: told.steps, calls, tasks, killed: first.dead, resolved }
  }
}

/** How it stands by its journal alone; undefined where there is none. */
const standing = (store: JournalService, id: string): RunReport | undefined =>
  Effect.runSync(store.read(id)).length === 0 ? undefined : report(Effect.runSync(readState(store, id, undefined)))
