/** `sequitur approvals`: what waits for people. */
import * as Effect from "effect/Effect"
import { explainApproval, explainSaid } from "../../explain/approval.ts"
import { timeOf } from "../../explain/history.ts"
import { clip, printable } from "../../explain/printable.ts"
import type { Entry } from "../../journal/entry.ts"
import { RunSecrets } from "../../journal/secrets.ts"
import { listWaiting, type WaitingApproval } from "../../run/approval/waiting.ts"
import { needsCatalog } from "../origin.ts"
import { useStore } from "../store.ts"
import { exit, type Format, lookOf, print, printJson, secrets } from "../terminal.ts"
import { type Along, signedBy, typed } from "../typed.ts"

export interface ApprovalsOptions {
  readonly store: string
  readonly tenant?: string
  readonly format: Format
}

export async function showApprovals({ store, tenant, format }: ApprovalsOptions): Promise<number> {
  const waiting = await useStore(store, (journal) =>
    Effect.flatMap(listWaiting(journal, tenant), (all) =>
      Effect.forEach(all, (one) =>
        Effect.map(journal.read(one.runId), (entries) => ({
          one: hide(one, entries),
          command: commandFor(one, entries, store, { tenant }),
        })),
      ),
    ),
  )
  if (format === "json") printJson({ approvals: waiting.map(({ one }) => one) })
  else if (waiting.length === 0) print("nothing waits for anybody")
  else print(waiting.map(({ one, command }) => tell(one, command)).join("\n\n"))
  return exit.fine
}

/** A person decides without the secrets: what is bound is bound by its digest. */
const hide = (one: WaitingApproval, entries: readonly Entry[]): WaitingApproval => ({
  ...one,
  request: RunSecrets.of(entries, secrets).redactEvent(one.request),
})

function commandFor(
  { runId, request }: WaitingApproval,
  entries: readonly Entry[],
  store: string,
  along: Along,
): string {
  const [first] = entries
  const started = first?.event.kind === "run-started" ? first.event : undefined
  // A program's gate goes on by itself. A program's run goes on by its catalog, which the program alone knows.
  const catalog = started?.open === undefined && needsCatalog(entries) ? "<catalog module>" : undefined
  const told = { ...along, ...(catalog === undefined ? {} : { catalog }) }
  return typed("approve", [runId, request.stepId, ...signedBy(started?.unsigned)], store, told)
}

function tell(
  { runId, tenant, subject, goal, sinceMs, expiresAtMs, request, why, agreed, done }: WaitingApproval,
  command: string,
): string {
  const until = expiresAtMs === undefined ? "" : `, until ${timeOf(expiresAtMs)}`
  const lines = [
    `run ${printable(runId)}: asked by ${clip(subject, 40)} of ${clip(tenant, 40)} at ${timeOf(sinceMs)}${until}`,
    ...(goal === undefined ? [] : [`  goal: ${clip(goal, 200)}`]),
    explainApproval(request, lookOf(process.stdout)),
    ...explainSaid({ why, agreed, done }),
    `  ${command}`,
  ]
  return lines.join("\n")
}
