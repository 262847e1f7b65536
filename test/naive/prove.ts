/**
 * Asks the real compiler and the naive one about many generated plans, and tells every disagreement in its smallest form.
 *   npm run prove:compiler -- --plans 1000000 --seed 1
 */
import { parseArgs } from "node:util"
import type { Catalog } from "sequitur"
import { parsePointer } from "../../src/text/pointer.ts"
import { build } from "./build.ts"
import { agree, ask, type Disagreement, kindOf, shrink } from "./compare.ts"
import type { Declaration } from "./declaration.ts"
import { type Case, generateCase, type PlanCase, withPolicies } from "./generate.ts"
import { walk } from "./shape.ts"
import type { Verdict } from "./verdict.ts"

export interface Proof {
  readonly plans: number
  readonly accepted: number
  /** How many plans earned each code. */
  readonly codes: ReadonlyMap<string, number>
  /** How many accepted plans have each feature. */
  readonly features: ReadonlyMap<string, number>
  readonly disagreed: number
  /** One of each kind, cut down. */
  readonly disagreements: readonly Disagreement[]
}

const plansPerCatalog = 50
const disagreementsShown = 10

/** `asDeclared` makes what the naive compiler is told of the catalog; a test of this proof lies to it. */
export function prove(plans: number, seed: number, asDeclared = (declaration: Declaration) => declaration): Proof {
  const codes = new Map<string, number>()
  const features = new Map<string, number>()
  const disagreements = new Map<string, Disagreement>()
  let [asked, accepted, disagreed] = [0, 0, 0]
  for (let batch = 0; asked < plans; batch += 1) {
    const { declaration, plans: cases, catalog } = openCase(seed * 1_000_003 + batch, batch)
    const told = asDeclared(declaration)
    for (const one of cases.slice(0, plans - asked)) {
      const answers = ask(catalog, told, one)
      asked += 1
      if (answers.real.accepted) {
        accepted += 1
        countEach(features, featuresOf(one, answers.real, declaration))
      }
      countEach(codes, new Set(answers.real.told.map((fault) => fault.slice(0, 6))))
      if (agree(answers)) continue
      disagreed += 1
      const kind = kindOf(answers)
      if (disagreements.has(kind) || disagreements.size >= disagreementsShown) continue
      disagreements.set(
        kind,
        shrink(declaration, one, asDeclared) ?? { ...answers, ...one, declaration, plan: JSON.parse(one.text) },
      )
    }
  }
  return { plans: asked, accepted, codes, features, disagreed, disagreements: [...disagreements.values()] }
}

/** Every third catalog has policies, unless they could not hold: then it has none. */
function openCase(seed: number, batch: number): Case & { readonly catalog: Catalog } {
  const plain = generateCase(seed, plansPerCatalog)
  if (batch % 3 !== 0) return { ...plain, catalog: build(plain.declaration) }
  const held = withPolicies(plain, seed)
  try {
    return { ...held, catalog: build(held.declaration) }
  } catch {
    return { ...plain, catalog: build(plain.declaration) }
  }
}

function countEach(counts: Map<string, number>, names: Iterable<string>): void {
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
}

function featuresOf({ text, spent }: PlanCase, { worst }: Verdict, declaration: Declaration): readonly string[] {
  const { limits } = declaration
  const met = worst.some((one) => {
    const [dimension = "", count] = one.split(" ")
    return Number(count) > 0 && Number(count) + (spent[dimension] ?? 0) === limits[dimension]
  })
  const features = {
    "array index": /"path":"[^"]*\/\d+["/]/.test(text),
    selection: text.includes('"where":{'),
    concat: text.includes('"$concat":['),
    literal: text.includes('"$literal":'),
    "a nullable value": takesNullable(text, declaration),
    "null itself": text.includes(":null"),
    occurrence: text.includes('"occurrence":'),
    after: text.includes('"after":['),
    transition: text.includes('"transition":'),
    "a limit met exactly": met,
  }
  return Object.entries(features).flatMap(([name, has]) => (has ? [name] : []))
}

/** Does some reference lead to what may be null? */
function takesNullable(text: string, { tools, inputs }: Declaration): boolean {
  const { steps } = JSON.parse(text) as { readonly steps: readonly { readonly id: string; readonly tool?: string }[] }
  let found = false
  JSON.parse(text, (_, value: unknown) => {
    const { $from, path } = Object(value) as { readonly $from?: unknown; readonly path?: unknown }
    if (typeof $from !== "string" || typeof path !== "string") return value
    const tool = steps.find(({ id }) => id === $from)?.tool
    const source = $from === "input" ? inputs : tools[tool ?? ""]?.result
    const place = source && walk(source, parsePointer(path) ?? [])
    found ||= place?.kind === "shape" && place.shape.kind === "nullable"
    return value
  })
  return found
}

export function report({ plans, accepted, codes, features, disagreed, disagreements }: Proof): string {
  const share = (count: number, of: number): string => `${((100 * count) / of).toFixed(1)} %`
  const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  const shares = sorted(features).map(([name, count]) => `${name} ${share(count, accepted)}`)
  return [
    `${plans} plans, ${accepted} accepted (${share(accepted, plans)}), ${disagreed} disagreements`,
    `of those accepted, with: ${shares.join(", ")}`,
    `${codes.size} codes: ${sorted(codes)
      .map(([code, count]) => `${code} ${count}`)
      .join(", ")}`,
    ...disagreements.map((one) => JSON.stringify(one, null, 1)),
  ].join("\n")
}

if (import.meta.main) {
  const options = { plans: { type: "string", default: "20000" }, seed: { type: "string", default: "1" } } as const
  const { values } = parseArgs({ options })
  const [plans, seed] = [Number(values.plans), Number(values.seed)]
  if (!Number.isSafeInteger(plans) || plans < 1 || !Number.isSafeInteger(seed)) {
    console.error("--plans takes a number of plans from 1, --seed an integer")
    process.exit(2)
  }
  const start = process.hrtime.bigint()
  const proof = prove(plans, seed)
  const micros = Number(process.hrtime.bigint() - start) / 1_000
  console.log(`seed ${seed}`)
  console.log(report(proof))
  console.log(`${(micros / plans).toFixed(0)} µs a plan, ${(micros / 1e6).toFixed(1)} s in all`)
  process.exitCode = proof.disagreed === 0 ? 0 : 1
}
