/** Where lives are lived: a store, a clock and a ground of the outside world for each state, copied to go on from it again. */
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { type Entry, Journal } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { tellFinding, verifyStore } from "../../src/journal/verify.ts"
import { bundle } from "./bundle.ts"
import { clockIn, copyFiles, storeIn, storeParts } from "./files.ts"
import { type Ended, type Life, runId } from "./life.ts"
import { OutsideLine } from "./outside-line.ts"
import { readClock, writeClock } from "./shared-clock.ts"
import { type Living, Troupe } from "./troupe.ts"
import type { Ground } from "./world.ts"

/** Some day of 2026. */
const dawnMs = 1_780_000_000_000

/** A state of everything that outlives a process, by name. */
export type State = string

type Told = Omit<Life, "state">

/** What the store itself says of what is in it. */
export interface Kept {
  readonly entries: readonly Entry[]
  /** What is wrong with its chain, its tables or its file. */
  readonly findings: readonly string[]
}

export class Stage {
  readonly #folder: string
  readonly #outside: ChildProcess
  readonly #line: OutsideLine
  readonly #troupe: Troupe
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
    this.#outside = outside
    this.#line = line
    this.#troupe = new Troupe([...flags, folder], jobs, (process) => line.ask("", { op: "gone", process }))
  }

  /** So many lives at a time, and no more. */
  static async set(jobs: number): Promise<Stage> {
    // What a killed process has written is in memory either way, so a memory's file system will do.
    const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sequitur-prove-"))
    const script = resolve(import.meta.dirname, "outside.ts")
    const outside = spawn(
      process.execPath,
      ["--conditions=@sequitur/source", "--no-warnings", script, join(folder, "outside")],
      { stdio: ["pipe", "pipe", "inherit"] },
    )
    const listening = new Promise((done) => outside.stdout?.once("data", done))
    const [flags] = await Promise.all([bundle(folder), listening])
    return new Stage(folder, flags, outside, await OutsideLine.open(join(folder, "outside")), jobs)
  }

  get processes(): number {
    return this.#troupe.started
  }

  strike(): void {
    this.#troupe.leave()
    this.#line.close()
    this.#outside.stdin?.end()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** A name that no state has yet. */
  name(): State {
    this.#made += 1
    return `state-${this.#made}`
  }

  fresh(): State {
    const state = this.name()
    mkdirSync(this.#at(state))
    writeClock(clockIn(this.#at(state)), dawnMs)
    this.#line.say(state, { op: "copy", from: undefined })
    return state
  }

  copy(from: State): State {
    const state = this.name()
    copyFiles(this.#at(from), this.#at(state))
    this.#line.say(state, { op: "copy", from })
    return state
  }

  drop(...states: readonly State[]): void {
    for (const state of states) {
      rmSync(this.#at(state), { recursive: true, force: true })
      this.#line.say(state, { op: "drop" })
    }
  }

  pass(state: State, ms: number): void {
    const clock = clockIn(this.#at(state))
    writeClock(clock, readClock(clock) + ms)
  }

  /** Lives in a state, and changes it. Undefined where it was killed, as it should be. */
  async live(state: State, told: Told): Promise<Ended | undefined> {
    while (this.#alive >= this.#jobs) await new Promise<void>((go) => this.#waiting.push(go))
    this.#alive += 1
    try {
      return await (await this.start(state, told)).ended
    } finally {
      this.#alive -= 1
      this.#waiting.shift()?.()
    }
  }

  /** The same at once, for who wants to stop it. */
  async start(state: State, told: Told): Promise<Living> {
    this.lives += 1
    // What was said of this state has come to the outside before anybody lives in it.
    await this.#line.ask(state, { op: "heard" })
    return this.#troupe.play({ ...told, state })
  }

  /** The outside world as it is, or once everything that was accepted has happened. */
  ground(state: State, settled: boolean): Promise<Ground> {
    return this.#line.ask<Ground>(state, { op: "look", settled })
  }

  /** The journal, read and verified by the store itself, as whoever takes the run up next finds it. */
  async kept(state: State): Promise<Kept> {
    const file = storeIn(this.#at(state))
    if (!existsSync(file)) return { entries: [], findings: [] }
    return Effect.runPromise(
      Journal.use((journal) =>
        Effect.all({
          entries: journal.read(runId),
          findings: journal.inspect((whole) => verifyStore(whole).findings.map(tellFinding)),
        }),
      ).pipe(Effect.provide(sqlite(file)), Effect.scoped),
    )
  }

  /**
   * Equal where what is durable and the outside world are equal. What was acknowledged is no part of it: that changes nothing of
   * what comes, but only what must not be lost. Undefined where nothing was begun.
   */
  async digest(state: State): Promise<string | undefined> {
    const file = storeIn(this.#at(state))
    if (!existsSync(file)) return undefined
    const tables = dump(file)
    if (tables === undefined) return undefined
    const { acknowledged: _, ended: __, ...ground } = await this.ground(state, false)
    const whole = [tables, ground, readClock(clockIn(this.#at(state)))]
    return createHash("sha256").update(JSON.stringify(whole)).digest("hex")
  }

  /** Equal where the files are, byte for byte (but for what SQLite draws at random), and the outside world with what was acknowledged. */
  async fingerprint(state: State): Promise<string> {
    const hash = createHash("sha256").update(JSON.stringify(await this.ground(state, false)))
    hash.update(readFileSync(clockIn(this.#at(state))))
    for (const part of storeParts) {
      const file = storeIn(this.#at(state)) + part
      if (existsSync(file)) hash.update(`\0${part}\0`).update(unsalted(part, readFileSync(file)))
    }
    return hash.digest("hex")
  }

  /** What was acknowledged in one of two equal states was acknowledged. */
  merge(into: State, from: State): void {
    this.#line.say(into, { op: "merge", from })
  }

  #at(state: State): string {
    return join(this.#folder, state)
  }
}

/**
 * All that its tables hold; undefined where no run is in them. The file and its log stay as they are: who may not write does not
 * move the log into the file.
 */
function dump(file: string): string | undefined {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
    const all = tables.map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all()] as const)
    return all.some(([name, rows]) => name === "entry" && rows.length > 0) ? JSON.stringify(all) : undefined
  } finally {
    db.close()
  }
}

/** Without the salts of a log and the checksums that they go into; without the nonce of a rollback journal. */
function unsalted(part: (typeof storeParts)[number], bytes: Buffer): Buffer {
  if (part === "-journal") bytes.fill(0, 12, 16)
  if (part !== "-wal" || bytes.length < 32) return bytes
  const frameBytes = 24 + bytes.readUInt32BE(8)
  bytes.fill(0, 16, 32)
  for (let at = 32; at + 24 <= bytes.length; at += frameBytes) bytes.fill(0, at + 8, at + 24)
  return bytes
}
