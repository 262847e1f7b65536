/** What `verify` says of who holds a run, and of the sound runs of a store in which one is not. */
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import type { Entry } from "../../src/journal/entry.ts"
import { sqlite } from "../../src/journal/sqlite.ts"
import { begin, fold } from "../../src/journal/state.ts"
import { tellFinding, verifyStore } from "../../src/journal/verify.ts"
import { events, named, recorded, started, wholeRun } from "./entries.ts"
import { type Ask, newFile, withStore } from "./stores.ts"

const verified = async (file: string): Promise<readonly string[]> => {
  let told: readonly string[] = []
  await withStore(sqlite(file), async (ask) => {
    const { findings } = await ask((journal) => journal.inspect((whole) => verifyStore(whole)))
    told = findings.map(tellFinding)
  })
  return told
}

async function stored(fill: (ask: Ask) => Promise<unknown>, ...sql: readonly string[]): Promise<string> {
  const file = newFile()
  await withStore(sqlite(file), async (ask) => {
    await fill(ask)
  })
  expect(await verified(file)).toEqual([])
  const db = new DatabaseSync(file)
  const trigger = `${db.prepare("SELECT sql FROM sqlite_master WHERE name = 'entry_stays'").get()?.sql}`
  db.exec("DROP TRIGGER entry_stays")
  for (const one of sql) db.exec(one)
  db.exec(trigger)
  db.close()
  return file
}

const deadline = { deadlineMs: 5_000 }
const waiting = recorded([started(deadline), events.readIntent, events.readOutcome, events.requested])
const held = { owner: "me", epoch: 1, untilMs: 9_000 }
const fill = async (ask: Ask): Promise<void> => {
  await ask((journal) => journal.append("held", recorded([started()]), held))
  await ask((journal) => journal.append("taken", recorded([started({ tenant: "b" })]), held))
  await ask((journal) => journal.takeUp("taken", { owner: "you", untilMs: 9_000, nowMs: 1, takeOver: true }))
  await ask((journal) =>
    journal.append("free", recorded([started({ tenant: "c" })]), { ...held, release: { dueMs: 70 } }),
  )
  const release = { dueMs: 5_000 }
  await ask((journal) => journal.append("waits", waiting, { ...held, release }))
  await ask((journal) => journal.append("ended", named(wholeRun), { ...held, release: { dueMs: undefined } }))
}

const altered: readonly (readonly [name: string, set: string, run: string, said: string])[] = [
  ["held for ever", "until_ms = 8000000000000000", "held", "is held for longer than anybody holds a run"],
  ["held by another", "owner = 'nobody'", "taken", "is held by another than `you`"],
  ["held by nobody, but until a time", "owner = NULL", "held", "is held by nobody, but until a time"],
  ["due never", "due_ms = NULL", "waits", "is not due at its deadline"],
  ["due later than its deadline", "due_ms = 6000", "waits", "is not due at its deadline"],
  ["due in a million years", "due_ms = 8000000000000000", "free", "is due later than anything it waits for"],
]

test.each(altered)("a run that was made to be %s is found", async (_, set, run, said) => {
  const file = await stored(fill, `UPDATE run SET ${set} WHERE run = '${run}'`)
  const [first, ...others] = await verified(file)
  expect(first).toContain(`run \`${run}\` ${said}`)
  expect(others).toEqual([])
})

test("runs that were imported are held for another store, and nothing else is said of them", async () => {
  const from = await stored(fill)
  let entries: readonly Entry[] = []
  await withStore(sqlite(from), async (ask) => {
    entries = await ask((journal) => journal.read("waits"))
  })
  const adopt = (ask: Ask) => ask((journal) => journal.adopt(entries))
  await stored(adopt)
  const file = await stored(adopt, "UPDATE run SET until_ms = 9")
  expect(await verified(file)).toEqual([expect.stringContaining("is held for another store, but not for ever")])
})

test("an epoch is one more than the last: none can be so high that no other comes after it", () => {
  const state = begin("run", recorded([started()])[0] as never)
  if (state instanceof Error) throw state
  const taken = (epoch: number) =>
    fold(state, { seq: 1, atMs: 1, event: { kind: "taken-up", epoch, owner: "me", takeOver: false } })
  for (const epoch of [1, 3, Number.MAX_SAFE_INTEGER]) expect(taken(epoch)).toMatchObject({ _tag: "JournalDiverged" })
  expect(taken(2)).toMatchObject({ epoch: 2 })
})

const effects = async (ask: Ask): Promise<void> => {
  const intent = {
    ...events.writeIntent,
    once: { scope: "tenant", digest: "d", call: "c" },
    reserves: [{ scope: "tenant", dimension: "money", amount: 3, max: 9 }],
  } as const
  const run = (tenant: string, key: string) =>
    recorded([
      started({ tenant }),
      events.readIntent,
      events.readOutcome,
      events.entered,
      { ...intent, idempotencyKey: key },
      events.writeOutcome,
    ])
  await ask((journal) => journal.append("bad", run("acme", "k1:1")))
  await ask((journal) => journal.append("good", run("other", "k1:1")))
  await ask((journal) => journal.append("third", recorded([started({ tenant: "acme" })])))
}

const bad = "UPDATE entry SET clear = clear || ' ' WHERE run = 'bad' AND seq = 3"

test.each([
  ["nothing else was altered", "SELECT 1", undefined],
  ["a row of a run", "UPDATE run SET status = 'succeeded' WHERE run = 'good'", "table `run` is different"],
  ["an effect that is gone", "DELETE FROM effect WHERE tenant = 'other'", "table `effect` is missing"],
  [
    "an effect that is none",
    "UPDATE effect SET state = 'released' WHERE tenant = 'other'",
    "table `effect` is different",
  ],
  [
    "an effect that never was",
    "UPDATE effect SET identity = 'k1:9', run = 'third' WHERE tenant = 'acme'",
    "table `effect` is too much",
  ],
  ["a claim that is gone", "DELETE FROM claim WHERE tenant = 'other'", "table `claim` is missing"],
  ["a limit that was given back", "UPDATE used SET used = 2 WHERE tenant = 'other'", "table `used` is different"],
  ["what the bad run counts", "UPDATE used SET used = 2 WHERE tenant = 'acme'", undefined],
])(
  "where one run is not what was written, the tables of the others are compared all the same: %s",
  async (_, sql, said) => {
    const file = await stored(effects, bad, sql)
    const [first, ...others] = await verified(file)
    expect(first).toContain("entry 3 of run `bad` is not what was written")
    expect(others).toEqual(said === undefined ? [] : [expect.stringContaining(said)])
  },
)
