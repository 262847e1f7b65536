/** A run that was imported before it had ended: it goes on when it is taken over, and only as its plan and its catalog say. */
import { Effect } from "effect"
import { compile } from "sequitur"
import { createRunner, type Entry, Journal, type Runner } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { expect, test } from "vitest"
import type { Event, RunStarted } from "../../src/journal/entry.ts"
import { recover } from "../../src/journal/sqlite/recover.ts"
import { newFile } from "../journal/stores.ts"
import { boxOn, catalog as counter, makeOutside, silence } from "./counter.ts"
import { accepted, countCalls, guarded, guardedPlan, handlersOf, principal, scope } from "./desk.ts"

const refusalOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => "nothing was refused",
    (error: unknown) => error,
  )

const adopt = (file: string, entries: readonly Entry[]): Promise<void> =>
  Effect.runPromise(Journal.use((journal) => journal.adopt(entries)).pipe(Effect.provide(sqlite(file))) as never)

type Change = (event: Event) => Event | undefined

/** As somebody with an export in their hands could write it: a chain of its own, all in order. */
const forge = (entries: readonly Entry[], change: Change): readonly Entry[] =>
  entries
    .flatMap((entry) => change(entry.event) ?? [])
    .map((event, seq) => ({ ...(entries[seq] as Entry), seq, event }))

/** A call by `tool` whose process has ended, in another store. */
async function interrupted(tool: string): Promise<readonly Entry[]> {
  const runner = createRunner({
    catalog: counter,
    tools: boxOn(makeOutside(), { call: { [tool]: silence } }) as never,
    store: sqlite(newFile()),
  })
  const plan = accepted(
    compile(counter, JSON.stringify({ version: 1, steps: [{ id: "pay", tool, args: { invoice: "i1" } }] })),
  )
  runner.run(plan, { principal, sessionId: "s", taskId: "t", runId: "run" }).catch(() => {})
  for (;;) {
    const entries = await runner.entries("run").catch(() => [])
    if (entries.at(-1)?.event.kind === "intent") {
      await runner.close()
      return entries.filter(({ seq, event }) => seq === 0 || event.kind === "intent")
    }
    await new Promise((done) => setTimeout(done, 5))
  }
}

async function takenOver(tool: string, change: Change, calls = makeOutside()) {
  const file = newFile()
  await adopt(file, forge(await interrupted(tool), change))
  const runner = createRunner({ catalog: counter, tools: boxOn(calls) as never, store: sqlite(file) }) as Runner
  return { runner, calls, file }
}

const asItWas: Change = (event) => event

test("what follows from its plan is taken over, and settled as any other", async () => {
  const { runner, calls } = await takenOver("natural", asItWas)
  expect(await refusalOf(runner.resume("run"))).toMatchObject({ code: "RUN208" })
  expect(calls.calls).toHaveLength(0)
  expect(await runner.resume("run", { takeOver: true })).toMatchObject({ status: "succeeded" })
  expect(calls.calls).toHaveLength(1)
  await runner.close()
})

const forgeries: readonly (readonly [name: string, tool: string, change: Change])[] = [
  [
    "with other arguments than planned",
    "natural",
    (event) => (event.kind === "intent" ? { ...event, args: { invoice: "another" } } : event),
  ],
  [
    "with another key than its own",
    "keyed",
    (event) => (event.kind === "intent" ? { ...event, idempotencyKey: `${event.idempotencyKey}0` } : event),
  ],
  [
    "with another policy than the catalog's",
    "bare",
    (event) =>
      event.kind === "run-started"
        ? {
            ...event,
            tools: {
              ...event.tools,
              bare: { ...(event.tools.bare as RunStarted["tools"][string]), idempotency: { kind: "natural" } },
            },
          }
        : event,
  ],
]

test.each(forgeries)("%s: it is refused at its entry, and nothing is called", async (_, tool, change) => {
  const { runner, calls } = await takenOver(tool, change)
  expect(await refusalOf(runner.resume("run", { takeOver: true }))).toMatchObject({ code: "RUN504" })
  expect(calls.calls).toHaveLength(0)
  // Nor by a person's word on what was never planned, nor when it is to be undone.
  expect(await runner.cancel("run", { by: "eve" })).toMatchObject({ status: "running" })
  expect(await refusalOf(runner.resume("run", { takeOver: true }))).toMatchObject({ code: "RUN504" })
  expect(calls.calls).toHaveLength(0)
  await runner.close()
})

test("a guard without its approval: nothing behind it is called", async () => {
  const [from, to] = [newFile(), newFile()]
  const calls = countCalls()
  const tools = handlersOf(calls) as never
  const there = createRunner({ catalog: guarded, tools, store: sqlite(from) })
  await there.run(guardedPlan, { ...scope, runId: "run" })
  const entries = await there.entries("run")
  await there.close()
  expect(entries.at(-1)?.event.kind).toBe("approval-requested")
  await adopt(
    to,
    forge(entries, (event) =>
      event.kind === "approval-requested"
        ? { kind: "state-entered", stepId: event.stepId, from: event.from ?? "", to: event.to ?? "" }
        : event,
    ),
  )
  const runner = createRunner({ catalog: guarded, tools, store: sqlite(to) })
  expect(await refusalOf(runner.resume("run", { takeOver: true }))).toMatchObject({
    code: "RUN504",
    fields: { seq: 3 },
  })
  expect(calls.count("cancel")).toBe(0)
  await runner.close()
})

test("in doubt: a person's word is heard when it is taken over, and not before", async () => {
  const [from, to] = [newFile(), newFile()]
  const dying = await interrupted("bare")
  await adopt(from, dying)
  const there = createRunner({ catalog: counter, tools: boxOn(makeOutside()) as never, store: sqlite(from) })
  expect(await there.resume("run", { takeOver: true })).toMatchObject({ status: "in_doubt" })
  const entries = await there.entries("run")
  await there.close()
  await adopt(to, entries)
  const outside = makeOutside()
  const runner = createRunner({ catalog: counter, tools: boxOn(outside) as never, store: sqlite(to) })
  const word = { by: "eve", reason: "seen", notApplied: true } as const
  const refused = await refusalOf(runner.resolve("run", "pay", word))
  expect(refused).toMatchObject({
    code: "RUN208",
    hint: expect.stringContaining("`resolve` it (an open run: `createGate`) with `takeOver: true`"),
  })
  expect(outside.calls).toHaveLength(0)
  expect(await runner.resolve("run", "pay", { ...word, takeOver: true })).toMatchObject({ status: "succeeded" })
  expect(outside.calls).toHaveLength(1)
  await runner.close()
})

test("what was recovered goes on when it is taken over, and not before: its outcome may be what was lost", async () => {
  const [from, to] = [newFile(), newFile()]
  await adopt(from, await interrupted("natural"))
  const { unended } = await Effect.runPromise(recover(from, to))
  expect(unended).toEqual([{ runId: "run", doubt: undefined }])
  const outside = makeOutside()
  const runner = createRunner({ catalog: counter, tools: boxOn(outside) as never, store: sqlite(to) })
  const refused = await refusalOf(runner.resume("run"))
  expect(refused).toMatchObject({
    code: "RUN208",
    message: expect.stringContaining("was recovered before it had ended"),
  })
  const due = Journal.use((journal) => journal.due(8e15 - 1, 10)).pipe(Effect.provide(sqlite(to)))
  expect(await Effect.runPromise(due)).toEqual([])
  expect(outside.calls).toHaveLength(0)
  expect(await runner.resume("run", { takeOver: true })).toMatchObject({ status: "succeeded" })
  await runner.close()
})
