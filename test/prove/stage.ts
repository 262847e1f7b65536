/** Where lives are lived: a store, a clock and a ground of the outside world for each state, copied to go on from it again. */
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { type Entry, Journal } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { bundle } from "./bundle.ts"
import { type Ended, type Life, runId } from "./life.ts"
import { OutsideLine } from "./outside-line.ts"
import { readClock, writeClock } from "./shared-clock.ts"
import type { Ground } from "./world.ts"

/** Some day of 2026. */
const dawnMs = 1_780_000_000_000

/** No life takes so long, on any machine. */
const stuckMs = 120_000

/** A state of everything that outlives a process, by name. */
export type State = string

type Told = Pick<Life, "shape" | "way" | "seed"> & Partial<Pick<Life, "word" | "fate">>

/** A process that lives on the stage. */
export interface Living {
  readonly process: ChildProcess
  /** Undefined where it was killed. */
  readonly ended: Promise<Ended | undefined>
}

export class Stage {
  readonly #folder: string
  readonly #flags: readonly string[]
  readonly #outside: ChildProcess
  readonly #line: OutsideLine
  readonly #jobs: number
  readonly #waiting: (() => void)[] = []
  #alive = 0
  #made = 0
  lives = 0

  private constructor(
    folder: string,
    flags: readonly string[],
    outside: ChildProcess,
    line: OutsideLine,
    jobs: number,
  ) {
    this.#folder = folder
    this.#jobs = jobs
    this.#flags = flags
    this.#outside = outside
    this.#line = line
  }

  /** So many processes at a time, and no more. */
  static async set(jobs: number): Promise<Stage> {
    // What a killed process has written is in memory either way, so a memory's file system will do.
    const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sequitur-prove-"))
    const socket = join(folder, "outside")
    const script = resolve(import.meta.dirname, "outside.ts")
    const outside = spawn(process.execPath, ["--conditions=@sequitur/source", "--no-warnings", script, socket], {
      stdio: ["pipe", "pipe", "inherit"],
    })
    const listening = new Promise((done) => outside.stdout?.once("data", done))
    const [flags] = await Promise.all([bundle(folder), listening])
    return new Stage(folder, flags, outside, await OutsideLine.open(socket), jobs)
  }

  strike(): void {
    this.#line.close()
    this.#outside.stdin?.end()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async fresh(): Promise<State> {
    const state = this.#make()
    writeClock(this.#file(state, "clock"), dawnMs)
    await this.#line.ask(state, { op: "copy", from: undefined })
    return state
  }

  async copy(from: State): Promise<State> {
    const state = this.#make()
    copyStore(this.#file(from, "store.db"), this.#file(state, "store.db"))
    copyFileSync(this.#file(from, "clock"), this.#file(state, "clock"))
    await this.#line.ask(state, { op: "copy", from })
    return state
  }

  async drop(state: State): Promise<void> {
    rmSync(join(this.#folder, state), { recursive: true, force: true })
    await this.#line.ask(state, { op: "drop" })
  }

  pass(state: State, ms: number): void {
    const clock = this.#file(state, "clock")
    writeClock(clock, readClock(clock) + ms)
  }

  /** Lives in a state, and changes it. Undefined where it was killed, as it should be. */
  async live(state: State, told: Told): Promise<Ended | undefined> {
    while (this.#alive >= this.#jobs) await new Promise<void>((go) => this.#waiting.push(go))
    this.#alive += 1
    try {
      return await this.start(state, told).ended
    } finally {
      this.#alive -= 1
      this.#waiting.shift()?.()
    }
  }

  /** The same at once, for who wants to stop it. */
  start(state: State, told: Told): Living {
    this.lives += 1
    const id = `life-${this.lives}`
    const life: Life = {
      id,
      ...told,
      store: this.#file(state, "store.db"),
      clock: this.#file(state, "clock"),
      socket: join(this.#folder, "outside"),
      ground: state,
    }
    const child = spawn(process.execPath, [...this.#flags, JSON.stringify(life)], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: stuckMs,
      killSignal: "SIGABRT",
    })
    return { process: child, ended: this.#end(id, child, told.fate?.signal === "SIGKILL") }
  }

  async #end(id: string, child: ChildProcess, mortal: boolean): Promise<Ended | undefined> {
    let said = ""
    let complaint = ""
    child.stdout?.setEncoding("utf8").on("data", (text) => (said += text))
    child.stderr?.setEncoding("utf8").on("data", (text) => (complaint += text))
    const signal = await new Promise((done) => child.once("close", (_, signal) => done(signal)))
    // Whatever it has sent has come to the outside world before anybody looks at that.
    await this.#line.ask("", { op: "gone", life: id })
    if (mortal && signal === "SIGKILL") return undefined
    if (signal !== null || said === "")
      return { ended: `${signal ?? "broken"}`, message: complaint.slice(-2_000), points: [] }
    return JSON.parse(said) as Ended
  }

  /** The outside world as it is, or once everything that was accepted has happened. */
  ground(state: State, settled: boolean): Promise<Ground> {
    return this.#line.ask<Ground>(state, { op: "look", settled })
  }

  /** The journal, read by the store itself: its chain is verified. The state stays as it is. */
  async entries(state: State): Promise<readonly Entry[]> {
    if (!existsSync(this.#file(state, "store.db"))) return []
    return this.#aside(state, (file) =>
      Effect.runPromise(
        Effect.scoped(
          Effect.provide(
            Journal.use((journal) => journal.read(runId)),
            sqlite(file),
          ),
        ),
      ),
    )
  }

  /**
   * Equal where what is durable and the outside world are equal. What was acknowledged is no part of it: that changes nothing of
   * what comes, but only what must not be lost. Undefined where nothing was begun.
   */
  async digest(state: State): Promise<string | undefined> {
    if (!existsSync(this.#file(state, "store.db"))) return undefined
    const tables = await this.#aside(state, (file) => Promise.resolve(dump(file)))
    if (tables === undefined) return undefined
    const { acknowledged: _, ended: __, ...ground } = await this.ground(state, false)
    const whole = [tables, ground, readClock(this.#file(state, "clock"))]
    return createHash("sha256").update(JSON.stringify(whole)).digest("hex")
  }

  /** What was acknowledged in one of two equal states was acknowledged. */
  async merge(into: State, from: State): Promise<void> {
    await this.#line.ask(into, { op: "merge", from })
  }

  async #aside<A>(state: State, use: (file: string) => Promise<A>): Promise<A> {
    const aside = this.#make()
    try {
      const file = this.#file(aside, "store.db")
      copyStore(this.#file(state, "store.db"), file)
      return await use(file)
    } finally {
      rmSync(join(this.#folder, aside), { recursive: true, force: true })
    }
  }

  #make(): State {
    this.#made += 1
    const state = `state-${this.#made}`
    mkdirSync(join(this.#folder, state))
    return state
  }

  #file(state: State, name: string): string {
    return join(this.#folder, state, name)
  }
}

/** The file and its log. The index of the log is made anew by whoever opens it first, as after a crash. */
function copyStore(from: string, to: string): void {
  for (const part of ["", "-wal", "-journal"]) if (existsSync(from + part)) copyFileSync(from + part, to + part)
}

/** All that its tables hold; undefined where no run is in them. */
function dump(file: string): string | undefined {
  const db = new DatabaseSync(file)
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
    const all = tables.map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all()] as const)
    return all.some(([name, rows]) => name === "entry" && rows.length > 0) ? JSON.stringify(all) : undefined
  } finally {
    db.close()
  }
}
