/**
 * Plans that people and models really made: 428 recorded conversations of tau-bench retail (and three without a step).
 *
 * Where the data and the expectation might part, who was right:
 *
 * | claim | looked at | right |
 * |---|---|---|
 * | only 45 of the 77 authenticate first | the other 32: 30 list just the calls that change something, 2 are empty | the data |
 * | a repeated effect needs `occurrence` | no recorded plan repeats an effect with equal args (only reads) | never raised |
 * | two finds are two users | 36, 37, 39, 54, 55, 67: each earlier try came back with "user not found" | accepted |
 * | modify or exchange once an order | 64: an exchange, then a modification of the same order; the first was refused by the shop | accepted |
 * | return once an order | 13: returned twice, to another payment method; the first was refused by the shop | accepted |
 */
import { type Catalog, type Code, compile, type Diagnostic } from "sequitur"
import { describe, expect, test } from "vitest"
import { hasData } from "../data.ts"
import { changesOfItems, isAuthentication, isChange, policyCatalog } from "./policy.ts"
import { asRecorded, type RecordedPlan, readPlans, withPeople } from "./recorded.ts"
import { schemasCatalog } from "./schemas.ts"

interface Verdict {
  readonly id: string
  readonly ok: boolean
  readonly diagnostics: readonly Diagnostic[]
}

const judge = (
  catalog: Catalog,
  plans: readonly RecordedPlan[],
  written: (plan: RecordedPlan) => string,
): readonly Verdict[] => plans.map((plan) => ({ id: plan.id, ...compile(catalog, written(plan)) }))

function count(keys: Iterable<string>): { readonly [key: string]: number } {
  const counts: Record<string, number> = {}
  for (const key of [...keys].sort()) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

const codesOf = (verdicts: readonly Verdict[]) =>
  count(verdicts.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)))

function row(catalog: string, set: string, verdicts: readonly Verdict[]): string {
  const accepted = verdicts.filter(({ ok }) => ok).length
  const codes = Object.entries(codesOf(verdicts)).map(([code, times]) => `${code} ×${times}`)
  return `| ${[catalog, set, verdicts.length, accepted, verdicts.length - accepted, codes.join(", ") || "–"].join(" | ")} |`
}

const table = (rows: readonly string[]): string =>
  ["| catalog | set | plans | accepted | refused | said |", "|---|---|---|---|---|---|", ...rows].join("\n")

describe.skipIf(!hasData)("tau-bench retail", () => {
  const sets = hasData ? (["test", "train", "dev"] as const).map((name) => ({ name, plans: readPlans(name) })) : []
  const whole = sets.map(({ name, plans }) => ({ name, plans: plans.filter(({ actions }) => actions.length > 0) }))
  const empty = sets.flatMap(({ plans }) => plans.filter(({ actions }) => actions.length === 0))

  test("the schemas lower, and each open object is closed with a notice", () => {
    const { diagnostics, tools } = schemasCatalog()
    expect(tools.size).toBe(16)
    expect(count(diagnostics.map(({ code, severity }) => `${code} ${severity}`))).toEqual({
      "SEQ803 notice": 16,
      // The recorded tools take no idempotency key, and nothing is known to ask after them.
      "SEQ821 warning": 6,
    })
    expect(policyCatalog().diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
  })

  test("under the schemas alone all 428 are accepted", () => {
    const catalog = schemasCatalog()
    const verdicts = whole.map(({ name, plans }) => ({ name, verdicts: judge(catalog, plans, asRecorded) }))
    console.log(table(verdicts.map((set) => row("schemas", set.name, set.verdicts))))
    const all = verdicts.flatMap((set) => set.verdicts)
    expect(all).toHaveLength(428)
    expect(all.filter(({ diagnostics }) => diagnostics.length > 0)).toEqual([])
  })

  test("no plan makes the same effect twice, so none had to say `occurrence`", () => {
    const effects = whole.flatMap(({ plans }) =>
      plans.flatMap(({ id, actions }) =>
        actions
          .filter(({ name }) => isChange(name))
          .map((action) => JSON.stringify([id, action.name, action.arguments])),
      ),
    )
    expect(effects.length).toBeGreaterThan(500)
    expect(new Set(effects).size).toBe(effects.length)
  })

  test("the three without a step compile with a warning", () => {
    const verdicts = judge(schemasCatalog(), empty, asRecorded)
    expect(verdicts.map(({ id }) => id)).toEqual(["retail_test_24", "retail_test_57", "retail_dev_17"])
    for (const { ok, diagnostics } of verdicts) {
      expect(ok).toBe(true)
      expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["SEQ111", "warning"]])
    }
  })

  describe("under the policy", () => {
    const authenticates = ({ actions }: RecordedPlan): boolean => isAuthentication(actions[0]?.name ?? "")

    test("the 45 that authenticate first are accepted, each with the approvals it will wait for", () => {
      const catalog = policyCatalog()
      const plans = whole.flatMap((set) => set.plans).filter(authenticates)
      const verdicts = judge(catalog, plans, withPeople)
      console.log(table([row("policy", "authenticate first", verdicts)]))
      expect(verdicts).toHaveLength(45)
      expect(verdicts.filter(({ ok }) => !ok)).toEqual([])
      verdicts.forEach(({ diagnostics }, index) => {
        const changes = plans[index]?.actions.some(({ name }) => isChange(name))
        expect(diagnostics.map(({ code }) => code)).toEqual(changes ? ["SEQ501", "SEQ501"] : ["SEQ501"])
      })
    })

    test("the others are refused for exactly what they leave out", () => {
      const catalog = policyCatalog()
      const rows: string[] = []
      const missing: string[] = []
      for (const { name, plans } of whole) {
        const others = plans.filter((plan) => !authenticates(plan))
        const verdicts = judge(catalog, others, withPeople)
        rows.push(row("policy", name, verdicts))
        verdicts.forEach(({ id, ok, diagnostics }, index) => {
          expect(ok, id).toBe(false)
          const plan = others[index] as RecordedPlan
          expect(
            diagnostics.map(({ code, at }) => `${code} ${at}`),
            id,
          ).toEqual(leftOut(plan))
          missing.push(
            "authentication",
            ...diagnostics.filter(({ code }) => code === "SEQ208").map(({ message }) => message),
          )
        })
      }
      console.log(table(rows))
      console.log(
        [
          "| left out | times |",
          "|---|---|",
          ...Object.entries(count(missing)).map(([what, times]) => `| ${what} | ${times} |`),
        ].join("\n"),
      )
      expect(rows).toHaveLength(3)
    })

    /** By reading the plan: the way to CHANGING, once, and the reading of each order that is changed. */
    function leftOut({ actions }: RecordedPlan): readonly string[] {
      const change = actions.findIndex(({ name }) => isChange(name))
      expect(change).toBe(0)
      const unread = actions.flatMap((action, index) =>
        "order_id" in action.arguments ? [`SEQ208 /steps/${index + 1}/tool`] : [],
      )
      return ["SEQ302 /steps/0/transition", ...unread]
    }

    test("an order is read before it is changed: another order's reading does not do", () => {
      const [plan] = whole.flatMap((set) => set.plans).filter(({ id }) => id === "retail_test_0")
      const text = withPeople(plan as RecordedPlan)
      const other = text.replace('"order_id":"#W2378156"', '"order_id":"#W2378157"')
      expect(other).not.toBe(text)
      expect(faultsOf(policyCatalog(), other)).toEqual(["SEQ209"])
    })

    test("no more changes of items than the limit", () => {
      const steps = (changes: number): string =>
        withPeople({
          id: "",
          actions: [
            { name: "find_user_id_by_email", arguments: { email: "a@example.com" } },
            { name: "get_order_details", arguments: { order_id: "#W1" } },
            ...Array.from({ length: changes }, (_, index) => ({
              name: "exchange_delivered_order_items",
              arguments: {
                order_id: "#W1",
                item_ids: ["1"],
                new_item_ids: [`${index}`],
                payment_method_id: "gift_card_1",
              },
            })),
          ],
        })
      expect(faultsOf(policyCatalog(), steps(changesOfItems))).toEqual([])
      expect(faultsOf(policyCatalog(), steps(changesOfItems + 1))).toEqual(["SEQ402"])
    })

    test("`once` for each order can be declared, for the parameters that there are", () => {
      const errors = (by: string) =>
        policyCatalog({ modify_pending_order_items: { once: { by: [by], scope: "tenant" } } })
          .diagnostics.filter(({ severity }) => severity === "error")
          .map(({ code, message, hint }) => `${code} ${message}. ${hint}`)
      expect(errors("order_id")).toEqual([])
      expect(errors("orderid")).toEqual([
        "SEQ808 `once` of `modify_pending_order_items` names the parameter `orderid` of `modify_pending_order_items`, which does not exist. Did you mean `order_id`?",
      ])
    })
  })
})

const faultsOf = (catalog: Catalog, text: string): readonly Code[] =>
  compile(catalog, text)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code)
