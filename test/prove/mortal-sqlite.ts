/**
 * `node:sqlite` as the victim's bundle has it: before each statement that writes, and around each COMMIT, is a point at which
 * the process may be killed. So the points are those of the file, whatever the store does in between.
 */
import type { DatabaseSyncOptions, DatabaseSync as Real, StatementSync } from "node:sqlite"
import type { Points } from "./points.ts"

const writes = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|PRAGMA journal_mode\s*=)/i
const word = (sql: string): string => (/\S+(?:\s+\S+){0,2}/.exec(sql)?.[0] ?? sql).replace(/\s+/g, " ")

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

/** Loaded when it is first asked for: a snapshot of the process cannot hold it. */
function open(path: string | URL, options: DatabaseSyncOptions): Real {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const life = lives.get(`${path}`)
  /** Whether there is anything to commit: reads have transactions too. */
  let written = false

  /** COMMIT has a point behind it as well: it is durable, and nobody has been told. */
  function around<A>(sql: string, run: () => A): A {
    const commits = written && /^\s*(?:COMMIT|END)\b/i.test(sql)
    if (commits || writes.test(sql)) life?.points.pass(`before ${word(sql)}`)
    const result = run()
    if (commits) life?.points.pass("after COMMIT")
    written = !commits && (written || writes.test(sql))
    return result
  }

  const db = new (class extends DatabaseSync {
    override exec(sql: string): void {
      around(sql, () => super.exec(sql))
    }

    override prepare(sql: string): StatementSync {
      const statement = super.prepare(sql)
      for (const way of ["run", "get", "all"] as const) {
        const plain = statement[way].bind(statement) as (...args: never) => unknown
        Object.defineProperty(statement, way, { value: (...args: never) => around(sql, () => plain(...args)) })
      }
      return statement
    }
  })(path, options)
  life?.opened.push(db)
  return db
}

export class DatabaseSync {
  constructor(path: string | URL, options: DatabaseSyncOptions = {}) {
    // biome-ignore lint/correctness/noConstructorReturn: the class itself cannot be made before it is loaded
    return open(path, options) as never
  }
}
