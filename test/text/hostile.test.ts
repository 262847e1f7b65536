/** Texts made to harm: naughty strings, keys that reach for prototypes, and texts far too long, deep or wide. */
import { describe, expect, test } from "vitest"
import { defaultBounds } from "../../src/text/bounds.ts"
import { canonical } from "../../src/text/canonical.ts"
import { readJson } from "../../src/text/read-json.ts"
import { hasData, readData } from "../data.ts"

describe.skipIf(!hasData)("naughty strings", () => {
  test("survive byte for byte, as values and as keys", () => {
    const file = readData("blns/blns.json")
    const strings: string[] = JSON.parse(file)
    expect(readJson(file, defaultBounds)).toMatchObject({ ok: true, value: strings })
    for (const string of strings) {
      const ascii = JSON.stringify(string).replace(/[^ -~]/g, escaped)
      for (const spelt of [JSON.stringify(string), ascii]) {
        const read = readJson(`{${spelt}:${spelt}}`, defaultBounds)
        if (!read.ok) throw new Error(`${spelt}: ${read.fault.kind}`)
        const [[key, value] = []] = Object.entries(read.value as Record<string, string>)
        expect(Buffer.from(`${value}`)).toEqual(Buffer.from(string))
        expect(key).toBe(string)
        expect(canonical(read.value)).toBe(JSON.stringify({ [string]: string }))
      }
    }
    console.log(`naughty strings: ${strings.length}, raw and escaped, as values and as keys`)
    expect(strings.length).toBeGreaterThan(500)
  })
})

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

describe.skipIf(!hasData)("keys that reach for prototypes", () => {
  interface Payload {
    readonly name: string
    readonly raw: string
  }

  test("are refused at their place, and Object.prototype is untouched", () => {
    const payloads: Payload[] = readData("proto-pollution/payloads.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const before = Reflect.ownKeys(Object.prototype)
    let refused = 0
    for (const { name, raw } of payloads) {
      // Two rows say in front of the JSON where it would come from.
      const text = raw.replace(/^[A-Z][A-Za-z ]+: /, "")
      const read = readJson(text, defaultBounds)
      // The other rows are about names of tools, steps and paths: values, which other rooms judge.
      const asKey = hasHostileKey(text)
      if (read.ok) expect(asKey, name).toBe(false)
      else {
        expect(asKey, name).toBe(true)
        expect(read.fault).toMatchObject({ kind: "hostile-key" })
        expect(JSON.parse(text.slice(read.fault.range.start.offset, read.fault.range.end.offset))).toMatch(
          /^(__proto__|constructor|prototype)$/,
        )
        refused++
      }
      expect(Reflect.ownKeys(Object.prototype)).toEqual(before)
      expect(({} as { approved?: unknown }).approved).toBeUndefined()
    }
    console.log(`hostile keys: ${payloads.length} payloads, ${refused} with a hostile key, all refused`)
    expect(refused).toBeGreaterThanOrEqual(15)
  })

  const hasHostileKey = (text: string): boolean => {
    let found = false
    JSON.parse(text, (key, value) => {
      found ||= /^(__proto__|constructor|prototype)$/.test(key)
      return value
    })
    return found
  }
})

describe("texts beyond the bounds are refused in bounded time", () => {
  /** The fault, and that it took less than two seconds, of which a loaded machine takes most. */
  const refuse = (source: string | Uint8Array, bounds = defaultBounds) => {
    const start = process.cpuUsage()
    const read = readJson(source, bounds)
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1_000).toBeLessThan(2_000)
    if (read.ok) throw new Error("taken")
    return read.fault
  }
  const large = 100_000_000

  test("100,000 nested arrays, and objects", () => {
    expect(refuse("[".repeat(100_000))).toMatchObject({ kind: "too-deep", max: 64, range: { start: { offset: 64 } } })
    expect(refuse('{"a":'.repeat(100_000))).toMatchObject({ kind: "too-deep", range: { start: { offset: 320 } } })
    expect(refuse("[".repeat(100_000) + "]".repeat(100_000))).toMatchObject({ kind: "too-deep" })
  })

  test("a host that allows 100,000 levels gets them, without a stack", () => {
    const deep = { ...defaultBounds, depth: 100_000, nodes: 1_000_000 }
    const text = "[".repeat(100_000) + "]".repeat(100_000)
    const read = readJson(text, deep)
    expect(read.ok && canonical(read.value)).toBe(text)
    expect(refuse('{"a":'.repeat(100_000), deep)).toMatchObject({ kind: "cut-short" })
  })

  test("100 MB of text, as a string and as bytes, is not even decoded", () => {
    expect(refuse(`"${"a".repeat(large)}"`)).toMatchObject({ kind: "too-large", bytes: large + 2, max: 1_048_576 })
    expect(refuse("€".repeat(large / 3))).toMatchObject({ kind: "too-large" })
    const bytes = new Uint8Array(large)
    const start = process.memoryUsage.rss()
    expect(refuse(bytes)).toMatchObject({ kind: "too-large", bytes: large })
    expect(process.memoryUsage.rss() - start).toBeLessThan(large / 2)
  })

  test("1,000,000 keys, and items, where the text may be that long", () => {
    const bounds = { ...defaultBounds, textBytes: large }
    const keys = Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":0`).join()
    expect(refuse(`{${keys}}`, bounds)).toMatchObject({ kind: "too-many-nodes", at: "/k99999" })
    expect(refuse(`[${"0,".repeat(1_000_000)}0]`, bounds)).toMatchObject({ kind: "too-many-nodes", at: "/99999" })
  })

  test("long runs that a careless pattern would go over again and again", () => {
    for (const run of ["9", " ", "\\", '\\"', "\n", "`", "-", "\ud800", "0.", "e", '"', "[],", '"a":']) {
      const text = run.repeat(200_000 / run.length)
      for (const made of [text, `"${text}`, `[${text}`, `[0.${text}`, `\`\`\`${text}`]) {
        refuse(made)
        readJson(made, defaultBounds, { unwrap: "fence" })
      }
    }
  })
})
