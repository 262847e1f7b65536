/** Secrets are taken out of texts however they are written there; what is no secret stays. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { redacted, Secrets } from "../../src/text/secrets.ts"
import { everyWay, holds } from "../leak/canary.ts"

const knowing = (...values: readonly (string | number | boolean)[]): Secrets => {
  const secrets = new Secrets()
  for (const value of values) secrets.add(value)
  return secrets
}

/** Three letters in a row, so that whoever looks has something to look for. */
const secret = fc
  .tuple(fc.stringMatching(/^[a-z0-9]{3}$/), fc.string({ minLength: 6, maxLength: 30, unit: "grapheme-ascii" }))
  .map(([letters, rest]) => `${letters}${rest}`)

test("whatever is written round it, and in whatever way it is", () => {
  fc.assert(
    fc.property(secret, fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (given, before, after) => {
      const secrets = knowing(given)
      const shown = everyWay(given).map((way) => secrets.scrub(`${before} ${way} ${after}`))
      expect(shown.filter((text) => holds(text, given))).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test("a text without one comes back as it was", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(knowing("a secret that is not there").scrub(text)).toBe(text)
    }),
  )
})

test.each([
  ["said hunter2-h…", "said [redacted]…"],
  ["at the end hunter2-hun", "at the end [redacted]"],
  ["hunt is a word", "hunt is a word"],
  ["HUNTER2-HUNTER2 and hunter2-hunter2", "[redacted] and [redacted]"],
])("what was cut off, or is written otherwise: %s", (text, shown) => {
  expect(knowing("hunter2-hunter2").scrub(text)).toBe(shown)
})

test("one that is short is not looked for, and a short number not inside a longer one", () => {
  expect(knowing("abc", true, 7).scrubJson({ a: "abc", b: true, c: 7 })).toEqual({ a: "abc", b: true, c: 7 })
  expect(knowing(1234).scrub("1234, 91234, a1234b; pin=1234")).toBe("[redacted], 91234, a1234b; pin=[redacted]")
  expect(knowing(1234).scrubJson([1234, "1234", 12345])).toEqual([redacted, redacted, 12345])
})

test("a digest or an id is not spoilt by chance, but one that is a secret is hidden", () => {
  const id = `run_${"beef".repeat(8)}`
  expect(knowing("beef").scrub(id)).toBe(id)
  expect(knowing(id.slice(4)).scrub(id)).toBe("run_[redacted]")
})

test("each line of a secret of several", () => {
  const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nBAQEFAASCBKcwggSjAgEAAo\n-----END KEY-----"
  expect(knowing(key).scrub("bad line: BAQEFAASCBKcwggSjAgEAAo")).toBe("bad line: [redacted]")
})

test("two keys that are hidden are still two", () => {
  expect(knowing("secret-a", "secret-b").scrubJson({ "secret-a": 1, "secret-b": 2 })).toEqual({
    "[redacted]": 1,
    "[redacted] 2": 2,
  })
})

test("characters are covered one by one, and lines stay lines", () => {
  expect(knowing("one\ntwo three").cover("x one\ntwo three y", "*")).toBe("x ***\n********* y")
})
