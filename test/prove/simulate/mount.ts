/** The store as one machine sees it: each change takes its time, and may fail, or end the machine, before or after it is durable. */
import { Effect, Exit } from "effect"
import type { JournalService } from "sequitur/run"
import type { Recorded } from "../../../src/journal/entry.ts"
import { StoreUnavailable } from "../../../src/journal/failure.ts"
import type { Chances, Draw } from "./draw.ts"
import type { Machine } from "./machine.ts"
import type { Timeline } from "./timeline.ts"

/** An entry that somebody was told to be durable. */
export interface Acknowledged {
  readonly runId: string
  readonly record: Recorded
}

/** What the machines of a story share. */
export interface Disk {
  readonly timeline: Timeline
  readonly draw: Draw
  readonly chances: Chances
  readonly acknowledged: Acknowledged[]
  /** Changes that the store is at: those of SQLite end when node's own loop turns. */
  atWork: number
}

const full = new StoreUnavailable({ store: "simulated", trouble: "full", reason: "the disk is full" })
const gone = new StoreUnavailable({ store: "simulated", trouble: "broken", reason: "the disk reports an error" })

type Change = "append" | "takeUp" | "renew"
type Faults = {
  readonly [Name in
    | "killed before it was written"
    | "killed when it was written"
    | "disk full"
    | "disk broken"]?: number
}

export const mountOn =
  (disk: Disk, store: JournalService) =>
  (machine: Machine): JournalService => {
    const mount = new Mount(disk, machine)
    return {
      append: (runId, records, as) =>
        mount.change("append", store.append(runId, records, as), () => records.map((record) => ({ runId, record }))),
      takeUp: (runId, as) => mount.change("takeUp", store.takeUp(runId, as), (record) => [{ runId, record }]),
      renew: (runId, as) => mount.change("renew", store.renew(runId, as), () => []),
      look: (runId) => mount.look(store.look(runId)),
      read: (runId, options) => mount.look(store.read(runId, options)),
      list: (options) => mount.look(store.list(options)),
      due: (nowMs, limit) => mount.look(store.due(nowMs, limit)),
      effect: (tenant, identity) => mount.look(store.effect(tenant, identity)),
      claim: (tenant, tool, claim) => mount.look(store.claim(tenant, tool, claim)),
      used: (tenant, of) => mount.look(store.used(tenant, of)),
      inspect: (inspect) => mount.look(store.inspect(inspect)),
      adopt: (entries) => mount.change("append", store.adopt(entries), () => []),
    }
  }

class Mount {
  readonly #disk: Disk
  readonly #machine: Machine
  #broken = false

  constructor(disk: Disk, machine: Machine) {
    this.#disk = disk
    this.#machine = machine
  }

  look<A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> {
    return Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => {
      if (this.#broken) return Effect.fail(gone)
      return this.#disk.chances.strike({ "not readable": 0.05 }) === undefined ? effect : Effect.fail(gone)
    })
  }

  /** It gets to the disk after a while, and its answer comes after another: between them its machine may do something else, or die. */
  change<A, E>(
    kind: Change,
    effect: Effect.Effect<A, E>,
    durable: (value: A) => readonly Acknowledged[],
  ): Effect.Effect<A, E | StoreUnavailable> {
    const { timeline, draw, chances, acknowledged } = this.#disk
    const machine = this.#machine
    return Effect.callback((resume) => {
      const answer = (exit: Exit.Exit<A, E | StoreUnavailable>): void =>
        machine.push(() => {
          if (Exit.isSuccess(exit)) acknowledged.push(...durable(exit.value))
          resume(exit)
        })
      const slow = kind === "append" && chances.strike({ "slow disk": 0.2 }) !== undefined
      const ms = slow ? draw.between(1_000, 9_000) : draw.below(8) === 0 ? draw.below(15) : 0
      const reach = (): void => machine.push(() => this.#write(kind, effect, answer))
      if (ms === 0) reach()
      else timeline.after(ms, reach)
    })
  }

  #write<A, E>(
    kind: Change,
    effect: Effect.Effect<A, E>,
    answer: (exit: Exit.Exit<A, E | StoreUnavailable>) => void,
  ): void {
    const disk = this.#disk
    const fault = this.#broken ? "broken" : disk.chances.strike(faults[kind] as Faults)
    if (fault === "broken") answer(Exit.fail(gone))
    else if (fault === "disk full") answer(Exit.fail(full))
    else if (fault === "killed before it was written") this.#machine.kill()
    else {
      disk.atWork++
      Effect.runFork(effect).addObserver((exit) => {
        disk.atWork--
        if (fault === "killed when it was written") this.#machine.kill()
        else if (fault === undefined) answer(exit)
        else this.#break(answer)
      })
    }
  }

  /** What was written is there; but nobody can be told so. */
  #break(answer: (exit: Exit.Exit<never, StoreUnavailable>) => void): void {
    const { timeline, draw } = this.#disk
    this.#broken = true
    answer(Exit.fail(gone))
    // Somebody opens the store anew.
    timeline.after(draw.between(500, 5_000), () => this.#machine.kill())
  }
}

const faults = {
  append: { "killed before it was written": 0.6, "killed when it was written": 1, "disk full": 1, "disk broken": 0.3 },
  takeUp: {
    "killed before it was written": 0.4,
    "killed when it was written": 0.8,
    "disk full": 0.6,
    "disk broken": 0.1,
  },
  renew: { "disk full": 0.6 },
} as const satisfies { readonly [kind in Change]: Faults }
