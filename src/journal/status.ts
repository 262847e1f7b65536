/** How a run stands. */
import type { RunEnded } from "./entry.ts"

export type Status = "running" | "awaiting_approval" | "in_doubt" | RunEnded["status"]

export const isTerminal = (status: Status): status is RunEnded["status"] =>
  status !== "running" && status !== "awaiting_approval" && status !== "in_doubt"

const all = ["running", "awaiting_approval", "in_doubt", "succeeded", "failed", "cancelled", "exhausted"]

export const isStatus = (text: string): text is Status => all.includes(text)
