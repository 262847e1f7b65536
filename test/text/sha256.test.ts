/** Both makers of SHA-256 give the same, and what FIPS 180-4 gives. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { sha256 as imported } from "#sha256"
import { sha256 as portable } from "../../src/text/sha256.ts"
import { sha256 as native } from "../../src/text/sha256-node.ts"

test("known digests", () => {
  for (const sha256 of [native, portable]) {
    expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
})

test("equal for any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", size: "medium" }), (text) => {
      expect(portable(text)).toBe(native(text))
    }),
    { numRuns: 500 },
  )
  expect(portable("é€😀".repeat(1_000))).toBe(native("é€😀".repeat(1_000)))
})

test("#sha256 is Node's own here", () => expect(imported).toBe(native))
