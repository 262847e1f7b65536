/** What tsc must refuse. Each line is also run, where it can be, to see that the compiler refuses it too. */
import { compile, defineCatalog, definePlan, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import desk from "../../plans/invalid/catalog.ts"
import { diagnose } from "../../src/diagnostic/diagnostic.ts"
import { root } from "../../src/text/pointer.ts"

const codesOf = (verdict: { readonly diagnostics: readonly { readonly code: string }[] }): readonly string[] =>
  verdict.diagnostics.map(({ code }) => code)

test("a plan in code names tools of its own catalog, in the envelope's own fields", () => {
  // @ts-expect-error there is no such tool
  expect(codesOf(definePlan(desk, { version: 1, steps: [{ id: "a", tool: "find_ordr", args: {} }] }))).toEqual([
    "SEQ108",
  ])
  // @ts-expect-error a call has arguments
  expect(codesOf(definePlan(desk, { version: 1, steps: [{ id: "a", tool: "find_order" }] }))).toEqual(["SEQ102"])
  // @ts-expect-error there is one version
  expect(codesOf(definePlan(desk, { version: 2, steps: [] }))).toEqual(["SEQ104"])
  // @ts-expect-error steps are a list
  expect(codesOf(definePlan(desk, { version: 1, steps: {} }))).toEqual(["SEQ101"])
  // @ts-expect-error a step has an id
  expect(codesOf(definePlan(desk, { version: 1, steps: [{ transition: "CHANGING" }] }))).toEqual(["SEQ102"])
})

test("text is text, and a value is a value", () => {
  // @ts-expect-error a parsed plan is no text
  expect(codesOf(compile(desk, { version: 1, steps: [] }))).toEqual(["SEQ018"])
  // @ts-expect-error text is no plan
  expect(codesOf(definePlan(desk, "{}"))).toEqual(["SEQ101"])
  // @ts-expect-error a declaration is no catalog
  expect(codesOf(compile(desk.spec, "{}"))).toEqual(["SEQ801"])
})

test("a catalog says what a tool does", () => {
  // @ts-expect-error there is no such effect
  const bold = tool({ description: "x", effect: "wipe", params: z.strictObject({}) })
  // @ts-expect-error without a description nobody knows what it is for
  const mute = tool({ effect: "read", params: z.strictObject({}) })
  // @ts-expect-error handlers are in the toolbox
  const handled = tool({ description: "x", effect: "read", params: z.strictObject({}), handler: () => 1 })
  for (const one of [bold, mute, handled]) {
    expect(codesOf(defineCatalog({ name: "n", version: "1", tools: { one: one as never } }))).toContain("SEQ801")
  }
})

test("a diagnostic's holes are all filled, and no others", () => {
  // @ts-expect-error `tool` is forgotten
  expect(diagnose("SEQ108", root, { nearest: "x" }).message).toContain("{tool}")
  // @ts-expect-error there is no hole `tol`
  diagnose("SEQ108", root, { tol: "x", nearest: "x" })
  // @ts-expect-error a hole takes text or a number
  diagnose("SEQ108", root, { tool: ["x"], nearest: "x" })
  // @ts-expect-error there is no such code
  expect(() => diagnose("SEQ999", root, {})).toThrow()
  // Braces of the plan language in a hint are no holes.
  expect(diagnose("SEQ130", root, { key: "$ref" }).hint).toContain('{"$literal": …}')
})
