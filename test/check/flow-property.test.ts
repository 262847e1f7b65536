/** The compiler's word on where data goes, against an interpreter that runs the same plans on marked values. */
import fc from "fast-check"
import { type CatalogSpec, compile, defineCatalog, type Json, type ToolSpec } from "sequitur"
import { expect, test } from "vitest"
import { runMarked } from "./taint.ts"

const text = { type: "string" } as const
const object = (properties: { readonly [name: string]: object }, required = Object.keys(properties)) =>
  ({ type: "object", properties, required, additionalProperties: false }) as const
const anything = {} as const

const item = object({ id: text, note: text, tags: { type: "array", items: text, minItems: 1 } })
const source = object({
  id: text,
  note: text,
  items: { type: "array", items: item, minItems: 1 },
  book: { type: "object", additionalProperties: object({ v: text }) },
  box: object({ deep: text, more: text }),
  who: {
    anyOf: [object({ kind: { const: "a" }, name: text }), object({ kind: { const: "b" }, name: text, mail: text })],
  },
  pair: { type: "array", prefixItems: [text, object({ id: text })], items: false, minItems: 2 },
})

const gives = {
  id: "x",
  note: "n",
  items: [
    { id: "x", note: "n", tags: ["t"] },
    { id: "y", note: "n", tags: ["t", "u"] },
  ],
  book: { k: { v: "x" }, l: { v: "y" } },
  box: { deep: "x", more: "m" },
  who: { kind: "b", name: "x", mail: "m" },
  pair: ["x", { id: "x" }],
}

const answers = { a: gives, b: gives, mix: { out: "x", list: ["x"] }, put: { out: "x" } }
const inputs = { id: "x", note: "n" }

const places = [
  "",
  "/id",
  "/note",
  "/items",
  "/items/*",
  "/items/*/id",
  "/items/*/note",
  "/items/*/tags/*",
  "/book",
  "/book/*/v",
]
const more = ["/box", "/box/deep", "/who", "/who/name", "/who/mail", "/pair", "/pair/0", "/pair/1/id"]
const someOf = (all: readonly string[]) =>
  fc
    .option(fc.subarray([...all], { maxLength: 2 }), { nil: undefined, freq: 2 })
    .map((one) => (one?.length === 0 ? undefined : one))

const labels = (all: readonly string[]) =>
  fc
    .record({ untrusted: someOf(all), private: someOf(all) })
    .map(({ untrusted, private: hidden }) => ({ ...(untrusted && { untrusted }), ...(hidden && { private: hidden }) }))

const origins = ["a#/id", "a#/items/*/id", "a#/items/*", "b#/book/*/v", "b#/box/deep", "mix#/out", "put#/out"]
const rule = fc
  .record({
    from: fc.option(fc.subarray([...origins, "input#/id"], { minLength: 4 }), { nil: undefined, freq: 2 }),
    trusted: fc.boolean(),
    public: fc.boolean(),
  })
  .map(({ from, ...rest }) => ({ ...rest, ...(from && { from }) }))
const rules = fc
  .subarray(["to", "/lines/*/to", "/data/deep", "data"], { minLength: 1 })
  .chain((names) =>
    fc
      .tuple(...names.map(() => rule))
      .map((all) => Object.fromEntries(names.map((name, index) => [name, all[index] ?? {}]))),
  )

const endorse = fc
  .subarray(["trusted", "public"] as const)
  .map((kinds) => (kinds.length === 0 ? {} : { endorse: kinds }))

const read = { description: "Read.", effect: "read" } as const
const spec: fc.Arbitrary<CatalogSpec> = fc
  .record({
    a: labels([...places, ...more]),
    b: labels([...places, ...more]),
    inputLabels: labels(["/id", "/note"]),
    rules,
    endorse,
  })
  .map(({ a, b, inputLabels, rules, endorse }) => ({
    name: "flow",
    version: "1",
    inputs: object({ id: text, note: text }),
    inputLabels,
    tools: {
      a: { ...read, params: object({}), result: source, ...a },
      b: { ...read, params: object({ ask: anything }, []), result: source, ...b },
      mix: {
        ...read,
        params: object({ one: anything, two: anything }, ["one"]),
        result: object({ out: text, list: { type: "array", items: text, minItems: 1 } }),
        ...endorse,
      } satisfies ToolSpec,
      put: {
        description: "Put.",
        effect: "write",
        idempotency: "natural",
        compensate: "none",
        params: object({ to: anything, lines: { type: "array", items: object({ to: anything }) }, data: anything }, []),
        result: object({ out: text }),
        rules,
      } satisfies ToolSpec,
    },
  }))

/** Places with a text in each kind of source. */
const texts: { readonly [tool: string]: readonly string[] } = {
  input: ["/id", "/note"],
  mix: ["/out", "/list/0"],
  put: ["/out"],
  a: [
    "/id",
    "/note",
    "/items/0/id",
    "/items/1/note",
    "/items/0/tags/0",
    "/book/k/v",
    "/box/deep",
    "/who/name",
    "/pair/0",
    "/pair/1/id",
  ],
}
const wholes: { readonly [tool: string]: readonly string[] } = {
  input: [""],
  mix: ["", "/list"],
  put: [""],
  a: ["", "/items", "/items/0", "/items/1/tags", "/book", "/book/l", "/box", "/who", "/pair", "/pair/1"],
}
const inA = (tool: string): string => (tool === "b" ? "a" : tool)

interface Source {
  readonly name: string
  readonly tool: string
}

const readText = (sources: readonly Source[]): fc.Arbitrary<Json> =>
  fc
    .constantFrom(...sources)
    .chain(({ name, tool }) =>
      fc.constantFrom(...(texts[inA(tool)] ?? [])).map((path): Json => ({ $from: name, path })),
    )

/** What is compared is always `x`, which one item has. */
const selected = (sources: readonly Source[]): fc.Arbitrary<Json> => {
  const lists = sources.filter(({ tool }) => tool === "a" || tool === "b")
  if (lists.length === 0) return readText(sources)
  const ids = sources.map(
    ({ name, tool }): Json => ({ $from: name, path: tool === "mix" || tool === "put" ? "/out" : "/id" }),
  )
  return fc
    .record({
      from: fc.constantFrom(...lists),
      wanted: fc.constantFrom<Json>("x", ...ids),
      pick: fc.constantFrom("/id", "/note", "/tags", ""),
    })
    .map(({ from, wanted, pick }): Json => ({ $from: from.name, path: "/items", where: { "/id": wanted }, pick }))
}

const expression = (sources: readonly Source[]): fc.Arbitrary<Json> => {
  const one = readText(sources)
  const whole = fc
    .constantFrom(...sources)
    .chain(({ name, tool }) =>
      fc.constantFrom(...(wholes[inA(tool)] ?? [])).map((path): Json => ({ $from: name, path })),
    )
  const joined = fc
    .array(fc.oneof(one, fc.constant<Json>("-")), { minLength: 1, maxLength: 3 })
    .map((parts): Json => ({ $concat: parts }))
  const leaf = fc.oneof(fc.constantFrom<Json>("word", 7, true), one, one, whole, joined, selected(sources))
  return fc.oneof(
    { weight: 5, arbitrary: leaf },
    fc.array(leaf, { maxLength: 2 }),
    fc.record({ inner: leaf }) as fc.Arbitrary<Json>,
  )
}

/** Of `data`, so that what a rule names is there. */
const boxed = (sources: readonly Source[]): fc.Arbitrary<Json> => {
  const boxes = sources
    .filter(({ tool }) => tool === "a" || tool === "b")
    .map(({ name }): Json => ({ $from: name, path: "/box" }))
  const made = expression(sources).map((deep): Json => ({ deep }))
  return boxes.length === 0 ? made : fc.oneof(made, fc.constantFrom(...boxes))
}

const args = (tool: string, sources: readonly Source[]): fc.Arbitrary<object> => {
  const some = expression(sources)
  if (tool === "a") return fc.constant({})
  if (tool === "b") return fc.record({ ask: some }, { requiredKeys: [] })
  if (tool === "mix") return fc.record({ one: some, two: some }, { requiredKeys: ["one"] })
  const lines = fc.array(fc.record({ to: some }), { maxLength: 2 })
  return fc.record({ to: some, lines, data: boxed(sources) }, { requiredKeys: [] })
}

interface Step {
  readonly id: string
  readonly tool: string
  readonly args: { readonly [name: string]: Json }
  readonly occurrence: number
}

const steps = (tools: readonly string[]): fc.Arbitrary<readonly Step[]> => {
  const sources: Source[] = [{ name: "input", tool: "input" }]
  const all = tools.map((tool, index) => {
    const known = [...sources]
    sources.push({ name: `s${index}`, tool })
    return args(tool, known).map((given) => ({ id: `s${index}`, tool, args: given, occurrence: index + 1 }) as Step)
  })
  return fc.tuple(...all)
}

const plan = fc
  .array(fc.constantFrom("a", "b", "mix", "put", "put"), { minLength: 1, maxLength: 6 })
  .chain((tools) => steps([...tools, "put"]))

test("a plan is accepted exactly where no marked value arrives and every value is from where it may be", () => {
  const seen = { accepted: 0, refused: 0, faulty: 0 }
  const codes = new Set<string>()
  fc.assert(
    fc.property(
      spec,
      fc.array(plan, { minLength: 3, maxLength: 3 }),
      fc.subarray(["untrusted", "private"] as const),
      fc.constantFrom("host", "planner" as const),
      (spec, plans, shown, whose) => {
        const catalog = defineCatalog(spec)
        // A place that a rule accepts and forbids is told to the host.
        if (catalog.diagnostics.some(({ severity }) => severity === "error")) {
          seen.faulty++
          return
        }
        const marks = { untrusted: shown.includes("untrusted"), private: shown.includes("private") }
        for (const steps of plans) {
          const compiled = compile(catalog, JSON.stringify({ version: 1, steps }), { seen: shown, inputs: whose })
          const broken = runMarked({ spec, steps, seen: marks, owned: whose === "planner", inputs, answers })
          const told = compiled.diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)
          for (const code of told) codes.add(code)
          expect([compiled.ok, told, broken]).toEqual([broken.length === 0, told, broken])
          seen[compiled.ok ? "accepted" : "refused"]++
        }
      },
    ),
    { numRuns: Number(process.env.FLOW_RUNS ?? 300) },
  )
  expect([...codes].sort()).toEqual(["SEQ601", "SEQ602", "SEQ603"])
  expect(seen.accepted).toBeGreaterThan(80)
  expect(seen.refused).toBeGreaterThan(80)
  expect(seen.faulty).toBeLessThan(seen.accepted + seen.refused)
})
