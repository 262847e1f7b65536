/** What a call says, without the credentials it was trusted with: nobody else knows them, so they are hidden here or nowhere. */
import type { Copied } from "../../text/copy-json.ts"
import { isObject, type Json } from "../../text/json.ts"
import { formatPointer, type Pointer, parsePointer } from "../../text/pointer.ts"
import { Secrets } from "../../text/secrets.ts"
import type { Answer } from "./ending.ts"
import type { Taken } from "./take.ts"

type Mask<For extends keyof Taken> = (answer: Answer<Taken[For]>) => Answer<Taken[For]>

/** For whatever one call says, at once or late. */
export function maskFor<For extends keyof Taken>(asked: For, credentials: Json | undefined): Mask<For> {
  const secrets = new Secrets()
  addTexts(secrets, credentials)
  if (secrets.none) return (answer) => answer
  return (answer) => {
    switch (answer.kind) {
      case "returned":
        return { kind: "returned", value: mask[asked](answer.value, secrets) }
      case "threw":
        return { ...answer, said: secrets.scrub(answer.said) }
      case "too-late":
        return answer
    }
  }
}

/** A number in them (a port, a time) is no secret, and would be taken for one in every amount that is equal to it. */
function addTexts(secrets: Secrets, value: Json | undefined): void {
  if (typeof value === "string") secrets.add(value)
  else if (Array.isArray(value)) for (const item of value as readonly Json[]) addTexts(secrets, item)
  else if (isObject(value)) for (const inner of Object.values(value)) addTexts(secrets, inner)
}

const mask: { readonly [For in keyof Taken]: (taken: Taken[For], secrets: Secrets) => Taken[For] } = {
  result: maskCopied,
  reconciliation: (taken, secrets) => {
    if (taken.kind === "applied") return { kind: "applied", result: maskCopied(taken.result, secrets) }
    return taken.kind === "unknown" ? { kind: "unknown", said: secrets.scrub(taken.said) } : taken
  },
  validation: (taken, secrets) => (taken.ok ? taken : { ok: false, said: secrets.scrub(taken.said) }),
  verdict: (taken) => taken,
  credentials: (taken) => taken,
}

/** Where something is wrong with it, its keys are told. */
function maskCopied(copied: Copied, secrets: Secrets): Copied {
  return copied.ok
    ? { ok: true, value: secrets.scrubJson(copied.value) }
    : { ok: false, at: maskPath(copied.at, secrets), problem: secrets.scrub(copied.problem) }
}

const maskPath = (at: Pointer, secrets: Secrets): Pointer =>
  formatPointer((parsePointer(at) ?? [at]).map((key) => secrets.scrub(key)))
