/**
 * The hash chain: an entry that was altered, moved, dropped or put in between is found. (Cutting off the end is not: for that
 * there are heads, see `verify.ts`.)
 *
 * What an entry says in the clear is in the chain as it is. The rest, its payload, is there as a salted commitment: a journal
 * without its payloads still verifies, and nobody can find out what was left out by trying.
 */
import { sha256 } from "#sha256"
import { canonical } from "../text/canonical.ts"
import { isObject, type Json, setMember } from "../text/json.ts"
import { restoreJson } from "../text/restore-json.ts"
import type { Entry, Event, Recorded } from "./entry.ts"

/** What the first entry is chained to. */
export const genesis = "0".repeat(64)

/** An entry as it is kept. Its hash is over these very texts. */
export interface Sealed extends Omit<Recorded, "event"> {
  readonly runId: string
  /** The members that a redacted export shows. */
  readonly clear: string
  /** The others; undefined where there are none. */
  readonly payload: string | undefined
  readonly hash: string
}

/** Where a run's chain has come to. */
export interface Link {
  readonly hash: string
  /** The salt in the run's first entry; undefined before it, and in runs of version 1, which had no payloads. */
  readonly salt: string | undefined
}

export const beginning: Link = { hash: genesis, salt: undefined }

/** What may be shown of any entry: nothing of what was given or answered, of who did it, nor a digest over such. */
const clearMembers: ReadonlySet<string> = new Set([
  "again",
  "answer",
  "askedAtMs",
  "attempt",
  "catalogHash",
  "compiler",
  "decision",
  "epoch",
  "from",
  "generation",
  "journal",
  "kind",
  "requestId",
  "slice",
  "status",
  "stepId",
  "takeOver",
  "to",
  "tookMs",
  "tool",
  "undoes",
])

/** JSON for a journal: canonical, but for halves of surrogate pairs, which are kept as escapes. */
export const write = (value: unknown): string => canonical(value as Json, true)

/** The two texts of an event. */
export function split(event: Event, salted: boolean): Pick<Sealed, "clear" | "payload"> {
  if (!salted) return { clear: write(event), payload: undefined }
  const clear: Record<string, Json> = {}
  const payload: Record<string, Json> = {}
  let hidden = false
  for (const key of Object.keys(event)) {
    const value = event[key as keyof Event] as Json
    // What a model has called a tool may be anything.
    if (clearMembers.has(key) && !(key === "tool" && event.kind === "call-refused")) setMember(clear, key, value)
    else {
      setMember(payload, key, value)
      hidden = true
    }
  }
  return { clear: write(clear), payload: hidden ? write(payload) : undefined }
}

/** The event of two texts. Throws where they are none. */
export function restore({ clear, payload }: Pick<Sealed, "clear" | "payload">): Event {
  const shown = restoreJson(clear)
  const hidden = payload === undefined ? {} : restoreJson(payload)
  if (!isObject(shown) || !isObject(hidden)) throw new SyntaxError("a stored entry is no object")
  return { ...shown, ...hidden } as unknown as Event
}

/** Every entry of a run has a salt of its own, so that one can be shown without the others. */
export const saltOf = (salt: string, seq: number): string => sha256(`[${write(salt)},${seq}]`)

/** Stands for a payload. */
export const commit = (entrySalt: string, payload: string): string => `c1:${sha256(`["${entrySalt}",${payload}]`)}`

/** The hash of an entry over the one before it. (Entries of version 1, all in the clear, are chained the same way.) */
export function link(
  previous: string,
  { runId, seq, atMs, clear }: Omit<Sealed, "payload" | "hash">,
  commitment: string | undefined,
): string {
  const committed = commitment === undefined ? "" : `,"${commitment}"`
  return sha256(`["${previous}",${write(runId)},${seq},${atMs}${committed},${clear}]`)
}

/** The hash that a kept entry must have. */
export function hashOf({ hash, salt }: Link, entry: Omit<Sealed, "hash">): string {
  const { seq, payload } = entry
  return link(hash, entry, payload === undefined ? undefined : commit(saltOf(salt ?? "", seq), payload))
}

/** Seals the next entry of a run. */
export function seal(runId: string, last: Link, { seq, atMs, event }: Recorded): Sealed {
  const salt = last.salt ?? saltIn(event)
  const entry = { runId, seq, atMs, ...split(event, salt !== undefined) }
  return { ...entry, hash: hashOf({ hash: last.hash, salt }, entry) }
}

/** The salt of a run, where this is its first entry. */
export const saltIn = (event: Event): string | undefined =>
  event.kind === "run-started" && typeof event.salt === "string" ? event.salt : undefined

/** Takes up the entries of one run in their order, and chains them. */
export class Chain {
  readonly #runId: string
  #last: Link = beginning

  constructor(runId: string) {
    this.#runId = runId
  }

  get hash(): string {
    return this.#last.hash
  }

  /** Entries that were kept as they came: copied by way of their text, as a store gives them back. */
  add(record: Recorded): Entry {
    const sealed = seal(this.#runId, this.#last, record)
    const event = restore(sealed)
    this.#last = { hash: sealed.hash, salt: this.#last.salt ?? saltIn(event) }
    return { runId: this.#runId, seq: record.seq, atMs: record.atMs, event, hash: sealed.hash }
  }

  /** The event of the next entry; undefined where it is not what was written. */
  open(entry: Sealed, seq: number): Event | undefined {
    let event: Event
    try {
      event = restore(entry)
      const salt = this.#last.salt ?? (seq === 0 ? saltIn(event) : undefined)
      if (entry.runId !== this.#runId || entry.seq !== seq) return undefined
      if (entry.hash !== hashOf({ hash: this.#last.hash, salt }, entry)) return undefined
      this.#last = { hash: entry.hash, salt }
    } catch {
      return undefined
    }
    return event
  }
}

/** The same of a whole run. */
export function chained(runId: string, records: readonly Recorded[]): readonly Entry[] {
  const chain = new Chain(runId)
  return records.map((record) => chain.add(record))
}

/** The first place where the chain of one run is broken; undefined where it is whole. Takes whatever is called an entry. */
export function verify(runId: string, entries: readonly Entry[]): number | undefined {
  const chain = new Chain(runId)
  const broken = entries.findIndex((entry, seq) => {
    try {
      return entry.runId !== runId || entry.seq !== seq || entry.hash !== chain.add(entry).hash
    } catch {
      // What has no canonical form was never written.
      return true
    }
  })
  return broken === -1 ? undefined : broken
}
