/** What lies before whoever drives a run, looked up once for all its steps. */
import type { Clock } from "effect/Clock"
import type { Event } from "../../journal/entry.ts"
import type { FindApprover } from "../approval/key-set.ts"
import type { Worker } from "../call/call.ts"
import type { CredentialsProvider } from "../call/credentials.ts"
import type { StalePlan } from "../failure.ts"
import type { IdsService } from "../ids.ts"
import type { ReadyPlan } from "../next/prepare.ts"
import type { Book } from "./book.ts"
import type { Register } from "./look-up.ts"
import type { Pulse } from "./pulse.ts"

export interface Desk {
  readonly ready: ReadyPlan | undefined
  readonly stale: StalePlan | undefined
  readonly book: Book
  readonly worker: Worker
  readonly clock: Clock
  readonly ids: IdsService
  readonly pulse: Pulse
  readonly register: Register
  /** Where those who may approve are looked up; undefined where the host has named none. */
  readonly approvers: FindApprover | undefined
  readonly credentials: CredentialsProvider | undefined
  /** Whether something that the run asked the store for was taken: from then on it looks before it asks. */
  cautious: boolean
  /** What was read again, in this process, for the call that is about to be made: by then it is as fresh as it can be. */
  fresh: { readonly call: string; readonly reads: ReadonlySet<string> }
  /** Whether the run must be let go of before its next step. */
  readonly stopping: () => boolean
}

/** An event to be added; or to decide anew; or to stop here. */
export type Acted = Event | "look-again" | "rest"
