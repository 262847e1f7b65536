/** Closing a runner: what is under way is not thrown away. Found by somebody whose deploys left calls in doubt. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createRunner, notApplied, type Runner } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, describe, expect, test } from "vitest"
import { catalog, countCalls, handlersOf, planOf, scope, calls as steps } from "./desk.ts"

const folder = mkdtempSync(join(tmpdir(), "sequitur-close-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let made = 0
const newStore = () => sqlite(join(folder, `${made++}.db`))

const noting = planOf([
  { ...steps.note, id: "first" },
  { id: "second", tool: "note", args: { text: "more" } },
])

/** A handler that tells when it is called, and answers when it is told to. */
function held() {
  const called = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<null>()
  return {
    called: called.promise,
    answer: () => answer.resolve(null),
    note: () => {
      called.resolve()
      return answer.promise
    },
  }
}

const goOn = async (store: ReturnType<typeof newStore>, use: (runner: Runner<never>) => Promise<unknown>) => {
  const calls = countCalls()
  const runner = createRunner({ catalog, tools: handlersOf(calls), store })
  const result = await use(runner as never)
  await runner.close()
  return { result, calls }
}

describe("close", () => {
  test("waits for the call under way, writes what came of it, begins nothing more, and lets go of the run", async () => {
    const store = newStore()
    const handler = held()
    const calls = countCalls()
    const runner = createRunner({ catalog, tools: handlersOf(calls, { note: handler.note }), store })
    const running = runner.run(noting, { ...scope, runId: "run" })
    await handler.called
    let closed = false
    const closing = runner.close().then(() => {
      closed = true
    })
    await expect(runner.status("run")).rejects.toMatchObject({ code: "RUN501" })
    await new Promise((done) => setTimeout(done, 100))
    expect(closed).toBe(false)
    handler.answer()
    expect(await running).toMatchObject({ status: "running", effects: [{ stepId: "first", state: "done" }] })
    await closing
    expect(calls.count("note")).toBe(1)
    const after = await goOn(store, (other) => other.resume("run"))
    expect(after.result).toMatchObject({ status: "succeeded" })
    expect(after.calls.made.map(({ context }) => context.stepId)).toEqual(["second"])
  })

  test("waits no longer than it may: what is under way then is as after a crash", async () => {
    const store = newStore()
    const handler = held()
    const tools = handlersOf(countCalls(), { note: handler.note })
    const runner = createRunner({ catalog, tools, store, graceMs: 50 })
    const running = runner.run(noting, { ...scope, runId: "run" })
    await handler.called
    const refused = expect(running).rejects.toMatchObject({ code: "RUN501" })
    const beganMs = performance.now()
    await runner.close()
    expect(performance.now() - beganMs).toBeLessThan(900)
    await refused
    const after = await goOn(store, (other) => other.resume("run"))
    expect(after.result).toMatchObject({ status: "in_doubt" })
  })

  test("does not sit out the pause before another try", async () => {
    const store = newStore()
    const { promise: failed, resolve } = Promise.withResolvers<void>()
    const tools = handlersOf(countCalls(), {
      note: () => {
        throw notApplied("busy", { retryAfterMs: 50_000 })
      },
    })
    const runner = createRunner({
      catalog,
      tools,
      store,
      onEvent: ({ event }) => {
        if (event.kind === "attempt-failed") resolve()
      },
    })
    const running = runner.run(noting, { ...scope, runId: "run" })
    await failed
    const beganMs = performance.now()
    await runner.close()
    expect(performance.now() - beganMs).toBeLessThan(5_000)
    expect(await running).toMatchObject({ status: "running" })
  })

  test("is told how long, in whole milliseconds", async () => {
    const runner = createRunner({ catalog, tools: handlersOf(countCalls()), store: newStore(), graceMs: -1 })
    await expect(runner.runs()).rejects.toMatchObject({
      code: "RUN201",
      message: "`graceMs` of this runner must be a whole number, 0 or more, but is -1",
    })
    await runner.close()
    const leased = createRunner({ catalog, tools: handlersOf(countCalls()), store: newStore(), leaseMs: 0 })
    await expect(leased.run(noting, scope)).rejects.toMatchObject({
      message: "`leaseMs` of this run must be a whole number, 1 or more, but is 0",
    })
    await leased.close()
  })
})
