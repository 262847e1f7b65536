/** What is refused before anything is written or called: inputs, principals, stale plans, toolboxes that do not fit. */
import { defineCatalog, tool } from "sequitur"
import {
  createRunner,
  type Handlers,
  JournalTampered,
  memory,
  type RunFailure,
  type RunOptions,
  toolbox,
} from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { catalog, countCalls, type Desk, guarded, guardedPlan, handlersOf, planOf, refundPlan, scope } from "./desk.ts"

async function refusalOf(options: unknown, plan = refundPlan): Promise<RunFailure> {
  const calls = countCalls()
  const runner = createRunner({ catalog, tools: handlersOf(calls), store: memory() })
  const refused = await runner.run(plan, options as RunOptions).then(
    (report) => {
      throw new Error(`it ran: ${report.status}`)
    },
    (error: RunFailure) => error,
  )
  expect(calls.made).toEqual([])
  expect(await runner.runs()).toEqual([])
  await runner.close()
  return refused
}

describe("InputsRefused", () => {
  const cases: Record<string, readonly [options: unknown, message: string]> = {
    "inputs that are missing": [{ ...scope, inputs: undefined }, "`inputs` of this run are missing"],
    "inputs of the wrong kind": [{ ...scope, inputs: { accountId: 7 } }, "refused at `/accountId`"],
    "inputs that nobody declared": [{ ...scope, inputs: { accountId: "a", other: 1 } }, "refused at"],
    "inputs that are no plain JSON": [
      { ...scope, inputs: { accountId: () => "a" } },
      "hold a function at `/accountId`",
    ],
    "inputs with a getter": [
      { ...scope, inputs: Object.defineProperty({}, "accountId", { get: () => "a", enumerable: true }) },
      "hold a getter",
    ],
    "no tenant": [
      { ...scope, principal: { subject: "ann" } },
      "`principal.tenant` of this run must be a string, but is missing",
    ],
    "an empty tenant": [
      { ...scope, principal: { tenant: "", subject: "ann" } },
      "`principal.tenant` of this run is empty",
    ],
    "a subject with U+0000": [
      { ...scope, principal: { tenant: "a", subject: "a\u0000" } },
      "`principal.subject` of this run is ill-formed",
    ],
    "no principal": [{ ...scope, principal: null }, "`principal` of this run must be an object, but is null"],
    "roles that are no list": [
      { ...scope, principal: { tenant: "a", subject: "b", roles: "admin" } },
      "`principal.roles` of this run must be an array, but is a string",
    ],
    "a role that is none": [
      { ...scope, principal: { tenant: "a", subject: "b", roles: ["x", 7] } },
      "`principal.roles[1]` of this run must be a string",
    ],
    "no options": [undefined, "`principal` of this run must be an object, but is missing"],
    "a run id that is a number": [{ ...scope, runId: 5 }, "`runId` of this run is no id"],
    "inputs that are wrong in two ways": [
      { ...scope, inputs: { id: "a" } },
      'are refused at `/`: `accountId` is missing: expected a string; at `/id`: expected a declared key, found "id"',
    ],
    "no session": [{ ...scope, sessionId: undefined }, "`sessionId` of this run must be a string, but is missing"],
    "a task that is a number": [{ ...scope, taskId: 5 }, "`taskId` of this run must be a string, but is an integer"],
    "half a character": [{ ...scope, taskId: "\ud800" }, "`taskId` of this run is ill-formed"],
    "a run id of other letters": [{ ...scope, runId: "a b" }, "`runId` of this run is no id"],
    "an origin that is no object": [{ ...scope, origin: "model" }, "`origin` of this run must be an object"],
  }
  for (const [name, [options, message]] of Object.entries(cases)) {
    test(name, async () => {
      const refused = await refusalOf(options)
      expect(refused).toMatchObject({ _tag: "InputsRefused", code: "RUN201", again: false })
      expect(refused.message).toContain(message)
      expect(JSON.stringify(refused)).not.toContain("stack")
    })
  }

  test("a lease of no time, or of more than an hour", async () => {
    for (const [leaseMs, problem] of [
      [0, "must be a whole number, 1 or more, but is 0"],
      [0.5, "must be a whole number, 1 or more, but is 0.5"],
      [3_600_001, "is 3600001, which is more than 3600000"],
    ] as const) {
      const runner = createRunner({ catalog, tools: handlersOf(countCalls()), store: memory(), leaseMs })
      await expect(runner.run(refundPlan, scope)).rejects.toThrow(`\`leaseMs\` of this run ${problem}`)
      await runner.close()
    }
  })

  test("inputs where the catalog declares none", async () => {
    const bare = defineCatalog({
      name: "bare",
      version: "1",
      tools: { look: tool({ description: "Look.", effect: "read", params: z.strictObject({}) }) },
    })
    const runner = createRunner({ catalog: bare, tools: { look: () => 1 }, store: memory() })
    const plan = planOf([{ id: "look", tool: "look", args: {} }], bare)
    await expect(runner.run(plan, scope)).rejects.toMatchObject({ _tag: "InputsRefused" })
    const { inputs: _, ...rest } = scope
    expect(await runner.run(plan, rest)).toMatchObject({ status: "succeeded", steps: { look: 1 } })
    await runner.close()
  })

  test("a plan that only looks compiled", async () => {
    expect(await refusalOf(scope, { ...refundPlan } as typeof refundPlan)).toMatchObject({ _tag: "InputsRefused" })
    expect(await refusalOf(scope, { version: 1, steps: [] } as never)).toMatchObject({ _tag: "InputsRefused" })
  })
})

test("inputs are copied: what the host does to them later changes nothing", async () => {
  const calls = countCalls()
  const inputs = { accountId: "acc_1" }
  const runner = createRunner({
    catalog,
    tools: handlersOf(calls, {
      find: () => {
        inputs.accountId = "acc_2"
        return { workspaces: [{ id: "w2", role: "secondary", cents: 1 }] }
      },
    }),
    store: memory(),
  })
  const again = { id: "again", tool: "note", args: { text: { $from: "input", path: "/accountId" } } }
  const find = { id: "find", tool: "find", args: { accountId: "x" } }
  await runner.run(planOf([find, again]), { ...scope, inputs })
  expect(calls.made[1]?.args).toEqual({ text: "acc_1" })
  await runner.close()
})

describe("HandlerMissing", () => {
  const complete = handlersOf(countCalls())
  const { note: _, ...incomplete } = complete
  const cases: Record<string, readonly [handlers: unknown, problem: string]> = {
    "one is missing": [incomplete, "no handler for `note`"],
    "one is no function": [{ ...complete, note: "write" }, "no handler for `note`"],
    "one too many": [{ ...complete, nota: () => 1 }, "handlers for `nota`, which the catalog does not have"],
    "inherited, not own": [Object.create(complete), "no handler for `find`, `look`"],
  }
  for (const [name, [handlers, problem]] of Object.entries(cases)) {
    test(name, async () => {
      const runner = createRunner({ catalog, tools: handlers as Handlers<Desk>, store: memory() })
      const refused = runner.run(refundPlan, scope)
      await expect(refused).rejects.toMatchObject({ _tag: "HandlerMissing", code: "RUN203" })
      await expect(refused).rejects.toThrow(problem)
      expect(await runner.runs()).toEqual([])
      await runner.close()
    })
  }

  test("a toolbox of another catalog", async () => {
    const tools = toolbox(guarded, handlersOf(countCalls()))
    const runner = createRunner({ catalog: guarded, tools, store: memory() })
    expect((await runner.run(guardedPlan, scope)).status).toBe("awaiting_approval")
    await runner.close()
    const wrong = createRunner({ catalog, tools: tools as never, store: memory() })
    await expect(wrong.run(refundPlan, scope)).rejects.toThrow("made for another catalog")
    await wrong.close()
  })
})

describe("A037, A038: StalePlan, where the catalog has changed since", () => {
  const spec = guarded.spec
  const changed = {
    "a schema": [
      {
        ...spec,
        tools: {
          ...spec.tools,
          note: { ...spec.tools.note, params: z.strictObject({ text: z.string(), to: z.string() }) },
        },
      },
      [],
    ],
    "a schema in use": [
      {
        ...spec,
        tools: {
          ...spec.tools,
          refund: {
            ...spec.tools.refund,
            params: z.strictObject({ id: z.string(), cents: z.int().positive().max(80_000) }),
          },
        },
      },
      ["tool `refund`"],
    ],
    "a version": [
      { ...spec, tools: { ...spec.tools, cancel: { ...spec.tools.cancel, version: "9" } } },
      ["tool `cancel`"],
    ],
    "a class": [
      {
        ...spec,
        tools: {
          ...spec.tools,
          look: {
            ...spec.tools.look,
            effect: "write",
            idempotency: "natural",
            compensate: "none",
            states: ["LOOKING"],
          },
        },
      },
      ["tool `look`"],
    ],
    "a limit": [{ ...spec, blastRadius: { cents: { max: 95_000 } } }, ["limits"]],
    "a budget": [{ ...spec, budgets: { retries: 1 } }, ["budgets"]],
    "a guard": [
      { ...spec, machine: { ...spec.machine, transitions: { LOOKING: { CHANGING: {} }, CHANGING: { LOOKING: {} } } } },
      ["machine"],
    ],
    "a description": [
      { ...spec, tools: { ...spec.tools, refund: { ...spec.tools.refund, description: "Give back." } } },
      [],
    ],
  } as unknown as Record<string, readonly [spec: typeof spec, parts: readonly string[]]>

  for (const [name, [other, parts]] of Object.entries(changed)) {
    test(`${name}: ${parts.length === 0 ? "is no change to this plan" : parts.join(", ")}`, async () => {
      const calls = countCalls()
      const store = memory()
      const now = defineCatalog(other)
      expect(now.diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
      const runner = createRunner({ catalog: now, tools: handlersOf(calls) as never, store })
      const ran = runner.run(guardedPlan, scope)
      if (parts.length === 0) expect((await ran).status).toBe("awaiting_approval")
      else {
        await expect(ran).rejects.toMatchObject({ _tag: "StalePlan", code: "RUN202" })
        for (const part of parts) await expect(ran).rejects.toThrow(part)
        expect(calls.made).toEqual([])
      }
      await runner.close()
    })
  }
})

test("JournalTampered is a refusal of the door, too", () => {
  expect(new JournalTampered({ runId: "run", seq: 3 }).message).toBe("entry 3 of run `run` is not what was written")
})
