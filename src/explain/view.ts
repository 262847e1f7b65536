/** A compiled plan with everything that people and programs ask of it side by side: the one source of the table and of the JSON. */
import type { BudgetSpec, Catalog, Tool } from "../catalog/catalog.ts"
import { joinTerms } from "../catalog/machine.ts"
import { sayPredicate } from "../catalog/predicate.ts"
import type { ClaimSpec, EffectClass } from "../catalog/tool.ts"
import type {
  AmountNeed,
  ApprovalNeed,
  CallNeed,
  CheckedStep,
  CompiledPlan,
  RuntimeCheck,
  Total,
} from "../check/compiled.ts"
import type { Pointer } from "../text/pointer.ts"
import { Secrets } from "../text/secrets.ts"
import { type HeldView, listHeld } from "./held.ts"
import { listSwayed, type Swayed } from "./swayed.ts"

export interface PlanView {
  readonly goal: string | null
  readonly planHash: string
  readonly catalogHash: string
  readonly catalog: { readonly name: string; readonly version: string }
  readonly compiler: string
  readonly steps: readonly StepView[]
  readonly checks: readonly CheckView[]
  readonly approvals: readonly ApprovalView[]
  /** What each call is held to right before it is made, by tool; left out where none is held to anything. */
  readonly held?: readonly HeldView[]
  /** Transitions that a rule of the host's decides. */
  readonly rules: readonly RuleView[]
  /** How a person's decision is proved. */
  readonly decisions: Catalog["approvals"]
  /** Effects and undos that untrusted data could suppress or trigger. */
  readonly swayed: readonly Swayed[]
  /** What whoever serves its tools says of them, which nobody believes; left out where nobody does. */
  readonly claims?: readonly ClaimView[]
  readonly totals: readonly TotalView[]
  readonly budgets: readonly BudgetView[]
}

export type StepView = (
  | { readonly kind: "call"; readonly tool: string; readonly effect: EffectClass }
  | { readonly kind: "transition"; readonly to: string }
) & {
  readonly id: string
  /** Null where there is no machine. */
  readonly before: string | null
  readonly after: string | null
  readonly waitsOn: readonly string[]
  readonly blast: readonly Total[]
}

/** What the run will check for a step, and after whose answer: a step's id, or `input` for when the run starts. */
export interface CheckView {
  readonly after: string
  readonly step: string
  readonly kind: RuntimeCheck["kind"]
  readonly at: Pointer
  readonly says: string
}

export type ApprovalView =
  | {
      readonly kind: "transition"
      readonly step: string
      readonly from: string
      readonly to: string
      /** The calls behind the guard, up to the next one. */
      readonly opens: readonly string[]
      /** How many different people; left out where one. */
      readonly approvers?: number
      /** The call behind it that the same decision is for; left out where there is none. */
      readonly covers?: string
      /** The call behind it that it was to be for too, and for which others are asked; left out where there is none. */
      readonly apart?: string
      readonly approverRoles?: readonly string[]
    }
  | Viewed<CallNeed>
  | Viewed<AmountNeed>

/** Whoever agrees must have one of the roles, where there are any. */
type Viewed<Need> = Omit<Need, "stepId" | "index"> & {
  readonly step: string
  readonly approverRoles?: readonly string[]
}

export interface RuleView {
  readonly step: string
  readonly from: string
  readonly to: string
  /** `name@version`. */
  readonly rule: string
  readonly opens: readonly string[]
}

export interface ClaimView {
  readonly tool: string
  readonly says: ClaimSpec
}

export interface TotalView extends Total {
  /** Null where the catalog sets none. */
  readonly limit: number | null
}

export interface BudgetView {
  readonly budget: "steps" | "sideEffects" | "microUsd"
  readonly needs: number
  readonly limit: number
}

export function viewPlan(plan: CompiledPlan, catalog: Catalog, secrets = new Secrets()): PlanView {
  return {
    goal: plan.goal === undefined ? null : secrets.scrub(plan.goal),
    planHash: plan.planHash,
    catalogHash: plan.catalogHash,
    catalog: { name: catalog.name, version: catalog.version },
    compiler: plan.compiler,
    steps: plan.steps.map((checked) => viewStep(checked, plan, catalog)),
    checks: plan.steps
      .flatMap((checked) => viewChecks(checked, plan))
      .map((check) => ({ ...check, says: secrets.scrub(check.says) })),
    approvals: plan.approvals.map((need) => viewNeed(need, plan, catalog)),
    ...viewHeld(plan, catalog),
    rules: viewRules(plan, catalog),
    decisions: catalog.approvals,
    swayed: listSwayed(plan, catalog),
    ...viewClaims(plan, catalog),
    totals: plan.blast.map((total) => ({ ...total, limit: catalog.limits.get(total.dimension)?.max ?? null })),
    budgets: viewBudgets(plan, catalog),
  }
}

function viewStep(
  { step, before, after, waitsOn, blast }: CheckedStep,
  plan: CompiledPlan,
  catalog: Catalog,
): StepView {
  const seen = {
    id: step.id,
    before: before ?? null,
    after: after ?? null,
    waitsOn: waitsOn.map((index) => plan.steps[index]?.step.id ?? `${index}`),
    blast,
  }
  if (step.kind === "transition") return { kind: "transition", to: step.to, ...seen }
  return { kind: "call", tool: step.tool, effect: toolOf(step.tool, catalog).effect, ...seen }
}

function viewClaims({ steps }: CompiledPlan, { spec: { tools } }: Catalog): Pick<PlanView, "claims"> {
  const called = new Set(steps.flatMap(({ step }) => (step.kind === "call" ? [step.tool] : [])))
  const claims = [...called].flatMap((tool) => {
    const says = tools[tool]?.claims
    return says === undefined || Object.keys(says).length === 0 ? [] : [{ tool, says }]
  })
  return claims.length === 0 ? {} : { claims }
}

/** A plan is shown under the catalog that it was compiled under. */
function toolOf(name: string, catalog: Catalog): Tool {
  const tool = catalog.tools.get(name)
  if (tool === undefined) throw new Error(`catalog ${catalog.name} has no tool ${name}`)
  return tool
}

const input = "input"

function viewChecks({ step, checks }: CheckedStep, plan: CompiledPlan): readonly CheckView[] {
  const order = new Map(plan.steps.map(({ step }, index) => [step.id, index]))
  const latest = (sources: readonly string[]): string =>
    sources.reduce((last, source) => ((order.get(source) ?? -1) > (order.get(last) ?? -1) ? source : last), input)
  return checks.map(({ at, kind, says }) => {
    const reads = step.kind === "call" ? step.reads : []
    const round = reads.filter((read) => leads(read.at, at)).sort((a, b) => b.at.length - a.at.length)[0]
    const inside = reads.filter((read) => leads(at, read.at))
    const about = round === undefined ? (inside.length > 0 ? inside : reads) : [round]
    return { after: latest(about.map(({ source }) => source)), step: step.id, kind, at, says }
  })
}

/** Whether the first pointer leads to the second, or to something round it. */
const leads = (outer: Pointer, inner: Pointer): boolean => inner === outer || inner.startsWith(`${outer}/`)

function viewHeld(plan: CompiledPlan, catalog: Catalog): Pick<PlanView, "held"> {
  const held = listHeld(plan, catalog)
  return held.length === 0 ? {} : { held }
}

function viewNeed({ stepId: step, index, ...need }: ApprovalNeed, plan: CompiledPlan, catalog: Catalog): ApprovalView {
  if (need.kind !== "transition") {
    const { approverRoles } = toolOf(need.tool, catalog).authority
    return { step, ...need, ...(approverRoles === undefined ? {} : { approverRoles }) }
  }
  const rule = catalog.machine?.transitions.get(need.from)?.get(need.to)
  const covered = plan.steps[index + 1]?.step
  const other = need.covers !== undefined && covered?.kind === "call" ? toolOf(covered.tool, catalog) : undefined
  const terms = rule && other ? joinTerms(rule, other.authority) : rule
  const roles = terms?.approverRoles
  const next = covered?.kind === "call" && need.covers === undefined ? toolOf(covered.tool, catalog) : undefined
  const apart = rule?.covers !== undefined && next !== undefined && joinTerms(rule, next.authority) === undefined
  const isAsked = plan.approvals.some((other) => other.index === index + 1)
  return {
    step,
    ...need,
    opens: behind(index, plan),
    ...(apart && isAsked && covered !== undefined ? { apart: covered.id } : {}),
    ...(roles === undefined ? {} : { approverRoles: roles }),
  }
}

function viewRules(plan: CompiledPlan, { machine }: Catalog): readonly RuleView[] {
  return plan.steps.flatMap(({ step, before = "", after = "" }, index) => {
    const guard = step.kind === "transition" ? machine?.transitions.get(before)?.get(after)?.guard : undefined
    if (guard === undefined || guard === "approval") return []
    return [{ step: step.id, from: before, to: after, rule: sayPredicate(guard), opens: behind(index, plan) }]
  })
}

function behind(index: number, plan: CompiledPlan): readonly string[] {
  const next = plan.approvals.find((need) => need.kind === "transition" && need.index > index)?.index
  return plan.steps.slice(index + 1, next).flatMap(({ step }) => (step.kind === "call" ? [step.id] : []))
}

function viewBudgets(plan: CompiledPlan, catalog: Catalog): readonly BudgetView[] {
  const tools = plan.steps.flatMap(({ step }) => (step.kind === "call" ? [toolOf(step.tool, catalog)] : []))
  const needs = {
    steps: plan.steps.length,
    sideEffects: tools.filter((tool) => tool.mutates).length,
    microUsd: tools.reduce((sum, tool) => sum + tool.costMicroUsd, 0),
  } satisfies Partial<Record<keyof BudgetSpec, number>>
  return (["steps", "sideEffects", "microUsd"] as const).flatMap((budget) => {
    const limit = catalog.budgets[budget]
    return limit === undefined ? [] : [{ budget, needs: needs[budget], limit }]
  })
}
