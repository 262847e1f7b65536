/** Text to compiled plan. The whole road on one screen: read, admit, lower, check, seal. */
import type { Catalog, CatalogSpec } from "./catalog/catalog.ts"
import { isCatalog } from "./catalog/define.ts"
import type { Principal } from "./catalog/predicate.ts"
import { gather, hasMarks, marksOf } from "./catalog/sensitive.ts"
import type { Spent } from "./check/blast.ts"
import { check, type Occasion } from "./check/check.ts"
import type { CompiledPlan } from "./check/compiled.ts"
import { isHarmless } from "./check/harmless.ts"
import type { Literals } from "./check/marks.ts"
import { seal } from "./check/seal.ts"
import { type Diagnostic, diagnose, type Unplaced } from "./diagnostic/diagnostic.ts"
import { hush } from "./diagnostic/hush.ts"
import { suggest } from "./diagnostic/nearest.ts"
import { isApplicable } from "./diagnostic/patch.ts"
import { arrange, Enough, makeReport, type Report } from "./diagnostic/report.ts"
import { diagnoseText } from "./diagnostic/text.ts"
import { admit, notText } from "./document/admit.ts"
import { type Carried, type Earlier, noEarlier, readEarlier } from "./plan/earlier.ts"
import { lower } from "./plan/lower.ts"
import { maskText } from "./plan/mask.ts"
import { Written } from "./plan/sensitive.ts"
import type { Bounds } from "./text/bounds.ts"
import { type Json, nameOf } from "./text/json.ts"
import { type Pointer, root } from "./text/pointer.ts"
import { type ReadJson, readJson } from "./text/read-json.ts"
import { Secrets } from "./text/secrets.ts"
import type { Range } from "./text/source.ts"

/**
 * A compiled plan, or why there is none. `more` counts the diagnostics beyond `bounds.diagnostics`; after ten times as
 * many the compiler stops looking.
 */
export type Compiled<Results = unknown, Written = unknown> =
  | {
      readonly ok: true
      readonly plan: CompiledPlan<Results, Written>
      readonly diagnostics: readonly Diagnostic[]
      readonly more: number
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[]; readonly more: number }

export interface CompileOptions {
  /** What is already committed or in doubt in the limits' scope, by dimension. */
  readonly spent?: Spent
  /** Who the plan is for: then what they may not do is refused here already. It is asked again at each call. */
  readonly principal?: Principal
  /** `untrusted`: whoever wrote the plan had seen untrusted data, so its literals are no better. Default `trusted`. */
  readonly literals?: Literals
  /** Labels of the data that whoever wrote the plan has been shown: its literals carry them. `["untrusted"]` says what `literals` does. */
  readonly seen?: readonly Carried[]
  /** `planner`: whoever wrote the plan writes the run's inputs, too, so these carry what its literals carry. Default `host`. */
  readonly inputs?: "host" | "planner"
  /** Results of earlier runs of the session, by `run/step`: the plan may refer to them. `earlierFrom` makes them of a report. */
  readonly earlier?: Earlier
  /** Take off one code fence that encloses the whole text. Nothing else is ever taken off or repaired. */
  readonly unwrap?: "fence"
}

/** Compiles the text of a plan (UTF-8, as text or bytes) against a catalog. Offline, synchronous, never throws. */
export function compile<Spec extends CatalogSpec>(
  catalog: Catalog<Spec>,
  source: string | Uint8Array,
  options?: CompileOptions,
): Compiled {
  return guarded(catalog, (report) => {
    refuseUnknown(options, report)
    const unwrap = readUnwrap(options, report)
    const occasion = readOccasion(options, report, catalog)
    const json = report.failed() ? undefined : readText(source, catalog.bounds, report, catalog, unwrap)
    return json && { value: json.value, rangeOf: json.rangeOf, ...occasion }
  })
}

const optionNames: { readonly [Name in keyof CompileOptions]-?: true } = {
  spent: true,
  principal: true,
  literals: true,
  seen: true,
  inputs: true,
  earlier: true,
  unwrap: true,
}

/** A slip of a name must not pass for an option that was left out: nobody would be asked whose plan it is. */
function refuseUnknown(options: unknown, report: Report): void {
  try {
    const names = typeof options === "object" && options !== null ? Object.keys(options) : []
    for (const name of names.filter((name) => !Object.hasOwn(optionNames, name))) {
      const remedy = suggest(name, Object.keys(optionNames), "options")
      report.add(diagnose("SEQ801", root, { what: `the option \`${name}\``, problem: "is not known", remedy }))
    }
  } catch {
    // What throws is told of where it is read.
  }
}

/** Options may be getters or proxies that throw: that is a fault of theirs, not of ours. */
function readUnwrap(options: CompileOptions | undefined, report: Report): "fence" | undefined {
  try {
    return options?.unwrap
  } catch {
    const params = {
      what: "the option `unwrap`",
      problem: "threw when it was read",
      remedy: 'Give options as plain data: `{ unwrap: "fence" }`.',
    }
    report.add(diagnose("SEQ801", root, params))
    return undefined
  }
}

/** All that a host says of the run that a plan is for. What cannot be read is a fault: it never counts as not given. */
export function readOccasion(options: Occasional | undefined, report: Report, catalog: Catalog): Occasion {
  const spent = readSpent(options, report)
  const fault = (option: string, problem: string, remedy: string): undefined => {
    report.add(diagnose("SEQ801", root, { what: `the option \`${option}\``, problem, remedy }))
  }
  let principal: Principal | undefined
  let literals: Literals = "trusted"
  let seen: readonly Carried[] = []
  let inputs: "host" | "planner" = "host"
  let earlier = noEarlier
  try {
    const given = options?.principal
    principal = given === undefined ? undefined : copyPrincipal(given)
    if (given !== undefined && principal === undefined) {
      const problem = "must name a tenant, a subject and, if there are any, roles"
      fault("principal", problem, 'Give `{ tenant: "acme", subject: "ada", roles: ["support"] }`.')
    }
    const said: unknown = options?.literals ?? literals
    if (said === "trusted" || said === "untrusted") literals = said
    else fault("literals", `must be "trusted" or "untrusted", but is ${nameOf(said)}`, "Give one of the two.")
    const shown: unknown = options?.seen ?? seen
    const labels: readonly unknown[] = Array.isArray(shown) ? [...shown] : [undefined]
    if (labels.every(isCarried)) seen = labels
    else fault("seen", 'must be a list of "untrusted" and "private"', 'Give `["private"]`, say.')
    const whose: unknown = options?.inputs ?? inputs
    if (whose === "host" || whose === "planner") inputs = whose
    else fault("inputs", `must be "host" or "planner", but is ${nameOf(whose)}`, "Say whose word they are.")
    earlier = readEarlier(options?.earlier, catalog, report)
  } catch {
    fault("principal", "or one beside it threw when it was read", "Give options as plain data.")
  }
  return { spent, principal, literals, seen, inputs, earlier }
}

const isCarried = (label: unknown): label is Carried => label === "untrusted" || label === "private"

export type Occasional = Pick<CompileOptions, "spent" | "principal" | "literals" | "seen" | "inputs" | "earlier">

/** Undefined where it is none. */
export function copyPrincipal(given: Principal): Principal | undefined {
  const { tenant, subject, roles = [] } = given
  const isName = (value: unknown): boolean => typeof value === "string" && value !== ""
  if (!isName(tenant) || !isName(subject) || !Array.isArray(roles)) return undefined
  const copied = [...roles]
  return copied.every(isName) ? { tenant, subject, roles: copied } : undefined
}

/** Copied where it is plain, so that every number is read once. Whether they are counts is asked later. */
function readSpent(options: Pick<CompileOptions, "spent"> | undefined, report: Report): Spent {
  try {
    const spent = options?.spent ?? {}
    if (typeof spent !== "object" || ![Object.prototype, null].includes(Object.getPrototypeOf(spent))) return spent
    const entries = Object.entries(spent as { readonly [dimension: string]: unknown })
    // An object in place of a number would run when it is written into a message.
    const read = entries.map(([dimension, value]) => [dimension, isRunning(value) ? nameOf(value) : value])
    return Object.fromEntries(read)
  } catch {
    const remedy = "Give a plain object: `{ spent: { cents: 900 } }`."
    report.add(diagnose("SEQ404", root, { dimension: "every limit", problem: "threw when it was read", remedy }))
    return {}
  }
}

const isRunning = (value: unknown): boolean =>
  (typeof value === "object" && value !== null) || typeof value === "function"

/** The text's value with its places, or a fault reported. */
export function readText(
  source: unknown,
  bounds: Bounds,
  report: Report,
  catalog: Catalog,
  unwrap?: "fence",
): Extract<ReadJson, { ok: true }> | undefined {
  // `isView` first: asking a proxy what it is an instance of runs the proxy.
  if (typeof source !== "string" && !(ArrayBuffer.isView(source) && source instanceof Uint8Array)) {
    report.add(notText(source))
    return undefined
  }
  const json = readJson(source, bounds, unwrap === undefined ? {} : { unwrap })
  if (json.ok) return json
  const fault = diagnoseText(json.fault)
  report.add(hasMarks(catalog) ? hush(fault, maskText(textOf(source), catalog).secrets) : fault)
  return undefined
}

/** A value already read, with the way back to its text if it has one. */
export interface ReadPlan extends Partial<Occasion> {
  readonly value: Json
  readonly rangeOf?: (at: Pointer, part?: "key" | "value") => Range | undefined
}

/** The road from a read value on. `read` says itself why there is none. */
export function guarded(catalog: Catalog, read: (report: Report) => ReadPlan | undefined): Compiled {
  if (!isCatalog(catalog)) {
    const params = {
      what: "the value given as the catalog",
      problem: "was not made by `defineCatalog`",
      remedy: "Wrap the declaration: `defineCatalog({ … })`.",
    }
    return { ok: false, diagnostics: [diagnose("SEQ801", root, params)], more: 0 }
  }
  const faults = catalog.diagnostics.filter(({ severity }) => severity === "error")
  if (faults.length > 0) return { ok: false, diagnostics: faults, more: 0 }
  const report = makeReport(catalog.bounds.diagnostics * found)
  try {
    const plan = read(report)
    const compiled = plan && compileValue(plan, catalog, report)
    const { diagnostics, more } = present(report, plan, catalog)
    return compiled === undefined ? { ok: false, diagnostics, more } : { ok: true, plan: compiled, diagnostics, more }
  } catch (broken) {
    // Doors never throw. An invariant that broke is told once, and nothing is accepted.
    const what = broken instanceof Error ? broken.message : "unknown"
    return { ok: false, diagnostics: [diagnose("SEQ901", root, { what: what.slice(0, 200) })], more: 0 }
  }
}

/** For each diagnostic shown, how many are looked for: the rest is counted up to there. */
const found = 10

function compileValue(read: ReadPlan, catalog: Catalog, report: Report): CompiledPlan | undefined {
  const { value, spent = {}, principal, literals = "trusted", seen, inputs, known, earlier = noEarlier } = read
  try {
    const document = admit(value, catalog.bounds, report, known !== undefined)
    if (document === undefined) return undefined
    const plan = lower(document, catalog, report, earlier)
    const checked = check(plan, catalog, report, { spent, principal, literals, seen, inputs, known, earlier })
    return report.failed() ? undefined : seal(checked, catalog)
  } catch (thrown) {
    if (thrown instanceof Enough) return undefined
    throw thrown
  }
}

/** Sorted, capped, placed in the text, and with the fixes that there are. */
function present(
  { diagnostics, failed }: Report,
  plan: ReadPlan | undefined,
  catalog: Catalog,
): { diagnostics: readonly Diagnostic[]; more: number } {
  if (diagnostics.length === 0) return { diagnostics, more: 0 }
  // What a refused plan would have needed is no concern of its author.
  const told = failed() ? diagnostics.filter(({ severity }) => severity !== "approval") : diagnostics
  const placed = arrange(told.map((one) => place(one, plan?.rangeOf)))
  const shown = placed.slice(0, catalog.bounds.diagnostics).map((one) => mended(one, plan?.value, catalog))
  const more = placed.length - shown.length
  if (plan === undefined || !hasMarks(catalog)) return { diagnostics: shown, more }
  const secrets = new Secrets()
  new Written(plan.value, marksOf(catalog), plan.earlier).gather(secrets)
  // What it refers to may be named in what is told.
  for (const { tool, result } of Object.values(plan.earlier ?? noEarlier))
    gather(result, marksOf(catalog).of(tool).result, secrets)
  return { diagnostics: shown.map((one) => hush(one, secrets)), more }
}

const textOf = (source: string | Uint8Array): string =>
  typeof source === "string" ? source : new TextDecoder().decode(source)

function place(diagnostic: Unplaced, rangeOf: ReadPlan["rangeOf"]): Unplaced {
  if (rangeOf === undefined || diagnostic.range !== undefined) return diagnostic
  const range = rangeOf(diagnostic.at, diagnostic.part)
  const related = diagnostic.related?.map((one) => {
    const there = rangeOf(one.at)
    return there === undefined ? one : { ...one, range: there }
  })
  return { ...diagnostic, ...(range === undefined ? {} : { range }), ...(related === undefined ? {} : { related }) }
}

/** Inside `$literal` a pointer of the tree leads nowhere in the document: then there is no fix. */
function mended({ part, mend, ...diagnostic }: Unplaced, document: Json | undefined, catalog: Catalog): Diagnostic {
  const fix = document === undefined ? undefined : mend?.()
  if (document === undefined || fix === undefined) return diagnostic
  return isApplicable(document, fix) && isHarmless(fix, document, catalog) ? { ...diagnostic, fix } : diagnostic
}
