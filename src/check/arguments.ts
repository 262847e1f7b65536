/**
 * Arguments: each is declared, present where it must be, and of the right kind, round the holes that references leave.
 * Codes: SEQ120 … SEQ124, SEQ207 (a reference that never fits).
 */
import type { TSchema } from "@sinclair/typebox"
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { fit } from "../catalog/schema/fit.ts"
import { judgePattern, type Misfit } from "../catalog/schema/pattern.ts"
import { describe } from "../catalog/schema/shape.ts"
import { diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import { suggest } from "../diagnostic/nearest.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Call, Hole, Plan } from "../plan/plan.ts"
import { child, type Pointer, parsePointer } from "../text/pointer.ts"
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
    if (step.kind === "transition" || tool === undefined) return nothing
    return step.args.kind === "literal"
      ? judgeLiteral(step, step.args.value as never, tool, report)
      : judgeHoles(step, tool, plan, report)
  })
  return { ...plan, judged }
}

const nothing: readonly RuntimeCheck[] = []

const noHole = (): void => undefined

/** Arguments without a hole are judged whole, by the author's own validator too. */
function judgeLiteral(step: Call, value: never, tool: Tool, report: Report): readonly RuntimeCheck[] {
  const misfits = judgePattern<never>(tool.params.shape, step.args as never, noHole)
  for (const misfit of misfits) report.add(diagnoseMisfit(misfit, step))
  if (tool.params.exact) return nothing
  const told = misfits.map(({ at, kind, key }) => (kind === "missing" ? child(at, key ?? "") : at))
  for (const issue of tool.params.judge(value)) {
    const at = `${child(step.at, "args")}${issue.at}` as Pointer
    // The validator sees the same misfits, in its own words.
    if (told.some((place) => at === place || at.startsWith(`${place}/`) || place.startsWith(`${at}/`))) continue
    report.add(diagnose("SEQ124", at, { argument: argumentOf(at, step), tool: tool.name, said: issue.message }))
  }
  return nothing
}

function judgeHoles(step: Call, tool: Tool, plan: Typed, report: Report): readonly RuntimeCheck[] {
  const checks: RuntimeCheck[] = []
  const misfits = judgePattern<Hole>(tool.params.shape, step.args, (hole, shape) =>
    judgeHole(hole, shape, step, plan, report, checks),
  )
  for (const misfit of misfits) report.add(diagnoseMisfit(misfit, step))
  if (!tool.params.exact)
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
  const expected = describe(shape)
  const argument = argumentOf(hole.at, step)
  if (verdict === "may-fit") {
    checks.push({ at: hole.at, kind: "fits", says: `${sayHole(hole)} fits \`${argument}\`: ${expected}` })
    return
  }
  report.add(
    diagnose("SEQ207", hole.at, {
      argument,
      tool: step.tool,
      expected,
      source: sayHole(hole),
      given: describe(from),
    }),
  )
}

function diagnoseMisfit({ at, kind, expected, found, key, known }: Misfit, step: Call): Unplaced {
  const { tool } = step
  switch (kind) {
    case "missing":
      return diagnose("SEQ120", at, { tool, argument: argumentOf(child(at, key ?? ""), step), expected })
    case "unknown": {
      const nearest = suggest(key ?? "", known ?? [], "parameters")
      return diagnose("SEQ121", at, { tool, argument: argumentOf(at, step), nearest }, { part: "key" })
    }
    case "type":
      return diagnose("SEQ122", at, { argument: argumentOf(at, step), tool, expected, found })
    case "value":
      return diagnose("SEQ123", at, { argument: argumentOf(at, step), tool, expected, found })
  }
}

/** `/steps/2/args/lines/0/sku` is `lines/0/sku` to its reader. */
function argumentOf(at: Pointer, step: Call): string {
  if (!at.includes("~")) return at.slice(step.at.length + 6, step.at.length + 126) || "args"
  const depth = (parsePointer(step.at)?.length ?? 0) + 1
  const tokens = parsePointer(at)?.slice(depth) ?? []
  return tokens.length === 0 ? "args" : tokens.join("/").slice(0, 120)
}
