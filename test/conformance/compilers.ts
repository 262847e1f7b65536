/** What is counted of the compiler beside itself: a second one, its own fixes, and the forms that it asks planners for. */
import type { Catalog } from "sequitur"
import billing from "../../plans/billing/catalog.ts"
import { type ProviderName, planSchema } from "../../src/planner/index.ts"
import { converge, type Row as Mended, mustRestore } from "../convergence/converge.ts"
import { goodPlans } from "../convergence/good-plans.ts"
import { prove } from "../naive/prove.ts"
import { manyTools } from "../planner/catalogs.ts"
import { schemasCatalog } from "../tau-bench/schemas.ts"
import { hasFile } from "./suite.ts"
import type { Line } from "./table.ts"

const plansForShare = 5_000

export function secondCompilerLines(plans: number, seed: number): readonly Line[] {
  const { plans: asked, accepted, disagreed, disagreements, features } = prove(plans, seed)
  // Of a few plans, all of a few catalogs, the share says nothing.
  const few =
    asked >= plansForShare && accepted / asked < 0.4 ? [`only ${Math.round((100 * accepted) / asked)} % accepted`] : []
  return [
    {
      what: "generated plans",
      cells: [asked, accepted, asked - accepted, asked - disagreed, 0],
      unexplained: [...few, ...disagreements.map((one) => JSON.stringify(one))],
    },
    ...[...features]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([feature, count]): Line => ({
          what: `… accepted, with ${feature}`,
          cells: [count, count, 0],
          unexplained: [],
        }),
      ),
  ]
}

const mended = ["refused", "round 1", "in all", "as it was", ""]

export const mendedColumns = mended

/** By fixes alone. Which kinds must be mended, and how often, is held by the tests. */
export const mendedLines = (seed: number): readonly Line[] =>
  converge(goodPlans(), { seed, each: 80 }).map((row): Line => {
    const { kind, mutants, inOne, inAll, restored } = row
    const share = (count: number): string => (mutants === 0 ? "–" : `${Math.round((100 * count) / mutants)} %`)
    return {
      what: kind,
      cells: [mutants, share(inOne), share(inAll), share(restored)],
      unexplained: wronglyMended(row) ? [`${inAll - restored} came back as something else`] : [],
    }
  })

const wronglyMended = (row: Mended): boolean => mustRestore(row) && row.restored < row.inAll

const providers = ["openai", "anthropic", "gemini"] as const satisfies readonly ProviderName[]

export const formColumns: readonly string[] = ["tools", ...providers, ""]

/** Arguments spelt out, or, where the catalog is too large for what a provider takes, as JSON text: then it says so. */
export function formLines(): readonly Line[] {
  const catalogs: readonly (readonly [string, Catalog])[] = [
    ["billing", billing as Catalog],
    ...(hasFile("tau-bench/retail_tools.json") ? ([["tau-bench retail", schemasCatalog()]] as const) : []),
    ["tools of five parameters", manyTools(50)],
  ]
  return catalogs.map(([what, catalog]) => {
    const forms = providers.map((name) => ({ name, ...planSchema(catalog, { for: name }) }))
    const silent = forms.filter(
      ({ form, notes }) => form.kind === "envelope" && !notes.some((one) => / because /.test(one)),
    )
    return {
      what,
      cells: [catalog.tools.size, ...forms.map(({ form }) => (form.kind === "structured" ? "spelt out" : "as text"))],
      unexplained: silent.map(({ name }) => `${name}: as text, and does not say why`),
    }
  })
}
