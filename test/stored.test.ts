/** Stored plans: whoever can write the file can change nothing by it, and a catalog that moved on is told by name. */
import fc from "fast-check"
import {
  type Catalog,
  type CatalogSpec,
  type Compiled,
  type CompiledPlan,
  compile,
  defineCatalog,
  type Json,
  load,
  named,
  serialize,
  type ToolSpec,
  tool,
} from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import desk from "../plans/invalid/catalog.ts"
import { rightPlan } from "./check/arbitrary.ts"
import { inShort } from "./check/expect.ts"
import { rewrite } from "./check/rewrite.ts"

const story = {
  version: 1,
  goal: "Cancel A-1 and pay it back.",
  steps: [
    { id: "find", tool: "find_order", args: { orderId: "A-1" }, why: "to see it" },
    { id: "open", transition: "CHANGING", after: ["find"] },
    { id: "cancel", tool: "cancel_order", args: { orderId: { $from: "find", path: "/orderId" }, reason: "too_late" } },
    {
      id: "pay",
      tool: "refund",
      args: { orderId: { $from: "find", path: "/orderId" }, cents: { $from: "cancel", path: "/refundCents" } },
    },
    {
      id: "tag",
      tool: "tag_items",
      args: { skus: [{ $from: "find", path: "/items/0/sku" }, "x"], tag: "new" },
      occurrence: 2,
    },
  ],
}

function compiled(catalog: Catalog, document: unknown): CompiledPlan {
  const verdict = compile(catalog, JSON.stringify(document))
  if (!verdict.ok) throw new Error(verdict.diagnostics.map(({ message }) => message).join("; "))
  return verdict.plan
}

const stored = serialize(compiled(desk, story))

/** Refused, or nothing changed. */
function heldFast(text: string): "refused" | "identical" {
  const loaded = load(desk, text)
  if (!loaded.ok) {
    expect(loaded.diagnostics.filter(({ severity }) => severity === "error")).not.toEqual([])
    expect(loaded.diagnostics.map(({ code }) => code)).not.toContain("SEQ901")
    return "refused"
  }
  expect(JSON.parse(serialize(loaded.plan))).toEqual(JSON.parse(stored))
  return "identical"
}

test("loads to the plan that it was made of", () => {
  fc.assert(
    fc.property(rightPlan, (document) => {
      const verdict = compile(desk, JSON.stringify(document))
      if (!verdict.ok) return
      const loaded = load(desk, serialize(verdict.plan))
      if (!loaded.ok) throw new Error(loaded.diagnostics.map(inShort).join())
      for (const part of [
        "planHash",
        "catalogHash",
        "slice",
        "states",
        "blast",
        "approvals",
        "steps",
        "compiler",
        "goal",
      ] as const) {
        expect(loaded.plan[part], part).toEqual(verdict.plan[part])
      }
    }),
  )
})

test("written with other spaces and keys in another order it is the same", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const text = rewrite(JSON.parse(stored) as Json, { seed, spaces: true, order: true, escapes: true })
      expect(heldFast(text)).toBe("identical")
      expect(heldFast(new TextDecoder().decode(new TextEncoder().encode(text)))).toBe("identical")
    }),
    { numRuns: 50 },
  )
})

describe("an edit is refused", () => {
  const places = placesIn(JSON.parse(stored) as Json)

  test("of every leaf", () => {
    const edits = places
      .filter(({ leaf }) => leaf)
      .flatMap(({ at }) => [null, 0, 1, "", "A-1", true].map((other) => edit(at, () => other)))
    expect(edits.length).toBeGreaterThan(500)
    for (const { text, same } of edits) expect(heldFast(text)).toBe(same ? "identical" : "refused")
  })

  test("that drops anything", () => {
    for (const { at } of places) expect(heldFast(edit(at, () => undefined).text), at.join("/")).toBe("refused")
  })

  test("that adds anything", () => {
    for (const { at, leaf } of places.filter((place) => !place.leaf)) {
      expect(leaf).toBe(false)
      const added = edit(at, (value) =>
        Array.isArray(value) ? [...value, value[0] ?? 0] : { ...(value as object), extra: 0 },
      )
      expect(heldFast(added.text), at.join("/")).toBe("refused")
    }
    expect(heldFast(stored.replace("{", '{"extra":0,'))).toBe("refused")
  })

  test("that writes a key twice, even with the same value", () => {
    const keys = [...stored.matchAll(/("[^"\n]+"): (?:"[^"\n]*"|\d+|null)(?=[,\n])/g)]
    expect(keys.length).toBeGreaterThan(60)
    for (const { 0: member, index } of keys) {
      const text = `${stored.slice(0, index)}${member},${stored.slice(index)}`
      const loaded = load(desk, text)
      expect(
        loaded.diagnostics.map(({ code }) => code),
        member,
      ).toEqual(["SEQ003"])
    }
  })

  test("of any one character", () => {
    fc.assert(
      fc.property(fc.nat(stored.length - 1), fc.string({ unit: "grapheme-ascii", maxLength: 1 }), (place, other) => {
        heldFast(stored.slice(0, place) + other + stored.slice(place + 1))
      }),
      { numRuns: 1_000 },
    )
  })

  test("that cuts it short", () => {
    for (let length = 0; length < stored.length; length += 7) expect(heldFast(stored.slice(0, length))).toBe("refused")
  })

  test("that puts in another document with everything that belongs to it, but not its own hashes", () => {
    const other = compiled(desk, { ...story, goal: "Another." })
    const forged = { ...(JSON.parse(stored) as object), document: other.plan.document }
    expect(load(desk, JSON.stringify(forged)).diagnostics.map(inShort)).toEqual(["SEQ141 /planHash"])
  })
})

test("what is no text is told so", () => {
  for (const value of [null, undefined, 5, {}, [], new Uint16Array(3)]) {
    expect(load(desk, value as never).diagnostics.map(({ code }) => code)).toEqual(["SEQ018"])
  }
  expect(load(desk, "{}").diagnostics.map(({ code }) => code)).toEqual(["SEQ102"])
  expect(load(desk, JSON.stringify(story)).diagnostics.map(({ code }) => code)).toEqual(["SEQ102"])
})

test("a plan that compiling would refuse for its size is refused in the store too", () => {
  const roomy = (bounds: object) =>
    defineCatalog({
      name: "room",
      version: "1",
      bounds,
      tools: { keep: tool({ description: "Keeps.", effect: "read", params: z.strictObject({ data: z.unknown() }) }) },
    })
  const keep = (data: unknown) => ({ version: 1, steps: [{ id: "a", tool: "keep", args: { data } }] })
  const tight = { textBytes: 400, nodes: 30, depth: 8, stringBytes: 200 }
  const large = [
    keep("x".repeat(201)),
    keep([[[[["deep"]]]]]),
    keep(Array.from({ length: 40 }, () => 1)),
    keep(Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(40))),
  ]
  for (const document of large) {
    const kept = serialize(compiled(roomy({}), document))
    const compiling = compile(roomy(tight), JSON.stringify(document)).diagnostics.map(({ code }) => code)
    expect(compiling).toHaveLength(1)
    expect(load(roomy({}), kept).ok).toBe(true)
    expect(load(roomy(tight), kept).diagnostics.map(({ code }) => code)).toEqual(compiling)
  }
  const small = keep([["x"]])
  expect(load(roomy(tight), serialize(compiled(roomy(tight), small))).ok).toBe(true)
})

describe("another catalog", () => {
  const { tools, ...others } = desk.spec
  const spec: CatalogSpec = desk.spec
  const change = (parts: Partial<CatalogSpec>): Catalog => defineCatalog({ ...spec, ...parts } as CatalogSpec)
  const changeTool = (name: keyof typeof tools, parts: Partial<ToolSpec>): Catalog =>
    change({ tools: { ...tools, [name]: { ...tools[name], ...parts } as ToolSpec } })
  const said = (catalog: Catalog): readonly string[] => {
    expect(catalog.diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
    const loaded: Compiled = load(catalog, stored)
    return loaded.ok
      ? []
      : loaded.diagnostics
          .filter(({ severity }) => severity === "error")
          .map(({ code, message }) => `${code} ${message.split(": ")[1]}`)
  }
  const refund = tools.refund
  const orderId = z.string().min(1).max(20)

  test("that changed in nothing that matters to the plan is the same", () => {
    expect(said(change({}))).toEqual([])
    expect(said(change({ name: "other", version: "9" }))).toEqual([])
    expect(said(changeTool("refund", { description: "Other words." }))).toEqual([])
    expect(
      said(
        change({
          tools: { ...tools, more: tool({ description: "New.", effect: "read", params: z.strictObject({}) }) },
        }),
      ),
    ).toEqual([])
    expect(said(change({ tools: Object.fromEntries(Object.entries(tools).toReversed()) }))).toEqual([])
    const described = z.strictObject({
      orderId: orderId.describe("whose"),
      cents: z.int().min(1).max(50_000).meta({ title: "how much" }),
      memo: z.string().max(40).optional(),
    })
    expect(said(changeTool("refund", { params: described }))).toEqual([])
    const turned = z.strictObject({ memo: z.string().max(40).optional(), cents: z.int().min(1).max(50_000), orderId })
    expect(said(changeTool("refund", { params: turned }))).toEqual([])
  })

  test("is stale, and what changed is named", () => {
    const tagged = (name: string, version: string) =>
      z.strictObject({
        skus: z.array(z.string()).max(10),
        tag: z.string().refine(
          named(name, version, (text) => text.trim() !== ""),
          "must not be blank",
        ),
      })
    const cases: readonly (readonly [Catalog, string])[] = [
      [change({ budgets: { ...others.budgets, steps: 11 } }), "budgets"],
      [change({ blastRadius: { ...others.blastRadius, cents: { max: 70_000 } } }), "limits"],
      [
        change({
          machine: { initial: "LOOKING", transitions: { ...others.machine.transitions, CLOSED: { LOOKING: {} } } },
        }),
        "machine",
      ],
      [change({ inputs: z.strictObject({}) }), "inputs"],
      [changeTool("refund", { version: "2" }), "tool `refund`"],
      [changeTool("refund", { timeoutMs: 5 }), "tool `refund`"],
      [changeTool("refund", { effect: "write" }), "tool `refund`"],
      [changeTool("refund", { cost: { microUsd: 801 } }), "tool `refund`"],
      [changeTool("refund", { states: ["CHANGING", "LOOKING"] }), "tool `refund`"],
      [changeTool("refund", { requires: [] }), "tool `refund`"],
      [changeTool("refund", { blast: { ...refund.blast, records: 0 } }), "tool `refund`"],
      [changeTool("refund", { idempotency: "natural" }), "tool `refund`"],
      [changeTool("refund", { idempotency: { key: { retentionMs: 5 } } }), "tool `refund`"],
      [
        changeTool("refund", {
          params: z.strictObject({ orderId, cents: z.int().min(1).max(49_999), memo: z.string().max(40).optional() }),
        }),
        "tool `refund`",
      ],
      [changeTool("refund", { result: z.strictObject({ refundId: z.string().max(9) }) }), "tool `refund`"],
      [changeTool("tag_items", { params: tagged("notBlank", "2") }), "tool `tag_items`"],
      [changeTool("tag_items", { params: tagged("notEmpty", "1") }), "tool `tag_items`"],
    ]
    for (const [catalog, what] of cases) expect(said(catalog)).toEqual([`SEQ140 ${what}`])
  })

  test("says all that changed, and what no longer compiles", () => {
    const [first, ...rest] = said(
      change({
        budgets: {},
        tools: { ...tools, refund: { ...refund, version: "2" }, cancel_order: { ...tools.cancel_order, version: "2" } },
      }),
    )
    expect([first, rest]).toEqual(["SEQ140 budgets, tool `cancel_order`, tool `refund`", []])
    const { refund: _gone, ...fewer } = tools
    const loaded = load(change({ tools: fewer }), stored)
    expect(loaded.diagnostics.map(({ code }) => code)).toEqual(expect.arrayContaining(["SEQ140", "SEQ108"]))
    expect(loaded.diagnostics[0]?.message).toContain("tool `refund`")
  })
})

type Path = readonly (string | number)[]

/** Every place in a value but the whole. */
function placesIn(value: Json, at: Path = []): readonly { readonly at: Path; readonly leaf: boolean }[] {
  if (typeof value !== "object" || value === null) return []
  const inner = Array.isArray(value) ? value.map((item: Json, index) => [index, item] as const) : Object.entries(value)
  return inner.flatMap(([key, part]) => {
    const place = [...at, key]
    return [{ at: place, leaf: typeof part !== "object" || part === null }, ...placesIn(part, place)]
  })
}

/** The stored plan with one place replaced, or taken out for undefined. */
function edit(at: Path, replace: (value: Json) => unknown): { readonly text: string; readonly same: boolean } {
  const whole = JSON.parse(stored) as { [key: string]: unknown }
  const inside = at
    .slice(0, -1)
    .reduce<{ [key: string]: unknown }>((value, key) => value[key] as { [key: string]: unknown }, whole)
  const key = at.at(-1) ?? ""
  const before = inside[key] as Json
  const after = replace(before)
  if (after !== undefined) inside[key] = after
  else if (Array.isArray(inside)) inside.splice(Number(key), 1)
  else delete inside[key]
  return { text: JSON.stringify(whole), same: JSON.stringify(before) === JSON.stringify(after) }
}
