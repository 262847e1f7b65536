/** Two processes on one file, by turns and several changes at a time: what one keeps of a run never outlives what the other writes. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Event } from "../../src/journal/entry.ts"
import { exportLines } from "../../src/journal/export.ts"
import type { JournalService, Writer } from "../../src/journal/journal.ts"
import { memory } from "../../src/journal/memory.ts"
import { sqlite } from "../../src/journal/sqlite.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { events, started } from "./entries.ts"
import { newFile, openStore } from "./stores.ts"

interface Deed {
  readonly kind: "begin" | "intend" | "answer" | "go-on" | "renew" | "take-up" | "let-go" | "cancel"
  readonly run: "one" | "two" | "three"
  readonly owner: "a" | "b"
  /** How far it lags behind what is so: it was made up before others wrote. */
  readonly lag: 0 | 1
  /** Of the effect: runs may ask for the same one. */
  readonly key: "k1:1" | "k1:2" | "k1:3"
}

const deed: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom(
    "begin",
    "intend",
    "intend",
    "answer",
    "go-on",
    "go-on",
    "renew",
    "take-up",
    "let-go",
    "cancel",
  ),
  run: fc.constantFrom("one", "two", "three"),
  owner: fc.constantFrom("a", "b"),
  lag: fc.constantFrom(0, 0, 0, 1),
  key: fc.constantFrom("k1:1", "k1:2", "k1:3"),
})

/** Changes that come at once, through one of the doors. */
const turn = fc.record({ door: fc.constantFrom(0, 1), deeds: fc.array(deed, { minLength: 1, maxLength: 4 }) })

type Last = { readonly seq: number; readonly epoch: number } | undefined

const make = (journal: JournalService, { kind, run, owner, lag, key }: Deed, last: Last) => {
  const seq = (last?.seq ?? -1) + 1 - lag
  const as: Writer = { owner, epoch: (last?.epoch ?? 1) - lag, untilMs: 100 }
  const append = (written: readonly Event[], more?: Partial<Writer>) => {
    const entries = written.map((event, index) => ({ seq: seq + index, atMs: seq, event }))
    return journal.append(run, entries, { ...as, ...more })
  }
  const intent = { ...events.writeIntent, idempotencyKey: key }
  switch (last === undefined ? "begin" : kind) {
    case "begin":
      return journal.append(run, [{ seq: 0, atMs: 0, event: started() }], as)
    case "intend":
      return append([intent])
    case "answer":
      return append([events.writeOutcome])
    case "go-on":
      return append([events.writeOutcome, intent])
    case "let-go":
      return append([events.readIntent], { release: { dueMs: 7 } })
    case "renew":
      return journal.renew(run, as)
    case "take-up":
      return journal.takeUp(run, { owner, untilMs: 100, nowMs: 0, takeOver: lag === 0 })
    case "cancel":
      return journal.append(run, [{ seq, atMs: seq, event: { kind: "cancel-requested", by: "bob", reason: "" } }])
  }
}

test("two doors to one file answer as one store does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 14 }), async (turns) => {
      const file = newFile()
      const [one, doors] = [openStore(memory()), [openStore(sqlite(file)), openStore(sqlite(file))] as const]
      try {
        for (const { door, deeds } of turns) {
          const lasts = await one.ask((journal) => Effect.forEach(deeds, ({ run }) => journal.look(run)))
          const answers = (journal: JournalService) =>
            Effect.all(
              deeds.map((deed, index) =>
                Effect.result(make(journal, deed, lasts[index]) as Effect.Effect<unknown, unknown>),
              ),
              { concurrency: "unbounded" },
            )
          const asked = door === 0 ? doors[0] : doors[1]
          expect(JSON.stringify(await asked.ask(answers))).toBe(JSON.stringify(await one.ask(answers)))
        }
        const told = (journal: JournalService) =>
          journal.inspect((whole) => ({ lines: [...exportLines(whole)], findings: verifyStore(whole).findings }))
        const whole = await one.ask(told)
        for (const door of doors) expect(await door.ask(told)).toEqual(whole)
      } finally {
        for (const store of [one, ...doors]) await store.close()
      }
    }),
    { numRuns: 150 },
  )
})
