/** Plans built step by step: each step is refused by tsc where `definePlan` would refuse it, and compiles to the same plan. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  type Compiled,
  compile,
  definePlan,
  type FinalState,
  plan,
  type StepIds,
  type StepOf,
  type StepResult,
  type TotalsOf,
  type UntypedBuilder,
} from "sequitur"
import { describe, expect, test } from "vitest"
import { generateCatalog, generatePlan } from "../../bench/types/generate.ts"
import { check } from "../../bench/types/measure.ts"
import { withProject } from "../../bench/types/project.ts"
import billing from "../../plans/billing/catalog.ts"
import desk from "../../plans/invalid/catalog.ts"
import { type Equal, expectTypes } from "./equal.ts"

const codesOf = ({ diagnostics }: Compiled): string[] =>
  diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)

const workspaceId = { $from: "find", path: "/workspaces/0/id" } as const
const accountId = "acc_1001"
const found = plan(billing, { goal: "Refund." }).call("find", "list_workspaces", { accountId })
const opened = found.transition("open", "MUTATING")
const cancelled = opened.call("cancel", "cancel_workspace", { workspaceId }, { after: ["find"], why: "They asked." })
const paying = { workspaceId: { $from: "cancel", path: "/workspaceId" }, currency: "USD" } as const
const refunded = cancelled.call("refund", "execute_refund", {
  ...paying,
  amountInCents: { $from: "cancel", path: "/proratedCents" },
  reasonCode: "DUPLICATE_CHARGE",
})

describe("a built plan", () => {
  const verdict = refunded.done()

  test("is the plan that `definePlan` makes, and `compile`", () => {
    const written = {
      version: 1,
      goal: "Refund.",
      steps: [
        { id: "find", tool: "list_workspaces", args: { accountId } },
        { id: "open", transition: "MUTATING" },
        { id: "cancel", tool: "cancel_workspace", args: { workspaceId }, after: ["find"], why: "They asked." },
        {
          id: "refund",
          tool: "execute_refund",
          args: {
            ...paying,
            amountInCents: { $from: "cancel", path: "/proratedCents" },
            reasonCode: "DUPLICATE_CHARGE",
          },
        },
      ],
    } as const
    const inCode = definePlan(billing, written)
    const inText = compile(billing, JSON.stringify(written))
    expect(verdict.diagnostics).toEqual(inCode.diagnostics)
    for (const other of [inCode, inText]) {
      expect(verdict.ok && JSON.stringify(verdict.plan)).toBe(other.ok && JSON.stringify(other.plan))
    }
    expect(verdict.ok).toBe(true)
  })

  test("knows its steps as any plan in code does", () => {
    type Built = typeof verdict
    expectTypes<
      [
        Equal<StepIds<Built>, "find" | "open" | "cancel" | "refund">,
        Equal<StepResult<Built, "refund">, { refundId: string }>,
        Equal<StepOf<Built, "refund">["before"], "MUTATING">,
        Equal<FinalState<Built>, "MUTATING">,
        Equal<TotalsOf<Built>["records"], 2>,
        Equal<TotalsOf<Built>["cents"], number>,
      ]
    >()
    // @ts-expect-error there is no such step
    expectTypes<[Equal<StepResult<Built, "refnd">, unknown>]>()
  })

  test("takes nothing back: each call gives a builder of its own", () => {
    expect(codesOf(found.done())).toEqual([])
    const [one, other] = [found.call("a", "list_workspaces", { accountId }), found.transition("b", "MUTATING")]
    expect([one, other].map((built) => built.done()).map((built) => built.ok && built.plan.steps.length)).toEqual([
      2, 2,
    ])
    expect(Object.isFrozen(found)).toBe(true)
  })

  test("is judged in full at the end", () => {
    // Types count no blast radius while a plan is built.
    const all = refunded.call("again", "execute_refund", {
      ...paying,
      amountInCents: 50_000,
      reasonCode: "DUPLICATE_CHARGE",
    })
    expect(codesOf(all.done())).toEqual(["SEQ402"])
    expect(codesOf(refunded.done({ spent: { records: 9 } }))).toEqual(["SEQ402"])
    expect(
      codesOf(
        plan({} as typeof billing)
          .call("find", "list_workspaces", { accountId })
          .done(),
      ),
    ).toEqual(["SEQ801"])
  })
})

describe("tsc refuses", () => {
  test("a tool that there is none, or that cannot be called here", () => {
    // @ts-expect-error did you mean `list_workspaces`?
    expect(codesOf(found.call("a", "list_workspace", { accountId }).done())).toEqual(["SEQ108"])
    // @ts-expect-error SEQ301: `cancel_workspace` is available in `MUTATING`
    expect(codesOf(found.call("a", "cancel_workspace", { workspaceId }).done())).toEqual(["SEQ301"])
    const args = { workspaceId, amountInCents: 1, currency: "USD", reasonCode: "DUPLICATE_CHARGE" } as const
    // @ts-expect-error SEQ208: `execute_refund` requires an earlier `cancel_workspace`
    expect(codesOf(opened.call("a", "execute_refund", args).done())).toEqual(["SEQ208"])
  })

  test("a state that there is none, or that nothing leads to from here", () => {
    // @ts-expect-error SEQ302: there is no transition from `MUTATING` to `MUTATING`
    expect(codesOf(opened.transition("a", "MUTATING").done())).toEqual(["SEQ302"])
    // @ts-expect-error there is no such state
    expect(codesOf(opened.transition("a", "MUTATNG").done())).toEqual(["SEQ303"])
  })

  test("an id that is taken, or ill formed", () => {
    // @ts-expect-error SEQ106: step id `find` is used twice
    expect(codesOf(found.call("find", "list_workspaces", { accountId }).done())).toEqual(["SEQ106"])
    // @ts-expect-error SEQ106: step id `find` is used twice
    expect(codesOf(found.transition("find", "MUTATING").done())).toEqual(["SEQ106"])
    // @ts-expect-error SEQ105: it begins with `9`
    expect(codesOf(found.call("9", "list_workspaces", { accountId }).done())).toEqual(["SEQ105"])
  })

  test("arguments that do not fit, at their own property", () => {
    // @ts-expect-error a number is no text
    expect(codesOf(found.call("a", "list_workspaces", { accountId: 5 }).done())).toEqual(["SEQ122"])
    // @ts-expect-error `accountId` is missing
    expect(codesOf(found.call("a", "list_workspaces", {}).done())).toEqual(["SEQ120"])
    // @ts-expect-error SEQ121: `list_workspaces` has no parameter `acountId`
    expect(codesOf(found.call("a", "list_workspaces", { accountId, acountId: "" }).done())).toEqual(["SEQ121"])
    // @ts-expect-error SEQ131: `args` is an object of parameters
    expect(codesOf(found.call("a", "list_workspaces", { $from: "find" }).done())).toEqual(["SEQ131"])
  })

  test("references to other than earlier calls, and along paths that lead nowhere", () => {
    const a = "list_workspaces"
    // @ts-expect-error SEQ201: there is no step `fnd`
    expect(codesOf(found.call("a", a, { accountId: { $from: "fnd", path: "/x" } }).done())).toEqual(["SEQ201"])
    // @ts-expect-error SEQ203: it refers to itself
    expect(codesOf(found.call("a", a, { accountId: { $from: "a", path: "/x" } }).done())).toEqual(["SEQ203"])
    // @ts-expect-error SEQ204: a transition has no result
    expect(codesOf(opened.call("a", a, { accountId: { $from: "open" } }).done())).toEqual(["SEQ204"])
    // @ts-expect-error SEQ205: `find` has no value at `/workspace`
    expect(codesOf(found.call("a", a, { accountId: { $from: "find", path: "/workspace" } }).done())).toEqual(["SEQ205"])
    // @ts-expect-error SEQ207: an array is no text
    expect(codesOf(found.call("a", a, { accountId: { $from: "find", path: "/workspaces" } }).done())).toEqual([
      "SEQ207",
    ])
    expect(codesOf(found.call("a", a, { accountId: { $from: "input", path: "/accountId" } }).done())).toEqual([])
    // @ts-expect-error SEQ201: there is no step `fnd`
    expect(codesOf(found.call("a", a, { accountId }, { after: ["fnd"] }).done())).toEqual(["SEQ201"])
    // @ts-expect-error did you mean `after`?
    expect(codesOf(found.call("a", a, { accountId }, { afer: ["find"] }).done())).toEqual(["SEQ103"])
    const start = plan(desk)
    // @ts-expect-error SEQ210: the catalog declares no inputs
    expect(codesOf(start.call("a", "find_order", { orderId: { $from: "input" } }).done())).toEqual(["SEQ210"])
  })
})

describe("steps that only run time knows", () => {
  test("are added to an untyped builder, in a loop", () => {
    let built = plan(billing).untyped()
    for (const id of ["a", "b", "c"]) built = built.call(id, "list_workspaces", { accountId })
    const verdict = built.done()
    expectTypes<[Equal<typeof verdict, Compiled>, Equal<StepIds<typeof verdict>, string>]>()
    expect(verdict.ok && verdict.plan.steps.map(({ step }) => step.id)).toEqual(["a", "b", "c"])
    // @ts-expect-error tools are known all the same
    expect(codesOf(built.call("d", "list_workspace", { accountId }).done())).toEqual(["SEQ108"])
    // @ts-expect-error and states
    expect(codesOf(built.transition("d", "MUTATNG").done())).toEqual(["SEQ303"])
    expect(codesOf(built.call("a", "list_workspaces", {}).done()).sort()).toEqual(["SEQ106", "SEQ120"])
  })

  test("make the builder an untyped one where an id, a tool or a state is not one word", () => {
    const id = String("late")
    const after = found.call(id, "list_workspaces", { accountId })
    const tool = id === "late" ? "list_workspaces" : "list_refunds"
    const state = id === "late" ? "MUTATING" : "INVESTIGATING"
    const moved = found.untyped().transition("m", state)
    const either = id === "late" ? "x" : "y"
    expectTypes<
      [
        Equal<typeof after, UntypedBuilder<(typeof billing)["spec"]>>,
        Equal<ReturnType<typeof moved.done>, Compiled>,
        Equal<ReturnType<ReturnType<typeof found.untyped>["done"]>, Compiled>,
      ]
    >()
    const named = found.call(either, "list_workspaces", { accountId })
    expectTypes<[Equal<typeof named, typeof after>]>()
    expect(codesOf(after.call("x", tool, { accountId }).done())).toEqual([])
    expect(codesOf(moved.done())).toEqual([])
    // What this very step says is checked all the same.
    // @ts-expect-error a number is no text
    expect(codesOf(found.call(id, "list_workspaces", { accountId: 5 }).done())).toEqual(["SEQ122"])
  })

  test("any is left to the compiler, where it stands", () => {
    const any = JSON.parse("5")
    expect(codesOf(found.call("a", "list_workspaces", any).done())).toEqual(["SEQ101"])
    expect(codesOf(found.call("a", "list_workspaces", { accountId: any }).done())).toEqual(["SEQ122"])
    // @ts-expect-error SEQ121: what stands beside it is checked
    expect(codesOf(found.call("a", "list_workspaces", { accountId: any, b: 1 }).done())).toContain("SEQ121")
  })
})

/** The same plan as a chain of calls. */
const chained = (steps: number): string =>
  generatePlan(steps, 50)
    .replace("definePlan, type StepResult", "plan as start")
    .replace("definePlan(catalog, {\n  version: 1,\n  steps: [", "start(catalog)")
    .replaceAll(/\{ id: ("\w+"), tool: ("\w+"), args: (.*) \},\n/g, ".call($1, $2, $3)\n")
    .replaceAll(/\{ id: ("\w+"), transition: ("\w+") \},\n/g, ".transition($1, $2)\n")
    .replace(/ {2}\],\n\}\)\n.*\n/, "    .done()\n")

test("a hundred steps cost what they may", () => {
  const costOf = (text: string): number =>
    withProject((folder) => {
      writeFileSync(join(folder, "catalog.ts"), generateCatalog(50))
      writeFileSync(join(folder, "plan.ts"), text)
      const { instantiations, errors } = check(folder)
      expect(errors).toEqual([])
      return instantiations
    })
  const bare = costOf(
    'import { plan } from "sequitur"\nimport catalog from "./catalog.ts"\nexport default [plan, catalog]\n',
  )
  expect((costOf(chained(100)) - bare) / 100).toBeLessThan(6_500)
})
