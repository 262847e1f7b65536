/** A session that was accepted, run on tools that answer from the host's world: which of its calls were made. */
import { Effect, Exit } from "effect"
import type { Catalog, CompiledPlan } from "sequitur"
import { execute, Journal, memory, type RunReport, toolbox } from "sequitur/run"
import { Chances, Draw } from "../prove/simulate/draw.ts"
import { Machine } from "../prove/simulate/machine.ts"
import { mountOn } from "../prove/simulate/mount.ts"
import { Timeline } from "../prove/simulate/timeline.ts"
import type { Host } from "./host.ts"
import type { Session } from "./session.ts"

export interface Ran {
  readonly status: string
  /** Steps whose tool was called. */
  readonly called: ReadonlySet<string>
}

/** To its end, or to where a person is asked. */
export function run(catalog: Catalog, plan: CompiledPlan, { inputs, literals }: Session, { world }: Host): Ran {
  const timeline = new Timeline()
  const store = Effect.runSync(Effect.scoped(Effect.provide(Journal, memory())))
  const chances = new Chances(1, 0, new Set(), () => 0)
  const disk = { timeline, draw: new Draw(1, 1), chances, acknowledged: [], atWork: 0 }
  const called = new Set<string>()
  const handlers = Object.fromEntries(
    [...catalog.tools.keys()].map((name) => [
      name,
      (_: unknown, { stepId }: { readonly stepId: string }) => {
        called.add(stepId)
        return structuredClone(world[name])
      },
    ]),
  )
  const machine = new Machine("session", timeline, { offsetMs: 0 }, mountOn(disk, store))
  let ended: Exit.Exit<RunReport, unknown> | undefined
  const options = {
    catalog,
    tools: toolbox(catalog as never, handlers as never) as never,
    principal: { tenant: "home", subject: "user" },
    sessionId: "session",
    taskId: "task",
    runId: "run",
    inputs: literals === "trusted" ? { words: [], numbers: [], flags: [] } : inputs,
  }
  machine.run(execute(plan, options), (exit) => {
    ended = exit
  })
  while (ended === undefined) {
    if (machine.waits) machine.step()
    else if (!timeline.pass()) throw new Error("the session stands still")
  }
  if (Exit.isFailure(ended)) throw new Error(`${ended.cause}`)
  return { status: ended.value.status, called }
}
