/** How many rounds it takes from a mistake to a plan: by a planner that mends what it is told, and by one that only applies our fixes. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { applyFixes, type Catalog, type Code, type CompileOptions, codes, compile, type Json } from "sequitur"
import { type Planner, type Proposed, propose } from "../../../src/planner/index.ts"
import { numbers } from "../../check/rewrite.ts"
import type { GoodPlan } from "../../convergence/converge.ts"
import { type Fault, faults, type Pick } from "../../convergence/faults.ts"
import { scripted } from "./scripted.ts"

/** A plan that earns a code, with its catalog and what is said of whoever it is for. */
export interface Mistake {
  readonly code: Code
  readonly file: string
  readonly text: string
  readonly catalog: Catalog
  readonly options: CompileOptions
}

const folder = resolve("plans/invalid")

/** What a planner cannot do: bytes and values that are no text, stored plans, and what the host says. */
const notByPlanners = /^SEQ(?:01[489]|14\d|404|[89]\d\d)$/

export const codesOfPlanners = (): readonly Code[] =>
  (Object.keys(codes) as Code[]).filter((code) => !notByPlanners.test(code))

export async function mistakes(): Promise<readonly Mistake[]> {
  const load = async (path: string): Promise<unknown> => (await import(path)).default
  const found: Mistake[] = []
  for (const code of codesOfPlanners()) {
    const own = `${folder}/${code}/catalog.ts`
    const catalog = (await load(existsSync(own) ? own : `${folder}/catalog.ts`)) as Catalog
    for (const file of readdirSync(`${folder}/${code}`)) {
      if (/\.(?:expected|options)\.json$/.test(file) || file === "catalog.ts") continue
      const path = `${folder}/${code}/${file}`
      const said = file.endsWith(".json") ? readFileSync(path, "utf8") : await load(path)
      if (typeof said !== "string" || file.startsWith("define")) continue
      const options = path.replace(/\.json$/, ".options.json")
      const given = existsSync(options) ? (JSON.parse(readFileSync(options, "utf8")) as CompileOptions) : {}
      found.push({ code, file, text: said, catalog, options: given })
    }
  }
  return found
}

const goal = "Do what is to be done."

/** With what the mistake was made under. */
const proposeWith = ({ catalog, options }: Setting, planner: Planner): Promise<Proposed> => {
  const { principal, spent, literals } = options
  return propose({
    catalog,
    planner,
    goal,
    prompt: { schema: false, maxLength: 4_000 },
    ...(principal === undefined ? {} : { principal }),
    session: {
      ...(spent === undefined ? {} : { spent }),
      ...(literals === "untrusted" ? { literals } : {}),
    },
  })
}

type Setting = { readonly catalog: Catalog; readonly options: CompileOptions }

export interface Rounds {
  readonly ended: Proposed["kind"]
  readonly attempts: number
  readonly proposed: Proposed
}

const roundsOf = (proposed: Proposed): Rounds => ({
  ended: proposed.kind,
  attempts: proposed.exchange.attempts.length,
  proposed,
})

/** Writes the mistake, then a plan that is right. */
export const whenTold = async (mistake: Mistake, right: string): Promise<Rounds> =>
  roundsOf(await proposeWith(mistake, scripted(mistake.text, right).planner))

/** Writes the mistake, then what our fixes make of it, as long as there are any. */
export async function byFixes(mistake: Setting & { readonly text: string }): Promise<Rounds> {
  const { catalog, options } = mistake
  let text: string | undefined
  return roundsOf(
    await proposeWith(mistake, async () => {
      text = text === undefined ? mistake.text : mend(text, catalog, options)
      return { text }
    }),
  )
}

function mend(text: string, catalog: Catalog, options: CompileOptions): string {
  const errors = compile(catalog, text, options).diagnostics.filter(({ severity }) => severity === "error")
  if (errors.every(({ fix }) => fix === undefined)) return text
  return JSON.stringify(applyFixes(JSON.parse(text) as Json, errors).document)
}

export interface Row {
  readonly kind: string
  readonly refused: number
  readonly accepted: number
  /** Of those that are accepted, the first attempt too. */
  readonly mean: number
  readonly most: number
}

/** Seeded faults in plans that are right, one row for each kind. */
export async function rowsOfFaults(good: readonly GoodPlan[], seed: number, each: number): Promise<readonly Row[]> {
  const next = numbers(seed)
  const pick: Pick = (below) => next() % below
  const rows: Row[] = []
  for (const [kind, fault] of Object.entries(faults)) rows.push(await rowOf(kind, fault, good, pick, each))
  return rows
}

async function rowOf(kind: string, fault: Fault, good: readonly GoodPlan[], pick: Pick, each: number): Promise<Row> {
  const attempts: number[] = []
  let refused = 0
  for (let tries = 0; tries < each * 6 && refused < each; tries++) {
    const chosen = good[pick(good.length)]
    const faulty = chosen && fault(chosen.plan, chosen.catalog, pick)
    if (chosen === undefined || faulty === undefined) continue
    const text = JSON.stringify(faulty)
    if (compile(chosen.catalog, text).ok) continue
    refused++
    const { ended, attempts: count } = await byFixes({ catalog: chosen.catalog, options: {}, text })
    if (ended === "plan") attempts.push(count)
  }
  const mean = attempts.reduce((sum, count) => sum + count, 0) / Math.max(1, attempts.length)
  return { kind, refused, accepted: attempts.length, mean, most: Math.max(0, ...attempts) }
}

export const tableOf = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string => {
  const all = [head, ...rows.map((row) => row.map(String))]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}
