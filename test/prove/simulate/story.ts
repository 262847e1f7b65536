/**
 * One story, from one seed: a few runs of one session on two machines that die and stand still, clocks that are set, people who
 * cancel, decide and find out, and an outside world that does what it likes. After a while all goes well, and then everything must
 * come to its end.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Layer, Scope } from "effect"
import { Journal, type JournalService, memory } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { exportLines } from "../../../src/journal/export.ts"
import { check } from "./check.ts"
import { Chances, Draw, type Struck } from "./draw.ts"
import type { Planted } from "./outside.ts"
import { Stage } from "./stage.ts"
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
