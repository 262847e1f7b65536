/** One call of a tool: what must be known to make it, and what the calls of one run have in common. */
import type { Context } from "effect/Context"
import type { Schema } from "../../catalog/schema/schema.ts"
import type { Observed } from "../../journal/entry.ts"
import type { Bounds } from "../../text/bounds.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import type { Principal, ToolHandlers } from "../toolbox.ts"
import type { Watch } from "./watch.ts"

/** A call of a step, or one that undoes it. */
export interface Calling {
  readonly stepId: string
  readonly tool: CalledTool
  /** 1 for the first. */
  readonly attempt: number
  readonly args: JsonObject
  /** Of an effect. */
  readonly idempotencyKey?: string | undefined
  readonly undoes?: true | undefined
  /** What the call is trusted with: it is written down nowhere. */
  readonly credentials?: Json | undefined
}

/** What the journal knows of a tool suffices, where the catalog does not have it any more. */
export interface CalledTool {
  readonly name: string
  readonly mutates: boolean
  readonly timeoutMs: number
  readonly result: Schema | undefined
  /** Its toolbox looks at each call before it is made. */
  readonly validate?: boolean
}

export interface Worker {
  readonly runId: string
  readonly principal: Required<Principal>
  readonly handlers: ReadonlyMap<string, ToolHandlers>
  readonly bounds: Bounds
  readonly watch: Watch
  readonly context: Context<never>
  /** Told what an effect said after it was given up (its time was up, or it was interrupted): at any time, from any turn. */
  readonly observe: (event: Observed) => void
  /** There while a read is under way: ends it at once, as interrupted. An effect is never cut off. */
  cutOff: (() => void) | undefined
}

/** How long a call may take, and what is used up when it takes longer: the tool's own time, or the run's. */
export interface TimeLimit {
  readonly ms: number
  readonly exhausts?: { readonly budget: "wallMs" | "deadlineMs"; readonly max: number }
  /** How much is left of the time in which it must be begun: asked for at the very edge. Below zero it is too late. */
  readonly leftMs?: () => number
}
