/** Processes that stand still for a while, as when a machine sleeps or is short of memory, and then go on as if nothing had been. */
import { execFile } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import type { Entry } from "sequitur/run"
import { replay } from "../../src/journal/state.ts"
import { judge } from "./judge.ts"
import { type Ended, runId } from "./life.ts"
import type { Stage, State } from "./stage.ts"
import type { Living } from "./troupe.ts"
import { lateMs, type Shape, soonMs } from "./zoo.ts"

export interface Suspended {
  /** How the process ended that had stood still. */
  readonly ended: Ended
  /** What is there at last, after everybody has gone on as far as they could. */
  readonly entries: readonly Entry[]
  readonly problems: readonly string[]
}

export interface Suspension {
  readonly shape: Shape
  /** By the points of a life that nobody disturbs. */
  readonly at: number
  /** What passes before it goes on; and who takes the run meanwhile. */
  readonly other: "takes-over" | "resumes" | "nobody"
  readonly passMs?: number
}

/** How often a run is taken up again that rests until it is due. */
const turnsMax = 8

/** The points that the first life of a plan passes. */
export async function pointsOf(stage: Stage, shape: Shape): Promise<readonly string[]> {
  const state = stage.fresh()
  const ended = await stage.live(state, { shape, way: "run", seed: "owner" })
  stage.drop(state)
  return ended?.points.map(({ name }) => name) ?? []
}

export async function suspend(stage: Stage, { shape, at, other, passMs = 0 }: Suspension): Promise<Suspended> {
  const state = stage.fresh()
  const owner = await stage.start(state, { shape, way: "run", seed: "owner", fate: { signal: "SIGSTOP", at } })
  await stopped(owner)
  stage.pass(state, passMs)
  if (other !== "nobody") {
    stage.pass(state, other === "resumes" ? lateMs : soonMs)
    await goOn(stage, state, shape, other === "resumes" ? "resume" : "take-over")
  }
  owner.process.kill("SIGCONT")
  const ended = await owner.ended
  if (ended === undefined) throw new Error("nobody was to be killed")
  // What the owner has observed may settle the run, or it may be due by now.
  const last = await goOn(stage, state, shape, "resume")
  const kept = await stage.kept(state)
  const ground = stage.ground(state)
  const problems = judge({ shape, ended: last, ...kept, ground, unharmed: false })
  stage.drop(state)
  return { ended, entries: kept.entries, problems }
}

/** Until it stops for good. Undefined where there is nothing to go on with. */
async function goOn(
  stage: Stage,
  state: State,
  shape: Shape,
  first: "resume" | "take-over",
): Promise<Ended | undefined> {
  for (let turn = 0; turn < turnsMax; turn++) {
    const folded = replay(runId, (await stage.kept(state)).entries)
    if (folded instanceof Error || folded.status !== "running") return undefined
    const way = turn === 0 ? first : "resume"
    const ended = await stage.live(state, { shape, way, seed: `${first}-${turn}-${folded.epoch}` })
    if (ended?.ended !== "running") return ended
    stage.pass(state, lateMs)
  }
  return undefined
}

const ask = promisify(execFile)

async function stopped({ process: { pid } }: Living): Promise<void> {
  for (;;) {
    const { stdout } = await ask("ps", ["-o", "stat=", "-p", `${pid}`])
    if (stdout.startsWith("T")) return
    await sleep(20)
  }
}
