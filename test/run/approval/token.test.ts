/** Approval tokens: what is signed counts for the very thing it is about, and nothing that was not signed counts at all. */
import fc from "fast-check"
import { CompactSign, type CryptoKey, compactVerify, type JWK } from "jose"
import { describe, expect, test } from "vitest"
import { type Approver, approversIn, generateKeys } from "../../../src/run/approval/key-set.ts"
import { type Bound, type Claims, sign, verify } from "../../../src/run/approval/token.ts"
import { hasData, readData } from "../../data.ts"

const now = Date.parse("2026-03-01T12:00:00Z")
const seconds = now / 1_000

const keys = generateKeys()
const eve: Approver = {
  kid: keys.kid,
  publicKey: keys.publicKey,
  subject: "eve",
  tenant: "acme",
  roles: ["support-lead"],
}
const bound: Bound = {
  request: "apr_1",
  run: "run_1",
  tenant: "acme",
  plan: "a".repeat(64),
  catalog: "b".repeat(64),
  step: "refund",
  inputs: "c".repeat(64),
}
const claims: Claims = { ...bound, decision: "approved", reason: "asked for", nbf: seconds - 60, exp: seconds + 60 }
const signer = { kid: keys.kid, key: keys.privateKey as JWK }
const find = approversIn([eve])
const tagOf = (found: object): string => ("_tag" in found ? `${found._tag}` : "verified")
const judge = async (token: unknown, about = bound, at = now, by = find): Promise<string> =>
  tagOf(await verify(token, about, by, at))

const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url")

test("a signed decision is what its owner said", async () => {
  const found = await verify(await sign(claims, signer), bound, find, now)
  expect(found).toEqual({ claims, kid: keys.kid, approver: eve })
})

describe("refused by name, and told apart", () => {
  test("what it is about: each field", async () => {
    const token = await sign(claims, signer)
    for (const field of ["request", "run", "tenant", "plan", "catalog", "step", "inputs"] as const) {
      const other = { ...bound, [field]: field.length > 4 && bound[field].length === 64 ? "d".repeat(64) : "other" }
      const found = await verify(token, other, find, now)
      expect(found).toMatchObject({ _tag: "ApprovalMismatch", fields: { field } })
    }
  })

  test("when: early, expired, at the very edges", async () => {
    const token = await sign(claims, signer)
    const at = (ms: number): Promise<string> => judge(token, bound, ms)
    expect(await at((claims.nbf - 1) * 1_000)).toBe("ApprovalEarly")
    expect(await at(claims.nbf * 1_000 - 1)).toBe("ApprovalEarly")
    expect(await at(claims.nbf * 1_000)).toBe("verified")
    expect(await at(claims.exp * 1_000 - 1)).toBe("verified")
    expect(await at(claims.exp * 1_000)).toBe("ApprovalExpired")
  })

  test("whose: unknown, ambiguous, revoked, not in use yet, of development, a key set that throws or answers rubbish", async () => {
    const token = await sign(claims, signer)
    const by = (keySet: Parameters<typeof approversIn>[0]): Promise<string> =>
      judge(token, bound, now, approversIn(keySet))
    expect(await by([])).toBe("ApproverUnknown")
    expect(await by([eve, { ...eve, subject: "mallory" }])).toBe("ApproverUnknown")
    expect(await by([{ ...eve, revokedAtMs: now }])).toBe("ApproverUnknown")
    expect(await by([{ ...eve, revokedAtMs: now + 1 }])).toBe("verified")
    expect(await by([{ ...eve, notBeforeMs: now + 1 }])).toBe("ApproverUnknown")
    expect(await by(() => ({ ...eve, kid: "another" }))).toBe("ApproverUnknown")
    expect(await by(() => ({ ...eve, publicKey: keys.privateKey }) as never)).toBe("ApproverUnknown")
    // What cannot be looked up now may be there later: that is no word on the token.
    expect(await by(() => Promise.reject(new Error("down")))).toBe("ApproversUnavailable")
    const thrown = (): never => {
      throw new Error("down")
    }
    expect(await by(thrown)).toBe("ApproversUnavailable")
    expect(await by(async () => eve)).toBe("verified")
  })

  test("a key of development counts only where the process says that it is one", async () => {
    const token = await sign(claims, signer)
    const by = approversIn([{ ...eve, development: true }])
    const before = process.env.NODE_ENV
    try {
      process.env.NODE_ENV = "production"
      expect(await judge(token, bound, now, by)).toBe("ApproverUnknown")
      expect(await verify(token, bound, by, now)).toMatchObject({ message: expect.stringContaining("NODE_ENV") })
      process.env.NODE_ENV = "development"
      expect(await judge(token, bound, now, by)).toBe("verified")
    } finally {
      process.env.NODE_ENV = before
    }
  })

  test("another key by the same name", async () => {
    const other = generateKeys()
    expect(await judge(await sign(claims, { kid: keys.kid, key: other.privateKey as JWK }))).toBe("TokenRefused")
  })

  test("claims that are none of ours, signed or not", async () => {
    const make = (payload: unknown): Promise<string> =>
      new CompactSign(Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)))
        .setProtectedHeader({ alg: "EdDSA", kid: keys.kid, typ: "sequitur-approval" })
        .sign(keys.privateKey as JWK)
    const { reason: _, ...short } = claims
    const strange = [
      { ...claims, roles: ["admin"] },
      short,
      { ...claims, exp: `${claims.exp}` },
      { ...claims, exp: claims.exp + 0.5 },
      { ...claims, decision: "APPROVED" },
      [claims],
      JSON.stringify(claims).replace("{", '{"decision":"approved",'),
      "null",
      "not json",
    ]
    for (const payload of strange) expect(await judge(await make(payload))).toBe("TokenRefused")
  })

  test("any text whatever", async () => {
    for (const token of [undefined, null, 7, {}, "", "a", "..", "a.b.c", "a.b", "a.b.c.d", "x".repeat(9_000)])
      expect(await judge(token)).toBe("TokenRefused")
    await fc.assert(fc.asyncProperty(fc.string(), async (token) => (await judge(token)) === "TokenRefused"))
  })
})

describe("attacks on a JWS, as EdDSA", () => {
  const parts = async (): Promise<[string, string, string]> => (await sign(claims, signer)).split(".") as never

  test("the header chooses nothing: none, other algorithms, keys and hints of its own, critical extensions", async () => {
    const [, payload, signature] = await parts()
    const right = { alg: "EdDSA", kid: keys.kid, typ: "sequitur-approval" }
    const headers = [
      { ...right, alg: "none" },
      { ...right, alg: "None" },
      { ...right, alg: "HS256" },
      { ...right, alg: "Ed25519" },
      { ...right, alg: "ES256" },
      { ...right, alg: ["EdDSA"] },
      { ...right, jwk: keys.publicKey },
      { ...right, jku: "https://example.com/keys" },
      { ...right, x5u: "https://example.com/chain" },
      { ...right, crit: ["b64"], b64: false },
      { ...right, kid: "../../x" },
      { ...right, kid: "" },
      { ...right, typ: "JWT" },
      { alg: right.alg, kid: right.kid },
      { alg: right.alg, typ: right.typ },
    ]
    for (const header of headers) {
      for (const end of [signature, "", "AA"]) {
        const found = await judge(`${encode(header)}.${payload}.${end}`)
        expect(["TokenRefused", "ApproverUnknown"]).toContain(found)
      }
    }
    const twice = `{"alg":"EdDSA","kid":"${keys.kid}","alg":"none","typ":"sequitur-approval"}`
    expect(await judge(`${encode(twice)}.${payload}.`)).toBe("TokenRefused")
  })

  test("HMAC with the public key as its secret", async () => {
    const secret = Buffer.from(keys.publicKey.x, "base64url")
    for (const alg of ["HS256", "EdDSA"]) {
      const header = { alg, kid: keys.kid, typ: "sequitur-approval" }
      const input = `${encode(header)}.${encode(claims)}`
      const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
      const tag = Buffer.from(await crypto.subtle.sign("HMAC", key, Buffer.from(input))).toString("base64url")
      expect(await judge(`${input}.${tag}`)).toBe("TokenRefused")
    }
  })

  test("any bit flipped, any character cut off or put in, padding, spare bits, the other alphabet", async () => {
    const token = await sign(claims, signer)
    const pieces = token.split(".")
    for (const [index, piece] of pieces.entries()) {
      const bytes = Buffer.from(piece, "base64url")
      for (let bit = 0; bit < bytes.length * 8; bit += index === 2 ? 1 : 7) {
        const flipped = Buffer.from(bytes)
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const other = pieces.with(index, flipped.toString("base64url")).join(".")
        expect(await judge(other)).not.toBe("verified")
      }
    }
    for (let end = token.length - 1; end > token.length - 90; end--)
      expect(await judge(token.slice(0, end))).toBe("TokenRefused")
    const [header, payload, signature] = pieces as [string, string, string]
    const spare = `${signature.slice(0, -1)}${signature.endsWith("w") ? "x" : String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1)}`
    const written = [
      `${token}=`,
      `${token}==`,
      `${token}\n`,
      ` ${token}`,
      `${header}.${payload}.${spare}`,
      token.replaceAll("-", "+").replaceAll("_", "/"),
      `${header}..${signature}`,
      `${header}.${payload}.${signature}.${signature}`,
    ].filter((one) => one !== token)
    for (const one of written) expect(await judge(one)).toBe("TokenRefused")
  })

  test("the signature plus the order of the group is not a second signature", async () => {
    const [header, payload, signature] = await parts()
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const bytes = Buffer.from(signature, "base64url")
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString("hex")}`) + order
    const raised = Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse()
    const other = Buffer.concat([bytes.subarray(0, 32), raised]).toString("base64url")
    expect(await judge(`${header}.${payload}.${other}`)).toBe("TokenRefused")
  })
})

interface Vectors {
  readonly testGroups: readonly {
    readonly publicKeyJwk?: JWK
    readonly public?: unknown
    readonly private?: unknown
    readonly tests: readonly {
      readonly tcId: number
      readonly msg: string
      readonly sig: string
      readonly jws?: string
      readonly result: string
    }[]
  }[]
}

describe.skipIf(!hasData)("Wycheproof", () => {
  const vectors = (file: string): Vectors => JSON.parse(readData(`wycheproof/testvectors_v1/${file}`))

  test("Ed25519 through the call that we use: what is no signature is none", async () => {
    let [accepted, refused] = [0, 0]
    for (const { publicKeyJwk, tests } of vectors("ed25519_test.json").testGroups) {
      const { kty, crv, x } = publicKeyJwk as JWK & { kty: "OKP" }
      for (const { tcId, msg, sig, result } of tests) {
        // A JWS signs its header and payload with a dot between them: the vectors' messages are not of that form, so that the
        // raw verification is asked through the same key import and algorithm.
        const right = await verifiesRaw({ kty, crv, x } as JWK, msg, sig)
        expect([tcId, right]).toEqual([tcId, result === "valid"])
        if (right) accepted += 1
        else refused += 1
      }
    }
    console.log(`wycheproof ed25519: ${accepted} accepted, ${refused} refused, 0 deviations`)
    expect(accepted + refused).toBe(151)
  })

  test("every JWS and JWK vector is refused at our door, for none of them is EdDSA", async () => {
    let count = 0
    for (const file of ["json_web_signature_test.json", "json_web_key_test.json", "json_web_crypto_test.json"]) {
      for (const { tests } of vectors(file).testGroups) {
        for (const { jws } of tests) {
          count += 1
          // Even where every key of the set were the one that signs.
          const found = await verify(jws, bound, async (kid) => ({ ...eve, kid }), now)
          expect(tagOf(found)).toBe("TokenRefused")
        }
      }
    }
    console.log(`wycheproof jws, jwk, jwcrypto: ${count} refused of ${count}`)
    expect(count).toBe(510)
  })
})

/** As `compactVerify` does it: the library's key import, then WebCrypto by `Ed25519`. */
async function verifiesRaw(jwk: JWK, message: string, signature: string): Promise<boolean> {
  const { importJWK } = await import("jose")
  try {
    const key = (await importJWK(jwk, "EdDSA")) as CryptoKey
    return await crypto.subtle.verify("Ed25519", key, Buffer.from(signature, "hex"), Buffer.from(message, "hex"))
  } catch {
    return false
  }
}

test("the library's own verification is the one that was asked", async () => {
  const token = await sign(claims, signer)
  const { payload } = await compactVerify(token, keys.publicKey, { algorithms: ["EdDSA"] })
  expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(claims)
})
