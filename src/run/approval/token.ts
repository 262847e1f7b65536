/**
 * A person's decision as a token: a compact JWS (RFC 7515) by EdDSA over Ed25519 (RFC 8037), bound to one request of one run.
 * Who decided is the key's owner in the host's key set, never a claim; the header chooses nothing but which key that is.
 */
import { type Static, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { CompactSign, type CryptoKey, compactVerify, type JWK } from "jose"
import { canonical } from "../../text/canonical.ts"
import { readJson } from "../../text/read-json.ts"
import {
  ApprovalEarly,
  ApprovalExpired,
  ApprovalMismatch,
  ApproversUnavailable,
  ApproverUnknown,
  TokenRefused,
} from "../failure.ts"
import { type Approver, type FindApprover, isUsable } from "./key-set.ts"

const closed = { additionalProperties: false } as const
const name = Type.String({ minLength: 1, maxLength: 512 })
const digest = Type.String({ pattern: "^[0-9a-f]{64}$" })

/** What a decision is about. Each of these must be equal in the token and in the request that waits. */
const BoundShape = {
  request: name,
  run: name,
  tenant: name,
  /** SHA-256 of the plan, and of the slice of the catalog that it uses. */
  plan: digest,
  catalog: digest,
  step: name,
  /** Of what would be called, with its resolved arguments, as the request has it. */
  inputs: digest,
}

/** NumericDate (RFC 7519): whole seconds since the epoch. */
const numericDate = Type.Integer({ minimum: 0, maximum: 253_402_300_799 })

const ClaimsShape = Type.Object(
  {
    ...BoundShape,
    /** Of a whole plan: by dimension, the most that its run may come to. */
    blast: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
    /** Of a whole plan: who is to run it. What it is bound to is the digest; this tells what differs where that does. */
    principal: Type.Optional(Type.Object({ subject: name, roles: Type.Array(name) }, closed)),
    decision: Type.Union([Type.Literal("approved"), Type.Literal("denied")]),
    reason: Type.String({ maxLength: 1_000 }),
    /** Not before, and not at or after. */
    nbf: numericDate,
    exp: numericDate,
  },
  closed,
)

export type Claims = Static<typeof ClaimsShape>
export type Bound = Omit<Claims, "decision" | "reason" | "nbf" | "exp">

const HeaderShape = Type.Object(
  { alg: Type.Literal("EdDSA"), kid: name, typ: Type.Literal("sequitur-approval") },
  closed,
)

/** What a token may be at most, in characters. */
const tokenMax = 8_192
const bounds = { textBytes: tokenMax, depth: 3, nodes: 300, stringBytes: tokenMax }

export interface Signer {
  /** Names the key in the host's key set. */
  readonly kid: string
  /** An Ed25519 private key: as a JWK it has `kty: "OKP"`, `crv: "Ed25519"`, `x` and `d`. */
  readonly key: CryptoKey | JWK
}

/** Signs a decision. Where the key is none for EdDSA, it rejects as the library does. */
export function sign(claims: Claims, { kid, key }: Signer): Promise<string> {
  return new CompactSign(new TextEncoder().encode(canonical(claims)))
    .setProtectedHeader({ alg: "EdDSA", kid, typ: "sequitur-approval" })
    .sign(key)
}

export interface Verified {
  readonly claims: Claims
  readonly kid: string
  readonly approver: Approver
}

export type TokenFailure =
  | ApproversUnavailable
  | TokenRefused
  | ApproverUnknown
  | ApprovalMismatch
  | ApprovalEarly
  | ApprovalExpired

/** What the token says, if it is one of somebody's whom the host knows, and it is about this very request, now. */
export async function verify(
  token: unknown,
  bound: Bound,
  find: FindApprover,
  nowMs: number,
): Promise<Verified | TokenFailure> {
  const { run: runId, step: stepId } = bound
  const signed = await verifySigned(token, { runId, stepId }, find, nowMs)
  if (signed instanceof Error) return signed
  const { claims } = signed
  for (const field of Object.keys(BoundShape) as readonly (keyof typeof BoundShape)[]) {
    // The digest of the inputs holds whose run it is, but cannot say that this is what differs. Older tokens have it alone.
    if (field === "inputs" && claims.principal !== undefined && !isSame(claims.principal, bound.principal))
      return new ApprovalMismatch({ runId, stepId, field: "principal" })
    if (claims[field] !== bound[field]) return new ApprovalMismatch({ runId, stepId, field })
  }
  if (!isSame(claims.blast, bound.blast)) return new ApprovalMismatch({ runId, stepId, field: "blast" })
  const at = (seconds: number): string => new Date(seconds * 1_000).toISOString()
  if (nowMs < claims.nbf * 1_000) return new ApprovalEarly({ runId, stepId, at: at(claims.nbf) })
  if (nowMs >= claims.exp * 1_000) return new ApprovalExpired({ runId, stepId, at: at(claims.exp) })
  return signed
}

const isSame = (one: Claims["blast"] | Claims["principal"], other: typeof one): boolean =>
  canonical(one ?? null) === canonical(other ?? null)

/** What the token says, if somebody has signed it whom the host knows now, whatever it is about. */
export async function verifySigned(
  token: unknown,
  about: { readonly runId: string; readonly stepId: string },
  find: FindApprover,
  nowMs: number,
): Promise<Verified | ApproversUnavailable | TokenRefused | ApproverUnknown> {
  const refuse = (problem: string): TokenRefused => new TokenRefused({ ...about, problem })
  const header = readHeader(token)
  if (typeof header === "string") return refuse(header)
  const { kid } = header
  const approver = await find(kid).catch((error: unknown) => {
    if (error instanceof ApproversUnavailable) return error
    throw error
  })
  if (approver instanceof ApproversUnavailable) return approver
  if (approver === undefined) return new ApproverUnknown({ ...about, kid, problem: "is not in the key set" })
  if (!isUsable(approver)) return new ApproverUnknown({ ...about, kid, problem: developmentOnly })
  const { notBeforeMs = 0, revokedAtMs = Number.POSITIVE_INFINITY } = approver
  if (nowMs >= revokedAtMs) return new ApproverUnknown({ ...about, kid, problem: "is revoked" })
  if (nowMs < notBeforeMs) return new ApproverUnknown({ ...about, kid, problem: "is not in use yet" })
  const payload = await payloadOf(token as string, approver)
  if (payload === undefined) return refuse(`is not signed by the key \`${kid}\``)
  const claims = readPart(payload, ClaimsShape)
  return claims === undefined ? refuse("does not say what an approval says") : { claims, kid, approver }
}

const developmentOnly =
  "is one of development (`keygen --development`), and counts only where NODE_ENV is `development` or `test`"

/** What a token says it is about, before anything of it is believed: where to look. */
export function peek(token: unknown): Claims | undefined {
  if (typeof token !== "string" || token.length > tokenMax) return undefined
  return readPart(decode(token.split(".")[1] ?? ""), ClaimsShape)
}

/** The protected header, read before anything is believed; or why it is none of ours. */
function readHeader(token: unknown): Static<typeof HeaderShape> | string {
  if (typeof token !== "string") return "is not a text"
  if (token.length > tokenMax) return `is longer than ${tokenMax} characters`
  const parts = token.split(".")
  if (parts.length !== 3) return "is not a compact JWS: three parts with dots between them"
  const bytes = parts.map(decode)
  if (bytes.some((part) => part === undefined)) return "is not in base64url, or not in its one canonical form"
  return readPart(bytes[0], HeaderShape) ?? "has another header than `alg: EdDSA`, `kid` and `typ: sequitur-approval`"
}

/** Base64url without padding, spare bits or other letters: two texts are never the same token. */
function decode(part: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return undefined
  const bytes = Buffer.from(part, "base64url")
  return bytes.toString("base64url") === part ? bytes : undefined
}

function readPart<Shape extends typeof HeaderShape | typeof ClaimsShape>(
  bytes: Uint8Array | undefined,
  shape: Shape,
): Static<Shape> | undefined {
  const read = bytes && readJson(bytes, bounds)
  return read?.ok === true && Value.Check(shape, read.value) ? (read.value as Static<Shape>) : undefined
}

async function payloadOf(token: string, { publicKey }: Approver): Promise<Uint8Array | undefined> {
  try {
    return (await compactVerify(token, publicKey, { algorithms: ["EdDSA"] })).payload
  } catch {
    return undefined
  }
}
