/** A diagnostic without secrets: whoever reads it may be the model that must not see them. */
import type { Json } from "../text/json.ts"
import type { Pointer } from "../text/pointer.ts"
import type { Secrets } from "../text/secrets.ts"
import type { Diagnostic, Related } from "./diagnostic.ts"

/** A fix that holds a secret is not offered: without it it would mend nothing. */
export function hush(diagnostic: Diagnostic, secrets: Secrets): Diagnostic {
  if (secrets.none) return diagnostic
  const { fix, related, ...rest } = diagnostic
  const scrub = (text: string): string => secrets.scrub(text)
  const hushRelated = (one: Related): Related => ({ ...one, at: scrub(one.at) as Pointer, message: scrub(one.message) })
  const written = JSON.stringify(fix ?? null)
  const clean = fix !== undefined && JSON.stringify(secrets.scrubJson(fix as unknown as Json)) === written
  return {
    ...rest,
    at: scrub(rest.at) as Pointer,
    message: scrub(rest.message),
    hint: scrub(rest.hint),
    ...(related === undefined ? {} : { related: related.map(hushRelated) }),
    ...(clean ? { fix } : {}),
  }
}
