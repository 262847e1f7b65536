/**
 * References: each leads to a value that its source declares.
 * Codes: SEQ205 (no such value), SEQ206 (may be absent), SEQ211 (selects from no array), SEQ212 (can never match),
 * SEQ213 (cannot be joined).
 */
import type { TSchema } from "@sinclair/typebox"
import { Type } from "@sinclair/typebox"
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { accepts } from "../catalog/schema/accept.ts"
import { type NoPlace, shapeAt } from "../catalog/schema/at.ts"
import { fit } from "../catalog/schema/fit.ts"
import { countOf } from "../catalog/schema/interval.ts"
import { unionOf, unknown } from "../catalog/schema/make.ts"
import { branchesOf, describe, itemsOf } from "../catalog/schema/shape.ts"
import { show } from "../catalog/schema/show.ts"
import { covers, pathsOf } from "../catalog/sensitive.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import { intended, suggest } from "../diagnostic/nearest.ts"
import { type JsonPatch, rename, valueAt } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import { unwritten } from "../plan/expression.ts"
import type { Call, Concat, Expression, Hole, Match, Plan, Read, Selection } from "../plan/plan.ts"
import { canonical } from "../text/canonical.ts"
import { isObject, type Json } from "../text/json.ts"
import { child, formatPointer, type Pointer } from "../text/pointer.ts"
import type { RuntimeCheck } from "./compiled.ts"
import { mendSource, shapeOf, suits } from "./givers.ts"
import type { Given, Ordered, Source } from "./order.ts"
import type { Tooled } from "./tools.ts"

export interface Typed {
  /** The shape of the value that each hole will have. Holes that are at fault are not in it. */
  readonly given: ReadonlyMap<Hole, TSchema>
  /** By step index: what only the run can decide of its references. */
  readonly presence: readonly (readonly RuntimeCheck[])[]
}

/** A hole's source in words: "`find` at `/workspaces`". */
export function sayHole(hole: Hole): string {
  if (hole.kind === "concat" || hole.kind === "broken") return "`$concat`"
  const said = placed(`\`${hole.source}\``, hole.path)
  return hole.kind === "selection" ? `${said} selected by \`where\`` : said
}

export function checkReferences<P extends Plan & Tooled & Ordered>(
  plan: P,
  catalog: Catalog,
  report: Report,
): P & Typed {
  const given = new Map<Hole, TSchema>()
  const presence = plan.steps.map((step): readonly RuntimeCheck[] => {
    if (step.kind === "transition" || step.reads.length === 0) return nothing
    const checks: RuntimeCheck[] = []
    const visit: Visit = { plan, catalog, report, step, given, checks }
    step.reads.forEach((read, index) => {
      const source = plan.sources[step.index]?.[index]
      if (source === undefined || (typeof source === "number" && report.spoilt(source))) return
      checkRead(read, source, visit)
    })
    checkParts(step.args, visit)
    return checks
  })
  return { ...plan, given, presence }
}

const nothing: readonly RuntimeCheck[] = []

interface Visit {
  readonly plan: Plan & Tooled & Ordered
  readonly catalog: Catalog
  readonly report: Report
  readonly step: Call
  readonly given: Map<Hole, TSchema>
  readonly checks: RuntimeCheck[]
}

function checkRead(read: Read, source: Source, visit: Visit): void {
  const says = `\`${read.source}\``
  const tool = source === "input" ? undefined : typeof source === "number" ? visit.plan.tools[source] : source.of
  const whole = source === "input" ? visit.catalog.inputs?.shape : tool?.result?.shape
  if (whole === undefined) {
    if (tool !== undefined) checkUndeclared(read, tool, source, says, visit)
    return
  }
  const found = lookUp(whole, read.path, pathOf(read), says, visit, {
    right: (path) => suits(shapeOf(read, whole, path), read, visit),
    else: () => (typeof source === "object" ? undefined : mendSource(read, source, visit)),
  })
  if (found === undefined || (typeof source === "object" && !isThere(read, source, says, visit))) return
  if (read.kind === "reference") {
    visit.given.set(read, found)
    return
  }
  const picked = checkSelection(read, found, says, visit)
  if (picked !== undefined) visit.given.set(read, picked)
}

/** What an earlier run gave is known. It is not told: who reads this may have been shown it without its secrets. */
function isThere(read: Read, { result, of }: Given, says: string, { report }: Visit): boolean {
  const array = valueAt(result, formatPointer(read.path))
  const known = "That run's result has nothing there."
  if (array === undefined)
    report.add(diagnose("SEQ205", pathOf(read), { source: says, path: formatPointer(read.path), known }))
  if (array === undefined || read.kind === "reference") return array !== undefined
  const secret = pathsOf(of.result?.sensitive)
  const compared = read.where.flatMap(({ path, value }) =>
    value.kind === "literal" && !covers(secret, [...read.path, "*", ...path])
      ? [[formatPointer(path), canonical(value.value)] as const]
      : [],
  )
  // What is compared with a value that only the run knows is left to it; so is a secret, at which nobody may guess here.
  if (compared.length < read.where.length || !Array.isArray(array)) return true
  const matching = array.filter((element: Json) =>
    compared.every(([path, wanted]) => {
      const found = valueAt(element, path)
      return found !== undefined && canonical(found, true) === wanted
    }),
  )
  if (matching.length === 1) return true
  const count = matching.length === 0 ? "No element of it matches" : `${matching.length} elements of it match`
  const params = {
    source: placed(says, read.path),
    path: formatPointer(read.pick),
    known: `${count}; it takes exactly one.`,
  }
  report.add(diagnose("SEQ205", child(read.at, "where"), params))
  return false
}

/** Of a result that no schema describes, only the whole value can be used. */
function checkUndeclared(read: Read, tool: Tool, source: Source, says: string, visit: Visit): void {
  const { report, given } = visit
  if (read.kind === "reference" && read.path.length === 0) {
    given.set(read, unknown)
    return
  }
  const known = `\`${tool.name}\` declares no result: only the whole value can be used.`
  const params = { source: says, path: formatPointer(read.path), known }
  report.add(
    diagnose("SEQ205", pathOf(read), params, {
      mend: () => (typeof source === "object" ? undefined : mendSource(read, source, visit)),
    }),
  )
}

const pathOf = ({ at, path }: Read): Pointer => (path === unwritten ? at : child(at, "path"))

const placed = (says: string, path: readonly string[]): string =>
  path.length === 0 ? says : `${says} at \`${formatPointer(path)}\``

/** How a path that leads nowhere may be mended. */
interface Mending {
  /** Whether a value at the path that was meant would do. */
  readonly right: (path: readonly string[]) => boolean
  /** What else may have been meant, where no name is near. */
  readonly else: () => JsonPatch | undefined
  /** Puts a path in the place of the one that is there. */
  readonly put?: (at: Pointer, path: Pointer) => JsonPatch | undefined
}

const replacePath = (at: Pointer, path: Pointer): JsonPatch => [{ op: "replace", path: at, value: path }]

/** The shape at a path, or a diagnostic. What is not certain becomes a runtime check. */
function lookUp(
  shape: TSchema,
  path: readonly string[],
  at: Pointer,
  says: string,
  { report, checks }: Visit,
  mending: Mending,
): TSchema | undefined {
  if (path.length === 0) return shape
  const found = shapeAt(shape, path)
  if (found.ok) {
    if (!found.certain) checks.push({ at, kind: "present", says: `${says} has a value at \`${formatPointer(path)}\`` })
    return found.shape
  }
  const reached = formatPointer(path.slice(0, found.index + 1))
  if (found.why === "optional") {
    report.add(diagnose("SEQ206", at, { source: says, path: reached }))
    return undefined
  }
  const token = path[found.index] ?? ""
  const known =
    found.why === "absent" && found.known.length > 0
      ? suggest(token, found.known, "fields")
      : found.why === "not-an-index"
        ? "An array takes an index from 0, or `where` and `pick`."
        : sayEnd(shape, path.slice(0, found.index), found.why)
  const mend = (): JsonPatch | undefined => {
    const meant = intended(token, found.known)
    if (meant === undefined) return mending.else()
    const mended = path.with(found.index, meant)
    const right = shapeAt(shape, mended).ok && mending.right(mended)
    return right ? (mending.put ?? replacePath)(at, formatPointer(mended)) : undefined
  }
  report.add(diagnose("SEQ205", at, { source: says, path: reached, known }, { mend }))
  return undefined
}

/** Why a path ends: an array that is shorter by declaration, or a value that holds nothing. */
function sayEnd(shape: TSchema, path: readonly string[], why: NoPlace["why"]): string {
  const whole = shapeAt(shape, path)
  const count = why === "absent" && whole.ok ? countOf(whole.shape) : null
  if (count === null || count.max === Infinity) return "There is nothing further in."
  return count.max === 0 ? "It is always empty." : `Its last index is ${count.max - 1}.`
}

function checkSelection(read: Selection, array: TSchema, says: string, visit: Visit): TSchema | undefined {
  const { report, checks } = visit
  const items = itemsOf(array)
  const place = placed(says, read.path)
  if (items === undefined) {
    report.add(diagnose("SEQ211", pathOf(read), { source: place, given: describe(array) }))
    return undefined
  }
  checks.push({ at: read.at, kind: "selects-one", says: `exactly one element of ${place} matches \`where\`` })
  const faults = read.where.filter((match) => !canMatch(match, items, place, read, visit))
  const picked = lookUp(
    matching(items, read, visit),
    read.pick,
    child(read.at, "pick"),
    `an element of ${place}`,
    visit,
    {
      right: (pick) => suits(shapeOf({ ...read, pick }, array, []), read, visit),
      else: () => undefined,
    },
  )
  return faults.length === 0 ? picked : undefined
}

/** Of a union, the elements that `where` can be right of: a `kind` that is compared tells what else there is. */
function matching(items: TSchema, { where }: Selection, { given }: Visit): TSchema {
  const branches = branchesOf(items)
  const inside = where.filter(({ path }) => path.length > 0)
  if (branches.length === 1 || inside.length === 0) return items
  const right = branches.filter((branch) =>
    inside.every(({ path, value }) => {
      const place = shapeAt(branch, path)
      if (!("shape" in place)) return false
      const shape = place.shape as TSchema
      if (value.kind === "literal") return accepts(shape, value.value)
      const wanted = given.get(value)
      return wanted === undefined || fit(wanted, shape) !== "never-fits"
    }),
  )
  // Where none is right of all, each comparison alone may be: the run finds no element.
  return right.length === 0 ? items : unionOf(right)
}

/** An element may lack what `where` compares: then it does not match, which is no fault of the plan. */
function canMatch({ at, path, value }: Match, items: TSchema, place: string, read: Selection, visit: Visit): boolean {
  const found = shapeAt(items, path)
  if (!found.ok && found.why === "optional") return true
  const wanted = value.kind === "literal" ? undefined : visit.given.get(value)
  const canEqual = (shape: TSchema): boolean => {
    if (value.kind === "literal") return accepts(shape, value.value)
    return wanted === undefined || fit(wanted, shape) !== "never-fits"
  }
  const declared = lookUp(
    items,
    path,
    at,
    `an element of ${place}`,
    { ...visit, checks: [] },
    {
      right: (meant) => {
        const found = shapeAt(items, meant)
        return found.ok && canEqual(found.shape)
      },
      else: () => undefined,
      put: (_, meant) => renameMatch(read, path, meant, visit),
    },
  )
  if (declared === undefined) return false
  if (canEqual(declared)) return true
  const said = value.kind === "literal" ? show(value.value) : describe(wanted ?? unknown)
  visit.report.add(diagnose("SEQ212", at, { path: formatPointer(path), declared: describe(declared), wanted: said }))
  return false
}

/** Pointers are keys under `where`. */
function renameMatch(read: Selection, path: readonly string[], meant: Pointer, { plan }: Visit): JsonPatch | undefined {
  const at = child(read.at, "where")
  const where = valueAt(plan.document as unknown as Json, at)
  return isObject(where) ? rename(at, formatPointer(path), meant, where) : undefined
}

const text = Type.String()
const joinable = Type.Union([Type.String(), Type.Integer(), Type.Boolean()])

/** `$concat` yields a string of whatever its parts are. */
function checkParts(expression: Expression, visit: Visit): void {
  switch (expression.kind) {
    case "object":
      for (const [, value] of expression.entries) checkParts(value, visit)
      return
    case "array":
      for (const item of expression.items) checkParts(item, visit)
      return
    case "concat":
      checkConcat(expression, visit)
  }
}

function checkConcat(concat: Concat, { given, report, checks }: Visit): void {
  let right = true
  for (const part of concat.parts) {
    if (part.kind === "literal") continue
    const from = given.get(part)
    if (from === undefined) {
      right = false
      continue
    }
    const verdict = fit(from, joinable)
    if (verdict === "never-fits") {
      right = false
      report.add(diagnose("SEQ213", part.at, { source: sayHole(part), given: describe(from) }))
    } else if (verdict === "may-fit") {
      checks.push({ at: part.at, kind: "fits", says: `${sayHole(part)} is a string, an integer or a boolean` })
    }
  }
  if (right) given.set(concat, text)
}
