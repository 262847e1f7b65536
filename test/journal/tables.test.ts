/** Tables are a function of the entries: whatever runs do beside one another, every store has the same, and so has the fold. */
import * as Effect from "effect/Effect"
import { asyncProperty, assert as holds, integer } from "fast-check"
import { expect, test } from "vitest"
import type { Whole } from "../../src/journal/journal.ts"
import { memory } from "../../src/journal/memory.ts"
import { sqlite } from "../../src/journal/sqlite.ts"
import { fold, type RunState } from "../../src/journal/state.ts"
import { isTerminal } from "../../src/journal/status.ts"
import { verifyStore } from "../../src/journal/verify.ts"
import { type Asked, newFile, openStore } from "./stores.ts"
import { drawFrom, recordedAfter, startStory, storyStarted, tell } from "./story.ts"

const rowsOf = (whole: Whole) => [...whole.tables()].map((row) => JSON.stringify(row)).sort()

const seen = { taken: new Set<string>(), kinds: new Set<string>() }

/** Three runs under way at any time, in two tenants, some steps of each. */
async function live(both: readonly Asked[], steps: number, draw: (below: number) => number) {
  const runs = new Map<string, RunState>()
  const askAll = <A>(of: (asked: Asked) => Promise<A>): Promise<readonly A[]> => Promise.all(both.map(of))
  const begin = async (runId: string): Promise<void> => {
    const tenant = draw(4) === 0 ? "other" : "acme"
    await askAll(({ ask }) =>
      ask((journal) => journal.append(runId, [{ seq: 0, atMs: 0, event: storyStarted(tenant) }])),
    )
    runs.set(runId, startStory(runId, tenant))
  }
  for (let step = 0; step < steps; step++) {
    const under = [...runs.values()].filter(({ status }) => !isTerminal(status) || draw(8) === 0)
    if (under.length < 3) await begin(`run-${runs.size}`)
    const state = under[draw(under.length)]
    const event = state && tell(state, draw)
    if (state === undefined || event === undefined) continue
    const record = recordedAfter(state, event)
    const before = await askAll(({ ask }) => ask((journal) => journal.inspect(rowsOf)))
    const [one, other] = await askAll(({ ask }) =>
      ask((journal) => Effect.result(journal.append(state.runId, [record]))),
    )
    expect(other).toEqual(one)
    if (one?._tag === "Success") {
      runs.set(state.runId, fold(state, record) as RunState)
      seen.kinds.add(event.kind === "reconciled" ? `reconciled ${event.answer}` : event.kind)
    } else {
      expect(one?.failure).toMatchObject({ _tag: "Taken" })
      seen.taken.add(one?.failure._tag === "Taken" ? one.failure.what : "")
      expect(await askAll(({ ask }) => ask((journal) => journal.inspect(rowsOf)))).toEqual(before)
    }
  }
  return runs
}

test("runs side by side: memory and SQLite answer alike, have the same tables, and those that the entries make", async () => {
  await holds(
    asyncProperty(integer(), integer({ min: 1, max: 300 }), async (seed, steps) => {
      const both = [openStore(memory()), openStore(sqlite(newFile()))] as const
      try {
        const runs = await live(both, steps, drawFrom(seed))
        const [mine, theirs] = await Promise.all(both.map(({ ask }) => ask((journal) => journal.inspect(rowsOf))))
        expect(theirs).toEqual(mine)
        for (const { ask } of both) {
          const { findings } = await ask((journal) => journal.inspect((whole) => verifyStore(whole)))
          expect(findings).toEqual([])
          const listed = await ask((journal) => journal.list())
          expect(Object.fromEntries(listed.map(({ runId, status }) => [runId, status]))).toEqual(
            Object.fromEntries([...runs].map(([runId, { status }]) => [runId, status])),
          )
        }
      } finally {
        for (const { close } of both) await close()
      }
    }),
    // Always the same, so that what they met can be held to be all there is to meet.
    { numRuns: 25, seed: 1 },
  )
  expect([...seen.taken].sort()).toEqual(["claim", "key", "limit"])
  // Every kind that the tables hang on.
  expect([...seen.kinds]).toEqual(
    expect.arrayContaining([
      ...["intent", "outcome", "attempt-failed", "answer-lost", "resolved", "observed", "in-doubt", "winding-down"],
      ...["reconciled applied", "reconciled barred", "reconciled not-applied", "cancel-requested", "run-ended"],
    ]),
  )
}, 60_000)
