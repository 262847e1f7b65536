/**
 * Takes a plan back from the form it was written in, before anything of it is hashed. Only what the form put there is
 * undone: nulls for what is absent, lists for free keys, JSON in strings. What is not of the form stays as it stands, for
 * the compiler to refuse in its own words; nothing is dropped, filled in or repaired.
 */
import type { TSchema } from "@sinclair/typebox"
import type { Catalog } from "../../catalog/catalog.ts"
import { isCatalog } from "../../catalog/define.ts"
import { readText } from "../../compile.ts"
import { type Diagnostic, diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { arrange, makeReport, type Report } from "../../diagnostic/report.ts"
import { diagnoseText } from "../../diagnostic/text.ts"
import { isObject, type Json, type JsonObject } from "../../text/json.ts"
import { child, type Pointer, root } from "../../text/pointer.ts"
import { readJson } from "../../text/read-json.ts"
import type { Range } from "../../text/source.ts"
import {
  type Absent,
  type Form,
  isForm,
  marks,
  membersOf,
  objectFor,
  optionalFields,
  spell,
  transitionKey,
} from "./form.ts"

export type DecodedPlan =
  /** The plan's text, for `compile`. */
  | { readonly ok: true; readonly text: string }
  /** Places are in the text that was given. */
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] }

/** Never throws. The form `plan` needs no decoding: its text comes back as it is. */
export function decodePlan(catalog: Catalog, text: string | Uint8Array, form: Form): DecodedPlan {
  if (!isCatalog(catalog)) {
    const params = {
      what: "the value given as the catalog",
      problem: "was not made by `defineCatalog`",
      remedy: "Wrap the declaration: `defineCatalog({ … })`.",
    }
    return { ok: false, diagnostics: [diagnose("SEQ801", root, params)] }
  }
  const report = makeReport(catalog.bounds.diagnostics)
  try {
    if (!canBeRead(form)) {
      const remedy = "Give the `form` that `planSchema` gave."
      const params = { what: "the value given as the form", problem: "is none that `planSchema` gives", remedy }
      return { ok: false, diagnostics: [diagnose("SEQ801", root, params)] }
    }
    return decodeText(catalog, text, form, report)
  } catch (broken) {
    const what = broken instanceof Error ? broken.message : "unknown"
    return { ok: false, diagnostics: [diagnose("SEQ901", root, { what: what.slice(0, 200) })] }
  }
}

/** A form may be a getter or a proxy that throws. */
function canBeRead(form: unknown): boolean {
  try {
    return isForm(form)
  } catch {
    return false
  }
}

function decodeText(catalog: Catalog, text: string | Uint8Array, form: Form, report: Report): DecodedPlan {
  const { bounds } = catalog
  if (form.kind === "plan" && typeof text === "string") return { ok: true, text }
  // The form nests a plan a little deeper, in more values, and whole arguments in one string.
  const wider = { ...bounds, depth: bounds.depth + 3, nodes: 3 * bounds.nodes, stringBytes: bounds.textBytes }
  const json = readText(text, wider, report, catalog)
  if (json === undefined) return { ok: false, diagnostics: report.diagnostics }
  if (form.kind === "plan") return { ok: true, text: json.text }
  const decoding: Decoding = { catalog, absent: form.absent, report, rangeOf: json.rangeOf }
  const plan = decodeDocument(json.value, form.kind, decoding)
  return report.failed()
    ? { ok: false, diagnostics: arrange(report.diagnostics).slice(0, bounds.diagnostics) }
    : { ok: true, text: JSON.stringify(plan) }
}

interface Decoding {
  readonly catalog: Catalog
  readonly absent: Absent
  readonly report: Report
  readonly rangeOf: (at: Pointer) => Range | undefined
}

function decodeDocument(value: Json, kind: "structured" | "envelope", decoding: Decoding): Json {
  if (!isObject(value)) return value
  const plan = without(value, optionalFields.plan, decoding)
  if (!Array.isArray(plan.steps)) return plan
  const decode = kind === "structured" ? decodeStep : decodeEnvelope
  const steps = plan.steps.map((step: Json, index) =>
    isObject(step) ? decode(step, child(child(root, "steps"), index), decoding) : step,
  )
  return { ...plan, steps }
}

/** Takes out the fields that say null where the form had no other way to leave them out. */
function without(value: JsonObject, optional: readonly string[], { absent }: Decoding): JsonObject {
  if (absent === "omitted") return value
  return Object.fromEntries(Object.entries(value).filter(([key, field]) => field !== null || !optional.includes(key)))
}

function decodeEnvelope(written: JsonObject, at: Pointer, decoding: Decoding): JsonObject {
  const step = without(written, optionalFields.envelope, decoding)
  return typeof step.args === "string" ? { ...step, args: decodeJson(step.args, child(at, "args"), decoding) } : step
}

function decodeStep(written: JsonObject, at: Pointer, decoding: Decoding): JsonObject {
  const { do: deed, ...rest } = without(written, optionalFields.structured, decoding)
  const [[name, value] = [undefined, null], ...more] = isObject(deed) ? Object.entries(deed) : []
  const clash = ["tool", "args", "transition"].some((key) => key in rest)
  if (name === undefined || more.length > 0 || clash) return written
  if (name === transitionKey) return { ...rest, transition: value }
  const shape = decoding.catalog.tools.get(name)?.params.shape
  const place = child(child(at, "do"), name)
  return { ...rest, tool: name, args: shape === undefined ? value : decodeArgs(value, shape, place, decoding) }
}

/** The whole of `args` is no expression: JSON text is all that may stand for it. */
function decodeArgs(value: Json, shape: TSchema, at: Pointer, decoding: Decoding): Json {
  if (!isObject(value)) return value
  return "_json" in value ? decodeExpression(value, "_json", at, decoding) : decodeObject(value, shape, at, decoding)
}

function decodeValue(value: Json, shape: TSchema | undefined, at: Pointer, decoding: Decoding): Json {
  if (Array.isArray(value)) {
    const items = shape && spell(shape).array?.items
    return value.map((item: Json, index) => decodeValue(item, items, child(at, index), decoding))
  }
  if (!isObject(value)) return value
  const mark = marks.find((key) => Object.hasOwn(value, key))
  if (mark !== undefined) return decodeExpression(value, mark, at, decoding)
  return shape === undefined ? value : decodeObject(value, shape, at, decoding)
}

function decodeObject(value: JsonObject, shape: TSchema, at: Pointer, decoding: Decoding): JsonObject {
  const spelt = spell(shape)
  const object = objectFor(spelt, value)
  if (object === undefined) return value
  const members = new Map(membersOf(object, spelt.tag).map((member) => [member.key, member]))
  const optional = [...members.values()].filter((member) => member.optional).map(({ key }) => key)
  return Object.fromEntries(
    Object.entries(without(value, optional, decoding)).map(([key, inner]) => [
      key,
      decodeValue(inner, members.get(key)?.shape, child(at, key), decoding),
    ]),
  )
}

const fieldsOf = {
  _from: ["_from", "path"],
  _select: ["_select", "path", "where", "pick"],
  _concat: ["_concat"],
  _json: ["_json"],
} as const

const formOf = {
  _from: 'Write `{"_from": "step or input", "path": "/pointer"}`.',
  _select:
    'Write `{"_select": "step or input", "path": "/array", "where": [{"at": "/pointer", "is": value}], "pick": "/pointer"}`.',
  _concat: 'Write `{"_concat": ["text", {"_from": "step", "path": "/pointer"}]}`.',
  _json: 'Write `{"_json": "JSON text"}`.',
} as const

function decodeExpression(value: JsonObject, mark: (typeof marks)[number], at: Pointer, decoding: Decoding): Json {
  const known: readonly string[] = fieldsOf[mark]
  const unknown = Object.keys(value).filter((key) => !known.includes(key))
  for (const key of unknown) refuse(child(at, key), `\`${mark}\` has no field \`${key}\``, mark, decoding)
  if (unknown.length > 0) return null
  const { path, where, pick } = value
  switch (mark) {
    case "_from":
      return { $from: value._from as Json, ...pathOf("path", path) }
    case "_select":
      return {
        $from: value._select as Json,
        ...pathOf("path", path),
        where: decodeWhere(where, child(at, "where"), decoding),
        ...pathOf("pick", pick),
      }
    case "_concat": {
      const parts = value._concat as Json
      const place = child(at, "_concat")
      return {
        $concat: Array.isArray(parts)
          ? parts.map((part: Json, index) => decodeValue(part, undefined, child(place, index), decoding))
          : parts,
      }
    }
    case "_json":
      if (typeof value._json === "string") return decodeJson(value._json, child(at, "_json"), decoding)
      refuse(child(at, "_json"), "`_json` holds a string with JSON in it", mark, decoding)
      return null
  }
}

/** The empty pointer stands for none. */
const pathOf = (key: "path" | "pick", pointer: Json | undefined): JsonObject =>
  pointer === undefined || pointer === "" ? {} : { [key]: pointer }

function decodeWhere(written: Json | undefined, at: Pointer, decoding: Decoding): Json {
  const where = new Map<string, Json>()
  for (const [index, match] of (Array.isArray(written) ? written : []).entries()) {
    const place = child(at, index)
    const { at: pointer, is, ...more } = isObject(match) ? match : {}
    if (typeof pointer !== "string" || is === undefined || Object.keys(more).length > 0) {
      refuse(place, "a match of `where` has the fields `at` and `is`", "_select", decoding)
    } else if (where.has(pointer)) {
      refuse(child(place, "at"), `\`where\` compares \`${pointer.slice(0, 80)}\` twice`, "_select", decoding)
    } else where.set(pointer, decodeValue(is, undefined, child(place, "is"), decoding))
  }
  if (!Array.isArray(written)) refuse(at, "`where` is a list of matches", "_select", decoding)
  return Object.fromEntries(where)
}

/** JSON in a string is read as strictly as a plan. What is wrong in it is told at the string. */
function decodeJson(text: string, at: Pointer, decoding: Decoding): Json {
  const read = readJson(text, decoding.catalog.bounds)
  if (read.ok) return read.value
  const { range: _, related: __, ...fault } = diagnoseText(read.fault)
  add({ ...fault, at: `${at}${fault.at}` as Pointer }, at, decoding)
  return null
}

const refuse = (at: Pointer, problem: string, mark: keyof typeof formOf, decoding: Decoding): void =>
  add(diagnose("SEQ131", at, { problem, form: formOf[mark] }), at, decoding)

function add(diagnostic: Unplaced, place: Pointer, { report, rangeOf }: Decoding): void {
  const range = rangeOf(place)
  report.add(range === undefined ? diagnostic : { ...diagnostic, range })
}
