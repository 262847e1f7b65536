/** Who may, and when a person is asked: at compile, where the principal is known, by the same question as at dispatch. */
import fc from "fast-check"
import {
  arg,
  type CatalogSpec,
  compile,
  defineCatalog,
  type JsonObject,
  type Principal,
  predicate,
  tool,
} from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { isAbove, mayUse } from "../../src/catalog/authority.ts"
import type { Tool } from "../../src/catalog/catalog.ts"
import { omissionsOf } from "../../src/check/omissions.ts"
import { call, expectDiagnostics, expectValid, from, inShort, planOf, refusal } from "./expect.ts"

const effect = { effect: "write", idempotency: "natural", compensate: "none" } as const
const params = z.strictObject({ cents: z.int().min(0).max(1_000) })

const own = predicate(
  "own-cents",
  "2",
  ({ cents }: { readonly cents: number }, { subject }) => subject === "ada" || cents < 10,
)

const spec = {
  name: "till",
  version: "1",
  inputs: z.strictObject({ cents: z.int().min(0).max(500) }),
  blastRadius: { cents: { max: 2_000, approveAbove: 100 } },
  tools: {
    look: tool({
      description: "Look.",
      effect: "read",
      params: z.strictObject({}),
      authority: { roles: ["clerk", "boss"] },
    }),
    pay: tool({ description: "Pay.", params, blast: { cents: arg("cents") }, authority: { approvers: 2 }, ...effect }),
    tip: tool({ description: "Tip.", params, authority: { when: own }, ...effect }),
    open: tool({
      description: "Open.",
      params: z.strictObject({}),
      authority: { tenants: ["acme"], roles: ["boss"] },
      ...effect,
    }),
    sell: tool({
      description: "Sell.",
      params,
      blast: { cents: arg("cents") },
      authority: { approval: "always" },
      ...effect,
    }),
    ship: tool({
      description: "Ship.",
      params: z.strictObject({
        unit: z.literal("kg").optional(),
        lines: z.array(z.strictObject({ sku: z.string(), count: z.int().optional() })).optional(),
        to: z.strictObject({ city: z.string().optional() }).optional(),
        express: z.enum(["yes", "no"]).optional(),
      }),
      rules: { express: { mustState: true }, "/lines/*/count": { mustState: true }, "/to/city": { mustState: true } },
      ...effect,
    }),
    give: tool({
      description: "Give.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ line: z.strictObject({ sku: z.string(), count: z.int().optional() }) }),
    }),
    weigh: tool({
      description: "Weigh.",
      params: z.strictObject({
        unit: z.literal("kg").optional(),
        box: z.strictObject({ unit: z.null().optional() }).optional(),
      }),
      rules: { unit: { mustState: true }, "/box/unit": { mustState: true } },
      ...effect,
    }),
  },
} as const satisfies CatalogSpec

const catalog = defineCatalog(spec)
const ada: Principal = { tenant: "acme", subject: "ada", roles: ["clerk"] }
const toolOf = (name: string): Tool => catalog.tools.get(name) as Tool

test("the catalog has nothing to say of itself", () => {
  expect(catalog.diagnostics).toEqual([])
})

describe("a principal", () => {
  test("where none is known, none is refused", () => {
    for (const name of ["look", "open"]) expectValid(catalog, [call("a", name)])
    expectValid(catalog, [call("a", "tip", { cents: 999 })])
  })

  test("needs one of the roles, and the tenant, whatever they are called in other places", () => {
    expectValid(catalog, [call("a", "look")], { principal: ada })
    expectValid(catalog, [call("a", "look")], { principal: { ...ada, roles: ["x", "boss"] } })
    expectDiagnostics(catalog, [call("a", "look")], { principal: { tenant: "acme", subject: "clerk" } }).toEqual([
      "SEQ502 /steps/0/tool",
    ])
    expectDiagnostics(catalog, [call("a", "look")], {
      principal: { ...ada, roles: ["Clerk", "cler", "clerk "] },
    }).toEqual(["SEQ502 /steps/0/tool"])
    expectDiagnostics(catalog, [call("a", "open")], {
      principal: { ...ada, tenant: "globex", roles: ["boss"] },
    }).toEqual(["SEQ503 /steps/0/tool"])
    expectValid(catalog, [call("a", "open")], { principal: { ...ada, roles: ["boss"] } })
  })

  test("at dispatch is asked the same, and roles that are no list are none", () => {
    expect(mayUse(toolOf("look"), ada)).toBeUndefined()
    expect(mayUse(toolOf("look"), { ...ada, roles: "clerks" as never })).toEqual({
      kind: "role",
      roles: ["boss", "clerk"],
    })
    expect(mayUse(toolOf("look"), { tenant: "acme", subject: "ada" })).toMatchObject({ kind: "role" })
    expect(mayUse(toolOf("open"), { ...ada, tenant: "globex" })).toEqual({ kind: "tenant", tenant: "globex" })
    expect(mayUse(toolOf("tip"), { ...ada, subject: "tom" }, { cents: 10 })).toMatchObject({ predicate: "own-cents@2" })
    expect(mayUse(toolOf("tip"), { ...ada, subject: "tom" }, { cents: 9 })).toBeUndefined()
  })

  test("is told of no other tenant", () => {
    const [told] = refusal(catalog, [call("a", "open")], { principal: { ...ada, tenant: "globex" } })
    expect(JSON.stringify(told)).not.toContain("acme")
  })

  test("is asked about arguments that are known, by name and version", () => {
    const tom = { principal: { ...ada, subject: "tom" } }
    const [told] = refusal(catalog, [call("a", "tip", { cents: 10 })], tom)
    expect(told).toMatchObject({
      code: "SEQ504",
      at: "/steps/0/args",
      message: expect.stringContaining("`own-cents@2`"),
    })
    expectValid(catalog, [call("a", "tip", { cents: 9 }), call("b", "tip", { cents: from("input", "/cents") })], tom)
    expectDiagnostics(catalog, [call("a", "tip", { cents: "10" })], tom).toEqual(["SEQ122 /steps/0/args/cents"])
  })

  test.each([
    ["no object", null],
    ["no tenant", { subject: "ada" }],
    ["an empty subject", { tenant: "acme", subject: "" }],
    ["roles that are no list", { tenant: "acme", subject: "ada", roles: "boss" }],
    ["a role that is no text", { tenant: "acme", subject: "ada", roles: [["boss"]] }],
    [
      "what throws",
      {
        tenant: "acme",
        get subject(): string {
          throw new Error("no")
        },
      },
    ],
  ])("that is %s is the host's fault, and nothing compiles", (_, principal) => {
    expectDiagnostics(catalog, [call("a", "give")], { principal: principal as never }).toEqual(["SEQ801 "])
  })

  test("a catalog that denies by default allows what it names", () => {
    const strict = defineCatalog({ ...spec, authority: { default: "deny" } })
    expectDiagnostics(strict, [call("a", "give"), call("b", "look")], { principal: ada }).toEqual([
      "SEQ505 /steps/0/tool",
    ])
    expect(strict.diagnostics.map(inShort)).toEqual([
      "SEQ818 /tools/pay/authority",
      "SEQ818 /tools/sell/authority",
      "SEQ818 /tools/ship/authority",
      "SEQ818 /tools/give/authority",
      "SEQ818 /tools/weigh/authority",
    ])
  })
})

describe("a predicate", () => {
  const asked = (holds: (args: JsonObject, principal: Principal) => boolean, principal: Principal = ada) => {
    const tools = { tip: { ...spec.tools.tip, authority: { when: predicate("odd", "1", holds) } } }
    const built = defineCatalog({ ...spec, tools } as CatalogSpec)
    expect(built.diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
    return mayUse(built.tools.get("tip") as Tool, principal, { cents: 3 })
  }

  test("allows by true alone", () => {
    expect(asked(() => true)).toBeUndefined()
    const odd: readonly unknown[] = [false, 1, "true", undefined, null, {}, Promise.resolve(true)]
    for (const answer of odd)
      expect(
        asked(() => answer as boolean),
        String(answer),
      ).toMatchObject({ kind: "predicate" })
    expect(
      asked(() => {
        throw new Error("secret")
      }),
    ).toEqual({ kind: "predicate", predicate: "odd@1", problem: "fails" })
  })

  test("works on copies", () => {
    const principal = { tenant: "acme", subject: "ada", roles: ["clerk"] }
    asked((args, { roles }) => {
      Object.assign(args, { cents: 0 })
      ;(roles as string[]).push("boss")
      return true
    }, principal)
    expect(principal.roles).toEqual(["clerk"])
  })

  test.each([
    ["a plain function", () => true],
    ["one without a name", predicate("", "1", () => true)],
    ["one without a version", predicate("odd", "", () => true)],
    ["one that waits", predicate("odd", "1", (async () => true) as never)],
    ["what merely looks like one", { kind: "predicate", name: "odd", version: "1" }],
  ])("%s is told to the host", (_, when) => {
    const tools = { tip: { ...spec.tools.tip, authority: { when } } }
    expect(defineCatalog({ ...spec, tools } as never).diagnostics.map(inShort)).toContain(
      "SEQ805 /tools/tip/authority/when",
    )
  })
})

describe("what a person is asked", () => {
  test("of each call, and of amounts that pass what is done unasked: for certain, or perhaps", () => {
    const steps = [
      call("a", "pay", { cents: 60 }),
      call("b", "pay", { cents: from("input", "/cents") }),
      call("c", "pay", { cents: 41 }),
      call("d", "sell", { cents: 1 }),
    ]
    const plan = expectValid(catalog, steps)
    const amount = { kind: "above", tool: "pay", dimension: "cents", above: 100, approvers: 2 }
    expect(plan.approvals).toEqual([
      { ...amount, stepId: "b", index: 1, certain: false },
      { ...amount, stepId: "c", index: 2, certain: true },
      { kind: "always", stepId: "d", index: 3, tool: "sell", approvers: 1 },
    ])
    const { diagnostics } = compile(catalog, planOf(steps))
    expect(diagnostics.map(inShort)).toEqual(["SEQ507 /steps/1/tool", "SEQ507 /steps/2/tool", "SEQ508 /steps/3/tool"])
    expect(diagnostics[0]?.message).toBe(
      "`b` may need approval: cents may come to 560, and above 100 a person is asked",
    )
  })

  test("what was there before counts, and nothing is asked about nothing", () => {
    const asked = (cents: number, spent: number) =>
      expectValid(catalog, [call("a", "pay", { cents })], { spent: { cents: spent } }).approvals.length
    expect([asked(100, 0), asked(101, 0), asked(1, 100), asked(0, 500)]).toEqual([0, 1, 1, 0])
  })

  test("the step that is told is the one that passes the mark, whatever the amounts", () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 150 }), (cents, before) => {
        const steps = cents.map((one, index) => call(`s${index}`, "pay", { cents: one }, { occurrence: index + 1 }))
        const plan = expectValid(catalog, steps, { spent: { cents: before } })
        const expected = cents.flatMap((one, index) => {
          const sum = cents.slice(0, index).reduce((all, other) => all + other, before)
          return isAbove(100, sum, one) ? [index] : []
        })
        expect(plan.approvals.map(({ index }) => index)).toEqual(expected)
        expect(plan.approvals.every((need) => need.kind === "above" && need.certain)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

describe("what must be stated", () => {
  test("is missed where it is left out, at any depth", () => {
    const lines = [{ sku: "a", count: 1 }, { sku: "b" }, { sku: "c" }]
    expectDiagnostics(catalog, [call("a", "ship", { lines, to: {} })]).toEqual([
      "SEQ506 /steps/0/args",
      "SEQ506 /steps/0/args/lines/1",
      "SEQ506 /steps/0/args/lines/2",
      "SEQ506 /steps/0/args/to",
    ])
    expectValid(catalog, [call("a", "ship", { express: "no", lines: [], to: { city: "Rome" } })])
    expectDiagnostics(catalog, [call("a", "ship", { express: "no", to: { $literal: {} } })]).toEqual([
      "SEQ506 /steps/0/args/to",
    ])
  })

  test("is missed with the object that it would stand in, once, and not in a list that has no items", () => {
    const box = z.strictObject({
      unit: z.string(),
      side: z.string().optional(),
      in: z.strictObject({ x: z.int() }).optional(),
    })
    const packing = defineCatalog({
      name: "packing",
      version: "1",
      tools: {
        pack: tool({
          description: "Pack.",
          params: z.strictObject({
            box: box.optional(),
            many: z.array(z.strictObject({ box: box.optional() })).optional(),
          }),
          rules: {
            "/box/unit": { mustState: true },
            "/box/side": { mustState: true },
            "/box/in/x": { mustState: true },
            "/many/*/box/unit": { mustState: true },
          },
          ...effect,
        }),
      },
    })
    // In a box that may be left out, what it must have may be left out too.
    expect(packing.diagnostics).toEqual([])
    expectDiagnostics(packing, [call("a", "pack")]).toEqual(["SEQ506 /steps/0/args"])
    expectDiagnostics(packing, [call("a", "pack", { box: { unit: "kg", side: "up" } })]).toEqual([
      "SEQ506 /steps/0/args/box",
    ])
    const whole = { unit: "kg", side: "up", in: { x: 1 } }
    expectDiagnostics(packing, [call("a", "pack", { box: whole, many: [{ box: whole }, {}] })]).toEqual([
      "SEQ506 /steps/0/args/many/1",
    ])
    for (const many of [undefined, [], [{ box: whole }]])
      expectValid(packing, [call("a", "pack", { box: whole, ...(many === undefined ? {} : { many }) })])
  })

  test("a reference stands for it; of what one holds the same is asked again of the resolved call", () => {
    const give = call("g", "give")
    const line = from("g", "/line")
    const to = { city: "Rome" }
    expectValid(catalog, [give, call("a", "ship", { express: "no", to, lines: [line] })])
    expectValid(catalog, [
      give,
      call("a", "ship", { express: "no", to, lines: [{ sku: "a", count: from("input", "/cents") }] }),
    ])
    const resolved = {
      kind: "literal",
      at: "/steps/1/args" as never,
      value: { express: "no", to, lines: [{ sku: "a" }] },
    } as const
    expect(omissionsOf(toolOf("ship"), resolved)).toEqual([
      { at: "/steps/1/args/lines/0", path: ["lines", "*", "count"] },
    ])
  })

  test("where there is one value only, the fix writes it; where there are more, nobody guesses", () => {
    const [told] = refusal(catalog, [call("a", "weigh", { box: { unit: null } })])
    expect(told).toMatchObject({
      hint: 'State `unit`: "kg".',
      fix: [{ op: "add", path: "/steps/0/args/unit", value: "kg" }],
    })
    const [inside] = refusal(catalog, [call("a", "weigh", { unit: "kg", box: { $literal: {} } })])
    expect(inside?.fix).toEqual([{ op: "add", path: "/steps/0/args/box/$literal/unit", value: null }])
    expect(refusal(catalog, [call("a", "ship")])[0]).not.toHaveProperty("fix")
  })

  test("a misspelt name is told as such, once", () => {
    expectDiagnostics(catalog, [call("a", "weigh", { units: "kg" })]).toEqual(["SEQ121 /steps/0/args/units"])
  })
})
