/** Where the command line speaks: what was asked for on standard output, what went wrong on standard error. */
import { styleText } from "node:util"
import type { Look } from "../explain/look.ts"
import { clip } from "../explain/printable.ts"
import { escapeHiddenJson } from "../text/escape.ts"

/** Exit codes, for scripts. Of several files, the worst (the highest) counts. */
export const exit = { fine: 0, refused: 1, usage: 2, awaiting: 3, inDoubt: 4, cancelled: 5, exhausted: 6 } as const

/** Exit codes of a process that was told to stop, as shells have it. */
export const signals = { SIGINT: 130, SIGTERM: 143 } as const

/** Of `--store`. */
export const defaultStore = "sequitur.db"

export type Format = "pretty" | "json"

/** A wrong call, or a file that cannot be used: told in one line, without a trace. */
export class UsageError extends Error {}

/** Colours only where the terminal has them; `NO_COLOR` and `FORCE_COLOR` are Node's to honour. */
export const lookOf = (stream: NodeJS.WriteStream): Look => ({
  color: styleText("red", "-", { stream }) !== "-",
  width: Math.min(Math.max(stream.columns ?? 120, 40), 160),
})

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** On one line, or laid out by the `indent` given. A terminal may be reading this too. */
export const printJson = (value: unknown, indent?: number): void =>
  print(escapeHiddenJson(JSON.stringify(value, null, indent)))

export function complain(message: string): void {
  process.stderr.write(`${message}\n`)
}

const longestReason = 500

/** Why something failed, in one safe line: messages of other people's code are theirs. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return clip(message.trim().replace(/\s*\n\s*/g, " "), longestReason)
}
