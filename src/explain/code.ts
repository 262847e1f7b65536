/** A code explained: what it means, why it matters, what to do. Programs get the templates as they stand, holes and all. */
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
  /** For an end user of the host's product. */
  readonly plain: string
  /** What to do in general, where `hint` can only be said of a given plan or run. */
  readonly advice?: string
  /** Of failures of a run: whether the same may be tried again, without a person looking first. */
  readonly again?: boolean
}

/** Every code there is, in order. */
export function viewCodes(): readonly CodeView[] {
  return [
    ...Object.entries(codes).map(([code, entry]): CodeView => ({ code, ...entry })),
    ...Object.entries(runCodes).map(([code, { tag: _, again, ...entry }]): CodeView => {
      return { code, severity: "error", ...entry, again }
    }),
  ]
}

export function explainCode(view: CodeView, look: Look): string {
  const { code, severity, title, message, hint, why, plain, advice, again } = view
  const part = (name: string, text: string): string => `  ${paint(look, "bold", name.padEnd(8))}${text}`
  return [
    `${paint(look, severityFormat[severity], `${severity} ${code}`)}  ${title}`,
    part("what", sayTemplate(message)),
    part("why", sayTemplate(why)),
    part("do", advice ?? sayTemplate(hint)),
    part("users", plain),
    ...(again === undefined
      ? []
      : [part("again", again ? "the same may be tried again" : "not before a person has looked")]),
  ].join("\n")
}

/** A hole is filled in where the code is given: `{stepId}` is shown as ‹step id›. What is one hole says nothing yet. */
function sayTemplate(template: string): string {
  if (/^\{\w+\}$/.test(template)) return "depends on the case: it is told where the code is given"
  return template.replace(/(`?)\{(\w+)\}\1/g, (_, _quote, name: string) => `‹${inWords(name)}›`)
}

const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** One line a code. */
export function listCodes(codes: readonly CodeView[], look: Look): string {
  return codes
    .map(
      ({ code, severity, title }) => `${code}  ${paint(look, severityFormat[severity], severity.padEnd(8))}  ${title}`,
    )
    .join("\n")
}
