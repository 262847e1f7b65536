/** The outbox of requests: whoever is to be told is told at least once, whatever they do and whatever becomes of a process. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import { compile, defineCatalog, tool } from "sequitur"
import { createRunner, createWorker, memory, type OnRequested, toolbox, type WaitingApproval } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { folder } from "../cli/sequitur.ts"
import { apiKey, holds } from "../leak/canary.ts"

const catalog = defineCatalog({
  name: "desk",
  version: "1",
  approvals: "unsigned",
  inputs: z.strictObject({ key: z.string().meta({ sensitive: true }) }),
  tools: {
    pay: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ key: z.string(), cents: z.int() }),
      authority: { approval: "always" },
      idempotency: "natural",
      compensate: "none",
    }),
  },
})

const compiled = compile(
  catalog,
  JSON.stringify({
    version: 1,
    goal: "Pay.",
    steps: [{ id: "pay", tool: "pay", args: { key: { $from: "input", path: "/key" }, cents: 5 } }],
  }),
)
if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
const { plan } = compiled

const tools = { pay: () => null }
const options = (runId: string) => ({
  principal: { tenant: "acme", subject: "ada" },
  sessionId: "s",
  taskId: runId,
  runId,
  inputs: { key: apiKey },
})

type Answer = () => ReturnType<OnRequested>

/** Does something else each time; the last of it over and over. */
const telling = (...answers: readonly Answer[]) => {
  const told: WaitingApproval[] = []
  const onRequested: OnRequested = (waiting) => {
    told.push(waiting)
    return (answers[told.length - 1] ?? answers.at(-1) ?? (() => undefined))()
  }
  return { told, onRequested }
}
const fine: Answer = () => undefined
const hangs: Answer = () => new Promise(() => {})
const throws: Answer = () => {
  throw new Error("the chat is down")
}

const path = (): string => join(folder(), "runs.db")
type Kinds = { readonly entries: (runId: string) => Promise<readonly { readonly event: { readonly kind: string } }[]> }
const kinds = async (runner: Kinds, runId = "r") => (await runner.entries(runId)).map(({ event }) => event.kind)

describe("a request is told of", () => {
  test.each<readonly [string, readonly Answer[]]>([
    ["at once", [fine]],
    ["by a promise", [async () => "posted"]],
    ["by an Effect", [() => Effect.succeed("posted")]],
    ["again after it threw", [throws, fine]],
    ["again after it rejected", [() => Promise.reject(new Error("no")), () => Promise.reject(null), fine]],
    ["again after an Effect failed", [() => Effect.fail("no"), fine]],
  ])("%s, and that is written down once", async (_, answers) => {
    const { told, onRequested } = telling(...answers)
    const runner = createRunner({ catalog, tools, store: memory(), onRequested })
    expect((await runner.run(plan, options("r"))).status).toBe("awaiting_approval")
    await expect.poll(() => kinds(runner), { timeout: 5_000 }).toContain("request-delivered")
    await new Promise((done) => setTimeout(done, 300))
    expect(told).toHaveLength(answers.length)
    expect(new Set(told.map(({ request }) => request.requestId)).size).toBe(1)
    expect((await runner.approve("r", "pay", { by: "eve" })).status).toBe("succeeded")
    expect(await kinds(runner)).toEqual([
      ...["run-started", "approval-requested", "request-delivered", "approval-decided", "taken-up"],
      ...["intent", "outcome", "run-ended"],
    ])
    await runner.close()
  })

  test("as it is shown, without secrets, and with what a decision is bound to", async () => {
    const { told, onRequested } = telling(fine)
    const runner = createRunner({ catalog, tools, store: memory(), onRequested })
    await runner.run(plan, options("r"))
    await expect.poll(() => told.length).toBe(1)
    const [waiting] = await runner.approvals.list()
    await runner.close()
    expect(told[0]).toMatchObject({
      runId: "r",
      subject: "ada",
      request: { follows: [{ tool: "pay", args: { key: "[redacted]", cents: 5 } }] },
    })
    expect(told[0]?.bound).toEqual(waiting?.bound)
    expect(holds(JSON.stringify(told), apiKey)).toBe(false)
  })
})

describe("whoever is told does not hold a run up:", () => {
  test("one that never answers neither delays it, its decision, nor the others", async () => {
    const { told, onRequested } = telling(hangs)
    const runner = createRunner({ catalog, tools, store: memory(), onRequested })
    const began = performance.now()
    await Promise.all(["a", "b", "c"].map((runId) => runner.run(plan, options(runId))))
    await expect.poll(() => told.length).toBe(3)
    for (const runId of ["a", "b", "c"])
      expect((await runner.approve(runId, "pay", { by: "eve" })).status).toBe("succeeded")
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(await kinds(runner, "a")).not.toContain("request-delivered")
    await runner.close({ graceMs: 0 })
  })

  test("nothing is written of a request that was decided before it was delivered", async () => {
    const held = Promise.withResolvers<void>()
    const { told, onRequested } = telling(() => held.promise)
    const runner = createRunner({ catalog, tools, store: memory(), onRequested })
    await runner.run(plan, options("r"))
    await expect.poll(() => told.length).toBe(1)
    await runner.decide("r", "pay", { decision: "denied", by: "eve" })
    const before = await kinds(runner)
    held.resolve()
    await new Promise((done) => setTimeout(done, 100))
    expect(await kinds(runner)).toEqual(before)
    await runner.close()
  })
})

describe("a process that ends in between", () => {
  test("before it has told anybody: the next one does, a runner or a worker", async () => {
    for (const which of ["runner", "worker"] as const) {
      const store = path()
      const before = createRunner({ catalog, tools, store: sqlite(store) })
      await before.run(plan, options("r"))
      await before.close()
      const { told, onRequested } = telling(throws, fine)
      const errors: unknown[] = []
      const watching = createRunner({
        catalog,
        tools,
        store: sqlite(store),
        ...(which === "runner" && { onRequested }),
      })
      const worker =
        which === "worker"
          ? createWorker({
              store: sqlite(store),
              tools: toolbox(catalog, tools),
              everyMs: 10,
              onRequested,
              onError: (error, runId) => errors.push([String(error), runId]),
            })
          : undefined
      await expect.poll(() => kinds(watching), { timeout: 5_000 }).toContain("request-delivered")
      expect(told.map(({ runId }) => runId)).toEqual(["r", "r"])
      if (which === "worker") expect(errors).toEqual([["Error: the chat is down", "r"]])
      await worker?.stop()
      await watching.close()
    }
  })

  test("after it has told, and before it could write that down: it is told again, under the same id", async () => {
    const store = path()
    const first = telling(hangs)
    const before = createRunner({ catalog, tools, store: sqlite(store), onRequested: first.onRequested })
    await before.run(plan, options("r"))
    await expect.poll(() => first.told.length).toBe(1)
    await before.close({ graceMs: 0 })
    const second = telling(fine)
    const after = createRunner({ catalog, tools, store: sqlite(store), onRequested: second.onRequested })
    await expect.poll(() => kinds(after), { timeout: 5_000 }).toContain("request-delivered")
    expect(second.told[0]?.request.requestId).toBe(first.told[0]?.request.requestId)
    await after.close()
    // What was delivered is not told again.
    const third = telling(fine)
    const last = createRunner({ catalog, tools, store: sqlite(store), onRequested: third.onRequested })
    await last.runs()
    await new Promise((done) => setTimeout(done, 200))
    expect(third.told).toEqual([])
    await last.close()
  })

  test("a runner that is closed at once has told before", async () => {
    const { told, onRequested } = telling(() => new Promise((done) => setTimeout(done, 50)))
    const store = path()
    const runner = createRunner({ catalog, tools, store: sqlite(store), onRequested })
    await runner.run(plan, options("r"))
    await runner.close()
    const after = createRunner({ catalog, tools, store: sqlite(store) })
    expect([told.length, (await kinds(after)).at(-1)]).toEqual([1, "request-delivered"])
    await after.close()
  })

  test("whoever lists what waits, or has the report, is shown no more", async () => {
    const runner = createRunner({ catalog, tools, store: memory() })
    const report = await runner.run(plan, options("r"))
    const [listed] = await runner.approvals.list()
    const got = await runner.approvals.get("r/pay")
    expect([report, listed, got].map((shown) => holds(JSON.stringify(shown), apiKey))).toEqual([false, false, false])
    expect(report).toMatchObject({ awaiting: { follows: [{ args: { key: "[redacted]", cents: 5 } }] } })
    expect(got).toMatchObject({ request: listed?.request, bound: { inputs: listed?.request.inputs } })
    expect((await runner.approve("r", "pay", { by: "eve" })).status).toBe("succeeded")
    await runner.close()
  })

  test("a runner closes within its grace, whoever never answers, in a process that has nothing else to do", () => {
    const script = `
      import { compile, defineCatalog, tool } from "sequitur"
      import { createRunner, memory } from "sequitur/run"
      import { z } from "zod"
      const pay = tool({ description: "Pay.", effect: "write", params: z.strictObject({}),
        authority: { approval: "always" }, idempotency: "natural", compensate: "none" })
      const catalog = defineCatalog({ name: "c", version: "1", tools: { pay } })
      const { plan } = compile(catalog, '{"version":1,"steps":[{"id":"p","tool":"pay","args":{}}]}')
      const onRequested = () => new Promise(() => {})
      const runner = createRunner({ catalog, store: memory(), approvers: [], tools: { pay: () => null }, onRequested })
      await runner.run(plan, { principal: { tenant: "t", subject: "a" }, sessionId: "s", taskId: "t" })
      await runner.close({ graceMs: 50 })
      console.log("closed")`
    const flags = ["--conditions=@sequitur/source", "--input-type=module", "--eval", script]
    const { status, stdout } = spawnSync(process.execPath, flags, { encoding: "utf8" })
    expect([status, stdout]).toEqual([0, "closed\n"])
  })

  test("a worker that works until nothing is due tells what waits", async () => {
    const store = path()
    const before = createRunner({ catalog, tools, store: sqlite(store) })
    await before.run(plan, options("r"))
    await before.close()
    const { told, onRequested } = telling(fine)
    await createWorker({ store: sqlite(store), tools: toolbox(catalog, tools), untilIdle: true, onRequested }).stopped
    expect(told).toHaveLength(1)
  })
})

describe("plans/webhook", () => {
  const example = (env: string) =>
    spawnSync(process.execPath, ["--conditions=@sequitur/source", "plans/webhook/webhook.ts"], {
      encoding: "utf8",
      env: { ...process.env, NODE_ENV: env },
    })

  test("asks in the chat, is answered at the door, and ends", () => {
    const { status, stdout, stderr } = example("development")
    expect([status, stderr]).toEqual([0, ""])
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual([
      "awaiting_approval",
      "the chat answered 503: it is told again",
      '[chat] ada asks to: refund {"cents":4200,"orderId":"O-7","tell":"[redacted]"}',
      "[chat] an answer that Eve did not sign: 403 refused: RUN306",
      "refunded 4200 cents, and told mia@example.org",
      "[chat] Eve's answer: 200 succeeded",
      "succeeded",
      "[chat] the same once more: 403 refused: RUN205",
    ])
  })

  test.each(["production", "", "staging"])("takes no development key where NODE_ENV is `%s`", (env) => {
    const { status, stdout } = example(env)
    expect(status).toBe(0)
    expect(stdout).not.toContain("refunded")
    expect(stdout).toContain("Eve's answer: 403 refused: RUN307")
  })
})
