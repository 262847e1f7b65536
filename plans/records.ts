/**
 * What the three sample services share: an SQLite file in which an effect and the answer to it are committed together,
 * under the caller's idempotency key. Asked again with the same key, the service gives the same answer and does nothing.
 */
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { isDeepStrictEqual } from "node:util"
import { notApplied } from "sequitur/run"

/** The service says no, and nothing was changed. */
export class Refused extends Error {
  override readonly name = "Refused"
}

export interface Records {
  /** Does one statement and gives its rows, as plain objects. */
  readonly sql: <Row>(statement: string, ...values: readonly SQLInputValue[]) => Row[]
  /** The number of the next row of a table that only grows: "0001" and so on. */
  readonly number: (table: string) => string
  /** Runs an effect and keeps its answer under `key`, both or neither. A known key gives the answer it was given. */
  readonly once: <Answer>(key: string | undefined, request: object, effect: () => Answer) => Answer
  /** The answer kept under a key; undefined where there is none. */
  readonly answered: <Answer>(key: string) => Answer | undefined
  readonly close: () => void
}

/** Opens the service's own database, `":memory:"` for one that is forgotten; a new one is filled by `seed`. */
export function openRecords(file: string, seed: string): Records {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON")

  const sql = <Row>(statement: string, ...values: readonly SQLInputValue[]): Row[] =>
    database
      .prepare(statement)
      .all(...values)
      .map((row) => ({ ...row }) as Row)

  const number = (table: string): string => {
    const [last] = sql<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)
    return `${(last?.count ?? 0) + 1}`.padStart(4, "0")
  }

  const transact = <Answer>(work: () => Answer): Answer => {
    database.exec("BEGIN IMMEDIATE")
    try {
      const answer = work()
      database.exec("COMMIT")
      return answer
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK")
      throw error
    }
  }

  const answered = <Answer>(key: string): Answer | undefined => {
    const [known] = sql<{ answer: string }>("SELECT answer FROM answers WHERE key = ?", key)
    return known === undefined ? undefined : JSON.parse(known.answer)
  }

  const once = <Answer>(key: string | undefined, request: object, effect: () => Answer): Answer =>
    transact(() => {
      if (key === undefined) throw new Refused("an effect needs an idempotency key")
      const asked = JSON.stringify(request)
      const [known] = sql<{ asked: string; answer: string }>("SELECT asked, answer FROM answers WHERE key = ?", key)
      if (known !== undefined) {
        const same = isDeepStrictEqual(JSON.parse(known.asked), JSON.parse(asked))
        if (!same) throw new Refused("this key was used for another request")
        return JSON.parse(known.answer)
      }
      const answer = effect()
      sql("INSERT INTO answers VALUES (?, ?, ?)", key, asked, JSON.stringify(answer))
      return answer
    })

  transact(() => {
    const [seeded] = sql("SELECT 1 FROM sqlite_schema WHERE name = 'answers'")
    if (seeded !== undefined) return
    database.exec("CREATE TABLE answers (key TEXT PRIMARY KEY, asked TEXT NOT NULL, answer TEXT NOT NULL) STRICT")
    database.exec(seed)
  })

  return { sql, number, once, answered, close: () => database.close() }
}

/** A refusal is proof that nothing happened, so the runner may fail the step instead of leaving it in doubt. */
export function orNotApplied<Answer>(call: () => Answer): Answer {
  try {
    return call()
  } catch (error) {
    throw error instanceof Refused ? notApplied(error.message) : error
  }
}
