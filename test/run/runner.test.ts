/** The promise door: what users write, and the types they get for it. */
import { definePlan } from "sequitur"
import {
  createRunner,
  type Entry,
  memory,
  type RunEntry,
  type RunFailure,
  runCodes,
  seededIds,
  verify,
} from "sequitur/run"
import { describe, expect, expectTypeOf, test } from "vitest"
import {
  accepted,
  catalog,
  countCalls,
  goal,
  guarded,
  guardedPlan,
  handlersOf,
  planOf,
  refundPlan,
  scope,
  calls as steps,
} from "./desk.ts"

const openDesk = (onEvent?: (entry: RunEntry) => void) => {
  const calls = countCalls()
  const runner = createRunner({ catalog, tools: handlersOf(calls), store: memory(), ...(onEvent ? { onEvent } : {}) })
  return { calls, runner }
}

describe("results", () => {
  test("of a plan made in code are typed by step", async () => {
    const { runner } = openDesk()
    const report = await runner.run(refundPlan, scope)
    if (report.status !== "succeeded") throw new Error(report.status)
    expectTypeOf(report.steps.refund.refundId).toEqualTypeOf<string>()
    expectTypeOf(report.steps.find.workspaces).toExtend<readonly { readonly id: string }[]>()
    expect(report.steps.refund.refundId).toBe("r1")
    // @ts-expect-error the plan has no such step
    expect(report.steps.refunds).toBeUndefined()
    await runner.close()
  })

  test("of plan text are typed by tool", async () => {
    const { runner } = openDesk()
    const report = await runner.run(planOf([steps.find, steps.cancel, steps.refund]), scope)
    const refund = report.of("refund", "refund")
    expectTypeOf(refund).toEqualTypeOf<{ refundId: string } | undefined>()
    expect(refund).toEqual({ refundId: "r1" })
    // @ts-expect-error the catalog has no such tool
    expect(() => report.of("refund", "refunds")).toThrow(RangeError)
    expect(() => report.of("refund", "cancel")).toThrow("step `refund` calls `refund`, not `cancel`")
    expect(() => report.of("nowhere", "refund")).toThrow("the plan has no step `nowhere`")
    await runner.close()
  })

  test("of a run that stopped are those of what was done", async () => {
    const calls = countCalls()
    const tools = handlersOf(calls, {
      refund: () => {
        throw new Error("no")
      },
    })
    const runner = createRunner({ catalog, tools, store: memory() })
    const report = await runner.run(refundPlan, scope)
    if (report.status === "succeeded") throw new Error("succeeded")
    expectTypeOf(report.steps.refund).toEqualTypeOf<{ refundId: string } | undefined>()
    expect(Object.keys(report.steps)).toEqual(["find", "cancel"])
    expect(report.of("refund", "refund")).toBeUndefined()
    await runner.close()
  })

  test("are copies: what is done to them does not reach the journal", async () => {
    const { runner } = openDesk()
    const report = await runner.run(refundPlan, scope)
    const found = report.of("find", "find")
    if (found !== undefined) found.workspaces.length = 0
    Object.assign(report.steps.cancel ?? {}, { id: "w9" })
    expect(report.of("find", "find")?.workspaces).toHaveLength(2)
    expect(verify(report.runId, await runner.entries(report.runId))).toBeUndefined()
    expect((await runner.status(report.runId)).of("cancel", "cancel")).toMatchObject({ id: "w2" })
    await runner.close()
  })
})

describe("a report that was found again", () => {
  test("has the types of its plan again by `as`", async () => {
    const runner = createRunner({ catalog: guarded, tools: handlersOf(countCalls()), store: memory() })
    const { runId } = await runner.run(guardedPlan, scope)
    const waiting = (await runner.status(runId)).as(guardedPlan)
    expectTypeOf(waiting.steps.find).toEqualTypeOf<
      { workspaces: { id: string; role: string; cents: number }[] } | undefined
    >()
    expect(waiting).toMatchObject({ runId, status: "awaiting_approval", awaiting: { stepId: "open" } })
    const report = await runner.approve(runId, "open", { by: "bob" })
    if (report.status !== "succeeded") throw new Error(report.status)
    expectTypeOf(report.steps.refund).toEqualTypeOf<unknown>()
    const typed = report.as(guardedPlan)
    // @ts-expect-error whatever the status was before `as`, it is asked again
    expect(typed.steps.refund.refundId).toBe("r1")
    if (typed.status !== "succeeded") throw new Error(typed.status)
    expectTypeOf(typed.steps.refund.refundId).toEqualTypeOf<string>()
    expect(typed.steps.refund.refundId).toBe("r1")
    // @ts-expect-error the plan has no such step
    expect(typed.steps.refunds).toBeUndefined()
    expect(typed.of("look", "look")).toEqual({ name: "workspace w2" })
    await runner.close()
  })

  test("and not those of another plan", async () => {
    const { runner } = openDesk()
    const report = await runner.run(refundPlan, scope)
    expect(report.as(refundPlan).status).toBe("succeeded")
    const other = accepted(definePlan(catalog, { version: 1, steps: [steps.find] }))
    expect(() => report.as(other)).toThrow(RangeError)
    expect(() => report.as(other)).toThrow(
      `run \`${report.runId}\` is not of this plan: its plan hash is ${refundPlan.planHash}, this plan's is ${other.planHash}`,
    )
    // @ts-expect-error a document is no compiled plan
    expect(() => report.as(refundPlan.plan)).toThrow("`as` takes a compiled plan")
    // @ts-expect-error nothing is no plan
    expect(() => report.as()).toThrow(RangeError)
    await runner.close()
  })
})

test("handlers are typed by the catalog", () => {
  const tools = handlersOf(countCalls())
  createRunner({ catalog, store: memory(), tools: { ...tools, cancel: ({ id }) => ({ id, proratedCents: 1 }) } })
  // @ts-expect-error `cancel` gives cents as a number
  createRunner({ catalog, store: memory(), tools: { ...tools, cancel: ({ id }) => ({ id, proratedCents: "1" }) } })
  // @ts-expect-error `cancel` takes no name
  createRunner({ catalog, store: memory(), tools: { ...tools, cancel: ({ name: id }) => ({ id, proratedCents: 1 }) } })
  const { note: _, ...fewer } = tools
  // @ts-expect-error `note` is missing
  createRunner({ catalog, store: memory(), tools: fewer })
})

test("a run can be found again: status, entries, runs, by tenant", async () => {
  const { runner } = openDesk()
  const { runId } = await runner.run(refundPlan, scope)
  expect(await runner.runs({ tenant: "acme" })).toMatchObject([{ runId, status: "succeeded", goal, tenant: "acme" }])
  expect(await runner.runs({ tenant: "other" })).toEqual([])
  expect((await runner.status(runId)).status).toBe("succeeded")
  for (const ask of [runner.status, runner.entries, runner.resume]) {
    await expect(ask(runId, { tenant: "other" })).rejects.toMatchObject({ _tag: "RunNotFound", code: "RUN204" })
    await expect(ask("run_unknown")).rejects.toMatchObject({ _tag: "RunNotFound" })
  }
  await runner.close()
})

test("an id is a run's own, and cannot be guessed", async () => {
  const { runner, calls } = openDesk()
  const ids = new Set<string>()
  for (let times = 0; times < 5; times++) ids.add((await runner.run(refundPlan, scope)).runId)
  expect(ids.size).toBe(5)
  for (const runId of ids) expect(runId).toMatch(/^run_[0-9a-f]{32}$/)
  await runner.run(refundPlan, { ...scope, runId: "mine" })
  const made = calls.made.length
  await expect(runner.run(refundPlan, { ...scope, runId: "mine" })).rejects.toMatchObject({
    _tag: "RunExists",
    code: "RUN207",
  })
  expect(calls.made.length).toBe(made)
  await runner.close()
})

test("what the host knows of the plan's origin is in the first entry", async () => {
  const { runner } = openDesk()
  const origin = { model: "m-1", promptDigest: "abc", trace: { id: "t" } }
  const { runId } = await runner.run(refundPlan, { ...scope, origin })
  const [first] = await runner.entries(runId)
  expect(first?.event).toMatchObject({
    kind: "run-started",
    origin,
    planHash: refundPlan.planHash,
    slice: refundPlan.slice,
  })
  await runner.close()
})

test("a listener hears every entry once it is written, in order, and cannot stop the run", async () => {
  const heard: RunEntry[] = []
  const { runner } = openDesk((entry) => {
    heard.push(entry)
    throw new Error("deaf")
  })
  const { runId, status } = await runner.run(refundPlan, scope)
  expect(status).toBe("succeeded")
  const entries = await runner.entries(runId)
  expect(heard).toEqual(entries.map(({ hash: _, ...entry }: Entry) => entry))
  await runner.close()
})

test("approve and deny decide and go on; decide only decides", async () => {
  const calls = countCalls()
  const heard: RunEntry[] = []
  const onEvent = (entry: RunEntry) => void heard.push(entry)
  const runner = createRunner({
    catalog: guarded,
    tools: handlersOf(calls),
    store: memory(),
    ids: seededIds(1),
    onEvent,
  })
  const [one, two, three] = await Promise.all([1, 2, 3].map(() => runner.run(guardedPlan, scope)))
  if (!one || !two || !three) throw new Error("no runs")
  const heardOf = (runId: string) => heard.filter((entry) => entry.runId === runId).map(({ event }) => event.kind)
  expect((await runner.approve(one.runId, "open", { by: "bob", reason: "fine" })).status).toBe("succeeded")
  expect(heardOf(one.runId).slice(4, 7)).toEqual(["approval-decided", "taken-up", "state-entered"])
  expect((await runner.deny(two.runId, "open", { by: "bob" })).status).toBe("failed")
  expect(heardOf(two.runId).slice(4)).toEqual(["approval-decided", "run-ended"])
  const decided = await runner.decide(three.runId, "open", { decision: "approved", by: "bob" })
  expect(decided.status).toBe("running")
  expect((await runner.status(three.runId)).status).toBe("running")
  expect((await runner.resume(three.runId)).status).toBe("succeeded")
  await expect(runner.approve(one.runId, "open", { by: "bob" })).rejects.toMatchObject({
    _tag: "RunEnded",
    code: "RUN205",
  })
  await runner.close()
})

test("a runner that is closed without grace stops what is under way, and says so", async () => {
  let aborted = false
  let begun: () => void = () => {}
  const underWay = new Promise<void>((resolve) => {
    begun = resolve
  })
  const tools = handlersOf(countCalls(), {
    cancel: (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener("abort", () => {
          aborted = true
        })
        begun()
      }),
  })
  const runner = createRunner({ catalog, tools, store: memory() })
  const running = runner.run(refundPlan, { ...scope, runId: "mine" }).catch((error: RunFailure) => error)
  await underWay
  // Whoever is in a hurry by now need not wait for the first.
  const closing = runner.close()
  await runner.close({ graceMs: 0 })
  await closing
  expect(await running).toMatchObject({ _tag: "StoreUnavailable", again: true })
  expect(aborted).toBe(true)
})

test("a runner that was closed answers every question with a typed error, and may be closed again", async () => {
  const { runner } = openDesk()
  const { runId } = await runner.run(refundPlan, scope)
  await runner.close()
  const closed = { _tag: "StoreUnavailable", code: "RUN501", again: true, hint: expect.stringMatching(/new runner/) }
  for (const ask of [
    () => runner.run(refundPlan, scope),
    () => runner.resume(runId),
    () => runner.status(runId),
    () => runner.entries(runId),
    () => runner.runs(),
    () => runner.approve(runId, "open", { by: "bob" }),
    () => runner.deny(runId, "open", { by: "bob" }),
    () => runner.decide(runId, "open", { decision: "denied", by: "bob" }),
  ]) {
    const asked = ask()
    await expect(asked).rejects.toMatchObject(closed)
    await expect(asked).rejects.toThrow("it was closed")
  }
  await runner.close()
})

test("an empty plan succeeds at once", async () => {
  const { runner, calls } = openDesk()
  const report = await runner.run(accepted(definePlan(catalog, { version: 1, steps: [] })), scope)
  expect(report).toMatchObject({ status: "succeeded", steps: {} })
  expect(calls.made).toEqual([])
  await runner.close()
})

test("the codes of a run are a table like the compiler's", () => {
  expect(runCodes.RUN103).toMatchObject({ tag: "ResultTooLarge", again: false })
})

test("no door of a runner takes a slip for an option that was left out, or one thing for another", async () => {
  const { runner } = openDesk()
  const { runId } = await runner.run(refundPlan, scope)
  const by = { by: "bob", reason: "seen" } as const
  const doors: { readonly [door: string]: (more: object) => Promise<unknown> } = {
    run: (more) => runner.run(refundPlan, { ...scope, ...more }),
    resume: (more) => runner.resume(runId, more),
    approve: (more) => runner.approve(runId, "open", { ...by, ...more }),
    deny: (more) => runner.deny(runId, "open", { ...by, ...more }),
    decide: (more) => runner.decide(runId, "open", { ...by, decision: "approved", ...more }),
    cancel: (more) => runner.cancel(runId, { ...by, ...more }),
    resolve: (more) => runner.resolve(runId, "cancel", { ...by, notApplied: true, ...more }),
    spent: (more) => runner.spent({ tenant: "t", sessionId: "s", taskId: "t", ...more }),
    status: (more) => runner.status(runId, more),
    entries: (more) => runner.entries(runId, more),
    runs: (more) => runner.runs(more),
    list: (more) => runner.approvals.list(more),
    get: (more) => runner.approvals.get("r", more),
    answer: (more) => runner.approvals.answer("t", more),
  }
  const refusal = (field: string) => ({ code: "RUN201", message: expect.stringContaining(`\`${field}\``) })
  for (const [door, ask] of Object.entries(doors)) {
    await expect(ask({ tennant: "acme" }), door).rejects.toMatchObject(refusal("tennant"))
    // What is undefined was left out.
    const asked = await ask({ tennant: undefined }).catch((error: RunFailure) => error)
    expect(asked, door).not.toMatchObject({ code: "RUN201" })
  }
  for (const [door, field, values] of [
    ["resolve", "attempt", [Number.NaN, "1", 0, -1, 1.5, null, Number.POSITIVE_INFINITY, 2 ** 53]],
    ["resolve", "takeOver", ["no", 1, null]],
    ["resume", "takeOver", ["no", 1, null]],
    ["resolve", "tenant", [1, ""]],
    ["cancel", "tenant", [1, ""]],
    ["cancel", "reason", [1, null]],
    ["approve", "reason", [1, null]],
    ["deny", "by", [1, null]],
  ] as const)
    for (const value of values)
      await expect(doors[door]?.({ [field]: value }), `${door} ${value}`).rejects.toMatchObject(refusal(field))
  await runner.close()
})
