/** A catalog's own mistakes: what each code says word for word is in `plans/invalid`; here is what must hold of all. */
import fc from "fast-check"
import {
  arg,
  type Catalog,
  type CatalogSpec,
  compile,
  count,
  defineCatalog,
  fromArgs,
  fromResult,
  named,
  predicate,
  type ToolSpec,
  tool,
} from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"

const read = tool({ description: "Read.", effect: "read", params: z.strictObject({ id: z.string() }) })
const write = tool({
  description: "Write.",
  effect: "write",
  params: z.strictObject({ id: z.string(), cents: z.int().min(0).max(9) }),
  result: z.strictObject({ receipt: z.string() }),
  idempotency: { key: { retentionMs: 60_000 } },
  compensate: "none",
})

const build = (tools: { readonly [name: string]: ToolSpec }, rest: Partial<CatalogSpec> = {}): Catalog =>
  defineCatalog({ name: "shop", version: "1", ...rest, tools }) as Catalog

const said = ({ diagnostics }: Catalog): string[] => diagnostics.map(({ code, at }) => `${code} ${at}`)

describe("names", () => {
  test("a parameter that must be given can be given: its name does not begin with `$`", () => {
    const search = (params: z.ZodType) =>
      build({ odata: tool({ description: "Find.", effect: "read", params } as never) })
    expect(said(search(z.strictObject({ $filter: z.string(), $top: z.int().optional() })))).toEqual([
      "SEQ801 /tools/odata/params",
    ])
    expect(
      said(search(z.strictObject({ q: z.strictObject({ $filter: z.string() }), $top: z.int().optional() }))),
    ).toEqual([])
  })

  test("tools are told apart by more than case, and by what providers keep of a name", () => {
    expect(said(build({ look: read, Look: read }))).toEqual(["SEQ817 /tools/Look"])
    expect(said(build({ "a/b": read, "a.b": read }))).toEqual(["SEQ817 /tools/a.b"])
    expect(said(build({ "a-b": read, a_b: read, ab: read, "a.c": read }))).toEqual([])
  })

  test("limits and states too; the first is shown beside the second", () => {
    const counting = { ...read, blast: { cents: 1, Cents: 1 } }
    const [first] = build({ look: counting }, { blastRadius: { cents: { max: 1 }, Cents: { max: 1 } } }).diagnostics
    expect(first).toMatchObject({ code: "SEQ817", at: "/blastRadius/cents", related: [{ at: "/blastRadius/Cents" }] })
  })
})

describe("within every plan's reach", () => {
  const amount = fc.integer({ min: 0, max: 3 })
  const drawn = fc.record({
    mutates: fc.boolean(),
    microUsd: amount,
    cents: amount,
    items: amount,
    requires: fc.array(fc.nat({ max: 5 }), { maxLength: 2 }),
  })
  const budget = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined })
  const catalog = fc.record({
    drawn: fc.array(drawn, { minLength: 1, maxLength: 6 }),
    cents: fc.integer({ min: 0, max: 8 }),
    items: fc.integer({ min: 0, max: 8 }),
    steps: budget,
    microUsd: budget,
    sideEffects: budget,
  })

  type Drawn = typeof catalog extends fc.Arbitrary<infer Value> ? Value : never

  /** A tool requires earlier ones only, so that its smallest plan is itself after all that it requires. */
  function declare({ drawn, cents, items, ...budgets }: Drawn) {
    const needs = drawn.map(({ requires }, index) => requires.filter((other) => other < index))
    const tools = drawn.map((one, index): [string, ToolSpec] => [
      `t${index}`,
      {
        description: "Do.",
        effect: one.mutates ? "write" : "read",
        params: z.strictObject({ some: z.array(z.int()).min(one.items).max(9) }),
        requires: (needs[index] ?? []).map((other) => ({ tool: `t${other}` })),
        blast: { cents: one.cents, items: count("some") },
        cost: { microUsd: one.microUsd },
        idempotency: "natural",
        compensate: "none",
      },
    ])
    const given = Object.fromEntries(Object.entries(budgets).filter(([, value]) => value !== undefined))
    return {
      needs,
      built: build(Object.fromEntries(tools), {
        blastRadius: { cents: { max: cents }, items: { max: items } },
        budgets: given,
      }),
    }
  }

  test("a tool is said to be beyond every plan exactly where its smallest plan is refused", () => {
    let beyond = 0
    fc.assert(
      fc.property(catalog, (spec) => {
        const { needs, built } = declare(spec)
        const told = new Set(built.diagnostics.filter(({ code }) => code === "SEQ818").map(({ at }) => at))
        spec.drawn.forEach((_, index) => {
          const wanted = new Set([index])
          for (const one of wanted) for (const other of needs[one] ?? []) wanted.add(other)
          const steps = [...wanted]
            .sort((a, b) => a - b)
            .map((one) => ({
              id: `s${one}`,
              tool: `t${one}`,
              args: { some: Array.from({ length: spec.drawn[one]?.items ?? 0 }, () => 1) },
            }))
          const { ok } = compile(built, JSON.stringify({ version: 1, steps }))
          expect(ok).toBe(!told.has(`/tools/t${index}` as never))
          if (!ok) beyond++
        })
      }),
    )
    expect(beyond).toBeGreaterThan(20)
  })

  test("a budget of no steps is told once, not for each tool; a limit of 0 leaves what may count nothing", () => {
    expect(said(build({ look: read, list: read }, { budgets: { steps: 0 } }))).toEqual(["SEQ818 /budgets/steps"])
    const pay = { ...write, blast: { cents: arg("cents") } }
    expect(said(build({ pay }, { blastRadius: { cents: { max: 0 } } }))).toEqual([])
  })

  test("transitions are steps too", () => {
    const machine = { initial: "A", transitions: { A: { B: {} }, B: { C: {} }, C: {} } }
    const pay = { ...write, states: ["C"] }
    const list = { ...read, requires: [{ tool: "pay" }] }
    const within = (steps: number) => said(build({ pay, list }, { machine, budgets: { steps } }))
    expect(within(4)).toEqual([])
    expect(within(3)).toEqual(["SEQ818 /tools/list"])
    expect(within(2)).toEqual(["SEQ818 /tools/pay", "SEQ818 /tools/list"])
  })

  test("a warning keeps no other tool from being used", () => {
    const built = build({ look: read, pay: { ...write, blast: { cents: 5 } } }, { blastRadius: { cents: { max: 1 } } })
    expect(said(built)).toEqual(["SEQ818 /tools/pay"])
    expect(compile(built, '{"version":1,"steps":[{"id":"a","tool":"look","args":{"id":"x"}}]}').ok).toBe(true)
  })
})

test("what must be the same can be the same", () => {
  const of = (params: ToolSpec["params"]): ToolSpec => ({ ...read, params })
  const about = (own: ToolSpec["params"], other: ToolSpec["params"]) =>
    said(build({ find: of(other), open: { ...of(own), requires: [{ tool: "find", same: ["id"] }] } }))
  const [text, whole] = [z.strictObject({ id: z.string() }), z.strictObject({ id: z.int() })]
  expect(about(text, whole)).toEqual(["SEQ824 /tools/open/requires/0"])
  expect(about(text, z.strictObject({ id: z.union([z.int(), z.string()]) }))).toEqual([])
  expect(about(text.partial(), whole.partial())).toEqual([])
  expect(about(text, whole.partial())).toEqual(["SEQ824 /tools/open/requires/0"])
})

describe("answers for an effect", () => {
  const { idempotency: _, compensate: __, ...bare } = write

  test("what may be repeated must be said, what can be undone should be", () => {
    expect(said(build({ bare }))).toEqual(["SEQ812 /tools/bare", "SEQ822 /tools/bare"])
    expect(said(build({ bare: { ...bare, idempotency: "none" } }))).toEqual([
      "SEQ821 /tools/bare/idempotency",
      "SEQ822 /tools/bare",
    ])
    expect(said(build({ look: read }))).toEqual([])
  })

  test("an effect that can be asked after needs no key", () => {
    const asked = { ...bare, reconcile: { finalAfterMs: 60_000 }, compensate: "none" } as const
    expect(said(build({ asked }))).toEqual([])
    expect(said(build({ asked: { ...asked, idempotency: "none" } }))).toEqual([])
  })
})

describe("undoing and happening once", () => {
  const pay = tool({
    ...write,
    params: z.strictObject({ order: z.strictObject({ id: z.string(), line: z.int().optional() }), cents: z.int() }),
    result: z.object({ receipts: z.array(z.string()), note: z.string().nullable() }),
    once: { by: ["/order/id", "cents"], scope: "tenant" },
    compensate: {
      tool: "void",
      args: {
        receipt: fromResult("/receipts/0"),
        note: fromResult("/note"),
        cents: fromArgs("/cents"),
        why: { kind: "from-result", of: "a literal, though it looks like one of ours" },
      },
    },
    reconcile: { finalAfterMs: 0 },
    isolate: true,
  })
  const undo = tool({
    ...write,
    params: z.strictObject({
      receipt: z.string(),
      note: z.string(),
      cents: z.int(),
      why: z.strictObject({ kind: z.string(), of: z.string() }),
    }),
  })
  const machine = { initial: "LOOKING", transitions: { LOOKING: { PAYING: { guard: "approval" } } } } as const
  const states = ["PAYING"]
  const shop = build({ pay: { ...pay, states }, void: { ...undo, states } }, { machine })

  test("what only the values can decide is accepted; a guarded state is no hindrance, for no undo asks for a state", () => {
    expect(said(shop)).toEqual([])
  })

  test("a tool carries it as data, in one form", () => {
    expect(shop.tools.get("pay")).toMatchObject({
      once: { by: ["/order/id", "/cents"], scope: "tenant" },
      reconcile: { finalAfterMs: 0 },
      isolate: true,
      idempotency: { kind: "key", retentionMs: 60_000 },
      compensation: {
        kind: "call",
        tool: "void",
        args: [
          { name: "receipt", source: { kind: "from-result", path: "/receipts/0" } },
          { name: "note", source: { kind: "from-result", path: "/note" } },
          { name: "cents", source: { kind: "from-args", path: "/cents" } },
          { name: "why", source: { kind: "literal" } },
        ],
      },
    })
    expect(shop.tools.get("void")).toMatchObject({ once: undefined, reconcile: undefined, isolate: false })
    expect(shop.tools.get("void")?.compensation).toEqual({ kind: "none" })
  })

  test("two tools may undo each other: no undo is undone", () => {
    const lock = { ...write, compensate: { tool: "unlock", args: { id: fromArgs("/id"), cents: 0 } } } as const
    expect(said(build({ lock, unlock: { ...lock, compensate: { ...lock.compensate, tool: "lock" } } }))).toEqual([])
  })

  const isOdd = named("cents-are-odd", "1", ({ cents }: { cents: number }) => cents % 2 === 1)

  test("literals are held against the undo's own validator where all is known", () => {
    const strict = { ...write, params: z.strictObject({ id: z.string(), cents: z.int() }).refine(isOdd) }
    const by = (cents: number) =>
      build({ pay: { ...write, compensate: { tool: "strict", args: { id: "x", cents } } }, strict })
    expect(said(by(1)).filter((one) => one.startsWith("SEQ823"))).toEqual([])
    expect(said(by(2))).toContain("SEQ823 /tools/pay/compensate/args")
  })

  test("`once` by what may be left out, or by no scalar, is refused", () => {
    const by = (name: string) => said(build({ pay: { ...pay, once: { by: [name], scope: "task" } }, void: undo }))
    for (const name of ["/order/line", "order", "/order~2", ""]) expect(by(name).length, name).toBeGreaterThan(0)
    expect(by("/order/id")).toEqual([])
    expect(by("orders")).toContain("SEQ808 /tools/pay/once/by/0")
    expect(by("/order/ids")).toContain("SEQ808 /tools/pay/once/by/0")
  })

  test("a schema that cannot be read is told once: nothing that names its parameters is at fault", () => {
    const broken = { ...pay, params: z.strictObject({ cents: z.int().transform(String) }), blast: { cents: arg("c") } }
    const about = build({ pay: broken as never, void: undo, again: pay }, { blastRadius: { cents: { max: 9 } } })
    expect(said(about)).toEqual(["SEQ802 /tools/pay/params"])
  })
})

describe("rules", () => {
  const list = {
    ...read,
    result: z.object({ rows: z.array(z.tuple([z.string(), z.strictObject({ id: z.string() })])) }),
  }
  const by = (from: string) =>
    said(
      build(
        { list, pay: { ...write, params: z.strictObject({ id: z.unknown() }), rules: { id: { from: [from] } } } },
        { inputs: z.strictObject({ id: z.string() }) },
      ),
    )

  test.each(["list#", "list#/rows/*/1/id", "list#/rows/*/*/id", "list#/rows/0/0", "input#/id", "pay#/receipt"])(
    "%s is a place",
    (place) => expect(by(place)).toEqual([]),
  )

  test.each([
    "list",
    "list#rows",
    "list#/row",
    "list#/rows/*/id",
    "lists#/rows",
    "input#/ids",
    "#/rows",
    "list#/rows/~2",
  ])("%s is none", (place) => expect(by(place)).toHaveLength(1))
})

describe("labels", () => {
  const result = z.object({
    rows: z.array(z.tuple([z.string(), z.strictObject({ id: z.string() })])),
    byName: z.record(z.string(), z.strictObject({ v: z.string() })),
    any: z.unknown(),
  })
  const on = (place: string) => said(build({ list: { ...read, result, untrusted: [place] } }))

  test.each([
    "",
    "/rows",
    "/rows/*",
    "/rows/*/0",
    "/rows/*/1/id",
    "/rows/*/*/id",
    "/byName/*",
    "/byName/*/v",
    "/any",
    "/*",
  ])("%s is a place", (place) => expect(on(place)).toEqual([]))

  test.each(["rows", "/row", "/rows/0", "/rows/*/2", "/rows/*/1/ids", "/byName/ada/v", "/any/what", "/rows/~2"])(
    "%s is none, or says less than it seems",
    (place) => expect(on(place)).toEqual(["SEQ808 /tools/list/untrusted/0"]),
  )

  test("of all of a result need none to be declared, of a place in it they do", () => {
    expect(said(build({ look: { ...read, untrusted: true, private: true } }))).toEqual([])
    expect(said(build({ look: { ...read, private: ["/a"] } }))).toEqual(["SEQ808 /tools/look/private/0"])
  })

  test("of inputs that there are none of say nothing", () => {
    expect(said(build({ look: read }, { inputLabels: { untrusted: true } }))).toEqual(["SEQ820 /inputLabels"])
    const inputs = z.strictObject({ note: z.string() })
    expect(said(build({ look: read }, { inputs, inputLabels: { untrusted: ["/note"], private: ["/to"] } }))).toEqual([
      "SEQ808 /inputLabels/private/0",
    ])
  })
})

describe("policies of who and of what that cannot hold", () => {
  const list = {
    ...read,
    result: z.strictObject({ id: z.string(), note: z.string() }),
    untrusted: ["/note"],
    private: ["/id"],
  }
  const by = (rule: object, more: object = {}) =>
    said(build({ list, pay: { ...write, ...more, rules: { id: rule } } } as never))

  test("a source whose label the rule refuses", () => {
    expect(by({ from: ["list#/id", "list#/note"], trusted: true })).toEqual(["SEQ824 /tools/pay/rules/id/from/1"])
    expect(by({ from: ["list#/id", "list#/note"], public: true })).toEqual(["SEQ824 /tools/pay/rules/id/from/0"])
    expect(by({ from: ["list#/id", "list#/note"] })).toEqual([])
  })

  test("no source at all, no role at all, fewer approvers than one", () => {
    expect(by({ from: [] })).toEqual(["SEQ801 /tools/pay/rules/id/from"])
    expect(by({}, { authority: { roles: [] } })).toEqual(["SEQ801 /tools/pay/authority/roles"])
    for (const approvers of [0, -1, 1.5, "2"])
      expect(by({}, { authority: { approval: "always", approvers } })).toEqual([
        "SEQ801 /tools/pay/authority/approvers",
      ])
    expect(said(build({ look: read }, { approvals: "none" } as never))).toEqual(["SEQ801 /approvals"])
  })

  test("approvers where an amount is asked about are some", () => {
    const pay = { ...write, blast: { cents: arg("cents") }, authority: { approvers: 2 } }
    expect(said(build({ pay }, { blastRadius: { cents: { max: 9, approveAbove: 3 } } }))).toEqual([])
    expect(said(build({ pay }, { blastRadius: { cents: { max: 9 } } }))).toEqual([
      "SEQ824 /tools/pay/authority/approvers",
    ])
  })
})

describe("a plan depends on what is said of effects", () => {
  const undo = { ...write, params: z.strictObject({ id: z.string() }) }
  const hashOf = (changes: Partial<ToolSpec>, others: Partial<ToolSpec> = {}, per?: "session"): string => {
    const limit = { max: 9, ...(per && { per }) }
    const pay = {
      ...write,
      compensate: { tool: "undo", args: { id: fromArgs("/id") } },
      blast: { cents: 1 },
      ...changes,
    }
    const catalog = build({ pay, undo: { ...undo, ...others }, look: read } as never, { blastRadius: { cents: limit } })
    const compiled = compile(catalog, '{"version":1,"steps":[{"id":"a","tool":"pay","args":{"id":"x","cents":1}}]}')
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
    return compiled.plan.catalogHash
  }

  test("each change of it changes the hash, and words do not", () => {
    const hashes = [
      hashOf({}),
      hashOf({ compensate: "none" }),
      hashOf({ compensate: { tool: "undo", args: { id: "x" } } }),
      hashOf({ compensate: { tool: "undo", args: { id: fromResult("/receipt") } } }),
      hashOf({ once: { by: ["id"], scope: "task" } }),
      hashOf({ once: { by: ["id"], scope: "tenant" } }),
      hashOf({ reconcile: { finalAfterMs: 1 } }),
      hashOf({ reconcile: { finalAfterMs: 2 } }),
      hashOf({ idempotency: "natural" }),
      hashOf({ rules: { id: { trusted: true } } }),
      hashOf({ rules: { "/cents": { mustState: false, public: true } } }),
      hashOf({ rules: { "/id": { public: true } } }),
      hashOf({ untrusted: true }),
      hashOf({ private: ["/receipt"] }),
      hashOf({ endorse: ["trusted"] }),
      hashOf({ authority: { roles: ["a"] } }),
      hashOf({ authority: { tenants: ["a"] } }),
      hashOf({ authority: { when: predicate("a", "1", () => true) } }),
      hashOf({ authority: { when: predicate("a", "2", () => true) } }),
      hashOf({ authority: { approval: "always" } }),
      hashOf({}, { version: "2" }),
      hashOf({}, {}, "session"),
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(hashOf({ description: "Pay.", isolate: true }, { description: "Undo." })).toBe(hashes[0])
    const by = (names: readonly string[]) => hashOf({ once: { by: names, scope: "task" } })
    expect(by(["id", "cents"])).toBe(by(["cents", "/id"]))
  })
})

test("types see what a tool says of its own parameters", () => {
  const params = z.strictObject({ id: z.string(), cents: z.int().min(0).max(9) })
  const pay = { description: "Pay.", effect: "write", params } as const
  tool({ ...pay, blast: { cents: arg("cents") }, once: { by: ["id", "/cents"], scope: "task" } })
  tool({ ...pay, params: { type: "object" }, blast: { cents: arg("anything") } })
  // @ts-expect-error no parameter `cent`
  tool({ ...pay, blast: { cents: arg("cent") } })
  // @ts-expect-error no parameter `ids`
  tool({ ...pay, blast: { cents: count("ids") } })
  // @ts-expect-error no parameter `ids`
  tool({ ...pay, once: { by: ["ids"], scope: "task" } })
  // @ts-expect-error no parameter `ids`
  tool({ ...pay, requires: [{ tool: "look", same: ["ids"] }] })
  // @ts-expect-error an effect happens once in a task, a session or a tenant
  tool({ ...pay, once: { by: ["id"], scope: "run" } })
})

describe("what no plan could ever do", () => {
  test("params that are no object", () => {
    for (const params of [z.string(), z.array(z.string()), z.union([z.string(), z.null()]), false, { type: "array" }]) {
      const [first, ...others] = build({ look: { ...read, params } }).diagnostics
      expect([first?.code, first?.at, others]).toEqual(["SEQ804", "/tools/look/params", []])
    }
    expect(said(build({ look: { ...read, params: z.union([z.strictObject({}), z.string()]) } }))).toEqual([])
  })

  test("a machine whose first state is misspelt: one fault, with the name that was meant", () => {
    const machine = { initial: "OPN", transitions: { OPEN: { DONE: {} }, DONE: {} } }
    const { diagnostics } = build({ look: read }, { machine })
    expect(diagnostics).toMatchObject([{ code: "SEQ808", at: "/machine/initial", hint: "Did you mean `OPEN`?" }])
    expect(said(build({ look: read }, { machine: { initial: "ONLY", transitions: {} } }))).toEqual([])
  })

  test("a tool that requires what can be called only where no way leads back from", () => {
    const tools = (a: readonly string[], b: readonly string[]) => ({
      first: { ...write, states: b },
      next: { ...write, states: a, requires: [{ tool: "first" }] },
      last: { ...write, states: ["B"], requires: [{ tool: "next" }] },
    })
    const oneWay = { initial: "A", transitions: { A: { B: {} }, B: {} } }
    const back = { initial: "A", transitions: { A: { B: {} }, B: { A: {} } } }
    expect(said(build(tools(["A"], ["B"]), { machine: oneWay }))).toEqual(["SEQ818 /tools/next"])
    expect(said(build(tools(["A"], ["B"]), { machine: back }))).toEqual([])
    expect(said(build(tools(["A"], ["A", "B"]), { machine: oneWay }))).toEqual([])
    expect(said(build(tools(["B"], ["A"]), { machine: oneWay }))).toEqual([])
  })
})

test("of a declaration that is ill-formed the schemas are asked about all the same", () => {
  const spec = {
    name: "shop",
    version: 1,
    tools: { look: { ...read, effect: "reads", params: z.strictObject({ a: z.coerce.number() }) }, odd: 1 },
  }
  expect(said(defineCatalog(spec as never)).sort()).toEqual([
    "SEQ801 /tools/look/effect",
    "SEQ801 /tools/odd",
    "SEQ801 /version",
    "SEQ802 /tools/look/params",
  ])
})

describe("what is asked of whoever agrees", () => {
  const machine = (roles: readonly string[]): NonNullable<CatalogSpec["machine"]> => ({
    initial: "A",
    transitions: { A: { B: { guard: "approval", covers: "next", approverRoles: roles } } },
  })
  const pay = { ...write, states: ["B"], authority: { approval: "always", approverRoles: ["head"] } } as const
  const told = (catalog: Catalog) => catalog.diagnostics.filter(({ code }) => code === "SEQ820")

  test("one decision that nobody can make for both stands for one", () => {
    const apart = build({ look: read, pay }, { machine: machine(["lead"]) })
    expect(told(apart)).toMatchObject([
      { at: "/machine/transitions/A/B/covers", message: expect.stringContaining("`pay`") },
    ])
    expect(told(build({ look: read, pay }, { machine: machine(["lead", "head"]) }))).toEqual([])
  })

  test("names that are believed have no roles, and are as many as one person likes", () => {
    const two = { ...pay, authority: { ...pay.authority, approvers: 2 } }
    const rest = { machine: machine(["head"]), approvals: "unsigned" } as const
    expect(told(build({ pay: two }, rest)).map(({ at }) => at)).toEqual([
      "/machine/transitions/A/B/approverRoles",
      "/tools/pay/authority/approverRoles",
      "/tools/pay/authority/approvers",
    ])
    expect(told(build({ pay: two }, { machine: machine(["head"]) }))).toEqual([])
  })
})
