/** Faults against the shop's policy, put into plans that keep it; where they are to be told is asked naively. */
import { isChange } from "../tau-bench/policy.ts"
import type { Material, Mutant } from "./mutants.ts"
import { policyFaults } from "./retail-policy.ts"
import { argumentAt, stepAt, type Written, type WrittenStep, withValue, write } from "./written.ts"

type Mutate = (material: Material) => Mutant | undefined

const judged = (steps: readonly WrittenStep[]): Mutant | undefined => {
  // What a transition waits for may be gone; nobody asks about that here.
  const plan = { version: 1, steps: steps.map(({ after: _, ...step }: WrittenStep & { after?: unknown }) => step) }
  const expected = policyFaults(plan)
  return expected.length === 0 ? undefined : { text: write(plan), expected }
}

/** The same changes where they do no harm: the compiler must not be stricter than the policy. */
const harmless = (plan: Written): Mutant | undefined =>
  policyFaults(plan).length === 0 ? { text: write(plan), expected: [] } : undefined

const without =
  (drops: (step: WrittenStep) => boolean): Mutate =>
  ({ plan, random }) => {
    const dropped = random.one(plan.steps.filter(drops))
    return dropped && judged(plan.steps.filter((step) => step !== dropped))
  }

function swapped({ plan: { steps }, random }: Material): readonly WrittenStep[] {
  const index = random.below(steps.length - 1)
  const [one, other] = [steps[index], steps[index + 1]]
  return one === undefined || other === undefined ? steps : steps.with(index, other).with(index + 1, one)
}

export const policyKinds: { readonly [kind: string]: Mutate } = {
  "policy: transition dropped": without(({ transition }) => transition !== undefined),
  "policy: reading of the order dropped": without(({ tool }) => tool === "get_order_details"),
  "policy: order read too late": ({ plan, random }) => {
    const reading = random.one(plan.steps.filter(({ tool }) => tool === "get_order_details"))
    return reading && judged([...plan.steps.filter((step) => step !== reading), reading])
  },
  "policy: another order changed": ({ plan, random }) => {
    const changes = plan.steps.flatMap(({ tool = "", args }, index) =>
      isChange(tool) && args?.order_id !== undefined ? [index] : [],
    )
    const index = random.one(changes)
    if (index === undefined) return undefined
    return judged(withValue(plan, argumentAt(index, "order_id"), `#W${random.below(10_000)}`).steps)
  },
  "policy: neighbours swapped": (material) => judged(swapped(material)),
  "policy: neighbours swapped without harm": (material) =>
    harmless({
      version: 1,
      steps: swapped(material).map(({ after: _, ...step }: WrittenStep & { after?: unknown }) => step),
    }),
  "policy: unknown state": ({ plan, random }) => {
    const index = random.one(plan.steps.flatMap(({ transition }, at) => (transition === undefined ? [] : [at])))
    const state = random.one(["authenticated", "ADMIN", "toString", "CHANGE"]) ?? ""
    return index === undefined
      ? undefined
      : judged(withValue(plan, `${stepAt(index)}/transition` as never, state).steps)
  },
  "policy: change made again": ({ plan, random }) => {
    const change = random.one(plan.steps.filter(({ tool = "" }) => isChange(tool)))
    return change && judged([...plan.steps, { ...change, id: "again" }])
  },
  "policy: more changes than allowed": ({ plan, random }) => {
    const change = random.one(plan.steps.filter(({ tool }) => tool === "exchange_delivered_order_items"))
    if (change === undefined) return undefined
    const more = Array.from({ length: 2 + random.below(4) }, (_, index) => ({
      ...change,
      id: `more${index}`,
      args: { ...change.args, new_item_ids: [`${random.below(1_000_000)}`, `${index}`] },
    }))
    return judged([...plan.steps, ...more])
  },
}
