/**
 * Templates: a text that other systems would fill in from an earlier step is passed on as it stands, which is told.
 * Codes: SEQ214 (a warning).
 */
import type { Catalog } from "../catalog/catalog.ts"
import { diagnose } from "../diagnostic/diagnostic.ts"
import type { JsonPatch } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import { isUnread } from "../document/document.ts"
import type { Call, Plan } from "../plan/plan.ts"
import type { Json, JsonObject } from "../text/json.ts"
import { child, formatPointer, type Pointer } from "../text/pointer.ts"
import { argumentName } from "./arguments.ts"
import { callsBefore, gives } from "./givers.ts"

export function checkTemplates<P extends Plan>(plan: P, catalog: Catalog, report: Report): P {
  const names = new Set(
    plan.steps
      .filter(({ kind }) => kind === "call")
      .filter(hasId)
      .map(({ id }) => id),
  )
  if (catalog.inputs !== undefined) names.add("input")
  for (const step of plan.steps) {
    if (step.kind === "transition") continue
    const args = plan.document.steps[step.index]?.args
    if (args !== undefined) checkTexts(args, child(step.at, "args"), { plan, catalog, report, step, names })
  }
  return plan
}

const hasId = (step: Plan["steps"][number]): boolean => !isUnread(step, "id")

interface Visit {
  readonly plan: Plan
  readonly catalog: Catalog
  readonly report: Report
  readonly step: Call
  readonly names: ReadonlySet<string>
}

/** Depth is bounded by the reader. What `$literal` says is data is data. */
function checkTexts(value: Json, at: Pointer, visit: Visit): void {
  if (typeof value === "string") {
    if (/[{<$]/.test(value)) checkText(value, at, visit)
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkTexts(item, child(at, index), visit)
  } else if (typeof value === "object" && value !== null) {
    const object = value as JsonObject
    if (Object.hasOwn(object, "$literal")) return
    const isReference = Object.hasOwn(object, "$from")
    for (const key in object)
      if (!isReference || key === "where") checkTexts(object[key] as Json, child(at, key), visit)
  }
}

/** Each stops where another could begin, so that a text is read through once. */
const path = "(?:\\.[^{}<>.]|\\[[\\w\"']|/[\\w])[^{}<>]*"
const name = "\\$?(?:steps\\.)?([A-Za-z_][A-Za-z0-9_-]*)"
/** `{{find.id}}`, `${find.id}`, `<find.id>` anywhere, and `$find.id` alone: with a name, and the way into its result. */
const forms = [
  new RegExp(`\\{\\{\\s*${name}(?:(${path})|\\s*)\\}\\}`, "g"),
  new RegExp(`\\$\\{\\s*${name}(?:(${path})|\\s*)\\}`, "g"),
  new RegExp(`<${name}(${path})>`, "g"),
  new RegExp(`^\\$${name.slice(3)}(${path})$`, "g"),
]

/** One warning a text: whoever writes one template writes several. */
function checkText(text: string, at: Pointer, { plan, catalog, report, step, names }: Visit): void {
  const found = forms
    .flatMap((form) => [...text.matchAll(form)])
    .filter(([, source = ""]) => names.has(source))
    .toSorted((one, other) => one.index - other.index)[0]
  if (found === undefined) return
  const [template, source = "", way = ""] = found
  const tokens = tokensOf(way)
  const reference = {
    $from: source,
    ...(tokens === undefined || tokens.length === 0 ? {} : { path: formatPointer(tokens) }),
  }
  const written = JSON.stringify(reference)
  const isWhole = template === text
  const remedy = isWhole
    ? `Write \`${written}\`, or \`{"$literal": …}\` if the text itself is meant.`
    : `Join it: \`{"$concat": ["…", ${written}]}\`, or write \`{"$literal": …}\` if the text itself is meant.`
  const mend = (): JsonPatch | undefined => {
    const giver = source === "input" ? source : callsBefore(step, plan).find(({ id }) => id === source)
    if (!isWhole || giver === undefined || tokens === undefined) return undefined
    const right = gives(giver, { kind: "reference", at, source, path: tokens }, step, catalog)
    return right ? [{ op: "replace", path: at, value: reference }] : undefined
  }
  const params = { argument: argumentName(at, step), tool: step.tool, template: template.slice(0, 80), remedy }
  report.add(diagnose("SEQ214", at, params, { mend }))
}

/** `.orders[0].id` as the tokens of a pointer; undefined for what is no plain way. */
function tokensOf(way: string): readonly string[] | undefined {
  const tokens = way
    .trim()
    .split(/[./[\]"']+/)
    .filter((token) => token !== "")
  return tokens.length > 20 || tokens.some((token) => !/^[\w-]+$/.test(token)) ? undefined : tokens
}
