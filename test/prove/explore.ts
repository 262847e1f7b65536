/**
 * Every crash point of one plan: the run is killed at each point of its first life, and from each state that this leaves behind
 * at each point of its recovery. What is durable and the outside world make a state; one that was seen before is not gone on
 * from again.
 */
import type { Entry } from "sequitur/run"
import { type RunState, replay } from "../../src/journal/state.ts"
import { judge } from "./judge.ts"
import { type Ended, runId, type Word } from "./life.ts"
import type { Stage, State } from "./stage.ts"
import { animalOf, lateMs, type Shape, soonMs } from "./zoo.ts"

/** When the one who goes on comes: at once, and takes the run over; or when its lease has run out. */
export type Gap = "soon" | "late"

/** One thing that happens on the way to a violation. */
export type Turn =
  | { readonly kind: "killed"; readonly at: number; readonly point: string }
  | { readonly kind: "taken-up"; readonly gap: Gap }
  | { readonly kind: "rested" | "resolved" }

export interface Violation {
  readonly shape: Shape
  readonly turns: readonly Turn[]
  readonly problems: readonly string[]
  readonly entries: readonly Entry[]
}

export interface Explored {
  /** Ways to crash that were covered, and how many processes were killed for it: the rest leads through states seen before. */
  readonly points: number
  readonly killed: number
  readonly states: number
  readonly violations: readonly Violation[]
}

export interface Bounds {
  readonly crashes: number
  readonly gaps: readonly Gap[]
}

/** Where a run is gone on from. */
interface Place {
  state: State
  readonly way: "run" | "resume" | "take-over"
  readonly turns: readonly Turn[]
  readonly crashesLeft: number
  /** In how many ways it was come to. */
  ways: number
}

/** A run that is let go of is taken up again when it is due; and a person may have to be asked more than once. */
const turnsMax = 12

export async function explore(stage: Stage, shape: Shape, { crashes, gaps }: Bounds): Promise<Explored> {
  const violations: Violation[] = []
  let [points, killed, states] = [0, 0, 0]
  const start: Place = { state: await stage.fresh(), way: "run", turns: [], crashesLeft: crashes, ways: 1 }
  // Level by level, so that all ways to a state are known before it is gone on from.
  for (let level: readonly Place[] = [start]; level.length > 0; ) {
    const found = new Map<string, Place>()
    await Promise.all(
      level.map(async (place) => {
        states += 1
        const passed = await goOn(stage, shape, place, violations)
        if (place.crashesLeft > 0) {
          points += place.ways * passed.length
          killed += passed.length
          const crashed = passed.map((point, at) => crash(stage, shape, place, at, point, gaps, found, violations))
          await Promise.all(crashed)
        }
        await stage.drop(place.state)
      }),
    )
    level = [...found.values()]
  }
  return { points, killed, states, violations }
}

/** Kills it there; the states that may be found afterwards are added to `found`. */
async function crash(
  stage: Stage,
  shape: Shape,
  place: Place,
  at: number,
  point: string,
  gaps: readonly Gap[],
  found: Map<string, Place>,
  violations: Violation[],
): Promise<void> {
  const state = await stage.copy(place.state)
  const seed = `${place.turns.length}`
  const killed: Turn = { kind: "killed", at, point }
  const turns = [...place.turns, killed]
  const ended = await stage.live(state, { shape, way: place.way, seed, fate: { signal: "SIGKILL", at } })
  if (ended !== undefined) {
    const problems = [`it was not killed at point ${at}, but said ${ended.ended}: lives are not alike`]
    violations.push({ shape, turns, problems, entries: await stage.entries(state) })
    return stage.drop(state)
  }
  const begun = (await stage.entries(state)).length > 0
  const digest = await stage.digest(state)
  for (const gap of begun ? gaps : gaps.slice(0, 1)) {
    const known = found.get(`${gap} ${digest}`)
    if (known !== undefined) {
      known.ways += place.ways
      continue
    }
    const after: Place = {
      state: "",
      way: begun ? (gap === "late" ? "resume" : "take-over") : "run",
      turns: [...turns, { kind: "taken-up", gap }],
      crashesLeft: place.crashesLeft - 1,
      ways: place.ways,
    }
    // Known before it is there: others come to it meanwhile.
    found.set(`${gap} ${digest}`, after)
    after.state = await stage.copy(state)
    stage.pass(after.state, gap === "late" ? lateMs : soonMs)
  }
  await stage.drop(state)
}

/** Lets it live until it stops for good, and judges what it has done; gives back the points of the first life. */
async function goOn(stage: Stage, shape: Shape, place: Place, violations: Violation[]): Promise<readonly string[]> {
  const state = await stage.copy(place.state)
  let points: readonly string[] | undefined
  const turns = [...place.turns]
  let way = place.way
  let word: Word | undefined
  for (let turn = 0; turn < turnsMax; turn++) {
    const seed = `${place.turns.length + turn}`
    const ended = await stage.live(state, { shape, way, seed, ...(word === undefined ? {} : { word }) })
    if (ended === undefined) throw new Error("nobody was to be killed")
    points ??= ended.points
    const entries = await stage.entries(state)
    const folded = replay(runId, entries)
    if (!(folded instanceof Error) && folded.status === "running" && ended.ended === "running") {
      turns.push({ kind: "rested" })
      stage.pass(state, lateMs)
      way = "resume"
      word = undefined
      continue
    }
    const problems = await judgeStopped(stage, state, shape, ended, entries, place.turns.length === 0)
    if (problems.length > 0) violations.push({ shape, turns, problems, entries })
    if (folded instanceof Error || folded.status !== "in_doubt" || problems.length > 0) break
    turns.push({ kind: "resolved" })
    stage.pass(state, lateMs)
    word = await find(stage, state, folded)
  }
  await stage.drop(state)
  return points ?? []
}

async function judgeStopped(
  stage: Stage,
  state: State,
  shape: Shape,
  ended: Ended,
  entries: readonly Entry[],
  unharmed: boolean,
): Promise<readonly string[]> {
  return judge({ shape, ended, entries, ground: await stage.ground(state, true), unharmed })
}

/** A person looks for the effect that is in doubt. */
async function find(stage: Stage, state: State, { step: { open } }: RunState): Promise<Word> {
  const { effects } = await stage.ground(state, true)
  const stepId = open?.stepId ?? ""
  const undoes = open?.undoes === true
  const made = effects.find(({ tool, item }) => item === stepId && animalOf(tool)?.undoes === undoes)
  return made === undefined ? { stepId } : { stepId, did: `${made.tool} ${made.item}` }
}
