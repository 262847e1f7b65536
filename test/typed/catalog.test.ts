/** The names in a catalog, held by tsc: what it refuses, lint refuses too, and what it cannot see is left to lint. */
import { Type } from "@sinclair/typebox"
import {
  arg,
  type Catalog,
  count,
  defineCatalog,
  fromArgs,
  fromResult,
  type JsonSchema,
  type ToolSpec,
  tool,
} from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"

const said = ({ diagnostics }: Catalog): string[] =>
  diagnostics.filter(({ severity }) => severity === "error").map(({ code, at }) => `${code} ${at}`)

const some = { idempotency: "natural", compensate: "none" } as const
const params = z.strictObject({ id: z.string(), cents: z.int().min(0).max(9), ids: z.array(z.string()).max(9) })
const result = z.strictObject({ receipt: z.string(), lines: z.array(z.strictObject({ sku: z.string() })) })
const pay = { description: "Pays.", effect: "write", params, result, ...some } as const
const find = tool({ description: "Finds.", effect: "read", params: z.strictObject({ id: z.string() }), result })
const undo = tool({ description: "Undoes.", effect: "write", params: z.strictObject({ receipt: z.string() }), ...some })
const shop = { name: "shop", version: "1", blastRadius: { cents: { max: 100 } } } as const

describe("what a tool says of itself", () => {
  test("names parameters that it has, of the right kind", () => {
    const one = (spec: ToolSpec): string[] =>
      said(defineCatalog({ ...shop, tools: { find, undo, one: spec } as never }))
    // @ts-expect-error there is no parameter `cent`: did you mean `cents`?
    expect(one(tool({ ...pay, blast: { cents: arg("cent") } }))).toEqual(["SEQ811 /tools/one/blast/cents"])
    // @ts-expect-error a text is no number
    expect(one(tool({ ...pay, blast: { cents: arg("id") } }))).toEqual(["SEQ811 /tools/one/blast/cents"])
    // @ts-expect-error a number has no items
    expect(one(tool({ ...pay, blast: { cents: count("cents") } }))).toEqual(["SEQ811 /tools/one/blast/cents"])
    // @ts-expect-error there is no parameter `idd`
    expect(one(tool({ ...pay, rules: { idd: { trusted: true } } }))).toContain("SEQ808 /tools/one/rules/idd")
    // @ts-expect-error there is no parameter `idd`
    expect(one(tool({ ...pay, once: { by: ["idd"], scope: "task" } }))).toEqual(["SEQ808 /tools/one/once/by/0"])
    // @ts-expect-error nor a place in it
    expect(one(tool({ ...pay, once: { by: ["/idd/0"], scope: "task" } }))).toEqual(["SEQ808 /tools/one/once/by/0"])
    // @ts-expect-error there is no parameter `idd`
    expect(one(tool({ ...pay, requires: [{ tool: "find", same: ["idd"] }] })).length).toBeGreaterThan(0)
    expect(
      one(tool({ ...pay, blast: { cents: arg("cents") }, once: { by: ["/id", "cents"], scope: "task" } })),
    ).toEqual([])
  })

  test("and places in its result and its arguments", () => {
    const by = (spec: ToolSpec): string[] => said(defineCatalog({ ...shop, tools: { undo, one: spec } as never }))
    const at = "SEQ823 /tools/one/compensate/args/receipt"
    // @ts-expect-error there is no `reciept` in the result
    expect(by(tool({ ...pay, compensate: { tool: "undo", args: { receipt: fromResult("/reciept") } } }))).toEqual([at])
    // @ts-expect-error `receipt` is in the result
    expect(by(tool({ ...pay, compensate: { tool: "undo", args: { receipt: fromArgs("/receipt") } } }))).toEqual([at])
    // @ts-expect-error a pointer begins with `/`
    expect(by(tool({ ...pay, compensate: { tool: "undo", args: { receipt: fromArgs("id") } } }))).toEqual([at])
    expect(by(tool({ ...pay, compensate: { tool: "undo", args: { receipt: fromArgs("/id") } } }))).toEqual([])
    expect(by(tool({ ...pay, compensate: { tool: "undo", args: { receipt: fromResult("/lines/0/sku") } } }))).toEqual(
      [],
    )
  })

  test("in the fields that there are", () => {
    // @ts-expect-error did you mean `requires`?
    const misspelt = tool({ ...pay, requries: [] })
    expect(said(defineCatalog({ ...shop, tools: { misspelt } }))).toEqual(["SEQ801 /tools/misspelt/requries"])
    // @ts-expect-error did you mean `blastRadius`?
    expect(said(defineCatalog({ name: "x", version: "1", blastRadios: {}, tools: { find } }))).toEqual([
      "SEQ801 /blastRadios",
    ])
  })
})

describe("what a catalog's tools say of one another", () => {
  const machine = { initial: "A", transitions: { A: { B: {} }, B: { A: {} } } } as const

  test("names tools that there are", () => {
    const late = tool({ ...pay, requires: [{ tool: "fnd" }] })
    // @ts-expect-error there is no tool `fnd`: did you mean `find`?
    expect(said(defineCatalog({ ...shop, tools: { find, late } }))).toEqual(["SEQ808 /tools/late/requires/0"])
    const same = tool({ ...pay, requires: [{ tool: "find", same: ["cents"] }] })
    // @ts-expect-error `find` has no parameter `cents`
    expect(said(defineCatalog({ ...shop, tools: { find, same } }))).toEqual(["SEQ808 /tools/same/requires/0"])
    const undone = tool({ ...pay, compensate: { tool: "undoo", args: { receipt: fromResult("/receipt") } } })
    // @ts-expect-error there is no tool `undoo`
    expect(said(defineCatalog({ ...shop, tools: { undo, undone } }))).toEqual(["SEQ808 /tools/undone/compensate/tool"])
    const given = tool({ ...pay, compensate: { tool: "undo", args: { receipt: "x", reciept: "x" } } })
    // @ts-expect-error `undo` has no parameter `reciept`
    expect(said(defineCatalog({ ...shop, tools: { undo, given } }))).toEqual([
      "SEQ808 /tools/given/compensate/args/reciept",
    ])
    const lacking = tool({ ...pay, compensate: { tool: "undo", args: {} } })
    // @ts-expect-error `undo` needs `receipt`
    expect(said(defineCatalog({ ...shop, tools: { undo, lacking } }))).toEqual([
      "SEQ823 /tools/lacking/compensate/args",
    ])
  })

  test("sources that there are", () => {
    const ruled = <const From extends string>(from: From) => tool({ ...pay, rules: { id: { from: [from] } } })
    // @ts-expect-error there is no tool `fnd`
    expect(said(defineCatalog({ ...shop, tools: { find, one: ruled("fnd#/receipt") } }))).toEqual([
      "SEQ808 /tools/one/rules/id/from/0",
    ])
    // @ts-expect-error it is no place
    expect(said(defineCatalog({ ...shop, tools: { find, one: ruled("find/receipt") } }))).toEqual([
      "SEQ824 /tools/one/rules/id/from/0",
    ])
    // @ts-expect-error the catalog declares no inputs
    expect(said(defineCatalog({ ...shop, tools: { find, one: ruled("input#/id") } }))).toEqual([
      "SEQ824 /tools/one/rules/id/from/0",
    ])
    const inputs = z.strictObject({ id: z.string() })
    expect(said(defineCatalog({ ...shop, inputs, tools: { find, one: ruled("input#/id") } }))).toEqual([])
    expect(said(defineCatalog({ ...shop, tools: { find, one: ruled("find#/lines/*/sku") } }))).toEqual([])
  })

  test("states of the machine", () => {
    const stated = tool({ ...pay, states: ["C"] })
    // @ts-expect-error there is no state `C`
    expect(said(defineCatalog({ ...shop, machine, tools: { stated } }))).toContain("SEQ808 /tools/stated/states")
    // @ts-expect-error there is no machine
    expect(said(defineCatalog({ ...shop, tools: { stated } }))).toEqual(["SEQ808 /tools/stated/states"])
    // @ts-expect-error nothing leads to `C`, nor from it
    expect(said(defineCatalog({ ...shop, machine: { ...machine, initial: "C" }, tools: { find } }))).toEqual([
      "SEQ808 /machine/initial",
    ])
    const bold = { initial: "A", transitions: { A: { B: { guard: "aproval" } } } } as const
    // @ts-expect-error there is no such guard
    expect(said(defineCatalog({ ...shop, machine: bold, tools: { find } }))).toEqual([
      "SEQ801 /machine/transitions/A/B/guard",
    ])
    expect(said(defineCatalog({ ...shop, machine, tools: { find, one: tool({ ...pay, states: ["B"] }) } }))).toEqual([])
    expect(said(defineCatalog({ ...shop, machine: { initial: "A", transitions: {} }, tools: { find } }))).toEqual([])
  })

  test("written without `tool` too, at the very name", () => {
    const plain = defineCatalog({
      ...shop,
      machine,
      tools: {
        find,
        one: {
          ...pay,
          // @ts-expect-error there is no state `C`
          states: ["A", "C"],
          // @ts-expect-error there is no tool `fnd`
          requires: [{ tool: "fnd" }],
        },
      },
    })
    expect(said(plain)).toEqual(["SEQ808 /tools/one/states", "SEQ808 /tools/one/requires/0"])
  })
})

describe("what types cannot see is left to lint", () => {
  test("schemas as data, of unknown shape, or of any", () => {
    const schema: JsonSchema = { type: "object", properties: { n: { type: "integer", minimum: 0, maximum: 9 } } }
    const data = tool({ ...pay, params: schema, blast: { cents: arg("m") }, once: { by: ["m"], scope: "task" } })
    expect(said(defineCatalog({ ...shop, tools: { data } })).sort()).toEqual([
      "SEQ808 /tools/data/once/by/0",
      "SEQ811 /tools/data/blast/cents",
    ])
    const open = tool({ ...pay, params: z.strictObject({ n: z.any() }), blast: { cents: arg("n") } })
    expect(said(defineCatalog({ ...shop, tools: { open } }))).toEqual(["SEQ811 /tools/open/blast/cents"])
    const record = tool({ ...pay, params: z.record(z.string(), z.string()), once: { by: ["m"], scope: "task" } })
    expect(said(defineCatalog({ ...shop, tools: { record } }))).toEqual(["SEQ824 /tools/record/once/by/0"])
  })

  test("names of any text, and lists of any length", () => {
    const name = String("fnd")
    const wide = tool({ ...pay, requires: [{ tool: name }] })
    expect(said(defineCatalog({ ...shop, tools: { find, wide } }))).toEqual(["SEQ808 /tools/wide/requires/0"])
    const states: readonly string[] = ["C"]
    const listed = tool({ ...pay, states })
    const machine = { initial: "A", transitions: {} } as const
    expect(said(defineCatalog({ ...shop, machine, tools: { listed } }))).toContain("SEQ808 /tools/listed/states")
    const path = String("/reciept")
    const far = tool({ ...pay, compensate: { tool: "undo", args: { receipt: fromResult(path) } } })
    expect(said(defineCatalog({ ...shop, tools: { undo, far } }))).toEqual([
      "SEQ823 /tools/far/compensate/args/receipt",
    ])
    const tools: { readonly [name: string]: ToolSpec } = { wide }
    expect(said(defineCatalog({ ...shop, tools }))).toEqual(["SEQ808 /tools/wide/requires/0"])
    const any = JSON.parse('{ "tool": "fnd" }')
    expect(said(defineCatalog({ ...shop, tools: { one: tool({ ...pay, requires: [any] }) } }))).toEqual([
      "SEQ808 /tools/one/requires/0",
    ])
  })

  test("ranges: TypeBox and zod alike", () => {
    const typebox = tool({
      ...pay,
      params: Type.Object(
        { cents: Type.Integer(), note: Type.Optional(Type.Integer()) },
        { additionalProperties: false },
      ),
      blast: { cents: arg("cents") },
    })
    expect(said(defineCatalog({ ...shop, tools: { typebox } }))).toEqual(["SEQ811 /tools/typebox/blast/cents"])
    // @ts-expect-error it may be left out
    const optional = tool({ ...pay, params: typebox.params, blast: { cents: arg("note") } })
    expect(said(defineCatalog({ ...shop, tools: { optional } }))).toEqual(["SEQ811 /tools/optional/blast/cents"])
  })
})
