/** What changed from one catalog to the next, and whose plans it touches: by the same slices that make a plan stale. */
import type { Bounds } from "../text/bounds.ts"
import type { Json, JsonObject } from "../text/json.ts"
import { formatPointer } from "../text/pointer.ts"
import { authoritySlice } from "./authority.ts"
import type { Blast, Catalog, Tool } from "./catalog.ts"
import { type Change, compareValues } from "./change.ts"
import { demandCatalog } from "./define.ts"
import { sayGuard } from "./machine.ts"
import { type Path, sayPath } from "./place.ts"
import { type Labels, ruleSlice } from "./rule.ts"
import { compareSchemas } from "./schema/difference.ts"
import { changedParts, partsOf, sliceFor } from "./slice.ts"

export interface CatalogDifference {
  /** Parts of the slice: a plan that uses one of them is stale. */
  readonly parts: readonly PartDifference[]
  /** Bounds that were lowered. They make no plan stale, but one that is beyond them is refused when it is compiled again. */
  readonly lowered: readonly Change[]
  /** What matters to no plan that compiled: names, descriptions, new tools, bounds that were raised. */
  readonly others: readonly Change[]
}

export interface PartDifference {
  /** As in the `slice` of a compiled plan: `tool refund`, `machine`, `limits`, `budgets`, `inputs`. */
  readonly part: string
  /** The tool whose part it is: it touches the plans that use it. Null: every plan. */
  readonly tool: string | null
  readonly removed: boolean
  readonly changes: readonly Change[]
}

const shared = ["machine", "limits", "budgets", "approvals", "carryOver", "inputs"] as const

/**
 * Both without errors of their own: what a faulty catalog means is not known. Throws a `TypeError` where it is given what
 * `defineCatalog` did not make.
 */
export function diffCatalogs(before: Catalog, after: Catalog): CatalogDifference {
  demandCatalog(before)
  demandCatalog(after)
  const names = [...before.tools.keys()]
  const changed = changedParts(sliceFor(before, names), sliceFor(after, names))
  const common = shared
    .filter((part) => changed.includes(part))
    .map((part) => ({ part, tool: null, removed: false, changes: compareShared(part, before, after) }))
  const tools = [...before.tools.values()]
    .filter(({ name }) => changed.includes(`tool \`${name}\``))
    .map((tool) => compareTools(tool, after.tools.get(tool.name)))
  const { lowered, raised } = compareBounds(before, after)
  return { parts: [...common, ...tools], lowered, others: [...compareWords(before, after), ...raised] }
}

function compareShared(part: (typeof shared)[number], before: Catalog, after: Catalog): readonly Change[] {
  if (part === "inputs") {
    const labels = compareValues("", sayLabels(before.inputLabels), sayLabels(after.inputLabels))
    return [...compareSchemas("schema", before.inputs, after.inputs), ...labels]
  }
  if (part === "carryOver") return compareValues("whether approvals carry over", before.carryOver, after.carryOver)
  if (part === "approvals") return compareValues("how decisions are proved", before.approvals, after.approvals)
  return compareValues("", dataOf(part, before), dataOf(part, after))
}

/** As it is hashed, but for what is said of a transition that has no guard. */
function dataOf(part: "machine" | "limits" | "budgets", catalog: Catalog): Json | undefined {
  const { machine } = catalog
  if (part !== "machine") return partsOf(catalog).get(part)
  if (machine === undefined) return { initial: "no machine" }
  const transitions = [...machine.transitions].flatMap(([from, targets]) =>
    targets.size === 0
      ? [[`state ${from}`, "no way out"]]
      : [...targets].map(([to, rule]) => [`${from} → ${to}`, sayGuard(rule)]),
  )
  return { initial: machine.initial, ...Object.fromEntries(transitions) }
}

function compareTools(before: Tool, after: Tool | undefined): PartDifference {
  const { name: tool } = before
  const part = `tool ${tool}`
  if (after === undefined) return { part, tool, removed: true, changes: [] }
  const changes = [
    ...compareSchemas("params", before.params, after.params),
    ...compareSchemas("result", before.result, after.result),
    ...compareValues("", policyOf(before), policyOf(after)),
  ]
  return { part, tool, removed: false, changes }
}

/** All else that is hashed of a tool, in words where it is long. What it counts is compared by dimension, what is said by parameter. */
function policyOf({ slice, states, requires, blast, authority, rules, labels }: Tool): Json {
  const { params: _params, result: _result, ...policy } = slice as JsonObject
  const said = rules.flatMap((rule) =>
    Object.entries(ruleSlice(rule)).map(([what, value]) => [`${sayPath(rule.path)} ${what}`, value] as const),
  )
  return {
    ...policy,
    states: states === undefined ? "every state" : [...states].sort(),
    requires: requires.map(({ tool, same = [] }) => [tool, ...same].join(", same ")),
    blast: Object.fromEntries(blast.map((one) => [one.dimension, sayCount(one)])),
    authority: authoritySlice(authority),
    rules: Object.fromEntries(said),
    ...sayLabels(labels),
  }
}

const sayLabels = ({ untrusted, private: hidden }: Labels): JsonObject => ({
  untrusted: untrusted.map(sayLabelled),
  private: hidden.map(sayLabelled),
})

const sayLabelled = (path: Path): string => formatPointer(path) || "all of it"

const sayCount = (blast: Blast): string =>
  blast.kind === "constant" ? `${blast.value}` : `${blast.kind} ${blast.parameter}, ${blast.min} to ${blast.max}`

function compareBounds(
  { bounds: before }: Catalog,
  { bounds: after }: Catalog,
): { readonly lowered: readonly Change[]; readonly raised: readonly Change[] } {
  const changes = (Object.keys(before) as (keyof Bounds)[])
    .filter((bound) => before[bound] !== after[bound])
    .map((bound) => ({
      // How many diagnostics are shown refuses nothing.
      lower: after[bound] < before[bound] && bound !== "diagnostics",
      change: { what: `bound ${bound}`, before: `${before[bound]}`, after: `${after[bound]}` },
    }))
  const those = (lower: boolean): readonly Change[] =>
    changes.filter((one) => one.lower === lower).map(({ change }) => change)
  return { lowered: those(true), raised: those(false) }
}

/** What is for people and planners; and tools that are new. */
function compareWords(before: Catalog, after: Catalog): readonly Change[] {
  const tools = [...after.tools.values()].flatMap(({ name, description }): readonly Change[] => {
    const known = before.tools.get(name)
    const what = `tool \`${name}\``
    return known === undefined
      ? compareValues(what, undefined, description)
      : compareValues(`${what} description`, known.description, description)
  })
  return [
    ...compareValues("name", before.name, after.name),
    ...compareValues("version", before.version, after.version),
    ...tools,
  ]
}
