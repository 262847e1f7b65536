/** The syntax tree. Each node carries the pointer it came from, so that a check can speak about it. */
import type { Pattern } from "../catalog/schema/pattern.ts"
import type { Document, Unread } from "../document/document.ts"
import type { Json } from "../text/json.ts"
import type { Pointer } from "../text/pointer.ts"
import type { Earlier } from "./earlier.ts"

export interface Plan {
  readonly document: Document
  readonly goal: string | undefined
  readonly steps: readonly Step[]
  /** Results of earlier runs that its steps read. */
  readonly earlier: Earlier
}

export type Step = Call | Transition

export interface Call {
  readonly kind: "call"
  readonly id: string
  readonly index: number
  readonly at: Pointer
  readonly tool: string
  readonly args: Expression
  /** Every `$from` in `args`, in the order written, those inside `where` and `$concat` too. */
  readonly reads: readonly Read[]
  readonly after: readonly Name[]
  /** The plan means to do the same thing again: 2 is the second time. */
  readonly occurrence: number
  readonly why: string | undefined
  /** What was at fault in its shape. Never in a compiled plan. */
  readonly unread?: readonly Unread[]
}

export interface Transition {
  readonly kind: "transition"
  readonly id: string
  readonly index: number
  readonly at: Pointer
  readonly to: string
  readonly after: readonly Name[]
  readonly why: string | undefined
  readonly unread?: readonly Unread[]
}

/** A step's id where another step names it. */
export interface Name {
  readonly id: string
  readonly at: Pointer
}

/** What stands in `args`, at any depth. Subtrees without a reference are one literal. */
export type Expression = Pattern<Hole>

/** An expression whose value is known only when the run gets there. */
export type Hole = Reference | Selection | Concat | Broken

/** An expression that could not be read, and was reported: later passes look past it. Never in a compiled plan. */
export interface Broken {
  readonly kind: "broken"
  readonly at: Pointer
}

export type Read = Reference | Selection

export interface Literal {
  readonly kind: "literal"
  readonly at: Pointer
  readonly value: Json
}

/** `{"$from": source, "path": pointer}` */
export interface Reference {
  readonly kind: "reference"
  readonly at: Pointer
  /** A step's id, `input`, or `run/step` of an earlier run. */
  readonly source: string
  /** RFC 6901, decoded: the way into the source's result. */
  readonly path: readonly string[]
}

/** `{"$from": source, "path": pointer, "where": {…}, "pick": pointer}`: the one element for which all are equal. */
export interface Selection {
  readonly kind: "selection"
  readonly at: Pointer
  readonly source: string
  readonly path: readonly string[]
  readonly where: readonly Match[]
  readonly pick: readonly string[]
}

export interface Match {
  readonly at: Pointer
  /** The way into the element. */
  readonly path: readonly string[]
  readonly value: Literal | Reference
}

/** `{"$concat": [part, …]}`: yields a string. */
export interface Concat {
  readonly kind: "concat"
  readonly at: Pointer
  readonly parts: readonly (Literal | Read)[]
}
