/** tau-bench retail: recorded plans under both catalogs, and the plans with references against recorded results. */
import { type Catalog, compile } from "sequitur"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { hasPolicy, isAuthentication, policyCatalog } from "../tau-bench/policy.ts"
import { asRecorded, readPlans, readReferred, withPeople, withReferences } from "../tau-bench/recorded.ts"
import { recordedAnswers, resultsCatalog } from "../tau-bench/results.ts"
import { schemasCatalog } from "../tau-bench/schemas.ts"
import { policyFaults } from "./retail-policy.ts"
import { type Case, hasFile, held, type Row, rowOf } from "./suite.ts"
import { read, referencesIn } from "./written.ts"

export const retailSets = () =>
  (["test", "train", "dev"] as const).filter((set) => hasFile(`tau-bench/retail_${set}_plans.json`))

/** Its plans with references need what the tools answered. */
export const hasReferred = (): boolean =>
  hasFile("tau-bench/retail_test_replay.json") && hasFile("tau-bench/retail_test_refplans.json")

export function retailRows(): readonly Row[] {
  if (!hasFile("tau-bench/retail_tools.json") || retailSets().length === 0) return []
  return [
    ...schemaRows(schemasCatalog()),
    ...(hasPolicy() ? policyRows(policyCatalog()) : []),
    ...(hasReferred() ? referenceRows(resultsCatalog()) : []),
  ]
}

const schemaRows = (catalog: Catalog): readonly Row[] =>
  retailSets().map((set) =>
    rowOf(
      `${set} plans, schemas alone`,
      readPlans(set).map((plan) => held(plan.id, catalog, asRecorded(plan), [])),
    ),
  )

/** Who may be let in and who has said yes stands in no recording: most plans leave it out, and are refused for it. */
function policyRows(catalog: Catalog): readonly Row[] {
  const plans = retailSets().flatMap(readPlans)
  const begins = plans.filter(({ actions }) => isAuthentication(actions[0]?.name ?? ""))
  const others = plans.filter((plan) => !begins.includes(plan))
  const judged = (some: typeof plans): readonly Case[] =>
    some.map((plan) => {
      const text = withPeople(plan)
      return held(plan.id, catalog, text, policyFaults(read(text)))
    })
  return [
    rowOf("policy, plans that authenticate first", judged(begins)),
    rowOf("policy, plans that leave out what it asks", judged(others)),
  ]
}

function referenceRows(catalog: Catalog): readonly Row[] {
  const texts = readReferred().map((plan) => ({ id: plan.id, text: withReferences(plan) }))
  const indexing = texts.filter(({ text }) => referencesIn(read(text)).some(({ path }) => /\/\d+(\/|$)/.test(path)))
  const checked = indexing.map(({ id, text }): Case => {
    const compiled = compile(catalog, text)
    const checks = compiled.ok ? compiled.plan.steps.flatMap((step) => step.checks) : []
    const present = checks.some(({ kind }) => kind === "present")
    return {
      ok: compiled.ok,
      verdict: present ? "as-expected" : { unexplained: `${id}: no check that an item is there` },
    }
  })
  const results = [...recordedAnswers()].flatMap(([name, answers]) =>
    answers.map((answer, index): Case => {
      const schema = catalog.tools.get(name)?.result
      const issues = schema === undefined ? [`no schema`] : judgeWhole(schema, answer)
      const ok = issues.length === 0
      return { ok, verdict: ok ? "as-expected" : { unexplained: `${name} result ${index}: ${JSON.stringify(issues)}` } }
    }),
  )
  return [
    rowOf(
      "plans with typed references",
      texts.map(({ id, text }) => held(id, catalog, text, [])),
    ),
    rowOf("… by index, each checked at run time", checked),
    rowOf("recorded results, by the schemas inferred", results),
  ]
}
