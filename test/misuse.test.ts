/** What a host gives wrong: doors with diagnostics tell it there, the others throw a TypeError that says what to give. */
import { applyFixes, applyPatch, defineCatalog, diffCatalogs, serialize, tool } from "sequitur"
import { decodePlan, encodePlan, feedback, planPrompt, planSchema } from "sequitur/planner"
import { describe, expect, test } from "vitest"
import { z } from "zod"

const catalog = defineCatalog({
  name: "a",
  version: "1",
  tools: { look: tool({ description: "d", effect: "read", params: z.strictObject({}) }) },
})

const boom = (): never => {
  throw new Error("boom")
}
const throwing = new Proxy({}, { get: boom, has: boom, ownKeys: boom, getPrototypeOf: boom })
const none: readonly unknown[] = [undefined, null, 5, "x", {}, [], throwing]
const plan = { kind: "plan" } as const

describe.each<[string, (given: never) => unknown, string]>([
  ["planSchema", (given) => planSchema(given), "`defineCatalog`"],
  ["planPrompt", (given) => planPrompt(given), "`defineCatalog`"],
  ["encodePlan", (given) => encodePlan(given, { version: 1, steps: [] }, plan), "`defineCatalog`"],
  ["diffCatalogs before", (given) => diffCatalogs(given, catalog), "`defineCatalog`"],
  ["diffCatalogs after", (given) => diffCatalogs(catalog, given), "`defineCatalog`"],
  ["serialize", (given) => serialize(given), "`serialize` takes a compiled plan"],
])("%s", (_, door, says) => {
  test.each(none.map((given, index) => [index, given]))("throws for what is none (%i)", (__, given) => {
    expect(() => door(given as never)).toThrow(TypeError)
    expect(() => door(given as never)).toThrow(says)
  })
})

describe("options and values of another kind", () => {
  test.each<[string, () => unknown, string]>([
    ["a provider", () => planSchema(catalog, { for: "zzz" as never }), "`openai`, `anthropic` or `gemini`"],
    ["an inherited name", () => planSchema(catalog, { for: "toString" as never }), "`openai`"],
    ["a form for the prompt", () => planPrompt(catalog, { form: { kind: "zzz" } as never }), "`planSchema`"],
    ["a length", () => planPrompt(catalog, { maxLength: "9" as never }), "`maxLength`"],
    ["a form to write in", () => encodePlan(catalog, { version: 1, steps: [] }, undefined as never), "`planSchema`"],
    ["a document", () => encodePlan(catalog, {} as never, plan), "the document of a compiled plan"],
    ["a list of diagnostics", () => feedback(5 as never), "`compile`"],
    ["diagnostics", () => feedback([null as never]), "`compile`"],
    ["fixes", () => applyFixes({}, undefined as never), "`compile`"],
  ])("%s", (_, door, says) => {
    expect(door).toThrow(TypeError)
    expect(door).toThrow(says)
  })

  test("null in the place of options is none", () => {
    expect(planSchema(catalog, null as never)).toEqual(planSchema(catalog))
    expect(planPrompt(catalog, null as never)).toBe(planPrompt(catalog))
  })
})

test.each([undefined, null, 5, {}, { kind: "structured" }, { kind: "zzz", absent: "null" }, throwing])(
  "decodePlan tells of a form that is none",
  (form) => {
    const decoded = decodePlan(catalog, "{}", form as never)
    expect(!decoded.ok && decoded.diagnostics.map(({ code }) => code)).toEqual(["SEQ801"])
  },
)

test.each<[string, unknown]>([
  ["no list", 5],
  ["an operation that is none", [{ op: "zap", path: "/a" }]],
  ["a path that is no text", [{ op: "remove", path: 5 }]],
  ["no value", [{ op: "replace", path: "/a" }]],
  ["no place to move from", [{ op: "move", path: "/a" }]],
  ["null", [null]],
])("a patch that is none is passed over: %s", (_, fix) => {
  const right = [{ op: "replace", path: "/a", value: 2 }]
  expect(applyFixes({ a: 1 }, [{ fix } as never, null as never, { fix: right } as never]).document).toEqual({ a: 2 })
  expect(applyPatch({ a: 1 }, fix as never)).toBeUndefined()
})
