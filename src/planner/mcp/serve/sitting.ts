/**
 * What the session of a caller has come to: the labels of what they have been shown, which whatever they write from then on
 * carries; and which plan became which run. Of a session that goes on after a start, both are read from the journal.
 */
import type { Catalog } from "../../../catalog/catalog.ts"
import type { RunStarted } from "../../../journal/entry.ts"
import { type RunState, replay } from "../../../journal/state.ts"
import type { Carried } from "../../../plan/earlier.ts"
import type { Runner } from "../../../run/runner.ts"
import type { Principal } from "../../../run/toolbox.ts"
import { canonical } from "../../../text/canonical.ts"
import type { Json } from "../../../text/json.ts"

const labels = ["untrusted", "private"] as const

export interface Scope {
  readonly sessionId: string
  readonly taskId: string
}

/** In one session of one caller. */
export class Sitting {
  readonly #seen = new Set<Carried>()
  /** By what makes two plans the same: the run that it became last. */
  readonly runs = new Map<string, string>()
  /** Plans of which a person may be asked, while their runs are on the way there. */
  readonly asking = new Map<string, Promise<unknown>>()

  get seen(): readonly Carried[] {
    return labels.filter((label) => this.#seen.has(label))
  }

  show(shown: readonly Carried[]): void {
    for (const label of shown) this.#seen.add(label)
  }
}

export class Sittings {
  readonly #catalog: Catalog
  readonly #runner: Runner | undefined
  readonly #known = new Map<string, Promise<Sitting>>()

  /** Without a runner there is nothing to go on with. */
  constructor(catalog: Catalog, runner: Runner | undefined) {
    this.#catalog = catalog
    this.#runner = runner
  }

  of({ tenant, subject }: Principal, { sessionId }: Scope): Promise<Sitting> {
    const key = canonical([tenant, subject, sessionId])
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const read = this.#read(tenant, subject, sessionId)
    this.#known.set(key, read)
    // What could not be read is tried again by the next call, and nothing is done for this one.
    read.catch(() => this.#known.delete(key))
    return read
  }

  async #read(tenant: string, subject: string, sessionId: string): Promise<Sitting> {
    const sitting = new Sitting()
    const all = (await this.#runner?.runs({ tenant })) ?? []
    const own = all.filter((run) => run.subject === subject && run.sessionId === sessionId)
    for (const { runId, status } of own.toSorted((one, other) => one.startedAtMs - other.startedAtMs)) {
      const state =
        status === "damaged" ? undefined : replay(runId, (await this.#runner?.entries(runId, { tenant })) ?? [])
      if (state === undefined || state instanceof Error) {
        // What it has shown nobody knows any more.
        sitting.show(labels)
        continue
      }
      sitting.show(shownIn(state, this.#catalog))
      sitting.show(writtenWith(state.started))
      if (state.open === undefined) sitting.runs.set(keyOf(state.started), runId)
    }
    return sitting
  }
}

/** The same plan, for the same caller, in the same task: asked for again, it is what became of it that is meant. */
export const keyOf = ({
  planHash,
  catalogHash,
  inputs,
  roles,
  taskId,
}: Pick<RunStarted, "planHash" | "catalogHash" | "inputs" | "roles" | "taskId">): string =>
  canonical([planHash, catalogHash, inputs as Json, roles.toSorted(), taskId])

/** What its writer had been shown before, as it was written down with the run. */
function writtenWith({ origin: { seen } }: RunStarted): readonly Carried[] {
  return labels.filter((label) => Array.isArray(seen) && seen.includes(label))
}

/** Labels of the tool's answers: whatever it says may be a part of one. Of a tool that is not there any more nobody knows. */
export const shownBy = (tool: string, { tools }: Catalog): readonly Carried[] => {
  const declared = tools.get(tool)?.labels
  return labels.filter((label) => declared === undefined || declared[label].length > 0)
}

/** Labels of all that whoever is shown a run may find there. */
export function shownIn({ started, done, status, open, undone }: RunState, catalog: Catalog): readonly Carried[] {
  const { document, earlier = {}, inputs, tools } = started
  // A call that failed is told of in its tool's words.
  const begun = document.steps.slice(0, status === "awaiting_approval" ? done : done + 1)
  const called = [
    ...begun.flatMap(({ tool }) => (tool === undefined ? [] : [tool])),
    ...(open?.aside.tools ?? []),
    ...(undone.size === 0 ? [] : Object.keys(tools)),
  ]
  const given = inputs === null ? [] : labels.filter((label) => catalog.inputLabels[label].length > 0)
  return [
    ...called.flatMap((tool) => shownBy(tool, catalog)),
    ...Object.values(earlier).flatMap(({ tool, carries }) => [...carries, ...shownBy(tool, catalog)]),
    ...(open?.aside.shown.flatMap((shown) => shown ?? []) ?? []),
    ...given,
  ]
}
