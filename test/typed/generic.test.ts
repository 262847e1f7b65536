/**
 * Plans inside generic functions. What has the type of a parameter, or is made of one, is left to the compiler, be it right or
 * wrong; what stands beside it is checked all the same.
 */
import {
  arg,
  type Compiled,
  count,
  defineCatalog,
  definePlan,
  type PlanLiteral,
  plan,
  type StepResult,
  tool,
  type ValidatePlan,
} from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { type Equal, expectTypes } from "./equal.ts"

const catalog = defineCatalog({
  name: "generic",
  version: "1",
  machine: { initial: "A", transitions: { A: { B: {} }, B: { A: {} } } },
  blastRadius: { items: { max: 4 }, cents: { max: 100 } },
  tools: {
    list: tool({
      description: "Lists.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ items: z.array(z.strictObject({ id: z.string(), text: z.string() })) }),
    }),
    note: tool({
      description: "Notes.",
      effect: "read",
      params: z.strictObject({
        ids: z.array(z.string()),
        pairs: z.array(z.strictObject({ a: z.string(), n: z.number() })).optional(),
        text: z.string().optional(),
        kind: z.enum(["x", "y"]).optional(),
        whole: z.int().optional(),
        any: z.unknown(),
      }),
      result: z.strictObject({ ids: z.array(z.string()) }),
    }),
    send: tool({
      description: "Sends.",
      effect: "read",
      params: z.strictObject({
        id: z.string(),
        text: z.string().optional(),
        deep: z.strictObject({ x: z.string() }).optional(),
      }),
      rules: { id: { from: ["list#/items/*/id"] }, text: { mustState: true }, "/deep/x": { trusted: true } },
    }),
    pay: tool({
      description: "Pays.",
      effect: "read",
      params: z.strictObject({
        cents: z.int().min(0).max(60),
        many: z.array(z.string()).max(3),
        text: z.string().optional(),
      }),
      blast: { cents: arg("cents"), items: count("many") },
      states: ["B"],
    }),
  },
})

type Step = PlanLiteral<"note">["steps"][number]
const list = { id: "list", tool: "list", args: {} } as const
const open = { id: "open", transition: "B" } as const
const id = { $from: "list", path: "/items/0/id" } as const
const first = { id: "a", tool: "note", args: { ids: [], any: 1 } } as const
const codesOf = ({ diagnostics }: Compiled<unknown>) =>
  diagnostics.filter(({ severity }) => severity === "error").map(({ code, at }) => `${code} ${at}`)

describe("what has a parameter's type is not refused", () => {
  const values = <T extends string, N extends number, K extends "x" | "y", A>(text: T, n: N, kind: K, any: A) =>
    definePlan(catalog, {
      version: 1,
      goal: text,
      steps: [
        { id: "a", tool: "note", args: { ids: [text], pairs: [{ a: text, n }], text, kind, whole: n, any }, why: text },
        { id: "b", tool: "note", args: { ids: [], any: { deep: [{ any }] }, text: { $literal: text } }, after: ["a"] },
        { id: "c", tool: "note", args: { ids: [], any, text: { $concat: ["x", text, n] } }, occurrence: n },
      ],
    })
  const held = <T extends readonly string[], O extends { readonly text: string }, K extends keyof O & "text">(
    ids: T,
    object: O,
    key: K,
  ) =>
    definePlan(catalog, {
      version: 1,
      steps: [{ id: "a", tool: "note", args: { ids, any: 1, text: object[key] } }],
    })
  const references = <P extends string, S extends string, W extends string>(path: P, source: S, wanted: W) =>
    definePlan(catalog, {
      version: 1,
      steps: [
        list,
        { id: "a", tool: "note", args: { ids: [], any: 1, text: { $from: "list", path } }, after: [source] },
        { id: "b", tool: "note", args: { ids: [], any: 1, text: { $from: source, path: "/items/0/id" } } },
        {
          id: "c",
          tool: "note",
          args: { ids: [], any: 1, text: { $from: "list", path: "/items", where: { "/text": wanted }, pick: "/id" } },
        },
      ],
    })
  const ruled = <T extends string, P extends string>(text: T, path: P) =>
    definePlan(catalog, {
      version: 1,
      steps: [
        list,
        { id: "a", tool: "send", args: { id, text, deep: { x: text } } },
        { id: "b", tool: "send", args: { id: { $from: "list", path }, text: { $concat: ["x", text] } } },
      ],
    })
  const counted = <N extends number, T extends readonly string[]>(cents: N, many: T) =>
    [
      definePlan(catalog, {
        version: 1,
        steps: [list, open, { id: "a", tool: "pay", args: { cents, many: ["a", "b", "c"] } }],
      }),
      definePlan(catalog, { version: 1, steps: [list, open, { id: "a", tool: "pay", args: { cents: 1, many } }] }),
    ] as const
  const heads = <
    Id extends string,
    Tool extends "note",
    To extends "B",
    Args extends { readonly ids: readonly string[]; readonly any: number },
  >(
    id: Id,
    tool: Tool,
    transition: To,
    args: Args,
  ) =>
    [
      definePlan(catalog, { version: 1, steps: [{ id, tool: "note", args: { ids: [], any: 1 } }] }),
      definePlan(catalog, { version: 1, steps: [{ id: "a", tool, args: { ids: [], any: 1 } }] }),
      definePlan(catalog, { version: 1, steps: [{ id: "open", transition }] }),
      definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "note", args }] }),
      definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "note", args: { ...args, text: "" } }] }),
    ] as const
  const wholes = <S extends Step, L extends readonly Step[], P extends PlanLiteral<"note">>(
    step: S,
    steps: L,
    whole: P,
  ) => [
    definePlan(catalog, { version: 1, steps: [step] }),
    definePlan(catalog, { version: 1, steps }),
    definePlan(catalog, { version: 1, steps: [step].slice(0) }),
    definePlan(catalog, whole),
  ]
  const built = <
    T extends string,
    Id extends string,
    Tool extends "note",
    To extends "B",
    A extends { ids: string[]; any: number },
  >(
    text: T,
    id: Id,
    tool: Tool,
    to: To,
    args: A,
  ) => [
    plan(catalog)
      .call("a", "note", { ids: [text], any: 1, text })
      .call("b", "note", { ids: [], any: 1, text: { $from: "a", path: text } }, { after: [text] })
      .done(),
    plan(catalog).call(id, "note", { ids: [], any: 1 }).done(),
    plan(catalog).call("a", tool, { ids: [], any: 1 }).done(),
    plan(catalog).call("a", "note", args).done(),
    plan(catalog).transition(id, "B").done(),
    plan(catalog).transition("open", to).done(),
  ]

  test("and where it is right, it is accepted", () => {
    const note = { ids: [], any: 1 }
    const step = { id: "s", tool: "note", args: note } as const
    const all = [
      values("x", 1, "x", null),
      held(["x"], { text: "" }, "text"),
      references("/items/0/text", "list", "x"),
      ruled("x", "/items/1/id"),
      ...counted(1, ["a"]),
      ...heads("own", "note", "B", note),
      ...wholes(step, [step], { version: 1, steps: [step] }),
      ...built("/ids/0", "own", "note", "B", note).slice(1),
    ]
    expect(all.map(codesOf).filter((codes) => codes.length > 0)).toEqual([])
  })

  test("and where it is wrong, the compiler tells", () => {
    expect(codesOf(references("/itms", "later", "x"))).toEqual([
      "SEQ201 /steps/1/after/0",
      "SEQ205 /steps/1/args/text/path",
      "SEQ201 /steps/2/args/text/$from",
    ])
    expect(codesOf(ruled("x", "/items/1/text"))).toEqual(["SEQ601 /steps/2/args/id"])
    expect(counted(61, ["a", "b", "c", "d"]).map(codesOf)).toEqual([
      ["SEQ123 /steps/2/args/cents"],
      ["SEQ123 /steps/2/args/many"],
    ])
    expect(codesOf(built("itself", "own", "note", "B", { ids: [], any: 1 })[0] as Compiled)).toContain(
      "SEQ132 /steps/1/args/text/path",
    )
    const wrong = <N extends number>(n: N) =>
      definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "note", args: { ids: [], any: 1, text: n } }] })
    expect(codesOf(wrong(1))).toEqual(["SEQ122 /steps/0/args/text"])
  })

  test("and what comes back is known once the parameter is", () => {
    const [own] = heads("own", "note", "B", { ids: [], any: 1 })
    expectTypes<[Equal<StepResult<typeof own, "own">, { ids: string[] }>]>()
    expect(own.ok && own.plan.steps.map(({ step }) => step.id)).toEqual(["own"])
  })
})

test("what stands beside it is checked", () => {
  const beside = <T extends string>(text: T) => [
    // @ts-expect-error a number is no text
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "note", args: { ids: [5], any: 1, text } }] }),
    // @ts-expect-error there is no tool `nte`
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "nte", args: { ids: [], any: 1, text } }] }),
    // @ts-expect-error SEQ121: `note` has no parameter `txt`
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "note", args: { ids: [], any: 1, txt: text } }] }),
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ201: there is no step `aa`
      steps: [first, { id: "b", tool: "note", args: { ids: [], any: 1, text: { $from: "aa", path: text } } }],
    }),
    // @ts-expect-error SEQ601: id ← a literal
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "send", args: { id: "x", text } }] }),
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123: cents are whole
      steps: [open, { id: "a", tool: "pay", args: { cents: 100.5, many: [], text } }],
    }),
    plan(catalog)
      // @ts-expect-error SEQ121: `note` has no parameter `txt`
      .call("a", "note", { ids: [text], any: 1, txt: "" })
      .done(),
  ]
  expect(beside("/ids").map((verdict) => codesOf(verdict)[0]?.slice(0, 6))).toEqual([
    "SEQ122",
    "SEQ108",
    "SEQ121",
    "SEQ201",
    "SEQ601",
    "SEQ123",
    "SEQ121",
  ])
})

test("a wrapper hands plans on", () => {
  const run = <const P>(given: ValidatePlan<typeof catalog, P>) => definePlan(catalog, given)
  // @ts-expect-error there is no tool `nte`
  expect(codesOf(run({ version: 1, steps: [{ id: "a", tool: "nte", args: {} }] }))).toEqual(["SEQ108 /steps/0/tool"])
  const verdict = run({ version: 1, steps: [first] })
  expectTypes<[Equal<StepResult<typeof verdict, "a">, { ids: string[] }>]>()
  expect(codesOf(verdict)).toEqual([])
})

test("a list of any steps, spread into others, has to be given as what it extends", () => {
  const after = <S extends readonly Step[]>(steps: S) => {
    // @ts-expect-error words that are written beside such a list are read as any text
    const refused = definePlan(catalog, { version: 1, steps: [...steps, first] })
    const known: readonly Step[] = steps
    return [refused, definePlan(catalog, { version: 1, steps: [...known, first] })]
  }
  expect(after([]).map(codesOf)).toEqual([[], []])
})
