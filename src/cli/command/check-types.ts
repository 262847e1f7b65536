/** `sequitur types`: what tsc says of plans that are JSON, as it would of the same plans in code. */
import { resolve } from "node:path"
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import { explainDiagnostic, type Told } from "../../explain/diagnostic.ts"
import { paint } from "../../explain/look.ts"
import { plural } from "../../explain/verdict.ts"
import { isObject, type Json } from "../../text/json.ts"
import { type ReadJson, readJson } from "../../text/read-json.ts"
import { nameOf } from "../modules.ts"
import { isFaulty, openPlan, type PlanFile, type PlanOptions } from "../plan-file.ts"
import { lookFor } from "../read-file.ts"
import { declarationOf, writeDeclaration } from "../shadow/declaration.ts"
import { type Fault, judge } from "../shadow/judge.ts"
import { complain, exit, type Format, lookOf, print, printJson, UsageError } from "../terminal.ts"
import { printTrouble } from "../trouble.ts"

export interface TypesOptions extends Pick<PlanOptions, "catalog"> {
  /** The tsconfig.json that the catalog is checked with. By default the nearest one. */
  readonly project?: string
  readonly emit?: boolean
  readonly format: Format
}

/** A plan that tsc could not be asked about, or whose declaration could not be written: why. */
interface Unread {
  readonly file: string
  readonly trouble: string
}

interface Judged {
  readonly file: string
  readonly plan: PlanFile
  readonly diagnostics: readonly Told[]
  /** Undefined where the text is at fault, or the catalog: types were not asked then. */
  readonly value: Json | undefined
  /** The declaration that was written. */
  readonly declaration?: string
}

type Outcome = Unread | Judged

export async function checkTypes(files: readonly string[], options: TypesOptions): Promise<number> {
  const { format } = options
  await checkOptions(files, options)
  const opened: (Unread | Opened)[] = []
  for (const file of files) opened.push(await tryTo(file, () => open(file, options)))
  const faults = await endOnSignals(format, () => judgeAll(opened.filter(isAsked), options))
  const outcomes: Outcome[] = []
  for (const one of opened) {
    outcomes.push("trouble" in one ? one : await tryTo(one.file, () => conclude(one, faults.get(one), options)))
  }
  return tellAll(outcomes, format)
}

async function checkOptions(files: readonly string[], { emit, project }: TypesOptions): Promise<void> {
  const input = files.filter((file) => file === "-").length
  if (input > 1) throw new UsageError("standard input can be read once only")
  const unnamed = emit ? files.find((file) => declarationOf(file) === undefined) : undefined
  if (unnamed !== undefined) {
    throw new UsageError(
      `--emit writes beside each plan.json its plan.d.json.ts: ${nameOf(unnamed)} is no file that ends in .json`,
    )
  }
  if (project !== undefined) await lookFor(project)
}

async function tryTo<A>(file: string, act: () => Promise<A>): Promise<A | Unread> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof UsageError) return { file, trouble: error.message }
    throw error
  }
}

/** A plan as it was read. `json` is undefined where the compiler has already said all there is to say. */
interface Opened {
  readonly file: string
  readonly plan: PlanFile
  readonly json: Extract<ReadJson, { ok: true }> | undefined
}

async function open(file: string, { catalog }: TypesOptions): Promise<Opened> {
  const plan = await openPlan(file, catalog === undefined ? {} : { catalog })
  if (plan.source === "stored")
    throw new UsageError(`${plan.name} is a compiled plan: types are of plans before they are compiled`)
  const { catalog: found, bytes, compiled } = plan
  // tsc is asked of no plan that is longer than the catalog has it.
  const settled = isFaulty(found) || compiled.diagnostics.some(({ code }) => code === "SEQ109")
  const json = settled ? undefined : readJson(bytes, found.bounds)
  return { file, plan, json: json?.ok ? json : undefined }
}

type Asked = Opened & { readonly json: NonNullable<Opened["json"]> }

const isAsked = (one: Unread | Opened): one is Asked => "plan" in one && one.json !== undefined

/** By plan, what tsc says; or why it could not say anything. Plans of one catalog are one program. */
async function judgeAll(
  plans: readonly Asked[],
  { project }: TypesOptions,
): Promise<ReadonlyMap<Opened, readonly Fault[] | UsageError>> {
  const faults = new Map<Opened, readonly Fault[] | UsageError>()
  for (const [path, asked] of Map.groupBy(plans, ({ plan }) => plan.catalogPath)) {
    const values = asked.map(({ json }) => json.value)
    const said = await judge(path, values, project && resolve(project)).catch((error) => {
      if (error instanceof UsageError) return error
      throw error
    })
    asked.forEach((one, index) => {
      faults.set(one, said instanceof UsageError ? said : (said[index] ?? givenUp(one.plan)))
    })
  }
  return faults
}

const givenUp = ({ name }: PlanFile): UsageError =>
  new UsageError(`${name} is too much for tsc, which gives up on it: \`sequitur compile\` judges it all the same`)

async function conclude(
  { file, plan, json }: Opened,
  faults: readonly Fault[] | UsageError | undefined,
  { emit }: TypesOptions,
): Promise<Judged> {
  if (faults instanceof UsageError) throw faults
  if (faults === undefined || json === undefined) {
    return { file, plan, diagnostics: plan.compiled.diagnostics, value: undefined }
  }
  const declaration = emit ? declarationOf(file) : undefined
  if (declaration !== undefined) await writeDeclaration(declaration, json.value)
  const diagnostics = faults
    .map((fault) => tell(fault, json, plan.compiled.diagnostics))
    .sort((a, b) => (a.range?.start.offset ?? 0) - (b.range?.start.offset ?? 0))
  return { file, plan, diagnostics, value: json.value, ...(declaration === undefined ? {} : { declaration }) }
}

/** At its place in the JSON. Where the compiler says the same there, it also knows what to do. */
function tell({ at, code, message }: Fault, { rangeOf }: Asked["json"], compiled: readonly Diagnostic[]): Told {
  const there = compiled.filter((one) => one.at === at && one.severity === "error")
  const same = there.find((one) => one.code === code)
  if (same !== undefined) return same
  const range = rangeOf(at, ofKey.has(code) ? "key" : "value")
  const [first] = there
  return {
    code: code as Told["code"],
    severity: "error",
    message,
    hint: first === undefined ? "" : `The compiler says ${first.code}: ${first.message}. ${first.hint}`.trimEnd(),
    at,
    ...(range === undefined ? {} : { range }),
  }
}

/** Faults of a name, not of what stands under it. */
const ofKey: ReadonlySet<string> = new Set(["SEQ103", "SEQ107", "SEQ121", "SEQ130", "SEQ131", "TS2353", "TS2561"])

function tellAll(outcomes: readonly Outcome[], format: Format): number {
  const judged = outcomes.filter((one) => "plan" in one)
  const accepted = judged.filter(isAccepted).length
  const [refused, unread] = [judged.length - accepted, outcomes.length - judged.length]
  const told = new Set<string>()
  for (const [index, one] of outcomes.entries()) {
    if ("plan" in one) {
      if (format === "pretty") tellPlan(one, told, index > 0)
    } else {
      // One catalog may fail many plans: once is enough.
      if (!told.has(one.trouble)) complain(`error: ${one.trouble}`)
      told.add(one.trouble)
    }
  }
  if (format === "json") printJson({ plans: outcomes.map(view), accepted, refused, unread })
  else if (outcomes.length > 1) {
    const parts = [`${accepted} accepted`, `${refused} refused`, `${unread} not checked`]
    print(`\n${plural(outcomes.length, "plan")}: ${parts.filter((part) => !part.startsWith("0 ")).join(", ")}`)
  }
  return unread > 0 ? exit.usage : refused > 0 ? exit.refused : exit.fine
}

const isAccepted = ({ diagnostics, value }: Judged): boolean => value !== undefined && diagnostics.length === 0

function view(outcome: Outcome): object {
  if (!("plan" in outcome)) return { ...outcome, accepted: false }
  const { file, plan, diagnostics, declaration } = outcome
  const written = declaration === undefined ? {} : { declaration }
  return { file, accepted: isAccepted(outcome), compiles: plan.compiled.ok, diagnostics, ...written }
}

/** A catalog's own faults are told once, not with each of its plans. */
function tellPlan(judged: Judged, told: Set<string>, apart: boolean): void {
  const { plan, diagnostics, declaration } = judged
  const { name, text, catalog, catalogPath } = plan
  const look = lookOf(process.stdout)
  if (apart) print("")
  const spoken = isFaulty(catalog) ? { name: nameOf(catalogPath) } : { name, text }
  if (!isFaulty(catalog) || !told.has(catalogPath)) {
    for (const one of diagnostics) print(`${explainDiagnostic(one, spoken, look)}\n`)
  }
  if (isFaulty(catalog)) told.add(catalogPath)
  if (isAccepted(judged)) print(`${paint(look, ["bold", "green"], "accepted")} ${name}: ${sumUp(judged)}`)
  else print(`${paint(look, ["bold", "red"], "refused")}  ${name}: ${plural(diagnostics.length, "error")}`)
  if (declaration !== undefined) print(`written  ${nameOf(declaration)}`)
}

/** Types do not see all that the compiler sees: who is told "accepted" must not take it for the last word. */
function sumUp({ plan: { compiled }, value }: Judged): string {
  const steps = value !== undefined && isObject(value) && Array.isArray(value.steps) ? value.steps.length : 0
  const unseen = [
    ...new Set(compiled.diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)),
  ]
  const but = compiled.ok ? "" : `, but \`sequitur compile\` refuses it for what no type sees (${unseen.join(", ")})`
  return `${plural(steps, "step")}, by its types${but}`
}

/** What was begun outside of this process ends with it, and is cleared away. */
async function endOnSignals<A>(format: Format, act: () => Promise<A>): Promise<A> {
  const stop = (signal: keyof typeof signals): never => {
    complain("stopped")
    if (format === "json") printTrouble({ code: "stopped", message: "stopped", hint: null })
    return process.exit(signals[signal])
  }
  process.once("SIGINT", stop)
  process.once("SIGTERM", stop)
  try {
    return await act()
  } finally {
    process.off("SIGINT", stop)
    process.off("SIGTERM", stop)
  }
}

/** As shells have it. */
const signals = { SIGINT: 130, SIGTERM: 143 } as const
