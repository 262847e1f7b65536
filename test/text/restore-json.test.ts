/** What `canonical` writes is read back as it was, whatever its keys: JSON.parse of Node 24 mistakes some. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { canonical } from "../../src/text/canonical.ts"
import type { Json } from "../../src/text/json.ts"
import { restoreJson } from "../../src/text/restore-json.ts"

const key = fc.oneof(fc.string({ unit: fc.constantFrom("a", "b", '"', "\\", "\n", "\u0000", "é") }), fc.string())
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 2 ** 60, 1e300, -0.5, 2 ** 53),
    fc.string({ unit: "grapheme" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

test("every value comes back", () => {
  // The mistake needs an earlier text to have been parsed.
  JSON.parse('{"h":1,"\\\\":0}')
  fc.assert(
    fc.property(json, (value) => {
      fc.pre(JSON.stringify(value).isWellFormed())
      expect(restoreJson(canonical(value as Json))).toEqual(value)
    }),
    { numRuns: 1_000 },
  )
})

test("what is no JSON was not written by us", () => {
  expect(() => restoreJson('{"a\\n":')).toThrow()
  expect(() => restoreJson("{")).toThrow()
})
