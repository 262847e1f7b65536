/** A run that is let go of while it waits for a person: it is due at its deadline all the same, for a worker to end it. */
import { Effect } from "effect"
import { compile, defineCatalog } from "sequitur"
import { createRunner, type Handlers, Journal } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { expect, test } from "vitest"
import { verifyStore } from "../../src/journal/verify.ts"
import { newFile } from "../journal/stores.ts"
import { accepted, countCalls, type Desk, guarded, handlersOf, scope, calls as steps } from "./desk.ts"

const catalog = defineCatalog({ ...guarded.spec, budgets: { deadlineMs: 60_000 } })
const plan = accepted(
  compile(
    catalog,
    JSON.stringify({ version: 1, steps: [steps.find, { id: "open", transition: "CHANGING" }, steps.note] }),
  ),
)

test.each(["stops", "fails"])("its process %s", async (how) => {
  const file = newFile()
  let looks = 0
  const store = sqlite(file)
  const runner = createRunner({
    catalog,
    tools: handlersOf(countCalls()) as Handlers<Desk> as never,
    store,
    stopping: () => {
      if (++looks < 3) return false
      if (how === "fails") throw new Error("something of the host's own breaks")
      return true
    },
  })
  const ended = await runner.run(plan, { ...scope, runId: "run" }).catch((error: unknown) => error)
  if (how === "stops") expect(ended).toMatchObject({ status: "awaiting_approval" })
  await runner.close()
  const [leases, findings] = await Effect.runPromise(
    Journal.use((journal) =>
      journal.inspect((whole) => [[...whole.leases()], verifyStore(whole).findings] as const),
    ).pipe(Effect.provide(sqlite(file))),
  )
  expect(findings).toEqual([])
  const { startedAtMs } = (await reports(file))[0] ?? { startedAtMs: 0 }
  expect(leases).toEqual([{ runId: "run", owner: undefined, untilMs: 0, dueMs: startedAtMs + 60_000 }])
})

const reports = (file: string) =>
  Effect.runPromise(Journal.use((journal) => journal.list()).pipe(Effect.provide(sqlite(file))))
