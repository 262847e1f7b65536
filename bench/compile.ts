/** How fast a plan's text becomes a verdict, beside reading it with `JSON.parse`, and beside schemas alone. */
import { type CompiledPlan, compile } from "sequitur"
import { catalog, guarded, maxSteps } from "./catalog.ts"
import { type Contender, type Pace, race } from "./harness.ts"
import { ajvPeer, zodPeer } from "./peers.ts"
import { breakPlan, faults, makePlan } from "./plans.ts"
import type { Table } from "./report.ts"

export interface Judge {
  readonly name: string
  /** Whether it takes the text as a plan. */
  readonly accepts: (text: string) => boolean
}

/** The step counts of the plans raced, and how many plans of each. */
const sizes = [
  { steps: 5, plans: 64 },
  { steps: 30, plans: 64 },
  { steps: maxSteps, plans: 4 },
] as const

export const maxTimesParse = 4

const parses: Judge = { name: "`JSON.parse`", accepts: (text) => JSON.parse(text) !== undefined }

export function judges(): readonly Judge[] {
  const ajv = ajvPeer()
  const zod = zodPeer()
  return [
    { name: "`JSON.parse` + Ajv 8, schema only", accepts: (text) => ajv(JSON.parse(text)) },
    { name: "`JSON.parse` + zod 4, schema only", accepts: (text) => zod(JSON.parse(text)) },
    { name: "`compile`", accepts: (text) => compile(catalog, text).ok },
    { name: "`compile`, a guarded transition", accepts: (text) => compile(guarded, text).ok },
    { name: "`compile`, all of the plan read", accepts: readAll },
  ]
}

/** Hashes and steps are worked out when they are asked for. */
function readAll(text: string): boolean {
  const compiled = compile(catalog, text)
  return compiled.ok && isWhole(compiled.plan)
}

const isWhole = ({ planHash, catalogHash, steps }: CompiledPlan): boolean =>
  planHash.length === 64 && catalogHash.length === 64 && steps.length > 0

const writeTexts = (steps: number, plans: number): readonly string[] =>
  Array.from({ length: plans }, (_, seed) => JSON.stringify(makePlan(steps, seed + 1)))

/** Where judges do not agree with what is known: valid plans are taken, those with a fault that a schema can see are not. */
export function disagreements(among: readonly Judge[]): readonly string[] {
  const found: string[] = []
  for (const { steps, plans } of sizes) {
    for (const [index, text] of writeTexts(steps, plans).entries()) {
      for (const { name, accepts } of among)
        if (!accepts(text)) found.push(`${name} refuses plan ${index + 1} of ${steps} steps`)
    }
  }
  for (const fault of Object.keys(faults)) {
    for (let seed = 1; seed <= 5; seed++) {
      const text = JSON.stringify(breakPlan(makePlan(30, seed), fault))
      for (const { name, accepts } of among)
        if (accepts(text)) found.push(`${name} takes plan ${seed} with the fault "${fault}"`)
    }
  }
  return found
}

export async function benchCompile(pace: Pace): Promise<readonly Table[]> {
  const among = judges()
  const found = disagreements(among)
  if (found.length > 0) throw new Error(`the contenders disagree: ${found.slice(0, 5).join("; ")}`)
  const tables: Table[] = []
  for (const { steps, plans } of sizes) {
    const texts = writeTexts(steps, plans)
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / plans
    const standings = await race(
      [parses, ...among].map((judge) => contend(judge, texts)),
      pace,
    )
    const rows = standings.map((standing) => {
      const isCompile = standing.name === "`compile`"
      return isCompile && steps === 30 ? { ...standing, aim: { ratioMax: maxTimesParse } } : standing
    })
    tables.push({
      title: `Compile, ${steps} steps`,
      unit: "plan",
      about: `${plans} plans of about ${(bytes / 1024).toFixed(1)} KiB.`,
      rows,
    })
  }
  return tables
}

function contend({ name, accepts }: Judge, texts: readonly string[]): Contender {
  let next = 0
  return {
    name,
    run: (times) => {
      for (let time = 0; time < times; time++) {
        if (!accepts(texts[next % texts.length] as string)) throw new Error(`${name} refuses a valid plan`)
        next++
      }
    },
  }
}
