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
type Faults = { readonly [Name in "killed before it was written" | "killed when it was written" | "disk full" | "disk broken"]?: number }

export function mountOn(disk: Disk, store: JournalService): (machine: Machine) => JournalService {
  return (machine) => {
    let broken = false
    const { timeline, draw, chances, acknowledged } = disk
    const change = <A, E>(
      kind: Change,
      effect: Effect.Effect<A, E>,
      durable: (value: A) => readonly Acknowledged[],
    ): Effect.Effect<A, E | StoreUnavailable> =>
      Effect.callback((resume) => {
        const tell = (exit: Exit.Exit<A, E | StoreUnavailable>): void => machine.push(() => resume(exit))
        const write = (): void => {
          if (machine.dead) return
          if (broken) return tell(Exit.fail(gone))
          const fault = chances.strike(faults[kind] as Faults)
          if (fault === "killed before it was written") return machine.kill()
          if (fault === "disk full") return tell(Exit.fail(full))
          disk.atWork++
          const written = (exit: Exit.Exit<A, E>): void => {
            disk.atWork--
            if (fault === "killed when it was written") return machine.kill()
            if (fault === "disk broken") {
              broken = true
              return tell(Exit.fail(gone))
            }
            if (machine.dead) return
            machine.push(() => {
              if (Exit.isSuccess(exit)) acknowledged.push(...durable(exit.value))
              resume(exit)
            })
          }
          const now = Effect.runFork(effect)
          now.addObserver(written)
        }
        const ms = draw.below(8) === 0 ? draw.below(15) : 0
        const slow = kind === "append" && chances.strike({ "slow disk": 0.2 }) !== undefined
        if (slow) timeline.after(draw.between(1_000, 9_000), () => machine.push(write))
        else if (ms > 0) timeline.after(ms, () => machine.push(write))
        else machine.push(write)
      })
    const look = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | StoreUnavailable> =>
      Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => {
        if (broken) return Effect.fail(gone)
        return chances.strike({ "not readable": 0.05 }) === undefined ? effect : Effect.fail(gone)
      })
    return {
      append: (runId, records, as) =>
        change("append", store.append(runId, records, as), () => records.map((record) => ({ runId, record }))),
      takeUp: (runId, as) => change("takeUp", store.takeUp(runId, as), (record) => [{ runId, record }]),
      renew: (runId, as) => change("renew", store.renew(runId, as), () => []),
      look: (runId) => look(store.look(runId)),
      read: (runId, options) => look(store.read(runId, options)),
      list: (options) => look(store.list(options)),
      due: (nowMs, limit) => look(store.due(nowMs, limit)),
      effect: (tenant, identity) => look(store.effect(tenant, identity)),
      claim: (tenant, tool, claim) => look(store.claim(tenant, tool, claim)),
      used: (tenant, of) => look(store.used(tenant, of)),
      inspect: (inspect) => look(store.inspect(inspect)),
      adopt: (entries) => change("append", store.adopt(entries), () => []),
    }
  }
}

const faults = {
  append: { "killed before it was written": 0.3, "killed when it was written": 0.5, "disk full": 0.5, "disk broken": 0.15 },
  takeUp: { "killed before it was written": 0.2, "killed when it was written": 0.4, "disk full": 0.3, "disk broken": 0.05 },
  renew: { "disk full": 0.3 },
} as const satisfies { readonly [kind in Change]: Faults }
