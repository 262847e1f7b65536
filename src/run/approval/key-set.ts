/** Who may approve: the host's key set. A key's owner, tenant and roles stand here and nowhere else. */
import { createHash, generateKeyPairSync, type JsonWebKey } from "node:crypto"
import { type Static, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { isSamePerson } from "../../journal/asked.ts"
import { canonical } from "../../text/canonical.ts"
import { copyJson } from "../../text/copy-json.ts"
import { ApproversUnavailable } from "../failure.ts"

/** An Ed25519 public key (RFC 8037). More than this, `d` above all, does not belong in a key set. */
const PublicKeyShape = Type.Object(
  { kty: Type.Literal("OKP"), crv: Type.Literal("Ed25519"), x: Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }) },
  { additionalProperties: false },
)

const ApproverShape = Type.Object(
  {
    kid: Type.String({ minLength: 1, maxLength: 512 }),
    publicKey: PublicKeyShape,
    subject: Type.String({ minLength: 1, maxLength: 512 }),
    tenant: Type.String({ minLength: 1, maxLength: 512 }),
    roles: Type.Array(Type.String({ minLength: 1, maxLength: 512 })),
    /** Milliseconds since the epoch. A new key is given before it is in use, an old one kept until it is not. */
    notBeforeMs: Type.Optional(Type.Number()),
    /** From then on nothing that it signed counts, whenever it was signed. */
    revokedAtMs: Type.Optional(Type.Number()),
    /** A key of `sequitur keygen --development`: refused where the process does not say that it is one of development. */
    development: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

export type Approver = Static<typeof ApproverShape>

/** Looks a key up by its `kid`. Asked again at each dispatch, so that a revocation is heard. */
export type FindApprover = (kid: string) => Promise<Approver | undefined>

/** The host's key set: as data, or as a function that knows more, or later. */
export type KeySet = readonly Approver[] | ((kid: string) => Approver | undefined | Promise<Approver | undefined>)

/** How long the host may take to look a key up, in milliseconds. */
const lookUpMs = 10_000

/**
 * `undefined` where the host knows none, or gives what is no approver: then nobody has approved. Where it throws, or does not
 * answer in time, nothing is known: that rejects, and may be tried again.
 */
export function approversIn(keySet: KeySet): FindApprover {
  const find = typeof keySet === "function" ? keySet : (kid: string) => findIn(keySet, kid)
  return async (kid) => {
    const found = await within(lookUpMs, async () => find(kid))
    try {
      const copied = found && copyJson(found, { depth: 4, nodes: 1_000, bytes: 65_536 }, { numbers: "finite" })
      if (copied?.ok !== true || !Value.Check(ApproverShape, copied.value)) return undefined
      const approver = copied.value as Approver
      return approver.kid === kid ? approver : undefined
    } catch {
      return undefined
    }
  }
}

async function within<A>(ms: number, ask: () => Promise<A>): Promise<A> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`it has not answered within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([ask(), late])
  } catch (error) {
    throw new ApproversUnavailable({ reason: error instanceof Error ? error.message : String(error) })
  } finally {
    clearTimeout(timer)
  }
}

/** Of two keys by one name nobody knows which is meant; of one key that two people have, who has signed. */
export function findIn(approvers: readonly Approver[], kid: string): Approver | undefined {
  const [found, ...more] = approvers.filter((approver) => approver?.kid === kid)
  if (found === undefined || more.length > 0) return undefined
  const shared = approvers.some(
    (other) => other?.publicKey?.x === found.publicKey?.x && !isSamePerson(`${other.subject}`, `${found.subject}`),
  )
  return shared ? undefined : found
}

/** What is wrong with a list of approvers, whatever it is; undefined where nothing is. */
export function faultIn(approvers: readonly unknown[]): string | undefined {
  for (const [index, approver] of approvers.entries()) {
    const fault = Value.Errors(ApproverShape, approver).First()
    if (fault !== undefined) return `entry ${index} at \`${fault.path || "/"}\`: ${fault.message.toLowerCase()}`
  }
  const known = approvers as readonly Approver[]
  const unusable = known.find(({ kid }) => findIn(known, kid) === undefined)
  return unusable && `the key \`${unusable.kid}\` stands there twice, or is the key of two people`
}

export const isUsable = ({ development }: Approver): boolean =>
  development !== true || process.env.NODE_ENV === "development" || process.env.NODE_ENV === "test"

export interface KeyPair {
  /** JWK thumbprint (RFC 7638) of the public key. */
  readonly kid: string
  readonly publicKey: Approver["publicKey"]
  /** The private key as a JWK. Whoever has it can approve. */
  readonly privateKey: JsonWebKey
}

/** A new Ed25519 key pair. */
export function generateKeys(): KeyPair {
  const { privateKey } = generateKeyPairSync("ed25519")
  const jwk = privateKey.export({ format: "jwk" })
  const publicKey = { kty: "OKP", crv: "Ed25519", x: `${jwk.x}` } as const
  const kid = createHash("sha256").update(canonical(publicKey)).digest("base64url")
  return { kid, publicKey, privateKey: jwk }
}
