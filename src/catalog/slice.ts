/** The part of a catalog that a plan depends on, as hashes by part: to see that it changed, and to name what did. */
import { sha256 } from "#sha256"
import { canonical } from "../text/canonical.ts"
import type { Json } from "../text/json.ts"
import type { Catalog } from "./catalog.ts"
import { sliceOf } from "./define.ts"

/** SHA-256 by part: `inputs`, `machine`, `limits`, `budgets`, `tool <name>`. Not descriptions, nor tools it does not use. */
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

function hashParts(catalog: Catalog): Map<string, string> {
  const { inputs, machine, limits, budgets, tools } = catalog
  const parts: [string, Json][] = [
    ["inputs", inputs === undefined ? null : sliceOf(inputs)],
    ["machine", machine === undefined ? null : machineOf(machine)],
    ["limits", Object.fromEntries([...limits].map(([dimension, { max, per }]) => [dimension, { max, per }]))],
    ["budgets", { ...budgets } as Json],
    ...[...tools.values()].map((tool): [string, Json] => [`tool ${tool.name}`, tool.slice]),
  ]
  return new Map(parts.map(([part, value]) => [part, sha256(canonical(value))]))
}

const machineOf = ({ initial, transitions }: NonNullable<Catalog["machine"]>): Json => ({
  initial,
  transitions: Object.fromEntries(
    [...transitions].map(([from, targets]) => [
      from,
      Object.fromEntries([...targets].map(([to, { guard }]) => [to, guard ?? null])),
    ]),
  ),
})
