/** What changed between two catalogs is told exactly where a plan goes stale, and in words that say what. */
import fc from "fast-check"
import {
  type Catalog,
  type CatalogSpec,
  compile,
  defineCatalog,
  diffCatalogs,
  named,
  type ToolSpec,
  tool,
} from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import desk from "../../plans/invalid/catalog.ts"
import { changedParts } from "../../src/catalog/slice.ts"
import { rightPlan } from "../check/arbitrary.ts"
import { jsonSchemaOf, type Node, node, zodOf } from "./arbitrary.ts"

const { tools, machine, blastRadius, budgets } = desk.spec
const { refund, tag_items, find_order } = tools
const change = (parts: Partial<CatalogSpec>): Catalog => defineCatalog({ ...(desk.spec as CatalogSpec), ...parts })
const changeTool = (name: keyof typeof tools, parts: Partial<ToolSpec>): Catalog =>
  change({ tools: { ...tools, [name]: { ...tools[name], ...parts } as ToolSpec } })
const without = <A extends object>(whole: A, key: keyof A): Partial<A> =>
  Object.fromEntries(Object.entries(whole).filter(([one]) => one !== key)) as Partial<A>

/** "part: what: before → after", with the groups outside the slice under their own names. */
function said(after: Catalog, before: Catalog = desk): readonly string[] {
  expect(
    [before, after].flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity === "error")),
  ).toEqual([])
  const { parts, lowered, others } = diffCatalogs(before, after)
  const groups = [
    ...parts.map(({ part, removed, changes }) => [removed ? `${part} removed` : part, changes] as const),
    ["lowered", lowered] as const,
    ["none", others] as const,
  ]
  return groups.flatMap(([group, changes]) =>
    group.endsWith(" removed") ? [group] : changes.map((one) => `${group}: ${one.what}: ${one.before} → ${one.after}`),
  )
}

const orderId = z.string().min(1).max(20)
const paramsOf = (parts: z.ZodRawShape): Partial<ToolSpec> => ({
  params: z.strictObject({ orderId, cents: z.int().min(1).max(50_000), memo: z.string().max(40).optional(), ...parts }),
})
const statusOf = (status: z.ZodType): Partial<ToolSpec> => ({
  result: z.strictObject({ ...find_order.result.shape, status }),
})

test("every kind of change is told by its place, with what it was and what it is", () => {
  const cases: readonly (readonly [Catalog, ...(readonly string[])])[] = [
    [change({}), ...[]],
    [change({ name: "other", version: "2" }), "none: name: desk → other", "none: version: 1 → 2"],
    [changeTool("refund", { description: "Words." }), "none: tool `refund` description: Pay money back. → Words."],
    [change({ tools: { ...tools, more: find_order } }), "none: tool `more`: null → Look up one order."],
    [change({ tools: without(tools, "refund") as CatalogSpec["tools"] }), "tool refund removed"],
    [
      change({ bounds: { steps: 300, nodes: 9, diagnostics: 5 } }),
      "lowered: bound nodes: 100000 → 9",
      "none: bound steps: 256 → 300",
      "none: bound diagnostics: 100 → 5",
    ],
    [
      change({ budgets: { ...budgets, steps: 11, retries: 2 } }),
      "budgets: steps: 10 → 11",
      "budgets: retries: null → 2",
    ],
    [
      change({ blastRadius: { ...blastRadius, cents: { max: 70_000 }, letters: { max: 1 } } }),
      "limits: cents max: 60000 → 70000",
      'limits: letters: null → {"max":1,"per":"run"}',
    ],
    [change({ inputs: z.strictObject({}) }), "inputs: schema: null → an object"],
    [
      change({ inputs: z.strictObject({ a: z.string() }), inputLabels: { untrusted: ["/a"] } }),
      "inputs: schema: null → an object",
      "inputs: untrusted: null → /a",
    ],
    [change({ approvals: "unsigned" }), "approvals: how decisions are proved: signed → unsigned"],
    [
      changeTool("refund", { rules: { orderId: {} }, authority: { approvers: 1, approval: "always" } }),
      "tool refund: authority approval: null → always",
    ],
    [change({ approvals: "signed", authority: { default: "allow" } })],
    [
      change({ blastRadius: { ...blastRadius, cents: { max: 60_000, approveAbove: 5 } } }),
      "limits: cents approveAbove: null → 5",
    ],
    [
      changeTool("refund", { authority: { roles: ["lead", "clerk"], approval: "always", approvers: 2 } }),
      "tool refund: authority roles: null → clerk, lead",
      "tool refund: authority approval: null → always",
      "tool refund: authority approvers: null → 2",
    ],
    [
      changeTool("refund", {
        rules: { orderId: { from: ["find_order#/orderId"], trusted: true } },
        untrusted: true,
        endorse: ["public"],
      }),
      "tool refund: rules orderId from: null → find_order#/orderId",
      "tool refund: rules orderId trusted: null → true",
      "tool refund: untrusted: null → all of it",
      "tool refund: endorse: null → public",
    ],
    [
      change({
        machine: {
          ...machine,
          transitions: { ...machine.transitions, LOOKING: { CHANGING: {} }, CLOSED: { LOOKING: {} } },
        },
      }),
      "machine: LOOKING → CHANGING: approval → no guard",
      "machine: state CLOSED: no way out → null",
      "machine: CLOSED → LOOKING: null → no guard",
    ],
    [
      changeTool("refund", { version: "2", effect: "write", timeoutMs: 5, cost: { microUsd: 9 } }),
      "tool refund: version: 1 → 2",
      "tool refund: effect: destructive → write",
      "tool refund: timeoutMs: 30000 → 5",
      "tool refund: costMicroUsd: 800 → 9",
    ],
    [changeTool("refund", { states: ["LOOKING", "CHANGING"] }), "tool refund: states: null → LOOKING"],
    [changeTool("find_order", { states: ["LOOKING"] }), "tool find_order: states: every state → LOOKING"],
    [
      changeTool("refund", { requires: [{ tool: "cancel_order" }] }),
      "tool refund: requires: cancel_order, same orderId → null",
      "tool refund: requires: null → cancel_order",
    ],
    [changeTool("refund", { blast: { ...refund.blast, records: 2 } }), "tool refund: blast records: 1 → 2"],
    [changeTool("refund", { blast: { records: 1 } }), "tool refund: blast cents: argument cents, 1 to 50000 → null"],
    [
      changeTool("refund", { idempotency: "natural" }),
      "tool refund: idempotency kind: key → natural",
      "tool refund: idempotency retentionMs: 86400000 → null",
    ],
    [
      changeTool("refund", paramsOf({ memo: z.string().max(30) })),
      "tool refund: params /memo: optional → required",
      "tool refund: params /memo maxLength: 40 → 30",
    ],
    [
      changeTool("refund", paramsOf({ note: z.boolean().optional() })),
      "tool refund: params /note: null → optional, a boolean",
    ],
    [
      changeTool("refund", paramsOf({ memo: z.int().optional() })),
      "tool refund: params /memo: a string of at most 40 characters → an integer",
    ],
    [
      changeTool("refund", paramsOf({ memo: z.string().max(40).nullable().optional() })),
      "tool refund: params /memo alternative: null → null",
    ],
    [
      changeTool("tag_items", { result: z.object({ at: z.array(z.tuple([z.string(), z.int()])) }) }),
      "tool tag_items: result: null → an object",
    ],
    [
      changeTool("tag_items", {
        params: z.strictObject({
          ...tag_items.params.shape,
          tag: z.string().refine(named("notBlank", "2", (text: string) => text.trim() !== "")),
        }),
      }),
      "tool tag_items: params /tag check: notBlank@1 → notBlank@2",
      "tool tag_items: params refinement: notBlank@1 → null",
      "tool tag_items: params refinement: null → notBlank@2",
    ],
    [
      changeTool("find_order", statusOf(z.enum(["sent", "lost", "open"]))),
      'tool find_order: result /status alternative: null → "lost"',
    ],
    [
      changeTool("find_order", statusOf(z.enum(["sent", "lost"]))),
      "tool find_order: result /status const: open → lost",
    ],
    [changeTool("find_order", statusOf(z.enum(["sent", "open"]))), ...[]],
    [
      changeTool("find_order", {
        result: z.strictObject({
          ...find_order.result.shape,
          items: find_order.result.shape.items.element.array().max(20).min(1),
        }),
      }),
      "tool find_order: result /items minItems: null → 1",
    ],
  ]
  for (const [catalog, ...words] of cases) expect(said(catalog)).toEqual(words)
})

const changes: readonly ((spec: CatalogSpec) => CatalogSpec)[] = [
  (spec) => ({ ...spec, version: "9" }),
  (spec) => ({ ...spec, budgets: { ...spec.budgets, steps: 12 } }),
  (spec) => ({ ...spec, blastRadius: { ...spec.blastRadius, cents: { max: 70_000 } } }),
  (spec) => ({ ...spec, inputs: z.strictObject({ who: z.string() }) }),
  ...Object.keys(tools).flatMap((name) =>
    [{ version: "2" }, { description: "Words." }, { timeoutMs: 9 }].map((parts) => (spec: CatalogSpec) => ({
      ...spec,
      tools: { ...spec.tools, [name]: { ...spec.tools[name], ...parts } as ToolSpec },
    })),
  ),
]

test("a plan goes stale exactly where the difference touches it, by the same parts", () => {
  let stale = 0
  fc.assert(
    fc.property(rightPlan, fc.subarray([...changes], { maxLength: 4 }), (document, made) => {
      const after = defineCatalog(made.reduce((spec, one) => one(spec), desk.spec as CatalogSpec))
      const [old, now] = [compile(desk, JSON.stringify(document)), compile(after, JSON.stringify(document))]
      if (!old.ok || !now.ok) return
      const used = new Set(old.plan.steps.map(({ step }) => (step.kind === "call" ? step.tool : "")))
      const touching = diffCatalogs(desk, after).parts.filter(({ tool: of }) => of === null || used.has(of))
      const named = touching.map(({ part, tool: of }) => (of === null ? part : `tool \`${of}\``))
      const changed = changedParts(old.plan.slice, now.plan.slice)
      expect(named.toSorted()).toEqual(changed.toSorted())
      if (changed.length > 0) stale++
    }),
    { numRuns: 200 },
  )
  expect(stale).toBeGreaterThan(50)
})

/** The same place in both, some way in. */
const wraps: readonly ((inner: Node) => Node)[] = [
  (item) => ({ kind: "array", item, max: 3 }),
  (inner) => ({ kind: "tuple", items: [{ kind: "boolean" }, inner] }),
  (value) => ({ kind: "record", value }),
  (inner) => ({ kind: "union", branches: [{ kind: "null" }, inner, { kind: "literal", value: "x" }] }),
  (inner) => ({ kind: "object", others: inner, properties: [] }),
  (inner) => ({ kind: "object", others: "strict", properties: [{ key: "a", node: inner, optional: true }] }),
]

test("whatever differs in a schema as the slice sees it is told, and nothing where nothing does", () => {
  const catalogOf = (result: unknown): Catalog =>
    defineCatalog({
      name: "one",
      version: "1",
      tools: {
        one: tool({
          description: "One.",
          effect: "read",
          params: z.strictObject({}),
          result: result as ToolSpec["params"],
        }),
      },
    })
  const plan = JSON.stringify({ version: 1, steps: [{ id: "a", tool: "one", args: {} }] })
  let different = 0
  const way = fc.array(fc.constantFrom(...wraps), { maxLength: 3 })
  fc.assert(
    fc.property(node, node, way, fc.array(fc.nat(), { minLength: 4, maxLength: 20 }), (left, right, road, choices) => {
      const [one, other] = [left, right].map((start) => road.reduce((inner, wrap) => wrap(inner), start)) as [
        Node,
        Node,
      ]
      for (const build of [zodOf, (of: Node) => jsonSchemaOf(of, "2020-12", false, choices)]) {
        const [before, after] = [catalogOf(build(one)), catalogOf(build(other))]
        const [old, now] = [compile(before, plan), compile(after, plan)]
        if (!old.ok || !now.ok) continue
        expect(diffCatalogs(before, catalogOf(build(one))).parts).toEqual([])
        const { parts } = diffCatalogs(before, after)
        const same = old.plan.catalogHash === now.plan.catalogHash
        expect(parts.length === 0).toBe(same)
        for (const { changes: told } of parts) expect(told).not.toEqual([])
        if (!same) different++
      }
    }),
    { numRuns: 120 },
  )
  expect(different).toBeGreaterThan(80)
})
