/** How a run stands, and what its last entry alone says of that. */
import type { Event, RunEnded } from "./entry.ts"

export type Status = "running" | "awaiting_approval" | "in_doubt" | RunEnded["status"]

export const isTerminal = (status: Status): status is RunEnded["status"] =>
  status !== "running" && status !== "awaiting_approval" && status !== "in_doubt"

/** How it stands after an event that could follow. The fold says the same, and knows why. */
export function statusAfter(before: Status, event: Event): Status {
  if (isTerminal(before)) return before
  switch (event.kind) {
    case "run-ended":
      return event.status
    case "approval-requested":
      return "awaiting_approval"
    case "in-doubt":
      return "in_doubt"
    case "cancel-requested":
      return before === "in_doubt" ? before : "running"
    case "taken-up":
      return before
    default:
      return "running"
  }
}
