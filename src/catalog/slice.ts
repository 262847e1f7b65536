/** The part of a catalog that a plan depends on, as hashes by part: to see that it changed, and to name what did. */
import { sha256 } from "#sha256"
import { canonical } from "../text/canonical.ts"
import type { Json, JsonObject } from "../text/json.ts"
import type { Catalog, Limit } from "./catalog.ts"
import { machineSlice } from "./machine.ts"
import { labelSlice } from "./rule.ts"
import { plain } from "./schema/plain.ts"
import type { Schema } from "./schema/schema.ts"

/**
 * SHA-256 by part: `inputs`, `machine`, `limits`, `budgets`, `approvals` (where they are not signed), `carryOver` (where they do), `tool <name>`. Not descriptions, nor tools it does not use; nor
 * `bounds`, which are no part of what a compiled plan means: whoever loads a plan or takes up its run compiles it again under
 * the bounds of now, and a plan beyond one that was lowered is refused by that bound's own code, which says more than "stale".
 */
export type Slice = { readonly [part: string]: string }

const known = new WeakMap<Catalog, Map<string, string>>()

export function sliceFor(catalog: Catalog, tools: Iterable<string>): Slice {
  let hashes = known.get(catalog)
  if (hashes === undefined) {
    hashes = hashParts(catalog)
    known.set(catalog, hashes)
  }
  const slice: Record<string, string> = {}
  for (const part of ["inputs", "machine", "limits", "budgets"]) slice[part] = hashes.get(part) ?? ""
  for (const part of ["approvals", "carryOver"]) {
    const hash = hashes.get(part)
    if (hash !== undefined) slice[part] = hash
  }
  for (const name of [...withUndos(catalog, tools)].sort()) slice[`tool ${name}`] = hashes.get(`tool ${name}`) ?? ""
  return slice
}

/** A plan depends on what undoes its effects too. */
function withUndos({ tools }: Catalog, names: Iterable<string>): ReadonlySet<string> {
  const all = new Set(names)
  for (const name of [...all]) {
    const compensation = tools.get(name)?.compensation
    if (compensation?.kind === "call") all.add(compensation.tool)
  }
  return all
}

export const hashSlice = (slice: Slice): string => sha256(canonical(slice))

/** What differs between two slices, in words; empty where nothing does. */
export function changedParts(before: Slice, after: Slice): readonly string[] {
  const parts = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...parts]
    .filter((part) => before[part] !== after[part])
    .map((part) => (part.startsWith("tool ") ? `tool \`${part.slice(5)}\`` : part))
}

const hashParts = (catalog: Catalog): Map<string, string> =>
  new Map([...partsOf(catalog)].map(([part, value]) => [part, sha256(canonical(value))]))

/** What is hashed, by part: all that a plan can depend on. */
export function partsOf({
  inputs,
  inputLabels,
  approvals,
  carryOver,
  machine,
  limits,
  budgets,
  tools,
}: Catalog): ReadonlyMap<string, Json> {
  return new Map<string, Json>([
    ["inputs", inputs === undefined ? null : { ...sliceOf(inputs), ...labelSlice(inputLabels) }],
    ["machine", machine === undefined ? null : machineSlice(machine)],
    ["limits", Object.fromEntries([...limits].map(([dimension, limit]) => [dimension, limitOf(limit)]))],
    ["budgets", { ...budgets } as Json],
    ...(approvals === "signed" ? [] : [["approvals", approvals] as const]),
    ...(carryOver ? [["carryOver", carryOver] as const] : []),
    ...[...tools.values()].map((tool): [string, Json] => [`tool ${tool.name}`, tool.slice]),
  ])
}

const limitOf = ({ max, per, approveAbove }: Limit): Json => ({
  max,
  per,
  ...(approveAbove === undefined ? {} : { approveAbove }),
})

/** Symbols say the kinds of a shape, but its keywords say them too. */
export const sliceOf = (schema: Schema): JsonObject => ({
  shape: plain(schema.shape),
  functions: [...schema.functions],
  // Left out where there are none, so that catalogs without secrets keep their hashes.
  ...(schema.sensitive.length === 0 ? {} : { sensitive: [...schema.sensitive] }),
})
