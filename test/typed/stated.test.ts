/**
 * What becomes of a check where the literal is not plain: `any`, unions, spreads, `as const` objects, frozen ones, readonly
 * arrays and arrays of any length. Each either is asked about as far as it is known, or is left to the compiler; what
 * stands beside it is checked all the same.
 */
import { Type } from "@sinclair/typebox"
import { type Compiled, defineCatalog, definePlan, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"

const catalog = defineCatalog({
  name: "stated",
  version: "1",
  machine: { initial: "A", transitions: { A: { B: {} }, B: { A: {} } } },
  tools: {
    many: tool({
      description: "Many.",
      effect: "read",
      params: z.strictObject({
        ids: z.array(z.string()),
        pairs: z.array(z.strictObject({ a: z.string(), n: z.number() })).optional(),
        named: z.record(z.string(), z.string()).optional(),
        pair: z.tuple([z.string(), z.number()]).optional(),
        tail: z.tuple([z.string()], z.number()).optional(),
        one: z.string().optional(),
      }),
      result: z.strictObject({ ids: z.array(z.string()) }),
    }),
    counts: tool({
      description: "Counts.",
      effect: "read",
      params: Type.Object({ of: Type.Array(Type.Integer()) }, { additionalProperties: false }),
    }),
  },
})

const codesOf = (verdict: Compiled<unknown>): string[] =>
  verdict.diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)
const any = JSON.parse("5")
const texts: string[] = ["x"]
const fixed: readonly string[] = texts
const numbers: number[] = [1]

describe("arrays", () => {
  test("of any length are asked for their items", () => {
    const one = { id: "a", tool: "many" } as const
    for (const verdict of [
      definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: texts } }] }),
      definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: fixed } }] }),
      definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: ["y", ...texts] } }] }),
      definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: [...fixed, "y"] } }] }),
      definePlan(catalog, {
        version: 1,
        steps: [{ ...one, args: { ids: [], pairs: texts.map((a) => ({ a, n: 1 })) } }],
      }),
      definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "counts", args: { of: [0, ...numbers] } }] }),
    ]) {
      expect(codesOf(verdict)).toEqual([])
    }
    // @ts-expect-error numbers are no texts
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: numbers } }] }))).toEqual([
      "SEQ122",
    ])
    const mixed = ["y", ...numbers] as const
    // @ts-expect-error nor are some of them
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: mixed } }] }))).toEqual(["SEQ122"])
    const pairs = texts.map((a) => ({ a, n: a }))
    // @ts-expect-error `n` is a number
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: [], pairs } }] }))).toEqual([
      "SEQ122",
    ])
    const wide = texts.map((a) => ({ a, n: 1, z: 1 }))
    // @ts-expect-error and there is no `z`
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: [], pairs: wide } }] }))).toEqual([
      "SEQ121",
    ])
  })

  test("of references, in a list of any length", () => {
    const from = texts.map(() => ({ $from: "a", path: "/ids/0" }) as const)
    const lost = texts.map(() => ({ $from: "a", path: "/id" }) as const)
    const first = { id: "a", tool: "many", args: { ids: [] } } as const
    expect(
      codesOf(definePlan(catalog, { version: 1, steps: [first, { id: "b", tool: "many", args: { ids: from } }] })),
    ).toEqual([])
    const second = { id: "b", tool: "many", args: { ids: lost } } as const
    // @ts-expect-error SEQ205: `a` has no value at `/id`
    expect(codesOf(definePlan(catalog, { version: 1, steps: [first, second] }))).toEqual(["SEQ205"])
  })
})

describe("tuples", () => {
  const one = { id: "a", tool: "many" } as const

  test("are whole, and end with what they may end with", () => {
    const right = { ids: [], pair: ["x", 1], tail: ["x", 1, 2] } as const
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ ...one, args: right }] }))).toEqual([])
    // @ts-expect-error SEQ123: exactly 2 items, but is an array of 1 item
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: [], pair: ["x"] } }] }))).toEqual([
      "SEQ123",
    ])
    const long = ["x", 1, 2] as const
    // @ts-expect-error SEQ123: exactly 2 items, but is an array of 3 items
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: [], pair: long } }] }))).toEqual([
      "SEQ123",
    ])
    const tail = ["x", 1, "y"] as const
    // @ts-expect-error after the first come numbers
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: [], tail } }] }))).toEqual([
      "SEQ122",
    ])
    // How many there are of a list of any length, the compiler judges.
    expect(
      codesOf(definePlan(catalog, { version: 1, steps: [{ ...one, args: { ids: [], tail: ["x", ...numbers] } }] })),
    ).toEqual([])
  })
})

test("arguments are an object; what is not known may be one", () => {
  // @ts-expect-error null is none
  expect(codesOf(definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args: null }] }))).toEqual([
    "SEQ101",
  ])
  // @ts-expect-error nor is a text
  expect(codesOf(definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args: "x" }] }))).toEqual([
    "SEQ101",
  ])
  const args: unknown = { ids: [] }
  expect(codesOf(definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args }] }))).toEqual([])
})

test("a path that is known only in part is left to the compiler", () => {
  const first = { id: "a", tool: "many", args: { ids: [] } } as const
  const index = Number("0")
  const key = String("ids")
  for (const path of [`/ids/${index}`, `/${key}/0`, `/${key}/0`.slice(0)] as const) {
    const second = { id: "b", tool: "many", args: { ids: [], one: { $from: "a", path } } } as const
    expect(codesOf(definePlan(catalog, { version: 1, steps: [first, second] }))).toEqual([])
  }
  const template = { id: "b", tool: "many", args: { ids: [], one: { $from: "a", path: `/ids/${index}` } } } as const
  expect(codesOf(definePlan(catalog, { version: 1, steps: [first, template] }))).toEqual([])
})

describe("any", () => {
  test("is left to the compiler, and what stands beside it is checked", () => {
    const whole = definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args: any }] })
    const inside = definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args: { ids: any } }] })
    const items = definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args: { ids: [any] } }] })
    const steps = definePlan(catalog, { version: 1, steps: [any] })
    const named = definePlan(catalog, { version: 1, steps: [{ id: "a", tool: any, args: {} }] })
    expect([whole, inside, items, steps, named].map(codesOf)).toEqual([
      ["SEQ101"],
      ["SEQ122"],
      ["SEQ122"],
      ["SEQ101"],
      ["SEQ101"],
    ])
    const beside = { id: "a", tool: "many", args: { ids: any, idd: 1 } } as const
    // @ts-expect-error SEQ121: `many` has no parameter `idd`
    expect(codesOf(definePlan(catalog, { version: 1, steps: [beside] }))).toContain("SEQ121")
    // @ts-expect-error there is no tool `mny`
    expect(codesOf(definePlan(catalog, { version: 1, steps: [any, { id: "b", tool: "mny", args: {} }] }))).toContain(
      "SEQ108",
    )
    const five = { id: any, tool: "many", args: { ids: 5 } } as const
    // @ts-expect-error a number is no list
    expect(codesOf(definePlan(catalog, { version: 1, steps: [five] }))).toContain("SEQ122")
    const spread = definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args: { ids: [], ...any } }] })
    expect(codesOf(spread)).toEqual([])
  })
})

describe("unions", () => {
  const chance = texts.length > 5

  test("of arguments: each must be right", () => {
    const right = chance ? { named: { a: "x" } } : {}
    const wrong = chance ? ({ named: { a: 5 } } as const) : {}
    const args = { ids: [], ...wrong } as const
    expect(
      codesOf(definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args: { ids: [], ...right } }] })),
    ).toEqual([])
    // @ts-expect-error one of them is wrong, though it is not this time
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args }] }))).toEqual([])
  })

  test("of tools: what is wrong for each is told", () => {
    const either = (chance ? "counts" : "many") as "counts" | "many"
    const args = { ids: [], zip: 1 } as const
    // @ts-expect-error neither has a parameter `zip`
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ id: "a", tool: either, args }] }))).toEqual(["SEQ121"])
    const misspelt = (chance ? "count" : "many") as "count" | "many"
    const called = { id: "a", tool: misspelt, args: { ids: [] } } as const
    // @ts-expect-error there is no tool `count`
    expect(codesOf(definePlan(catalog, { version: 1, steps: [called] }))).toEqual([])
  })
})

describe("unions beside objects", () => {
  const chance = texts.length > 5
  const step = { id: "a", tool: "many", args: { ids: [] } } as const

  test("of scalars: each must be right", () => {
    const right = { ids: [], one: chance ? "x" : "y" } as const
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args: right }] }))).toEqual([])
    const wrong = { ids: [], one: chance ? 5 : "y" } as const
    // @ts-expect-error one of them is a number
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args: wrong }] }))).toEqual([])
    const parts = { ids: [{ $concat: ["x", chance ? 0.5 : 1] }] } as const
    // @ts-expect-error one of them is no part
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "many", args: parts }] }))).toEqual([])
  })

  test("of steps: each must be right by itself", () => {
    const other = { id: "b", tool: "many", args: { ids: ["x"] } } as const
    expect(codesOf(definePlan(catalog, { version: 1, steps: [chance ? step : other] }))).toEqual([])
    const wrong = { id: "b", tool: "many", args: { idd: [] } } as const
    // @ts-expect-error one of them has a parameter that there is not
    expect(codesOf(definePlan(catalog, { version: 1, steps: [chance ? wrong : step] }))).toEqual([])
    const named = { id: "1b", tool: "many", args: { ids: [] } } as const
    // @ts-expect-error one of them has an id that is none
    expect(codesOf(definePlan(catalog, { version: 1, steps: [chance ? named : step] }))).toEqual([])
  })

  test("of states: each must be one", () => {
    const right = { id: "go", transition: chance ? "A" : "B" } as const
    expect(codesOf(definePlan(catalog, { version: 1, steps: [right] }))).toEqual([])
    const wrong = { id: "go", transition: chance ? "C" : "B" } as const
    // @ts-expect-error SEQ303: there is no state `C`
    expect(codesOf(definePlan(catalog, { version: 1, steps: [wrong] }))).toEqual([])
  })
})

test("of whole lists of steps: which it is, the compiler judges", () => {
  const chance = texts.length > 5
  const one = { id: "a", tool: "many", args: { ids: [] } } as const
  const more = { id: "b", tool: "many", args: { ids: ["x"] } } as const
  const steps = chance ? ([one] as const) : ([more, one] as const)
  expect(codesOf(definePlan(catalog, { version: 1, steps }))).toEqual([])
  const spread = [more, ...(chance ? ([one] as const) : ([] as const)), { ...one, id: "c" }] as const
  expect(codesOf(definePlan(catalog, { version: 1, steps: spread }))).toEqual([])
})

describe("objects made before", () => {
  const step = { id: "a", tool: "many", args: { ids: 5 } } as const

  test("`as const`, spread, or frozen, are read as literals", () => {
    // @ts-expect-error a number is no list
    expect(codesOf(definePlan(catalog, { version: 1, steps: [step] }))).toEqual(["SEQ122"])
    // @ts-expect-error nor is it, spread
    expect(codesOf(definePlan(catalog, { version: 1, steps: [{ ...step }] }))).toEqual(["SEQ122"])
    const steps = [step] as const
    // @ts-expect-error nor among others
    expect(codesOf(definePlan(catalog, { version: 1, steps: [...steps, { ...step, id: "b" }] }))).toEqual([
      "SEQ122",
      "SEQ122",
    ])
    const frozen = Object.freeze({ id: "a", tool: "mny", args: {} })
    // @ts-expect-error there is no tool `mny`
    expect(codesOf(definePlan(catalog, { version: 1, steps: [frozen] }))).toEqual(["SEQ108"])
  })

  test("a misspelt field of theirs is told too", () => {
    const more = { id: "a", tool: "many", args: { ids: [] }, wy: "x" } as const
    // @ts-expect-error SEQ103: a step has no field `wy`
    expect(codesOf(definePlan(catalog, { version: 1, steps: [more] }))).toEqual(["SEQ103"])
  })

  test("a record whose keys are not known is left to the compiler", () => {
    const record: Record<string, number> = { a: 1 }
    const step = { id: "a", tool: "many", args: { ids: [], named: record } } as const
    expect(codesOf(definePlan(catalog, { version: 1, steps: [step] }))).toEqual(["SEQ122"])
  })
})
