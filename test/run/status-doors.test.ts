/** Every status of a run, and every door that could move it: what may happen does, what may not is refused by its code. */
import { compile, defineCatalog, tool } from "sequitur"
import { createRunner, memory, type Runner } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import type { Status } from "../../src/journal/status.ts"

const write = { effect: "write", idempotency: "none", compensate: "none", params: z.strictObject({}) } as const

const catalog = defineCatalog({
  name: "doors",
  version: "1",
  approvals: "unsigned",
  budgets: { tokens: 5 },
  tools: {
    fine: tool({ ...write, description: "Works." }),
    fails: tool({ ...write, description: "Looks, and fails.", effect: "read" }),
    lost: tool({ ...write, description: "Is lost." }),
    asks: tool({ ...write, description: "Asks.", authority: { approval: "always" } }),
  },
})

const planOf = (name: string) => {
  const compiled = compile(catalog, JSON.stringify({ version: 1, steps: [{ id: "it", tool: name, args: {} }] }))
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  return compiled.plan
}

const throws = (): never => {
  throw new Error("no")
}
const scope = { principal: { tenant: "acme", subject: "ada" }, sessionId: "s", taskId: "t", runId: "r" }
const eve = { by: "eve", reason: "looked" }

/** How a run comes to stand so, `r` each time. */
const stands: { readonly [One in Status]: (runner: Runner) => Promise<unknown> } = {
  running: async (runner) => {
    await runner.run(planOf("asks"), scope)
    await runner.decide("r", "it", { ...eve, decision: "approved" })
  },
  awaiting_approval: (runner) => runner.run(planOf("asks"), scope),
  in_doubt: (runner) => runner.run(planOf("lost"), scope),
  succeeded: (runner) => runner.run(planOf("fine"), scope),
  failed: (runner) => runner.run(planOf("fails"), scope),
  cancelled: async (runner) => {
    await runner.run(planOf("asks"), scope)
    await runner.cancel("r", eve)
  },
  exhausted: (runner) => runner.run(planOf("fine"), { ...scope, spent: { tokens: 6 } }),
}

const doors = {
  run: (runner: Runner) => runner.run(planOf("fine"), scope),
  resume: (runner: Runner) => runner.resume("r"),
  "take over": (runner: Runner) => runner.resume("r", { takeOver: true }),
  approve: (runner: Runner) => runner.approve("r", "it", eve),
  deny: (runner: Runner) => runner.deny("r", "it", eve),
  "decide to approve": (runner: Runner) => runner.decide("r", "it", { ...eve, decision: "approved" }),
  "decide to deny": (runner: Runner) => runner.decide("r", "it", { ...eve, decision: "denied" }),
  "resolve as applied": (runner: Runner) => runner.resolve("r", "it", { ...eve, applied: null }),
  "resolve as not applied": (runner: Runner) => runner.resolve("r", "it", { ...eve, notApplied: true }),
  "resolve by another try": (runner: Runner) => runner.resolve("r", "it", { ...eve, retry: true }),
  "resolve by giving up": (runner: Runner) => runner.resolve("r", "it", { ...eve, giveUp: true }),
  cancel: (runner: Runner) => runner.cancel("r", eve),
} as const

type Door = keyof typeof doors

const refusedAll = (code: string) =>
  Object.fromEntries(Object.keys(doors).map((door) => [door, door === "run" ? "RUN207" : code])) as Answers
const resolving = (code: string) => ({
  "resolve as applied": code,
  "resolve as not applied": code,
  "resolve by another try": code,
  "resolve by giving up": code,
})
const deciding = (code: string) => ({
  approve: code,
  deny: code,
  "decide to approve": code,
  "decide to deny": code,
})

type Answers = { readonly [Name in Door]: string }

/** The status that a door leads to, or the code that it refuses with. */
const answers: { readonly [One in Status]: Answers } = {
  // It was decided, and nobody has gone on with it.
  running: {
    run: "RUN207",
    resume: "succeeded",
    "take over": "succeeded",
    ...deciding("RUN303"),
    ...resolving("RUN209"),
    cancel: "cancelled",
  },
  awaiting_approval: {
    run: "RUN207",
    resume: "awaiting_approval",
    "take over": "awaiting_approval",
    approve: "succeeded",
    deny: "failed",
    "decide to approve": "running",
    "decide to deny": "failed",
    ...resolving("RUN209"),
    cancel: "cancelled",
  },
  in_doubt: {
    run: "RUN207",
    resume: "RUN206",
    "take over": "RUN206",
    ...deciding("RUN302"),
    "resolve as applied": "succeeded",
    // It is called anew, and lost anew.
    "resolve as not applied": "in_doubt",
    "resolve by another try": "RUN211",
    "resolve by giving up": "RUN211",
    cancel: "in_doubt",
  },
  succeeded: refusedAll("RUN205"),
  failed: refusedAll("RUN205"),
  cancelled: refusedAll("RUN205"),
  exhausted: refusedAll("RUN205"),
}

describe.each(Object.keys(stands) as readonly Status[])("A067: a run that is %s", (status) => {
  test.each(Object.keys(doors) as readonly Door[])("%s", async (door) => {
    const tools = { fine: () => null, fails: throws, lost: throws, asks: () => null }
    const runner = createRunner({ catalog, store: memory(), tools })
    await stands[status](runner)
    const before = await runner.entries("r")
    expect((await runner.status("r")).status).toBe(status)
    const answer = await doors[door](runner).then(
      (report) => report.status as string,
      (error: { readonly code: string }) => error.code,
    )
    expect(answer).toBe(answers[status][door])
    // What is refused writes nothing.
    if (answer.startsWith("RUN")) expect(await runner.entries("r")).toEqual(before)
    else expect((await runner.status("r")).status).toBe(answer)
    await runner.close()
  })
})
