import { escapeHidden } from "../text/escape.ts"
import type { Pointer } from "../text/pointer.ts"
import type { Range } from "../text/source.ts"
import { type Code, codes, type Params, type Severity } from "./codes.ts"
import type { JsonPatch } from "./patch.ts"

/** One thing to tell the author of a plan. Plain data: equal plans give equal diagnostics. */
export interface Diagnostic {
  readonly code: Code
  readonly severity: Severity
  readonly message: string
  readonly hint: string
  /** Where, in the document (RFC 6901). Survives reformatting. */
  readonly at: Pointer
  /** Where, in the text. Absent for plans and catalogs that never were text. */
  readonly range?: Range
  /** The other places that belong to it: the first of two equal keys, the step that comes later. */
  readonly related?: readonly Related[]
  /** The one edit of the document that surely mends it, where there is one. A proposal: nobody applies it unasked. */
  readonly fix?: JsonPatch
}

export interface Related {
  readonly at: Pointer
  readonly message: string
  readonly range?: Range
}

export interface Place {
  /** Underline the key, not the value: the fault is in the name. */
  readonly part?: "key"
  readonly related?: readonly Related[]
  /** Asked only for diagnostics that are shown: a fix may cost more than finding the fault. */
  readonly mend?: () => JsonPatch | undefined
}

/** A diagnostic that knows what to underline and how it would be mended, before either has been looked up. */
export type Unplaced = Diagnostic & Pick<Place, "part" | "mend">

export function diagnose<C extends Code>(code: C, at: Pointer, params: Params<C>, place: Place = {}): Unplaced {
  const { severity, message, hint } = codes[code]
  return { code, severity, message: fill(message, params), hint: fill(hint, params), at, ...place }
}

/** Puts parameters into the holes of a template. What is no hole stays as it stands. */
function fill(template: string, params: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (hole, name: string) =>
    Object.hasOwn(params, name) ? shown(`${params[name]}`) : hole,
  )
}

/** What an author wrote may be as long as a plan. */
const shown = (text: string): string => escapeHidden(text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text)
