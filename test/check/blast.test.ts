/** Blast radius: limits met exactly, what was spent before, and sums at the end of the safe integers. */
import { arg, count, defineCatalog, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { call, expectDiagnostics, expectValid, from, refusal } from "./expect.ts"

const most = Number.MAX_SAFE_INTEGER
const effect = { effect: "write", idempotency: "natural", compensate: "none" } as const

const catalogWith = (max: number, limit: { readonly records?: number } = {}) =>
  defineCatalog({
    name: "purse",
    version: "1",
    blastRadius: { cents: { max }, records: { max: limit.records ?? 100 } },
    tools: {
      ask: tool({
        description: "Asks.",
        effect: "read",
        params: z.strictObject({}),
        result: z.strictObject({
          few: z.int().min(3).max(7),
          many: z.int(),
          none: z.int().min(-5).max(5),
          part: z.number().min(0.5).max(7.5),
          list: z.array(z.string()).min(2).max(4),
        }),
      }),
      pay: tool({
        description: "Pays.",
        ...effect,
        params: z.strictObject({ cents: z.int().min(0), to: z.string().optional() }),
        blast: { cents: arg("cents", { max: most }) },
      }),
      send: tool({
        description: "Sends.",
        ...effect,
        params: z.strictObject({ ids: z.array(z.string()).max(10), to: z.string().optional() }),
        blast: { records: count("ids") },
      }),
      touch: tool({
        description: "Touches.",
        ...effect,
        params: z.strictObject({ to: z.string().optional() }),
        blast: { cents: 5, records: 1 },
      }),
    },
  })

const ask = call("ask", "ask")
const pay = (id: string, cents: unknown) => call(id, "pay", { cents, to: id })
const send = (id: string, ids: unknown) => call(id, "send", { ids, to: id })

const totals = (max: number, steps: Parameters<typeof expectValid>[1]) =>
  Object.fromEntries(
    expectValid(catalogWith(max), steps).blast.map(({ dimension, min, max }) => [dimension, [min, max]]),
  )

describe("what is counted", () => {
  test("a literal as itself, a constant as it stands, each limit of the catalog", () => {
    expect(totals(100, [pay("a", 30), pay("b", 0), call("c", "touch"), send("d", ["x", "y"])])).toEqual({
      cents: [35, 35],
      records: [3, 3],
    })
    expect(totals(100, [])).toEqual({ cents: [0, 0], records: [0, 0] })
  })

  test("a reference as the lesser of its source's and its parameter's bound", () => {
    expect(totals(100, [ask, pay("a", from("ask", "/few")), pay("b", from("ask", "/none"))])).toEqual({
      cents: [3, 12],
      records: [0, 0],
    })
    expect(totals(most, [ask, pay("a", from("ask", "/many"))])).toEqual({ cents: [0, most], records: [0, 0] })
    expect(totals(100, [ask, send("a", from("ask", "/list"))])).toEqual({ cents: [0, 0], records: [2, 4] })
  })

  test("in whole numbers: a fraction would not fit", () => {
    expect(totals(7, [ask, pay("a", from("ask", "/part"))])).toEqual({ cents: [1, 7], records: [0, 0] })
  })

  test("an array with references in it by its items", () => {
    const list = [from("ask", "/list/0"), "x", from("ask", "/list/1")]
    expect(totals(100, [ask, send("a", list)])).toEqual({ cents: [0, 0], records: [3, 3] })
  })

  test("each step carries its own", () => {
    const { steps } = expectValid(catalogWith(100), [ask, pay("a", from("ask", "/few")), call("b", "touch")])
    expect(steps.map(({ blast }) => blast)).toEqual([
      [],
      [{ dimension: "cents", min: 3, max: 7 }],
      [
        { dimension: "cents", min: 5, max: 5 },
        { dimension: "records", min: 1, max: 1 },
      ],
    ])
  })
})

describe("a limit", () => {
  test("is met exactly, by one step and by the plan", () => {
    expectValid(catalogWith(100), [pay("a", 100)])
    expectDiagnostics(catalogWith(100), [pay("a", 101)]).toEqual(["SEQ401 /steps/0/args/cents"])
    expectValid(catalogWith(100), [pay("a", 60), pay("b", 40)])
    expectDiagnostics(catalogWith(100), [pay("a", 60), pay("b", 41), pay("c", 1)]).toEqual([
      "SEQ402 /steps/1/args/cents",
    ])
  })

  test("of 0 allows nothing but nothing", () => {
    expectValid(catalogWith(0), [pay("a", 0)])
    expectDiagnostics(catalogWith(0), [pay("a", 1)]).toEqual(["SEQ401 /steps/0/args/cents"])
    expectDiagnostics(catalogWith(0), [call("a", "touch")]).toEqual(["SEQ401 /steps/0/tool"])
  })

  test("tells the worst of the whole plan, where it is passed", () => {
    const [said] = refusal(catalogWith(100), [
      ask,
      pay("a", 90),
      pay("b", from("ask", "/few")),
      pay("c", 5),
      pay("d", 100),
    ])
    expect(said?.message).toBe("the plan may reach 202 cents in total; the limit is 100")
    expect(said?.hint).toContain("`c`")
  })

  test("is told of every step that passes it alone, and of the others together", () => {
    const steps = [pay("a", 101), pay("b", 60), pay("c", 102), pay("d", 41), pay("e", 50)]
    expectDiagnostics(catalogWith(100), steps).toEqual([
      "SEQ401 /steps/0/args/cents",
      "SEQ401 /steps/2/args/cents",
      "SEQ402 /steps/3/args/cents",
    ])
    expectDiagnostics(catalogWith(100), [pay("a", 101), pay("b", 60), pay("c", 40)]).toEqual([
      "SEQ401 /steps/0/args/cents",
    ])
  })

  test("in each dimension is a fault of its own", () => {
    const steps = [pay("a", 7), send("b", ["x", "y"]), call("c", "touch")]
    expectDiagnostics(catalogWith(10, { records: 2 }), steps).toEqual(["SEQ402 /steps/2/tool", "SEQ402 /steps/2/tool"])
  })

  test("what is spent is a plain object, or it is no answer", () => {
    const catalog = catalogWith(100)
    for (const spent of [new Map([["cents", 90]]), Object.create({ cents: 90 }), 90, "90", [90]]) {
      expectDiagnostics(catalog, [pay("a", 41)], { spent: spent as never }).toEqual(["SEQ404 "])
    }
  })

  test("counts what is already spent", () => {
    const catalog = catalogWith(100)
    expectValid(catalog, [pay("a", 40)], { spent: { cents: 60 } })
    expectDiagnostics(catalog, [pay("a", 41)], { spent: { cents: 60 } }).toEqual(["SEQ402 /steps/0/args/cents"])
    const [said] = refusal(catalog, [pay("a", 41)], { spent: { cents: 60 } })
    expect(said?.message).toBe("the plan may reach 101 cents in total, 60 already spent; the limit is 100")
    expectDiagnostics(catalog, [pay("a", 100)], { spent: { records: 60, toString: 1 } as never }).toEqual(["SEQ404 "])
    expectValid(catalog, [ask], { spent: { cents: 1_000 } })
  })

  test("is not held against what is spent in numbers that are none", () => {
    for (const cents of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, "60" as never]) {
      const steps = [pay("a", 100)]
      expect(() => expectValid(catalogWith(100), steps, { spent: { cents } }), String(cents)).toThrow(/refused/)
    }
  })
})

describe("at the end of the safe integers", () => {
  test("one amount is counted exactly", () => {
    expect(totals(most, [pay("a", most)])).toEqual({ cents: [most, most], records: [0, 0] })
    expectDiagnostics(catalogWith(most - 1), [pay("a", most)]).toEqual(["SEQ401 /steps/0/args/cents"])
    expectValid(catalogWith(most), [pay("a", most - 1), pay("b", 1)])
  })

  test("a sum beyond them is above every limit", () => {
    expectDiagnostics(catalogWith(most), [pay("a", most), pay("b", 1)]).toEqual(["SEQ402 /steps/1/args/cents"])
    expectDiagnostics(catalogWith(most), [pay("a", 1)], { spent: { cents: most } }).toEqual([
      "SEQ402 /steps/0/args/cents",
    ])
    expectDiagnostics(catalogWith(most), [ask, pay("a", from("ask", "/many")), pay("b", from("ask", "/many"))]).toEqual(
      ["SEQ402 /steps/2/args/cents"],
    )
  })
})
