/**
 * Results of earlier runs of a session, which a plan may name as `run/step`. The host gives them; they are held to the catalog, and
 * those that a plan reads are sealed into it, so that its run needs nothing else.
 */
import type { Catalog } from "../catalog/catalog.ts"
import { judgeWhole } from "../catalog/schema/judge.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import type { Report } from "../diagnostic/report.ts"
import { idPattern } from "../document/document.ts"
import { copyJson } from "../text/copy-json.ts"
import { isObject, type Json } from "../text/json.ts"
import { root } from "../text/pointer.ts"
import type { Plan, Step } from "./plan.ts"

/** One result, as `earlierFrom` of `sequitur/planner` makes it of a run's report. */
export interface EarlierResult {
  readonly tool: string
  readonly result: Json
  /** The labels that came into it by what its tool was given; those that the tool declares are known. */
  readonly carries: readonly Carried[]
}

export type Carried = "untrusted" | "private"

/** By `run/step`. */
export type Earlier = { readonly [source: string]: EarlierResult }

export const noEarlier: Earlier = Object.freeze({})

/** A run's id. */
export const runPattern = "[A-Za-z0-9_.:-]{1,128}"
/** A run's id and a step's, in which there is no slash. */
const sourcePattern = new RegExp(`^${runPattern}/${idPattern.slice(1)}`)
/** How many results may be given, each as large as a result may be. */
const resultsMax = 1_024

/** A copy of what the host gives. What is not right is its fault, and then none of it counts. */
export function readEarlier(given: unknown, catalog: Catalog, report: Report): Earlier {
  if (given === undefined) return noEarlier
  const fault = (problem: string, remedy: string): Earlier => {
    report.add(diagnose("SEQ801", root, { what: "the option `earlier`", problem, remedy }))
    return noEarlier
  }
  const form = 'Give `{ "run/step": { tool, result, carries: [] } }`: `earlierFrom` makes it of a plan and its report.'
  const { bounds } = catalog
  // As results are taken: see `take.ts`.
  const size = { depth: bounds.depth + 2, nodes: bounds.nodes * resultsMax, bytes: bounds.resultBytes * resultsMax }
  const copied = copyJson(given, size, { numbers: "finite", strings: "any" })
  if (!copied.ok) return fault(`holds ${copied.problem} at \`${copied.at || "/"}\``, form)
  if (!isObject(copied.value)) return fault("must be an object", form)
  const entries = Object.entries(copied.value)
  if (entries.length > resultsMax) return fault(`has more than ${resultsMax} results`, "Give those that are of use.")
  for (const [source, one] of entries) {
    if (!sourcePattern.test(source)) return fault(`names \`${source.slice(0, 80)}\`, which is no \`run/step\``, form)
    if (!isEarlier(one)) return fault(`has no \`tool\`, \`result\` and \`carries\` for \`${source}\``, form)
    const tool = catalog.tools.get(one.tool)
    if (tool === undefined)
      return fault(`has a result of \`${one.tool.slice(0, 80)}\`, which is no tool of the catalog`, "Leave it out.")
    if (tool.result !== undefined && judgeWhole(tool.result, one.result).length > 0)
      return fault(`has a result of \`${source}\` that \`${tool.name}\` does not give any more`, "Leave it out.")
  }
  return copied.value as unknown as Earlier
}

const isEarlier = (one: Json): one is Json & EarlierResult =>
  isObject(one) &&
  Object.keys(one).length === 3 &&
  typeof one.tool === "string" &&
  one.result !== undefined &&
  Array.isArray(one.carries) &&
  one.carries.every((label: Json) => label === "untrusted" || label === "private")

/** Those that the steps read. */
export function readBy(steps: readonly Step[], earlier: Earlier): Earlier {
  const names = steps.flatMap((step) => (step.kind === "call" ? step.reads.map(({ source }) => source) : []))
  const used = [...new Set(names)].filter((name) => Object.hasOwn(earlier, name)).sort()
  return used.length === 0 ? noEarlier : Object.fromEntries(used.map((name) => [name, earlier[name] as EarlierResult]))
}

export const hasEarlier = ({ earlier }: Pick<Plan, "earlier">): boolean => Object.keys(earlier).length > 0
