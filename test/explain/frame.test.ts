import fc from "fast-check"
import stringWidth from "string-width"
import { describe, expect, test } from "vitest"
import { diagnose } from "../../src/diagnostic/diagnostic.ts"
import { explainDiagnostic, sayDiagnostic } from "../../src/explain/diagnostic.ts"
import { codeFrame } from "../../src/explain/frame.ts"
import { plain } from "../../src/explain/look.ts"
import { countLines } from "../../src/text/locate.ts"
import type { Pointer } from "../../src/text/pointer.ts"
import type { Range } from "../../src/text/source.ts"

const rangeOf = (text: string, part: string): Range => {
  const start = text.indexOf(part)
  return countLines(text)({ start, end: start + part.length })
}

const frameOf = (text: string, part: string, width = 80): string =>
  codeFrame(text, rangeOf(text, part), { ...plain, width })

/** What stands above the carets, column for column. */
function underlined(frame: string): string {
  const lines = frame.split("\n")
  const index = lines.findIndex((line) => /^ +\| +\^+$/.test(line))
  const caret = lines[index] ?? ""
  const from = caret.indexOf("^")
  let column = 0
  let found = ""
  for (const { segment } of new Intl.Segmenter().segment(lines[index - 1] ?? "")) {
    if (column >= from && column < caret.length) found += segment
    column += stringWidth(segment)
  }
  return found
}

describe("a code frame", () => {
  test("shows two lines on each side, and underlines the place", () => {
    const text = '{\n  "version": 1,\n  "steps": [\n    { "id": "a", "tool": "fnd" }\n  ],\n  "x": 1\n}\n'
    expect(`\n${frameOf(text, '"fnd"')}\n`).toBe(`
  2 |   "version": 1,
  3 |   "steps": [
> 4 |     { "id": "a", "tool": "fnd" }
    |                          ^^^^^
  5 |   ],
  6 |   "x": 1
`)
  })

  test.each([
    ["wide characters before it", '{"日本語": "fnd"}'],
    ["emoji and accents before it", '{"🎉é👍🏽": "fnd"}'],
    ["escapes of ours before it", '{"\u001b[31m\u202e\u200b": "fnd"}'],
    ["tabs that indent", '\t\t{"a": "fnd"}'],
    ["a tab within", '{\t"fnd"}'],
    ["an old Mac's line breaks", '{\r"a":\r"fnd"\r}'],
    ["Windows' line breaks", '{\r\n"a":\r\n"fnd"\r\n}'],
  ])("underlines the place with %s", (_, text) => {
    expect(underlined(frameOf(text, '"fnd"'))).toBe('"fnd"')
  })

  test("underlines wide characters as wide as they are", () => {
    expect(underlined(frameOf('{"a": "日本"}', '"日本"'))).toBe('"日本"')
  })

  test("gives an object of many lines by its first", () => {
    const text = '{\n  "a": {\n    "b": 1\n  }\n}'
    const start = text.indexOf('{\n    "b"')
    const frame = codeFrame(text, countLines(text)({ start, end: text.indexOf("  }") + 3 }), plain)
    expect(underlined(frame)).toBe("{")
    expect(frame.match(/\^/g)).toHaveLength(1)
  })

  test("stands after the last character where the text was cut short", () => {
    const text = '{"a": '
    const frame = codeFrame(text, countLines(text)({ start: 6, end: 6 }), plain)
    expect(frame).toBe('> 1 | {"a":\n    |       ^')
  })

  test("shows a long part from its start, and nothing of it underlined that is not seen", () => {
    const step = `{ "id": "pay", "tool": "pay_invoices", "args": { "ids": ["INV-2042"], "total": 12480 } }`
    const text = `[\n    ${step},\n    { "id": "again" }\n]`
    expect(`\n${frameOf(text, step, 60)}\n`).toBe(`
  1 | [
> 2 |     { "id": "pay", "tool": "pay_invoices", "args": { …
    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  3 |     { "id": "again" }
  4 | ]
`)
    // Where there is room for all of it, all of it stands there, and what follows too.
    expect(underlined(frameOf(text, step, 120))).toBe(step)
    expect(frameOf(text, step, 120)).toContain(`${step},\n`)
  })

  test("shows a long part from its start also where much stands before it", () => {
    const text = `{"before":"${"x".repeat(200)}","part":"${"y".repeat(200)}","after":1}`
    const part = `"${"y".repeat(200)}"`
    const seen = underlined(frameOf(text, part, 60))
    expect(seen).toMatch(/^"y{20,}$/)
    expect(frameOf(text, part, 60)).toMatch(/> 1 \| ….*"part":"y+…\n/)
  })

  test("underlines only what is seen of the part, wherever it is and however long", () => {
    const unit = fc.constantFrom("a", "日", "🎉", " ", '"')
    const some = fc.string({ unit, maxLength: 80 })
    fc.assert(
      fc.property(some, fc.string({ unit, minLength: 1, maxLength: 80 }), some, (before, part, after) => {
        const text = `${before}<${part}>${after}`
        const start = before.length
        const range = countLines(text)({ start, end: start + part.length + 2 })
        const frame = codeFrame(text, range, { ...plain, width: 50 })
        const seen = underlined(frame)
        expect(seen).not.toBe("")
        expect(`<${part}>`.startsWith(seen)).toBe(true)
        // Cut, it is marked.
        if (seen !== `<${part}>`) expect(frame.split("\n")[0]).toMatch(/…$/)
        for (const line of frame.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(50)
      }),
    )
  })

  test("cuts a megabyte on one line round the place, quickly", () => {
    const text = `{"x":"${"日x".repeat(250_000)}","tool":"fnd","y":"${"z".repeat(500_000)}"}`
    const range = rangeOf(text, '"fnd"')
    const before = performance.now()
    const frame = codeFrame(text, range, { ...plain, width: 60 })
    expect(performance.now() - before).toBeLessThan(200)
    expect(underlined(frame)).toBe('"fnd"')
    for (const line of frame.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(60)
    expect(frame).toContain("…")
  })

  test("never throws and never shows what a terminal would obey, whatever the text and the range", () => {
    const place = fc.record({
      line: fc.integer(),
      column: fc.integer(),
      offset: fc.oneof(fc.integer({ min: -5, max: 80 }), fc.double()),
    })
    const unit = fc.oneof(
      fc.constantFrom("\n", "\r", "\t", '"', "{", "日", "\u001b", "\ue000", "\u202e", "`", "/"),
      fc.string({ unit: "binary", maxLength: 1 }),
    )
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 80 }), fc.record({ start: place, end: place }), (text, range) => {
        const frame = codeFrame(text, range, { color: false, width: 40 })
        expect(frame.replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v)
        // Coloured or not, the same words.
        const coloured = codeFrame(text, range, { color: true, width: 40 })
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours
        expect(coloured.replace(/\u001b\[\d+m/g, "").replace(/ +$/gm, "")).toBe(frame)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe("a diagnostic", () => {
  const text = '{\n  "a": 1,\n  "a": 2\n}'
  const first = rangeOf(text, '"a": 1')
  const second = rangeOf(text, '"a": 2')

  test("says what, where and what to do", () => {
    const said = {
      ...diagnose("SEQ003", "" as Pointer, { key: "a" }),
      range: second,
      related: [{ at: "" as Pointer, message: "first here", range: first }],
    }
    expect(`\n${explainDiagnostic(said, { name: "plan.json", text }, plain)}\n`).toBe(`
error SEQ003 at plan.json:3:3
  key \`a\` is written twice in one object
    1 | {
    2 |   "a": 1,
  > 3 |   "a": 2
      |   ^^^^^^
    4 | }
  first here at 2:3
    1 | {
  > 2 |   "a": 1,
      |   ^^^^^^
    3 |   "a": 2
    4 | }
  hint: Keep one \`a\`.
`)
  })

  test("needs no text: a plan made in code, and a catalog, have only pointers", () => {
    const said = diagnose("SEQ108", "/steps/0/tool" as Pointer, { tool: "fnd", nearest: "Did you mean `find`?" })
    expect(explainDiagnostic(said, {}, plain)).toBe(
      "error SEQ108 at /steps/0/tool\n  there is no tool `fnd`\n  hint: Did you mean `find`?",
    )
  })

  test("A027: shows hostile names, pointers and files written out", () => {
    const said = diagnose("SEQ108", "/steps/\u001b[2J" as Pointer, {
      tool: "\u202eevil\u001b]0;x\u0007",
      nearest: "\u200b",
    })
    const shown = explainDiagnostic(said, { name: "pl\nan.json", text: "" }, plain)
    expect(shown).toBe(
      "error SEQ108 at pl\\nan.json /steps/\\u001b[2J\n  there is no tool `\\u202eevil\\u001b]0;x\\u0007`\n  hint: \\u200b",
    )
  })

  test("cuts a name of 64 KiB", () => {
    const said = diagnose("SEQ108", "" as Pointer, { tool: "x".repeat(65_536), nearest: "" })
    expect(explainDiagnostic(said, {}, plain).length).toBeLessThan(1_100)
  })

  test("is one line for what does not stand in a plan's way", () => {
    const said = { ...diagnose("SEQ111", "/steps" as Pointer, {}), range: second }
    expect(sayDiagnostic(said, "plan.json", plain)).toBe("warning SEQ111 plan.json:3:3: the plan has no steps")
    const unplaced = diagnose("SEQ111", "/steps" as Pointer, {})
    expect(sayDiagnostic(unplaced, "pl\u001ban.json", plain)).toBe(
      "warning SEQ111 pl\\u001ban.json /steps: the plan has no steps",
    )
  })

  test("is coloured only when asked", () => {
    const said = { ...diagnose("SEQ003", "" as Pointer, { key: "a" }), range: second }
    expect(explainDiagnostic(said, { text }, { ...plain, color: true })).toContain("\u001b[31m")
    expect(explainDiagnostic(said, { text }, plain)).not.toContain("\u001b")
  })
})
