/**
 * Derives every action of a run anew, from its plan and the entries before it, and holds each entry against what `next` would have
 * done. What comes from outside (answers, people, other processes) is taken as it stands.
 */
import type { Catalog } from "../catalog/catalog.ts"
import { sayPredicate } from "../catalog/predicate.ts"
import { judgeWhole } from "../catalog/schema/judge.ts"
import type { Schema } from "../catalog/schema/schema.ts"
import type {
  ApprovalDecided,
  ApprovalRequested,
  Entry,
  Event,
  Failure,
  Recorded,
  RunStarted,
  StepAdded,
} from "../journal/entry.ts"
import { JournalDiverged } from "../journal/failure.ts"
import { fold, type RunState, replay } from "../journal/state.ts"
import { canonical } from "../text/canonical.ts"
import type { Json } from "../text/json.ts"
import { termsOf } from "./admit.ts"
import { agreedTo, intentOf } from "./drive/begin-call.ts"
import { nameEffect } from "./drive/look-up.ts"
import { type Action, type Asks, type CallAction, type NewEffect, next, nextAskingFirst } from "./next/next.ts"
import type { ReadyPlan, ReadyTransition } from "./next/prepare.ts"
import { footingOfOpen } from "./open/grow.ts"
import { Growth, nothingAhead } from "./open/growth.ts"

/** The state the run has come to; or the first entry that does not follow. `ready` is undefined where the catalog has changed. */
export const rederive = (
  ready: ReadyPlan | undefined,
  runId: string,
  entries: readonly Entry[],
): ReturnType<typeof replay> => {
  const started = entries[0]?.event
  if (ready !== undefined && started?.kind === "run-started" && !goesBy(started, termsOf(ready)))
    return new JournalDiverged({
      runId,
      seq: 0,
      problem: "the catalog of its plan says otherwise of its tools and budgets",
    })
  const footings = new Footings(ready)
  return replay(runId, entries, (before, record) => {
    const { event } = record
    if (event.kind === "approval-decided" && before.started.unsigned === undefined && isForged(before, event))
      return `\`${event.stepId}\` was decided without a signature`
    const added = event.kind === "step-added" ? event : event.kind === "call-observed" ? event.made : undefined
    if (added !== undefined && ready !== undefined)
      return footings.grow(before, added) ? undefined : refuseGrowth(before, record, ready.catalog)
    return isDerived(event) ? differs(footings.at(before), before, event) : undefined
  })
}

/** Runs that began before decisions were signed asked without a digest. */
const isForged = ({ asked }: RunState, { stepId, token }: ApprovalDecided): boolean =>
  token === undefined && asked.get(stepId)?.request.inputs !== undefined

const goesBy = (
  { deadlineMs, budgets, unsigned, sensitive, tools, open }: RunStarted,
  terms: ReturnType<typeof termsOf>,
): boolean =>
  (open === undefined ? deadlineMs === terms.deadlineMs : isWithin(deadlineMs, terms.deadlineMs)) &&
  unsigned === terms.unsigned &&
  same(sensitive, terms.sensitive) &&
  same(budgets, terms.budgets) &&
  same(tools, terms.tools)

/** An open run may end sooner than its catalog says. */
export const isWithin = (deadlineMs: number | undefined, most: number | undefined): boolean =>
  most === undefined || (deadlineMs !== undefined && deadlineMs <= most)

/** Of an open run the plan is another one after each step that was added. */
class Footings {
  readonly #whole: ReadyPlan | undefined
  #growth: Growth | undefined
  #grown: { readonly steps: number; readonly ready: ReadyPlan | undefined } | undefined

  constructor(whole: ReadyPlan | undefined) {
    this.#whole = whole
  }

  at(state: RunState): ReadyPlan | undefined {
    if (state.open === undefined || this.#whole === undefined) return this.#whole
    const steps = state.started.document.steps.length
    if (this.#grown?.steps === steps) return this.#grown.ready
    const footing = footingOfOpen(state, state.open, this.#whole.catalog)
    this.#grown = { steps, ready: footing instanceof Error ? undefined : footing }
    return this.#grown.ready
  }

  /** Whether the step is surely one that the gates let through; where they might not have, the whole plan is to be asked. */
  grow(before: RunState, { step, seen, planHash }: Pick<StepAdded, "step" | "seen" | "planHash">): boolean {
    const now = this.at(before)
    const { open, done, started } = before
    const count = started.document.steps.length
    if (open === undefined || now === undefined || done !== count || seen > done) return false
    this.#growth ??= new Growth(now.catalog)
    const grown = this.#growth.grow(before, open, nothingAhead, step, seen)
    if (!grown.ok || grown.ahead.rightly === undefined || grown.planHash() !== planHash) return false
    const ready = grown.ready(now)
    if (ready instanceof Error) return false
    this.#grown = { steps: count + 1, ready }
    return true
  }
}

/** Whether the gates let through what was added, by what was known then. */
function refuseGrowth(before: RunState, record: Recorded, catalog: Catalog): string | undefined {
  const after = fold(before, record)
  // What cannot follow is told by whoever folds.
  if (after instanceof Error || after.open === undefined) return undefined
  const footing = footingOfOpen(after, after.open, catalog)
  return footing instanceof Error ? `\`step-added\` adds what the gates refuse: ${footing.message}` : undefined
}

type Derived = Extract<
  Event,
  {
    kind:
      | "intent"
      | "reconciled"
      | "replayed"
      | "step-refused"
      | "state-entered"
      | "approval-requested"
      | "rule-evaluated"
      | "reread"
      | "in-doubt"
      | "winding-down"
      | "run-ended"
      | "step-given-up"
  }
>

const derived: ReadonlySet<Event["kind"]> = new Set<Derived["kind"]>([
  "intent",
  "reconciled",
  "replayed",
  "step-refused",
  "state-entered",
  "approval-requested",
  "rule-evaluated",
  "reread",
  "in-doubt",
  "winding-down",
  "run-ended",
  "step-given-up",
])

const isDerived = (event: Event): event is Derived => derived.has(event.kind)

function differs(ready: ReadyPlan | undefined, state: RunState, event: Derived): string | undefined {
  const action = next(ready, state)
  // Nothing can be said without its plan of what only the plan knows.
  if (action.kind === "needs-plan" || follows(action, event)) return undefined
  const atGuard = event.kind === "state-entered" || (event.kind === "approval-requested" && event.to !== undefined)
  if (atGuard && follows(nextAskingFirst(ready, state), event)) return undefined
  return `\`${event.kind}\` stands where ${sayAction(action)} would follow`
}

function follows(action: Action, event: Derived): boolean {
  switch (event.kind) {
    case "intent":
      if (action.kind === "call-again") return same(action.intent, event)
      return action.kind === "call" && isIntentOf(action, event)
    case "replayed":
      return action.kind === "call" && isReplayOf(action, event)
    case "reconciled":
      return action.kind === "reconcile" && isOf(action.intent, event)
    case "step-refused":
      return isRefusalOf(action, event)
    case "state-entered":
      return action.kind === "enter-state" && isCrossing(action.transition, event)
    case "approval-requested":
      if (action.kind === "call") return isOf(action, event) && isAskedSo(action.ask, event)
      if (action.kind === "enter-state" && action.cover !== undefined)
        return isCrossing(action.transition, event) && isAskedSo(action.asks, event)
      return action.kind === "request-approval" && isCrossing(action.transition, event) && isAskedSo(action.asks, event)
    case "rule-evaluated":
      return (
        action.kind === "ask-rule" &&
        action.transition.step.id === event.stepId &&
        sayPredicate(action.rule) === event.rule &&
        same(action.facts, event.inputs)
      )
    case "reread":
      return action.kind === "call" && isBasis(action, event)
    case "in-doubt":
      // What was agreed to may not count any more when it comes to another call.
      if (action.kind === "call-again")
        return isOf(action.intent, event) && (action.asked !== undefined || action.cover !== undefined)
      return action.kind === "mark-in-doubt" && isOf(action, event) && isDoubtOf(action, event)
    case "winding-down":
      // A run that waits for a person past its deadline is told so by the clock.
      if (action.kind === "wait")
        return action.notAfterMs !== undefined && event.status === "exhausted" && isLate(event.failure)
      return action.kind === "wind-down" && isEnd(action, event)
    case "step-given-up":
      return action.kind === "give-up" && isOf(action, event) && same(action.failure, event.failure)
    case "run-ended":
      if (action.kind === "rest" || (action.kind === "wait" && event.status === "exhausted"))
        return action.notAfterMs !== undefined && event.failure !== undefined && isLate(event.failure)
      return action.kind === "end" && isEnd(action, event)
  }
}

interface About {
  readonly stepId: string
  readonly undoes?: true
}

const isOf = (one: About, other: About): boolean => one.stepId === other.stepId && one.undoes === other.undoes

const isCrossing = (
  { step, from, to }: ReadyTransition,
  event: { readonly stepId: string; readonly from?: string; readonly to?: string },
): boolean => step.id === event.stepId && from === event.from && to === event.to

/** Runs that began before decisions were signed have no digest; nor was it always said what a state opens. */
const isAskedSo = (
  asks: Asks | undefined,
  { follows, opens, inputs, approvers, approverRoles, covers }: ApprovalRequested,
): boolean =>
  asks !== undefined &&
  covers === asks.covers &&
  same(asks.follows, follows) &&
  (opens === undefined || same(asks.opens, opens)) &&
  (inputs === undefined || inputs === asks.inputs) &&
  approvers === asks.approvers.approvers &&
  same(asks.approvers.approverRoles, approverRoles)

/** What only the store knows may have been so little that nobody was asked; or somebody has agreed who stands for those that would be. */
function isIntentOf(action: CallAction, event: Derived & { kind: "intent" }): boolean {
  const { ask, cover, effect } = action
  // Which generation it is, the store knew.
  const intent = intentOf(action, effect === undefined ? {} : nameEffect(effect, event.generation ?? 0))
  const unasked = (ask === undefined || ask.because.length === 0) && same(intent, event)
  return unasked || (cover !== undefined && same(agreedTo(intent), event))
}

const isBasis = ({ stepId, basis }: CallAction, event: Derived & { kind: "reread" }): boolean =>
  stepId === event.before &&
  basis?.reads.some((read) => read.stepId === event.stepId && read.tool === event.tool) === true

const isLate = ({ tag }: Failure): boolean => tag === "BudgetExhausted"

/** What another run has recorded for the same effect: by its key, or by its business identity under whatever key. */
function isReplayOf(
  { stepId, tool, args, undoes, effect }: CallAction,
  event: Derived & { kind: "replayed" },
): boolean {
  if (effect === undefined || undoes === true) return false
  if (stepId !== event.stepId || tool.name !== event.tool || !same(args, event.args)) return false
  const { idempotencyKey: key, identity = key, result, failure } = event
  if (identity !== effect.identity && effect.once === undefined) return false
  if (identity === effect.identity && !isKeyOf(effect, key)) return false
  return failure !== undefined || result === undefined || tool.result === undefined || fits(tool.result, result)
}

/** The store alone knows how often it was undone since. */
function isKeyOf({ keyAt }: NewEffect, key: string): boolean {
  for (let generation = 0; generation <= generationsMax; generation++) if (keyAt(generation) === key) return true
  return false
}

const generationsMax = 1_000

const fits = (schema: Schema, result: Json): boolean => judgeWhole(schema, result).length === 0

/** Whether the store, or the clock, can have refused it so. */
function isRefusalOf(action: Action, event: Derived & { kind: "step-refused" }): boolean {
  const { failure } = event
  switch (action.kind) {
    case "refuse":
      return isOf(action, event) && same(action.failure, failure)
    case "enter-state":
      return isOf({ stepId: action.transition.step.id }, event) && action.notAfterMs !== undefined && isLate(failure)
    case "call": {
      const { effect, notAfterMs } = action
      const may =
        (failure.tag === "KeyInDoubt" && effect !== undefined) ||
        (failure.tag === "UndoFailed" && action.undoes === true) ||
        (failure.tag === "OnceConflict" && effect?.once !== undefined) ||
        (failure.tag === "LimitExhausted" && (effect?.reserves.length ?? 0) > 0) ||
        (failure.tag === "ValidationRefused" && effect !== undefined && action.tool.validate === true) ||
        (isLate(failure) && notAfterMs !== undefined)
      return may && isOf(action, event) && failure.stepId === event.stepId
    }
    default:
      return false
  }
}

type End = { readonly status: string; readonly failure?: Failure }

const isEnd = (one: End, other: End): boolean => one.status === other.status && same(one.failure, other.failure)

/** What is told to people of a doubt may be worded otherwise by another version. */
const isDoubtOf = (action: Action & { kind: "mark-in-doubt" }, event: Derived & { kind: "in-doubt" }): boolean =>
  action.stepId === event.stepId &&
  action.attempt === event.attempt &&
  action.undoes === event.undoes &&
  action.failure.code === event.failure.code

const same = (one: unknown, other: unknown): boolean =>
  one === undefined || other === undefined
    ? one === other
    : canonical(one as never, true) === canonical(other as never, true)

function sayAction(action: Action): string {
  switch (action.kind) {
    case "call":
      return `a call of \`${action.tool.name}\``
    case "call-again":
    case "reconcile":
      return `\`${action.kind}\` of \`${action.intent.stepId}\``
    case "end":
    case "wind-down":
      return `the run's end as \`${action.status}\``
    default:
      return `\`${action.kind}\``
  }
}
