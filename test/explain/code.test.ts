import { codes as bySeq } from "sequitur"
import { runCodes } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { explainCode, viewCodes } from "../../src/explain/code.ts"
import { plain } from "../../src/explain/look.ts"

const codes = viewCodes()
const explained = (wanted: string): string => {
  const found = codes.find(({ code }) => code === wanted)
  if (found === undefined) throw new Error(`there is no ${wanted}`)
  return explainCode(found, plain)
}

test("a code says what, why and what to do, with words for what is filled in where it is given", () => {
  expect(`\n${explained("SEQ207")}\n`).toBe(`
error SEQ207  value never fits
  what    ‹argument› of ‹tool› must be ‹expected›, but ‹source› gives ‹given›
  why     No value that the source can give would be accepted.
  do      Use a value of the right kind; nothing is converted.
  users   The assistant wanted to use information where it does not fit, so nothing was done.
`)
  expect(explained("RUN102")).toContain("step ‹step id› did not answer within ‹timeout ms› ms")
  expect(explained("RUN102")).toMatch(/\n {2}again {3}the same may be tried again$/)
})

test("where the hint can only be said of a given plan, the advice is told", () => {
  expect(explained("SEQ108")).toMatch(/\n {2}do {6}Call a tool that the catalog lists\.$/m)
})

test("what can only be said where the code is given says so", () => {
  const bare = {
    code: "SEQ000",
    severity: "error",
    title: "t",
    message: "{problem}",
    hint: "{remedy}",
    why: "w",
    plain: "p",
  } as const
  expect(explainCode(bare, plain)).toBe(
    [
      "error SEQ000  t",
      "  what    depends on the case: it is told where the code is given",
      "  why     w",
      "  do      depends on the case: it is told where the code is given",
      "  users   p",
    ].join("\n"),
  )
})

test.each(codes.map((view) => [view.code, view] as const))("%s shows no hole in braces", (_, view) => {
  expect(explainCode(view, plain)).not.toMatch(/\{\w+\}/)
})

describe("what end users are told of a code", () => {
  test.each(codes.map(({ code, plain }) => [code, plain] as const))("%s: %s", (_, said) => {
    expect(said.length).toBeLessThanOrEqual(120)
    expect(said).toMatch(/^[A-Z][^\n`{}$/]*\.$/)
    // Words of the engine, which nobody outside has heard of.
    expect(said).not.toMatch(
      /\b(JSON|schemas?|catalogs?|journals?|tools?|handlers?|run|intents?|effects?|idempoten\w+|compensat\w+)\b/i,
    )
  })

  test("no two codes are told in the same words, and hosts find them in the tables", () => {
    expect(new Set(codes.map(({ plain }) => plain)).size).toBe(codes.length)
    expect(bySeq.SEQ101.plain).toBe("The assistant's plan was not put together correctly, so nothing was done.")
    expect(runCodes.RUN301.plain).toBe("Somebody decided against this, so it did not go ahead.")
  })
})

test("where private data is refused it says that a mark of secrets is no label", () => {
  expect(viewCodes().find(({ code }) => code === "SEQ603")?.why).toMatch(
    /`sensitive` only redacts .*`private` and `public` do/,
  )
})
