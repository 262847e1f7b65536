/**
 * The secret of a tenant that its idempotency keys are made with: without it nobody can hold a guess of the arguments against a key
 * that was seen outside. A run says in its first entry which secret it goes by, so that no other is taken for it.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { RunStarted } from "../journal/entry.ts"
import { sayFound } from "./admit.ts"
import { InputsRefused, KeySecretRefused } from "./failure.ts"

/** By tenant; undefined for one whose keys need none. Asked when a run is begun or taken up. */
export type KeySecret = (tenant: string) => string | Uint8Array | undefined

/** Bytes: a shorter one could be guessed itself. */
const shortest = 16

/** The secret for a new run of this tenant. */
export function secretOf(keySecret: KeySecret | undefined, tenant: string): Uint8Array | undefined | InputsRefused {
  if (keySecret === undefined) return undefined
  const asked = ask(keySecret, tenant)
  return typeof asked === "string"
    ? new InputsRefused({
        field: "`keySecret`",
        problem: asked,
        expected: `Give a function of the tenant that gives ${shortest} bytes or more, as bytes or a text, or undefined.`,
      })
    : asked.secret
}

/** What the first entry says of it: enough to know it again, and nothing to learn it by. */
export const noteOf = (secret: Uint8Array | undefined, tenant: string): Pick<RunStarted, "keyed"> =>
  secret === undefined ? {} : { keyed: hmac(secret, `["sequitur-keyed/1",${JSON.stringify(tenant)}]`) }

/** The secret that a run goes by; or why this process must not make keys for it. One that was begun without goes on without. */
export function secretFor(
  keySecret: KeySecret | undefined,
  runId: string,
  { tenant, keyed }: RunStarted,
): Uint8Array | undefined | KeySecretRefused {
  if (keyed === undefined) return undefined
  const refuse = (problem: string): KeySecretRefused => new KeySecretRefused({ runId, problem })
  if (keySecret === undefined) return refuse("this process has no `keySecret`")
  const asked = ask(keySecret, tenant)
  if (typeof asked === "string") return refuse(`\`keySecret\` ${asked}`)
  const { secret } = asked
  if (secret === undefined) return refuse("`keySecret` has none for its tenant")
  const mine = noteOf(secret, tenant).keyed ?? ""
  const same = mine.length === keyed.length && timingSafeEqual(Buffer.from(mine), Buffer.from(keyed))
  return same ? secret : refuse("`keySecret` gives another one for its tenant")
}

export const hmac = (secret: Uint8Array, text: string): string =>
  createHmac("sha256", secret).update(text, "utf8").digest("hex")

/** What the host's function says; or what is wrong with it. What it throws may hold the secret. */
function ask(keySecret: unknown, tenant: string): { readonly secret: Uint8Array | undefined } | string {
  if (typeof keySecret !== "function") return `must be a function, but ${sayFound(keySecret)}`
  let given: unknown
  try {
    given = keySecret(tenant)
  } catch {
    return "threw"
  }
  if (given === undefined) return { secret: undefined }
  const secret = typeof given === "string" ? Buffer.from(given, "utf8") : given
  if (!(secret instanceof Uint8Array)) return "gave neither bytes nor a text"
  return secret.length < shortest ? `gave fewer than ${shortest} bytes` : { secret: Uint8Array.from(secret) }
}
