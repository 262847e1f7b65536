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

test.each([
  ["at 12:30:45, 2026-01-02 03:04", "123045"],
  ["beef de ad: 3.14, 15; a-b-c", "beefdead"],
  ["one line\nends here", "lineends"],
])("what stands apart is not read as one word: %s", (text, secret) => {
  expect(knowing(secret).scrub(text)).toBe(text)
})

test("what is told round a secret stays, however that is written", () => {
  const [pairs, lines] = ["68:75:6e:74:65:72:32", Buffer.from(`${"x".repeat(60)}hunter2`).toString("base64")]
  expect(knowing("hunter2").scrub(`key ${pairs} at 12:30:45`)).toBe("key [redacted] at 12:30:45")
  expect(knowing("hunter2").scrub(`key\n\n${lines.slice(0, 76)}\r\n${lines.slice(76)}\n\n(end)`)).toBe(
    "key\n\n[redacted]\n\n(end)",
  )
  expect(knowing("hunter2").scrub("&lt;b&gt; h&#117;nter2 =41")).toBe("&lt;b&gt; [redacted] =41")
})

test("however long a text is, and whatever it looks like, it is read in one go", () => {
  const size = 1 << 20
  const secrets = knowing("tok_3fV9mR2sLq8ZtY6u")
  const shapes = [
    "tok_",
    "\\",
    "\\u{0",
    "&#0",
    "= ",
    "=\n",
    " ",
    "a1 ",
    "abcdefghijklmnop\n",
    "MTIz",
    "30",
    "%41&#66;\\x43=44",
  ]
  for (const shape of shapes) {
    const text = shape.repeat(size / shape.length)
    const from = performance.now()
    expect(secrets.scrub(text).length).toBe(text.length)
    expect([shape, performance.now() - from < 5_000]).toEqual([shape, true])
  }
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
