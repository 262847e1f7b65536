/** A diagnostic as people read it: what is wrong and where, the planner's own text, and what to do. */
import type { Diagnostic, Related } from "../diagnostic/diagnostic.ts"
import type { Range } from "../text/source.ts"
import { codeFrame } from "./frame.ts"
import { type Look, paint, severityFormat } from "./look.ts"
import { clip } from "./printable.ts"

/** What a diagnostic speaks about: a file's name, and its text where it was text. */
export interface Spoken {
  readonly name?: string
  readonly text?: string
}

/** A diagnostic, or what tsc says in its own words of a plan. */
export interface Told extends Omit<Diagnostic, "code"> {
  readonly code: Diagnostic["code"] | `TS${number}`
}

/** Columns of a message or hint: what the author wrote stands in them, and may be long. */
const sentence = 1_000

export function explainDiagnostic(diagnostic: Told, { name, text }: Spoken, look: Look): string {
  const { code, severity, message, hint, at, range, related = [] } = diagnostic
  const place = [where(name, range), clip(at, sentence)].filter((part) => part !== "")
  const head = paint(look, severityFormat[severity], `${severity} ${code}`)
  const lines = [
    place.length === 0 ? head : `${head} at ${place.join(" ")}`,
    `  ${paint(look, "bold", clip(message, sentence))}`,
    ...framed(text, range, look),
    ...related.flatMap((other) => explainRelated(other, text, look)),
  ]
  if (hint !== "") lines.push(`  ${paint(look, "cyan", "hint:")} ${clip(hint, sentence)}`)
  return lines.join("\n")
}

/** In one line, for what does not stand in a plan's way. */
export function sayDiagnostic({ code, severity, message, at, range }: Diagnostic, name: string, look: Look): string {
  const place = range === undefined ? `${clip(name, sentence)} ${clip(at, sentence)}`.trimEnd() : where(name, range)
  return `${paint(look, severityFormat[severity], `${severity} ${code}`)} ${place}: ${clip(message, sentence)}`
}

function explainRelated({ at, message, range }: Related, text: string | undefined, look: Look): readonly string[] {
  const place = [where(undefined, range), clip(at, sentence)].filter((part) => part !== "").join(" ")
  return [`  ${clip(message, sentence)}${place === "" ? "" : ` at ${place}`}`, ...framed(text, range, look)]
}

function where(name: string | undefined, range: Range | undefined): string {
  const file = name === undefined ? undefined : clip(name, sentence)
  const place = range && `${range.start.line}:${range.start.column}`
  return [file, place].filter((part) => part !== undefined).join(":")
}

function framed(text: string | undefined, range: Range | undefined, look: Look): readonly string[] {
  if (text === undefined || range === undefined) return []
  return codeFrame(text, range, { ...look, width: look.width - 2 })
    .split("\n")
    .map((line) => `  ${line}`)
}
