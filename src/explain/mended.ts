/** What was mended in a plan, how its text was changed for it, and what the compiler says of it now. */
import type { Compiled } from "../compile.ts"
import type { Diagnostic } from "../diagnostic/diagnostic.ts"
import { explainDiff } from "./diff.ts"
import { type Look, paint } from "./look.ts"
import { clip } from "./printable.ts"
import { explainVerdict } from "./verdict.ts"

export interface MendedText {
  readonly name: string
  readonly before: string
  readonly after: string
  /** What was mended. */
  readonly diagnostics: readonly Diagnostic[]
  /** What came of the text after. */
  readonly compiled: Compiled
  /** Where the text after now stands, if it was written. */
  readonly writtenTo: string | undefined
}

/** Columns of one fault that was mended. */
const sentence = 1_000

export function explainMended(mended: MendedText, look: Look): string {
  const { name, before, after, diagnostics, compiled, writtenTo } = mended
  const faults = diagnostics.map(({ code, at, message }) => {
    const place = [name, at].filter((part) => part !== "").join(" ")
    return `${paint(look, ["bold", "green"], `mended ${code}`)} ${clip(`${place}: ${message}`, sentence)}`
  })
  const spoken = { name: writtenTo ?? `${name} (mended)`, text: after }
  const end =
    writtenTo !== undefined
      ? `written  ${writtenTo}`
      : `nothing was written: ${name} is refused as it stands; --write writes what is mended`
  return [...faults, explainDiff(before, after, name, look), "", explainVerdict(compiled, spoken, look), end].join("\n")
}
