/**
 * Arguments: each is declared, present where it must be, and of the right kind, round the holes that references leave.
 * Codes: SEQ120 … SEQ124, SEQ207 (a reference that never fits), SEQ215 (one that fits empty only).
 */
import type { TSchema } from "@sinclair/typebox"
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { shapeAt } from "../catalog/schema/at.ts"
import { fit, fitsEmptyOnly } from "../catalog/schema/fit.ts"
import { never, unknown } from "../catalog/schema/make.ts"
import { judgePattern, type Misfit } from "../catalog/schema/pattern.ts"
import { describe, itemsOf, ordered, propertyOf } from "../catalog/schema/shape.ts"
import { hushIssues, hushMisfits } from "../catalog/sensitive.ts"
import { diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import { intended, isSpelling, nearestTo, suggest } from "../diagnostic/nearest.ts"
import { type JsonPatch, rename, valueAt } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Call, Expression, Hole, Plan } from "../plan/plan.ts"
import { expressionAt } from "../plan/same.ts"
import { isObject, type Json } from "../text/json.ts"
import { child, formatPointer, type Pointer, parsePointer } from "../text/pointer.ts"
import type { RuntimeCheck } from "./compiled.ts"
import { sayHole, type Typed } from "./references.ts"
import type { Tooled } from "./tools.ts"

export interface Argued {
  /** By step index: what only the run can decide of its arguments. */
  readonly judged: readonly (readonly RuntimeCheck[])[]
}

export function checkArguments<P extends Plan & Tooled & Typed>(
  plan: P,
  _catalog: Catalog,
  report: Report,
): P & Argued {
  const judged = plan.steps.map((step): readonly RuntimeCheck[] => {
    const tool = plan.tools[step.index]
    return step.kind === "transition" || tool === undefined ? nothing : judgeArguments(step, tool, plan, report)
  })
  return { ...plan, judged }
}

export const judgeArguments = (step: Call, tool: Tool, plan: Asked, report: Report): readonly RuntimeCheck[] =>
  step.args.kind === "literal"
    ? judgeLiteral(step, step.args.value as never, tool, plan, report)
    : judgeHoles(step, tool, plan, report)

const nothing: readonly RuntimeCheck[] = []

type Asked = Plan & Typed

/** Tokens of `/steps/2/args`. */
const toArgs = 3

const noHole = (): void => undefined

/** Arguments without a hole are judged whole, by the author's own validator too. */
function judgeLiteral(step: Call, value: never, tool: Tool, plan: Asked, report: Report): readonly RuntimeCheck[] {
  const misfits = hushMisfits(judgePattern<never>(tool.params.shape, step.args as never, noHole), tool.params, toArgs)
  for (const misfit of misfits) report.add(diagnoseMisfit(misfit, step, tool, plan))
  if (tool.params.exact) return nothing
  const told = misfits.map(({ at, kind, key }) => (kind === "missing" ? child(at, key ?? "") : at))
  for (const issue of hushIssues(tool.params.judge(value), tool.params, value)) {
    const at = `${child(step.at, "args")}${issue.at}` as Pointer
    // The validator sees the same misfits, in its own words.
    if (told.some((place) => at === place || at.startsWith(`${place}/`) || place.startsWith(`${at}/`))) continue
    report.add(
      diagnose("SEQ124", asWritten(at, plan), {
        argument: argumentName(at, step),
        tool: tool.name,
        said: issue.message,
      }),
    )
  }
  return nothing
}

function judgeHoles(step: Call, tool: Tool, plan: Asked, report: Report): readonly RuntimeCheck[] {
  const checks: RuntimeCheck[] = []
  let whole = !tool.params.exact
  const misfits = judgePattern<Hole>(tool.params.shape, step.args, {
    onHole: (hole, shape) => judgeHole(hole, shape, step, plan, report, checks),
    fit: (hole, shape) => fit(plan.given.get(hole) ?? unknown, shape),
    onUnsure: () => {
      whole = true
    },
  })
  for (const misfit of hushMisfits(misfits, tool.params, toArgs)) report.add(diagnoseMisfit(misfit, step, tool, plan))
  if (whole)
    checks.push({
      at: child(step.at, "args"),
      kind: "judged",
      says: `\`${tool.name}\` accepts its arguments as a whole`,
    })
  return checks
}

function judgeHole(
  hole: Hole,
  shape: TSchema,
  step: Call,
  { given }: Typed,
  report: Report,
  checks: RuntimeCheck[],
): void {
  const from = given.get(hole)
  if (from === undefined) return
  const verdict = fit(from, shape)
  if (verdict === "fits") return
  const argument = argumentName(hole.at, step)
  if (verdict === "may-fit") {
    if (fitsEmptyOnly(from, shape)) report.add(diagnose("SEQ215", hole.at, sayItems(hole, from, shape, argument, step)))
    // Stored plans keep these words, and outlive an enum that is written in another order.
    const says = `${sayHole(hole)} fits \`${argument}\`: ${describe(ordered(shape))}`
    checks.push({ at: hole.at, kind: "fits", says })
    return
  }
  report.add(
    diagnose("SEQ207", hole.at, {
      argument,
      tool: step.tool,
      expected: describe(shape),
      source: sayHole(hole),
      given: describe(from),
    }),
  )
}

function sayItems(hole: Hole, from: TSchema, shape: TSchema, argument: string, { tool }: Call) {
  const [expected, given] = [shape, from].map((array) => describe(itemsOf(array) ?? never))
  return { argument, tool, expected: expected ?? "", source: sayHole(hole), given: given ?? "" }
}

/** A place in the value that an expression stands for is one key further in where the plan says `$literal`. */
export function asWritten(at: Pointer, { document }: Plan): Pointer {
  let value: Json | undefined = document as unknown as Json
  let quoted = false
  const tokens: string[] = []
  for (const token of parsePointer(at) ?? []) {
    if (!quoted && isObject(value) && Object.hasOwn(value, "$literal")) {
      quoted = true
      tokens.push("$literal")
      value = value.$literal
    }
    tokens.push(token)
    value = value === undefined ? undefined : valueAt(value, formatPointer([token]))
  }
  return formatPointer(tokens)
}

function diagnoseMisfit(misfit: Misfit, step: Call, called: Tool, plan: Asked): Unplaced {
  const { name: tool } = called
  const { kind, expected, found, key = "" } = misfit
  const argument = argumentName(kind === "missing" ? child(misfit.at, key) : misfit.at, step)
  const at = asWritten(misfit.at, plan)
  switch (kind) {
    case "missing":
      return diagnose("SEQ120", at, { tool, argument, expected })
    case "unknown": {
      const mend = (): JsonPatch | undefined => mendUnknown(misfit, at, step, called, plan)
      const nearest = sayKeys(misfit)
      return diagnose("SEQ121", at, { tool, argument, nearest }, { part: "key", mend })
    }
    case "type":
      return diagnose("SEQ122", at, { argument, tool, expected, found, or: orLeaveOut(misfit, called) })
    case "value":
      return diagnose("SEQ123", at, { argument, tool, expected, found }, { mend: () => mendValue(misfit, at, step) })
  }
}

/** What may stand there by name, and what other keys must look like. */
function sayKeys({ key = "", known = [], keys }: Misfit): string {
  if (keys === undefined) return suggest(key, known, "parameters")
  const others = `must be ${keys}.`
  return known.length === 0 ? `A key here ${others}` : `${suggest(key, known, "parameters")} Any other key ${others}`
}

/** Null is a value: whoever writes it where something may be left out means to leave it out. */
function orLeaveOut({ at, found }: Misfit, { params }: Tool): string {
  if (found !== "null") return ""
  const tokens = parsePointer(at)?.slice(3) ?? []
  const name = tokens.at(-1) ?? ""
  const optional = propertyOf(shapeWithin(params.shape, tokens.slice(0, -1)), name)?.optional === true
  return optional ? `, or leave \`${name}\` out` : ""
}

/** `/steps/2/args/lines/0/sku` is `lines/0/sku` to its reader. */
export function argumentName(at: Pointer, step: Call): string {
  if (!at.includes("~")) return at.slice(step.at.length + 6, step.at.length + 126) || "args"
  const depth = (parsePointer(step.at)?.length ?? 0) + 1
  const tokens = parsePointer(at)?.slice(depth) ?? []
  return tokens.length === 0 ? "args" : tokens.join("/").slice(0, 120)
}

/** The parameter that was meant, if the value is right there. With nothing near it, it is taken out, where that is harmless. */
function mendUnknown(
  { at: inValue, key = "", known = [] }: Misfit,
  at: Pointer,
  step: Call,
  tool: Tool,
  plan: Asked,
): JsonPatch | undefined {
  const parent = formatPointer((parsePointer(at) ?? []).slice(0, -1))
  const within = (parsePointer(inValue) ?? []).slice(3, -1)
  const meant = intended(key, known)
  if (meant === undefined) return nearestTo(key, known).length > 0 ? undefined : [{ op: "remove", path: at }]
  const object = valueAt(plan.document as unknown as Json, parent)
  const property = propertyOf(shapeWithin(tool.params.shape, within), meant)
  const value = expressionAt(step.args, [...within, key])
  // What a destructive call may do without is not guessed: `deep` for `keep` is another deed.
  const sure = tool.effect !== "destructive" || isSpelling(key, meant) || property?.optional === false
  const right = sure && property !== undefined && value !== undefined && suits(property.shape, value, plan)
  return right && isObject(object) ? rename(parent, key, meant, object) : undefined
}

function shapeWithin(shape: TSchema, tokens: readonly string[]): TSchema {
  const place = shapeAt(shape, tokens)
  return "shape" in place ? (place.shape as TSchema) : unknown
}

function suits(shape: TSchema, value: Expression, { given }: Typed): boolean {
  let right = true
  const misfits = judgePattern<Hole>(shape, value, (hole, wanted) => {
    const from = given.get(hole)
    right &&= from !== undefined && fit(from, wanted) !== "never-fits"
  })
  return right && misfits.length === 0
}

/** One of a few known words, written otherwise. Numbers and amounts are never guessed. */
function mendValue({ at: inValue, known = [] }: Misfit, at: Pointer, step: Call): JsonPatch | undefined {
  const written = expressionAt(step.args, (parsePointer(inValue) ?? []).slice(3))
  if (written?.kind !== "literal" || typeof written.value !== "string") return undefined
  const meant = intended(written.value, known)
  return meant === undefined ? undefined : [{ op: "replace", path: at, value: meant }]
}
