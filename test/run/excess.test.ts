/** Short plans that name long results often: what a run looks at, holds and asks is bounded, and what has happened is kept. Each case
 *  took minutes, or lost the outcome of an effect that had been made, before it was bounded. */

import { Layer } from "effect"
import { assert, jsonValue, property } from "fast-check"
import { defineCatalog, tool } from "sequitur"
import { createRunner, Ids, memory, type RunReport } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { excessOf, measure } from "../../src/run/next/measure.ts"
import { Workings } from "../../src/run/next/workings.ts"
import { defaultBounds } from "../../src/text/bounds.ts"
import { canonical } from "../../src/text/canonical.ts"
import { copyJson } from "../../src/text/copy-json.ts"
import type { Json } from "../../src/text/json.ts"
import { planOf, scope } from "./desk.ts"

const states = ["LOOKING", "CHANGING"] as const
const effect = { description: "Do it.", effect: "write", states, idempotency: "natural", compensate: "none" } as const
const open = defineCatalog({
  name: "excess",
  version: "1",
  approvals: "unsigned",
  machine: { initial: "LOOKING", transitions: { LOOKING: { CHANGING: { guard: "approval" } }, CHANGING: {} } },
  tools: {
    read: tool({
      description: "Read.",
      effect: "read",
      params: z.strictObject({}),
      result: z.object({ text: z.string(), list: z.array(z.int()) }),
    }),
    look: tool({ description: "Look.", effect: "read", params: z.strictObject({ all: z.array(z.unknown()) }) }),
    charge: tool({ ...effect, params: z.strictObject({ cents: z.int() }), result: z.object({ id: z.string() }) }),
    note: tool({ ...effect, params: z.strictObject({ to: z.unknown(), n: z.unknown().optional() }) }),
    file: tool({
      ...effect,
      params: z.strictObject({ to: z.unknown(), n: z.int() }),
      requires: [{ tool: "note", same: ["to", "n"] }],
    }),
  },
})

const read = { id: "read", tool: "read", args: {} }
const charge = { id: "charge", tool: "charge", args: { cents: 100 } }
const text = { $from: "read", path: "/text" }
const id = { $from: "charge", path: "/id" }
const times = <One>(count: number, one: (index: number) => One): One[] =>
  Array.from({ length: count }, (_, at) => one(at))

const idle = { read: () => ({ text: "", list: [] }), look: () => null, note: () => null, file: () => null }

/** Runs it with a long text and a long list. */
async function run(steps: readonly unknown[], length = 1_000_000, items = 10) {
  const called: string[] = []
  const answer = (name: string, result: unknown) => () => {
    called.push(name)
    return result as never
  }
  const list = times(items, (index) => index)
  const tools = {
    read: answer("read", { text: "x".repeat(length), list }),
    look: answer("look", null),
    charge: answer("charge", { id: "c1" }),
    note: answer("note", null),
    file: answer("file", null),
  }
  const runner = createRunner({ catalog: open, tools, store: memory() })
  const { inputs: _, ...rest } = scope
  const report: RunReport = await runner.run(planOf([...steps], open), rest)
  const entries = await runner.entries(report.runId)
  await runner.close()
  const outcomes = entries.flatMap(({ event }) => (event.kind === "outcome" ? [event.stepId] : []))
  return { report, called, outcomes, failure: "failure" in report ? report.failure : undefined }
}

describe("an outcome that exists is written down", () => {
  test("also where what must be approved next is too long to ask", async () => {
    const later = { id: "later", tool: "note", args: { to: times(2, () => text), n: id } }
    const steps = [read, charge, { id: "open", transition: "CHANGING" }, later]
    const { outcomes, failure } = await run(steps, 400_000)
    expect(outcomes).toEqual(["read", "charge"])
    expect(failure).toBeUndefined()
    const two = [...steps, { id: "more", tool: "note", args: { to: times(2, () => text) } }]
    const long = await run(two, 400_000)
    expect(long.outcomes).toEqual(["read", "charge"])
    expect(long.failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "more" })
    expect(long.failure?.message).toContain("what must be approved at `open` holds more than 1048576 bytes as JSON")
  })

  test("also where the host's own ids break", async () => {
    const ids = Layer.succeed(Ids, {
      make: (kind) => {
        if (kind === "apr") throw new Error("no ids today")
        return kind
      },
      random: () => 0,
    })
    const tools = { ...idle, charge: () => ({ id: "c1" }) }
    const runner = createRunner({ catalog: open, tools, store: memory(), ids })
    const { inputs: _, ...rest } = scope
    const asked = runner.run(planOf([charge, { id: "open", transition: "CHANGING" }], open), { ...rest, runId: "run" })
    await expect(asked).rejects.toThrow("no ids today")
    expect((await runner.entries("run")).map(({ event }) => event.kind)).toEqual(["run-started", "intent", "outcome"])
    await runner.close()
  })

  test("also where looking at what follows breaks", async () => {
    const argsOf = Workings.prototype.argsOf
    Workings.prototype.argsOf = function (call, ...rest) {
      if (call.step.id === "late") throw new RangeError("Invalid string length")
      return argsOf.call(this, call, ...rest)
    }
    try {
      const { outcomes, failure } = await run([charge, { id: "late", tool: "note", args: { to: id } }])
      expect(outcomes).toEqual(["charge"])
      expect(failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "late" })
      expect(failure?.message).toContain("what follows cannot be worked out: Invalid string length")
    } finally {
      Workings.prototype.argsOf = argsOf
    }
  })
})

describe("the arguments of one call are bounded as they are put together", () => {
  test("a part of them, before the effect that comes first", async () => {
    const part = { id: "part", tool: "note", args: { to: times(700, () => text), n: id } }
    const { called, failure } = await run([read, charge, part])
    expect(called).toEqual(["read"])
    expect(failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "part" })
    expect(failure?.message).toContain("at `/steps/2/args/to/1`: its arguments hold more than 1048576 bytes as JSON")
  })

  test("in bytes, to the byte; in values", async () => {
    const whole = (length: number) => run([read, { id: "note", tool: "note", args: { to: [text, text] } }], length)
    // {"to":["…","…"]}
    expect((await whole((1_048_576 - 14) / 2)).failure).toBeUndefined()
    expect((await whole((1_048_576 - 14) / 2 + 1)).failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "note" })
    const many = { id: "many", tool: "note", args: { to: times(3, () => ({ $from: "read", path: "/list" })) } }
    expect((await run([read, many], 1, 40_000)).failure?.message).toContain("hold more than 100000 values")
  })
})

test("a value is measured as it would be written", () => {
  assert(
    property(jsonValue(), (value) => {
      const known = value as Json
      // A hostile key is refused whatever its size.
      if (!copyJson(known, defaultBounds, { numbers: "finite" }).ok) return
      const written = canonical(known)
      const { bytes, nodes, depth } = measure(known, 1_000_000)
      expect(bytes).toBe(Buffer.byteLength(written))
      const bounds = { ...defaultBounds, resultBytes: bytes, nodes, depth }
      expect(excessOf({ bytes, nodes, depth }, bounds)).toBeUndefined()
      // As a result of that size would be taken, and not with one less of anything.
      expect(copyJson(known, { bytes, nodes, depth }, { numbers: "finite" })).toMatchObject({ ok: true })
      expect(copyJson(known, { bytes, nodes: nodes - 1, depth }).ok).toBe(false)
      expect(copyJson(known, { bytes: bytes - 1, nodes, depth }).ok).toBe(false)
      if (depth > 0) expect(copyJson(known, { bytes, nodes, depth: depth - 1 }).ok).toBe(false)
      expect(measure(known, 3).bytes > 3).toBe(bytes > 3)
    }),
  )
})

describe("what is looked at in one step is bounded", () => {
  const select = { $from: "read", path: "/list", where: { "": 5 }, pick: "" }

  test("selections from a long list", async () => {
    const all = (count: number) => [read, { id: "look", tool: "look", args: { all: times(count, () => select) } }]
    expect((await run(all(50), 1, 90_000)).failure).toBeUndefined()
    const { called, failure } = await run(all(1_000), 1, 90_000)
    expect(called).toEqual(["read"])
    expect(failure).toMatchObject({ tag: "RuntimeCheckFailed", stepId: "look" })
    expect(failure?.message).toContain("looks through too much: more than 10000000 values in one step")
  })

  test("effects of one long text, each compared with each", async () => {
    const notes = (count: number) => [
      read,
      ...times(count, (n) => ({ id: `n${n}`, tool: "note", args: { to: text, n } })),
    ]
    expect((await run(notes(200), 100_000)).report.status).toBe("succeeded")
    const { called, failure } = await run(notes(200), 1_000_000)
    expect(called).toEqual(["read"])
    expect(failure?.message).toContain("looks through too much")
    const twice = await run(
      [...notes(20), { id: "again", tool: "note", args: { n: { $from: "read", path: "/list/7" }, to: text } }],
      100_000,
    )
    expect(twice.failure).toMatchObject({ tag: "EffectRepeated", stepId: "again" })
    expect(twice.called).toEqual(["read"])
  })

  test("a call that is written out and one that comes to it are told before either", async () => {
    const steps = (plain: unknown, found: unknown) => [read, charge, plain, found]
    const plain = { id: "plain", tool: "note", args: { to: "xxx" } }
    const found = { id: "found", tool: "note", args: { to: text } }
    for (const [first, second] of [
      [plain, found],
      [found, plain],
    ]) {
      const { called, failure } = await run(steps(first, second), 3)
      expect(failure).toMatchObject({ tag: "EffectRepeated", stepId: (second as { id: string }).id })
      expect(called).toEqual(["read"])
    }
  })

  test("predecessors compared by a long argument", async () => {
    const notes = times(100, (n) => ({ id: `n${n}`, tool: "note", args: { to: text, n: n + 10 } }))
    const files = times(100, (n) => ({ id: `f${n}`, tool: "file", args: { to: { $concat: [text] }, n: n + 10 } }))
    expect((await run([read, ...notes, ...files], 100_000)).report.status).toBe("succeeded")
    const other = { id: "other", tool: "file", args: { to: text, n: { $from: "read", path: "/list/5" } } }
    const { called, failure } = await run([read, ...notes, other], 100_000)
    expect(failure).toMatchObject({ stepId: "other" })
    expect(failure?.message).toContain("no earlier `note` was about the same")
    expect(called).toEqual(["read"])
  })
}, 5_000)
