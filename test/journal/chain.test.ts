/** A086: whatever is changed in a journal is found, at the first entry that is not what was written. */

import { assert, integer, property } from "fast-check"
import { expect, test } from "vitest"
import { sha256 } from "#sha256"
import { chained, genesis, split, verify } from "../../src/journal/chain.ts"
import type { Entry, RunStarted } from "../../src/journal/entry.ts"
import { canonical } from "../../src/text/canonical.ts"
import type { Json } from "../../src/text/json.ts"
import { events, named, started, wholeRun } from "./entries.ts"

const { salt: _salt, ...unsalted } = started()
const old = { ...unsalted, journal: 1 } as unknown as RunStarted
const whole = chained("run", named(wholeRun))

test("an entry's hash is over the hash before it, its place, what it says in the clear, and a salted digest of the rest", () => {
  let previous = genesis
  const { salt } = started()
  const shown = ["kind", "journal", "catalogHash", "slice", "compiler", "stepId", "tool", "attempt", "tookMs", "again"]
  shown.push("requestId", "from", "to", "decision", "status")
  for (const { runId, seq, atMs, event, hash } of whole) {
    const clear = Object.fromEntries(Object.entries(event).filter(([key]) => shown.includes(key)))
    const payload = Object.fromEntries(Object.entries(event).filter(([key]) => !shown.includes(key)))
    const entrySalt = sha256(canonical([salt, seq]))
    const commitment = Object.keys(payload).length === 0 ? [] : [`c1:${sha256(canonical([entrySalt, payload]))}`]
    expect(hash).toBe(sha256(canonical([previous, runId, seq, atMs, ...commitment, clear])))
    previous = hash
  }
})

test("a run of version 1 is chained as it was then: all in the clear", () => {
  const records = named(wholeRun).with(0, { seq: 0, atMs: 0, event: old })
  let previous = genesis
  for (const { runId, seq, atMs, event, hash } of chained("run", records)) {
    expect(hash).toBe(sha256(canonical([previous, runId, seq, atMs, event as unknown as Json])))
    previous = hash
  }
})

test("neither what was given nor what came of it, nor a digest of either, is in the clear", () => {
  const { clear } = split(started({ inputs: "secret", subject: "secret", planHash: "secret", salt: "secret" }), true)
  expect(clear).not.toContain("secret")
  const intent = { ...events.writeIntent, args: { a: "secret" }, idempotencyKey: "secret", identity: "secret" }
  expect(split(intent, true).clear).not.toContain("secret")
  expect(split({ ...events.readOutcome, result: "secret" }, true).clear).not.toContain("secret")
})

test("an untouched journal verifies, and so does every beginning of it", () => {
  for (let length = 0; length <= whole.length; length++) expect(verify("run", whole.slice(0, length))).toBeUndefined()
})

test("two swapped, one dropped, one twice, one put in between, the first cut off: each is found where it begins", () => {
  const at = (seq: number): Entry => whole[seq] as Entry
  for (let seq = 0; seq < whole.length - 1; seq++) {
    expect(verify("run", whole.with(seq, at(seq + 1)).with(seq + 1, at(seq)))).toBe(seq)
    expect(verify("run", whole.toSpliced(seq, 1))).toBe(seq)
    expect(verify("run", whole.toSpliced(seq, 0, at(seq)))).toBe(seq + 1)
  }
  expect(verify("other", whole)).toBe(0)
})

test("a renumbered journal with a hole in it is found", () => {
  const dropped = whole.toSpliced(3, 1).map((entry, seq) => ({ ...entry, seq }))
  expect(verify("run", dropped)).toBe(3)
})

test("every single bit of every entry counts", () => {
  const texts = whole.map((entry) => JSON.stringify(entry))
  assert(
    property(
      integer({ min: 0, max: whole.length - 1 }),
      integer({ min: 0 }),
      integer({ min: 0, max: 6 }),
      (seq, place, bit) => {
        const text = texts[seq] as string
        const at = place % text.length
        const flipped = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1)
        let entry: Entry
        try {
          entry = JSON.parse(flipped)
        } catch {
          return
        }
        // `\u0041` and `A` are one value.
        if (canonical(entry as never) === canonical(whole[seq] as never)) return
        const broken = verify("run", whole.with(seq, entry))
        // A hash that was changed breaks its own entry; so does anything else.
        expect(broken).toBe(seq)
      },
    ),
    { numRuns: 2_000 },
  )
})
