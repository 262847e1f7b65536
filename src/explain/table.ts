/** A compiled plan as a table: each step with what it does at worst and what it waits on; under it the checks that the run will
 *  make, the approvals it will wait for, and the totals against the limits. */
import stringWidth from "string-width"
import { drawColumns, type Row } from "./columns.ts"
import type { HeldView } from "./held.ts"
import { type Look, paint } from "./look.ts"
import { clip, pad } from "./printable.ts"
import type { ApprovalView, BudgetView, CheckView, PlanView, StepView } from "./view.ts"

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
    ...explainHeld(view, look),
    ...explainRules(view, look),
    ...explainSwayed(view, look),
    ...explainClaims(view, look),
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
      step.blast.map(({ dimension, max }) => `${clip(dimension, nameRoom)} ${grouped(max)}`),
      [names(step.waitsOn)],
    ]
  })
  const note = paint(look, "dim", "waits on: the steps whose result it uses, or which it names in `after`")
  const waiting = steps.some(({ waitsOn }) => waitsOn.length > 0)
  return [...drawColumns(keep(head), rows.map(keep), look), ...(waiting ? [note] : [])]
}

function stateOf({ before, after }: StepView): string {
  const from = clip(before ?? "", nameRoom)
  return after === null || after === before ? from : `${from} → ${clip(after, nameRoom)}`
}

/** `1,000,000`, wherever it is read. */
const grouped = (count: number): string => count.toLocaleString("en-US")

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

function explainApprovals({ approvals, decisions }: PlanView, look: Look): readonly (readonly string[])[] {
  if (approvals.length === 0) return []
  const unsigned = "decisions are not signed: whoever reaches the store can decide in anybody's name"
  return [
    [
      paint(look, "bold", "approvals needed:"),
      ...approvals.map((need) => `  at \`${clip(need.step, nameRoom)}\`, ${sayNeed(need)}`),
      ...(decisions !== "unsigned" && approvals.some(({ approvers = 1 }) => approvers === 1) ? [`  ${ownWord}`] : []),
      ...(decisions === "unsigned" ? [`  ${paint(look, "red", unsigned)}`] : []),
    ],
  ]
}

const ownWord = "where one person agrees, it may be the one whose run it is: `approvers: 2` takes two others"

function explainHeld({ held = [] }: PlanView, look: Look): readonly (readonly string[])[] {
  if (held.length === 0) return []
  const lines = held.map((one) => `  ${clip(one.tool, nameRoom)} (for ${names(one.steps)}): ${sayHeld(one).join("; ")}`)
  return [[paint(look, "bold", "held to right before each call:"), ...lines]]
}

function sayHeld({ nobody, roles, tenants, when, mustState, validate, freshness }: HeldView): readonly string[] {
  const list = (all: readonly string[], join: string): string => all.map((one) => clip(one, nameRoom)).join(join)
  return [
    ...(nobody ? ["the catalog allows it to nobody"] : []),
    ...(roles === undefined ? [] : [`who acts is ${list(roles, " or ")}`]),
    ...(tenants === undefined ? [] : [`who acts is of ${tenants === 1 ? "one tenant" : `one of ${tenants} tenants`}`]),
    ...(when === undefined ? [] : [`${clip(when, nameRoom * 2)} holds for its arguments`]),
    ...(mustState === undefined ? [] : [`${list(mustState, ", ")} stated`]),
    ...(validate ? ["its own `validate` lets it"] : []),
    ...(freshness === undefined
      ? []
      : [
          `what ${list(freshness.pointers, ", ")} was taken from is read again if it is older than ${grouped(freshness.maxAgeMs)} ms`,
        ]),
  ]
}

function explainRules({ rules }: PlanView, look: Look): readonly (readonly string[])[] {
  if (rules.length === 0) return []
  const lines = rules.map(({ step, from, to, rule, opens }) => {
    const [id, way] = [clip(step, nameRoom), `${clip(from, nameRoom)} → ${clip(to, nameRoom)}`]
    return `  at \`${id}\`, ${way}: ${clip(rule, nameRoom * 2)}, before ${opens.length === 0 ? "nothing" : names(opens)}`
  })
  return [[paint(look, "bold", "rules that must hold:"), ...lines]]
}

function sayNeed(need: ApprovalView): string {
  switch (need.kind) {
    case "transition": {
      const opened = need.opens.length === 0 ? "nothing" : names(need.opens)
      const both = need.covers === undefined ? "" : `, for the call of \`${clip(need.covers, nameRoom)}\` too`
      const apart =
        need.apart === undefined
          ? ""
          : `; for \`${clip(need.apart, nameRoom)}\` others are asked, so that it is asked apart`
      const by = sayApprovers(need)
      return `${clip(need.from, nameRoom)} → ${clip(need.to, nameRoom)}${by}, before ${opened}${both}${apart}`
    }
    case "always":
      return `before each call of ${clip(need.tool, nameRoom)}${sayApprovers(need)}`
    case "above": {
      const when = need.certain ? "as" : "if"
      const passed = `${clip(need.dimension, nameRoom)} come to more than ${grouped(need.above)}`
      return `${when} ${passed}, before ${clip(need.tool, nameRoom)}${sayApprovers(need)}`
    }
  }
}

function sayApprovers({ approvers = 1, approverRoles }: ApprovalView): string {
  if (approvers === 1 && approverRoles === undefined) return ""
  const roles =
    approverRoles === undefined
      ? ""
      : ` with the role ${approverRoles.map((role) => clip(role, nameRoom)).join(" or ")}`
  return `, by ${approvers === 1 ? "somebody" : `${approvers} people`}${roles}`
}

/** Labels hold back what data is, not whether it lets a step succeed. */
function explainSwayed({ swayed }: PlanView, look: Look): readonly (readonly string[])[] {
  if (swayed.length === 0) return []
  return [
    [
      paint(look, "bold", "untrusted data has a say in whether these happen:"),
      ...swayed.map(({ kind, step, tool, by, path }) => {
        const [id, name] = [clip(step, nameRoom), clip(tool, nameRoom)]
        const other = clip(by, nameRoom)
        const from = clip(path, sentence)
        if (kind === "undo")
          return `  \`${id}\` is undone by ${name} if \`${other}\` fails, and whether it does hangs on ${from}`
        if (by === step) return `  \`${id}\` is called only if its arguments fit, and whether they do hangs on ${from}`
        return `  \`${id}\` is called only if \`${other}\` succeeds, and whether it does hangs on ${from}`
      }),
    ],
  ]
}

/** Beside what the catalog says, and in its place nowhere. */
function explainClaims({ claims = [] }: PlanView, look: Look): readonly (readonly string[])[] {
  if (claims.length === 0) return []
  return [
    [
      paint(look, "bold", "claimed by whoever serves them, and not believed:"),
      ...claims.map(({ tool, says }) => {
        const said = Object.entries(says).map(([claim, value]) => `${claim}: ${value}`)
        return `  ${clip(tool, nameRoom)}: ${said.join(", ")}`
      }),
    ],
  ]
}

function explainTotals({ totals, budgets }: PlanView, look: Look): readonly (readonly string[])[] {
  const rows = [
    ...totals.map(({ dimension, min, max, limit }) => [
      clip(dimension, nameRoom),
      `${grouped(max)}${limit === null ? "" : ` of ${grouped(limit)}`}${min === max ? "" : `, from ${grouped(min)}`}`,
    ]),
    ...budgets.map(({ budget, needs, limit }) => {
      const [name, unit] = budgetWords[budget]
      return [name, `${grouped(needs)} of ${grouped(limit)}${unit}`]
    }),
  ] as const
  if (rows.length === 0) return []
  const widest = Math.max(...rows.map(([name = ""]) => stringWidth(name)))
  return [
    [
      paint(look, "bold", "in total, at worst:"),
      ...rows.map(([name = "", count]) => `  ${pad(name, widest)}  ${count}`),
    ],
  ]
}

/** A budget's name and its unit. */
const budgetWords: Readonly<Record<BudgetView["budget"], readonly [string, string]>> = {
  steps: ["steps", ""],
  sideEffects: ["side effects", ""],
  microUsd: ["cost", " µUSD"],
}
