/** Where lives are lived: a store, a clock and a ground of the outside world for each state, copied to go on from it again. */
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { Journal } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { clockIn, copyFiles, makeFolder, storeIn, storeParts } from "./files.ts"
import { Grounds } from "./grounds.ts"
import { type Ended, type Kept, keptIn, type Life, stateAt } from "./life.ts"
import { nearby, type Outside, OutsideLine } from "./outside-line.ts"
import { isSame } from "./points.ts"
import { readClock, writeClock } from "./shared-clock.ts"
import { type Living, Troupe } from "./troupe.ts"
import type { Ground } from "./world.ts"

/** Some day of 2026. */
const dawnMs = 1_780_000_000_000

/** A state of everything that outlives a process, by name. */
export type State = string

type Told = Omit<Life, "state">

/** Lives in this process; see `Stage.set`. */
type Here = (life: Life, folder: string, outside: Outside) => Promise<Ended>

export class Stage {
  readonly #folder: string
  readonly #outside: ChildProcess
  readonly #line: OutsideLine
  readonly #troupe: Troupe
  readonly #jobs: number
  readonly #here: Here | undefined
  readonly #waiting: (() => void)[] = []
  readonly #grounds = new Grounds()
  /** How many processes live on each of the grounds that are outside now. */
  readonly #away = new Map<State, number>()
  #alive = 0
  #made = 0
  lives = 0

  private constructor(
    folder: string,
    flags: readonly string[],
    outside: ChildProcess,
    line: OutsideLine,
    jobs: number,
    here: Here | undefined,
  ) {
    this.#folder = folder
    this.#jobs = jobs
    this.#here = here
    this.#outside = outside
    this.#line = line
    this.#troupe = new Troupe([...flags, folder], jobs, (process) => line.ask("", { op: "gone", process }))
  }

  /** So many lives at a time, and no more; those that nobody ends are lived `here`, if that is given. The flags are of `bundle`. */
  static async set(jobs: number, flags: readonly string[], here?: Here): Promise<Stage> {
    const folder = makeFolder()
    const script = resolve(import.meta.dirname, "outside.ts")
    const outside = spawn(
      process.execPath,
      ["--conditions=@sequitur/source", "--no-warnings", script, join(folder, "outside")],
      { stdio: ["pipe", "pipe", "inherit"] },
    )
    await new Promise((done) => outside.stdout?.once("data", done))
    return new Stage(folder, flags, outside, await OutsideLine.open(join(folder, "outside")), jobs, here)
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
    this.#grounds.add(state)
    return state
  }

  copy(from: State): State {
    const state = this.name()
    copyFiles(this.#at(from), this.#at(state))
    this.#grounds.copy(from, state)
    return state
  }

  drop(...states: readonly State[]): void {
    for (const state of states) {
      rmSync(this.#at(state), { recursive: true, force: true })
      this.#grounds.drop(state)
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
      if (this.#here === undefined || told.fate !== undefined) return await (await this.start(state, told)).ended
      this.lives += 1
      return await this.#here({ ...told, state }, this.#folder, nearby(this.#grounds))
    } finally {
      this.#alive -= 1
      this.#waiting.shift()?.()
    }
  }

  /** In a process, and at once: for who wants to stop it. */
  async start(state: State, told: Told): Promise<Living> {
    this.lives += 1
    const away = this.#away.get(state) ?? 0
    this.#away.set(state, away + 1)
    // The outside has it before anybody lives there.
    if (away === 0) await this.#line.ask(state, { op: "put", as: this.#grounds.at(state) })
    const { process, ended } = this.#troupe.play({ ...told, state })
    return { process, ended: this.#end(state, told, ended) }
  }

  /** What has become of its ground, and of those that it has kept. */
  async #end(state: State, { keep }: Told, living: Living["ended"]): Promise<Ended | undefined> {
    const ended = await living
    this.#grounds.put(state, await this.#line.ask<Ground>(state, { op: "look" }))
    const away = (this.#away.get(state) ?? 1) - 1
    if (away > 0) this.#away.set(state, away)
    else {
      this.#away.delete(state)
      this.#line.say(state, { op: "drop" })
    }
    const points = ended?.points ?? []
    const isKept = (at: number): boolean => keep?.each === true || !isSame(points, at + 1)
    for (const one of keep === undefined ? [] : points.flatMap((_, at) => (isKept(at) ? stateAt(keep.as, at) : []))) {
      this.#grounds.put(one, await this.#line.ask<Ground>(one, { op: "look" }))
      this.#line.say(one, { op: "drop" })
    }
    return ended
  }

  /** The outside world as it will be once everything that was accepted has happened. */
  ground(state: State): Ground {
    return this.#grounds.settled(state)
  }

  /** The journal, as whoever opens it next finds it. */
  async kept(state: State): Promise<Kept> {
    const file = storeIn(this.#at(state))
    if (!existsSync(file)) return { entries: [], findings: [] }
    const read = Journal.use((journal) => Effect.promise(() => keptIn(journal)))
    return Effect.runPromise(read.pipe(Effect.provide(sqlite(file)), Effect.scoped))
  }

  /**
   * Equal where what is durable and the outside world are equal. What was acknowledged is no part of it: that changes nothing of
   * what comes, but only what must not be lost. Undefined where nothing was begun.
   */
  digest(state: State): string | undefined {
    const file = storeIn(this.#at(state))
    if (!existsSync(file)) return undefined
    const tables = dump(file)
    if (tables === undefined) return undefined
    const { acknowledged: _, ended: __, ...ground } = this.#grounds.at(state)
    const whole = [modeOf(file), tables, ground, readClock(clockIn(this.#at(state)))]
    return createHash("sha256").update(JSON.stringify(whole)).digest("hex")
  }

  /** Equal where the files are, byte for byte (but for what SQLite draws at random), and the outside world with what was acknowledged. */
  fingerprint(state: State): string {
    const hash = createHash("sha256").update(JSON.stringify(this.#grounds.at(state)))
    hash.update(readFileSync(clockIn(this.#at(state))))
    for (const part of storeParts) {
      const file = storeIn(this.#at(state)) + part
      const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
      // Whoever reads makes an empty log where there is none.
      if (bytes.length > 0) hash.update(`\0${part}\0`).update(unsalted(part, bytes))
    }
    return hash.digest("hex")
  }

  /** What was acknowledged in one of two equal states was acknowledged. */
  merge(into: State, from: State): void {
    this.#grounds.merge(into, from)
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

/** Whether it is kept with a write-ahead log, as the head of the file says. */
function modeOf(file: string): number {
  const head = Buffer.alloc(20)
  const fd = openSync(file, "r")
  readSync(fd, head)
  closeSync(fd)
  return head.readUInt16BE(18)
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
