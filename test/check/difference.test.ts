/** One plan against another: when an approval of the first may stand for the second. */
import { arg, type CompiledPlan, type CompileOptions, compile, count, defineCatalog, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { diffPlans } from "../../src/planner/index.ts"
import { planOf } from "../planner/propose/scripted.ts"

const effect = { idempotency: { key: { retentionMs: 60_000 } }, compensate: "none" } as const
const spec = {
  name: "till",
  version: "1",
  machine: { initial: "LOOKING", transitions: { LOOKING: { PAYING: { guard: "approval" } }, PAYING: { LOOKING: {} } } },
  blastRadius: { cents: { max: 100_000, approveAbove: 5_000 }, records: { max: 10 } },
  tools: {
    find: tool({
      description: "Find.",
      effect: "read",
      params: z.strictObject({ name: z.string() }),
      result: z.strictObject({ id: z.string(), owed: z.int().min(0).max(9_000) }),
    }),
    pay: tool({
      description: "Pay.",
      effect: "destructive",
      states: ["PAYING"],
      params: z.strictObject({ id: z.string(), cents: z.int().min(1).max(9_000), memo: z.string().optional() }),
      result: z.strictObject({ paid: z.string() }),
      blast: { cents: arg("cents") },
      ...effect,
    }),
    tag: tool({
      description: "Tag.",
      effect: "write",
      states: ["LOOKING", "PAYING"],
      params: z.strictObject({ ids: z.array(z.string()).max(5) }),
      blast: { records: count("ids") },
      ...effect,
    }),
  },
} as const
const catalog = defineCatalog(spec)

const accepted = (text: string, of: unknown = catalog, options: CompileOptions = {}): CompiledPlan => {
  const compiled = compile(of as typeof catalog, text, options)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  return compiled.plan
}

const find = (name = "Ann", id = "find") => ({ id, tool: "find", args: { name } })
const open = { id: "open", transition: "PAYING" }
const pay = (args: object = {}, id = "pay") => ({
  id,
  tool: "pay",
  args: { id: { $from: "find", path: "/id" }, cents: 700, ...args },
})
const tag = (...ids: readonly string[]) => ({ id: "tag", tool: "tag", args: { ids } })
const plan = (...steps: readonly object[]) => accepted(planOf(...steps))
const base = plan(find(), open, pay(), tag("a"))

describe("the same effects", () => {
  test.each([
    ["the plan itself", base],
    [
      "other ids, another reason",
      accepted(
        JSON.stringify({
          version: 1,
          goal: "other",
          steps: [
            find("Ann", "who"),
            { ...open, id: "go", why: "because" },
            { id: "p", tool: "pay", args: { cents: 700, id: { $from: "who", path: "/id" } } },
            { ...tag("a"), id: "t" },
          ],
        }),
      ),
    ],
    ["one more read", plan(find(), find("Bob", "other"), open, pay(), tag("a"))],
  ])("%s: same", (_, other) => {
    expect(diffPlans(base, other)).toEqual({
      kind: "same",
      added: [],
      removed: [],
      changed: [],
      reordered: false,
      radius: [],
      approvals: [],
      catalog: [],
    })
  })

  test("less of a counted number: smaller; a reference bound to less too", () => {
    expect(diffPlans(base, plan(find(), open, pay({ cents: 500 }), tag("a")))).toMatchObject({
      kind: "smaller",
      radius: [{ dimension: "cents", before: 700, after: 500 }],
    })
    const all = plan(find(), open, pay({ cents: { $from: "find", path: "/owed" } }), tag("a"))
    expect(diffPlans(all, base).kind).toBe("smaller")
    expect(diffPlans(base, all)).toMatchObject({ kind: "grew", changed: [{ stepId: "pay", arguments: ["cents"] }] })
  })
})

describe("what grew", () => {
  test.each([
    [
      "more of it",
      plan(find(), open, pay({ cents: 701 }), tag("a")),
      { radius: [{ dimension: "cents", before: 700, after: 701 }] },
    ],
    [
      "another argument",
      plan(find(), open, pay({ memo: "x" }), tag("a")),
      { changed: [{ stepId: "pay", tool: "pay", before: "pay", arguments: ["memo"] }] },
    ],
    [
      "the same reference to something else",
      plan(find("Eve"), open, pay(), tag("a")),
      { changed: [{ arguments: ["id"] }] },
    ],
    [
      "fewer records, but other ones",
      plan(find(), open, pay(), tag("b")),
      { changed: [{ stepId: "tag", arguments: ["ids"] }] },
    ],
    ["no records", plan(find(), open, pay(), tag()), { changed: [{ stepId: "tag" }] }],
    [
      "one more effect",
      plan(find(), open, pay(), pay({ memo: "2" }, "more"), tag("a")),
      { added: [{ stepId: "more", tool: "pay" }] },
    ],
    [
      "somebody more to ask",
      plan(find(), open, pay({ cents: 6_000 }), tag("a")),
      { approvals: [{ kind: "above", dimension: "cents" }] },
    ],
    [
      "a guard more",
      plan(find(), open, pay(), { id: "back", transition: "LOOKING" }, { ...open, id: "open2" }, tag("a")),
      { approvals: [{ kind: "transition" }] },
    ],
  ])("%s", (_, other, found) => {
    expect(diffPlans(base, other)).toMatchObject({ kind: "grew", ...found })
  })

  test("the catalog, in a part that both depend on", () => {
    const other = defineCatalog({ ...spec, version: "2", blastRadius: { ...spec.blastRadius, cents: { max: 90_000 } } })
    const changed = accepted(JSON.stringify(base.plan.document), other)
    expect(diffPlans(base, changed)).toMatchObject({ kind: "grew", catalog: ["limits"] })
  })

  test("a result of an earlier run that is another one", () => {
    const text = planOf(open, pay({ id: { $from: "r1/find", path: "/id" } }))
    const found = (id: string) =>
      ({ earlier: { "r1/find": { tool: "find", result: { id, owed: 1 }, carries: [] } } }) as const
    const [one, same, other] = [found("x"), found("x"), found("y")].map((options) => accepted(text, catalog, options))
    expect(diffPlans(one as CompiledPlan, same as CompiledPlan).kind).toBe("same")
    expect(diffPlans(one as CompiledPlan, other as CompiledPlan)).toMatchObject({
      kind: "grew",
      changed: [{ arguments: ["id"] }],
    })
  })
})

test("fewer effects, or in another order, is neither: an approval does not stand for that", () => {
  expect(diffPlans(base, plan(find(), open, pay()))).toMatchObject({
    kind: "other",
    removed: [{ stepId: "tag", tool: "tag" }],
  })
  expect(diffPlans(base, plan(find(), open, tag("a"), pay()))).toMatchObject({ kind: "other", reordered: true })
})

test("takes compiled plans only", () => {
  expect(() => diffPlans(base, {} as never)).toThrow(TypeError)
  expect(() => diffPlans({ ...base } as never, base)).toThrow(TypeError)
})

test("an effect in front of its guard, or without it, is another one; where a read stands is the same", () => {
  const anywhere = defineCatalog({
    ...spec,
    tools: { ...spec.tools, pay: { ...spec.tools.pay, states: ["LOOKING", "PAYING"] } },
  }) as unknown as typeof catalog
  const of = (...steps: readonly object[]): CompiledPlan => accepted(planOf(...steps), anywhere)
  const before = of(open, find(), pay())
  const changed = { kind: "grew", changed: [{ stepId: "pay", arguments: [] }] }
  expect(diffPlans(before, of(find(), pay(), open))).toMatchObject(changed)
  expect(diffPlans(before, of(find(), pay()))).toMatchObject(changed)
  expect(diffPlans(before, of(find(), open, pay())).kind).toBe("same")
})
