import type { Diagnostic } from "./diagnostic.ts"

/** What a stage gives back: the value it made, or why it could make none. Warnings may ride along. */
export type Outcome<A> =
  | { readonly ok: true; readonly value: A; readonly diagnostics: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] }
