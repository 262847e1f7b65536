/** Plans that have not passed what they must have passed. Never called: tsc is the runner, and refuses each line. */
import { compile, serialize } from "sequitur"
import desk from "../../plans/invalid/catalog.ts"
import { checkArguments } from "../../src/check/arguments.ts"
import { checkBlast } from "../../src/check/blast.ts"
import { checkEffects } from "../../src/check/effects.ts"
import { checkOrder } from "../../src/check/order.ts"
import { checkReferences } from "../../src/check/references.ts"
import { seal } from "../../src/check/seal.ts"
import { checkTools } from "../../src/check/tools.ts"
import { makeReport } from "../../src/diagnostic/report.ts"
import type { Plan } from "../../src/plan/plan.ts"

/** The order of the passes is a matter of types. */
export function outOfOrder(plan: Plan): void {
  const report = makeReport(100)
  const ordered = checkOrder(plan, desk, report)
  const tooled = checkTools(plan, desk, report)
  // @ts-expect-error references ask for the tools
  checkReferences(ordered, desk, report)
  // @ts-expect-error references ask for the order
  checkReferences(tooled, desk, report)
  const both = checkOrder(tooled, desk, report)
  // @ts-expect-error arguments ask what references give
  checkArguments(both, desk, report)
  // @ts-expect-error blast asks what references give
  checkBlast(both, desk, report, {})
  // @ts-expect-error effects ask for the tools
  checkEffects(ordered, desk, report)
  const typed = checkReferences(both, desk, report)
  checkArguments(typed, desk, report)
  // @ts-expect-error only what has passed every pass is sealed
  seal(typed, desk)
}

/** What was not compiled is no compiled plan. */
export function unchecked(plan: Plan): void {
  // @ts-expect-error a syntax tree was never checked
  serialize(plan)
  // @ts-expect-error a verdict may be a refusal
  serialize(compile(desk, "{}"))
  // @ts-expect-error a literal that looks like one has no seal
  serialize({
    planHash: "",
    catalogHash: "",
    slice: {},
    compiler: "",
    plan,
    goal: undefined,
    steps: [],
    states: undefined,
    blast: [],
    approvals: [],
  })
}
