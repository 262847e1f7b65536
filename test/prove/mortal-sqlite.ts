/**
 * `node:sqlite` as the victim's bundle has it: before each statement that writes, and around each COMMIT, is a point at which
 * the process may be killed. So the points are those of the file, whatever the store does in between.
 */
import type {
  DatabaseSyncOptions,
  DatabaseSync as Real,
  SQLOutputValue,
  StatementResultingChanges,
  StatementSync,
} from "node:sqlite"
import type { Points } from "./points.ts"

const writing = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|PRAGMA journal_mode\s*=)/i
const committing = /^\s*(?:COMMIT|END)\b/i
const switching = /^\s*PRAGMA journal_mode/i

interface Statement {
  readonly writes: boolean
  readonly commits: boolean
  /** The file is another when it is done, though nothing is committed. */
  readonly switches: boolean
  /** Its first words. */
  readonly name: string
}

const statements = new Map<string, Statement>()

function statementOf(sql: string): Statement {
  const known = statements.get(sql)
  if (known !== undefined) return known
  const name = (/\S+(?:\s+\S+){0,2}/.exec(sql)?.[0] ?? sql).replace(/\s+/g, " ")
  const statement = { writes: writing.test(sql), commits: committing.test(sql), switches: switching.test(sql), name }
  statements.set(sql, statement)
  return statement
}

type Row = Record<string, SQLOutputValue>

interface Living {
  readonly points: Points
  readonly opened: Real[]
}

/** By the file that each lives in. */
const lives = new Map<string, Living>()

/** What is opened of this file from now on is opened in this life. */
export function beginLife(file: string, points: Points): void {
  lives.set(file, { points, opened: [] })
}

/** Whatever the life in this file has left open is closed, as at the end of a process. */
export function closeAll(file: string): void {
  for (const db of lives.get(file)?.opened ?? []) if (db.isOpen) db.close()
  lives.delete(file)
}

/** Prepared when it is first used: most of the statements of a store are used in few lives, and many take long to prepare. */
class Late implements Pick<StatementSync, "run" | "get" | "all" | "iterate" | "setReadBigInts"> {
  readonly #make: () => StatementSync
  readonly #around: <A>(run: () => A) => A
  #made: StatementSync | undefined
  #big = false

  constructor(make: () => StatementSync, around: <A>(run: () => A) => A) {
    this.#make = make
    this.#around = around
  }

  run(...given: never[]): StatementResultingChanges {
    return this.#around(() => this.#statement.run(...given))
  }

  get(...given: never[]): Row | undefined {
    return this.#around(() => this.#statement.get(...given))
  }

  all(...given: never[]): Row[] {
    return this.#around(() => this.#statement.all(...given))
  }

  iterate(...given: never[]): NodeJS.Iterator<Row> {
    return this.#statement.iterate(...given)
  }

  setReadBigInts(big: boolean): void {
    this.#big = big
    this.#made?.setReadBigInts(big)
  }

  get #statement(): StatementSync {
    if (this.#made === undefined) {
      this.#made = this.#make()
      this.#made.setReadBigInts(this.#big)
    }
    return this.#made
  }
}

/** Loaded when it is first asked for: a snapshot of the process cannot hold it. */
function open(path: string | URL, options: DatabaseSyncOptions): Real {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const life = lives.get(`${path}`)
  if (life === undefined) return new DatabaseSync(path, options)
  const { points, opened } = life
  /** Whether there is anything to commit: reads have transactions too. */
  let written = false

  /** COMMIT has a point behind it as well: it is durable, and nobody has been told. */
  function around<A>({ writes, commits, switches, name }: Statement, run: () => A): A {
    const ends = written && commits
    if (ends || writes) points.pass(`before ${name}`)
    const result = run()
    if (ends || (writes && switches)) points.pass(`after ${name}`)
    written = !ends && !switches && (written || writes)
    return result
  }

  const db = new (class extends DatabaseSync {
    override exec(sql: string): void {
      around(statementOf(sql), () => super.exec(sql))
    }

    override prepare(sql: string): StatementSync {
      const about = statementOf(sql)
      return new Late(
        () => super.prepare(sql),
        (run) => around(about, run),
      ) as never
    }
  })(path, options)
  opened.push(db)
  return db
}

export class DatabaseSync {
  constructor(path: string | URL, options: DatabaseSyncOptions = {}) {
    // biome-ignore lint/correctness/noConstructorReturn: the class itself cannot be made before it is loaded
    return open(path, options) as never
  }
}
