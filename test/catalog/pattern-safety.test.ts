/** No text may make a pattern slow (A031): the `redos` set, and the time that what is let through takes at worst. */
import { Type } from "@sinclair/typebox"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { accepts } from "../../src/catalog/schema/accept.ts"
import { cheapSteps } from "../../src/catalog/schema/cheap-pattern.ts"
import { formats } from "../../src/catalog/schema/front-end/formats.ts"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { knownPatterns } from "../../src/catalog/schema/known-patterns.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import { check, costOf } from "../../src/catalog/schema/pattern-cost.ts"
import type { Lowered, Schema } from "../../src/catalog/schema/schema.ts"
import { hasData } from "../data.ts"
import { faultsOf, frontEnds, isControl, readRedos, unsafe } from "./redos.ts"

const rows = hasData ? readRedos() : []

/** The most that one judgement may hold up everything else, in milliseconds. */
const heldMaxMs = 50

/** CPU time, so that a busy machine does not count; the least of a few, so that a garbage collection does not. */
function cpuMs(run: () => void): number {
  const times = [0, 1, 2].map(() => {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}

function schemaOf(lowered: Lowered): Schema {
  if (!lowered.ok) throw new Error(JSON.stringify(lowered.faults))
  return lowered.schema
}

describe.skipIf(!hasData).each(frontEnds)("A031: the redos set, as %s", (_, schema) => {
  it.each(rows.filter((row) => !isControl(row)).map((row) => [row.kind, row] as const))("refuses %s", (_, row) => {
    const faults = faultsOf(lowerSchema(schema(row.pattern, row.flags), "params"))
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(unsafe)
  })

  it.each(rows.filter(isControl).map((row) => [row.pattern, row] as const))(
    "accepts %s, and is never slow",
    (_, row) => {
      const judged = schemaOf(lowerSchema(schema(row.pattern, row.flags), "params"))
      for (const text of attacks(65_536)) {
        expect(cpuMs(() => judgeWhole(judged, { text }))).toBeLessThan(heldMaxMs)
      }
    },
  )
})

/** Long texts of one thing again and again, whole and with an end that does not fit. */
function attacks(length: number): readonly string[] {
  const units = [
    "a",
    "1",
    "a.",
    "a@",
    "@",
    ".",
    "-",
    "a-",
    ":",
    "1:",
    "/",
    "%20",
    "{a}",
    "A=",
    "0",
    "é",
    "1970-01-01T00:00:00.0",
  ]
  return units.flatMap((unit) => {
    const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
    return [text, `${text.slice(1)}\n`, `a@${text.slice(3)}@`]
  })
}

const quadratic = "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$"

describe("a quadratic pattern", () => {
  const text = (more: object): unknown => ({
    type: "object",
    properties: { a: { type: "string", pattern: quadratic, ...more } },
  })

  it("is let through where `maxLength` keeps it fast", () => {
    const lowered = lowerSchema(text({ maxLength: 254 }), "params")
    expect(lowered.ok && lowered.notices).toEqual([])
    expect(judgeWhole(schemaOf(lowered), { a: `a@${"b.".repeat(100)}c` })).toEqual([])
  })

  it("bounds its texts where nothing else does, and says so", () => {
    const lowered = lowerSchema(text({}), "params")
    expect(lowered.ok && lowered.notices).toEqual([
      { kind: "shortened", at: "/a", what: "the pattern `^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$`", maxLength: 2_000 },
    ])
    const mailbox = (length: number): string => `a@${"b".repeat(length - 4)}.c`
    expect(judgeWhole(schemaOf(lowered), { a: mailbox(2_000) })).toEqual([])
    expect(judgeWhole(schemaOf(lowered), { a: mailbox(2_001) })).not.toEqual([])
  })

  it.each([
    ["a `maxLength` that does not", text({ maxLength: 60_000 })],
    ["an array of any length", { type: "array", items: { type: "string", pattern: quadratic, maxLength: 100 } }],
    ["a key", { type: "object", patternProperties: { [quadratic]: {} }, additionalProperties: false }],
    ["a record", { type: "object", additionalProperties: { type: "string", pattern: quadratic } }],
    ["`not`, which the shape does not see", { not: { type: "string", pattern: quadratic } }],
    [
      "a branch beside one that lets any text in, where the validator asks both",
      { type: "object", properties: { a: { anyOf: [{ pattern: quadratic }, { minLength: 1 }] } }, minProperties: 1 },
    ],
    [
      "a branch that another one swallows, where the validator asks it",
      { type: "object", properties: { a: { anyOf: [{ pattern: quadratic }, {}] } }, minProperties: 1 },
    ],
    [
      "a schema that holds itself",
      { type: "object", properties: { a: { pattern: quadratic, type: "string" }, b: { $ref: "#" } } },
    ],
    ["a zod record", z.record(z.string(), z.string().regex(new RegExp(quadratic)))],
    ["a zod intersection that cannot be merged", z.intersection(z.string().regex(new RegExp(quadratic)), z.string())],
    ["TypeBox's `Not`", Type.Not(Type.String({ pattern: quadratic }))],
  ])("is refused in %s", (_, schema) => {
    expect(faultsOf(lowerSchema(schema, "result"))).toContainEqual(
      expect.stringMatching(/^unsafe-pattern .* may take quadratic time$/),
    )
  })

  it("is let through in an array that is short enough", () => {
    const items = { type: "string", pattern: quadratic, maxLength: 100 }
    expect(faultsOf(lowerSchema({ type: "array", items, maxItems: 50 }, "params"))).toEqual([])
  })
})

it("a constant of a schema does not make its own pattern slow", () => {
  const schema = { type: "object", properties: { a: { enum: [`a@${"b.".repeat(30_000)}@`], pattern: quadratic } } }
  let faults: readonly string[] = []
  expect(cpuMs(() => (faults = faultsOf(lowerSchema(schema, "params"))))).toBeLessThan(200)
  expect(faults).toEqual(["unsafe-pattern /a may take quadratic time"])
})

it("a pattern of a higher degree is let through where `maxLength` keeps it fast, and is fast", () => {
  const of = (maxLength: number): Lowered =>
    lowerSchema({ type: "string", pattern: "^a*a*a*a*a*$", maxLength }, "params")
  expect(faultsOf(of(30))).toEqual(["unsafe-pattern  may take time that grows with the power of 5"])
  const judged = schemaOf(of(10))
  expect(cpuMs(() => judgeWhole(judged, `${"a".repeat(9)}!`))).toBeLessThan(heldMaxMs)
})

describe("formats and patterns that are let through without a bound are fast on any text", () => {
  const named = [...formats].flatMap(([name, { pattern }]) => (pattern === undefined ? [] : [name]))
  it.each(named)("the format %s", (format) => {
    const { shape } = schemaOf(lowerSchema({ type: "string", format }, "result"))
    for (const text of attacks(1_048_576)) expect(cpuMs(() => accepts(shape, text))).toBeLessThan(heldMaxMs)
  })

  it.each([
    ["z.uuid()", z.uuid()],
    ["z.email()", z.email()],
    ["z.iso.datetime()", z.iso.datetime({ offset: true, local: true })],
    ["z.iso.date()", z.iso.date()],
    ["z.ipv4()", z.ipv4()],
    ["z.ulid()", z.ulid()],
    ["z.emoji()", z.emoji()],
    ["a template", z.templateLiteral(["id-", z.number()])],
    ["a slug", z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)],
  ])("%s", (_, schema) => {
    const judged = schemaOf(lowerSchema(schema, "result"))
    for (const text of attacks(65_536)) expect(cpuMs(() => judgeWhole(judged, text))).toBeLessThan(heldMaxMs)
  })
})

describe("the patterns that are known", () => {
  const ofZod = Object.values(z.core.regexes).filter((one) => one instanceof RegExp)
  it.each([...knownPatterns])("%s is zod's own, and linear", (source) => {
    expect(ofZod.some((one) => one.source === source && one.flags === "")).toBe(true)
    // A busy machine may need longer than a catalog would wait.
    expect(check({ source, flags: "" }, 60_000).degree).toBe(1)
  })
})

describe("the quick proof", () => {
  it.each([
    "^[a-z][a-z0-9_]{0,63}$",
    "^\\d{4}-\\d{2}-\\d{2}$",
    "[ab]$",
    "^(?:usd|eur|gbp)$",
    "^.*$",
    "^a{1,3}b?[^x]*$",
    "^\\p{L}+$",
    "^(?<year>\\d{4})$",
  ])("holds for %s", (source) => {
    expect(cheapSteps({ source, flags: "u" })).toBeDefined()
  })

  it.each([
    "^(a+)+$",
    "^(a|a)*$",
    "^a*a*$",
    "a*$",
    "^(a?){30}$",
    "^(a{0,30}){30}$",
    "^(?=a)a$",
    "^(a)\\1$",
    "^a*|b*$",
    "^(?:(?:a|b|ab)(?:a|b|ab)){9}c*$",
    "^[ -z]{0,500}[!-~]{0,500}[a-z]{0,500}$",
  ])("does not hold for %s", (source) => {
    expect(cheapSteps({ source, flags: "u" })).toBeUndefined()
  })

  it.each([
    ["^[a-z][a-z0-9_]{0,63}$", 129, 0],
    ["^\\S+$", 3, 2],
    ["^\\d+(?:Z|[+-]\\d\\d)$", 9, 4],
    ["^[\\dZ]+(?:Z|[+-]\\d\\d)$", 9, 6],
    ["abc|d", 5, 5],
    ["a{1000}b", 1002, 1002],
  ])("counts the steps of %s", (source, perText, perCharacter) => {
    const steps = cheapSteps({ source, flags: "u" })
    expect(steps?.perText).toBeLessThanOrEqual(perText)
    expect(steps?.perText).toBeGreaterThanOrEqual(0.5 * perText)
    expect(steps?.perCharacter).toBe(perCharacter)
  })

  it("says of no pattern of the redos set that it is fast", () => {
    expect(rows.filter((row) => !isControl(row) && cheapSteps({ source: row.pattern, flags: row.flags }))).toEqual([])
  })

  it("does not say of a pattern that is quick to prove that it is slow", () => {
    expect(costOf({ source: "^a{1,3}$", flags: "" })).toMatchObject({ degree: 1, why: "takes linear time" })
  })
})

describe("a linear pattern that takes many steps for each character", () => {
  const alternatives = [..."bcdefghijklmnopqrstuvw"].map((end, index) => `[ax]{37}${end}${index}`).join("|")

  it.each([
    ["a{1000}b", 3_900],
    ["a{700}b|c", 5_600],
    [alternatives, 4_600],
  ])("%s bounds its texts, and says so", (pattern, about) => {
    const lowered = lowerSchema({ type: "object", properties: { a: { type: "string", pattern } } }, "params")
    if (!lowered.ok) throw new Error(JSON.stringify(lowered.faults))
    const [notice] = lowered.notices
    expect(notice).toMatchObject({ kind: "shortened", at: "/a" })
    const { maxLength } = notice as { readonly maxLength: number }
    expect(maxLength).toBeGreaterThan(0.7 * about)
    expect(maxLength).toBeLessThan(1.1 * about)
    expect(judgeWhole(lowered.schema, { a: "a".repeat(65_000) })).not.toEqual([])
    expect(cpuMs(() => judgeWhole(lowered.schema, { a: "a".repeat(maxLength) }))).toBeLessThan(heldMaxMs)
  })

  it.each([
    ["where `maxLength` lets more through", { pattern: "a{1000}b", maxLength: 60_000 }],
    ["where only the validator asks it", { not: { pattern: "a{1000}b" } }],
    ["where no text of any use is short enough", { pattern: `(?:${"a{900}|".repeat(40)}b)c` }],
  ])("is refused %s", (_, schema) => {
    expect(faultsOf(lowerSchema({ type: "string", ...schema }, "params"))).toContainEqual(
      expect.stringMatching(/^unsafe-pattern .* (?:steps for each character|not proved to be fast: .*)$/),
    )
  })
})

describe("the steps of one judgement are counted over all its texts", () => {
  const pattern = "a{40}b|c"
  const text = (length: number): string => `${"a".repeat(length - 1)}c`
  const list = (count: number, length: number): string[] => Array.from({ length: count }, () => text(length))
  const tooLong = [expect.stringMatching(/^expected texts that take no more than 4000000 steps/)]
  const said = (schema: Schema, value: never): readonly string[] =>
    judgeWhole(schema, value).map(({ message }) => message)

  it.each([
    ["items", { type: "array", items: { type: "string", pattern } }, (all: string[]) => all],
    [
      "keys",
      { type: "object", propertyNames: { pattern }, additionalProperties: true },
      (all: string[]) => Object.fromEntries(all.map((one, index) => [`${index}${one}`, 1])),
    ],
    [
      "alternatives",
      {
        type: "array",
        items: {
          anyOf: [
            { type: "string", pattern },
            { type: "string", pattern: "a{40}d|c" },
          ],
        },
      },
      (all: string[]) => all,
    ],
  ])("%s", (_, schema, make) => {
    const judged = schemaOf(lowerSchema(schema, "params"))
    expect(said(judged, make(list(15, 2_000)) as never)).toEqual([])
    expect(said(judged, make(list(15, 60_000)) as never)).toEqual(tooLong)
    expect(cpuMs(() => said(judged, make(list(15, 60_000)) as never))).toBeLessThan(2 * heldMaxMs)
  })

  it("and over what only the validator asks", () => {
    const record = Type.Record(Type.String({ pattern: "^k" }), Type.Unknown(), { additionalProperties: true })
    expect(lowerSchema(record, "params").ok).toBe(true)
    const judged = schemaOf(
      lowerSchema({ type: "array", items: { type: "string", not: { pattern: "a{30}b" } }, minItems: 1 }, "params"),
    )
    expect(said(judged, list(10, 2_000) as never)).toEqual([])
    expect(said(judged, list(10, 60_000) as never)).toEqual([
      expect.stringMatching(/^holds more text than can be held/),
    ])
  })

  it("and in a schema that holds itself as often as it is asked", () => {
    const self = { $ref: "#/$defs/e" }
    const leaf = { type: "string", pattern: "a{30}b|c" }
    const e = {
      anyOf: [
        { type: "object", properties: { a: self }, required: ["a"] },
        { properties: { a: self, b: {} }, required: ["a"], type: "object" },
        leaf,
      ],
    }
    const judged = schemaOf(lowerSchema({ type: "object", properties: { v: self }, $defs: { e } }, "params"))
    const nest = (depth: number, end: string): unknown => (depth === 0 ? end : { a: nest(depth - 1, end) })
    expect(said(judged, { v: nest(5, text(100)) } as never)).toEqual([])
    expect(said(judged, { v: nest(5, text(60_000)) } as never)).toEqual([
      expect.stringMatching(/^is too much work to judge/),
    ])
  })

  it("what is usual is let through: a thousand dates, addresses and names", () => {
    const item = z.strictObject({
      at: z.iso.datetime({ offset: true }),
      on: z.iso.date(),
      by: z.email(),
      ip: z.ipv4(),
      id: z.uuid(),
      name: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
    })
    const one = {
      at: "2024-02-29T10:00:00.123456Z",
      on: "2024-02-29",
      by: "someone.else@mail.example.com",
      ip: "255.255.255.255",
      id: "00000000-0000-4000-8000-000000000000",
      name: "a-name-of-some-length",
    }
    const lowered = lowerSchema(z.array(item), "params")
    expect(lowered.ok && lowered.notices).toEqual([])
    expect(said(schemaOf(lowered), Array.from({ length: 1_000 }, () => one) as never)).toEqual([])
  })
})
