/** Places in a text: every value and key is found where it stands, in lines and columns as editors count them. */
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { defaultBounds } from "../../src/text/bounds.ts"
import type { Json } from "../../src/text/json.ts"
import { child, type Pointer, root } from "../../src/text/pointer.ts"
import { readJson } from "../../src/text/read-json.ts"
import { spelling } from "./spelling.ts"

/** Every value in a value, with its pointer and its key. */
function* within(
  value: Json,
  at: Pointer = root,
  key?: string,
): Generator<{ value: Json; at: Pointer; key: string | undefined }> {
  yield { value, at, key }
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* within(item, child(at, index))
  else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) yield* within(member, child(at, key), key)
  }
}

test("what stands at a pointer's range is that value, and the key's range is that key", () => {
  let places = 0
  fc.assert(
    fc.property(spelling, (text) => {
      const read = readJson(text, defaultBounds)
      fc.pre(read.ok)
      const covered = (at: Pointer, part?: "key" | "value"): string => {
        const range = read.rangeOf(at, part)
        return text.slice(range?.start.offset, range?.end.offset)
      }
      for (const { value, at, key } of within(read.value)) {
        places++
        const there = readJson(covered(at), defaultBounds)
        expect(there.ok && isDeepStrictEqual(there.value, value), `${at} in ${text}`).toBe(true)
        expect(covered(at)).toBe(covered(at).trim())
        if (key !== undefined) expect(JSON.parse(covered(at, "key"))).toBe(key)
        else expect(covered(at, "key")).toBe(covered(at))
      }
    }),
    { numRuns: 1_000 },
  )
  expect(places).toBeGreaterThan(2_000)
})

describe("what is not there", () => {
  const text = '{"a":[1,{"b":2}],"":{"/":3}}'
  const read = readJson(text, defaultBounds)
  test.each([
    ["/a/1/c", '{"b":2}'],
    ["/a/1/c/b", '{"b":2}'],
    ["/a/2", '[1,{"b":2}]'],
    ["/a/-", '[1,{"b":2}]'],
    ["/a/01", '[1,{"b":2}]'],
    ["/a/0/0", "1"],
    ["/toString", text],
    ["/", '{"/":3}'],
    ["//~1", "3"],
  ])("%s: the nearest value round it", (at, covered) => {
    const range = read.ok ? read.rangeOf(at as Pointer) : undefined
    expect(text.slice(range?.start.offset, range?.end.offset)).toBe(covered)
  })

  test("nor has it a key: the nearest value round it", () => {
    const range = read.ok ? read.rangeOf("/a/1/c" as Pointer, "key") : undefined
    expect(text.slice(range?.start.offset, range?.end.offset)).toBe('{"b":2}')
  })

  test("is no pointer: no range", () => {
    expect(read.ok && read.rangeOf("a" as Pointer)).toBeUndefined()
    expect(read.ok && read.rangeOf("/a~2" as Pointer)).toBeUndefined()
  })
})

test("lines end in \\n, \\r\\n or a lone \\r; columns count UTF-16 units", () => {
  const text = '{\r\n"😀": "a\u2028b",\r"b":\n\n  [true ,\t"é"]}'
  const read = readJson(text, defaultBounds)
  const start = (at: string, part: "key" | "value" = "value") => {
    const range = read.ok ? read.rangeOf(at as Pointer, part) : undefined
    return range && [range.start.line, range.start.column, range.end.line, range.end.column]
  }
  expect(start("")).toEqual([1, 1, 5, 16])
  expect(start("/😀", "key")).toEqual([2, 1, 2, 5])
  expect(start("/😀")).toEqual([2, 7, 2, 12])
  expect(start("/b", "key")).toEqual([3, 1, 3, 4])
  expect(start("/b/0")).toEqual([5, 4, 5, 8])
  expect(start("/b/1")).toEqual([5, 11, 5, 14])
})

test("places in a text of 100,000 values are found once, not once for each question", () => {
  const text = `[${Array.from({ length: 99_999 }, (_, index) => index).join(",\n")}]`
  const read = readJson(text, defaultBounds)
  if (!read.ok) throw new Error(read.fault.kind)
  for (let index = 0; index < 99_999; index++) {
    const range = read.rangeOf(child(root, index))
    if (range?.start.line !== index + 1) expect(range).toMatchObject({ start: { line: index + 1 } })
  }
})
