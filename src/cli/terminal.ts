/** Where the command line speaks: what was asked for on standard output, what went wrong on standard error. */
import { styleText } from "node:util"
import type { Look } from "../explain/look.ts"
import { clip } from "../explain/printable.ts"
import { escapeHiddenJson } from "../text/escape.ts"
import { ownWords, Secrets } from "../text/secrets.ts"

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

/**
 * What this process knows to be secret, of whatever plan or run it has read. Each view hides what is marked in it; here, where
 * everything goes out, nothing gets by that was missed.
 */
export const secrets = new Secrets()

/** In a text of ours a short secret is also part of other words. */
const longSecret = 8

export function print(text: string): void {
  process.stdout.write(`${secrets.scrub(text, longSecret)}\n`)
}

/** On one line, or laid out by the `indent` given. A terminal may be reading this too. */
export function printJson(value: unknown, indent?: number): void {
  const scrub = (key: string, inner: unknown): unknown =>
    typeof inner === "string" && !ownWords.has(key) ? secrets.scrub(inner) : inner
  process.stdout.write(`${escapeHiddenJson(JSON.stringify(value, scrub, indent))}\n`)
}

export function complain(message: string): void {
  process.stderr.write(`${secrets.scrub(message)}\n`)
}

const longestReason = 500

/** Why something failed, in one safe line: messages of other people's code are theirs. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return clip(message.trim().replace(/\s*\n\s*/g, " "), longestReason)
}
