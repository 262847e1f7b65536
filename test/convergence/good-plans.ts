/** Plans that are right: made for the desk, written for the example domains, and recorded by others. */
import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { type Catalog, compile, type Json } from "sequitur"
import billing from "../../plans/billing/catalog.ts"
import desk from "../../plans/invalid/catalog.ts"
import invoices from "../../plans/invoices/catalog.ts"
import servers from "../../plans/servers/catalog.ts"
import { rightPlan } from "../check/arbitrary.ts"
import { hasReferred, retailSets } from "../conformance/retail.ts"
import { hasFile } from "../conformance/suite.ts"
import { isAuthentication, policyCatalog } from "../tau-bench/policy.ts"
import { readPlans, readReferred, withPeople, withReferences } from "../tau-bench/recorded.ts"
import { resultsCatalog } from "../tau-bench/results.ts"
import type { GoodPlan } from "./converge.ts"
import type { WrittenPlan } from "./faults.ts"

export const goodPlans = (): readonly GoodPlan[] => [...deskPlans(3, 60), ...domainPlans(), ...recordedPlans()]

export const deskPlans = (seed: number, count: number): readonly GoodPlan[] =>
  acceptedOf(
    desk as Catalog,
    fc.sample(rightPlan, { numRuns: count, seed }).map((plan: Json) => JSON.stringify(plan)),
  )

export const domainPlans = (): readonly GoodPlan[] =>
  Object.entries({ billing, invoices, servers }).flatMap(([name, catalog]) =>
    acceptedOf(
      catalog as Catalog,
      readdirSync(`plans/${name}`)
        .filter((file) => file.endsWith(".json") && file !== "inputs.json")
        .map((file) => readFileSync(`plans/${name}/${file}`, "utf8")),
    ),
  )

/** Under the policy with the transitions, and with references to the results that were recorded. */
function recordedPlans(): readonly GoodPlan[] {
  if (!hasFile("tau-bench/retail_tools.json")) return []
  const authenticating = retailSets()
    .flatMap(readPlans)
    .filter(({ actions }) => isAuthentication(actions[0]?.name ?? ""))
  return [
    ...acceptedOf(policyCatalog(), authenticating.map(withPeople)),
    ...(hasReferred() ? acceptedOf(resultsCatalog(), readReferred().map(withReferences)) : []),
  ]
}

const acceptedOf = (catalog: Catalog, texts: readonly string[]): readonly GoodPlan[] =>
  texts
    .filter((text) => compile(catalog, text).ok)
    .map((text) => ({ catalog, plan: JSON.parse(text) as WrittenPlan }))
    .filter(({ plan }) => plan.steps.length > 0)
