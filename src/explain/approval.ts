/** What a person is asked to approve: each step that would follow, with the very inputs it would have. Nothing is cut, and what
 *  could deceive the eye is written out, for a decision is only as good as what was seen. */
import stringWidth from "string-width"
import type { ApprovalRequested, Following } from "../journal/entry.ts"
import { canonical } from "../text/canonical.ts"
import type { Json } from "../text/json.ts"
import { type Look, paint } from "./look.ts"
import { pad, printable } from "./printable.ts"

export function explainApproval({ stepId, from, to, follows }: ApprovalRequested, look: Look): string {
  const widest = Math.max(0, ...follows.map((following) => stringWidth(printable(following.stepId))))
  const opened =
    follows.length === 0
      ? ["  no step follows"]
      : follows.flatMap((following) => explainFollowing(following, widest, look))
  const change = `${printable(from)} → ${printable(to)}`
  return [
    `${paint(look, ["bold", "magenta"], "approval needed")} at \`${printable(stepId)}\`: ${change}. If approved:`,
    ...opened,
  ].join("\n")
}

function explainFollowing(following: Following, widest: number, look: Look): readonly string[] {
  const { stepId, tool, effect, description, args } = following
  const entries = Object.entries(args)
  const name = pad(paint(look, "bold", printable(stepId)), widest)
  return [
    `  ${name}  ${printable(tool)} (${printable(effect)}): ${printable(description)}`,
    ...(entries.length === 0
      ? ["    without arguments"]
      : entries.map(([name, value]) => `    ${show(name)}: ${show(value)}`)),
  ]
}

/** JSON first, so that no text can be taken for an escape of ours. */
const show = (value: Json): string => printable(canonical(value))
