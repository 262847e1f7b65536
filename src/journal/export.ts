/**
 * A store as text, to be kept, moved or shown: JSON Lines, a head first, then each entry as it was written. Redacted, an entry has
 * its commitment in place of its payload, and verifies all the same.
 */
import { isObject, type Json, type JsonObject } from "../text/json.ts"
import { readWritten, restoreJson } from "../text/restore-json.ts"
import {
  beginning,
  commit,
  genesis,
  type Link,
  link,
  restore,
  type Sealed,
  saltIn,
  saltOf,
  seal,
  write,
} from "./chain.ts"
import type { Entry, Event } from "./entry.ts"
import type { Whole } from "./journal.ts"
import { farthestMs } from "./lease.ts"
import {
  type Anchor,
  anchorOf,
  type Finding,
  type Head,
  holdAgainst,
  readAnchor,
  tellFinding,
  verifyStore,
} from "./verify.ts"

/** Of the lines. */
const exportVersion = 1

export interface ExportOptions {
  /** Leaves payloads out. */
  readonly redacted?: boolean
  /** Of a redacted export, which payloads are shown. That of a run's first entry never is: it holds the salt of all others. */
  readonly show?: (entry: Pick<Entry, "runId" | "seq"> & { readonly kind: string }) => boolean
}

/** The lines of a store, without their ends. */
export function* exportLines(whole: Whole, { redacted = false, show }: ExportOptions = {}): Generator<string> {
  yield write({ sequitur: "journal", version: exportVersion, redacted, head: anchorOf(whole) })
  const salts = new Map<string, string>()
  for (const entry of whole.entries()) {
    const { runId, seq, atMs, hash, payload } = entry
    const place = { runId, seq, atMs, hash }
    const salt = seq === 0 ? saltIn(restore(entry)) : salts.get(runId)
    if (seq === 0 && salt !== undefined) salts.set(runId, salt)
    if (!redacted) yield write({ ...place, event: restore(entry) })
    else if (salt === undefined)
      throw new Error(`run ${runId} is of version 1: all of it is in the clear, and cannot be redacted`)
    else {
      const clear = restoreJson(entry.clear)
      const entrySalt = saltOf(salt, seq)
      const shown = payload !== undefined && seq > 0 && show?.({ runId, seq, kind: kindOf(clear) }) === true
      const rest = shown ? { payload: restoreJson(payload), salt: entrySalt } : {}
      yield write({
        ...place,
        clear,
        ...(payload === undefined ? {} : { commitment: commit(entrySalt, payload) }),
        ...rest,
      })
    }
  }
}

const kindOf = (clear: Json): string => (isObject(clear) ? `${clear.kind}` : "")

/** What is wrong with an export, and in which line, from 1. */
export interface ImportProblem {
  /** Whatever it is, it is not what was written. */
  readonly code: "RUN503"
  readonly line: number
  readonly problem: string
}

export type Imported =
  | { readonly kind: "whole"; readonly head: Anchor; readonly entries: readonly Entry[] }
  /** To be looked at, not to be taken over. */
  | { readonly kind: "redacted"; readonly head: Anchor; readonly entries: readonly RedactedEntry[] }
  | { readonly kind: "refused"; readonly problems: readonly ImportProblem[] }

const problemIn = (line: number, problem: string): ImportProblem => ({ code: "RUN503", line, problem })

const refused = (line: number, problem: string): Imported => ({ kind: "refused", problems: [problemIn(line, problem)] })

export interface RedactedEntry {
  readonly runId: string
  readonly seq: number
  readonly atMs: number
  /** What of it is shown. */
  readonly event: JsonObject
  readonly hash: string
}

/** Reads an export and verifies all of it: what it gives back may be taken over (`adopt`). */
export function importLines(lines: Iterable<string>): Imported {
  const records: JsonObject[] = []
  for (const text of lines) {
    const record = readLine(text)
    if (typeof record === "string") return refused(records.length + 1, record)
    records.push(record)
  }
  const [first, ...rest] = records
  if (first === undefined || first.sequitur !== "journal") return refused(1, "it is no head of an exported journal")
  if (first.version !== exportVersion)
    return refused(1, `it is an export of version ${write(first.version)}; this sequitur knows ${exportVersion}`)
  const head = readAnchor(first.head)
  if (head === undefined || typeof first.redacted !== "boolean") return refused(1, "its head cannot be read")
  const more = refuseMore(first, ["head", "redacted", "sequitur", "version"])
  if (more !== undefined) return refused(1, more)
  return first.redacted ? importRedacted(head, rest) : importWhole(head, rest)
}

function readLine(text: string): JsonObject | string {
  const read = readWritten(text)
  if (!read.ok && read.what.kind === "key-twice")
    return `it has the key ${told(read.what.key)} twice, at \`${read.at}\``
  return read.ok && isObject(read.value) ? read.value : "it is no JSON object"
}

/** Nobody has verified what else it may say. */
function refuseMore(record: JsonObject, known: readonly string[]): string | undefined {
  const more = Object.keys(record).find((key) => !known.includes(key))
  return more === undefined ? undefined : `it has the key ${told(more)}, which no export has there`
}

const told = (key: string): string => write(key.length > 60 ? `${key.slice(0, 60)}…` : key)

interface Place {
  readonly runId: string
  readonly seq: number
  readonly atMs: number
  readonly hash: string
}

function readPlace({ runId, seq, atMs, hash }: JsonObject): Place | undefined {
  if (typeof runId !== "string" || !runId.isWellFormed() || typeof hash !== "string") return undefined
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(atMs) || Math.abs(Number(atMs)) > farthestMs) return undefined
  return { runId, seq: Number(seq), atMs: Number(atMs), hash }
}

/** As ids of runs are: `__proto__` would be lost in a head, and a command would take what begins with `-` for an option. */
const refuseId = ({ runId }: Place): string | undefined =>
  /^(?!__proto__$|-)[A-Za-z0-9_.:-]{1,128}$/.test(runId) ? undefined : `no run may be called ${write(runId)}`

const wholeKeys = ["atMs", "event", "hash", "runId", "seq"]
const redactedKeys = ["atMs", "clear", "commitment", "hash", "payload", "runId", "salt", "seq"]

function importWhole(head: Anchor, records: readonly JsonObject[]): Imported {
  const runs = new Map<string, Sealed[]>()
  const order: Sealed[] = []
  const entries: Entry[] = []
  const links = new Map<string, Link>()
  for (const [index, record] of records.entries()) {
    const place = readPlace(record)
    const event = record.event as unknown as Event
    const problem =
      place === undefined || !isObject(record.event)
        ? "it is no entry"
        : (refuseMore(record, wholeKeys) ?? refuseId(place))
    if (place === undefined || problem !== undefined) return refused(index + 2, problem ?? "it is no entry")
    const last = links.get(place.runId) ?? beginning
    const sealed = { ...seal(place.runId, last, { seq: place.seq, atMs: place.atMs, event }), hash: place.hash }
    links.set(place.runId, { hash: place.hash, salt: last.salt ?? saltIn(event) })
    order.push(sealed)
    const run = runs.get(place.runId) ?? []
    runs.set(place.runId, run)
    run.push(sealed)
    entries.push({ ...place, event })
  }
  const whole: Whole = {
    entries: () => order,
    runs: () => runs.keys(),
    entriesOf: (runId) => runs.get(runId) ?? [],
    tables: () => [],
    leases: () => [],
    faults: () => [],
  }
  // It has no tables of its own to be held against.
  const { findings: all, anchor } = verifyStore(whole, head)
  const findings = all.filter(({ kind }) => kind !== "table")
  const more = findings.length === 0 ? beyondHead(head, anchor) : undefined
  if (more !== undefined) return refused(1, more)
  if (findings.length === 0) return { kind: "whole", head, entries }
  const lines = new Map(order.map(({ runId, seq }, index) => [`${runId} ${seq}`, index + 2]))
  const lineOf = (finding: Finding): number =>
    "seq" in finding ? (lines.get(`${finding.runId} ${finding.seq}`) ?? 1) : 1
  return {
    kind: "refused",
    problems: findings.map((finding) => problemIn(lineOf(finding), tellFinding(finding))),
  }
}

/** A store may have grown since its head was written; what follows the head of an export has not. */
function beyondHead(head: Anchor, found: Anchor): string | undefined {
  const isSame = (one: Head | undefined, other: Head): boolean =>
    one?.entries === other.entries && one.hash === other.hash
  const headOf = (runId: string): Head | undefined => (Object.hasOwn(head.runs, runId) ? head.runs[runId] : undefined)
  const other = Object.entries(found.runs).find(([runId, at]) => !isSame(headOf(runId), at))
  if (other !== undefined) return `its head says otherwise of run \`${other[0]}\` than what follows it`
  return isSame(head.store, found.store) ? undefined : "its head says of fewer entries than follow it"
}

function importRedacted(head: Anchor, records: readonly JsonObject[]): Imported {
  const entries: RedactedEntry[] = []
  const runs = new Map<string, { entries: number; hash: string }>()
  const hashes: Sealed[] = []
  for (const [index, record] of records.entries()) {
    const line = index + 2
    const place = readPlace(record)
    const { clear, commitment, payload, salt } = record
    if (place === undefined || !isObject(clear) || !(commitment === undefined || typeof commitment === "string"))
      return refused(line, "it is no entry")
    const more = refuseMore(record, redactedKeys) ?? refuseId(place)
    if (more !== undefined) return refused(line, more)
    const { runId, seq, atMs, hash } = place
    const last = runs.get(runId) ?? { entries: 0, hash: genesis }
    const sealed = { runId, seq, atMs, clear: write(clear), payload: undefined, hash }
    if (seq !== last.entries || hash !== link(last.hash, sealed, commitment))
      return refused(line, "it is not what was written")
    if (payload !== undefined && (typeof salt !== "string" || commit(salt, write(payload)) !== commitment))
      return refused(line, "what it shows is not what was written")
    runs.set(runId, { entries: seq + 1, hash })
    hashes.push(sealed)
    entries.push({ ...place, event: { ...clear, ...(isObject(payload) ? payload : {}) } })
  }
  const lines = { entries: () => hashes }
  const [finding] = holdAgainst(head, lines)
  const problem = finding === undefined ? beyondHead(head, anchorOf(lines)) : tellFinding(finding)
  return problem === undefined ? { kind: "redacted", head, entries } : refused(1, problem)
}
