/** How far our fixes alone carry a plan with faults in it: good plans, seeded faults, fixes until none is left. */
import { applyFixes, type Catalog, compile, type Diagnostic, type Json } from "sequitur"
import { numbers } from "../check/rewrite.ts"
import { faults, type Pick, type WrittenPlan } from "./faults.ts"

export interface GoodPlan {
  readonly catalog: Catalog
  readonly plan: WrittenPlan
}

/** One line of the table. `mutants` counts the refused: a fault that leaves a plan that may run is none to mend. */
export interface Row {
  readonly kind: string
  readonly mutants: number
  /** Accepted after the fixes of one compile, and after as many compiles as gave fixes. */
  readonly inOne: number
  readonly inAll: number
  /** Of those the plans that are again what they were before the fault. */
  readonly restored: number
}

/** Nothing needs more: each round leaves fewer faults, or there is a mistake of ours. */
export const mostRounds = 8

export interface Mended {
  readonly ok: boolean
  readonly rounds: number
  readonly document: Json
}

/** Compiles and applies what is offered, until the plan is accepted or nothing is offered. */
export function mend(catalog: Catalog, document: Json, most = mostRounds): Mended {
  let current = document
  for (let rounds = 0; ; rounds++) {
    const compiled = compile(catalog, JSON.stringify(current))
    if (compiled.ok) return { ok: true, rounds, document: current }
    const fixed = applyFixes(current, errorsOf(compiled.diagnostics))
    if (fixed.applied.length === 0 || rounds === most) return { ok: false, rounds, document: current }
    current = fixed.document
  }
}

const errorsOf = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === "error")

/** One row for each kind of fault alone, then one for plans with two faults and one for plans with three. */
export function converge(
  good: readonly GoodPlan[],
  { seed, each }: { readonly seed: number; readonly each: number },
): readonly Row[] {
  const next = numbers(seed)
  const pick: Pick = (below) => next() % below
  const kinds = Object.keys(faults)
  const alone = kinds.map((kind) => measure(kind, good, each, pick, () => [kind]))
  const several = [2, 3].map((count) =>
    measure(`${count} faults`, good, each * 5, pick, () =>
      Array.from({ length: count }, () => kinds[pick(kinds.length)] ?? ""),
    ),
  )
  return [...alone, ...several]
}

function measure(
  kind: string,
  good: readonly GoodPlan[],
  wanted: number,
  pick: Pick,
  kindsOf: () => readonly string[],
): Row {
  const row = { kind, mutants: 0, inOne: 0, inAll: 0, restored: 0 }
  // Not every plan has a place for every fault, and not every fault is one.
  for (let tries = 0; tries < wanted * 6 && row.mutants < wanted; tries++) {
    const chosen = good[pick(good.length)]
    if (chosen === undefined) break
    const { catalog, plan } = chosen
    const faulty = kindsOf().reduce<WrittenPlan | undefined>(
      (made, one) =>
        made === undefined || !Array.isArray(made.steps) ? undefined : faults[one]?.(made, catalog, pick),
      plan,
    )
    if (faulty === undefined || compile(catalog, JSON.stringify(faulty)).ok) continue
    const mended = mend(catalog, faulty as unknown as Json)
    row.mutants++
    if (!mended.ok) continue
    row.inAll++
    if (mended.rounds === 1) row.inOne++
    if (sorted(mended.document) === sorted(plan as unknown as Json)) row.restored++
  }
  return row
}

/** Equal texts where only the order of keys differs. */
const sorted = (value: Json): string =>
  JSON.stringify(value, (_, inner: Json) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** What was misspelt must come back as it was, not as something else that is accepted. */
export const mustRestore = ({ kind }: Row): boolean => kind.startsWith("misspelt") || kind.includes("otherwise")

export const tableOf = (rows: readonly Row[]): string =>
  [
    "| fault | refused | mended in one round | in all | as it was |",
    "|---|--:|--:|--:|--:|",
    ...rows.map(({ kind, mutants, inOne, inAll, restored }) => {
      const share = (count: number): string => (mutants === 0 ? "–" : `${Math.round((100 * count) / mutants)} %`)
      return `| ${kind} | ${mutants} | ${share(inOne)} | ${share(inAll)} | ${share(restored)} |`
    }),
  ].join("\n")
