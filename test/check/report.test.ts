/** All faults at once, none twice: a fault poisons only its step and what depends on it. Capped, with a count of the rest. */
import { type Catalog, type CatalogSpec, compile, defineCatalog } from "sequitur"
import { describe, expect, test } from "vitest"
import desk from "../../plans/invalid/catalog.ts"
import { stock } from "./catalog.ts"
import { call, expectDiagnostics, from, planOf, refusal, type WrittenStep } from "./expect.ts"

const look = (id: string, sku: unknown = "A") => call(id, "look", { sku })

test("what depends on a fault says nothing of it, however far away", () => {
  expectDiagnostics(stock, [
    call("a", "lok", { sku: "A" }),
    look("b", from("a", "/skew")),
    look("c", { $concat: ["x", from("b", "/skew")] }),
    call("d", "look", { sku: "A" }, { after: ["c"] }),
    look("e", { $from: "d", path: "/places", where: { "/id": from("a", "/skew") }, pick: "/id" }),
  ]).toEqual(["SEQ108 /steps/0/tool"])
})

test("an expression that cannot be read poisons its step only", () => {
  expectDiagnostics(stock, [look("a", { $ref: "x" }), look("b", from("a", "/sku")), look("c", 3)]).toEqual([
    "SEQ130 /steps/0/args/sku/$ref",
    "SEQ122 /steps/2/args/sku",
  ])
})

test("faults of different steps and gates are told together, in the plan's order", () => {
  expectDiagnostics(stock, [
    look("a", 1),
    call("m", "move", { sku: "A", amount: 99 }),
    look("b", from("zz")),
    { id: "t", transition: "OPEN" },
    call("n", "note", { text: "quiet" }),
  ]).toEqual([
    "SEQ122 /steps/0/args/sku",
    "SEQ123 /steps/1/args/amount",
    "SEQ201 /steps/2/args/sku/$from",
    "SEQ304 /steps/3/transition",
    "SEQ124 /steps/4/args/text",
  ])
})

test("a misspelt predecessor is one fault, not two", () => {
  const steps = [
    call("f", "find_ordr", { orderId: "A-1" }),
    { id: "t", transition: "CHANGING" },
    call("c", "cancel_order", { orderId: "A-1", reason: "too_late" }),
  ]
  expectDiagnostics(desk, steps).toEqual(["SEQ108 /steps/0/tool"])
})

test("a predecessor with a fault of its own is there all the same", () => {
  const steps = [
    call("f", "find_order", { orderId: "" }),
    { id: "t", transition: "CHANGING" },
    call("c", "cancel_order", { orderId: "A-1", reason: "too_late" }),
  ]
  expectDiagnostics(desk, steps).toEqual(["SEQ123 /steps/0/args/orderId"])
})

test("an amount that is refused is not counted", () => {
  const refund = (id: string, cents: unknown) => call(id, "refund", { orderId: "A-1", cents })
  const steps = [
    call("f", "find_order", { orderId: "A-1" }),
    { id: "t", transition: "CHANGING" },
    call("c", "cancel_order", { orderId: "A-1", reason: "too_late" }),
    refund("r", 70_000),
    refund("s", 50_000),
  ]
  expectDiagnostics(desk, steps).toEqual(["SEQ123 /steps/3/args/cents"])
})

test("an effect with a fault is not the same as any other", () => {
  const move = (id: string) => call(id, "move", { sku: "A", amount: 0 })
  expectDiagnostics(stock, [look("a"), move("b"), move("c")]).toEqual([
    "SEQ123 /steps/1/args/amount",
    "SEQ123 /steps/2/args/amount",
  ])
})

describe("a fault of shape poisons its step, and the road goes on", () => {
  const told = (catalog: Catalog, plan: object): string[] =>
    compile(catalog, JSON.stringify({ version: 1, ...plan })).diagnostics.map(({ code, at }) => `${code} ${at}`)

  test("all that is wrong with a plan is told in one round, whatever is wrong with its shape", () => {
    const steps = [
      { id: "1x", tool: "look", args: { sku: 5 } },
      { id: "t", tool: "nope", args: {} },
      { id: "t", tool: "look", args: {}, extra: 1 },
    ]
    expect(told(stock, { goal: 7, thoughts: "…", steps }).sort()).toEqual([
      "SEQ101 /goal",
      "SEQ103 /steps/2/extra",
      "SEQ103 /thoughts",
      "SEQ105 /steps/0/id",
      "SEQ106 /steps/2/id",
      "SEQ108 /steps/1/tool",
      "SEQ120 /steps/2/args",
      "SEQ122 /steps/0/args/sku",
    ])
  })

  test("what cannot be read of a step is told once, and nothing that depends on it", () => {
    const steps = [
      { id: "a", tool: "look", after: "b" },
      { id: "b", tool: 5, args: { sku: from("nowhere") } },
      call("c", "look", { sku: from("a", "/skew") }),
      call("d", "look", { sku: from("b", "/anything") }),
      call("e", "look", { sku: 3 }),
    ]
    expect(told(stock, { steps })).toEqual([
      "SEQ102 /steps/0",
      "SEQ101 /steps/0/after",
      "SEQ101 /steps/1/tool",
      "SEQ201 /steps/1/args/sku/$from",
      "SEQ122 /steps/4/args/sku",
    ])
  })

  test("a step without an id may be the one that others name", () => {
    const steps = [
      { id: ["a"], tool: "look", args: { sku: "A" } },
      call("b", "look", { sku: from("a", "/skew") }, { after: ["1"] }),
      "look",
      call("c", "look", { sku: from("b", "/skew") }),
    ]
    expect(told(stock, { steps })).toEqual(["SEQ101 /steps/0/id", "SEQ101 /steps/2"])
  })

  test("a step of no known kind may be the transition, or the call, that later steps need", () => {
    const cancel = call("c", "cancel_order", { orderId: "A-1", reason: "too_late" })
    expect(told(desk, { steps: [{ id: "x" }, cancel] })).toEqual(["SEQ107 /steps/0"])
    expect(told(desk, { steps: [{ id: "x", tool: "find_order", transition: "CHANGING", args: {} }, cancel] })).toEqual([
      "SEQ107 /steps/0",
    ])
    expect(told(desk, { steps: [{ id: "x", transition: 1 }, cancel] })).toEqual([
      "SEQ101 /steps/0/transition",
      "SEQ208 /steps/1/tool",
    ])
    expect(told(desk, { steps: [{ id: "x", tool: 1, args: {} }, cancel] })).toEqual([
      "SEQ101 /steps/0/tool",
      "SEQ301 /steps/1/tool",
    ])
  })

  test("a misspelt field is not missing too", () => {
    expect(told(stock, { steps: [{ Id: "a", tol: "look", args: {} }] })).toEqual([
      "SEQ103 /steps/0/Id",
      "SEQ103 /steps/0/tol",
    ])
    expect(told(stock, { steps: [{ id: "a", tool: "look", arg: {} }] })).toEqual(["SEQ103 /steps/0/arg"])
    expect(told(stock, { steps: [{ id: "a", tool: "look", parameters: {} }] })).toEqual([
      "SEQ102 /steps/0",
      "SEQ103 /steps/0/parameters",
    ])
  })

  test("only another version, or no list of steps, ends the road", () => {
    const steps = [{ id: 1 }]
    expect(told(stock, { version: 2, steps })).toEqual(["SEQ104 /version"])
    expect(told(stock, { goal: 1, steps: { 0: {} } })).toEqual(["SEQ101 /goal", "SEQ101 /steps"])
  })
})

test("shown up to the bound, and the rest counted", () => {
  const faulty = (count: number) => Array.from({ length: count }, (_, index) => look(`s${index}`, index))
  const shown = (count: number, bounds = {}) => {
    const catalog = defineCatalog({ ...(stock.spec as CatalogSpec), bounds })
    const { diagnostics, more } = compile(catalog, planOf(faulty(count)))
    return [diagnostics.length, more]
  }
  expect(shown(100)).toEqual([100, 0])
  expect(shown(130)).toEqual([100, 30])
  expect(shown(7, { diagnostics: 3 })).toEqual([3, 4])
  const first = refusal(stock, faulty(130)).map(({ at }) => at)
  expect(first).toEqual(faulty(100).map((_, index) => `/steps/${index}/args/sku`))
})

test("whatever a plan holds, what is said of it is short, on one line and printable", () => {
  const catalogs: readonly Catalog[] = [desk, stock]
  const order = call("a", "find_order", { orderId: "A-1" })
  const find = (args: object) => call("b", "find_order", args)
  const reading = (read: object) =>
    find({ orderId: { $from: "a", path: "/items", where: { "/sku": "x" }, pick: "/sku", ...read } })
  const holding = (name: string): readonly WrittenStep[] => [
    order,
    { id: "b", transition: name },
    { id: "b", tool: name, args: {} },
    { id: name, tool: "find_order", transition: "CHANGING" },
    { id: name, transition: "CHANGING", args: {} },
    { id: name, tool: "find_order" },
    { id: "b", tool: "find_order", args: {}, [name]: 1 },
    { id: "b", tool: "find_order", args: { orderId: name, [name]: name } },
    { id: "b", tool: "cancel_order", args: { orderId: "A-1", reason: name } },
    { id: "b", tool: "find_order", args: { orderId: "A-1" }, after: [name] },
    ...[
      { [`$${name}`]: 1 },
      { $from: name },
      { $from: "a", [name]: 1 },
      { $concat: ["x"], [name]: 1 },
      { $concat: { [name]: 1 } },
    ].map((orderId) => find({ orderId })),
    find({ [`$${name}`]: 1 }),
    ...[
      { path: name },
      { path: `/${name}` },
      { path: `/items/0/${name}` },
      { pick: `/${name}` },
      { where: { [`/${name}`]: 1 } },
      { where: { "/kind": name } },
    ].map(reading),
  ]
  for (const name of [
    "x".repeat(60_000),
    "bell\u0007",
    "line\n\u2028feed",
    "\u001b[31mred",
    "\u202eturned",
    "zero\u200bwidth",
  ]) {
    for (const step of holding(name)) {
      for (const catalog of catalogs) {
        for (const { code, message, hint, related = [] } of compile(catalog, planOf([order, step])).diagnostics) {
          const said = [message, hint, ...related.map((one) => one.message)].join(" ")
          expect(said.length, `${code} ${said.slice(0, 80)}`).toBeLessThan(2_000)
          expect(said, code).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        }
      }
    }
  }
})
