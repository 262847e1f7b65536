/** A catalog as the host builds it: never throws, says what is wrong by name, and does not change afterwards. */
import { Type } from "@sinclair/typebox"
import { arg, type Catalog, compile, defineCatalog, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"

const look = tool({ description: "Look.", effect: "read", params: z.strictObject({ id: z.string() }) })
const says = (spec: unknown): string[] =>
  defineCatalog(spec as never)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, message, hint }) => `${code} ${message}. ${hint}`)

describe("a declaration from plain JavaScript", () => {
  test("misspelt fields that hold schemas are told like any other", () => {
    expect(says({ name: "a", version: "1", input: z.object({}), tools: { look } })).toEqual([
      "SEQ801 `input` of the catalog is not known. Did you mean `inputs`?",
    ])
    const tools = { look: { description: "Look.", effect: "read", parms: z.strictObject({}) } }
    expect(says({ name: "a", version: "1", tools })).toEqual([
      "SEQ801 `parms` of tool `look` is not known. Did you mean `params`?",
      "SEQ801 `params` of tool `look` is missing. Give a zod, TypeBox or JSON Schema.",
    ])
  })

  test("never throws, whatever it is", () => {
    const hostile = {
      get name() {
        throw Object.create(null)
      },
    }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    for (const spec of [undefined, null, 1, "x", [], {}, hostile, revoked.proxy, () => 1, new Map()]) {
      expect(says(spec).length, String(typeof spec)).toBeGreaterThan(0)
    }
    for (const tools of [[], new Map(), 1, null, { look: 1 }, { look: null }, { __proto__: null, look: [] }]) {
      expect(says({ name: "a", version: "1", tools }).length).toBeGreaterThan(0)
    }
  })

  test("an option given as undefined is left out", () => {
    expect(
      says({ name: "a", version: "1", machine: undefined, tools: { look: { ...look, states: undefined } } }),
    ).toEqual([])
  })
})

test("a bound of NaN bounds nothing, so nothing can be counted by it, in every schema language", () => {
  const cents = [
    z.strictObject({ cents: z.int().min(0).max(Number.NaN) }),
    Type.Object({ cents: Type.Integer({ minimum: 0, maximum: Number.NaN }) }),
    { type: "object", properties: { cents: { type: "integer", minimum: 0, maximum: Number.NaN } } },
  ]
  for (const params of cents) {
    const tools = { pay: { description: "Pay.", effect: "read", params, blast: { cents: arg("cents") } } }
    expect(says({ name: "a", version: "1", blastRadius: { cents: { max: 10 } }, tools }).join()).toMatch(
      /SEQ804|SEQ811/,
    )
  }
})

test("a catalog does not change", () => {
  const tools = { look: { ...look } }
  const catalog: Catalog = defineCatalog({ name: "a", version: "1", blastRadius: { cents: { max: 1 } }, tools })
  const before = compile(catalog, '{"version":1,"steps":[{"id":"a","tool":"look","args":{"id":"x"}}]}')
  delete (tools as { look?: unknown }).look
  expect(() => (catalog.limits as Map<string, unknown>).set("cents", { max: 9 })).toThrow(/does not change/)
  expect(() => (catalog.tools as Map<string, unknown>).clear()).toThrow(/does not change/)
  expect(() => Object.assign(catalog.budgets, { steps: 0 })).toThrow()
  expect(() => Object.assign(catalog.tools.get("look") ?? {}, { mutates: true })).toThrow()
  expect(compile(catalog, '{"version":1,"steps":[{"id":"a","tool":"look","args":{"id":"x"}}]}')).toEqual(before)
})

describe("a flood of faults is paid for once", () => {
  const values = Array.from({ length: 2_000 }, (_, index) => `value-${index}`)
  const catalog = defineCatalog({
    name: "flood",
    version: "1",
    tools: {
      pick: tool({ description: "Pick.", effect: "read", params: z.strictObject({ of: z.array(z.enum(values)) }) }),
    },
  })
  const step = (id: string, args: unknown) => ({ id, tool: "pick", args })
  const judge = (steps: unknown[]) => {
    const start = process.cpuUsage()
    const compiled = compile(catalog, JSON.stringify({ version: 1, steps }))
    const { user } = process.cpuUsage(start)
    return { compiled, seconds: user / 1e6 }
  }

  test.each([
    ["wrong values", [step("a", { of: Array.from({ length: 90_000 }, () => "x") })]],
    ["unknown sources", [step("a", { of: Array.from({ length: 12_000 }, (_, at) => ({ $from: `step-${at}` })) })]],
    ["unknown arguments", [step("a", Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`of${at}`, 1])))]],
    [
      "names in `after`",
      [{ ...step("a", { of: [] }), after: Array.from({ length: 20_000 }, (_, at) => `step-${at}`) }],
    ],
  ])("%s", (_, steps) => {
    const { compiled, seconds } = judge(steps)
    expect(compiled.ok).toBe(false)
    expect(compiled.diagnostics.length).toBe(100)
    expect(compiled.more).toBeGreaterThan(0)
    // Generous: unbounded, each took from four seconds to a hundred.
    expect(seconds).toBeLessThan(2)
  })
})
