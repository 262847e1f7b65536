/** A compiled plan as a table: each step with what it does at worst and what it waits on; under it the checks that the run will
 *  make, the approvals it will wait for, and the totals against the limits. */
import type { Total } from "../check/compiled.ts"
import { drawColumns, type Row } from "./columns.ts"
import { type Look, paint } from "./look.ts"
import { clip } from "./printable.ts"
import type { CheckView, PlanView, StepView } from "./view.ts"

/** Columns that one name may take. Names are short by the plan language; states and dimensions are the catalog's. */
const nameRoom = 40
const sentence = 1_000

export function explainPlan(view: PlanView, look: Look): string {
  const { goal, planHash, catalog, steps } = view
  const sections = [
    [
      ...(goal === null ? [] : [paint(look, "bold", clip(goal, sentence))]),
      paint(
        look,
        "dim",
        `plan ${planHash.slice(0, 12)}, catalog ${clip(`${catalog.name} ${catalog.version}`, nameRoom * 2)}`,
      ),
    ],
    steps.length === 0 ? ["no steps"] : drawSteps(steps, look),
    ...explainChecks(view.checks, look),
    ...explainApprovals(view, look),
    ...explainTotals(view, look),
  ]
  return sections.map((lines) => lines.join("\n")).join("\n\n")
}

function drawSteps(steps: readonly StepView[], look: Look): readonly string[] {
  const staged = steps.some(({ before }) => before !== null)
  const counted = steps.some(({ blast }) => blast.length > 0)
  const keep = (row: Row): Row => row.filter((_, column) => (column !== 2 || staged) && (column !== 4 || counted))
  const head: Row = ["step", "tool", "state", "effect", "at worst", "waits on"].map((title) => [title])
  const rows = steps.map((step): Row => {
    const call = step.kind === "call"
    return [
      [clip(step.id, nameRoom)],
      [clip(call ? step.tool : `→ ${step.to}`, nameRoom)],
      [stateOf(step)],
      [call ? step.effect : ""],
      step.blast.map(interval),
      [names(step.waitsOn)],
    ]
  })
  return drawColumns(keep(head), rows.map(keep), look)
}

function stateOf({ before, after }: StepView): string {
  const from = clip(before ?? "", nameRoom)
  return after === null || after === before ? from : `${from} → ${clip(after, nameRoom)}`
}

/** `0–24500 cents`, or `1 records` where the least and the most are one. */
export function interval({ dimension, min, max }: Total): string {
  return `${min === max ? max : `${min}–${max}`} ${clip(dimension, nameRoom)}`
}

const shown = 4

function names(ids: readonly string[]): string {
  const some = ids.slice(0, shown).map((id) => clip(id, nameRoom))
  return ids.length > shown ? `${some.join(", ")} and ${ids.length - shown} more` : some.join(", ")
}

function explainChecks(checks: readonly CheckView[], look: Look): readonly (readonly string[])[] {
  return [...Map.groupBy(checks, ({ after }) => after)].map(([after, group]) => [
    paint(
      look,
      "bold",
      after === "input" ? "checked when the run starts:" : `checked when \`${clip(after, nameRoom)}\` has answered:`,
    ),
    ...group.map(({ says, step }) => `  ${clip(says, sentence)} (for \`${clip(step, nameRoom)}\`)`),
  ])
}

function explainApprovals({ approvals }: PlanView, look: Look): readonly (readonly string[])[] {
  if (approvals.length === 0) return []
  return [
    [
      paint(look, "bold", "approvals needed:"),
      ...approvals.map(({ step, from, to, opens }) => {
        const opened = opens.length === 0 ? "nothing" : names(opens)
        return `  at \`${clip(step, nameRoom)}\`, ${clip(from, nameRoom)} → ${clip(to, nameRoom)}, before ${opened}`
      }),
    ],
  ]
}

function explainTotals({ totals, budgets }: PlanView, look: Look): readonly (readonly string[])[] {
  const lines = [
    ...totals.map((total) => `  ${interval(total)}${total.limit === null ? "" : ` of ${total.limit}`}`),
    ...budgets.map(({ budget, needs, limit }) => `  ${needs} ${budget} of ${limit}`),
  ]
  return lines.length === 0 ? [] : [[paint(look, "bold", "in total, at worst:"), ...lines]]
}
