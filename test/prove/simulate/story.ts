/**
 * One story, from one seed: a few runs of one session on two machines that die and stand still, clocks that are set, people who
 * cancel, decide and find out, and an outside world that does what it likes. After a while all goes well, and then everything must
 * come to its end.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cause, Effect, Exit, Layer, Scope } from "effect"
import {
  approve,
  cancel,
  decide,
  deny,
  execute,
  Journal,
  type JournalService,
  memory,
  type RunReport,
  requestCancel,
  resolve,
  resume,
  toolbox,
} from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { exportLines } from "../../../src/journal/export.ts"
import { replay } from "../../../src/journal/state.ts"
import { isTerminal } from "../../../src/journal/status.ts"
import { type Anchor, anchorOf } from "../../../src/journal/verify.ts"
import { type Planned, plans } from "./catalog.ts"
import { check } from "./check.ts"
import { Chances, Draw, type Struck } from "./draw.ts"
import { Machine, type Needs, type WallClock } from "./machine.ts"
import { type Disk, mountOn } from "./mount.ts"
import { Outside, type Planted, skewMs } from "./outside.ts"
import { Timeline } from "./timeline.ts"

export type StoreKind = "memory" | "sqlite"

export interface StoryOptions {
  readonly store: StoreKind
  /** Chances that do not strike this time. */
  readonly spared?: ReadonlySet<number>
  readonly runsMax?: number
  /** Gives back its journal too. */
  readonly lines?: boolean
  readonly planted?: Planted
}

export interface Story {
  readonly seed: number
  readonly store: StoreKind
  readonly violations: readonly string[]
  readonly struck: readonly Struck[]
  readonly runs: number
  readonly entries: number
  /** Its journal, as it is exported; none where nobody asked for it. */
  readonly lines: readonly string[]
  /** How each run ended, and how often something happened. */
  readonly counts: ReadonlyMap<string, number>
}

/** Faults strike until then; then everything must end within a while. */
const stormMs = 25_000
const endMs = 400_000
const stepsMax = 200_000

export interface Started extends Planned {
  readonly runId: string
  readonly subject: string
  /** What somebody was told it had ended as. */
  readonly ended: Set<string>
  /** Somebody was told how it stands. */
  heard: boolean
}

/** What a typed error may never be, whatever happens: the journal makes sense, and was not altered. */
const senseless = new Set([
  "JournalDiverged",
  "JournalTampered",
  "JournalNewer",
  "JournalOlder",
  "InputsRefused",
  "StalePlan",
])

export async function tell(seed: number, options: StoryOptions): Promise<Story> {
  const { store: kind, spared = new Set() } = options
  const draw = new Draw(seed, 1)
  const timeline = new Timeline()
  const chances = new Chances(seed, draw.of([0, 4, 12, 30, 60]), spared, () => timeline.nowMs)
  const files = kind === "sqlite" ? new Files() : undefined
  const shared = files === undefined ? Effect.runSync(Effect.scoped(Effect.provide(Journal, memory()))) : undefined
  const stage = new Stage(seed, draw, timeline, chances, () => shared ?? (files as Files).open(), options)
  try {
    await stage.play()
    const { violations, outside, runs, disk, counts } = stage
    const journal = shared ?? (files as Files).open()
    // In memory the chain is made when it is read, so it cannot be wrong; the tables can, and are looked at in every fourth story.
    const verified = kind === "sqlite" || seed % 4 === 0
    const { acknowledged } = disk
    if (violations.length === 0)
      violations.push(...check({ journal, runs, outside, acknowledged, anchor: stage.anchor, verified }))
    const entries = Effect.runSync(journal.list()).reduce((sum, run) => sum + run.entries, 0)
    const lines = options.lines === true ? Effect.runSync(journal.inspect((whole) => [...exportLines(whole)])) : []
    for (const { what } of chances.struck) counts.set(what, (counts.get(what) ?? 0) + 1)
    return { seed, store: kind, violations, struck: chances.struck, runs: runs.size, entries, lines, counts }
  } finally {
    files?.close()
  }
}

/** Each machine has a connection of its own to one file. */
class Files {
  readonly #folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sequitur-simulate-"))
  readonly #scopes: Scope.Closeable[] = []

  open(): JournalService {
    const scope = Effect.runSync(Scope.make())
    this.#scopes.push(scope)
    const services = Effect.runSync(Scope.provide(Layer.build(sqlite(join(this.#folder, "journal.db"))), scope))
    return Effect.runSync(Effect.provideContext(Journal, services))
  }

  close(): void {
    for (const scope of this.#scopes) Effect.runSync(Scope.close(scope, Exit.void))
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

class Stage {
  readonly violations: string[] = []
  readonly runs = new Map<string, Started>()
  readonly counts = new Map<string, number>()
  readonly outside: Outside
  readonly disk: Disk
  anchor: Anchor | undefined
  readonly #seed: number
  readonly #draw: Draw
  readonly #timeline: Timeline
  readonly #chances: Chances
  readonly #open: () => JournalService
  /** What the storyteller knows is what is on the disk. */
  readonly #truth: JournalService
  readonly #wall: WallClock = { offsetMs: 0 }
  readonly #machines: Machine[] = []
  readonly #doubtsSinceMs = new Map<string, number>()
  readonly #planned: number
  #booted = 0

  constructor(
    seed: number,
    draw: Draw,
    timeline: Timeline,
    chances: Chances,
    open: () => JournalService,
    { runsMax = 3, planted }: StoryOptions,
  ) {
    this.#seed = seed
    this.#draw = draw
    this.#timeline = timeline
    this.#chances = chances
    this.#open = open
    this.#truth = open()
    this.outside = new Outside(timeline, new Draw(seed, 2), chances, planted)
    this.disk = { timeline, draw: new Draw(seed, 3), chances, acknowledged: [], atWork: 0 }
    for (let place = 0; place < 2; place++) this.#boot(place)
    this.#planned = Math.min(runsMax, draw.between(1, 3))
    this.#plan()
    timeline.after(500, () => this.#weather())
    timeline.after(1_000, () => this.#people())
    timeline.after(stormMs, () => this.#calm())
  }

  async play(): Promise<void> {
    for (let steps = 0; this.violations.length === 0; steps++) {
      if (steps > stepsMax || this.#timeline.nowMs > endMs) {
        this.violations.push(`not everything has ended: ${this.#standing()}`)
        break
      }
      this.violations.push(...this.outside.violations)
      const ready = this.#machines.filter(({ waits }) => waits)
      // SQLite writes when node's own loop turns.
      if (this.disk.atWork > 0 && (ready.length === 0 || this.#draw.below(3) === 0)) {
        await new Promise((turned) => setImmediate(turned))
        continue
      }
      if (ready.length > 0) {
        const machine = this.#draw.of(ready)
        machine.step()
        if (this.#chances.strike({ "killed between two tasks": 0.1 }) !== undefined) machine.kill()
        continue
      }
      if (this.#over() || !this.#timeline.pass()) break
    }
    this.violations.push(...this.outside.violations)
  }

  #boot(place: number): void {
    const machine: Machine = new Machine(
      `${this.#seed}.${this.#booted++}`,
      this.#timeline,
      this.#wall,
      mountOn(this.disk, this.#open()),
    )
    this.#machines[place] = machine
    const work = (): void => {
      if (machine.dead) {
        this.#timeline.after(this.#draw.between(100, 4_000), () => this.#boot(place))
        return
      }
      this.#lookForWork(machine)
      this.#timeline.after(this.#draw.between(900, 2_500), work)
    }
    this.#timeline.after(this.#draw.between(50, 500), work)
  }

  /** Which runs begin when. Often the same plan twice, for they shall meet. */
  #plan(): void {
    const draw = this.#draw
    let planned = draw.of(plans)
    for (let index = 0; index < this.#planned; index++) {
      if (draw.below(2) === 0) planned = draw.of(plans)
      const run = {
        ...planned,
        runId: `t${draw.between(1, 2)}-${index}`,
        subject: draw.below(6) === 0 ? "bob" : "ann",
        ended: new Set<string>(),
        heard: false,
      }
      this.#timeline.after(draw.between(0, draw.of([20, 3_000])), () => this.#start(run))
      if (draw.below(4) === 0) this.#timeline.after(draw.between(0, draw.of([500, 15_000])), () => this.#cancel(run))
    }
  }

  #start(run: Started): void {
    this.runs.set(run.runId, run)
    const machine = this.#someMachine()
    if (machine === undefined) return void this.#timeline.after(500, () => this.#start(run))
    const [taskId = ""] = run.runId.split("-")
    const started = execute(run.plan, {
      ...this.#equipment(machine, run),
      principal: { tenant: "acme", subject: run.subject },
      sessionId: "s",
      taskId,
      runId: run.runId,
    })
    this.#go(machine, run, started)
  }

  #equipment(machine: Machine, { catalog }: Planned) {
    return {
      catalog,
      tools: toolbox(catalog as never, this.outside.handlersFor(machine) as never) as never,
      leaseMs: 6_000,
    }
  }

  #someMachine(): Machine | undefined {
    const alive = this.#machines.filter(({ dead }) => !dead)
    return alive.length === 0 ? undefined : this.#draw.of(alive)
  }

  /** Somebody on a machine is at work on a run, and is told what came of it. */
  #go(
    machine: Machine,
    run: Started,
    work: Effect.Effect<RunReport, { readonly _tag: string; readonly message: string }, Needs>,
  ): void {
    machine.busy.add(run.runId)
    machine.run(work, (exit) => {
      machine.busy.delete(run.runId)
      if (Exit.isSuccess(exit)) {
        this.#count(exit.value.status)
        run.heard = true
        if (isTerminal(exit.value.status)) run.ended.add(exit.value.status)
        return
      }
      const error = Cause.squash(exit.cause) as { readonly _tag?: string; readonly message: string }
      if (Cause.hasDies(exit.cause) || error._tag === undefined || senseless.has(error._tag))
        this.violations.push(`${run.runId} on ${machine.name}: ${error._tag} ${error.message}`)
      else this.#count(error._tag)
    })
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** As a worker does: what is due is taken up. */
  #lookForWork(machine: Machine): void {
    const looked = Journal.use((journal) => journal.due(this.#wallMs(), 10))
    machine.run(looked, (exit) => {
      for (const runId of Exit.isSuccess(exit) ? exit.value : []) {
        const run = this.runs.get(runId)
        if (run !== undefined && !machine.busy.has(runId))
          this.#go(machine, run, resume(runId, this.#equipment(machine, run)))
      }
    })
  }

  #wallMs(): number {
    return 1_700_000_000_000 + Math.floor(this.#timeline.nowMs) + this.#wall.offsetMs
  }

  #weather(): void {
    if (this.#chances.isCalm) return
    const fault = this.#chances.strike({ killed: 1, frozen: 1, "clock set": 2, "taken over": 1.5 })
    const machine = this.#someMachine()
    if (fault === "clock set") this.#wall.offsetMs = this.#draw.between(-skewMs, skewMs)
    else if (machine !== undefined) this.#strike(machine, fault)
    this.#timeline.after(500, () => this.#weather())
  }

  #strike(machine: Machine, fault: string | undefined): void {
    if (fault === "killed") machine.kill()
    if (fault === "frozen") {
      machine.frozen = true
      this.#timeline.after(this.#draw.between(200, 20_000), () => {
        machine.frozen = false
      })
    }
    const run = fault === "taken over" ? this.#someRun() : undefined
    // Somebody is sure that no process is at work on it, and is wrong.
    if (run !== undefined)
      this.#go(machine, run, resume(run.runId, { ...this.#equipment(machine, run), takeOver: true }))
  }

  #someRun(): Started | undefined {
    const there = this.#list().filter(({ status }) => status !== "damaged" && !isTerminal(status))
    return there.length === 0 ? undefined : this.runs.get(this.#draw.of(there).runId)
  }

  #list() {
    return Effect.runSync(this.#truth.list())
  }

  #cancel(run: Started): void {
    const machine = this.#someMachine()
    if (machine === undefined) return
    const said = { by: "carol", reason: "it is not wanted" }
    const asked =
      this.#draw.below(2) === 0
        ? requestCancel(run.runId, said)
        : cancel(run.runId, { ...said, ...this.#equipment(machine, run) })
    this.#go(machine, run, asked)
  }

  /** Now and then somebody looks what waits for a person. */
  #people(): void {
    for (const { runId, status } of this.#list()) {
      const run = this.runs.get(runId)
      const machine = this.#someMachine()
      if (run === undefined || machine === undefined) continue
      if (status === "awaiting_approval" && this.#draw.below(3) > 0) this.#decide(machine, run)
      if (status === "in_doubt") this.#findOut(machine, run)
      else this.#doubtsSinceMs.delete(runId)
    }
    this.#timeline.after(this.#draw.between(1_000, 4_000), () => this.#people())
  }

  #decide(machine: Machine, run: Started): void {
    const { runId } = run
    const entries = Effect.runSync(this.#truth.read(runId))
    const request = entries.findLast(({ event }) => event.kind === "approval-requested")?.event
    if (request?.kind !== "approval-requested") return
    const answer = this.#draw.below(5)
    const said = { by: "dora", reason: "" }
    const equipment = { ...said, ...this.#equipment(machine, run) }
    if (answer === 0) this.#go(machine, run, deny(runId, request.stepId, equipment))
    else if (answer === 1) this.#go(machine, run, decide(runId, request.stepId, { ...said, decision: "approved" }))
    else this.#go(machine, run, approve(runId, request.stepId, equipment))
  }

  /** A person asks those who run the outside world, and waits until nothing can be on its way any more. */
  #findOut(machine: Machine, run: Started): void {
    const { runId } = run
    const since = this.#doubtsSinceMs.get(runId) ?? this.#timeline.nowMs
    this.#doubtsSinceMs.set(runId, since)
    if (this.#timeline.nowMs < since + 12_000 || machine.busy.has(runId)) return
    const state = replay(runId, Effect.runSync(this.#truth.read(runId)))
    if (state instanceof Error) return void this.violations.push(`${runId}: ${state.message}`)
    const { open } = state.step
    const kept = this.outside.kept.get(open?.idempotencyKey ?? "")
    if (state.status !== "in_doubt" || open === undefined || (kept?.pending ?? 0) > 0) return
    const said = { by: "emil", reason: "asked them", ...this.#equipment(machine, run) }
    const found = kept?.receipt === undefined ? ({ notApplied: true } as const) : { applied: { receipt: kept.receipt } }
    this.#go(machine, run, resolve(runId, open.stepId, { ...said, ...found }))
  }

  #calm(): void {
    this.#chances.calm()
    this.anchor = Effect.runSync(this.#truth.inspect(anchorOf))
    for (const machine of this.#machines) machine.frozen = false
  }

  /** Everything has begun, ended, and been heard of. */
  #over(): boolean {
    if (this.runs.size < this.#planned || !this.outside.quiet || this.disk.atWork > 0) return false
    const begun = this.#list()
    if (begun.some(({ status }) => status === "damaged" || !isTerminal(status))) return false
    // A run that never began has left nothing, and nobody will start it again.
    return this.#machines.every(({ busy, dead, frozen }) => dead || (!frozen && busy.size === 0))
  }

  #standing(): string {
    return JSON.stringify(this.#list().map(({ runId, status, entries }) => ({ runId, status, entries })))
  }
}
