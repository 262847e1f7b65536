/** A code explained: what it means, why it matters, what to do. Templates are shown as they stand, holes and all. */
import { codes, type Severity } from "../diagnostic/codes.ts"
import { runCodes } from "../journal/codes.ts"
import { type Look, paint, severityFormat } from "./look.ts"

/** Codes of the compiler (SEQ…) and of the run (RUN…) alike. */
export interface CodeView {
  readonly code: string
  /** How bad; failures of a run are errors. */
  readonly severity: Severity
  readonly title: string
  readonly message: string
  readonly hint: string
  readonly why: string
  /** Of failures of a run: whether the same may be tried again, without a person looking first. */
  readonly again?: boolean
}

/** Every code there is, in order. */
export function viewCodes(): readonly CodeView[] {
  return [
    ...Object.entries(codes).map(([code, entry]): CodeView => ({ code, ...entry })),
    ...Object.entries(runCodes).map(([code, { title, message, hint, why, again }]): CodeView => {
      return { code, severity: "error", title, message, hint, why, again }
    }),
  ]
}

export function explainCode({ code, severity, title, message, hint, why, again }: CodeView, look: Look): string {
  const part = (name: string, text: string): string => `  ${paint(look, "bold", name.padEnd(8))}${text}`
  return [
    `${paint(look, severityFormat[severity], `${severity} ${code}`)}  ${title}`,
    part("what", message),
    part("why", why),
    part("do", /^\{\w+\}$/.test(hint) ? "what helps depends on the plan: the diagnostic says it" : hint),
    ...(again === undefined
      ? []
      : [part("again", again ? "the same may be tried again" : "not before a person has looked")]),
  ].join("\n")
}

/** One line a code. */
export function listCodes(codes: readonly CodeView[], look: Look): string {
  return codes
    .map(
      ({ code, severity, title }) => `${code}  ${paint(look, severityFormat[severity], severity.padEnd(8))}  ${title}`,
    )
    .join("\n")
}
