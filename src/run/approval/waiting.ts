/** What waits for people, and taking their answers: the door for whoever asks them. */
import * as Effect from "effect/Effect"
import { awaitedBy } from "../../journal/asked.ts"
import type { ApprovalRequested } from "../../journal/entry.ts"
import { Journal, type JournalService } from "../../journal/journal.ts"
import { RunSecrets } from "../../journal/secrets.ts"
import type { RunState } from "../../journal/state.ts"
import { ApprovalNotFound, type RunFailure } from "../failure.ts"
import type { RunReport } from "../report.ts"
import { readState } from "../run.ts"
import { boundOf } from "./bound.ts"
import type { SignedDecision } from "./decide.ts"
import type { Bound } from "./token.ts"

/** A request that waits, with all that a person must see and a decision must be bound to. */
export interface WaitingApproval {
  readonly runId: string
  readonly tenant: string
  /** Who asks: whose run it is. */
  readonly subject: string
  readonly goal: string | undefined
  /** Why the step is there, in the words of whoever wrote the plan. */
  readonly why: string | undefined
  /** Since when, in milliseconds since the epoch. */
  readonly sinceMs: number
  /** When the run ends unanswered; undefined where it waits for ever. */
  readonly expiresAtMs: number | undefined
  readonly request: ApprovalRequested
  /** Who has agreed so far, where several must. */
  readonly agreed: readonly string[]
  /** Effects of the run that a denial would have undone, or left: by step. */
  readonly done: readonly { readonly stepId: string; readonly tool: string; readonly undone: boolean }[]
  /** What `issueApproval` signs. */
  readonly bound: Bound
}

export interface Approvals {
  /** What waits, oldest first. */
  readonly list: (options?: { readonly tenant?: string | undefined }) => Promise<readonly WaitingApproval[]>
  /** One of them by its request id or, as `run/step`, its step. */
  readonly get: (requestId: string, options?: { readonly tenant?: string | undefined }) => Promise<WaitingApproval>
  /** Takes a signed decision down, whatever it says; what follows is left to whoever takes the run up. */
  readonly answer: (token: string, options?: Pick<SignedDecision, "tenant">) => Promise<RunReport>
}

/** What a run waits for; undefined where it waits for nobody. */
export function waitingIn(state: RunState): WaitingApproval | undefined {
  const request = state.status === "awaiting_approval" ? awaitedBy(state) : undefined
  if (request === undefined) return undefined
  const { runId, started, startedAtMs, updatedAtMs, asked, calls } = state
  const { deadlineMs, document, tools } = started
  return {
    runId,
    tenant: started.tenant,
    subject: started.subject,
    goal: document.goal,
    why: document.steps.find(({ id }) => id === request.stepId)?.why,
    sinceMs: asked.get(request.stepId)?.sinceMs ?? updatedAtMs,
    expiresAtMs: deadlineMs === undefined ? undefined : startedAtMs + deadlineMs,
    request,
    agreed: asked.get(request.stepId)?.agreed.map(({ by }) => by) ?? [],
    done: document.steps.flatMap(({ id: stepId, tool = "" }) => {
      const call = calls.get(stepId)
      if (call?.idempotencyKey === undefined || call.replayed) return []
      return [{ stepId, tool, undone: tools[tool]?.undo !== undefined }]
    }),
    bound: boundOf(state, request),
  }
}

/** Without the secrets of its run: it goes out to wherever people talk. What a decision is bound to stays as it is. */
export function shownIn(waiting: WaitingApproval, state: RunState): WaitingApproval {
  const secrets = RunSecrets.in(state)
  const { goal, why, request } = waiting
  return {
    ...waiting,
    goal: goal && secrets.scrub(goal),
    why: why && secrets.scrub(why),
    request: secrets.redactEvent(request),
  }
}

export const listWaiting = (
  journal: JournalService,
  tenant: string | undefined,
): Effect.Effect<readonly WaitingApproval[], RunFailure> =>
  Effect.map(allWaiting(journal, tenant), (all) => all.map(({ waiting, state }) => shownIn(waiting, state)))

const allWaiting = (journal: JournalService, tenant: string | undefined) =>
  Effect.gen(function* () {
    const runs = yield* journal.list({ tenant })
    const found: { readonly waiting: WaitingApproval; readonly state: RunState }[] = []
    for (const { runId, status } of runs) {
      if (status !== "awaiting_approval") continue
      // One run that was altered hides no other's request; `runs` and `log --verify` tell of it.
      const state = yield* readState(journal, runId, tenant).pipe(
        Effect.catchTag("JournalTampered", () => Effect.succeed(undefined)),
      )
      const waiting = state && waitingIn(state)
      if (state !== undefined && waiting !== undefined) found.push({ waiting, state })
    }
    return found.sort((one, other) => one.waiting.sinceMs - other.waiting.sinceMs)
  })

export const findWaiting = (
  wanted: string,
  tenant: string | undefined,
): Effect.Effect<WaitingApproval, RunFailure, Journal> =>
  Journal.use((journal) =>
    Effect.flatMap(allWaiting(journal, tenant), (all) => {
      const found = all.find(
        ({ waiting: { runId, request } }) => request.requestId === wanted || `${runId}/${request.stepId}` === wanted,
      )
      if (found === undefined) return Effect.fail(new ApprovalNotFound({ runId: "any", wanted }))
      return Effect.succeed(shownIn(found.waiting, found.state))
    }),
  )
