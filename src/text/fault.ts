import type { Pointer } from "./pointer.ts"
import type { Range } from "./source.ts"

/** Why a text is no plan we may read. The road stops at the first. */
export type TextFault = TextFaultKind & { readonly at: Pointer; readonly range: Range }

export type TextFaultKind =
  | { readonly kind: "syntax"; readonly expected: string; readonly found: string }
  /** The text ends inside a value: a planner cut off by its token limit, most often. */
  | { readonly kind: "cut-short"; readonly expected: string }
  /** The same key twice in one object, compared after unescaping. `range` is the second, `first` the first. */
  | { readonly kind: "key-twice"; readonly key: string; readonly first: Range }
  /** `written`, here and below, is cut where it is long. */
  | { readonly kind: "integer-too-large"; readonly written: string }
  | { readonly kind: "number-overflow"; readonly written: string }
  | { readonly kind: "number-underflow"; readonly written: string }
  /** A surrogate without its partner, raw or escaped. */
  | { readonly kind: "ill-formed-unicode"; readonly written: string }
  | { readonly kind: "not-utf8" }
  | { readonly kind: "hostile-key"; readonly key: string }
  | { readonly kind: "nul-in-key"; readonly key: string }
  | { readonly kind: "byte-order-mark" }
  /** `bytes` is at least so many: a text far too long is not counted to its end. */
  | { readonly kind: "too-large"; readonly bytes: number; readonly max: number }
  | { readonly kind: "too-deep"; readonly max: number }
  | { readonly kind: "too-many-nodes"; readonly max: number }
  | { readonly kind: "string-too-long"; readonly max: number }
  /** A code fence or prose round what may be JSON. */
  | { readonly kind: "wrapped"; readonly how: "fence" | "prose" }
  /** Something after the one JSON value. */
  | { readonly kind: "trailing"; readonly found: string }
