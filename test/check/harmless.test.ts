/** What no fix does: take out what may hold an effect back, bring an effect in, or guess what a destructive call is given. */
import { applyFixes, type Catalog, compile, defineCatalog, type Json, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"

const effect = { idempotency: "natural", compensate: "none" } as const
const id = z.strictObject({ id: z.string() })

const catalog = defineCatalog({
  name: "users",
  version: "1",
  tools: {
    find_user: tool({ description: "d", effect: "read", params: z.strictObject({ region: z.string() }), result: id }),
    list_users: tool({ description: "d", effect: "read", params: z.strictObject({}), result: id }),
    rename_user: tool({ description: "d", effect: "write", params: id.extend({ name: z.string() }), ...effect }),
    rename_users: tool({ description: "d", effect: "write", params: z.strictObject({ name: z.string() }), ...effect }),
    mark_user: tool({ description: "d", effect: "write", params: id.extend({ mark: z.enum(["soft"]) }), ...effect }),
    invite_user: tool({
      description: "d",
      effect: "write",
      params: id.extend({ mark: z.enum(["soft"]), note: z.enum(["kind"]) }),
      rules: { id: { trusted: true }, mark: { public: true } },
      ...effect,
    }),
    delete_user: tool({
      description: "d",
      effect: "destructive",
      params: id.extend({ mode: z.enum(["soft", "hard"]).optional(), deep: z.boolean().optional() }),
      ...effect,
    }),
  },
}) as Catalog

/** What all the fixes of one compile make of the steps. */
function fixed(steps: readonly Json[], more: { readonly [field: string]: Json } = {}): Json {
  const plan = { version: 1, steps, ...more }
  const { diagnostics, ok } = compile(catalog, JSON.stringify(plan))
  expect(ok).toBe(false)
  const { document } = applyFixes(plan, diagnostics)
  return (document as { readonly steps: Json }).steps
}

const find = { id: "find", tool: "find_user", args: { region: "eu" } }
const gone = { id: "gone", tool: "delete_user", args: { id: { $from: "find", path: "/id" } } }

describe("nothing is taken out of a plan that does anything", () => {
  test.each<[string, readonly Json[]]>([
    ...["when", "assert", "forEach", "parallel", "dryRun", "requiresApproval", "onError"].flatMap((field) => [
      [`${field} of the effect`, [find, { ...gone, [field]: { confirmed: true } }]] as [string, Json[]],
      [`${field} of the read before it`, [{ ...find, [field]: true }, gone]] as [string, Json[]],
      [`${field}, though it is null`, [find, { ...gone, [field]: null }]] as [string, Json[]],
    ]),
    ["a filter of the read", [{ ...find, args: { region: "eu", inactiveForDays: 365 } }, gone]],
    ["a filter of the reference", [find, { ...gone, args: { id: { $from: "find", path: "/id", whenOlder: 5 } } }]],
    ["an argument of the effect", [find, { ...gone, args: { ...gone.args, dryRun: true } }]],
    ["a state that no machine knows", [find, { id: "wait", transition: "APPROVED" }, gone]],
  ])("%s", (_, steps) => {
    expect(fixed(steps)).toEqual(steps)
  })

  test("nor a field of the plan", () => {
    expect(fixed([find, gone], { simulate: true })).toEqual([find, gone])
    const { diagnostics } = compile(catalog, JSON.stringify({ version: 1, steps: [find, gone], simulate: true }))
    expect(diagnostics.map(({ fix }) => fix)).toEqual([undefined])
  })

  test("but of one that does nothing but read: field, argument, and part of a reference", () => {
    const again = { id: "again", tool: "find_user", args: { region: { $from: "find", path: "/id" } } }
    expect(fixed([{ ...find, parallel: true }, again])).toEqual([find, again])
    expect(fixed([{ ...find, args: { region: "eu", limit: 3 } }, again])).toEqual([find, again])
    const odd = { ...again, args: { region: { ...again.args.region, fallback: 1 } } }
    expect(fixed([find, odd])).toEqual([find, again])
  })
})

describe("a tool that was misspelt", () => {
  test.each<[string, Json, string | undefined]>([
    ["find_usr", { region: "eu" }, "find_user"],
    ["find_usr", {}, "find_user"],
    ["mark_usr", { id: "1", mark: "soft" }, "mark_user"],
    ["mark_usr", { id: "1" }, undefined],
    // Two tools are near. The arguments tell which was meant, or nothing does.
    ["rename_uesr", { id: "1", name: "n" }, "rename_user"],
    ["rename_uesr", { name: "n" }, undefined],
    ["delete_users", { id: "1" }, undefined],
    ["delete_usr", { id: "1" }, undefined],
    ["deleteUser", { id: "1" }, "delete_user"],
    ["Delete-User", { id: "1" }, "delete_user"],
  ])("%s with %j → %s", (written, args, meant) => {
    const step = { id: "a", tool: written, args }
    expect(fixed([step])).toEqual([{ ...step, tool: meant ?? written }])
    const [told] = compile(catalog, JSON.stringify({ version: 1, steps: [step] })).diagnostics
    expect(told?.hint).toMatch(/^Did you mean/)
  })
})

describe("what a destructive call is given", () => {
  test.each<[string, Json, Json]>([
    ["a value one slip off", { id: "1", mode: "sort" }, { id: "1", mode: "sort" }],
    ["a value in capitals", { id: "1", mode: "SOFT" }, { id: "1", mode: "soft" }],
    ["a name that it may do without", { id: "1", keep: true }, { id: "1", keep: true }],
    ["such a name in another spelling", { id: "1", DEEP: true }, { id: "1", deep: true }],
  ])("%s", (_, args, meant) => {
    expect(fixed([{ id: "a", tool: "delete_user", args }])).toEqual([{ id: "a", tool: "delete_user", args: meant }])
  })

  test("a value of a write is mended by one slip", () => {
    const step = { id: "a", tool: "mark_user", args: { id: "1", mark: "sofd" } }
    expect(fixed([step])).toEqual([{ ...step, args: { id: "1", mark: "soft" } }])
  })

  test("a step or a path by one slip, but not by what else would fit", () => {
    const from = (reference: Json): Json => ({ ...gone, args: { id: reference } })
    expect(fixed([find, from({ $from: "fnid", path: "/id" })])).toEqual([find, gone])
    expect(fixed([find, from({ $from: "gone", path: "/id" })])).toEqual([find, from({ $from: "gone", path: "/id" })])
    const write = { id: "w", tool: "rename_user", args: { name: "n", id: { $from: "w", path: "/id" } } }
    expect(fixed([find, write])).toEqual([find, { ...write, args: { name: "n", id: { $from: "find", path: "/id" } } }])
  })

  test("nor what any call is given that a rule is about, though what none is about is", () => {
    const invite = (args: Json): Json => ({ id: "w", tool: "invite_user", args })
    const [given, marked] = [
      { $from: "w", path: "/id" },
      { id: "1", mark: "sofd", note: "kind" },
    ]
    const untouched = [find, invite({ id: given, mark: "soft", note: "kind" })]
    expect(fixed(untouched)).toEqual(untouched)
    expect(fixed([invite(marked)])).toEqual([invite(marked)])
    expect(fixed([invite({ ...marked, mark: "Soft" })])).toEqual([invite({ ...marked, mark: "soft" })])
    expect(fixed([invite({ ...marked, mark: "soft", note: "kinf" })])).toEqual([invite({ ...marked, mark: "soft" })])
    const slip = invite({ id: { $from: "fnid", path: "/id" }, mark: "soft", note: "kind" })
    expect(fixed([find, slip])).toEqual([
      find,
      invite({ id: { $from: "find", path: "/id" }, mark: "soft", note: "kind" }),
    ])
  })

  test("a step that is told apart by a short word is no slip of another", () => {
    const steps = [
      { ...find, id: "user_a" },
      { ...gone, args: { id: { $from: "user_b", path: "/id" } } },
    ]
    expect(fixed(steps)).toEqual(steps)
  })

  test("numbers are no spelling of others", () => {
    const priced = defineCatalog({
      name: "p",
      version: "1",
      tools: { set: tool({ description: "d", effect: "read", params: z.strictObject({ rate: z.enum(["15", "5"]) }) }) },
    })
    for (const rate of ["1.5", "-5", "1_5"]) {
      const step = { id: "a", tool: "set", args: { rate } }
      const { diagnostics } = compile(priced as Catalog, JSON.stringify({ version: 1, steps: [step] }))
      expect(diagnostics.map(({ code, fix }) => [code, fix])).toEqual([["SEQ123", undefined]])
    }
  })
})

describe("a fix changes something", () => {
  test("a source that would be named as before is none", () => {
    const steps = [
      { id: "a", tool: "list_users", args: {} },
      { ...find, id: "a" },
      { id: "w", tool: "rename_user", args: { name: "n", id: { $from: "w", path: "/id" } } },
    ]
    const { diagnostics } = compile(catalog, JSON.stringify({ version: 1, steps }))
    for (const { fix = [] } of diagnostics)
      for (const operation of fix) expect(operation).not.toMatchObject({ op: "replace", value: "w" })
    const after = fixed(steps)
    expect(compile(catalog, JSON.stringify({ version: 1, steps: after })).diagnostics.map(({ code }) => code)).toEqual([
      "SEQ106",
    ])
  })
})
