/**
 * Changes on their way to the disk. Those that come while others are at it, from whatever runs, share one commit, and nobody is
 * told before it is durable. Where one of them is refused, all are made once more, within a savepoint each: for that SQLite copies
 * every page before it is changed, and refusals are rare.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../failure.ts"
import { because, busyMs, codeOf, explain, isBreaking, isBusy } from "./trouble.ts"
import { distrust, type Opened } from "./watch.ts"

/**
 * SQLITE_TOOBIG, SQLITE_CONSTRAINT (the file's own rules), SQLITE_MISMATCH, SQLITE_RANGE: what one change asks for cannot be
 * done.
 */
const ofOne: ReadonlySet<number | undefined> = new Set([undefined, 18, 19, 20, 25])

/** How long to wait at once for another process that writes, and how long until the next try: meanwhile others go on. */
const tryMs = 10
const pauseMs = 10

interface Change {
  /** Since when it waits. */
  readonly sinceMs: number
  readonly make: () => unknown
  /** What came of it: an error where it was refused. */
  readonly told: (made: unknown) => void
}

/** Told of what happens to the transaction, and asked within it and after each commit. */
interface Seam extends Pick<Opened, "check" | "checkShared"> {
  readonly onBegun: () => void
  readonly onTakenBack: () => void
}

export class Commits {
  readonly #store: string
  readonly #db: DatabaseSync
  readonly #seam: Seam
  readonly #statements
  #waiting: Change[] = []
  #broken: StoreUnavailable | undefined
  #waitMs = busyMs

  constructor(store: string, db: DatabaseSync, seam: Seam) {
    this.#store = store
    this.#db = db
    this.#seam = seam
    this.#statements = {
      begin: db.prepare("BEGIN IMMEDIATE"),
      savepoint: db.prepare("SAVEPOINT one"),
      release: db.prepare("RELEASE one"),
      rollback: db.prepare("ROLLBACK TO one"),
      commit: db.prepare("COMMIT"),
    }
  }

  /** Makes a change, all of it or (where it gives back an error) nothing. Once begun it is waited for. */
  change<Made>(make: () => Made): Effect.Effect<Exclude<Made, Error>, Extract<Made, Error> | StoreUnavailable> {
    return Effect.uninterruptible(
      Effect.callback((resume) => {
        const told = (made: unknown): void =>
          resume(made instanceof Error ? Effect.fail(made as never) : Effect.succeed(made as never))
        this.#waiting.push({ sinceMs: performance.now(), make, told })
        if (this.#waiting.length === 1) setImmediate(() => this.#work(tryMs))
      }),
    )
  }

  /** What is wrong with the store, if anything is: then nothing of it may be believed. */
  check(): StoreUnavailable | undefined {
    this.#broken ??= this.#seam.check()
    return this.#broken
  }

  /** An error of the database; one after which it is not to be trusted is remembered. */
  explain(error: unknown): StoreUnavailable {
    const told = explain(error, this.#store)
    if (this.#broken === undefined && isBreaking(error)) {
      const reason = `${told.fields.reason}${distrust}`
      this.#broken = because(this.#store, told.trouble === "corrupt" ? "corrupt" : "broken", reason)
    }
    return this.#broken ?? told
  }

  /** How long whatever is asked next waits for another process that writes. */
  waitAtMost(ms: number): void {
    if (this.#waitMs === ms) return
    this.#db.exec(`PRAGMA busy_timeout = ${ms}`)
    this.#waitMs = ms
  }

  /** Makes what waits, at once. */
  flush(): void {
    this.#work(busyMs)
  }

  #work(waitMs: number, apart = false): void {
    const changes = this.#waiting
    if (changes.length === 0) return
    this.#waiting = []
    // Of what is looked at once more within the transaction, that which beginning it depends on.
    this.#broken ??= this.#seam.checkShared()
    const busy = this.#broken === undefined ? this.#begin(waitMs) : undefined
    if (busy !== undefined) {
      this.#putOff(changes, busy, waitMs)
      return
    }
    const made = this.#broken === undefined ? this.#commit(changes, apart) : changes.map(() => this.#broken)
    if (made === "again-apart") {
      this.#waiting = [...changes, ...this.#waiting]
      this.#work(waitMs, true)
      return
    }
    for (const [index, { told }] of changes.entries()) told(made[index])
  }

  /** Those that have waited long enough are told so. */
  #putOff(changes: readonly Change[], busy: StoreUnavailable, waitMs: number): void {
    const nowMs = performance.now()
    const isLate = ({ sinceMs }: Change): boolean => waitMs >= busyMs || nowMs - sinceMs >= busyMs
    this.#waiting = changes.filter((change) => !isLate(change))
    if (this.#waiting.length > 0) setTimeout(() => this.#work(tryMs), pauseMs)
    for (const { told } of changes.filter(isLate)) told(busy)
  }

  /** Why it cannot begin yet; any other trouble shows in the commit. */
  #begin(waitMs: number): StoreUnavailable | undefined {
    try {
      this.waitAtMost(waitMs)
      this.#statements.begin.run()
      return undefined
    } catch (error) {
      return isBusy(error) ? this.explain(error) : undefined
    }
  }

  #commit(changes: readonly Change[], apart: boolean): readonly unknown[] | "again-apart" {
    try {
      if (!this.#db.isTransaction) this.#statements.begin.run()
      // Who holds another lock than this one may write at the same time.
      const lost = this.check()
      if (lost !== undefined) throw lost
      this.#seam.onBegun()
      const made = apart ? changes.map((change) => this.#one(change)) : this.#together(changes)
      if (made === "again-apart") return made
      // Where the one change was refused there is no transaction left.
      if (this.#db.isTransaction) this.#statements.commit.run()
      const gone = this.check()
      return gone === undefined ? made : changes.map(() => gone)
    } catch (error) {
      const told = this.explain(error)
      this.#rollback()
      return changes.map(() => told)
    }
  }

  /** All, or none: of several it is not known what the others come to without the one that was refused. */
  #together(changes: readonly Change[]): readonly unknown[] | "again-apart" {
    const several = changes.length > 1
    const made: unknown[] = []
    for (const { make } of changes) {
      const one = several ? this.#tried(make) : make()
      made.push(one)
      if (!(one instanceof Error)) continue
      this.#db.exec("ROLLBACK")
      this.#seam.onTakenBack()
      return several ? "again-apart" : made
    }
    return made
  }

  #one({ make }: Change): unknown {
    this.#statements.savepoint.run()
    const made = this.#tried(make)
    if (made instanceof Error) {
      this.#statements.rollback.run()
      this.#seam.onTakenBack()
    }
    this.#statements.release.run()
    return made
  }

  /** What cannot be written down fails by itself; what the disk says is for all. */
  #tried(make: () => unknown): unknown {
    try {
      return make()
    } catch (error) {
      if (ofOne.has(codeOf(error))) return this.explain(error)
      throw error
    }
  }

  #rollback(): void {
    this.#seam.onTakenBack()
    try {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK")
    } catch (error) {
      this.explain(error)
    }
  }
}
