/**
 * A run that comes from another store is held to its plan and to the catalog before anything is called for it: its chain says only
 * that nobody has altered it since it was written, and not who wrote it.
 */
import { judgeWhole } from "../catalog/schema/judge.ts"
import type { Entry, Event, RuleEvaluated, RunStarted } from "../journal/entry.ts"
import { JournalDiverged, type JournalNewer, type JournalOlder, record } from "../journal/failure.ts"
import { begin, fold, type RunState } from "../journal/state.ts"
import { canonical } from "../text/canonical.ts"
import { missingApprovers, proveAgain, type Unproved } from "./approval/bound.ts"
import { approversIn, type KeySet } from "./approval/key-set.ts"
import { proveEach } from "./approval/plan.ts"
import { ruleMs } from "./call/rule.ts"
import type { Footing } from "./drive/drive.ts"
import { ApproversUnavailable, ApproverUnknown, InputsRefused, StalePlan, UndoFailed } from "./failure.ts"
import { tellIssues } from "./misfits.ts"
import { type Action, next } from "./next/next.ts"
import type { ReadyPlan } from "./next/prepare.ts"
import { isWithin, rederive } from "./rederive.ts"

/** Why it is not taken up. Without its plan nothing can be said of it, so that it is not even settled. */
export function holdToPlan(
  footing: Footing,
  runId: string,
  started: RunStarted,
  entries: readonly Entry[],
): StalePlan | JournalDiverged | JournalNewer | JournalOlder | undefined {
  if (footing instanceof StalePlan) return footing
  const problem = differs(footing, started)
  if (problem !== undefined) return new JournalDiverged({ runId, seq: 0, problem })
  const derived = rederive(footing, runId, entries)
  return derived instanceof Error ? derived : undefined
}

/**
 * What people have said in it, by the key set of here and as of when they said it; and what its rules have answered. Where it is not
 * known who has signed, nobody has. A word by which nothing was done yet is looked at again before anything is: where nobody's key
 * has signed it, it lapses there, and people are asked anew.
 */
export async function proveWords(
  footing: Footing,
  runId: string,
  entries: readonly Entry[],
  keySet: KeySet | undefined,
): Promise<Unproved | InputsRefused | JournalDiverged | undefined> {
  let state: RunState | undefined
  for (const entry of entries) {
    const refused = state && (await proveWord(state, entry, keySet))
    if (refused !== undefined && !(refused instanceof ApproverUnknown && isUnused(entry, entries))) return refused
    const { event, seq } = entry
    if (event.kind === "rule-evaluated" && event.holds && !(footing instanceof Error)) {
      const said = state && (await askAgain(footing, state, event))
      if (said !== true)
        return new JournalDiverged({ runId, seq, problem: `the rule \`${event.rule}\` does not say so here` })
    }
    const after: ReturnType<typeof fold> | ReturnType<typeof begin> =
      state === undefined ? begin(runId, entry) : fold(state, entry)
    // It was derived anew before.
    if (after instanceof Error) return undefined
    if (state === undefined && after.started.approved !== undefined) {
      if (keySet === undefined) return new InputsRefused(missingApprovers)
      const refused = await proveEach(after, approversIn(keySet), entry.atMs)
      if (refused !== undefined && !(refused instanceof ApproverUnknown && entries.every(isNoDeed))) return refused
    }
    state = after
  }
  return undefined
}

async function proveWord(
  state: RunState,
  { event, atMs }: Entry,
  keySet: KeySet | undefined,
): Promise<Unproved | InputsRefused | undefined> {
  if (event.kind !== "approval-decided" || event.decision !== "approved" || state.started.unsigned === true)
    return undefined
  const asked = state.asked.get(event.stepId)
  if (asked === undefined) return undefined
  if (keySet === undefined) return new InputsRefused(missingApprovers)
  return proveAgain(state, asked, event, approversIn(keySet), Math.max(atMs, state.updatedAtMs))
}

const isNoDeed = ({ event: { kind } }: Entry): boolean =>
  kind !== "state-entered" && kind !== "intent" && kind !== "replayed"

/** Whether nothing was done by a word: neither the step that was asked about, nor what stands behind it. */
function isUnused({ seq, event }: Entry, entries: readonly Entry[]): boolean {
  if (event.kind !== "approval-decided") return false
  for (const later of entries.slice(seq + 1)) {
    if (later.event.kind === "approval-lapsed" && later.event.requestId === event.requestId) return true
    if (!isNoDeed(later) && !("undoes" in later.event)) return false
  }
  return true
}

/**
 * The end of a run that people want to end, and whose words cannot be proved: it is told so, and nothing is called, not even to undo
 * what it says it has done. Undefined where it is not to end, or what became of an effect must be found out first.
 */
export function endUnproved(
  ready: ReadyPlan | undefined,
  state: RunState,
  refused: Unproved,
): ((held: RunState) => readonly Event[]) | undefined {
  const isDoubtful = state.status === "in_doubt" || state.step.open?.idempotencyKey !== undefined
  if (isDoubtful || refused instanceof ApproversUnavailable) return undefined
  const rest = (held: RunState): readonly Event[] => [...windUp(ready, held, refused)]
  return rest(state).at(-1)?.kind === "run-ended" ? rest : undefined
}

function* windUp(ready: ReadyPlan | undefined, held: RunState, refused: Unproved): Generator<Event> {
  for (let state = held; ; ) {
    const event = withoutCalls(next(ready, state), refused)
    if (event === undefined) return
    const after = fold(state, { seq: state.seq + 1, atMs: state.updatedAtMs, event })
    if (after instanceof Error) return
    yield event
    state = after
  }
}

function withoutCalls(action: Action, refused: Unproved): Event | undefined {
  switch (action.kind) {
    case "wind-down":
      return { kind: "winding-down", status: action.status, failure: action.failure }
    case "refuse":
      return { ...action, kind: "step-refused" }
    case "call": {
      const { stepId, tool, undoes } = action
      if (undoes === undefined) return undefined
      const said = `it is not called by words that cannot be proved here: ${refused.message}`
      return {
        kind: "step-refused",
        stepId,
        undoes,
        failure: record(new UndoFailed({ stepId, tool: tool.name, said })),
      }
    }
    case "end":
      // It did not do by them what it is said to have done.
      if (action.status === "succeeded") return undefined
      return { kind: "run-ended", status: action.status, ...(action.failure && { failure: action.failure }) }
    default:
      return undefined
  }
}

/** The same question to the same rule. */
async function askAgain({ steps }: ReadyPlan, { started }: RunState, event: RuleEvaluated): Promise<boolean> {
  const step = steps.find((one) => one.step.id === event.stepId)
  const guard = step?.kind === "transition" ? step.rule.guard : undefined
  if (guard === undefined || guard === "approval") return false
  const { tenant, subject, roles } = started
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ruleMs)
  })
  try {
    return (
      (await Promise.race([
        guard.holds(structuredClone(event.inputs), { tenant, subject, roles: [...roles] }),
        late,
      ])) === true
    )
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}

/** What settling, undoing and the end of the run go by, and what the plan reads. */
function differs(
  { policies, catalog }: ReadyPlan,
  { tools, inputs, deadlineMs, open }: RunStarted,
): string | undefined {
  for (const name of new Set([...Object.keys(policies), ...Object.keys(tools)])) {
    const [said, declared] = [tools[name], policies[name]]
    if (
      said === undefined ||
      declared === undefined ||
      canonical(said as never, true) !== canonical(declared as never, true)
    )
      return `what it says of tool \`${name}\` is not what the catalog says`
  }
  const most = catalog.budgets.deadlineMs
  if (open === undefined ? deadlineMs !== most : !isWithin(deadlineMs, most)) return "its deadline is not the catalog's"
  if (catalog.inputs === undefined) return inputs === null ? undefined : "it has inputs, and the catalog declares none"
  const issues = judgeWhole(catalog.inputs, inputs)
  return issues.length === 0 ? undefined : `its inputs are refused ${tellIssues(issues)}`
}
