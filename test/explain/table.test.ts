import fc from "fast-check"
import stringWidth from "string-width"
import { expect, test } from "vitest"
import { drawColumns } from "../../src/explain/columns.ts"
import { type Look, plain } from "../../src/explain/look.ts"
import { explainPlan } from "../../src/explain/table.ts"
import type { PlanView, StepView } from "../../src/explain/view.ts"
import type { Pointer } from "../../src/text/pointer.ts"

const call = (id: string, tool: string, more: Partial<StepView> = {}): StepView => {
  return {
    kind: "call",
    id,
    tool,
    effect: "read",
    before: "LOOKING",
    after: "LOOKING",
    waitsOn: [],
    blast: [],
    ...more,
  } as StepView
}

const view: PlanView = {
  goal: "Refund the balance.",
  planHash: "0123456789abcdef",
  catalogHash: "fedcba",
  catalog: { name: "billing", version: "3" },
  compiler: "0.1.0",
  steps: [
    call("find", "list_workspaces"),
    { kind: "transition", id: "open", to: "MUTATING", before: "LOOKING", after: "MUTATING", waitsOn: [], blast: [] },
    call("refund", "execute_refund", {
      effect: "destructive",
      before: "MUTATING",
      after: "MUTATING",
      waitsOn: ["find"],
      blast: [
        { dimension: "cents", min: 0, max: 24_500 },
        { dimension: "records", min: 1, max: 1 },
      ],
    } as Partial<StepView>),
  ],
  checks: [
    {
      after: "input",
      step: "find",
      kind: "judged",
      at: "/steps/0/args" as Pointer,
      says: "`input` is as `list_workspaces` takes it",
    },
    {
      after: "find",
      step: "refund",
      kind: "selects-one",
      at: "/steps/2/args/id" as Pointer,
      says: "exactly one element matches",
    },
    {
      after: "find",
      step: "refund",
      kind: "present",
      at: "/steps/2/args/x" as Pointer,
      says: "`find` has a value at `/x`",
    },
  ],
  rules: [],
  approvals: [{ kind: "transition", step: "open", from: "LOOKING", to: "MUTATING", opens: ["refund"] }],
  decisions: "signed",
  swayed: [],
  totals: [
    { dimension: "cents", min: 0, max: 24_500, limit: 50_000 },
    { dimension: "records", min: 1, max: 1, limit: null },
  ],
  budgets: [
    { budget: "steps", needs: 3, limit: 30 },
    { budget: "sideEffects", needs: 1, limit: 5 },
    { budget: "microUsd", needs: 300, limit: 1_000_000 },
  ],
}

test("a plan is a table, with what the run will check, wait for and do at worst under it", () => {
  expect(`\n${explainPlan(view, plain)}\n`).toBe(`
Refund the balance.
plan 0123456789ab, catalog billing 3

step    tool             state               effect       at worst      waits on
──────  ───────────────  ──────────────────  ───────────  ────────────  ────────
find    list_workspaces  LOOKING             read
open    → MUTATING       LOOKING → MUTATING
refund  execute_refund   MUTATING            destructive  cents 24,500  find
                                                          records 1
waits on: the steps whose result it uses, or which it names in \`after\`

checked when the run starts:
  \`input\` is as \`list_workspaces\` takes it (for \`find\`)

checked when \`find\` has answered:
  exactly one element matches (for \`refund\`)
  \`find\` has a value at \`/x\` (for \`refund\`)

approvals needed:
  at \`open\`, LOOKING → MUTATING, before refund
  where one person agrees, it may be the one whose run it is: \`approvers: 2\` takes two others

in total, at worst:
  cents         24,500 of 50,000, from 0
  records       1
  steps         3 of 30
  side effects  1 of 5
  cost          300 of 1,000,000 µUSD
`)
})

test("columns that have nothing to say are left out", () => {
  const bare = {
    ...view,
    goal: null,
    steps: [call("a", "ping", { before: null, after: null })],
    checks: [],
    approvals: [],
    totals: [],
    budgets: [],
  }
  expect(explainPlan(bare, plain)).toBe(
    "plan 0123456789ab, catalog billing 3\n\nstep  tool  effect  waits on\n────  ────  ──────  ────────\na     ping  read",
  )
})

test("what a person is asked about calls and amounts, by how many, and that their word is not signed", () => {
  const asked: PlanView = {
    ...view,
    decisions: "unsigned",
    approvals: [
      { kind: "always", step: "close", tool: "close_books", approvers: 2 },
      { kind: "above", step: "pay", tool: "pay", dimension: "cents", above: 10_000, certain: true, approvers: 1 },
      { kind: "above", step: "tip", tool: "tip", dimension: "cents", above: 10_000, certain: false, approvers: 1 },
    ],
  }
  const section = (look: Look): string =>
    explainPlan(asked, look)
      .split("\n\n")
      .find((part) => part.includes("approvals")) ?? ""
  expect(`\n${section(plain)}\n`).toBe(`
approvals needed:
  at \`close\`, before each call of close_books, by 2 people
  at \`pay\`, as cents come to more than 10,000, before pay
  at \`tip\`, if cents come to more than 10,000, before tip
  decisions are not signed: whoever reaches the store can decide in anybody's name
`)
  expect(section({ ...plain, color: true })).toContain("\u001b[31mdecisions are not signed")
  expect(explainPlan({ ...asked, approvals: [] }, plain)).not.toContain("not signed")
})

test("what untrusted data could suppress or trigger", () => {
  const swayed = [
    { kind: "effect", step: "pay", tool: "pay", by: "mail", path: "mail (untrusted: read_mail)" },
    { kind: "effect", step: "refund", tool: "refund", by: "refund", path: "refund.id ← a literal (untrusted)" },
    {
      kind: "undo",
      step: "pay",
      tool: "recall",
      by: "post",
      path: "post.text ← mail /body\u001b[2K (untrusted: read_mail)",
    },
  ] as const
  expect(explainPlan({ ...view, swayed }, plain)).toContain(`
untrusted data has a say in whether these happen:
  \`pay\` is called only if \`mail\` succeeds, and whether it does hangs on mail (untrusted: read_mail)
  \`refund\` is called only if its arguments fit, and whether they do hangs on refund.id ← a literal (untrusted)
  \`pay\` is undone by recall if \`post\` fails, and whether it does hangs on post.text ← mail /body\\u001b[2K (untrusted: read_mail)
`)
})

test("a plan without steps says so", () => {
  const empty = { ...view, steps: [], checks: [], approvals: [], totals: [], budgets: [] }
  expect(explainPlan(empty, plain)).toContain("\n\nno steps")
})

test("a step that waits on many is told by the first few", () => {
  const waiting = call("z", "sum", { waitsOn: ["a", "b", "c", "d", "e", "f"] })
  expect(explainPlan({ ...view, steps: [waiting] }, plain)).toContain("a, b, c, d and 2 more")
})

test("A027: a hostile goal cannot repaint the table", () => {
  const shown = explainPlan({ ...view, goal: "all is well\u001b[2K\u001b[1A\u202e\n\nno approvals needed" }, plain)
  expect(shown.split("\n")[0]).toBe("all is well\\u001b[2K\\u001b[1A\\u202e\\n\\nno approvals needed")
})

test("columns line up whatever stands in them", () => {
  const cell = fc.array(fc.string({ unit: fc.constantFrom("a", "日", "é", "🎉", "-"), minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 3,
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
      // Each last cell begins with a mark: in whatever line, it stands in the same column.
      const marked = rows.map(([first, last]) => [first, last.map((text) => `|${text}`)])
      const lines = drawColumns([["head"], ["|"]], marked, plain).filter((line) => line.includes("|"))
      const columns = new Set(lines.map((line) => stringWidth(line.slice(0, line.indexOf("|")))))
      expect(columns.size).toBe(1)
    }),
  )
})
