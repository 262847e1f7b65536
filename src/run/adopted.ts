/**
 * A run that comes from another store is held to its plan and to the catalog before anything is called for it: its chain says only
 * that nobody has altered it since it was written, and not who wrote it.
 */
import { judgeWhole } from "../catalog/schema/judge.ts"
import type { Entry, RuleEvaluated, RunStarted } from "../journal/entry.ts"
import { JournalDiverged, type JournalNewer, type JournalOlder } from "../journal/failure.ts"
import { begin, fold, type RunState } from "../journal/state.ts"
import { canonical } from "../text/canonical.ts"
import { missingApprovers, proveAgain, type Unproved } from "./approval/bound.ts"
import { approversIn, type KeySet } from "./approval/key-set.ts"
import { proveEach } from "./approval/plan.ts"
import { ruleMs } from "./call/rule.ts"
import type { Footing } from "./drive/drive.ts"
import { InputsRefused, StalePlan } from "./failure.ts"
import { tellIssues } from "./misfits.ts"
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
 * known who has signed, nobody has.
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
    if (refused !== undefined) return refused
    const { event, seq } = entry
    if (event.kind === "rule-evaluated" && event.holds && !(footing instanceof Error)) {
      const said = state && (await askAgain(footing, state, event))
      if (said !== true)
        return new JournalDiverged({ runId, seq, problem: `the rule \`${event.rule}\` does not say so here` })
    }
    const next: ReturnType<typeof fold> | ReturnType<typeof begin> =
      state === undefined ? begin(runId, entry) : fold(state, entry)
    // It was derived anew before.
    if (next instanceof Error) return undefined
    if (state === undefined && next.started.approved !== undefined) {
      if (keySet === undefined) return new InputsRefused(missingApprovers)
      const refused = await proveEach(next, approversIn(keySet), entry.atMs)
      if (refused !== undefined) return refused
    }
    state = next
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
    if (said === undefined || declared === undefined || canonical(said as never) !== canonical(declared as never))
      return `what it says of tool \`${name}\` is not what the catalog says`
  }
  const most = catalog.budgets.deadlineMs
  if (open === undefined ? deadlineMs !== most : !isWithin(deadlineMs, most)) return "its deadline is not the catalog's"
  if (catalog.inputs === undefined) return inputs === null ? undefined : "it has inputs, and the catalog declares none"
  const issues = judgeWhole(catalog.inputs, inputs)
  return issues.length === 0 ? undefined : `its inputs are refused ${tellIssues(issues)}`
}
