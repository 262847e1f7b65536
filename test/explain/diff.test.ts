/** A diff that can be applied, and that neither floods nor fools a terminal. */
import { applyPatch } from "diff"
import fc from "fast-check"
import { expect, test } from "vitest"
import { explainDiff } from "../../src/explain/diff.ts"
import { plain } from "../../src/explain/look.ts"

test("gives the new text when it is applied to the old: texts of plain lines", () => {
  const line = fc.constantFrom("", "{", '  "a": 1,', '  "b": 2', "-- 3", "++ 4", "\\ 5", "}")
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([lines, end]) => ["{", ...lines].join("\n") + (end ? "\n" : ""))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = explainDiff(before, after, "plan.json", plain)
      if (before === after) expect(diff).toBe("")
      else expect(applyPatch(before, `${diff}\n`)).toBe(after)
    }),
    { numRuns: 1_000 },
  )
})

test("of a long line it shows what changed, and a little around it", () => {
  const [head, tail] = ["a".repeat(50_000), "z".repeat(50_000)]
  const lines = explainDiff(`${head}OLD${tail}`, `${head}NEWER${tail}`, "plan.json", plain).split("\n")
  const [a, z] = ["a".repeat(80), "z".repeat(80)]
  expect(lines.filter((line) => /^[-+](?![-+])/.test(line))).toEqual([`-…${a}OLD${z}…`, `+…${a}NEWER${z}…`])
  expect(lines.every((line) => line.length <= 1_100)).toBe(true)
})

test("context that is long is cut, and a long line that is gone shows its beginning", () => {
  const long = "x".repeat(5_000)
  const lines = explainDiff(`${long}\n${long}1\nlast`, `${long}\nlast`, "plan.json", plain).split("\n")
  expect(lines.slice(3)).toEqual([
    ` ${"x".repeat(1_000)}…`,
    `-${"x".repeat(1_000)}…`,
    " last",
    "\\ No newline at end of file",
  ])
})

test("does not work without end on texts that have little in common", () => {
  const before = Array.from({ length: 100_000 }, (_, index) => `${index}`).join("\n")
  const started = performance.now()
  expect(explainDiff(before, "[]", "plan.json", plain)).toContain("(more than 2000 lines change)")
  expect(performance.now() - started).toBeLessThan(5_000)
})

test("what a terminal would obey or hide is written out, in the lines and in the name", () => {
  const evil = "\u202e\u001b[2J\u200b"
  const diff = explainDiff(`{"a":"${evil}"}\r\n`, `{"b":"${evil}"}\r\n`, `${evil}.json`, plain)
  expect(diff.replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v)
  expect(diff).toContain('-{"a":"\\u202e\\u001b[2J\\u200b"}\n')
})

test("what is gone is red, what is new is green", () => {
  const diff = explainDiff("a\nb", "a\nc", "plan.json", { ...plain, color: true })
  expect(diff).toContain("\u001b[31m-b\u001b[39m\n")
  expect(diff).toContain("\u001b[32m+c\u001b[39m\n")
})
