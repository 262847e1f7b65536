/** Options and words that several commands share. */
import { userInfo } from "node:os"
import { Option } from "commander"
import { defaultStore } from "./terminal.ts"

/** Every command ends in an exit code. */
export type Done = (code: number) => void

export const format = (): Option =>
  new Option("--format <format>", "how to print").choices(["pretty", "json"]).default("pretty")

export const store = (): Option => new Option("--store <file>", "the journal, an SQLite file").default(defaultStore)

export const keptCatalog = (): Option =>
  new Option("--catalog <file>", "the catalog's module (default: the run's own, or the one in this folder)")

export const keptTools = (): Option =>
  new Option("--tools <file>", "the toolbox's module (default: the run's own, or the one beside the catalog)")

export const approvers = (): Option =>
  new Option(
    "--approvers <file>",
    "the keys of those who may approve, a JSON file (default: approvers.json beside the catalog)",
  )

/** Of what is found by its id, or listed. */
export const onlyOf = (): Option =>
  new Option("--tenant <name>", "only this tenant's: a run of another is as one that never was (default: everybody's)")

export const by = (description: string): Option => new Option("--by <name>", description).default(userName())

/** How a run may stand, as `runs` lists it; `due`: nobody is at work on it. */
export const statuses = [
  "due",
  "running",
  "awaiting_approval",
  "in_doubt",
  "succeeded",
  "failed",
  "cancelled",
  "exhausted",
  "damaged",
] as const

export type ListedStatus = (typeof statuses)[number]

export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ sequitur ${line}`).join("\n")}`

/** Who is logged in. Some machines have no name for their user. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return "unknown"
  }
}
