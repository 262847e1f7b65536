/**
 * Every crash point of one plan: the run is ended at each point of its first life, and from each state that this leaves behind
 * at each point of its recovery. What is durable and the outside world make a state; one that was seen before is not gone on
 * from again. A crash is a process that is killed there; or, where that was proved to be the same, what a life that nobody ends
 * finds at its points.
 */
import type { Entry } from "sequitur/run"
import { sha256 } from "#sha256"
import { type RunState, replay } from "../../src/journal/state.ts"
import { judge } from "./judge.ts"
import { type Ended, type Kept, type Life, runId, stateAt, type Word } from "./life.ts"
import { isSame, type Passed } from "./points.ts"
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

export interface Counts {
  /** Ways to crash that were covered: most lead through states that other ways have come to before. */
  readonly points: number
  /** Crashes that were made by a process killed at its point, each held against what was copied there. */
  readonly killed: number
  /** Crashes that were only copied. */
  readonly copied: number
  readonly states: number
}

export interface Explored extends Counts {
  readonly violations: readonly Violation[]
}

export interface Bounds {
  readonly crashes: number
  readonly gaps: readonly Gap[]
  /** In this crash and those before it a process is killed at every point; */
  readonly killedIn: number
  /** in later ones at one of so many points, chosen by the seed, and the others are copied. */
  readonly killOneOf: number
  readonly seed: number
}

/** Where a run is gone on from. */
interface Place {
  readonly state: State
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

export const explore = (stage: Stage, shape: Shape, bounds: Bounds): Promise<Explored> =>
  new Exploration(stage, shape, bounds).go()

class Exploration {
  readonly #stage: Stage
  readonly #shape: Shape
  readonly #bounds: Bounds
  readonly #violations: Violation[] = []
  #found = new Map<string, Place>()
  #points = 0
  #killed = 0
  #copied = 0
  #states = 0

  constructor(stage: Stage, shape: Shape, bounds: Bounds) {
    this.#stage = stage
    this.#shape = shape
    this.#bounds = bounds
  }

  async go(): Promise<Explored> {
    const crashesLeft = this.#bounds.crashes
    const start: Place = { state: this.#stage.fresh(), way: "run", turns: [], crashesLeft, ways: 1 }
    // Level by level, so that all ways to a state are known before it is gone on from.
    for (let level: readonly Place[] = [start]; level.length > 0; level = [...this.#found.values()]) {
      this.#found = new Map()
      await Promise.all(level.map((place) => this.#visit(place)))
    }
    const [points, killed, copied, states] = [this.#points, this.#killed, this.#copied, this.#states]
    return { points, killed, copied, states, violations: this.#violations }
  }

  async #visit(place: Place): Promise<void> {
    this.#states += 1
    const first = place.turns.length === 0
    const keep = place.crashesLeft > 0 ? { as: this.#stage.name(), each: first } : undefined
    const passed = await this.#goOn(place, keep)
    if (keep !== undefined) {
      this.#points += place.ways * passed.length
      const kept = passed.map((_, at) => stateAt(keep.as, at))
      if (first) this.#compareSame(passed, kept)
      await Promise.all(passed.map((_, at) => this.#crash(place, passed, at, kept)))
      this.#stage.drop(place.state, ...kept)
    }
  }

  /** Points after which nothing was done leave the same behind: it is enough to go on from the last of them. */
  #compareSame(passed: readonly Passed[], kept: readonly State[]): void {
    const digests = kept.map((state) => this.#stage.digest(state))
    for (const [at, { name }] of passed.entries())
      if (isSame(passed, at) && digests[at] !== digests[at - 1])
        this.#tell([], [`point ${at}, ${name}, leaves something else behind than the one before it`])
  }

  async #crash(place: Place, passed: readonly Passed[], at: number, kept: readonly State[]): Promise<void> {
    const [copied, last] = [kept[at] as State, isLast(passed, at)]
    const turns: readonly Turn[] = [...place.turns, { kind: "killed", at, point: passed[at]?.name ?? "" }]
    const killed = this.#isKilled(place, turns, last) ? await this.#kill(place, turns, at, copied) : undefined
    if (last) {
      if (killed === undefined) this.#copied += 1
      const state = killed ?? copied
      const digest = this.#stage.digest(state)
      const gaps = digest === undefined ? this.#bounds.gaps.slice(0, 1) : this.#bounds.gaps
      const ways = place.ways * alikeAt(passed, at)
      for (const gap of gaps) this.#leave({ ...place, ways }, state, digest, gap, turns)
    }
    if (killed !== undefined) this.#stage.drop(killed)
  }

  #isKilled({ crashesLeft }: Place, turns: readonly Turn[], last: boolean): boolean {
    const { crashes, killedIn, killOneOf, seed } = this.#bounds
    const crash = crashes - crashesLeft + 1
    if (crash <= killedIn) return crash === 1 || last
    const drawn = sha256(JSON.stringify([seed, this.#shape, turns])).slice(0, 8)
    return last && Number.parseInt(drawn, 16) % killOneOf === 0
  }

  /** A process is killed there: what it leaves behind is what was copied at that point. */
  async #kill(place: Place, turns: readonly Turn[], at: number, copied: State): Promise<State> {
    this.#killed += 1
    const state = this.#stage.copy(place.state)
    const ended = await this.#stage.live(state, { ...this.#lifeIn(place), fate: { signal: "SIGKILL", at } })
    const problems: string[] = []
    if (ended !== undefined)
      problems.push(`it was not killed at point ${at}, but said ${ended.ended}: lives are not alike`)
    if (this.#stage.fingerprint(state) !== this.#stage.fingerprint(copied))
      problems.push("what it leaves behind is not what was copied at that point of a life that went on")
    this.#tell(turns, problems)
    return state
  }

  /** To be taken up after a crash. */
  #leave(place: Place, state: State, digest: string | undefined, gap: Gap, turns: readonly Turn[]): void {
    const after = {
      way: digest === undefined ? "run" : gap === "late" ? "resume" : "take-over",
      turns: [...turns, { kind: "taken-up", gap }],
      crashesLeft: place.crashesLeft - 1,
      ways: place.ways,
    } as const
    this.#find(`${gap} ${digest}`, after, state, gap === "late" ? lateMs : soonMs)
  }

  /** Adds a place to go on from later, with a copy of the state; or one more way to one that is known. */
  #find(of: string, place: Omit<Place, "state">, state: State, passMs: number): void {
    const name = `${place.crashesLeft} ${of}`
    const known = this.#found.get(name)
    if (known === undefined) {
      const copied = this.#stage.copy(state)
      this.#stage.pass(copied, passMs)
      this.#found.set(name, { ...place, state: copied })
    } else {
      known.ways += place.ways
      this.#stage.merge(known.state, state)
    }
  }

  #lifeIn({ way, word, turns }: Place) {
    return { shape: this.#shape, way, seed: `${turns.length}`, ...(word === undefined ? {} : { word }) }
  }

  /** Lets it live, and judges what it has done; where that is not all, there is a place to go on from. Gives back its points. */
  async #goOn(place: Place, keep: Life["keep"]): Promise<readonly Passed[]> {
    const stage = this.#stage
    // Where nobody is ended afterwards, it is not needed any more.
    const state = keep === undefined ? place.state : stage.copy(place.state)
    const ended = await stage.live(state, { ...this.#lifeIn(place), ...(keep === undefined ? {} : { keep }) })
    if (ended === undefined) throw new Error("nobody was to be killed")
    const kept = ended.kept ?? (await stage.kept(state))
    const folded = replay(runId, kept.entries)
    const more = place.turns.length < turnsMax
    if (!(folded instanceof Error) && folded.status === "running" && ended.ended === "running" && more) {
      this.#tell(place.turns, kept.findings, kept.entries)
      this.#rest(place, state, { kind: "rested" })
    } else {
      const problems = this.#judge(place, state, ended, kept)
      this.#tell(place.turns, problems, kept.entries)
      if (problems.length === 0 && !(folded instanceof Error) && folded.status === "in_doubt" && more)
        this.#rest(place, state, { kind: "resolved" }, this.#lookUp(state, folded))
    }
    stage.drop(state)
    return ended.points
  }

  /** To be taken up when it is due, or by somebody who knows. */
  #rest({ turns, crashesLeft, ways }: Place, state: State, turn: Turn, word?: Word): void {
    const said = word === undefined ? {} : { word }
    const after = { way: "resume", turns: [...turns, turn], crashesLeft, ways, ...said } as const
    this.#find(`${turn.kind} ${this.#stage.digest(state)}`, after, state, lateMs)
  }

  #judge({ turns }: Place, state: State, ended: Ended, kept: Kept): readonly string[] {
    const unharmed = turns.every(({ kind }) => kind !== "killed")
    return judge({ shape: this.#shape, ended, ...kept, ground: this.#stage.ground(state), unharmed })
  }

  /** A person looks for the effect that is in doubt. */
  #lookUp(state: State, { step: { open } }: RunState): Word {
    const { effects } = this.#stage.ground(state)
    const stepId = open?.stepId ?? ""
    const undoes = open?.undoes === true
    const made = effects.find(({ tool, item }) => item === stepId && animalOf(tool)?.undoes === undoes)
    return made === undefined ? { stepId } : { stepId, did: `${made.tool} ${made.item}` }
  }

  #tell(turns: readonly Turn[], problems: readonly string[], entries: readonly Entry[] = []): void {
    if (problems.length > 0) this.#violations.push({ shape: this.#shape, turns, problems, entries })
  }
}

/** Of the points at which a crash leaves the same behind, the last: there the most was acknowledged. */
const isLast = (points: readonly Passed[], at: number): boolean => !isSame(points, at + 1)

/** How many points, up to this one, leave the same behind. */
function alikeAt(points: readonly Passed[], at: number): number {
  let first = at
  while (isSame(points, first)) first -= 1
  return at - first + 1
}
