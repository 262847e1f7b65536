/** Where a story happens: its machines, its people and its weather, and what they do next. */
import { Cause, Effect, Exit } from "effect"
import {
  approve,
  cancel,
  decide,
  deny,
  execute,
  Journal,
  type JournalService,
  type RunReport,
  requestCancel,
  resolve,
  resume,
  toolbox,
} from "sequitur/run"
import { replay } from "../../../src/journal/state.ts"
import { isTerminal } from "../../../src/journal/status.ts"
import { type Anchor, anchorOf } from "../../../src/journal/verify.ts"
import { type Planned, plans } from "./catalog.ts"
import { type Chances, Draw } from "./draw.ts"
import { beganMs, Machine, type Needs, type WallClock } from "./machine.ts"
import { type Disk, mountOn } from "./mount.ts"
import { Outside, type Planted, skewMs } from "./outside.ts"
import type { Timeline } from "./timeline.ts"

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

const dayMs = 86_400_000

export class Stage {
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
    { runsMax = 3, planted }: { readonly runsMax?: number; readonly planted?: Planted },
  ) {
    this.#seed = seed
    this.#draw = draw
    this.#timeline = timeline
    this.#chances = chances
    this.#open = open
    this.#truth = open()
    this.outside = new Outside(timeline, new Draw(seed, 2), chances, planted)
    this.disk = { timeline, draw: new Draw(seed, 3), chances, acknowledged: [], atWork: 0 }
    // A clock that is far ahead is set right in the end; one that leaps there is beyond what any journal can tell.
    if (new Draw(seed, 4).below(4) === 0) this.#wall.offsetMs = dayMs
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
    return beganMs + Math.floor(this.#timeline.nowMs) + this.#wall.offsetMs
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
    const said = { by: "emil", reason: "asked them", attempt: open.attempt, ...this.#equipment(machine, run) }
    const found = kept?.receipt === undefined ? ({ notApplied: true } as const) : { applied: { receipt: kept.receipt } }
    this.#go(machine, run, resolve(runId, open.stepId, { ...said, ...found }))
  }

  #calm(): void {
    this.#chances.calm()
    if (this.#wall.offsetMs === dayMs) this.#wall.offsetMs = 0
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
