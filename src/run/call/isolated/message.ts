/** What goes between a runner and the process of an isolated handler. */
import type { Bounds } from "../../../text/bounds.ts"
import type { Json } from "../../../text/json.ts"
import type { Answer } from "../ending.ts"
import type { Taken } from "../take.ts"
import type { Facts } from "../told.ts"
import type { Start } from "./start.ts"

/** The handler that a process is for. It is told by the words of its command, so that a list of processes shows it. */
export interface Station {
  readonly module: string
  readonly name: string
}

export interface Guarded {
  /** The process that it answers to. */
  readonly parent: number
  readonly memoryMb: number
}

/** A process does one call at a time. */
export type Order = ({ readonly kind: "begin"; readonly call: number } & Call) | { readonly kind: "abort" }

export interface Call<For extends keyof Taken = keyof Taken> {
  readonly for: For
  readonly inputs: readonly Json[]
  readonly facts: Facts
  readonly bounds: Bounds
  /** Of an effect. */
  readonly start: Start | undefined
}

export type Report =
  /** The handler is about to be called: before this nothing can have happened by it. */
  | { readonly kind: "began"; readonly call: number }
  | { readonly kind: "answered"; readonly call: number; readonly answer: Answer<Taken[keyof Taken]> }
  /** Something failed that no call waits for: whose it is cannot be told. */
  | { readonly kind: "stray" }
