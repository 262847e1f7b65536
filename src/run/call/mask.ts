/** What a call says, without the credentials it was trusted with: nobody else knows them, so they are hidden here or nowhere. */
import type { Copied } from "../../text/copy-json.ts"
import { isObject, type Json } from "../../text/json.ts"
import { formatPointer, type Pointer, parsePointer } from "../../text/pointer.ts"
import { Secrets } from "../../text/secrets.ts"
import type { Answer } from "./ending.ts"
import type { Taken } from "./take.ts"

type Mask<For extends keyof Taken> = (answer: Answer<Taken[For]>) => Answer<Taken[For]>

/** For whatever one call says, at once or late: it may tell what another call of its run was trusted with, before it or since. */
export function maskFor<For extends keyof Taken>(runId: string, asked: For, credentials: Json | undefined): Mask<For> {
  const own = given.note(runId, credentials)
  return (answer) => {
    const secrets = (own ?? given.of(runId))?.secrets
    if (secrets === undefined || secrets.none) return answer
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

/** How many runs of this process, and how many texts of each, are remembered: the latest. */
const runsMax = 1_000
const textsMax = 400

/** What the calls of one run were trusted with. */
class Given {
  #texts = new Set<string>()
  #secrets = new Secrets()

  get secrets(): Secrets {
    return this.#secrets
  }

  add(texts: readonly string[]): void {
    for (const text of texts) {
      this.#texts.delete(text)
      this.#texts.add(text)
      this.#secrets.add(text)
    }
    if (this.#texts.size <= textsMax) return
    // Half of them at once, so that it is seldom done.
    this.#texts = new Set([...this.#texts].slice(-Math.max(textsMax / 2, texts.length)))
    this.#secrets = new Secrets()
    this.#secrets.add([...this.#texts])
  }
}

/** By run, for as long as the process lives: one that waited for a person goes on as another drive of the same run. */
class GivenInRuns {
  readonly #runs = new Map<string, Given>()

  of(runId: string): Given | undefined {
    return this.#runs.get(runId)
  }

  note(runId: string, credentials: Json | undefined): Given | undefined {
    const texts = textsIn(credentials)
    if (texts.length === 0) return undefined
    const found = this.#runs.get(runId) ?? new Given()
    found.add(texts)
    this.#runs.delete(runId)
    this.#runs.set(runId, found)
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= runsMax) break
      this.#runs.delete(oldest)
    }
    return found
  }
}

const given = new GivenInRuns()

/** A number in them (a port, a time) is no secret, and would be taken for one in every amount that is equal to it. */
function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
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
