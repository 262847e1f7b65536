/** What a person is asked to approve: each step that would follow, with the very inputs it would have. Nothing is cut, and what
 *  could deceive the eye is written out, for a decision is only as good as what was seen. */
import stringWidth from "string-width"
import type { ApprovalRequested, Because, Following, Hidden } from "../journal/entry.ts"
import type { PlanRequest, StillAsked } from "../run/approval/plan.ts"
import type { WaitingApproval } from "../run/approval/waiting.ts"
import { canonical } from "../text/canonical.ts"
import type { Json } from "../text/json.ts"
import { type Look, paint } from "./look.ts"
import { clip, pad, printable } from "./printable.ts"

export function explainApproval(request: ApprovalRequested, look: Look): string {
  const { stepId, follows, approverRoles } = request
  const widest = Math.max(0, ...follows.map((following) => stringWidth(printable(following.stepId))))
  const opened =
    follows.length === 0
      ? explainOpens(request, look)
      : follows.flatMap((following) => explainFollowing(following, widest, look))
  return [
    `${paint(look, ["bold", "magenta"], "approval needed")} at \`${printable(stepId)}\`: ${sayAsked(request)}. If approved:`,
    ...opened,
    ...(approverRoles === undefined
      ? []
      : [
          `  for ${request.approvers === undefined ? "somebody" : "people"} with the role ${approverRoles.map((role) => clip(role, 40)).join(" or ")}`,
        ]),
  ].join("\n")
}

/** Why it is asked, who has agreed to what waits, and what a denial would do. */
export const explainSaid = ({
  why,
  agreed,
  done,
}: Pick<WaitingApproval, "why" | "agreed" | "done">): readonly string[] => [
  ...(why === undefined ? [] : [`  why, says the plan: ${clip(why, 200)}`]),
  ...(agreed.length === 0 ? [] : [`  agreed so far: ${agreed.map((by) => clip(by, 40)).join(", ")}`]),
  ...done.map(
    ({ stepId, tool, undone }) =>
      `  if denied, ${clip(stepId, 40)} (${clip(tool, 40)}) ${undone ? "is undone" : "stays done: nothing undoes it"}`,
  ),
]

/** With no call there yet, it is the state that is agreed to. */
function explainOpens({ opens, to = "" }: ApprovalRequested, look: Look): readonly string[] {
  if (opens === undefined) return ["  no step follows"]
  const { tools, untilMs } = opens
  const until = untilMs === undefined ? "until the run ends" : `until ${sayTime(untilMs)} at the latest`
  const named = tools.map(({ tool, effect }) => `    ${paint(look, "bold", printable(tool))} (${printable(effect)})`)
  return [
    `  nothing is called yet: in ${printable(to)} calls of these tools are let through, with whatever inputs are chosen later, ${until}:`,
    ...(named.length === 0 ? ["    none"] : named),
  ]
}

const sayTime = (ms: number): string => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? `${ms}` : date.toISOString()
}

/** What is asked about a whole plan before it runs. */
export function explainPlanRequest({ subject, tenant, follows, blast, asks }: PlanRequest, look: Look): string {
  const widest = Math.max(0, ...follows.map(({ stepId }) => stringWidth(printable(stepId))))
  const most = Object.entries(blast).map(([dimension, max]) => `${printable(dimension)} ${max}`)
  return [
    `${paint(look, ["bold", "magenta"], "approval of the whole plan")}, for one run by ${printable(subject)} of ${printable(tenant)}:`,
    ...follows.flatMap((following) => explainFollowing(following, widest, look)),
    ...(most.length === 0 ? [] : [`at most, in all: ${most.join(", ")}; what would pass it is asked about`]),
    ...asks.map(sayStillAsked),
    `whoever signs it may be ${printable(subject)} as well, but where it takes several people`,
  ].join("\n")
}

function sayStillAsked(asked: StillAsked): string {
  const step = `\`${printable(asked.stepId)}\``
  if (asked.kind === "people") {
    const { approvers, approverRoles } = asked
    const roles = approverRoles === undefined ? "" : ` with the role ${approverRoles.map(printable).join(" or ")}`
    if (approvers === 1)
      return `${step} takes somebody${roles}: they are asked about it, unless one of them signs this plan`
    return `${step} takes ${approvers} people${roles}, none of them whose run it is: they are asked about it, unless so many sign this plan, each a token`
  }
  const names = asked.arguments.map((name) => `\`${printable(name)}\``).join(", ")
  const of = asked.call === asked.stepId ? "" : ` of \`${printable(asked.call)}\``
  return `${step} is asked about all the same: ${names}${of} is known only once earlier steps have answered`
}

/** What is asked, or why. */
export function sayAsked({ from = "", to, because = [], approvers = 1, covers, follows }: ApprovalRequested): string {
  const by = approvers === 1 ? "" : `, by ${approvers} people`
  if (to !== undefined) {
    const why = because.length === 0 ? "" : `: ${because.map(sayBecause).join("; ")}`
    const both = covers === undefined ? "" : `, and for \`${printable(follows[0]?.stepId ?? "")}\` too${why}`
    return `${printable(from)} → ${printable(to)}${by}${both}`
  }
  return `${because.map(sayBecause).join("; ")}${by}`
}

const sayBecause = (because: Because): string =>
  because.kind === "always"
    ? "its tool is never called unasked"
    : `${printable(because.dimension)} comes to ${because.total}, above ${because.above}`

function explainFollowing(following: Following, widest: number, look: Look): readonly string[] {
  const { stepId, tool, effect, description, args, hidden = [] } = following
  const entries = Object.entries(args)
  const name = pad(paint(look, "bold", printable(stepId)), widest)
  return [
    `  ${name}  ${printable(tool)} (${printable(effect)}): ${printable(description)}`,
    ...(entries.length === 0
      ? ["    without arguments"]
      : entries.map(([name, value]) => `    ${show(name)}: ${show(value)}`)),
    ...hidden.map((one) => `    ${paint(look, "red", sayHidden(one))}`),
  ]
}

const sayHidden = ({ argument, stepId = "", tool = "" }: Hidden): string => {
  const where =
    tool === ""
      ? "a secret of this run"
      : `what \`${printable(tool)}\` marks as secret in its answer at \`${printable(stepId)}\``
  return `hidden in ${show(argument)}, which nobody marks: ${where}; do not approve what you cannot see`
}

/** JSON first, so that no text can be taken for an escape of ours. Half a surrogate pair is shown as its escape: tools answer anything. */
const show = (value: Json): string => printable(canonical(value, true))
