/** Cancelling a run, from any process and at any moment: no new step starts, and what was done is undone. */
import * as Effect from "effect/Effect"
import type { CatalogSpec } from "../catalog/catalog.ts"
import { JournalConflict, record } from "../journal/failure.ts"
import { Journal } from "../journal/journal.ts"
import type { RunState } from "../journal/state.ts"
import { isTerminal } from "../journal/status.ts"
import { admitName, readOptions } from "./admit.ts"
import { conflictsMax } from "./drive/book.ts"
import { AlreadyCancelled, InputsRefused, RunCancelled, RunEnded, type RunFailure } from "./failure.ts"
import type { Ids } from "./ids.ts"
import { put } from "./put.ts"
import { type RunReport, report } from "./report.ts"
import { type Driving, goOn, readState } from "./run.ts"
import { type Equipment, equip, type Tools } from "./toolbox.ts"

export interface Cancellation {
  /** Who cancels. */
  readonly by: string
  readonly reason?: string | undefined
  /** Only a run of this tenant is found. */
  readonly tenant?: string | undefined
}

export interface CancelOptions<Spec extends CatalogSpec = CatalogSpec, Written extends Tools<Spec> = Tools<Spec>>
  extends Cancellation,
    Equipment<Spec, Written>,
    Driving {}

/**
 * Asks for a run to be cancelled. Needs nothing but the store: whoever holds the run (or takes it up) settles what is under way,
 * undoes what was done, and ends it; a run that waits for a person and has done nothing ends at once.
 */
export const requestCancel = (
  runId: string,
  given: Cancellation & Driving,
): Effect.Effect<RunReport, RunFailure, Journal> => Effect.map(request(runId, given), report)

/** The same, and takes the run up to do so, where nobody holds it. */
export const cancel = <Spec extends CatalogSpec, const Written extends Tools<NoInfer<Spec>> = Tools<NoInfer<Spec>>>(
  runId: string,
  given: CancelOptions<Spec, Written>,
): Effect.Effect<RunReport<Spec>, RunFailure, Journal | Ids> =>
  Effect.gen(function* () {
    const options = readOptions(given)
    if (options instanceof InputsRefused) return yield* options
    const state = yield* request(runId, options)
    if (state.status !== "running") return report<Spec, unknown>(state)
    const driven = goOn(state, equip(options), options)
    // Whoever holds it reads of the request within a second or so; or has acted on it by now.
    const left = () => Effect.succeed(state)
    return report<Spec, unknown>(yield* Effect.catchTags(driven, { RunUnderWay: left, JournalConflict: left }))
  })

const request = (runId: string, given: Cancellation & Driving): Effect.Effect<RunState, RunFailure, Journal> =>
  Effect.gen(function* () {
    const options = readOptions(given)
    if (options instanceof InputsRefused) return yield* options
    const { by, reason = "", tenant, onEvent } = options
    const refused = admitName("by", by) ?? (reason === "" ? undefined : admitName("reason", reason))
    if (refused !== undefined) return yield* refused
    const journal = yield* Journal
    const once = Effect.gen(function* () {
      const state = yield* readState(journal, runId, tenant)
      const { status, cancel } = state
      if (isTerminal(status)) return yield* new RunEnded({ runId, status })
      if (cancel !== undefined) return yield* new AlreadyCancelled({ runId, by: cancel.by })
      const said = { by, reason: reason || "no reason was given" }
      const ending = { status: "cancelled", failure: record(new RunCancelled(said)) } as const
      // A run that waits for a person is nobody's.
      const waits = status === "awaiting_approval"
      return yield* put(journal, state, { kind: "cancel-requested", ...said }, waits ? ending : undefined, onEvent)
    })
    return yield* Effect.retry(once, { times: conflictsMax, while: (error) => error instanceof JournalConflict })
  })
