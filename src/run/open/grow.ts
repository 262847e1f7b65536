/**
 * The plan of an open run, as far as it has grown: compiled anew with each step, by the road of every plan and by what the run
 * knows of the steps behind it.
 */
import { sha256 } from "#sha256"
import type { Catalog } from "../../catalog/catalog.ts"
import { changedParts, hashSlice, type Slice, sliceFor } from "../../catalog/slice.ts"
import type { Known } from "../../check/known.ts"
import { type Compiled, guarded } from "../../compile.ts"
import type { Document } from "../../document/document.ts"
import { JournalDiverged } from "../../journal/failure.ts"
import type { OpenRun } from "../../journal/open.ts"
import type { RunState } from "../../journal/state.ts"
import { canonical } from "../../text/canonical.ts"
import type { Json } from "../../text/json.ts"
import { StalePlan } from "../failure.ts"
import { policiesOf, prepare, type ReadyPlan } from "../next/prepare.ts"

/** Any tool may come next, so an open run goes by the whole of its catalog. */
export const wholeSlice = (catalog: Catalog): Slice => sliceFor(catalog, catalog.tools.keys())

/** What an open run knows of its own steps. */
export function knownOf({ started, done, calls }: RunState, { nothing, seen, aside }: OpenRun): Known {
  return {
    steps: started.document.steps.slice(0, done).map(({ id }) => ({
      came: nothing.has(id) ? "nothing" : "done",
      result: calls.get(id)?.result,
    })),
    seen,
    inputs: started.inputs,
    aside,
  }
}

/** The same, with steps more, all written when `seen` were behind. */
export function knownAhead(state: RunState, open: OpenRun, more: number, seen: number): Known {
  const { seen: earlier, ...behind } = knownOf(state, open)
  const count = state.started.document.steps.length + more
  return { ...behind, seen: Array.from({ length: count }, (_, index) => earlier[index] ?? seen) }
}

/** Compiles a plan that has grown. `known.seen` says of its last steps too what was seen when they were written. */
export function compileGrown(
  catalog: Catalog,
  document: Document,
  known: Known,
  { started }: Pick<RunState, "started">,
): Compiled {
  const { tenant, subject, roles, open } = started
  const principal = { tenant, subject, roles }
  return guarded(catalog, () => ({
    value: document as unknown as Json,
    spent: {},
    principal,
    literals: open?.literals ?? "trusted",
    known,
  }))
}

/** The plan as it is now, ready to go on with. */
export function readyOf(
  compiled: Compiled & { readonly ok: true },
  catalog: Catalog,
  known: Known,
): ReadyPlan | StalePlan {
  const ready = prepare(compiled.plan, catalog, (index) => known.steps[index]?.came !== "nothing")
  if (ready instanceof StalePlan) return ready
  return { ...ready, catalogHash: hashSlice(wholeSlice(catalog)), policies: policiesOf(catalog.tools.keys(), catalog) }
}

/** What an open run that is taken up goes on with; or that its catalog has changed. */
export function footingOfOpen(
  state: RunState,
  open: OpenRun,
  catalog: Catalog,
): ReadyPlan | StalePlan | JournalDiverged {
  const { runId, started } = state
  const remedy = "Go on with the catalog of before; or close this run, and begin another with the new one."
  const changed = changedParts(started.slice, wholeSlice(catalog))
  if (changed.length > 0) return new StalePlan({ changed: changed.join(", "), remedy })
  const known = knownOf(state, open)
  const compiled = compileGrown(catalog, started.document, known, state)
  if (!compiled.ok) {
    const codes = [...new Set(compiled.diagnostics.map(({ code }) => code))].join(", ")
    return new StalePlan({ changed: `it is refused now (${codes})`, remedy })
  }
  if (compiled.plan.planHash !== started.planHash)
    return new JournalDiverged({ runId, seq: 0, problem: "its plan is not the one it names" })
  return readyOf(compiled, catalog, known)
}

export const planHashOf = (document: Document): string => sha256(canonical(document as unknown as Json))
