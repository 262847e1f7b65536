/** Making a decision out of what a person was shown, and looking at one: for whoever asks people, in whatever process has the keys. */
import type { CryptoKey, JWK } from "jose"
import { approversIn, type KeySet } from "./key-set.ts"
import { type Bound, sign, type Verified, verify } from "./token.ts"

export interface IssueOptions {
  /** What the decision is about, as the request that waits has it. */
  readonly bound: Bound
  readonly decision: "approved" | "denied"
  readonly reason?: string
  /** Names the key in the host's key set; and the private key itself, an Ed25519 JWK. Whoever has it can approve. */
  readonly kid: string
  readonly key: JWK | CryptoKey
  /** From when and until when it counts, in milliseconds since the epoch. Default: from now, for an hour. */
  readonly notBeforeMs?: number
  readonly expiresAtMs?: number
}

const hourMs = 3_600_000

/**
 * A signed decision: a compact JWS, to be handed to `runner.approve`, `deny` or `approvals.answer`. It rejects where the key is
 * none for EdDSA over Ed25519, and where it would never count.
 */
export async function issueApproval(options: IssueOptions): Promise<string> {
  const { bound, decision, reason = "", kid, key, notBeforeMs = Date.now() } = options
  const { expiresAtMs = notBeforeMs + hourMs } = options
  if (!(expiresAtMs > notBeforeMs))
    throw new RangeError(`\`expiresAtMs\` (${expiresAtMs}) must be later than \`notBeforeMs\` (${notBeforeMs})`)
  const claims = {
    ...bound,
    decision,
    reason,
    nbf: Math.floor(notBeforeMs / 1_000),
    exp: Math.ceil(expiresAtMs / 1_000),
  }
  return sign(claims, { kid, key })
}

export interface VerifyOptions {
  /** What it must be about, as the request has it. */
  readonly bound: Bound
  readonly approvers: KeySet
  /** In milliseconds since the epoch. Default: now. */
  readonly nowMs?: number
}

/**
 * What a token says and whose it is, where it would count now for what it must be about; otherwise it rejects, with the same typed
 * errors as a run. Nothing is written or used up: whether they may decide this is for the run to say.
 */
export async function verifyApproval(token: string, { bound, approvers, nowMs }: VerifyOptions): Promise<Verified> {
  const found = await verify(token, bound, approversIn(approvers), nowMs ?? Date.now())
  if (found instanceof Error) throw found
  return found
}
