/** Whatever somebody changes in a file is found and named: an entry, a row of any table, an end that is gone, a run written anew. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import { chained, write } from "../../src/journal/chain.ts"
import type { Entry, Event } from "../../src/journal/entry.ts"
import { exportLines, importLines } from "../../src/journal/export.ts"
import type { JournalService } from "../../src/journal/journal.ts"
import { memory } from "../../src/journal/memory.ts"
import { sqlite } from "../../src/journal/sqlite.ts"
import { anchorOf, tellFinding, verifyStore } from "../../src/journal/verify.ts"
import { events, named, recorded, started, wholeRun } from "./entries.ts"
import { newFile, openStore, stores, withStore } from "./stores.ts"

const intent = {
  ...events.writeIntent,
  once: { scope: "tenant", digest: "d", call: "c" },
  reserves: [{ scope: "tenant", dimension: "money", amount: 3, max: 4 }],
} as const

/** Three runs: one whole, one of another tenant with a claim and a counter, one that waits. */
const fill = (journal: JournalService) =>
  Effect.gen(function* () {
    yield* journal.append("whole", named(wholeRun))
    const passed = [events.readIntent, events.readOutcome, events.entered]
    yield* journal.append("paying", recorded([started({ tenant: "other" }), ...passed, intent]))
    yield* journal.append("waiting", named(wholeRun.slice(0, 4)))
  })

const filled = newFile()
await withStore(sqlite(filled), (ask) => ask(fill))
const anchor = await openStore(sqlite(filled)).ask((journal) => journal.inspect(anchorOf))

const findIn = async (sql: string): Promise<readonly string[]> => {
  const file = newFile()
  copyFileSync(filled, file)
  const db = new DatabaseSync(file)
  // Whoever alters entries leaves no trace of how.
  const triggers = db.prepare("SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid").all()
  db.exec("DROP TRIGGER entry_follows; DROP TRIGGER entry_stays; DROP TRIGGER entry_is_kept")
  db.exec(sql)
  for (const trigger of triggers) db.exec(`${trigger.sql}`)
  db.close()
  const { ask, close } = openStore(sqlite(file))
  const { findings } = await ask((journal) => journal.inspect((whole) => verifyStore(whole, anchor)))
  await close()
  return findings.map((finding) => tellFinding(finding))
}

test("a store as it was written has no findings, alone or against its heads", async () => {
  expect(await findIn("SELECT 1")).toEqual([])
  expect(anchor.store.entries).toBe(18)
  expect(Object.keys(anchor.runs)).toEqual(["whole", "paying", "waiting"])
})

test.each([
  [
    "UPDATE entry SET payload = replace(payload, 'true', 'false') WHERE run = 'whole' AND seq = 2",
    "entry 2 of run `whole` is not what was written",
  ],
  [
    "UPDATE entry SET clear = replace(clear, 'find', 'fond') WHERE run = 'waiting' AND seq = 1",
    "entry 1 of run `waiting` is not",
  ],
  ["UPDATE run SET status = 'failed' WHERE run = 'whole'", "row whole of table `run` is different"],
  ["UPDATE run SET tenant = 'acme' WHERE run = 'paying'", "row paying of table `run` is different"],
  ["UPDATE run SET epoch = 7 WHERE run = 'waiting'", "row waiting of table `run` is different"],
  ["UPDATE run SET open = NULL WHERE run = 'paying'", "row paying of table `run` is different"],
  ["UPDATE run SET salt = 'x' WHERE run = 'waiting'", "run `waiting` does not end with the entry that its row names"],
  ["UPDATE run SET hash = 'x' WHERE run = 'waiting'", "run `waiting` does not end with the entry that its row names"],
  ["DELETE FROM run WHERE run = 'waiting'", "row waiting of table `run` is missing"],
  [
    "UPDATE effect SET state = 'released' WHERE tenant = 'other'",
    'row ["other","k1:1"] of table `effect` is different',
  ],
  ["UPDATE effect SET key = 'k1:2' WHERE tenant = 'other'", 'row ["other","k1:1"] of table `effect` is different'],
  ["UPDATE effect SET reserves = '[]' WHERE tenant = 'other'", 'row ["other","k1:1"] of table `effect` is different'],
  ["DELETE FROM effect WHERE tenant = 'acme'", 'row ["acme","k1:1"] of table `effect` is missing'],
  ["UPDATE effect SET identity = 'k1:9' WHERE tenant = 'acme'", 'row ["acme","k1:9"] of table `effect` is too much'],
  ["DELETE FROM claim", 'row ["other","cancel","tenant","d"] of table `claim` is missing'],
  ["UPDATE claim SET call = 'x'", 'row ["other","cancel","tenant","d"] of table `claim` is different'],
  ["UPDATE used SET used = 0", 'row ["other","tenant","other","money"] of table `used` is different'],
  [
    "DELETE FROM entry WHERE run = 'whole' AND seq > 6; UPDATE run SET seq = 6, hash = (SELECT hash FROM entry WHERE run = 'whole' AND seq = 6), status = 'running', updated_ms = 6000, open = '[\"write\",false,\"k1:1\",\"k1:1\",false]' WHERE run = 'whole'; UPDATE effect SET state = 'open' WHERE tenant = 'acme'",
    "run `whole` had 9 entries; the last of them are gone",
  ],
  [
    "DELETE FROM entry WHERE run = 'waiting'; DELETE FROM run WHERE run = 'waiting'",
    "run `waiting`, of 4 entries, is gone",
  ],
  [
    "UPDATE entry SET n = n + 100 WHERE run = 'whole'",
    "the first 18 entries of the store are not those that were there",
  ],
])("found: %s", async (sql, said) => {
  expect((await findIn(sql)).join("\n")).toContain(said)
})

test("found: of a run that was cut, and one that hangs on what is gone, the one that was cut first", async () => {
  const [file, passed] = [newFile(), [events.readIntent, events.readOutcome, events.entered]]
  const { tag, code, message } = events.readFailed.failure
  const released = {
    kind: "attempt-failed",
    stepId: "write",
    attempt: 1,
    tookMs: 1,
    failure: { tag, code, message },
  } as const
  const again = { ...events.writeIntent, idempotencyKey: "k1:2", identity: "k1:1", generation: 1 } as const
  await withStore(sqlite(file), async (ask) => {
    await ask((journal) => journal.append("cut", recorded([started(), ...passed, events.writeIntent, released])))
    await ask((journal) => journal.append("after", recorded([started(), ...passed, again])))
  })
  const db = new DatabaseSync(file)
  db.exec("DROP TRIGGER entry_is_kept; DELETE FROM entry WHERE run = 'cut' AND seq = 5")
  db.close()
  const { ask, close } = openStore(sqlite(file))
  const { findings } = await ask((journal) => journal.inspect((whole) => verifyStore(whole)))
  await close()
  expect(findings.slice(0, 2).map((finding) => tellFinding(finding))).toEqual([
    "run `cut` does not end with the entry that its row names: its last entries are gone, or the row was altered",
    "entry 4 of run `after` makes no sense: what it takes was not free",
  ])
})

test("found: an index that says something else than its table", async () => {
  const file = newFile()
  copyFileSync(filled, file)
  const db = new DatabaseSync(file)
  const row = db
    .prepare(
      "SELECT rootpage, (SELECT page_size FROM pragma_page_size) AS size FROM sqlite_schema WHERE name = 'run_started'",
    )
    .get()
  db.close()
  const bytes = readFileSync(file)
  const start = (Number(row?.rootpage) - 1) * Number(row?.size)
  const at = bytes.indexOf("acme", start)
  expect(at).toBeLessThan(start + Number(row?.size))
  writeFileSync(file, bytes.fill("b", at, at + 1))
  const { ask, close } = openStore(sqlite(file))
  const { findings } = await ask((journal) => journal.inspect((whole) => verifyStore(whole)))
  await close()
  expect(findings.map(({ kind }) => kind)).toContain("file")
})

test("found: any table that is declared in another way, also the one that tells the version", async () => {
  const file = newFile()
  const bytes = readFileSync(filled)
  const at = bytes.indexOf("TABLE sequitur (")
  writeFileSync(file, bytes.fill("S", at + 6, at + 7))
  const { ask, close } = openStore(sqlite(file))
  const { findings } = await ask((journal) => journal.inspect((whole) => verifyStore(whole)))
  await close()
  expect(findings.map((finding) => tellFinding(finding)).join("\n")).toContain("not declared as they were")
})

test("a run that was written anew as a whole is found against its head alone", async () => {
  const { ask, close } = openStore(sqlite(newFile()))
  await ask((journal) =>
    journal.append(
      "whole",
      named(wholeRun).with(2, { seq: 2, atMs: 2_000, event: { ...events.readOutcome, result: 0 } }),
    ),
  )
  const found = await ask((journal) => journal.inspect((whole) => [verifyStore(whole), verifyStore(whole, anchor)]))
  await close()
  expect(found[0]?.findings).toEqual([])
  const kinds = found[1]?.findings.map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining(["rewritten", "run-lost", "store-cut"]))
})

test("a chain that is whole, of entries that make no sense, was not written by us", () =>
  withStore(memory(), async (ask) => {
    await ask((journal) => journal.append("run", recorded([started(), events.writeIntent])))
    const { findings } = await ask((journal) => journal.inspect((whole) => verifyStore(whole)))
    expect(findings).toMatchObject([{ kind: "sense", runId: "run", seq: 1 }])
  }))

test("what has grown since its heads were kept is as it should be", () =>
  withStore(memory(), async (ask) => {
    await ask((journal) => journal.append("run", named(wholeRun.slice(0, 3))))
    const before = await ask((journal) => journal.inspect(anchorOf))
    await ask((journal) => journal.append("other", named(["started"])))
    await ask((journal) => journal.append("run", named(wholeRun).slice(3)))
    const { findings } = await ask((journal) => journal.inspect((whole) => verifyStore(whole, before)))
    expect(findings).toEqual([])
  }))

type Loose = { [field: string]: unknown } & { kind: string }
const [first, second, third] = [0, 1, 2] as const

/** What a whole run would be with this changed in it, chained anew by whoever changed it. */
const forged = (change: (events: Loose[]) => unknown): readonly Entry[] => {
  const events = structuredClone(named(wholeRun).map(({ event }) => event)) as unknown as Loose[]
  change(events)
  return chained("run", recorded(events as unknown as readonly Event[]))
}

const linesFrom = (entries: readonly Entry[]): readonly string[] => [
  write({ sequitur: "journal", version: 1, redacted: false, head: anchorOf({ entries: () => entries as never }) }),
  ...entries.map(write),
]

const at = (events: Loose[], index: number): Loose => events[index] as Loose

test.each<readonly [name: string, line: number, problem: string, change: (events: Loose[]) => unknown]>([
  ["no document", 2, "`/document` is missing", (all) => delete at(all, first).document],
  ["no plan", 2, "`/document` is", (all) => Object.assign(at(all, first), { document: "x" })],
  ["no steps", 2, "`/document/steps` is missing", (all) => Object.assign(at(all, first), { document: { version: 1 } })],
  ["no tools", 2, "`/tools` is missing", (all) => delete at(all, first).tools],
  ["a tool less", 2, "step `read` calls `find`", (all) => Object.assign(at(all, first), { tools: {} })],
  ["no tenant", 2, "`/tenant` is", (all) => Object.assign(at(all, first), { tenant: 5 })],
  ["an empty tenant", 2, "`/tenant` is", (all) => Object.assign(at(all, first), { tenant: "" })],
  ["no roles", 2, "`/roles` is", (all) => Object.assign(at(all, first), { roles: null })],
  ["a newer version", 2, "`/journal` is", (all) => Object.assign(at(all, first), { journal: 3 })],
  ["an older one of nobody", 2, "`/tenant` is", (all) => Object.assign(at(all, first), { journal: 1, tenant: [] })],
  ["no kind", 3, "its kind is none that is known", (all) => delete (at(all, second) as Partial<Loose>).kind],
  ["an unknown kind", 3, 'none that is known: "zzz"', (all) => Object.assign(at(all, second), { kind: "zzz" })],
  ["a kind of every object", 3, "none that is known", (all) => Object.assign(at(all, second), { kind: "toString" })],
  ["a word too much", 3, "`/more` is not known", (all) => Object.assign(at(all, second), { more: 1 })],
  [
    "a prototype",
    3,
    "`/__proto__` is not known",
    (all) => Object.defineProperty(at(all, second), "__proto__", { value: { more: 1 }, enumerable: true }),
  ],
  ["an attempt in words", 3, "`/attempt` is", (all) => Object.assign(at(all, second), { attempt: "1" })],
  ["no list of reserves", 3, "`/reserves` is", (all) => Object.assign(at(all, second), { reserves: 5 })],
  [
    "less than nothing",
    3,
    "`/reserves/0/amount` is",
    (all) => Object.assign(at(all, second), { reserves: [{ scope: "tenant", dimension: "x", amount: -100, max: 5 }] }),
  ],
  ["no time", 4, "`/tookMs` is missing", (all) => delete at(all, third).tookMs],
  ["no failure", 4, "`/failure` is", (all) => Object.assign(at(all, third), { failure: null })],
  ["an effect without a key", 8, "an effect has no key", (all) => delete at(all, 6).idempotencyKey],
  ["another end", 10, "`/status` is", (all) => Object.assign(at(all, 8), { status: "weird" })],
])("an entry that is none is not imported, and found where it was: %s", async (_, line, problem, change) => {
  const entries = forged(change)
  const read = importLines(linesFrom(entries))
  expect(read).toMatchObject({ kind: "refused", problems: [{ line, problem: expect.stringContaining(problem) }] })
})

test("what was written is of the shape that is asked for, and no run is called what cannot be told apart", () => {
  expect(importLines(linesFrom(forged(() => {}))).kind).toBe("whole")
  for (const runId of ["__proto__", "--help", "", "a b"]) {
    const read = importLines(linesFrom(chained(runId, named(wholeRun))))
    expect(read).toMatchObject({
      kind: "refused",
      problems: [{ line: 2, problem: expect.stringMatching(/^no run may/) }],
    })
  }
})

test.each(stores)("a run that has not ended is under way where it is imported: %s", async (_, open) => {
  const doubtful = ["started", "readIntent", "readOutcome", "entered", "writeIntent", "writeInDoubt"] as const
  const entries = [
    ...chained("ended", named(wholeRun)),
    ...chained("waiting", named(wholeRun.slice(0, 4))),
    ...chained("doubtful", recorded([started({ tenant: "other" }), ...doubtful.slice(1).map((name) => events[name])])),
  ]
  await withStore(open(), async (ask) => {
    await ask((journal) => journal.adopt(entries))
    expect(await ask((journal) => journal.due(8e15, 9))).toEqual([])
    await ask((journal) => journal.append("waiting", [{ seq: 4, atMs: 1, event: events.approved }]))
    expect(await ask((journal) => journal.due(8e15, 9))).toEqual([])
    const taking = { owner: "me", untilMs: 9, nowMs: 8, takeOver: false }
    const error = await ask((journal) => Effect.flip(journal.takeUp("waiting", taking)))
    expect(error.message).toContain("was imported before it had ended")
    await ask((journal) => journal.takeUp("waiting", { ...taking, takeOver: true }))
    // A person's word may have been given in the other store too.
    const doubt = await ask((journal) => Effect.flip(journal.takeUp("doubtful", taking)))
    expect([doubt.message, `${(doubt as { hint?: string }).hint}`]).toEqual([
      expect.stringContaining("was imported before it had ended"),
      expect.stringContaining("`resolve` it (an open run: `createGate`) with `takeOver: true`"),
    ])
    await ask((journal) => journal.takeUp("doubtful", { ...taking, takeOver: true }))
  })
})

describe.each(stores)("export of %s", (_, open) => {
  const linesOf = (options = {}) =>
    withStoreOf((journal) => journal.inspect((whole) => [...exportLines(whole, options)]))
  const withStoreOf = async <A>(use: (journal: JournalService) => Effect.Effect<A, unknown>): Promise<A> => {
    const { ask, close } = openStore(open())
    await ask(fill)
    const found = await ask(use)
    await close()
    return found
  }

  test("what is imported into another store is the same, entries and tables", async () => {
    const read = importLines(await linesOf())
    if (read.kind !== "whole") throw new Error(JSON.stringify(read))
    for (const [, into] of stores) {
      await withStore(into(), async (ask) => {
        await ask((journal) => journal.adopt(read.entries))
        const { findings, anchor: now } = await ask((journal) => journal.inspect((whole) => verifyStore(whole, anchor)))
        expect(findings).toEqual([])
        expect(now).toEqual(anchor)
        expect(await ask((journal) => journal.effect("other", "k1:1"))).toMatchObject({ state: "open" })
        // Once is enough.
        expect(await ask((journal) => Effect.flip(journal.adopt(read.entries)))).toMatchObject({
          _tag: "JournalConflict",
        })
        expect(await ask((journal) => journal.list())).toHaveLength(3)
      })
    }
  })

  test("a redacted export verifies, and shows nothing but what it is asked to show", async () => {
    const lines = await linesOf({
      redacted: true,
      show: ({ seq, kind }: { seq: number; kind: string }) => seq === 0 || kind === "outcome",
    })
    const read = importLines(lines)
    expect(read).toMatchObject({ kind: "redacted" })
    const text = lines.join("\n")
    for (const secret of ["ann", "acme", "k1:1", started().salt, '"document"'])
      expect(text, secret).not.toContain(secret)
    expect(text).toContain('"found":true')
    // A changed word, a changed commitment, a changed payload.
    for (const [from, to] of [
      ['"LOOKING"', '"LOOKIN9"'],
      ['"c1:', '"c1:0'],
      ['"found":true', '"found":false'],
    ] as const) {
      const at = lines.findIndex((line) => line.includes(from))
      expect(at).toBeGreaterThan(0)
      expect(importLines(lines.with(at, (lines[at] as string).replace(from, to)))).toMatchObject({
        kind: "refused",
        problems: [{ line: at + 1 }],
      })
    }
  })

  test.each([
    ["a line less", (lines: string[]) => lines.slice(0, -1)],
    ["another order", (lines: string[]) => lines.with(1, lines[10] as string).with(10, lines[1] as string)],
    ["a changed value", (lines: string[]) => lines.map((line) => line.replace('"found":true', '"found":false'))],
    ["a line that is none", (lines: string[]) => lines.with(4, "{")],
    ["a line of another kind", (lines: string[]) => lines.with(4, "[]")],
    ["no head", (lines: string[]) => lines.slice(1)],
    ["nothing", () => []],
    ["a newer version", (lines: string[]) => lines.with(0, (lines[0] as string).replace('"version":1', '"version":2'))],
  ])("refused: %s", async (_, change) => {
    for (const redacted of [false, true]) {
      const read = importLines(change(await linesOf({ redacted, show: () => true })))
      expect(read.kind).toBe("refused")
      if (read.kind === "refused") expect(read.problems[0]?.problem).not.toBe("")
    }
  })

  const doubled = [
    ["of a line", /^\{/, '{"seq":9,', '"seq"'],
    ["of what it holds", /"(event|clear)":\{/, '"$1":{"kind":"outcome",', '"kind" twice'],
    ["beside what is known", /^\{/, '{"note":"paid",', '"note", which'],
    ["that sets a prototype", /"(event|clear)":\{/, '"$1":{"__proto__":{"kind":"observed"},', ""],
    ["that sets the prototype of a line", /^\{/, '{"__proto__":{"event":{}},', '"__proto__", which'],
  ] as const
  test.each(doubled)("a key too many is refused in every line: %s", async (_, where, more, problem) => {
    for (const redacted of [false, true]) {
      const lines = await linesOf({ redacted })
      for (const at of lines.keys()) {
        const line = lines[at] as string
        const altered = line.replace(where, more)
        if (altered === line) continue
        expect(importLines(lines.with(at, altered)), altered).toEqual({
          kind: "refused",
          problems: [{ code: "RUN503", line: at + 1, problem: expect.stringContaining(problem) }],
        })
      }
    }
  })

  test("the head is of the very lines that follow it: no run more, and no entry", async () => {
    for (const redacted of [false, true]) {
      const [head = "", ...rest] = await linesOf({ redacted })
      const { head: anchor, ...said } = JSON.parse(head)
      const [runId = "", ...others] = Object.keys(anchor.runs)
      const { [runId]: _, ...fewer } = anchor.runs
      expect(others).not.toEqual([])
      const store = { entries: 0, hash: "0".repeat(64) }
      const shorter = { ...anchor.runs[runId], entries: anchor.runs[runId].entries - 1 }
      const heads = [
        { ...anchor, runs: fewer },
        { store, runs: {} },
        { ...anchor, store },
        { ...anchor, runs: { ...anchor.runs, [runId]: shorter } },
        { ...anchor, runs: { ...anchor.runs, another: shorter } },
      ]
      for (const other of heads)
        expect(importLines([JSON.stringify({ ...said, head: other }), ...rest]), JSON.stringify(other)).toMatchObject({
          kind: "refused",
          problems: [{ line: expect.any(Number) }],
        })
      expect(importLines([head, ...rest]).kind).toBe(redacted ? "redacted" : "whole")
    }
  })
})
