/** Seeded mutants of the recorded plans: each is refused, with exactly the codes and places that its fault earns. */
import { type Catalog, compile } from "sequitur"
import type { JsonSchema } from "../../src/catalog/schema/schema.ts"
import { readData } from "../data.ts"
import { hasPolicy, isAuthentication, policyCatalog } from "../tau-bench/policy.ts"
import { asRecorded, readPlans, readReferred, withPeople, withReferences } from "../tau-bench/recorded.ts"
import { resultsCatalog } from "../tau-bench/results.ts"
import { kinds, type Material, type Mutant, type ToolNote } from "./mutants.ts"
import { policyKinds } from "./policy-mutants.ts"
import { randomOf } from "./random.ts"
import { hasReferred, retailSets } from "./retail.ts"
import { hasFile, held, type Row, rowOf } from "./suite.ts"
import { read, type Written, write } from "./written.ts"

/** Changes that do no harm, and must be accepted. */
export const isControl = ({ suite }: Row): boolean => suite.endsWith("without harm")

/** `share`: how many mutants of each kind are made of each plan. */
export function mutantRows(share: number, seed: number): readonly Row[] {
  if (!hasFile("tau-bench/retail_tools.json") || retailSets().length === 0) return []
  const recorded = retailSets().flatMap(readPlans)
  const referring = hasReferred() ? readReferred() : []
  const plans = [...referring.map(withReferences), ...recorded.map(asRecorded)].map(read)
  const allowed = recorded
    .filter(({ actions }) => isAuthentication(actions[0]?.name ?? ""))
    .map((plan) => read(withPeople(plan)))
  return [
    ...(hasFile("tau-bench/retail_test_replay.json") ? rowsOf(kinds, plans, resultsCatalog(), share, seed) : []),
    // Fewer plans, so more mutants of each.
    ...(hasPolicy() ? rowsOf(policyKinds, allowed, policyCatalog(), share * 4, seed) : []),
  ]
}

function rowsOf(
  mutations: { readonly [kind: string]: (material: Material) => Mutant | undefined },
  plans: readonly Written[],
  catalog: Catalog,
  share: number,
  seed: number,
): readonly Row[] {
  const tools = toolNotes(catalog)
  const results = new Map(
    Object.entries(catalog.spec.tools).map(([name, { result }]) => [name, (result ?? {}) as JsonSchema]),
  )
  // A fault is put into what was right: of a plan that was not, nobody knows what is to be said.
  const right = plans.filter((plan) => compile(catalog, write(plan)).ok)
  return Object.entries(mutations).map(([kind, mutate]) => {
    const cases = right.flatMap((plan, index) => {
      const made = new Map<string, Mutant>()
      for (let count = 0; count < share; count++) {
        const random = randomOf(seed + index * 1_000 + count)
        const mutant = plan.steps.length === 0 ? undefined : mutate({ plan, tools, results, random })
        if (mutant !== undefined) made.set(mutant.text, mutant)
      }
      return [...made.values()].map(({ text, expected }) => held(`${kind}: ${text}`, catalog, text, expected))
    })
    return rowOf(kind, cases)
  })
}

interface RecordedSchema {
  readonly function: {
    readonly name: string
    readonly parameters: Partial<Pick<ToolNote, "properties" | "required">>
  }
}

export function toolNotes(catalog: Catalog): ReadonlyMap<string, ToolNote> {
  const tools = JSON.parse(readData("tau-bench/retail_tools.json")) as readonly RecordedSchema[]
  return new Map(
    tools.map(({ function: { name, parameters } }) => [
      name,
      {
        mutates: catalog.tools.get(name)?.mutates ?? false,
        required: parameters.required ?? [],
        properties: parameters.properties ?? {},
      },
    ]),
  )
}
