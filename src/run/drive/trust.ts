/** What a call is trusted with, before anything says that it is made: an intent without it would be one that cannot be kept. */
import * as Effect from "effect/Effect"
import type { Calling } from "../call/call.ts"
import { type AskedFor, getCredentials } from "../call/credentials.ts"
import type { RunFailure } from "../failure.ts"
import type { Desk } from "./desk.ts"

export type Trusted = Pick<Calling, "credentials">

/** What came before is written down first: whoever is asked may take a while. */
export function* trust(
  { book, worker, credentials: provider }: Desk,
  call: Calling,
  purpose: AskedFor["for"] = call.undoes === true ? "undo" : "call",
): Effect.fn.Return<Trusted | "look-again", RunFailure> {
  if (provider === undefined) return {}
  if ((yield* book.flush()) === "overtaken") return "look-again"
  return { credentials: yield* Effect.interruptible(getCredentials(worker, provider, call, purpose)) }
}
