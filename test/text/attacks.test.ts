/** The attacks on the reading of text in data/attacks.jsonl, by their ids, and the public bug reports of the same kind. */
import { describe, expect, test } from "vitest"
import { defaultBounds } from "../../src/text/bounds.ts"
import { canonical } from "../../src/text/canonical.ts"
import { copyJson } from "../../src/text/copy-json.ts"
import type { Pointer } from "../../src/text/pointer.ts"
import { type ReadOptions, readJson } from "../../src/text/read-json.ts"
import { hasData, readData } from "../data.ts"

/** A plan with `args` written in it as they stand. */
const plan = (args: string): string => `{"version":1,"steps":[{"id":"a","tool":"pay","args":${args}}]}`

/** The kind of fault, or the value's canonical form. */
const verdict = (source: string | Uint8Array, options?: ReadOptions): string => {
  const read = readJson(source, defaultBounds, options)
  return read.ok ? canonical(read.value) : read.fault.kind
}
const verdicts = (...sources: (string | Uint8Array)[]): string[] => [
  ...new Set(sources.map((source) => verdict(source))),
]

const attacks: Record<string, readonly [string, () => void]> = {
  A001: [
    "the same key twice, anywhere: both places named",
    () => {
      const text = plan('{"amount":1,\n "amount":100}')
      const read = readJson(text, defaultBounds)
      if (read.ok || read.fault.kind !== "key-twice") throw new Error("not refused")
      const { at, first, range } = read.fault
      expect(at).toBe("/steps/0/args/amount")
      expect([first.start.line, range.start.line]).toEqual([1, 2])
      for (const { start, end } of [first, range]) expect(text.slice(start.offset, end.offset)).toBe('"amount"')
      expect(verdicts('{"version":1,"version":1}', '[{"a":{"b":1,"b":1}}]')).toEqual(["key-twice"])
    },
  ],
  A002: [
    "the same key twice, once escaped",
    () => {
      expect(verdicts(plan('{"amount":1,"am\\u006funt":100}'))).toEqual(["key-twice"])
    },
  ],
  A003: [
    "keys that reach for prototypes",
    () => {
      for (const key of ["__proto__", "constructor", "prototype", "\\u005f_proto__", "c\\u006fnstructor"]) {
        expect(verdicts(plan(`{"${key}":{"approved":true}}`), `{"${key}":null}`)).toEqual(["hostile-key"])
      }
      expect(({} as { approved?: unknown }).approved).toBeUndefined()
    },
  ],
  A005: [
    "a number that would become 0",
    () => {
      expect(verdicts(plan("[1e-400]"), "123e-10000000", "-0.1e-323")).toEqual(["number-underflow"])
    },
  ],
  A006: [
    "an integer that would lose digits",
    () => {
      expect(
        verdicts(
          "9007199254740993",
          plan('{"id":2512292042121000001}'),
          "-9007199254740992",
          "9007199254740993.0",
          "9007199254740993e0",
        ),
      ).toEqual(["integer-too-large"])
      expect(verdict("9007199254740991")).toBe("9007199254740991")
    },
  ],
  A007: [
    "more digits than a double keeps: taken as the nearest, and shown as that",
    () => {
      expect(verdict("0.1000000000000000055511151231257827")).toBe("0.1")
    },
  ],
  A009: [
    "-0 is 0",
    () => {
      expect(verdicts("-0", "-0.0", "0", "-0e5")).toEqual(["0"])
      const read = readJson('{"a":[-0]}', defaultBounds)
      expect(read.ok && Object.is((read.value as { a: number[] }).a[0], 0)).toBe(true)
    },
  ],
  A010: [
    "one number in many forms is one value",
    () => {
      expect(verdicts("1", "1.0", "1e0", "10E-1", "0.1e+1")).toEqual(["1"])
    },
  ],
  A011: [
    "half a surrogate pair, raw or escaped",
    () => {
      expect(verdicts('"\\ud800"', '"\\udfff"', '"\ud800"', '"\udfff"', '{"\\ud800":1}')).toEqual([
        "ill-formed-unicode",
      ])
      expect(verdict('"\\ufffd"')).toBe('"\ufffd"')
    },
  ],
  A013: [
    "byte-order marks, UTF-16, overlong UTF-8, Latin-1",
    () => {
      expect(verdicts("\ufeff{}", Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d))).toEqual(["byte-order-mark"])
      const utf16 = Buffer.from("\ufeff{}", "utf16le")
      const overlong = Uint8Array.of(0x22, 0xc0, 0x80, 0x22)
      expect(verdicts(utf16, overlong, Buffer.from('"é"', "latin1"))).toEqual(["not-utf8"])
    },
  ],
  A014: [
    "100,000 levels",
    () => {
      const start = performance.now()
      expect(verdicts("[".repeat(100_000), '{"a":'.repeat(100_000))).toEqual(["too-deep"])
      expect(performance.now() - start).toBeLessThan(1_000)
    },
  ],
  A015: [
    "100 MB",
    () => {
      const text = `"${"a".repeat(100_000_000)}"`
      const bytes = new Uint8Array(100_000_000)
      const start = performance.now()
      expect(verdicts(text, bytes)).toEqual(["too-large"])
      expect(performance.now() - start).toBeLessThan(500)
    },
  ],
  A017: [
    "a million items, or keys",
    () => {
      const bounds = { ...defaultBounds, textBytes: 100_000_000 }
      const wide = [`[${"0,".repeat(999_999)}0]`, `{${Array.from({ length: 1_000_000 }, (_, i) => `"${i}":0`).join()}}`]
      for (const text of wide)
        expect(readJson(text, bounds)).toMatchObject({ fault: { kind: "too-many-nodes", max: 100_000 } })
    },
  ],
  A018: [
    "anything after the one value",
    () => {
      expect(verdicts("{}{}", "{} {}", "{}//x", "{},", "{}]", "[1] x", '{"a":1}```')).toEqual(["trailing"])
    },
  ],
  A019: [
    "a fence, or prose, round the JSON",
    () => {
      const fenced = '```json\n{"a":1}\n```'
      expect(verdicts(fenced, 'Here is the plan: {"a":1}', `Sure!\n${fenced}`)).toEqual(["wrapped"])
      expect(verdict(fenced, { unwrap: "fence" })).toBe('{"a":1}')
      expect(verdict(`Sure!\n${fenced}`, { unwrap: "fence" })).toBe("wrapped")
      expect(verdict(`${fenced}\nDone.`, { unwrap: "fence" })).toBe("wrapped")
      expect(verdict(`${fenced}\n${fenced}`, { unwrap: "fence" })).toBe("trailing")
    },
  ],
  A021: [
    "comments, commas at the end, single quotes",
    () => {
      expect(
        verdicts(
          "[1,]",
          '{"a":1,}',
          "{'a':1}",
          "{a:1}",
          "[1 /* one */]",
          "// plan\n[]",
          "[0x1]",
          "[+1]",
          "[.5]",
          "[NaN]",
        ),
      ).toEqual(["syntax"])
    },
  ],
}

describe("attacks", () => {
  test.each(Object.entries(attacks).map(([id, [name, run]]) => ({ id, name, run })))("$id $name", ({ run }) => run())

  test.skipIf(!hasData)("each of the data's attacks on reading is here", () => {
    const listed = readData("attacks.jsonl")
      .trim()
      .split("\n")
      .map((line): { id: string; area: string } => JSON.parse(line))
    const ids = listed.filter(({ area }) => area === "parse").map(({ id }) => id)
    expect(Object.keys(attacks)).toEqual(ids)
    console.log(`attacks on reading: ${ids.length}, each with its test`)
  })
})

describe("public bug reports", () => {
  test("D11 a 19-digit id is refused, at its place, and never rounded", () => {
    const text = plan('{"record_id":2512292042121000001}')
    expect(readJson(text, defaultBounds)).toMatchObject({
      fault: { kind: "integer-too-large", written: "2512292042121000001", at: "/steps/0/args/record_id" },
    })
  })

  test("D12 a text that the token limit cut short is not repaired", () => {
    const whole = plan('{"path":"a.txt","text":"line1"}')
    for (let end = 0; end < whole.length; end++) expect(verdict(whole.slice(0, end))).toBe("cut-short")
  })

  test("D13 backticks inside a string are no fence", () => {
    const text = `\`\`\`json\n${plan('{"text":"use ```js\\nx\\n``` here"}')}\n\`\`\``
    expect(verdict(text)).toBe("wrapped")
    const read = readJson(text, defaultBounds, { unwrap: "fence" })
    if (!read.ok) throw new Error(read.fault.kind)
    expect(canonical(read.value)).toContain('"use ```js\\nx\\n``` here"')
    expect(read.rangeOf("/version" as Pointer)?.start).toEqual({ line: 2, column: 12, offset: 19 })
  })

  test("D21 U+0000 in a value is kept; half a pair is refused of a planner, and kept of a tool", () => {
    expect(verdict('{"text":"a\\u0000b"}')).toBe('{"text":"a\\u0000b"}')
    expect(verdict('{"text":"\\ud83d"}')).toBe("ill-formed-unicode")
    expect(copyJson({ text: "a\0b" }, defaultBounds)).toEqual({ ok: true, value: { text: "a\0b" } })
    const half = { text: "\ud83d", "\0\ude00": 1 }
    expect(copyJson(half, defaultBounds)).toMatchObject({ ok: false, at: "/text" })
    expect(copyJson(half, defaultBounds, { strings: "any" })).toEqual({ ok: true, value: half })
  })
})
