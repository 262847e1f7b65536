/** A journal that ends with its process: for tests, and for runs that need not be taken up again. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { beginning, chained, type Link, type Sealed, saltIn, seal } from "./chain.ts"
import type { Recorded } from "./entry.ts"
import { Journal, type JournalService, type TableRow, type Whole } from "./journal.ts"
import { adopt, append, dueSinceMs, isDue, renew, takeUp } from "./lease.ts"
import { claimRow, effectRow, lastOf, MapRows, summarise, tellLink } from "./rows.ts"
import type { RunRow } from "./tables.ts"

/** Each store made by `memory()` has runs of its own. Nothing leaves the process, so the chain is made when it is read. */
export const memory = (): Layer.Layer<Journal> => Layer.sync(Journal, makeMemory)

function makeMemory(): JournalService {
  const rows = new MemoryRows()
  /** One at a time, all of it or nothing. */
  const change = <Made>(make: () => Made): Effect.Effect<Exclude<Made, Error>, Extract<Made, Error>> =>
    Effect.suspend(() => {
      // Of something that threw.
      rows.takeBack()
      const made = make()
      if (made instanceof Error) {
        rows.takeBack()
        return Effect.fail(made as Extract<Made, Error>)
      }
      rows.keep()
      return Effect.succeed(made as Exclude<Made, Error>)
    })
  return {
    append: (runId, records, as) => change(() => append(rows, runId, records, as)),
    takeUp: (runId, as) => change(() => takeUp(rows, runId, as)),
    renew: (runId, as) => change(() => renew(rows, runId, as)),
    look: (runId) => Effect.sync(() => known(rows.run(runId), lastOf)),
    read: (runId, { tenant } = {}) =>
      Effect.sync(() => {
        const run = rows.run(runId)
        if (run === undefined || (tenant !== undefined && run.tenant !== tenant)) return []
        return chained(runId, rows.recordsOf(runId))
      }),
    list: ({ tenant } = {}) =>
      Effect.sync(() =>
        [...rows.runs()]
          .filter((run) => tenant === undefined || run.tenant === tenant)
          .sort((one, other) => one.startedAtMs - other.startedAtMs || (one.runId < other.runId ? -1 : 1))
          .map(summarise),
      ),
    due: (nowMs, limit) =>
      Effect.sync(() =>
        [...rows.runs()]
          .filter((run) => isDue(run, nowMs))
          .sort((one, other) => dueSinceMs(one) - dueSinceMs(other) || (one.runId < other.runId ? -1 : 1))
          .slice(0, limit)
          .map(({ runId }) => runId),
      ),
    effect: (tenant, identity) => Effect.sync(() => known(rows.effect(tenant, identity), effectRow)),
    claim: (tenant, tool, of) => Effect.sync(() => known(rows.claim(tenant, tool, of), claimRow)),
    used: (tenant, of) => Effect.sync(() => rows.used(tenant, of)),
    inspect: (look) => Effect.sync(() => look(rows.whole())),
    adopt: (entries) => change(() => adopt(rows, entries, "imported")),
  }
}

const known = <Row, Shown>(row: Row | undefined, show: (row: Row) => Shown): Shown | undefined => row && show(row)

/** The tables, and beside them the entries in their order. */
class MemoryRows extends MapRows {
  readonly #order: { readonly runId: string; readonly record: Recorded }[] = []
  readonly #records = new Map<string, Recorded[]>()

  override addEntry({ runId }: RunRow, record: Recorded): void {
    const records = this.#records.get(runId) ?? []
    this.#records.set(runId, records)
    records.push(record)
    this.#order.push({ runId, record })
    this.undoing(() => {
      records.pop()
      this.#order.pop()
    })
  }

  recordsOf(runId: string): readonly Recorded[] {
    return this.#records.get(runId) ?? []
  }

  whole(): Whole {
    return {
      entries: () => this.#sealed(this.#order),
      runs: () => [...this.#records].filter(([, records]) => records.length > 0).map(([runId]) => runId),
      entriesOf: (runId) => this.#sealed(this.recordsOf(runId).map((record) => ({ runId, record }))),
      tables: () => this.#tables(),
      leases: () => this.runs(),
      faults: () => [],
    }
  }

  *#tables(): Generator<TableRow> {
    yield* this.told()
    for (const [runId, records] of this.#records) {
      const last = chained(runId, records).at(-1)
      const [first] = records
      if (last !== undefined && first !== undefined)
        yield tellLink(runId, { hash: last.hash, salt: saltIn(first.event) })
    }
  }

  *#sealed(order: Iterable<{ readonly runId: string; readonly record: Recorded }>): Generator<Sealed> {
    const links = new Map<string, Link>()
    for (const { runId, record } of order) {
      const last = links.get(runId) ?? beginning
      const entry = seal(runId, last, record)
      links.set(runId, { hash: entry.hash, salt: last.salt ?? saltIn(record.event) })
      yield entry
    }
  }
}
