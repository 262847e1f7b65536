/** Cases for two compilers: a catalog's declaration and plans against it, with limits that some of them meet exactly. */
import { worstTotals } from "./compile.ts"
import type { Declaration } from "./declaration.ts"
import { generateDeclaration } from "./generate-declaration.ts"
import { generatePlan } from "./generate-plan.ts"
import { addPolicies, generateOccasion } from "./generate-policies.ts"
import type { MutableObject } from "./generate-value.ts"
import { mutate } from "./mutate.ts"
import type { Occasion } from "./policies.ts"
import { makeRandom, type Random } from "./random.ts"

export interface Case {
  readonly declaration: Declaration
  readonly plans: readonly PlanCase[]
}

export interface PlanCase extends Occasion {
  readonly text: string
  readonly spent: Readonly<Record<string, number>>
}

export function generateCase(seed: number, plans: number): Case {
  const random = makeRandom(seed)
  const unlimited = generateDeclaration(random)
  const good = Array.from({ length: plans }, () => generatePlan(unlimited, random))
  const declaration = limit(unlimited, good, random)
  return {
    declaration,
    plans: good.map((plan) => {
      const told = random.chance(0.45) ? mutate(plan, declaration, random) : plan
      return { text: JSON.stringify(told), spent: spend(declaration, plan, random) }
    }),
  }
}

/** The same case with rules, labels and authority, and with somebody that the plans are for. */
export function withPolicies({ declaration, plans }: Case, seed: number): Case {
  const random = makeRandom(seed)
  const written = plans.flatMap(({ text }) => {
    const plan = JSON.parse(text) as MutableObject
    return Array.isArray(plan?.steps) ? [plan] : []
  })
  return {
    declaration: addPolicies(declaration, written, random),
    plans: plans.map((plan) => ({ ...plan, ...generateOccasion(random) })),
  }
}

/** Sets each limit and budget to what one of the larger plans needs, or one less, or one more. */
function limit(declaration: Declaration, plans: readonly MutableObject[], random: Random): Declaration {
  const { chance, pick } = random
  const near = (needs: readonly number[]): number => {
    const sorted = needs.toSorted((a, b) => a - b)
    return Math.max(0, (sorted[Math.floor(sorted.length * pick([0.7, 0.85, 0.95]))] ?? 0) + pick([0, 0, 0, -1, 1, 100]))
  }
  const totals = plans.map((plan) => worstTotals(declaration, plan))
  const limits = Object.keys(declaration.limits).map((dimension) => [
    dimension,
    near(totals.map((total) => total.blast[dimension] ?? 0)),
  ])
  const budgets = (["steps", "sideEffects", "microUsd"] as const)
    .filter(() => chance(0.3))
    .map((budget) => [budget, near(totals.map((total) => total.needed[budget]))])
  const steps = chance(0.15) ? Math.max(1, near(totals.map(({ needed }) => needed.steps))) : 100
  return {
    ...declaration,
    limits: Object.fromEntries(limits),
    budgets: Object.fromEntries(budgets),
    bounds: { ...declaration.bounds, steps },
  }
}

/** What was spent before: often nothing, sometimes all that the plan leaves over, or one more. */
function spend(
  declaration: Declaration,
  plan: MutableObject,
  { chance, pick, int }: Random,
): Readonly<Record<string, number>> {
  if (!chance(0.25)) return {}
  if (chance(0.03)) return { [pick(["cents", "records", "nothing"])]: pick([-1, 0.5, 2 ** 53, 1]) }
  const { blast } = worstTotals(declaration, plan)
  const dimensions = Object.entries(declaration.limits).filter(() => chance(0.7))
  return Object.fromEntries(
    dimensions.map(([dimension, max]) => {
      const left = max - (blast[dimension] ?? 0)
      return [dimension, Math.max(0, pick([left, left, left + 1, int(0, Math.min(max, 5)), max + 1]))]
    }),
  )
}
