/** What every store promises, asked of each. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { array, asyncProperty, assert as holds, integer, jsonValue, oneof } from "fast-check"
import { afterAll, describe, expect, test } from "vitest"
import { verify } from "../../src/journal/chain.ts"
import type { Event, Recorded } from "../../src/journal/entry.ts"
import { JournalConflict } from "../../src/journal/failure.ts"
import { Journal, type JournalService } from "../../src/journal/journal.ts"
import { memory } from "../../src/journal/memory.ts"
import { sqlite } from "../../src/journal/sqlite.ts"
import type { Json } from "../../src/text/json.ts"
import { hasData, readData } from "../data.ts"
import { events, named, recorded, started, wholeRun } from "./entries.ts"

const folder = mkdtempSync(join(tmpdir(), "sequitur-store-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Strings of any UTF-16 units, halves of surrogate pairs among them. */
const units = array(oneof(integer({ min: 0, max: 0xffff }), integer({ min: 0xd700, max: 0xe0ff }))).map((codes) =>
  String.fromCharCode(...codes),
)

let files = 0
const stores = { memory: () => memory(), sqlite: () => sqlite(join(folder, `${files++}.db`)) }

describe.each(Object.entries(stores))("%s", (_, open) => {
  const withStore = async (use: (ask: Ask) => Promise<void>): Promise<void> => {
    const runtime = ManagedRuntime.make(open())
    try {
      await use((question) => runtime.runPromise(Effect.flatMap(Journal, question)))
    } finally {
      await runtime.dispose()
    }
  }
  type Ask = <A, E>(question: (journal: JournalService) => Effect.Effect<A, E>) => Promise<A>

  test("gives back what was appended, chained", () =>
    withStore(async (ask) => {
      const entries = named(wholeRun)
      await ask((journal) => journal.append("run", entries.slice(0, 4)))
      await ask((journal) => journal.append("run", entries.slice(4)))
      const found = await ask((journal) => journal.read("run"))
      expect(found.map(({ seq, atMs, event }) => ({ seq, atMs, event }))).toEqual(entries)
      expect(verify("run", found)).toBeUndefined()
    }))

  test("a number that is taken is a conflict, and nothing of the batch is written", () =>
    withStore(async (ask) => {
      const entries = named(wholeRun)
      await ask((journal) => journal.append("run", entries.slice(0, 3)))
      const late: readonly Recorded[] = entries.slice(2, 5)
      for (const batch of [late, entries.slice(0, 1), entries.slice(5)]) {
        const conflict = await ask((journal) => Effect.flip(journal.append("run", batch)))
        expect(conflict).toBeInstanceOf(JournalConflict)
      }
      expect(await ask((journal) => journal.read("run"))).toHaveLength(3)
    }))

  test("of writers that append the same number at once, one is heard", () =>
    withStore(async (ask) => {
      await ask((journal) => journal.append("run", named(["started"])))
      const intent = recorded([started(), events.readIntent]).slice(1)
      const tries = await Promise.all(
        Array.from({ length: 10 }, () => ask((journal) => Effect.exit(journal.append("run", intent)))),
      )
      expect(tries.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
    }))

  test("A109: a run of another tenant is not found, and not listed", () =>
    withStore(async (ask) => {
      await ask((journal) => journal.append("mine", recorded([started({ tenant: "acme" })])))
      await ask((journal) => journal.append("theirs", recorded([started({ tenant: "other" })])))
      expect(await ask((journal) => journal.read("theirs", { tenant: "acme" }))).toEqual([])
      expect(await ask((journal) => journal.read("theirs", { tenant: "other" }))).toHaveLength(1)
      const listed = await ask((journal) => journal.list({ tenant: "acme" }))
      expect(listed.map(({ runId }) => runId)).toEqual(["mine"])
      expect(await ask((journal) => journal.list())).toHaveLength(2)
    }))

  test("lists runs with how they stand", () =>
    withStore(async (ask) => {
      const runs = {
        running: wholeRun.slice(0, 2),
        awaiting_approval: wholeRun.slice(0, 4),
        in_doubt: [...wholeRun.slice(0, 7), "writeInDoubt"],
        succeeded: wholeRun,
        exhausted: ["started", "exhausted"],
      } as const
      for (const [runId, names] of Object.entries(runs)) {
        const [first, ...rest] = named(names as typeof wholeRun) as [Recorded, ...Recorded[]]
        const own = { ...first, event: started({ tenant: `${runId}'s` }) }
        await ask((journal) => journal.append(runId, [own, ...rest]))
      }
      const listed = await ask((journal) => journal.list())
      expect(Object.fromEntries(listed.map(({ runId, status }) => [runId, status]))).toEqual(
        Object.fromEntries(Object.keys(runs).map((status) => [status, status])),
      )
      expect(listed.find(({ runId }) => runId === "succeeded")).toEqual({
        runId: "succeeded",
        sessionId: "s1",
        tenant: "succeeded's",
        subject: "ann",
        goal: undefined,
        status: "succeeded",
        entries: 9,
        startedAtMs: 0,
        updatedAtMs: 8_000,
      })
    }))

  const bringsBack = (values: readonly Json[]): Promise<void> =>
    withStore(async (ask) => {
      const list: Event[] = values.map((result) => ({ ...events.readOutcome, result }))
      await ask((journal) => journal.append("run", recorded([started(), ...list])))
      const found = await ask((journal) => journal.read("run"))
      expect(found.slice(1).map(({ event }) => (event.kind === "outcome" ? event.result : undefined))).toEqual(values)
    })

  test("D21: U+0000 and every other character is kept", () =>
    bringsBack([
      "a\u0000b",
      "\u0000",
      "\u2028\u2029",
      "\ufeff",
      "\u{1f600}",
      "\u0001\u001f\u007f",
      '"\\/',
      "\ufffe\uffff",
      "\ud800",
      "\udc00\ud800",
      "a\ud83d",
      "\ud83d\\ude00",
      '\ude00\ud83d\u{1f600}\udfff"',
      { "\ud800": 1, "\udfff": { "\u0001\ud800": "\\ud800" } },
    ]))

  test.skipIf(!hasData)("naughty strings are kept byte for byte", () => {
    const strings: unknown = JSON.parse(readData("blns/blns.json"))
    return bringsBack(strings as string[])
  })

  test("every JSON value is kept", () =>
    holds(
      asyncProperty(array(oneof(jsonValue({ stringUnit: "binary" }), units)), async (values) => {
        // As canonical JSON has it: no negative zero.
        await bringsBack(values.map((value) => JSON.parse(JSON.stringify(value))))
      }),
      { numRuns: 50 },
    ))
})
