/**
 * A compiled plan as text, to be kept or sent. Loading compiles the document again and compares everything: nothing
 * but the document is ever taken from the file. Codes: SEQ140 (stale), SEQ141 (altered).
 */
import type { Catalog, CatalogSpec } from "./catalog/catalog.ts"
import { changedParts, type Slice, sliceFor } from "./catalog/slice.ts"
import type { CompiledPlan } from "./check/compiled.ts"
import { isCompiledPlan } from "./check/seal.ts"
import { type Compiled, guarded, type Occasional, type ReadPlan, readOccasion, readText } from "./compile.ts"
import { type Diagnostic, diagnose } from "./diagnostic/diagnostic.ts"
import type { Bounds } from "./text/bounds.ts"
import { canonical } from "./text/canonical.ts"
import { isObject, type JsonObject } from "./text/json.ts"
import { child, type Pointer, root } from "./text/pointer.ts"

/** The compiled plan and its document as JSON text. Throws a `TypeError` for what no compiling made. */
export function serialize(plan: CompiledPlan): string {
  if (!isCompiledPlan(plan))
    throw new TypeError("`serialize` takes a compiled plan: the `plan` of a `compile` that was ok")
  return JSON.stringify(plan, null, 2)
}

/** Reads what `serialize` wrote. Refused where it differs in anything from what its document compiles to now. */
export function load<Spec extends CatalogSpec>(
  catalog: Catalog<Spec>,
  text: string | Uint8Array,
  options?: Pick<Occasional, "principal" | "literals" | "seen" | "inputs" | "earlier">,
): Compiled {
  let kept: JsonObject = {}
  const compiled = guarded(catalog, (report) => {
    const { bounds } = catalog
    // What was spent since may refuse it only where it is run.
    const { principal, literals, seen, inputs, earlier } = readOccasion(options, report, catalog)
    const json = report.failed() ? undefined : readText(text, boundsOfStored(bounds), report, catalog)
    if (json === undefined) return undefined
    if (!isObject(json.value) || json.value.sequitur !== 1 || json.value.document === undefined) {
      report.add(
        diagnose("SEQ102", root, { owner: "the stored plan", field: "document", expected: "what `serialize` wrote" }),
      )
      return undefined
    }
    kept = json.value
    // The file may be larger than a plan, but the plan in it may not.
    if (readText(canonical(json.value.document), bounds, report, catalog) === undefined) return undefined
    const rangeOf: ReadPlan["rangeOf"] = (at, part) => json.rangeOf(`/document${at}` as Pointer, part)
    return { value: json.value.document, rangeOf, principal, literals, seen, inputs, earlier }
  })
  const slice = sliceIn(kept)
  if (!compiled.ok) return stale(compiled, slice, catalog)
  const changed = changedParts(slice, compiled.plan.slice)
  if (changed.length > 0) return refuse(diagnose("SEQ140", child(root, "slice"), { changed: changed.join(", ") }))
  const altered = alteredPart(kept, compiled.plan)
  if (altered === undefined) return compiled
  const { compiler } = compiled.plan
  if (kept.compiler !== compiler)
    return refuse(diagnose("SEQ140", child(root, "compiler"), { changed: `compiler (now ${compiler})` }))
  return refuse(diagnose("SEQ141", child(root, altered), { part: altered }))
}

/** What is kept beside a document is a few times its size, and has hashes and words longer than its own strings. */
const boundsOfStored = (bounds: Bounds): Bounds => ({
  ...bounds,
  textBytes: bounds.textBytes * 16,
  nodes: bounds.nodes * 16,
  depth: bounds.depth + 8,
  stringBytes: Math.max(bounds.stringBytes, 4_096),
})

const refuse = (diagnostic: Diagnostic): Compiled => ({ ok: false, diagnostics: [diagnostic], more: 0 })

/** The document may no longer compile because the catalog moved on: then that is said too. */
function stale(compiled: Compiled, slice: Slice, catalog: Catalog): Compiled {
  if (Object.keys(slice).length === 0 || compiled.ok) return compiled
  const tools = Object.keys(slice).flatMap((part) => (part.startsWith("tool ") ? [part.slice(5)] : []))
  const changed = changedParts(slice, sliceFor(catalog, tools))
  if (changed.length === 0) return compiled
  const diagnostic = diagnose("SEQ140", child(root, "slice"), { changed: changed.join(", ") })
  return { ...compiled, diagnostics: [diagnostic, ...compiled.diagnostics] }
}

function sliceIn(kept: JsonObject): Slice {
  const { slice } = kept
  if (!isObject(slice)) return {}
  return Object.fromEntries(
    Object.entries(slice).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  )
}

/** The first part that is not as it would be written now. */
function alteredPart(kept: JsonObject, plan: CompiledPlan): string | undefined {
  const now = plan.toJSON()
  return [...new Set([...Object.keys(now), ...Object.keys(kept)])].find((part) => {
    const [a, b] = [now[part], kept[part]]
    return a === undefined || b === undefined || canonical(a, true) !== canonical(b, true)
  })
}
