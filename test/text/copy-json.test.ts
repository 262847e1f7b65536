/** Values that did not come as text: plain JSON is copied whole, and anything else is named, at its place, without being run. */
import { isDeepStrictEqual } from "node:util"
import { runInNewContext } from "node:vm"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { defaultBounds } from "../../src/text/bounds.ts"
import { byteLength } from "../../src/text/byte-length.ts"
import { canonical } from "../../src/text/canonical.ts"
import { type CopyBounds, type CopyOptions, copyJson } from "../../src/text/copy-json.ts"
import type { Json } from "../../src/text/json.ts"
import { readJson } from "../../src/text/read-json.ts"

const bounds: CopyBounds = { depth: 64, nodes: 1_000 }
const copied = (value: unknown, options?: CopyOptions, within = bounds): Json => {
  const copy = copyJson(value, within, options)
  if (!copy.ok) throw new Error(`${copy.at}: ${copy.problem}`)
  return copy.value
}
/** Where the problem is, and what it is. */
const problem = (value: unknown, options?: CopyOptions, within = bounds): string => {
  const copy = copyJson(value, within, options)
  if (copy.ok) throw new Error("taken")
  return `${copy.at} ${copy.problem}`
}
const never = (): never => {
  throw new Error("ran")
}

describe("plain JSON", () => {
  const json = fc
    .jsonValue({ stringUnit: "grapheme", noUnicodeString: false })
    .filter((value) => readJson(canonical(value as Json), defaultBounds).ok)

  test("is copied whole, and shares nothing", () => {
    fc.assert(
      fc.property(json, (value) => {
        const copy = copied(value)
        const read = readJson(canonical(value as Json), defaultBounds)
        expect(read.ok && isDeepStrictEqual(copy, read.value)).toBe(true)
        if (typeof value === "object" && value !== null) expect(copy).not.toBe(value)
      }),
    )
  })

  test("is bounded by the bytes of its canonical form, to the byte", () => {
    fc.assert(
      fc.property(json, (value) => {
        const bytes = byteLength(canonical(value as Json))
        expect(bytes).toBe(Buffer.byteLength(canonical(value as Json)))
        expect(copyJson(value, { ...bounds, bytes }).ok).toBe(true)
        expect(problem(value, {}, { ...bounds, bytes: bytes - 1 })).toContain(`more than ${bytes - 1} bytes as JSON`)
      }),
    )
  })

  test("may come without a prototype, frozen, from another realm, or twice in one place", () => {
    const bare = Object.assign(Object.create(null), { a: 1 })
    const twice = Object.freeze({ b: [bare] })
    expect(Object.getPrototypeOf(copied(bare))).toBe(Object.prototype)
    expect(copied([twice, twice])).toEqual([{ b: [{ a: 1 }] }, { b: [{ a: 1 }] }])
    expect(copied(runInNewContext('({ a: [1, { b: "x" }] })'))).toEqual({ a: [1, { b: "x" }] })
    expect(copied(JSON.parse('{"toString":1,"valueOf":{"x":2}}'))).toEqual({ toString: 1, valueOf: { x: 2 } })
  })

  test("numbers: -0 is 0; integers that lose digits only where all finite numbers are asked for", () => {
    expect(Object.is(copied(-0), 0)).toBe(true)
    expect(copied([1e300, 5e-324, 2 ** 53 - 1])).toEqual([1e300, 5e-324, 2 ** 53 - 1])
    expect(problem([2 ** 53])).toBe("/0 an integer beyond 2^53-1")
    expect(copied([2 ** 53, -1e20], { numbers: "finite" })).toEqual([2 ** 53, -1e20])
  })

  test("what is safe here is what a text may hold", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(copyJson(number, bounds).ok).toBe(readJson(canonical(number), defaultBounds).ok)
      }),
    )
  })
})

class Money {
  readonly cents = 1
}

describe("anything else is named", () => {
  const cyclic: { a: { b?: unknown } } = { a: {} }
  cyclic.a.b = cyclic
  const hidden = Object.defineProperty({}, "a", { value: 1, enumerable: false })
  const throws = new Proxy({}, { ownKeys: never })
  const lazy = new Proxy({ a: 1 }, { getOwnPropertyDescriptor: never })
  const shifty = new Proxy({ a: 1 }, { getOwnPropertyDescriptor: () => undefined })
  const revoked = Proxy.revocable([], {})
  revoked.revoke()

  test.each<[string, unknown, string]>([
    ["undefined", undefined, " `undefined` (leave the key out, or say null)"],
    ["an undefined property", { a: undefined }, "/a `undefined` (leave the key out, or say null)"],
    ["a function", [{ "a/b": never }], "/0/a~1b a function"],
    ["a symbol", [Symbol("s")], "/0 a symbol"],
    ["a BigInt", { a: 1n }, "/a a BigInt"],
    ["NaN", [Number.NaN], "/0 NaN"],
    ["infinity", [Number.NEGATIVE_INFINITY], "/0 -Infinity"],
    ["a date", { a: new Date(0) }, "/a an instance of `Date`"],
    ["a map", new Map(), " an instance of `Map`"],
    ["bytes", { a: Buffer.from("x") }, "/a an instance of `Buffer`"],
    ["a promise nobody awaited", Promise.resolve(), " an instance of `Promise`"],
    ["a boxed string", Object("x"), " an instance of `String`"],
    ["a class", new Money(), " an instance of `Money`"],
    ["an object made of another", Object.create({ a: 1 }), " an object with a prototype of its own"],
    ["an error", new Error("x"), " an instance of `Error`"],
    [
      "a getter",
      {
        get a() {
          return never()
        },
      },
      "/a a getter or a setter",
    ],
    ["a hidden property", hidden, "/a a hidden property"],
    ["a symbol key", { [Symbol.iterator]: 1 }, " a key that is a symbol"],
    ["toJSON", { toJSON: never }, "/toJSON a function"],
    ["an array with holes", [Object.assign(new Array(3), { 0: 1, 2: 3 })], "/0 an array with holes"],
    ["a long empty array", new Array(4_000_000_000), " more than 1000 values"],
    ["an array with more than items", Object.assign([1], { a: 2 }), " an array with holes, or with keys of its own"],
    ["a match", /a/.exec("a"), " an array with holes, or with keys of its own"],
    ["a cycle", cyclic, `${"/a/b".repeat(32)} a value that contains itself or is nested more than 64 deep`],
    ["__proto__", JSON.parse('{"a":{"__proto__":{"b":1}}}'), "/a/__proto__ the key `__proto__`"],
    ["constructor", { constructor: 1 }, "/constructor the key `constructor`"],
    ["prototype", { prototype: 1 }, "/prototype the key `prototype`"],
    ["U+0000 in a key", { "a\0": 1 }, "/a\0 a key with U+0000 in it"],
    ["half a pair", ["\ud83d"], "/0 a string with half a surrogate pair"],
    ["half a pair in a key", { "\ude00": 1 }, "/\ude00 a string with half a surrogate pair"],
    ["a proxy that throws", { a: throws }, "/a an object that throws when it is read"],
    ["a proxy that throws late", lazy, "/a an object that throws when it is read"],
    ["a proxy that changes", [shifty], "/0/a an object that changes while it is read"],
    ["a proxy that is gone", [revoked.proxy], "/0 an object that throws when it is read"],
  ])("%s", (_, value, says) => expect(problem(value)).toBe(says))

  test("U+0000 in a value is kept", () => expect(copied(["a\0b"])).toEqual(["a\0b"]))

  test("a proxy is read once: what it answers then is what is kept", () => {
    let asked = 0
    const value = new Proxy(
      { a: 1 },
      {
        getOwnPropertyDescriptor: () => ({ value: ++asked, enumerable: true, configurable: true, writable: true }),
        get: never,
      },
    )
    expect(copied(value)).toEqual({ a: 1 })
  })
})

describe("bounds", () => {
  test("are inclusive, and the same as a text's", () => {
    expect(copied([[1]], {}, { depth: 2, nodes: 3 })).toEqual([[1]])
    expect(problem([[[]]], {}, { depth: 2, nodes: 9 })).toBe(
      "/0/0 a value that contains itself or is nested more than 2 deep",
    )
    expect(problem([[1]], {}, { depth: 2, nodes: 2 })).toBe("/0 more than 2 values")
    expect(copied({ aé: "aé" }, {}, { depth: 1, nodes: 2, stringBytes: 3 })).toEqual({ aé: "aé" })
    expect(problem({ aé: "éé" }, {}, { depth: 1, nodes: 2, stringBytes: 3 })).toBe("/aé a string of more than 3 bytes")
    expect(problem({ éé: "" }, {}, { depth: 1, nodes: 2, stringBytes: 3 })).toBe("/éé a string of more than 3 bytes")
  })

  test("hold against values that have no end", () => {
    const endless: unknown = new Proxy(
      {},
      {
        ownKeys: () => ["a", "b"],
        getOwnPropertyDescriptor: () => ({ value: endless, enumerable: true, configurable: true, writable: true }),
      },
    )
    expect(problem(endless)).toContain("a value that contains itself")
    let bush: unknown = 1
    for (let depth = 0; depth < 60; depth++) bush = [bush, bush]
    expect(problem(bush)).toContain("more than 1000 values")
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(problem(deep)).toContain("nested more than 64 deep")
    expect(copyJson(deep, { depth: 100_000, nodes: 100_001 }).ok).toBe(true)
    const wide = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`k${index}`, 0]))
    expect(problem({ wide })).toBe("/wide more than 1000 values")
    expect(problem(["a".repeat(100_000_000)], {}, { ...bounds, bytes: 1_000 })).toBe("/0 more than 1000 bytes as JSON")
  })
})
