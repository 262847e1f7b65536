/**
 * Derives every action of a run anew, from its plan and the entries before it, and holds each entry against what `next` would have
 * done. What comes from outside (answers, people, other processes) is taken as it stands.
 */
import type { Entry, Event, Failure } from "../journal/entry.ts"
import { type RunState, replay } from "../journal/state.ts"
import { canonical } from "../text/canonical.ts"
import { type Action, next } from "./next/next.ts"
import type { ReadyPlan } from "./next/prepare.ts"

/** The state the run has come to; or the first entry that does not follow. `ready` is undefined where the catalog has changed. */
export const rederive = (
  ready: ReadyPlan | undefined,
  runId: string,
  entries: readonly Entry[],
): ReturnType<typeof replay> =>
  replay(runId, entries, (before, { event }) => (isDerived(event) ? differs(ready, before, event) : undefined))

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
      | "in-doubt"
      | "winding-down"
      | "run-ended"
  }
>

const derived: ReadonlySet<Event["kind"]> = new Set<Derived["kind"]>([
  "intent",
  "reconciled",
  "replayed",
  "step-refused",
  "state-entered",
  "approval-requested",
  "in-doubt",
  "winding-down",
  "run-ended",
])

const isDerived = (event: Event): event is Derived => derived.has(event.kind)

function differs(ready: ReadyPlan | undefined, state: RunState, event: Derived): string | undefined {
  const action = next(ready, state)
  // Nothing can be said without its plan of what only the plan knows.
  if (action.kind === "needs-plan" || follows(action, event)) return undefined
  return `\`${event.kind}\` stands where ${sayAction(action)} would follow`
}

function follows(action: Action, event: Derived): boolean {
  switch (event.kind) {
    case "intent":
      if (action.kind === "call-again") return same(action.intent, event)
      if (action.kind !== "call" || !isCallOf(action, event)) return false
      return (
        action.effect?.keyAt(event.generation ?? 0) === event.idempotencyKey && same(action.effect?.once, event.once)
      )
    case "replayed":
      return action.kind === "call" && action.effect !== undefined && isCallOf(action, event)
    case "reconciled":
      return action.kind === "reconcile" && action.intent.stepId === event.stepId
    case "step-refused":
      if (action.kind === "refuse") return action.stepId === event.stepId && same(action.failure, event.failure)
      if (action.kind === "enter-state") return action.transition.step.id === event.stepId
      return action.kind === "call" && action.stepId === event.stepId
    case "state-entered":
      return (
        action.kind === "enter-state" && action.transition.step.id === event.stepId && action.transition.to === event.to
      )
    case "approval-requested":
      return (
        action.kind === "request-approval" &&
        action.transition.step.id === event.stepId &&
        same(action.follows, event.follows)
      )
    case "in-doubt":
      return action.kind === "mark-in-doubt" && isDoubtOf(action, event)
    case "winding-down":
      // A run that waits for a person past its deadline is told so by the clock.
      if (action.kind === "wait") return event.status === "exhausted"
      return action.kind === "wind-down" && isEnd(action, event)
    case "run-ended":
      return action.kind === "end" && isEnd(action, event)
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

const isCallOf = (
  { stepId, tool, args, ...action }: Action & { kind: "call" },
  event: Derived & { kind: "intent" | "replayed" },
): boolean =>
  stepId === event.stepId &&
  tool.name === event.tool &&
  same(args, event.args) &&
  (event.kind === "replayed" || (action.attempt === event.attempt && action.undoes === event.undoes))

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
