/** What went wrong, in a line or two on standard error, and the exit code for it. Never a trace. */
import { CommanderError } from "commander"
import { codes } from "../diagnostic/codes.ts"
import { clip } from "../explain/printable.ts"
import { complain, exit, reasonOf, UsageError } from "./terminal.ts"

/** A typed error of the run, seen without loading its classes. */
interface Refused {
  readonly code: string
  readonly message: string
  readonly hint: string
}

const isRefused = (error: unknown): error is Refused =>
  error instanceof Error && "code" in error && /^RUN\d{3}$/.test(String(error.code)) && "hint" in error

const exits: Readonly<Record<string, number>> = {
  // No such run, no usable store: a wrong name or a wrong file.
  RUN204: exit.usage,
  RUN501: exit.usage,
  RUN505: exit.usage,
  RUN206: exit.inDoubt,
}

export function tellTrouble(error: unknown): number {
  // Commander has said it already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exit.fine : exit.usage
  if (error instanceof UsageError) {
    complain(`error: ${error.message}`)
    return exit.usage
  }
  if (isRefused(error)) {
    complain(`error ${error.code}: ${clip(error.message, sentence)}\nhint: ${clip(error.hint, sentence)}`)
    return exits[error.code] ?? exit.refused
  }
  const { message, hint } = codes.SEQ901
  complain(`error SEQ901: ${message.replace("{what}", () => reasonOf(error))}\nhint: ${hint}`)
  return exit.refused
}

const sentence = 1_000
