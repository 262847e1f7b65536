/** A person's decision, from any process: written down once, by the first who decides. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ApprovalDecided } from "../journal/entry.ts"
import { JournalConflict } from "../journal/failure.ts"
import { Journal, type JournalService } from "../journal/journal.ts"
import { fold, isTerminal, type RunState } from "../journal/state.ts"
import { admitName } from "./admit.ts"
import { ApprovalAlreadyDecided, ApprovalNotFound, InputsRefused, RunEnded, type RunFailure } from "./failure.ts"
import { readState } from "./run.ts"

export interface Decision {
  readonly decision: "approved" | "denied"
  /** Who decides. */
  readonly by: string
  readonly reason?: string | undefined
  /** Only a run of this tenant is found. */
  readonly tenant?: string | undefined
}

/** Decides the request that a run waits for, named by its step or by its own id. The run goes on when it is resumed. */
export const decide = (runId: string, wanted: string, decision: Decision): Effect.Effect<void, RunFailure, Journal> =>
  Effect.gen(function* () {
    const { by, reason = "" } = decision
    const refused = admitName("by", by) ?? (reason === "" ? undefined : admitName("reason", reason))
    if (refused !== undefined) return yield* refused
    if (decision.decision !== "approved" && decision.decision !== "denied") {
      const expected = "Say `approved` or `denied`."
      return yield* new InputsRefused({ field: "`decision`", problem: "is neither", expected })
    }
    const journal = yield* Journal
    const attempt = decideOnce(journal, runId, wanted, decision)
    // Whoever lost the race is told what the other has said.
    return yield* Effect.catchIf(
      attempt,
      (error) => error instanceof JournalConflict,
      () => attempt,
    )
  })

const decideOnce = Effect.fnUntraced(function* (
  journal: JournalService,
  runId: string,
  wanted: string,
  { decision, by, reason = "", tenant }: Decision,
): Effect.fn.Return<void, RunFailure> {
  const state = yield* readState(journal, runId, tenant)
  const request = yield* findRequest(state, wanted)
  const event: ApprovalDecided = { kind: "approval-decided", ...request, decision, by, reason }
  const entry = { seq: state.seq + 1, atMs: (yield* Clock).currentTimeMillisUnsafe(), event }
  const folded = fold(state, entry)
  if (folded instanceof Error) return yield* folded
  yield* journal.append(runId, [entry])
})

/** The request that waits; or why there is none: it was decided before, or never made. */
function findRequest(
  { runId, status, requests, decisions }: RunState,
  wanted: string,
): Effect.Effect<Pick<ApprovalDecided, "requestId" | "stepId">, RunEnded | ApprovalAlreadyDecided | ApprovalNotFound> {
  if (isTerminal(status)) return Effect.fail(new RunEnded({ runId, status }))
  for (const [, { requestId, stepId }] of requests) {
    if (requestId !== wanted && stepId !== wanted) continue
    const decided = decisions.get(requestId)
    if (decided === undefined) return Effect.succeed({ requestId, stepId })
    const { decision, by } = decided
    return Effect.fail(new ApprovalAlreadyDecided({ runId, wanted, decision, by }))
  }
  return Effect.fail(new ApprovalNotFound({ runId, wanted }))
}
