/** The reader against JSON.parse, and its fast path against the exact reader, over generated texts, whole and spoilt. */
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { defaultBounds } from "../../src/text/bounds.ts"
import { canonical } from "../../src/text/canonical.ts"
import { parseFast } from "../../src/text/fast-path.ts"
import type { Json } from "../../src/text/json.ts"
import { parse } from "../../src/text/parse.ts"
import { type ReadJson, readJson } from "../../src/text/read-json.ts"
import { type Difference, differences, differencesOf } from "./differences.ts"
import { oddNumbers, spelling, spoilt } from "./spelling.ts"

const runs = { numRuns: 3_000 }
const anyText = fc.oneof({ weight: 2, arbitrary: spelling }, { weight: 1, arbitrary: spoilt })

/** What JSON.parse makes of a text, with -0 as 0. Not asked of texts with a backslash in a key: from then on the JSON.parse of
 *  Node 24 and 26 may take other keys with an escape for that one (nodejs/node#63785). */
function parsed(text: string): { readonly value: Json } | undefined {
  fc.pre(!/"(?:[^"\\]|\\.)*\\(?:\\|u005c)(?:[^"\\]|\\.)*"\s*:/i.test(text))
  try {
    return { value: JSON.parse(text, (_, value) => (value === 0 ? 0 : value)) }
  } catch {
    return undefined
  }
}

describe("readJson takes what JSON.parse takes, less the written list", () => {
  const seen = new Map<string, number>()
  const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1)

  const agree = (text: string) => {
    const native = parsed(text)
    const read = readJson(text, defaultBounds)
    const apart = native === undefined ? [] : differencesOf(text)
    if (native !== undefined && apart.length === 0) {
      expect(read).toMatchObject({ ok: true })
      expect(read.ok && isDeepStrictEqual(read.value, native.value), text).toBe(true)
      return count("taken")
    }
    if (read.ok) throw new Error(`taken, though ${native === undefined ? "JSON.parse refuses it" : apart}: ${text}`)
    if (native === undefined) return count("refused by both")
    expect(apart).toContain(read.fault.kind)
    return count(read.fault.kind)
  }

  test("whole and spoilt texts", () => {
    fc.assert(fc.property(anyText, agree), runs)
    console.log(`readJson and JSON.parse: ${[...seen].map(([what, times]) => `${times} ${what}`).join(", ")}`)
    expect(seen.get("taken")).toBeGreaterThan(runs.numRuns / 5)
    expect(seen.get("refused by both")).toBeGreaterThan(runs.numRuns / 10)
  })

  test("numbers on both sides of every border", () => {
    for (const number of oddNumbers) agree(number)
  })

  test("every difference has come up", () => {
    const examples: Record<Difference, string> = {
      "byte-order-mark": "\ufeff{}",
      "ill-formed-unicode": '"\\ud800"',
      "key-twice": '{"a":1,"\\u0061":1}',
      "hostile-key": '{"constructor":1}',
      "nul-in-key": '{"\\u0000":1}',
      "integer-too-large": "9007199254740992",
      "number-overflow": "1e309",
      "number-underflow": "1e-400",
    }
    for (const { kind } of differences) {
      const read = readJson(examples[kind], defaultBounds)
      expect(read).toMatchObject({ ok: false, fault: { kind } })
    }
  })
})

test("strings of any characters at all are read or refused, never thrown at", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
      expect(readJson(text, defaultBounds).ok).toBe(parsed(text) !== undefined && differencesOf(text).length === 0)
    }),
    runs,
  )
})

test("bytes are read as their text is", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      fc.pre(text.isWellFormed())
      expect(readJson(new TextEncoder().encode(text), defaultBounds)).toEqual({
        ...readJson(text, defaultBounds),
        ...(readJson(text, defaultBounds).ok ? { rangeOf: expect.any(Function) } : {}),
      })
    }),
    { numRuns: 1_000 },
  )
})

test("the fast path gives what the exact reader gives, or leaves it to it", () => {
  const bounds = fc.record({
    textBytes: fc.constant(defaultBounds.textBytes),
    depth: fc.constantFrom(0, 1, 2, 3, 64),
    nodes: fc.constantFrom(1, 2, 5, 10, 100_000),
    stringBytes: fc.constantFrom(0, 3, 9, 65_536),
  })
  let fast = 0
  let exactOnly = 0
  fc.assert(
    fc.property(anyText, fc.oneof(fc.constant(defaultBounds), bounds), (text, bounds) => {
      const quick = parseFast(text, bounds)
      const exact = parse(text, bounds)
      if (quick === undefined) exactOnly += exact.ok ? 1 : 0
      else {
        fast++
        expect(exact).toMatchObject({ ok: true })
        expect(exact.ok && isDeepStrictEqual(quick, exact.value), text).toBe(true)
      }
    }),
    runs,
  )
  console.log(`fast path: ${fast} texts taken, ${exactOnly} good ones left to the exact reader`)
  expect(fast).toBeGreaterThan(exactOnly)
})

test("the fast path takes plain plans", () => {
  const plan = {
    version: 1,
    goal: "say “é” \\ \n",
    steps: [{ id: "a", tool: "t", args: { n: -1.5, x: [null, true, {}] } }],
  }
  for (const indent of [0, 2, "\t"]) {
    expect(parseFast(JSON.stringify(plan, null, indent), defaultBounds)).toEqual(plan)
  }
})

test("keys with an escape are not taken for keys of an earlier text, as JSON.parse of Node 24 takes them", () => {
  JSON.parse('{"poison":1,"\\\\":2}')
  const text = '{"poison":1,"\\u0061":2}'
  expect(readJson(text, defaultBounds)).toMatchObject({ ok: true, value: { poison: 1, a: 2 } })
  expect(readJson('{"poison":1,"\\u0061":2,"a":3}', defaultBounds)).toMatchObject({ fault: { kind: "key-twice" } })
  console.log(
    `JSON.parse here ${"a" in JSON.parse(text) ? "reads such keys rightly" : "misreads such keys"}; readJson does not`,
  )
})

test("what somebody has added to Object.prototype is neither counted nor in the way", () => {
  const texts = ['{"a":{"b":1}}', '{"a":1,"a":2}', '{"stray":2,"b":1e3}']
  Object.defineProperty(Object.prototype, "stray", { value: 1, enumerable: true, configurable: true })
  let read: readonly ReadJson[] = []
  try {
    read = texts.map((text) => readJson(text, defaultBounds))
  } finally {
    Reflect.deleteProperty(Object.prototype, "stray")
  }
  expect(read[0]).toMatchObject({ ok: true, value: { a: { b: 1 } } })
  expect(read[1]).toMatchObject({ ok: false, fault: { kind: "key-twice" } })
  expect(read[2]).toMatchObject({ ok: true, value: { stray: 2, b: 1000 } })
})

test("what is read stays itself when its canonical form is read again", () => {
  fc.assert(
    fc.property(spelling, (text) => {
      const read = readJson(text, defaultBounds)
      fc.pre(read.ok)
      const written = canonical(read.value)
      const again = readJson(written, defaultBounds)
      expect(again.ok && isDeepStrictEqual(again.value, read.value), written).toBe(true)
      expect(again.ok && canonical(again.value)).toBe(written)
    }),
    { numRuns: 1_000 },
  )
})
