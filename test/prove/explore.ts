/**
 * Every crash point of one plan: the run is killed at each point of its first life, and from each state that this leaves behind
 * at each point of its recovery. What is durable and the outside world make a state; one that was seen before is not gone on
 * from again.
 */
import type { Entry } from "sequitur/run"
import { type RunState, replay } from "../../src/journal/state.ts"
import { judge } from "./judge.ts"
import { type Ended, runId, type Word } from "./life.ts"
import type { Passed } from "./points.ts"
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
  readonly state: Promise<State>
  readonly way: "run" | "resume" | "take-over"
  /** What a person says first, where the run is in doubt. */
  readonly word?: Word
  readonly turns: readonly Turn[]
  readonly crashesLeft: number
  /** In how many ways it was come to. */
  ways: number
}

/** Of crashes, of runs that are let go of until they are due, and of people who are asked. */
const turnsMax = 20

export async function explore(stage: Stage, shape: Shape, bounds: Bounds): Promise<Explored> {
  const violations: Violation[] = []
  let [points, killed, states] = [0, 0, 0]
  const start: Place = { state: stage.fresh(), way: "run", turns: [], crashesLeft: bounds.crashes, ways: 1 }
  // Level by level, so that all ways to a state are known before it is gone on from.
  for (let level: readonly Place[] = [start]; level.length > 0; ) {
    const found = new Map<string, Place>()
    await Promise.all(
      level.map(async (place) => {
        states += 1
        const passed = await goOn(stage, shape, place, found, violations)
        if (place.crashesLeft > 0) {
          const first = place.turns.length === 0
          const kills = passed.flatMap(({ name }, at) => (first || isLast(passed, at) ? [{ at, name }] : []))
          points += place.ways * passed.length
          killed += kills.length
          const crash = new Crash(stage, shape, place, bounds.gaps, found, violations)
          const digests = await Promise.all(kills.map(({ at, name }) => crash.at(at, name)))
          if (first) violations.push(...differing(shape, passed, digests))
        }
        await stage.drop(await place.state)
      }),
    )
    level = [...found.values()]
  }
  return { points, killed, states, violations }
}

/** What changes something that is durable, or outside. */
const changes = /^(?:after COMMIT|sent |answered |told of )/

/** Whether a crash at a point leaves the same behind as one at the point before it. */
function isSame(points: readonly Passed[], at: number): boolean {
  const [before, point] = [points[at - 1], points[at]]
  return before !== undefined && point !== undefined && before.atMs === point.atMs && !changes.test(point.name)
}

/** Of the points at which a crash leaves the same behind, the last: there the most was acknowledged. */
const isLast = (points: readonly Passed[], at: number): boolean => !isSame(points, at + 1)

/** The same, seen in what was left behind by those that were killed at each of them. */
function differing(
  shape: Shape,
  points: readonly Passed[],
  digests: readonly (string | undefined)[],
): readonly Violation[] {
  return points.flatMap(({ name }, at) => {
    if (!isSame(points, at) || digests[at] === digests[at - 1]) return []
    const problems = [`point ${at}, ${name}, leaves something else behind than the one before it`]
    return [{ shape, turns: [], problems, entries: [] }]
  })
}

/** Kills lives in one place; the states that may be found afterwards are added to `found`. */
class Crash {
  readonly #stage: Stage
  readonly #shape: Shape
  readonly #place: Place
  readonly #gaps: readonly Gap[]
  readonly #found: Map<string, Place>
  readonly #violations: Violation[]

  constructor(
    stage: Stage,
    shape: Shape,
    place: Place,
    gaps: readonly Gap[],
    found: Map<string, Place>,
    violations: Violation[],
  ) {
    this.#stage = stage
    this.#shape = shape
    this.#place = place
    this.#gaps = gaps
    this.#found = found
    this.#violations = violations
  }

  /** What is left behind: see `Stage.digest`. */
  async at(at: number, point: string): Promise<string | undefined> {
    const [stage, shape, { turns: before }] = [this.#stage, this.#shape, this.#place]
    const state = await stage.copy(await this.#place.state)
    const turns: readonly Turn[] = [...before, { kind: "killed", at, point }]
    const ended = await stage.live(state, { ...lifeIn(shape, this.#place), fate: { signal: "SIGKILL", at } })
    if (ended !== undefined) {
      const problems = [`it was not killed at point ${at}, but said ${ended.ended}: lives are not alike`]
      this.#violations.push({ shape, turns, problems, entries: await stage.entries(state) })
    }
    const digest = await stage.digest(state)
    if (ended === undefined)
      for (const gap of digest === undefined ? this.#gaps.slice(0, 1) : this.#gaps)
        await this.#find(state, digest, gap, turns)
    await stage.drop(state)
    return digest
  }

  #find(state: State, digest: string | undefined, gap: Gap, turns: readonly Turn[]): Promise<void> {
    const { crashesLeft, ways } = this.#place
    const after = {
      way: digest === undefined ? "run" : gap === "late" ? "resume" : "take-over",
      turns: [...turns, { kind: "taken-up", gap }],
      crashesLeft: crashesLeft - 1,
      ways,
    } as const
    return find(this.#stage, this.#found, `${gap} ${digest}`, after, state, gap === "late" ? lateMs : soonMs)
  }
}

/** Adds a place to go on from later, with a copy of the state; or one more way to one that is known. */
async function find(
  stage: Stage,
  found: Map<string, Place>,
  of: string,
  place: Omit<Place, "state">,
  state: State,
  passMs: number,
): Promise<void> {
  const name = `${place.crashesLeft} ${of}`
  const known = found.get(name)
  if (known !== undefined) {
    known.ways += place.ways
    return stage.merge(await known.state, state)
  }
  // Known before it is there: others come to it meanwhile.
  const copied = stage.copy(state)
  found.set(name, { ...place, state: copied })
  stage.pass(await copied, passMs)
}

const lifeIn = (shape: Shape, { way, word, turns }: Place) => ({
  shape,
  way,
  seed: `${turns.length}`,
  ...(word === undefined ? {} : { word }),
})

/** Lets it live, and judges what it has done; where that is not all, there is a place to go on from. Gives back its points. */
async function goOn(
  stage: Stage,
  shape: Shape,
  place: Place,
  found: Map<string, Place>,
  violations: Violation[],
): Promise<readonly Passed[]> {
  const state = await stage.copy(await place.state)
  const ended = await stage.live(state, lifeIn(shape, place))
  if (ended === undefined) throw new Error("nobody was to be killed")
  const entries = await stage.entries(state)
  const folded = replay(runId, entries)
  const then = async (turn: Turn, word?: Word): Promise<void> => {
    const { crashesLeft, ways } = place
    const turns = [...place.turns, turn]
    const after = { way: "resume", turns, crashesLeft, ways, ...(word === undefined ? {} : { word }) } as const
    await find(stage, found, `${turn.kind} ${await stage.digest(state)}`, after, state, lateMs)
  }
  const rests = !(folded instanceof Error) && folded.status === "running" && ended.ended === "running"
  const more = place.turns.length < turnsMax
  if (rests && more) await then({ kind: "rested" })
  else {
    const unharmed = place.turns.every(({ kind }) => kind !== "killed")
    const problems = await judgeStopped(stage, state, shape, ended, entries, unharmed)
    if (problems.length > 0) violations.push({ shape, turns: place.turns, problems, entries })
    else if (!(folded instanceof Error) && folded.status === "in_doubt" && more)
      await then({ kind: "resolved" }, await lookUp(stage, state, folded))
  }
  await stage.drop(state)
  return ended.points
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
async function lookUp(stage: Stage, state: State, { step: { open } }: RunState): Promise<Word> {
  const { effects } = await stage.ground(state, true)
  const stepId = open?.stepId ?? ""
  const undoes = open?.undoes === true
  const made = effects.find(({ tool, item }) => item === stepId && animalOf(tool)?.undoes === undoes)
  return made === undefined ? { stepId } : { stepId, did: `${made.tool} ${made.item}` }
}
