/** What a session has been shown by the runs before: whoever writes in it now may write that again. */
import type * as Effect from "effect/Effect"
import type { Catalog } from "../../catalog/catalog.ts"
import type { JournalService } from "../../journal/journal.ts"
import { type RunState, replay } from "../../journal/state.ts"
import type { Carried } from "../../plan/earlier.ts"
import type { StoreFailure } from "../../run/failure.ts"

interface Asked {
  readonly tenant: string
  readonly sessionId: string
  readonly catalog: Catalog
  /** Not of this run: it knows its own steps. */
  readonly except?: string | undefined
}

const all: readonly Carried[] = ["untrusted", "private"]

/** Labels of what the runs of the session have answered. What cannot be read, or is of a tool that is not known here, may be anything. */
export function* shownIn(
  journal: JournalService,
  { tenant, sessionId, catalog, except }: Asked,
): Effect.fn.Return<readonly Carried[], StoreFailure> {
  const shown = new Set<Carried>()
  for (const { runId, sessionId: other, status } of yield* journal.list({ tenant })) {
    if (other !== sessionId || runId === except) continue
    const state = status === "damaged" ? undefined : replay(runId, yield* journal.read(runId))
    const labels = state === undefined || state instanceof Error ? all : labelsOf(state, catalog)
    for (const label of labels) shown.add(label)
    if (shown.size === all.length) break
  }
  return all.filter((label) => shown.has(label))
}

function labelsOf({ started, calls, open }: RunState, { tools }: Catalog): readonly Carried[] {
  const answered = started.document.steps.flatMap(({ id, tool }) =>
    tool !== undefined && calls.get(id)?.result !== undefined ? [tool] : [],
  )
  const labels = [...new Set([...answered, ...(open?.aside.tools ?? [])])].map((tool) => tools.get(tool)?.labels)
  return all.filter(
    (label) =>
      (label === "untrusted" && started.open?.literals === "untrusted") ||
      labels.some((one) => one === undefined || one[label].length > 0),
  )
}
