/** Two compilers asked about the same plans: what each says, where they disagree, and the smallest case of it. */
import { type Catalog, compile } from "sequitur"
import type { Json, JsonObject } from "../../src/text/json.ts"
import { build } from "./build.ts"
import { compileNaively } from "./compile.ts"
import type { Declaration } from "./declaration.ts"
import type { PlanCase } from "./generate.ts"
import { isArray } from "./shape.ts"
import type { Verdict } from "./verdict.ts"

export interface Answers {
  readonly real: Verdict
  readonly naive: Verdict
}

export function ask(catalog: Catalog, declaration: Declaration, { text, ...occasion }: PlanCase): Answers {
  const compiled = compile(catalog, text, occasion)
  return {
    real: {
      accepted: compiled.ok,
      told: compiled.diagnostics.map(({ code, at }) => `${code} ${at}`).sort(),
      worst: compiled.ok ? compiled.plan.blast.map(({ dimension, max }) => `${dimension} ${max}`).sort() : [],
    },
    naive: compileNaively(declaration, JSON.parse(text) as Json, occasion),
  }
}

export const agree = ({ real, naive }: Answers): boolean => JSON.stringify(real) === JSON.stringify(naive)

export interface Disagreement extends Answers, Omit<PlanCase, "text"> {
  readonly declaration: Declaration
  readonly plan: Json
}

/** The answers, if the case can be asked and the compilers disagree on it. */
function disagreementOn(
  declaration: Declaration,
  plan: Json,
  occasion: Omit<PlanCase, "text">,
  asDeclared: (declared: Declaration) => Declaration,
): Disagreement | undefined {
  try {
    const answers = ask(build(declaration), asDeclared(declaration), { text: JSON.stringify(plan), ...occasion })
    return agree(answers) ? undefined : { ...answers, declaration, plan, ...occasion }
  } catch {
    // What was cut away was needed: this is no smaller case.
    return undefined
  }
}

/** Cuts away parts of plan and catalog for as long as the compilers still disagree in the same way. */
export function shrink(
  declaration: Declaration,
  { text, spent: spentBefore, ...who }: PlanCase,
  asDeclared = (declared: Declaration) => declared,
): Disagreement | undefined {
  const first = disagreementOn(declaration, JSON.parse(text) as Json, { spent: spentBefore, ...who }, asDeclared)
  if (first === undefined) return undefined
  const kind = kindOf(first)
  let smallest = first
  const keep = (declaration: Declaration, plan: Json, spent: Readonly<Record<string, number>>): boolean => {
    const smaller = disagreementOn(declaration, plan, { spent, ...who }, asDeclared)
    if (smaller === undefined || kindOf(smaller) !== kind) return false
    smallest = smaller
    return true
  }
  for (let size = Infinity; JSON.stringify(smallest).length < size; ) {
    size = JSON.stringify(smallest).length
    cutAway(smallest.plan, (plan) => keep(smallest.declaration, plan, smallest.spent))
    cutAway(smallest.spent, (spent) => keep(smallest.declaration, smallest.plan, spent as Record<string, number>))
    cutAway(
      smallest.declaration as unknown as Json,
      (one) => keep(one as unknown as Declaration, smallest.plan, smallest.spent),
      fixedKeys,
    )
  }
  return smallest
}

/** Keys that a declaration is none without. */
const fixedKeys = [
  ...["front", "limits", "budgets", "bounds", "tools", "steps", "concatParts", "goalLength", "initial", "transitions"],
  ...["effect", "params", "kind", "of", "value", "values", "fields", "shape", "parameter"],
]

/** Which codes only the one told, and which only the other. */
export function kindOf({ real, naive }: Answers): string {
  const only = (a: Verdict, b: Verdict) =>
    [...new Set(a.told.filter((one) => !b.told.includes(one)).map((one) => one.slice(0, 6)))].join()
  return `real ${only(real, naive)} naive ${only(naive, real)}`
}

/** Leaves out each part of the value in turn, and stays without it where `keep` allows. */
function cutAway(value: Json, keep: (smaller: Json) => boolean, fixed: readonly string[] = []): Json {
  if (typeof value !== "object" || value === null) return value
  let rest: Json = value
  for (const key of Object.keys(value).reverse()) {
    const without: Json = isArray(rest)
      ? (rest as readonly Json[]).toSpliced(Number(key), 1)
      : Object.fromEntries(Object.entries(rest as JsonObject).filter(([name]) => name !== key))
    if (!fixed.includes(key) && keep(without)) {
      rest = without
      continue
    }
    const put = (inner: Json): Json =>
      isArray(rest) ? (rest as readonly Json[]).with(Number(key), inner) : { ...(rest as JsonObject), [key]: inner }
    rest = put(cutAway((value as JsonObject)[key] as Json, (inner) => keep(put(inner)), fixed))
  }
  return rest
}
