/** `sequitur approvals`: what waits for people. */
import { explainApproval } from "../../explain/approval.ts"
import { timeOf } from "../../explain/history.ts"
import { clip, printable } from "../../explain/printable.ts"
import { listWaiting, type WaitingApproval } from "../../run/approval/waiting.ts"
import { useStore } from "../store.ts"
import { exit, type Format, lookOf, print, printJson } from "../terminal.ts"
import { typed } from "../typed.ts"

export interface ApprovalsOptions {
  readonly store: string
  readonly tenant?: string
  readonly format: Format
}

export async function showApprovals({ store, tenant, format }: ApprovalsOptions): Promise<number> {
  const waiting = await useStore(store, (journal) => listWaiting(journal, tenant))
  if (format === "json") printJson({ approvals: waiting })
  else if (waiting.length === 0) print("nothing waits for anybody")
  else print(waiting.map((one) => tell(one, store)).join("\n\n"))
  return exit.fine
}

function tell(
  { runId, tenant, subject, goal, sinceMs, expiresAtMs, request, agreed, done }: WaitingApproval,
  store: string,
): string {
  const until = expiresAtMs === undefined ? "" : `, until ${timeOf(expiresAtMs)}`
  const lines = [
    `run ${printable(runId)}: asked by ${clip(subject, 40)} of ${clip(tenant, 40)} at ${timeOf(sinceMs)}${until}`,
    ...(goal === undefined ? [] : [`  goal: ${clip(goal, 200)}`]),
    explainApproval(request, lookOf(process.stdout)),
    ...(agreed.length === 0 ? [] : [`  agreed so far: ${agreed.map((by) => clip(by, 40)).join(", ")}`]),
    ...done.map(
      ({ stepId, tool, undone }) =>
        `  if denied, ${clip(stepId, 40)} (${clip(tool, 40)}) ${undone ? "is undone" : "stays done: nothing undoes it"}`,
    ),
    `  ${typed("approve", [runId, request.stepId], store)}`,
  ]
  return lines.join("\n")
}
