/** What went wrong, in a line or two on standard error, and the exit code for it; for programs also as JSON, as the last line of
 *  standard output. Never a trace. */
import { CommanderError } from "commander"
import { codes } from "../diagnostic/codes.ts"
import { clip } from "../explain/printable.ts"
import { isRefused } from "./advice.ts"
import { complain, exit, printJson, reasonOf, UsageError } from "./terminal.ts"

export interface Trouble {
  /** SEQ…, RUN…, or a word where neither the compiler nor the run has spoken. */
  readonly code: string
  readonly message: string
  readonly hint: string | null
}

const exits: Readonly<Record<string, number>> = {
  usage: exit.usage,
  // What was handed to the run, its name or its store: the call is wrong, not the run.
  RUN201: exit.usage,
  RUN204: exit.usage,
  RUN501: exit.usage,
  RUN505: exit.usage,
  // An effect of which nobody has written down what came of it.
  RUN206: exit.inDoubt,
  RUN506: exit.inDoubt,
}

export function tellTrouble(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    // Commander has said it already.
    const { exitCode, message } = error
    if (exitCode !== 0 && json) printTrouble({ code: "usage", message: message.replace(/^error: /, ""), hint: null })
    return exitCode === 0 ? exit.fine : exit.usage
  }
  const trouble = troubleOf(error)
  tellError(trouble, json)
  return exits[trouble.code] ?? exit.refused
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof UsageError) return { code: "usage", message: error.message, hint: null }
  if (isRefused(error)) return { code: error.code, message: error.message, hint: error.hint }
  const { message, hint } = codes.SEQ901
  return { code: "SEQ901", message: message.replace("{what}", () => reasonOf(error)), hint }
}

export function tellError(trouble: Trouble, json: boolean): void {
  const { code, message, hint } = trouble
  const name = /^(SEQ|RUN)/.test(code) ? ` ${code}` : ""
  complain(`error${name}: ${clip(message, sentence)}`)
  if (hint !== null) complain(`hint: ${clip(hint, sentence)}`)
  if (json) printTrouble(trouble)
}

export const printTrouble = ({ code, message, hint }: Trouble): void => printJson({ error: { code, message, hint } })

const sentence = 1_000
