/** Where data goes: the way a refusal shows, what is joined on it, and what is not told twice. */
import { type CatalogSpec, compile, type Diagnostic, defineCatalog, type Json, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { viewPlan } from "../../src/explain/view.ts"
import { call, expectDiagnostics, expectValid, from, planOf, refusal, type WrittenStep } from "./expect.ts"

const text = z.string()
const effect = { effect: "write", idempotency: "natural" } as const

const spec = {
  name: "post room",
  version: "1",
  inputs: z.strictObject({ to: text, note: text }),
  inputLabels: { untrusted: ["/note"], private: ["/note"] },
  tools: {
    mail: tool({
      description: "Read mail.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({
        from: text,
        body: text,
        parts: z.array(z.strictObject({ name: text, data: text })),
        heads: z.record(z.string(), z.strictObject({ v: text, w: text })),
        kind: z.union([
          z.strictObject({ is: z.literal("order"), what: text }),
          z.strictObject({ is: z.literal("chat"), what: text, who: text }),
        ]),
      }),
      untrusted: ["/body", "/parts/*/data", "/heads/*/v", "/kind/what"],
      private: ["/from"],
    }),
    book: tool({
      description: "The address book.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ people: z.array(z.strictObject({ name: text, id: text })) }),
    }),
    pair: tool({
      description: "Both ends of a line.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({
        ends: z.tuple([z.strictObject({ k: text, id: text }), z.strictObject({ k: text, id: text })]),
      }),
      untrusted: ["/ends/1/id"],
    }),
    shorten: tool({
      description: "Shorten.",
      effect: "read",
      params: z.strictObject({ text, also: text.optional() }),
      result: z.strictObject({ text }),
    }),
    check: tool({
      description: "Check an address.",
      effect: "read",
      params: z.strictObject({ text }),
      result: z.strictObject({ id: text, text }),
      endorse: ["trusted"],
    }),
    send: tool({
      description: "Send.",
      params: z.strictObject({
        to: text,
        text: text.optional(),
        lines: z.array(z.strictObject({ to: text, text: text.optional() })).optional(),
        data: z.unknown().optional(),
      }),
      result: z.strictObject({ id: text }),
      rules: {
        to: { trusted: true },
        "/lines/*/to": { trusted: true },
        data: { trusted: true, public: true },
      },
      compensate: { tool: "unsend", args: { id: { kind: "from-args", path: "/to" } } },
      ...effect,
    }),
    unsend: tool({ description: "Take back.", params: z.strictObject({ id: text }), compensate: "none", ...effect }),
    sign: tool({
      description: "Sign for somebody.",
      params: z.strictObject({ who: text, whom: z.array(text).optional(), which: z.unknown().optional() }),
      rules: {
        which: { from: ["book#/people/*"] },
        who: { from: ["book#/people/*/id", "input#/to"], trusted: true },
        "/whom/*": { from: ["book#/people/*/id"] },
      },
      compensate: "none",
      ...effect,
    }),
  },
} as const satisfies CatalogSpec

const catalog = defineCatalog(spec)
const mail = call("m", "mail")
const book = call("b", "book")
const send = (id: string, to: unknown, more: object = {}): WrittenStep => call(id, "send", { to, ...more })
const pathsOf = (steps: readonly WrittenStep[], options = {}): readonly string[] =>
  refusal(catalog, steps, options).map(({ message }) => message.slice(message.indexOf(": ") + 2))

test("the catalog has nothing to say of itself", () => {
  expect(catalog.diagnostics).toEqual([])
})

describe("what a place is, its readers read", () => {
  test.each([
    ["the place itself", from("m", "/body")],
    ["an item of a list, whichever", from("m", "/parts/3/data")],
    ["a key of a record, whichever", from("m", "/heads/subject/v")],
    ["what is in any branch of a union", from("m", "/kind/what")],
    ["an input", from("input", "/note")],
  ])("%s", (_, to) => {
    expectDiagnostics(catalog, [mail, send("s", to)]).toEqual(["SEQ602 /steps/1/args/to"])
  })

  test.each([
    ["a place beside it", from("m", "/parts/3/name")],
    ["another field of a record's values", from("m", "/heads/subject/w")],
    ["private is not untrusted", from("m", "/from")],
    ["another input", from("input", "/to")],
    ["what the planner wrote", "ada"],
    ["a text of what is trusted", { $concat: ["x", from("input", "/to")] }],
  ])("but not %s", (_, to) => {
    expectValid(catalog, [mail, send("s", to)])
  })

  test("what holds a marked place is marked, and what holds none is not", () => {
    for (const path of ["", "/parts", "/parts/0", "/heads", "/heads/x", "/kind"])
      expectDiagnostics(catalog, [mail, send("s", "a", { data: from("m", path) })]).toContain(
        "SEQ602 /steps/1/args/data",
      )
    expectValid(catalog, [book, send("s", "a", { data: from("b", "/people") })])
  })

  test("of a tuple each item is its own, unless it is chosen", () => {
    const pair = call("p", "pair")
    expectValid(catalog, [pair, send("s", from("p", "/ends/0/id")), send("t", from("p", "/ends/1/k"))])
    expectDiagnostics(catalog, [pair, send("s", from("p", "/ends/1/id"))]).toEqual(["SEQ602 /steps/1/args/to"])
    const chosen = { ...from("p", "/ends"), where: { "/k": "a" }, pick: "/id" }
    expectDiagnostics(catalog, [pair, send("s", chosen)]).toEqual(["SEQ602 /steps/1/args/to"])
    expectValid(catalog, [pair, send("s", { ...chosen, pick: "/k" })])
  })

  test("each label is told by itself", () => {
    expectDiagnostics(catalog, [mail, send("s", "a", { data: from("m") })]).toEqual([
      "SEQ602 /steps/1/args/data",
      "SEQ603 /steps/1/args/data",
    ])
    expectDiagnostics(catalog, [mail, send("s", "a", { data: [1, { deep: from("m", "/from") }] })]).toEqual([
      "SEQ603 /steps/1/args/data",
    ])
  })
})

describe("the way it took", () => {
  test("through joined texts and tools, each by its name", () => {
    const steps = [
      mail,
      call("c", "shorten", { text: from("m", "/body") }),
      send("s", { $concat: ["to ", from("c", "/text")] }),
    ]
    expect(pathsOf(steps)).toEqual(["to ← s.$concat ← c /text ← c.text ← m /body (untrusted: mail)"])
  })

  test("through a choice: what was looked at, and what it was compared with", () => {
    const chosen = (where: object, list = from("b", "/people")) => ({ ...list, where, pick: "/id" })
    expect(pathsOf([mail, book, send("s", chosen({ "/name": from("m", "/kind/what") }))])).toEqual([
      "to ← s.where ← m /kind/what (untrusted: mail)",
    ])
    const looked = { ...from("m", "/parts"), where: { "/data": "x" }, pick: "/name" }
    expect(pathsOf([mail, send("s", looked)])).toEqual(["to ← s.where ← m /parts/*/data (untrusted: mail)"])
    expectValid(catalog, [mail, book, send("s", chosen({ "/name": from("m", "/from") }))])
  })

  test("a long way is cut in the middle", () => {
    const steps = [mail, call("c0", "shorten", { text: from("m", "/body") })]
    for (let index = 1; index < 9; index++)
      steps.push(call(`c${index}`, "shorten", { text: from(`c${index - 1}`, "/text") }))
    expect(pathsOf([...steps, send("s", from("c8", "/text"))])).toEqual([
      "to ← c8 /text ← c8.text ← c7 /text ← c7.text ← c6 /text ← c6.text ← … 12 more … ← m /body (untrusted: mail)",
    ])
  })

  test("what a plan wrote into it hides nothing, and is not told at length", () => {
    const odd = (key: string) => refusal(catalog, [mail, send("s", from("m", `/heads/${key}/v`))])[0]
    const hidden = odd("a\u202eb")
    expect(hidden?.message).toContain("to ← m /heads/a\\u202eb/v (untrusted: mail)")
    expect(JSON.stringify(hidden?.related)).not.toContain("\u202e")
    expect(odd("k".repeat(2_000))?.message).toMatch(/to ← m \/heads\/k{113}… \(untrusted: mail\)$/)
  })

  test("the places on it are shown beside", () => {
    const [told] = refusal(catalog, [
      mail,
      call("c", "shorten", { text: from("m", "/body") }),
      send("s", from("c", "/text")),
    ])
    expect(told?.related).toEqual([
      { at: "/steps/1/tool", message: "c /text", range: expect.anything() },
      { at: "/steps/1/args/text", message: "c.text", range: expect.anything() },
      { at: "/steps/0/tool", message: "m /body (untrusted: mail)", range: expect.anything() },
    ])
  })

  test("a tool that endorses ends it, for what it endorses only", () => {
    const checked = call("c", "check", { text: from("m", "/body") })
    expectValid(catalog, [mail, checked, send("s", from("c", "/id"))])
    const hidden = call("c", "check", { text: from("m", "/from") })
    expectDiagnostics(catalog, [mail, hidden, send("s", "a", { data: from("c", "/id") })]).toEqual([
      "SEQ603 /steps/2/args/data",
    ])
    const [{ hint } = {} as Diagnostic] = refusal(catalog, [mail, send("s", from("m", "/body"))])
    expect(hint).toBe("Take `to` from what is trusted, or pass it through `check` first.")
  })
})

describe("a value from another place", () => {
  const chosen = { ...from("b", "/people"), where: { "/name": "Ada" }, pick: "/id" }

  test.each([
    ["one that is named", from("b", "/people/0/id")],
    ["one that is chosen there", chosen],
    ["an input that is named", from("input", "/to")],
  ])("%s is taken", (_, who) => {
    expectValid(catalog, [book, call("s", "sign", { who })])
  })

  test.each([
    ["a literal", "ada", "a literal"],
    ["a literal in its wrapper", { $literal: "ada" }, "a literal"],
    ["the field beside it", from("b", "/people/0/name"), "b /people/0/name (book)"],
    ["another choice", { ...chosen, pick: "/name" }, "b /people/*/name (book)"],
    ["another input", from("input", "/note"), "input /note"],
    ["a text that holds it", { $concat: [from("b", "/people/0/id"), ""] }, "a text that `$concat` makes"],
  ])("%s is not", (_, who, said) => {
    expect(pathsOf([book, call("s", "sign", { who })])).toEqual([`who ← ${said}`])
  })

  test("what lies in a place that is named is not it, nor what holds it", () => {
    const sign = (which: object) => [book, call("s", "sign", { who: from("input", "/to"), which })]
    expectValid(catalog, sign(from("b", "/people/0")))
    expectValid(catalog, sign({ ...from("b", "/people"), where: { "/name": "Ada" }, pick: "" }))
    for (const path of ["/people/0/id", "/people", ""])
      expectDiagnostics(catalog, sign(from("b", path))).toEqual(["SEQ601 /steps/1/args/which"])
  })

  test("what another tool passes on comes from that tool", () => {
    const steps = [
      book,
      call("c", "check", { text: from("b", "/people/0/id") }),
      call("s", "sign", { who: from("c", "/id") }),
    ]
    expect(pathsOf(steps)).toEqual(["who ← c /id (check)"])
  })

  test("each item by itself, and a whole list by its items", () => {
    const whom = [from("b", "/people/0/id"), "ada", { $literal: "tom" }, { $concat: ["a", "b"] }]
    expectDiagnostics(catalog, [book, call("s", "sign", { who: chosen, whom })]).toEqual([
      "SEQ601 /steps/1/args/whom/1",
      "SEQ601 /steps/1/args/whom/2",
      "SEQ601 /steps/1/args/whom/3",
    ])
    expectDiagnostics(catalog, [call("s", "sign", { who: from("input", "/to"), whom: { $literal: ["ada"] } })]).toEqual(
      ["SEQ601 /steps/0/args/whom/$literal/0"],
    )
    expectValid(catalog, [call("s", "sign", { who: from("input", "/to"), whom: [] })])
  })

  test("of a place that is named and untrusted all the same, that it is untrusted is told", () => {
    const passed = { ...spec.tools.book, params: z.strictObject({ about: text.optional() }) }
    const open = defineCatalog({ ...spec, tools: { ...spec.tools, book: passed } })
    const steps = [
      mail,
      call("b", "book", { about: from("m", "/body") }),
      call("s", "sign", { who: from("b", "/people/0/id") }),
    ]
    expectDiagnostics(open, steps).toEqual(["SEQ602 /steps/2/args/who"])
  })
})

describe("literals", () => {
  test("of a planner that has seen untrusted data are untrusted, and the plan says what they were taken for", () => {
    const steps = [send("s", "ada")]
    expect(expectValid(catalog, steps).literals).toBe("trusted")
    expectDiagnostics(catalog, steps, { literals: "untrusted" }).toEqual(["SEQ602 /steps/0/args/to"])
    expect(expectValid(catalog, [send("s", from("input", "/to"))], { literals: "untrusted" }).literals).toBe(
      "untrusted",
    )
  })

  test("wherever they have a say", () => {
    const chosen = { ...from("b", "/people"), where: { "/name": "Ada" }, pick: "/id" }
    const untrusted = { literals: "untrusted" } as const
    expect(pathsOf([book, send("s", chosen)], untrusted)).toEqual([
      "to ← s.where ← a literal (untrusted: its writer has seen untrusted data)",
    ])
    const shortened = call("c", "shorten", { text: "ada" })
    expectDiagnostics(catalog, [shortened, send("s", from("c", "/text"))], untrusted).toEqual([
      "SEQ602 /steps/1/args/to",
    ])
  })

  test("what is neither is a fault of the host's, and never counts as trusted", () => {
    expectDiagnostics(catalog, [send("s", "a")], { literals: "false" as never }).toEqual(["SEQ801 "])
  })
})

describe("a fault poisons its step and what depends on it", () => {
  test("what is not known is not told of", () => {
    expectDiagnostics(catalog, [mail, send("s", from("m", "/bodi"))]).toEqual(["SEQ205 /steps/1/args/to/path"])
    const through = call("c", "shorten", { text: from("m", "/body"), also: from("m", "/nothing") })
    expectDiagnostics(catalog, [mail, through, send("s", from("c", "/text"))]).toEqual([
      "SEQ205 /steps/1/args/also/path",
    ])
  })

  test("nor what follows from a refused step, but what has the same cause is", () => {
    expectDiagnostics(catalog, [
      mail,
      send("s", from("m", "/body")),
      send("t", from("s", "/id")),
      send("u", from("m", "/body")),
    ]).toEqual(["SEQ602 /steps/1/args/to", "SEQ602 /steps/3/args/to"])
  })

  test("a fault of another kind in the same step hides nothing", () => {
    expectDiagnostics(catalog, [mail, send("s", from("m", "/body"), { texts: "a" })]).toEqual([
      "SEQ602 /steps/1/args/to",
      "SEQ121 /steps/1/args/texts",
    ])
  })
})

test("what is kept of a plan: where each ruled argument comes from", () => {
  const lines = [{ to: "ada" }, { to: from("input", "/to") }]
  const plan = expectValid(catalog, [mail, send("s", { $concat: ["a", from("m", "/from")] }, { lines })])
  expect(plan.steps[1]?.provenance).toEqual([
    { at: "/steps/1/args/lines/0/to", argument: "lines/0/to", from: ["literal"] },
    { at: "/steps/1/args/lines/1/to", argument: "lines/1/to", from: ["input#/to"] },
    { at: "/steps/1/args/to", argument: "to", from: ["literal", "mail#/from"] },
  ])
})

describe("what untrusted data could suppress or trigger", () => {
  const swayed = (steps: readonly WrittenStep[]): Json =>
    viewPlan(expectValid(catalog, steps), catalog).swayed.map(
      ({ kind, step, tool, by }) => `${kind} ${step} ${tool} by ${by}`,
    )

  test("effects after it, and undos of those before it", () => {
    const steps = [send("s", "a"), mail, send("t", "b"), send("u", "c", { text: from("m", "/body") })]
    expect(swayed(steps)).toEqual([
      "undo s unsend by u",
      "effect t send by m",
      "undo t unsend by u",
      "effect u send by m",
    ])
  })

  test("nothing where it has no say", () => {
    expect(swayed([book, send("s", from("b", "/people/0/id"))])).toEqual([])
    expect(swayed([send("s", "a"), call("n", "sign", { who: from("input", "/to") })])).toEqual([])
  })

  test("an effect by its own arguments", () => {
    expect(swayed([send("s", "a", { text: from("input", "/note") })])).toEqual(["effect s send by s"])
  })
})

test("ten thousand references to one place cost what they are", () => {
  const many = Array.from({ length: 10_000 }, () => from("b", "/people/0/id"))
  const start = performance.now()
  expect(compile(catalog, planOf([book, call("s", "sign", { who: from("input", "/to"), whom: many })])).ok).toBe(true)
  expect(performance.now() - start).toBeLessThan(2_000)
})

test("untrusted literals are carried by results, also where the catalog of the plan says nothing of data", () => {
  const quiet = call("s", "shorten", { text: "EVIL" })
  expect(expectValid(catalog, [quiet], { literals: "untrusted" }).steps[0]?.carries).toEqual(["untrusted"])
  expect(expectValid(catalog, [quiet]).steps[0]?.carries).toEqual([])
  const plain = defineCatalog({
    name: "plain",
    version: "1",
    tools: { shorten: tool({ description: "Shorten.", effect: "read", params: z.strictObject({ text }) }) },
  })
  expect(expectValid(plain, [quiet], { literals: "untrusted" }).steps[0]?.carries).toEqual(["untrusted"])
})

describe("keys that the plan makes up, by an untrusted writer", () => {
  const amounts = z.record(z.string(), z.string()).optional()
  const keyed = defineCatalog({
    ...spec,
    tools: {
      ...spec.tools,
      pay: tool({
        description: "Pay.",
        params: z.strictObject({
          amounts,
          owed: amounts,
          one: z.strictObject({ id: text }).optional(),
          all: z.array(z.record(z.string(), text)).optional(),
          free: z.unknown().optional(),
          loose: z.looseObject({ id: text }).optional(),
          bag: z.record(z.string(), z.unknown()).optional(),
          marked: z.unknown().optional(),
        }),
        rules: {
          free: { trusted: true },
          loose: { trusted: true },
          bag: { trusted: true },
          "/marked/*": { from: ["book#/people/0/id"] },
          "/marked/deep": { trusted: true },
          amounts: { trusted: true },
          all: { trusted: true },
          "/one/id": { from: ["book#/people/0/id"] },
          "/owed/*": { from: ["book#/people/0/id"] },
          one: { trusted: true },
        },
        compensate: "none",
        ...effect,
      }),
      spread: tool({
        description: "Spread.",
        effect: "read",
        params: z.strictObject({ by: z.record(z.string(), text) }),
        result: z.strictObject({ text }),
      }),
    },
  })
  const id = from("b", "/people/0/id")
  const untrusted = { literals: "untrusted" } as const
  const codes = (args: object, options = {}): readonly string[] =>
    refusal(keyed, [book, call("p", "pay", args)], options).map(({ code, at }) => `${code} ${at}`)

  test("are data, in a record, in a list of them, and through a tool", () => {
    expect(codes({ amounts: { EVIL: id } }, untrusted)).toEqual(["SEQ602 /steps/1/args/amounts"])
    expect(codes({ all: [{ EVIL: id }] }, untrusted)).toEqual(["SEQ602 /steps/1/args/all"])
    const spread = call("r", "spread", { by: { EVIL: id } })
    expect(expectValid(keyed, [book, spread], untrusted).steps[1]?.carries).toEqual(["untrusted"])
  })

  test("are data where a schema leaves open what there is, however deep", () => {
    for (const value of [{ EVIL: id }, [{ EVIL: id }], { a: [{ b: { EVIL: id } }] }])
      expect(codes({ free: value }, untrusted)).toEqual(["SEQ602 /steps/1/args/free"])
    expect(codes({ loose: { id, EVIL: id } }, untrusted)).toEqual(["SEQ602 /steps/1/args/loose"])
    expect(codes({ loose: { id, more: { EVIL: id } } }, untrusted)).toEqual(["SEQ602 /steps/1/args/loose"])
    expect(codes({ bag: { a: { EVIL: id } } }, untrusted)).toEqual(["SEQ602 /steps/1/args/bag"])
    expectValid(keyed, [book, call("p", "pay", { free: [id], loose: { id } })], untrusted)
    expectValid(keyed, [book, call("p", "pay", { free: { a: { b: id } }, bag: { a: { b: id } } })])
  })

  test("come from no place that a rule names", () => {
    expect(codes({ marked: { EVIL: id } }, untrusted)).toEqual(["SEQ601 /steps/1/args/marked/EVIL"])
    expect(codes({ owed: { EVIL: id } }, untrusted)).toEqual(["SEQ601 /steps/1/args/owed/EVIL"])
  })

  test("names that the schema declares are none, nor is anything of a trusted writer", () => {
    expectValid(keyed, [book, call("p", "pay", { one: { id } })], untrusted)
    expectValid(keyed, [book, call("p", "pay", { amounts: { a: id }, owed: { a: id }, all: [{ a: id }] })])
  })
})
