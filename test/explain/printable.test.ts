import fc from "fast-check"
import stringWidth from "string-width"
import { expect, test } from "vitest"
import { cells, clip, cut, pad, printable, widthOf } from "../../src/explain/printable.ts"
import { hasData, readData } from "../data.ts"

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }).map((units) => String.fromCharCode(...units)),
)

test.each([
  ["a terminal's colours", "\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
  ["a cleared screen", "\u009b2J", "\\u009b2J"],
  ["a reversed reading order", "usd\u202e0042", "usd\\u202e0042"],
  ["an isolate", "\u2066x\u2069", "\\u2066x\\u2069"],
  ["zero-width letters", "pay\u200bee\u200d\ufeff", "pay\\u200bee\\u200d\\ufeff"],
  ["line breaks", "one\ntwo\r\n\u2028\u2029\u0085", "one\\ntwo\\r\\n\\u2028\\u2029\\u0085"],
  ["tags beyond the first plane", "\u{e0041}", "\\u{e0041}"],
  ["half a pair", "\ud800x", "\\ud800x"],
  ["spaces that only look like one", "a\u00a0b\u3000c", "a\\u00a0b\\u3000c"],
  ["fillers that show nothing", "\u3164\u2800", "\\u3164\\u2800"],
  ["accents piled up", `e${"\u0301".repeat(6)}`, `e${"\u0301".repeat(4)}\\u0301\\u0301`],
  ["an accent that would sit on our own words", "\u0301x", "\\u0301x"],
])("%s are written out", (_, text, shown) => {
  expect(printable(text)).toBe(shown)
})

test.each(["plain", "größer", "日本語", "Việt", "नमस्ते", "€ → –", "🎉", ""])("%s stays as it is", (text) => {
  expect(printable(text)).toBe(text)
})

test("whatever the text, nothing is shown that a terminal would obey or hide", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = printable(text)
      expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v)
      expect(printable(shown)).toBe(shown)
    }),
    { numRuns: 1_000 },
  )
})

test.skipIf(!hasData)("naughty strings are safe to show", () => {
  const naughty = JSON.parse(readData("blns/blns.json")) as readonly string[]
  expect(naughty.length).toBeGreaterThan(400)
  for (const text of naughty)
    expect(printable(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v)
})

test("a clipped text is as wide as it was given room for, and no wider", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, room) => {
      const shown = clip(text, room)
      expect(widthOf(cells(shown))).toBeLessThanOrEqual(room)
      if (widthOf(cells(text)) > room) expect(shown.endsWith("…")).toBe(true)
    }),
  )
})

test("a text is cut at the side it is not kept at", () => {
  const row = cells("日本語text")
  const shown = (kept: ReturnType<typeof cut>): string => kept.map((cell) => cell.shown).join("")
  expect(shown(cut(row, 10))).toBe("日本語text")
  expect(shown(cut(row, 6))).toBe("日本…")
  expect(shown(cut(row, 7, "end"))).toBe("…語text")
  expect(shown(cut(row, 0))).toBe("")
})

test("a megabyte is clipped without being looked at", () => {
  const text = "\u001b日".repeat(500_000)
  const before = performance.now()
  expect(clip(text, 20)).toBe("\\u001b日\\u001b日…")
  expect(performance.now() - before).toBeLessThan(200)
})

test("columns line up whatever stands in them", () => {
  for (const text of ["", "abc", "日本", "\u001b[31mred\u001b[39m"]) {
    expect(stringWidth(pad(text, 6))).toBe(6)
    expect(stringWidth(pad(text, 6, "left"))).toBe(6)
  }
  expect(pad("too long", 3)).toBe("too long")
})
