/** A text that looks like a reference in another system's spelling is told, and nothing else is. */
import { applyPatch, compile, type Diagnostic, type Json } from "sequitur"
import { expect, test } from "vitest"
import { stock } from "./catalog.ts"
import { call, from, planOf } from "./expect.ts"

const look = call("look", "look", { sku: "A" })

const warnings = (args: object): readonly Diagnostic[] => {
  const { diagnostics } = compile(stock, planOf([look, call("then_look", "look", args)]))
  return diagnostics.filter(({ code }) => code === "SEQ214")
}

test.each([
  ["{{look.sku}}", "/sku"],
  ["{{ steps.look.sku }}", "/sku"],
  ["{{$look.places[0].id}}", "/places/0/id"],
  ["\u0024{look.sku}", "/sku"],
  ["<look.sku>", "/sku"],
  ["$look.sku", "/sku"],
  ["$look/sku", "/sku"],
  ["{{input.sku}}", "/sku"],
])("%s is meant for a reference, and mended to one", (text, path) => {
  const [said, ...others] = warnings({ sku: text })
  expect(others).toEqual([])
  const $from = text.includes("input") ? "input" : "look"
  expect(said).toMatchObject({ severity: "warning", fix: [{ op: "replace", value: { $from, path } }] })
  const document = JSON.parse(planOf([look, call("then_look", "look", { sku: text })])) as Json
  const mended = compile(stock, JSON.stringify(applyPatch(document, said?.fix ?? [])))
  expect([mended.ok, mended.diagnostics]).toEqual([true, []])
})

test.each(["{{look}}", "\u0024{look}", "for {{look.sku}}, now", "{{look.price}}", "<look.nothing>", "$then_look.sku"])(
  "%s is told, but what was meant is not sure",
  (text) => {
    const [said] = warnings({ sku: text })
    expect(said).toBeDefined()
    if (text !== "{{look}}" && text !== "\u0024{look}") expect(said?.fix).toBeUndefined()
  },
)

test.each([
  "look.sku",
  "{{nobody.sku}}",
  "<look>",
  "$look",
  "$5.00",
  "{look.sku}",
  "<b>x</b>",
  "{{look",
  "\u0024{look.{}}",
])("%s is a text like any other", (text) => {
  expect(warnings({ sku: text })).toEqual([])
})

test("inside expressions too, but never in data that says it is data", () => {
  expect(warnings({ sku: { $literal: "{{look.sku}}" } })).toEqual([])
  expect(warnings({ sku: { $concat: ["x", "{{look.sku}}"] } }).map(({ at }) => at)).toEqual([
    "/steps/1/args/sku/$concat/1",
  ])
  const where = { $from: "look", path: "/places", where: { "/id": "{{look.sku}}" }, pick: "/id" }
  expect(warnings({ sku: where }).map(({ at }) => at)).toEqual(["/steps/1/args/sku/where/~1id"])
  expect(warnings({ sku: from("look", "/sku") })).toEqual([])
})

test("a long text is read through once", () => {
  for (const part of ["{{look.", "\u0024{look.", "<look.", "{{ ", "$look."]) {
    const start = performance.now()
    warnings({ sku: part.repeat(60_000 / part.length) })
    warnings({ sku: `${part}${" ".repeat(60_000)}` })
    expect(performance.now() - start).toBeLessThan(2_000)
  }
})
