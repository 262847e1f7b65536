/** What the host hands to a run, held to what the catalog declares before the first entry is written. */
import type { Catalog, CatalogSpec } from "../catalog/catalog.ts"
import { judgeWhole } from "../catalog/schema/judge.ts"
import type { AnySchema, Infer } from "../catalog/schema/schema.ts"
import type { CompiledPlan } from "../check/compiled.ts"
import { suggest } from "../diagnostic/nearest.ts"
import { journalVersion, type RunStarted } from "../journal/entry.ts"
import { copyJson } from "../text/copy-json.ts"
import { isObject, type Json, nameOf } from "../text/json.ts"
import { InputsRefused } from "./failure.ts"
import { tellIssues } from "./misfits.ts"
import { listed, type ReadyPlan } from "./next/prepare.ts"
import type { Principal } from "./toolbox.ts"

/** What a catalog declares as `inputs`; unknown where it declares none, or where tsc does not see it. */
export type InputsOf<Spec extends CatalogSpec> = Spec extends { readonly inputs: infer S extends AnySchema }
  ? Infer<S>
  : unknown

export interface RunOptions<Spec extends CatalogSpec = CatalogSpec> {
  readonly principal: Principal
  /** Scopes of idempotency keys: the same call again in one task is the same effect. */
  readonly sessionId: string
  readonly taskId: string
  /** What the plan refers to as `input`. */
  readonly inputs?: InputsOf<Spec> | undefined
  /** What is known of where the plan came from: model, prompt digest, trace id. Plain JSON. */
  readonly origin?: { readonly [key: string]: unknown }
  /** What the planner has used, as far as the host knows: it counts in the budgets of the run. */
  readonly spent?: { readonly tokens?: number; readonly microUsd?: number }
  /** What people have signed who agree to the whole plan: of `issueApproval`, over the `bound` of a `planRequest`. It names the run that it is for. */
  readonly approval?: string | readonly string[] | undefined
  /**
   * The plan that they have signed, where it is another than the one to be run. It counts where the catalog says `carryOver`, and
   * the plan to be run has the same effects and no larger radius.
   */
  readonly approvedPlan?: CompiledPlan | undefined
  /** Chosen by the host; otherwise made, and not to be guessed. */
  readonly runId?: string
}

/** The first entry of a run. */
export function admitRun(ready: ReadyPlan, options: RunOptions, salt: string): RunStarted | InputsRefused {
  try {
    return admit(ready, options, salt)
  } catch {
    return unreadable("`principal`")
  }
}

function admit(ready: ReadyPlan, options: RunOptions, salt: string): RunStarted | InputsRefused {
  const { plan, catalog, catalogHash } = ready
  const { principal, sessionId, taskId, runId } = options
  if (!isObject(principal)) {
    return refuse("`principal`", `must be an object, but ${sayFound(principal)}`, "Give `{ tenant, subject }`.")
  }
  const { tenant, subject, roles = [] } = principal as Partial<Principal>
  const named = { "principal.tenant": tenant, "principal.subject": subject, sessionId, taskId }
  for (const [field, value] of Object.entries(named)) {
    const refused = admitName(field, value)
    if (refused !== undefined) return refused
  }
  if (!Array.isArray(roles))
    return refuse("`principal.roles`", `must be an array, but ${sayFound(roles)}`, "Give a list of names.")
  const names = [...roles]
  for (const [index, role] of names.entries()) {
    const refused = admitName(`principal.roles[${index}]`, role)
    if (refused !== undefined) return refused
  }
  if (runId !== undefined && !(typeof runId === "string" && /^(?!-|__proto__$)[A-Za-z0-9_.:-]{1,128}$/.test(runId))) {
    return refuse(
      "`runId`",
      "is no id",
      "Use letters, digits, `_`, `.`, `:` and `-`, 128 characters at most, with no `-` first.",
    )
  }
  const inputs = admitInputs(options.inputs, catalog)
  if (inputs instanceof InputsRefused) return inputs
  const origin = admitOrigin(options.origin ?? {}, catalog)
  if (origin instanceof InputsRefused) return origin
  const spent = admitSpent(options.spent ?? {})
  if (spent instanceof InputsRefused) return spent
  return {
    kind: "run-started",
    journal: journalVersion,
    salt,
    tenant: tenant as string,
    subject: subject as string,
    roles: names,
    sessionId,
    taskId,
    planHash: plan.planHash,
    catalogHash,
    slice: plan.slice,
    compiler: plan.compiler,
    document: plan.plan.document,
    inputs: inputs.value,
    ...(Object.keys(plan.earlier).length === 0 ? {} : { earlier: plan.earlier }),
    origin: origin.value as RunStarted["origin"],
    spent,
    ...termsOf(ready),
  }
}

/** What the catalog says that the run goes by to its end, whatever it says by then. */
export function termsOf({
  catalog,
  policies,
}: ReadyPlan): Pick<RunStarted, "deadlineMs" | "budgets" | "unsigned" | "sensitive" | "tools"> {
  const { deadlineMs, retries, microUsd } = catalog.budgets
  const budgets = { ...(retries === undefined ? {} : { retries }), ...(microUsd === undefined ? {} : { microUsd }) }
  return {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(Object.keys(budgets).length === 0 ? {} : { budgets }),
    ...(catalog.approvals === "unsigned" ? { unsigned: true } : {}),
    ...listed("sensitive", catalog.inputs?.sensitive),
    tools: policies,
  }
}

function admitSpent(spent: unknown): RunStarted["spent"] | InputsRefused {
  if (!isObject(spent)) return refuse("`spent`", `must be an object, but ${sayFound(spent)}`, "Give `{ tokens }`.")
  const counted: { tokens?: number; microUsd?: number } = {}
  for (const [name, value] of Object.entries(spent)) {
    if (name !== "tokens" && name !== "microUsd")
      return refuse(`\`spent.${name}\``, "is not known", "Give `tokens` and `microUsd`.")
    if (!Number.isSafeInteger(value) || Number(value) < 0)
      return refuse(`\`spent.${name}\``, `must be a count, but ${sayFound(value)}`, "Give an integer from 0 up.")
    counted[name] = Number(value)
  }
  return counted
}

const refuse = (field: string, problem: string, expected: string): InputsRefused =>
  new InputsRefused({ field, problem, expected })

/** "is an integer"; of what was not given, "is missing". */
export const sayFound = (value: unknown): string => (value === undefined ? "is missing" : `is ${nameOf(value)}`)

/** An option that counts. */
export const refuseCount = (field: string, value: unknown, min: number, of?: "runner" | "worker"): InputsRefused => {
  const found = typeof value === "number" ? `is ${value}` : sayFound(value)
  return new InputsRefused({
    field,
    problem: `must be a whole number, ${min} or more, but ${found}`,
    expected: `Give a whole number, ${min} or more.`,
    ...(of === undefined ? {} : { of }),
  })
}

/** Every option of a door by its name, so that a slip is not taken for an option that was left out. */
export type OptionNames<Options> = { readonly [Name in NamesOf<Options>]-?: true }

/** Of all the forms that they may take. */
type NamesOf<Options> = Options extends unknown ? keyof Options : never

/** What is undefined was left out, whatever it is called. */
export function refuseUnknown(
  options: unknown,
  known: { readonly [name: string]: true },
  of: "run" | "runner" | "gate",
  others: { readonly [name: string]: string } = {},
): InputsRefused | undefined {
  if (!isObject(options)) return undefined
  const given: { readonly [name: string]: unknown } = options
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name) && given[name] !== undefined)
  if (unknown === undefined) return undefined
  const meant = Object.hasOwn(others, unknown) ? others[unknown] : undefined
  const expected = meant === undefined ? suggest(unknown, Object.keys(known), "options") : `Did you mean \`${meant}\`?`
  return new InputsRefused({
    field: `\`${unknown.slice(0, 100)}\``,
    problem: "is no option that is known",
    expected,
    of,
  })
}

/** Empty is not absent: a key made over an empty name would be everybody's. */
export function admitName(field: string, value: unknown): InputsRefused | undefined {
  const expected = "Give a string that is not empty."
  if (typeof value !== "string") return refuse(`\`${field}\``, `must be a string, but ${sayFound(value)}`, expected)
  if (value === "") return refuse(`\`${field}\``, "is empty", expected)
  if (!value.isWellFormed() || value.includes("\0"))
    return refuse(`\`${field}\``, "is ill-formed", "Give well-formed Unicode, without U+0000.")
  return value.length > nameMax
    ? refuse(`\`${field}\``, `has more than ${nameMax} characters`, "Give a shorter one.")
    : undefined
}

const nameMax = 1_000

/** Yes or no; nothing else is taken for either. */
export const admitFlag = (field: string, value: unknown): InputsRefused | undefined =>
  value === undefined || typeof value === "boolean"
    ? undefined
    : refuse(`\`${field}\``, `must be a boolean, but ${sayFound(value)}`, "Give `true` or `false`, or leave it out.")

/** Left out is every tenant, so that nothing else may be taken for left out. */
export const admitTenant = (tenant: unknown): InputsRefused | undefined =>
  tenant === undefined ? undefined : admitName("tenant", tenant)

/** Options as they are now, each read once: a getter may throw, or say something else the next time. */
export function readOptions<Options extends object>(options: Options): Options | InputsRefused {
  if (!isObject(options)) return refuse("`options`", `must be an object, but ${sayFound(options)}`, "Give an object.")
  try {
    return { ...options }
  } catch {
    return unreadable("`options`")
  }
}

const unreadable = (field: string): InputsRefused =>
  refuse(field, "cannot be read: something in it throws", "Give plain values, without getters.")

interface Plain {
  readonly value: Json
}

function admitInputs(inputs: unknown, catalog: Catalog): Plain | InputsRefused {
  if (catalog.inputs === undefined) {
    if (inputs === undefined) return { value: null }
    return refuse(
      "`inputs`",
      "are given, but the catalog declares none",
      "Declare `inputs` in the catalog, or give none.",
    )
  }
  if (inputs === undefined) return refuse("`inputs`", "are missing", "Give what the catalog declares as `inputs`.")
  const plain = admitJson("`inputs`", inputs, catalog)
  if (plain instanceof InputsRefused) return plain
  const issues = judgeWhole(catalog.inputs, plain.value)
  if (issues.length === 0) return plain
  return refuse("`inputs`", `are refused ${tellIssues(issues)}`, "Give what the catalog declares as `inputs`.")
}

function admitOrigin(origin: unknown, catalog: Catalog): Plain | InputsRefused {
  if (!isObject(origin)) return refuse("`origin`", `must be an object, but ${sayFound(origin)}`, "Give plain JSON.")
  return admitJson("`origin`", origin, catalog)
}

function admitJson(field: string, value: unknown, { bounds }: Catalog): Plain | InputsRefused {
  const { depth, nodes, resultBytes: bytes } = bounds
  const copied = copyJson(value, { depth, nodes, bytes })
  if (copied.ok) return copied
  return refuse(field, `hold ${copied.problem} at \`${copied.at || "/"}\``, "Give plain JSON.")
}
