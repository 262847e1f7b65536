/** What is said of runs that came from another store before they had ended: two stores that go on with one make its effects twice. */
import { printable } from "../explain/printable.ts"
import type { Unended } from "../journal/unended.ts"
import { typed } from "./typed.ts"

/** Undefined where all have ended. */
export function tellUnended(unended: readonly Unended[], store: string): string | undefined {
  const [first] = unended
  if (first === undefined) return undefined
  const what =
    unended.length === 1 ? "1 run has not ended: it goes" : `${unended.length} runs have not ended: each goes`
  const { runId, doubt } = first
  const word = ["--applied", "<its result.json>", "--reason", "<how you know>", "--take-over"]
  const go =
    doubt === undefined
      ? typed("resume", [runId, "--take-over"], store)
      : typed("resolve", [runId, doubt, ...word], store)
  const inDoubt = doubt === undefined ? "" : ", or with `--not-applied`"
  return `${what} on here only when it is taken over, and must not go on in the store it comes from: \`${printable(go)}\`${inDoubt}`
}
