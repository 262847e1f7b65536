/** What the reader says of texts it refuses, and where; bounds; fences. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { defaultBounds } from "../../src/text/bounds.ts"
import type { TextFault } from "../../src/text/fault.ts"
import { parsePointer } from "../../src/text/pointer.ts"
import { type ReadOptions, readJson } from "../../src/text/read-json.ts"
import { spelling, spoilt } from "./spelling.ts"

const faultOf = (source: string | Uint8Array, options?: ReadOptions): TextFault => {
  const read = readJson(source, defaultBounds, options)
  if (read.ok) throw new Error(`taken: ${read.text}`)
  return read.fault
}

/** The fault in one line: pointer, what the range covers, and the rest. */
function shown(text: string, options?: ReadOptions): string {
  const { kind, at, range, ...rest } = faultOf(text, options)
  const covered = JSON.stringify(text.slice(range.start.offset, range.end.offset))
  const first = "first" in rest ? ` first ${rest.first.start.line}:${rest.first.start.column}` : ""
  const said = Object.entries(rest).map(([name, value]) => (name === "first" ? first : ` ${name} ${value}`))
  return `${kind}${said.join("")} | ${range.start.line}:${range.start.column} ${covered} at ${JSON.stringify(at)}`
}

describe("what is said of a text that is refused", () => {
  test.each([
    ["", 'cut-short expected a JSON value | 1:1 "" at ""'],
    [" \n\t", 'cut-short expected a JSON value | 2:2 "" at ""'],
    ["[1,\n 2 3]", 'syntax expected `,` or `]` found `3` | 2:4 "3" at ""'],
    ['{"a":1 "b":2}', 'syntax expected `,` or `}` found `"` | 1:8 "\\"" at ""'],
    ['{"a" 1}', 'syntax expected `:` found `1` | 1:6 "1" at "/a"'],
    ['{"a":}', 'syntax expected a JSON value found `}` | 1:6 "}" at "/a"'],
    ['{"a":1,}', 'syntax expected a key in double quotes after the comma found `}` | 1:8 "}" at ""'],
    ["[1,]", 'syntax expected a JSON value after the comma found `]` | 1:4 "]" at "/1"'],
    ["{'a':1}", 'syntax expected a key in double quotes or `}` found a single quote | 1:2 "\'" at ""'],
    ["{a:1}", 'syntax expected a key in double quotes or `}` found `a` | 1:2 "a" at ""'],
    ['{"a":True}', 'syntax expected a JSON value found `True` | 1:6 "True" at "/a"'],
    ['{"a":nil}', 'syntax expected a JSON value found `nil` | 1:6 "nil" at "/a"'],
    ['{"a":/* b */1}', 'syntax expected a JSON value found a comment | 1:6 "/*" at "/a"'],
    ["[\u00a01]", 'syntax expected a JSON value or `]` found U+00A0 | 1:2 "\u00a0" at "/0"'],
    ["[“a”]", 'syntax expected a JSON value or `]` found `“` | 1:2 "“" at "/0"'],
    ["[\ud800]", 'syntax expected a JSON value or `]` found U+D800 | 1:2 "\\ud800" at "/0"'],
    ["[01]", 'syntax expected a number without a leading zero found `01` | 1:2 "01" at "/0"'],
    ["[+1]", 'syntax expected a JSON value or `]` found `+` | 1:2 "+" at "/0"'],
    ["[- 1]", 'syntax expected a digit found a space | 1:3 " " at "/0"'],
    ["[1.]", 'syntax expected a digit after the point found `]` | 1:4 "]" at "/0"'],
    ["[1e]", 'syntax expected a digit of the exponent found `]` | 1:4 "]" at "/0"'],
    ['["a\nb"]', 'syntax expected the escape `\\n` found a line break | 1:4 "\\n" at "/0"'],
    ['["\t"]', 'syntax expected the escape `\\t` found the control character U+0009 | 1:3 "\\t" at "/0"'],
    ['["\\u12g4"]', 'syntax expected four hex digits after `\\u` found `g4` | 1:7 "g4" at "/0"'],
    ['{"steps":[{"id":"a"},{"id":"b', 'cut-short expected the closing `"` | 1:30 "" at "/steps/1/id"'],
    ['{"a":tr', 'cut-short expected `true` | 1:8 "" at "/a"'],
    ["[90071992547409930", 'cut-short expected `,` or `]` | 1:19 "" at "/0"'],
    ['["\\ud83d', 'cut-short expected the second half of a surrogate pair | 1:9 "" at "/0"'],
    ['["\ud83d', 'cut-short expected the closing `"` | 1:4 "" at "/0"'],
    ['{"a":1,\r\n"\\u0061":2}', 'key-twice key a first 1:2 | 2:1 "\\"\\\\u0061\\"" at "/a"'],
    ['{"x":{"~/":0,\r"~/":0}}', 'key-twice key ~/ first 1:7 | 2:1 "\\"~/\\"" at "/x/~0~1"'],
    ['["\\ud800"]', 'ill-formed-unicode written \\ud800 | 1:3 "\\\\ud800" at "/0"'],
    ['["\\uDC00\\ud800"]', 'ill-formed-unicode written \\uDC00 | 1:3 "\\\\uDC00" at "/0"'],
    ['["😀\ude00"]', 'ill-formed-unicode written \\ude00 | 1:5 "\\ude00" at "/0"'],
    ['["\\ud83d\ude00"]', 'ill-formed-unicode written \\ud83d | 1:3 "\\\\ud83d" at "/0"'],
    ['{"a":{"__proto__":1}}', 'hostile-key key __proto__ | 1:7 "\\"__proto__\\"" at "/a/__proto__"'],
    ['{"a\\u0000":1}', 'nul-in-key key a\0 | 1:2 "\\"a\\\\u0000\\"" at "/a\\u0000"'],
    ["{}\n{}", 'trailing found `{` | 2:1 "{" at ""'],
    ["{},", 'trailing found `,` | 1:3 "," at ""'],
    ["{} // done", 'trailing found a comment | 1:4 "//" at ""'],
    ["{}\nHope this helps", 'trailing found `Hope` | 2:1 "Hope" at ""'],
    ["\ufeff{}", 'byte-order-mark | 1:1 "\ufeff" at ""'],
    ["```json\n{}\n```", 'wrapped how fence | 1:1 "`" at ""'],
    ["\n~~~\n{}\n~~~", 'wrapped how fence | 2:1 "~" at ""'],
    ["Here is the plan: {}", 'wrapped how prose | 1:1 "Here" at ""'],
    ["# Plan\n{}", 'wrapped how prose | 1:1 "#" at ""'],
    ["nothing to do: {}", 'wrapped how prose | 1:1 "nothing" at ""'],
    ["nothing to do", 'syntax expected a JSON value found `nothing` | 1:1 "nothing" at ""'],
    ["'{}'", 'syntax expected a JSON value found a single quote | 1:1 "\'" at ""'],
    [`[${"9".repeat(60)}]`, `integer-too-large written ${"9".repeat(40)}… | 1:2 "${"9".repeat(60)}" at "/0"`],
    ["[-1e999]", 'number-overflow written -1e999 | 1:2 "-1e999" at "/0"'],
    ["[0.00e-5, 1e-999]", 'number-underflow written 1e-999 | 1:11 "1e-999" at "/1"'],
  ])("%j", (text, says) => expect(shown(text)).toBe(says))

  test("every fault points into the text, with a pointer that is one", () => {
    fc.assert(
      fc.property(spoilt, (text) => {
        const read = readJson(text, defaultBounds)
        if (read.ok) return
        const { at, range } = read.fault
        expect(parsePointer(at)).toBeDefined()
        expect(range.start.offset).toBeLessThanOrEqual(range.end.offset)
        expect(range.end.offset).toBeLessThanOrEqual(text.length)
        const before = text.slice(0, range.start.offset).split(/\r\n|\n|\r(?!\n)/)
        expect([range.start.line, range.start.column]).toEqual([before.length, (before.at(-1) ?? "").length + 1])
      }),
      { numRuns: 1_000 },
    )
  })

  test("a good text that is cut anywhere is cut short, in units or in bytes", () => {
    fc.assert(
      fc.property(spelling, fc.nat(), (text, cut) => {
        fc.pre(/^["[{]/.test(text) && readJson(text, defaultBounds).ok)
        expect(faultOf(text.slice(0, cut % text.length)).kind).toBe("cut-short")
        const bytes = new TextEncoder().encode(text)
        expect(faultOf(bytes.subarray(0, cut % bytes.length)).kind).toBe("cut-short")
      }),
      { numRuns: 1_000 },
    )
  })
})

describe("bytes", () => {
  const bytes = (...codes: number[]) => Uint8Array.from(codes)
  test.each([
    ["a stray byte", bytes(0x5b, 0x22, 0xff, 0x22, 0x5d)],
    ["an overlong slash", bytes(0x22, 0xc0, 0xaf, 0x22)],
    ["an encoded surrogate", bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ["beyond U+10FFFF", bytes(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22)],
    ["UTF-16 with its mark", bytes(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00)],
    ["half a character after the end", bytes(0x7b, 0x7d, 0xe2, 0x82)],
  ])("%s is not UTF-8", (_, source) => {
    expect(readJson(source, defaultBounds)).toMatchObject({ ok: false, text: undefined, fault: { kind: "not-utf8" } })
  })

  test("a byte-order mark is refused, not skipped", () => {
    expect(faultOf(bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d)).kind).toBe("byte-order-mark")
  })

  test("a part of a larger buffer is read alone", () => {
    const buffer = new TextEncoder().encode('xx{"a":"é"}xx')
    expect(readJson(buffer.subarray(2, -2), defaultBounds)).toMatchObject({
      ok: true,
      value: { a: "é" },
      text: '{"a":"é"}',
    })
  })
})

describe("bounds are inclusive", () => {
  const bounds = { textBytes: 40, depth: 2, nodes: 5, stringBytes: 6 }
  test.each([
    ["bytes", '"é"'.padEnd(39), '"é"'.padEnd(40), "too-large"],
    ["depth", "[{}]", "[[{}]]", "too-deep"],
    ["nodes", "[1,[2,3]]", "[1,[2,3],4]", "too-many-nodes"],
    ["nodes in an object", '{"a":[],"b":[],"c":{},"d":[]}', '{"a":[],"b":[],"c":{},"d":[0]}', "too-many-nodes"],
    ["string", '"aé€"', '"éé€"', "string-too-long"],
    ["escaped string", '"\\u0061bcde\\n"', '"\\u0061bcde\\nf"', "string-too-long"],
    ["key", '{"abcdef":0}', '{"abcdefg":0}', "string-too-long"],
  ])("%s", (_, within, beyond, kind) => {
    for (const source of [within, new TextEncoder().encode(within)]) expect(readJson(source, bounds).ok).toBe(true)
    for (const source of [beyond, new TextEncoder().encode(beyond)]) {
      expect(readJson(source, bounds)).toMatchObject({ ok: false, fault: { kind } })
    }
  })

  test("the fault names the bound, and the bytes there are", () => {
    expect(readJson('"€"'.padEnd(40), bounds)).toMatchObject({ fault: { bytes: 42, max: 40 } })
    expect(readJson("[[[", bounds)).toMatchObject({ fault: { max: 2, at: "/0/0", range: { start: { offset: 2 } } } })
  })
})

describe('unwrap: "fence"', () => {
  const unwrap = { unwrap: "fence" } as const
  const plan = '{\n  "a": "use ```js\\nx\\n``` here"\n}'
  test.each([
    ["json", `\`\`\`json\n${plan}\n\`\`\``],
    ["no word, space round it", `\n \`\`\` \r\n${plan}\r\n  \`\`\`  \n`],
    ["longer marks", `\`\`\`\`JSON\n${plan}\n\`\`\`\`\``],
    ["tildes", `~~~json\r${plan}\r~~~`],
    ["no fence at all", plan],
  ])("takes %s", (_, text) => {
    const read = readJson(text, defaultBounds, unwrap)
    if (!read.ok) throw new Error(JSON.stringify(read.fault))
    expect(read.value).toEqual(JSON.parse(plan))
    expect(read.text).toBe(text)
    const range = read.rangeOf("/a" as never)
    expect(text.slice(range?.start.offset, range?.end.offset)).toBe('"use ```js\\nx\\n``` here"')
  })

  test.each([
    ["```json\n{}\n```\nHope this helps", 'wrapped how fence | 1:1 "`" at ""'],
    ["Here it is:\n```json\n{}\n```", 'wrapped how prose | 1:1 "Here" at ""'],
    ["```json\n{}\n```\n```json\n{}\n```", 'trailing found a backtick | 3:1 "`" at ""'],
    ["```json\n```json\n{}\n```\n```", 'wrapped how fence | 2:1 "`" at ""'],
    ["```json {} ```", 'wrapped how fence | 1:1 "`" at ""'],
    ["```json\n{} ```", 'wrapped how fence | 1:1 "`" at ""'],
    ["```\n{}\n~~~", 'cut-short expected the closing fence | 3:4 "" at ""'],
    ["````\n{}\n```", 'cut-short expected the closing fence | 3:4 "" at ""'],
    ['```json\n{"a":', 'cut-short expected the closing fence | 2:6 "" at ""'],
    ['```json\n{"a":1,\n"a":2}\n```', 'key-twice key a first 2:2 | 3:1 "\\"a\\"" at "/a"'],
    ["```json\n{,}\n```", 'syntax expected a key in double quotes or `}` found `,` | 2:2 "," at ""'],
    ["```json\n```", 'cut-short expected a JSON value | 2:1 "" at ""'],
  ])("refuses %j", (text, says) => expect(shown(text, unwrap)).toBe(says))

  test("takes as long for a fence that never opens as the text is long", () => {
    const text = `\`\`\`${" ".repeat(1_000_000)}x`
    expect(readJson(text, defaultBounds, unwrap)).toMatchObject({ fault: { kind: "wrapped" } })
  })
})
