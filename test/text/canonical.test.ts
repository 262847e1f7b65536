/** Canonical JSON against RFC 8785's own vectors, and against a naive writer. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { defaultBounds } from "../../src/text/bounds.ts"
import { canonical } from "../../src/text/canonical.ts"
import type { Json } from "../../src/text/json.ts"
import { readJson } from "../../src/text/read-json.ts"
import { dataFolder, hasData, readData } from "../data.ts"

describe.skipIf(!hasData)("RFC 8785", () => {
  test("vectors", () => {
    const files = readdirSync(join(dataFolder, "jcs/testdata/input"))
    for (const file of files) {
      const read = readJson(readData(`jcs/testdata/input/${file}`), defaultBounds)
      if (!read.ok) throw new Error(`${file}: ${read.fault.kind}`)
      const written = canonical(read.value)
      expect(written).toBe(readData(`jcs/testdata/output/${file}`))
      const hex = readData(`jcs/testdata/outhex/${file.replace(".json", ".txt")}`)
        .split(/\s+/)
        .join("")
      expect(Buffer.from(written).toString("hex")).toBe(hex)
    }
    console.log(`RFC 8785: ${files.length} vectors`)
    expect(files.length).toBe(6)
  })

  test("10,000 numbers", () => {
    const lines = readData("jcs/numbers/es6-first-10000.txt").trim().split("\n")
    const bits = new DataView(new ArrayBuffer(8))
    for (const line of lines) {
      const [hex, expected] = line.split(",")
      bits.setBigUint64(0, BigInt(`0x${hex}`))
      expect(canonical(bits.getFloat64(0))).toBe(expected)
    }
    console.log(`RFC 8785: ${lines.length} numbers`)
    expect(lines).toHaveLength(10_000)
  })
})

/** Slow and plain: sorts by units, writes with JSON.stringify. */
function naive(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(naive).join()}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${naive(member)}`).join()}}`
}

const json = fc.jsonValue({ stringUnit: "grapheme", maxDepth: 5 }) as fc.Arbitrary<Json>

test("any value is written as a naive writer would, and reads back", () => {
  fc.assert(
    fc.property(json, (value) => {
      const written = canonical(value)
      expect(written).toBe(naive(value))
      const read = readJson(written, defaultBounds)
      if (read.ok) expect(canonical(read.value)).toBe(written)
      else expect(read.fault.kind).toMatch(/hostile-key|nul-in-key|integer-too-large/)
    }),
    { numRuns: 2_000 },
  )
})

test("the order of keys does not matter", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: "grapheme" }), { maxLength: 40 }),
      fc.infiniteStream(fc.nat()),
      (keys, order) => {
        const shuffled = keys.map((key) => [order.next().value as number, key] as const).sort(([a], [b]) => a - b)
        const member = (key: string) => [key, key.length] as const
        const one: Json = Object.fromEntries(keys.map(member))
        const other: Json = Object.fromEntries(shuffled.map(([, key]) => member(key)))
        expect(canonical(other)).toBe(canonical(one))
        expect(canonical(one)).toBe(naive(one))
      },
    ),
  )
})

test("depth costs no stack", () => {
  let value: Json = 1
  for (let depth = 0; depth < 200_000; depth++) value = depth % 2 === 0 ? [value] : { a: value }
  expect(canonical(value)).toHaveLength(200_000 * 4 + 1)
})

test.each([
  ["NaN", Number.NaN],
  ["infinity", [Number.NEGATIVE_INFINITY]],
  ["a lone surrogate", { a: "x\ud800" }],
  ["a key with a lone surrogate", { "\udc00": 1 }],
  ["undefined", { a: undefined } as unknown as Json],
])("%s is our own mistake, and thrown at once", (_, value) => {
  expect(() => canonical(value)).toThrow("canonical JSON has no word for")
})
