/**
 * Value to document. The road ends here only where the version is unknown or there is no list of steps to go on with: any
 * other fault of shape poisons its step, and what is right is asked about all the same. Codes: SEQ101 … SEQ111.
 */
import type { TSchema } from "@sinclair/typebox"
import { accepts } from "../catalog/schema/accept.ts"
import { judgePattern, type Misfit } from "../catalog/schema/pattern.ts"
import { diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import { intended, nearestTo, suggest } from "../diagnostic/nearest.ts"
import { type JsonPatch, rename, valueAt } from "../diagnostic/patch.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Bounds } from "../text/bounds.ts"
import { canonical } from "../text/canonical.ts"
import { escapeNonAscii } from "../text/escape.ts"
import { codePoint } from "../text/found.ts"
import { isObject, type Json, type JsonObject, nameOf } from "../text/json.ts"
import { child, formatPointer, type Pointer, parsePointer, root } from "../text/pointer.ts"
import {
  type Document,
  DocumentShape,
  idPattern,
  isUnread,
  keptIds,
  type StepDocument,
  StepShape,
  type Unread,
} from "./document.ts"

const steps = child(root, "steps")

/** `growing`: steps are still to come, so there may be none yet. */
export function admit(value: Json, bounds: Bounds, report: Report, growing = false): Document | undefined {
  if (isObject(value) && Object.hasOwn(value, "version") && value.version !== 1) {
    const mend = (): JsonPatch | undefined =>
      value.version === "1" ? [{ op: "replace", path: child(root, "version"), value: 1 }] : undefined
    const found = JSON.stringify(value.version).slice(0, 40)
    report.add(diagnose("SEQ104", child(root, "version"), { found }, { mend }))
    return undefined
  }
  const misfits = judgePattern<never>(DocumentShape, { kind: "literal", at: root, value }, noHole)
  for (const misfit of misfits) if (!isMisspelt(misfit, value)) report.add(diagnoseMisfit(misfit, value))
  if (!isObject(value) || !Array.isArray(value.steps)) return undefined
  const written: readonly Json[] = value.steps
  const { length } = written
  // A bound is on what is written at once. How often may be called is for a budget to say.
  const max = growing ? Math.max(bounds.steps, growingMax) : bounds.steps
  if (length > max) {
    report.add(diagnose("SEQ109", steps, { count: length, max }))
    return undefined
  }
  const whole = misfits.length === 0
  const read = written.map((step, index) => admitStep(step, index, whole, report))
  const right = whole && read.every((step, index) => step === (written[index] as unknown))
  const document = right ? (value as unknown as Document) : withSteps(read, value)
  admitGoal(document, bounds, report)
  if (length === 0 && !growing) report.add(diagnose("SEQ111", steps, {}))
  admitIds(document, report)
  return document
}

/** Steps of a plan that grows: a journal of that many entries is still read in a moment. */
export const growingMax = 10_000

const noHole = (): void => undefined

/** A document with a fault in it is no plan, but what could be read of it is asked about all the same. */
const withSteps = (read: readonly StepDocument[], { goal }: JsonObject): Document => ({
  version: 1,
  ...(typeof goal === "string" ? { goal } : {}),
  steps: read,
})

/** The step as later passes may read it: itself, where nothing is wrong with it. */
function admitStep(written: Json, index: number, whole: boolean, report: Report): StepDocument {
  if (!isObject(written)) return { id: String(index + 1), unread: ["id", "kind"] }
  const step = whole ? (written as unknown as StepDocument) : rightFields(written)
  const unread = [
    ...(step.id === undefined ? (["id"] as const) : []),
    ...admitKind(written, typeof step.id === "string" ? `\`${step.id}\`` : index + 1, child(steps, index), report),
    ...(["tool", "transition", "args"] as const).filter(
      (field) => Object.hasOwn(written, field) && step[field] === undefined,
    ),
  ]
  return unread.length === 0 ? (step as StepDocument) : { ...step, id: step.id ?? String(index + 1), unread }
}

/** The fields of the right shape. */
const rightFields = (written: JsonObject): Partial<StepDocument> =>
  Object.fromEntries(
    Object.entries(written).filter(([key, value]) => {
      const shape = fieldOf(StepShape, key)
      return shape !== undefined && accepts(shape, value)
    }),
  )

const fieldOf = ({ properties }: { readonly properties: { readonly [field: string]: TSchema } }, key: string) =>
  Object.hasOwn(properties, key) ? properties[key] : undefined

/** A step is a call or a transition, and has the fields of its kind. */
function admitKind(written: JsonObject, id: string | number, at: Pointer, report: Report): readonly Unread[] {
  const has = (field: string): boolean => Object.hasOwn(written, field)
  if (has("tool") && has("transition")) {
    report.add(diagnose("SEQ107", at, { problem: `step ${id} has both \`tool\` and \`transition\`` }))
    return ["kind"]
  }
  if (!has("tool") && !has("transition")) {
    if (!hasNear(written, ["tool", "transition"], StepShape))
      report.add(diagnose("SEQ107", at, { problem: `step ${id} has neither \`tool\` nor \`transition\`` }))
    return ["kind"]
  }
  if (has("tool")) {
    if (has("args")) return none
    const expected = "an object of arguments, `{}` if there are none"
    if (!hasNear(written, ["args"], StepShape))
      report.add(diagnose("SEQ102", at, { owner: `step ${id}`, field: "args", expected }))
    return ["args"]
  }
  for (const field of ["args", "occurrence"] as const) {
    if (!has(field)) continue
    const problem = `step ${id} is a transition and has no \`${field}\``
    const mend = (): JsonPatch | undefined =>
      canonical(written[field] as Json) === "{}" ? [{ op: "remove", path: child(at, field) }] : undefined
    report.add(diagnose("SEQ107", child(at, field), { problem }, { part: "key", mend }))
  }
  return none
}

const none: readonly Unread[] = []

/** What is missing may be there, misspelt: then the name that is not known was told, and that is enough. */
function isMisspelt({ at, kind, key = "" }: Misfit, value: Json): boolean {
  const owner = valueAt(value, at)
  return kind === "missing" && isObject(owner) && hasNear(owner, [key], at === root ? DocumentShape : StepShape)
}

const hasNear = (owner: JsonObject, fields: readonly string[], shape: Parameters<typeof fieldOf>[0]): boolean =>
  Object.keys(owner).some((key) => fieldOf(shape, key) === undefined && nearestTo(key, fields).length > 0)

function admitGoal({ goal }: Document, bounds: Bounds, report: Report): void {
  if (goal === undefined || goal.length <= bounds.goalLength) return
  report.add(diagnose("SEQ110", child(root, "goal"), { length: goal.length, max: bounds.goalLength }))
}

const wellFormed = new RegExp(idPattern)

/** Whether a step may be called so. */
export const isId = (id: string): boolean => wellFormed.test(id) && !keptIds.includes(id)

function admitIds(document: Document, report: Report): void {
  const first = new Map<string, number>()
  for (const [index, step] of document.steps.entries()) {
    if (isUnread(step, "id")) continue
    const { id } = step
    const earlier = first.get(id)
    if (earlier !== undefined) {
      const related = [{ at: idAt(earlier), message: "first used here" }]
      const mend = (): JsonPatch | undefined => withoutCopy(document, earlier, index)
      report.add(diagnose("SEQ106", idAt(index), { id }, { related, mend }))
    } else if (isId(id)) {
      first.set(id, index)
    } else {
      report.add(diagnose("SEQ105", idAt(index), { id: visible(id), ...whyNotAnId(id) }))
    }
  }
}

/** Whoever names the id means either only where both are the same step. */
function withoutCopy({ steps: written }: Document, earlier: number, index: number): JsonPatch | undefined {
  const [one, other] = [written[earlier], written[index]] as unknown as [Json, Json]
  return canonical(one) === canonical(other) ? [{ op: "remove", path: child(steps, index) }] : undefined
}

const idAt = (index: number): Pointer => child(child(steps, index), "id")

function whyNotAnId(id: string): { reason: string; remedy: string } {
  if (keptIds.includes(id))
    return {
      reason: "the name is kept for the language",
      remedy: "Use another name, such as one with the tool's in it.",
    }
  const remedy = "Use a letter or `_`, then letters, digits, `_` or `-`, 64 characters at most."
  if (id === "") return { reason: "it is empty", remedy }
  if (id.length > 64) return { reason: `it has ${id.length} characters`, remedy }
  const odd = [...id].find((character, index) => !(index === 0 ? /[A-Za-z_]/ : /[A-Za-z0-9_-]/).test(character)) ?? ""
  const isFirst = id.startsWith(odd) && /\w|-/.test(odd)
  return {
    reason: isFirst ? `it begins with \`${odd}\`` : `it has the character ${codePoint(odd.codePointAt(0) ?? 0)}`,
    remedy,
  }
}

const visible = (text: string): string => escapeNonAscii(text.slice(0, 80))

function diagnoseMisfit({ at, kind, expected, found, key = "", known = [] }: Misfit, value: Json): Unplaced {
  const tokens = parsePointer(at) ?? []
  switch (kind) {
    case "missing": {
      // There is no other version to be meant.
      const isVersion = at === root && key === "version"
      const mend = (): JsonPatch | undefined =>
        isVersion ? [{ op: "add", path: child(root, "version"), value: 1 }] : undefined
      const params = { owner: ownerOf(tokens), field: key, expected: isVersion ? "`1`" : expected }
      return diagnose("SEQ102", at, params, { mend })
    }
    case "unknown": {
      const owner = ownerOf(tokens.slice(0, -1))
      const params = { owner, field: visible(key), nearest: suggest(key, known, "fields") }
      return diagnose("SEQ103", at, params, { part: "key", mend: () => mendField(at, key, known, value) })
    }
    case "type":
    case "value":
      return diagnose("SEQ101", at, {
        field: tokens.length === 0 ? "the plan" : `\`${tokens.at(-1)}\``,
        expected,
        found,
      })
  }
}

/** Gives the field the name that was meant, if its value is right there. With no name near, it is taken out, where that is harmless. */
function mendField(at: Pointer, key: string, known: readonly string[], value: Json): JsonPatch | undefined {
  const parent = formatPointer((parsePointer(at) ?? []).slice(0, -1))
  const owner = valueAt(value, parent)
  const meant = intended(key, known)
  if (meant === undefined) return nearestTo(key, known).length > 0 ? undefined : [{ op: "remove", path: at }]
  const shape = fieldOf(parent === root ? DocumentShape : StepShape, meant)
  const right = shape !== undefined && accepts(shape, valueAt(value, at) ?? null)
  return right && isObject(owner) ? rename(parent, key, meant, owner) : undefined
}

const ownerOf = (tokens: readonly string[]): string =>
  tokens.length === 0 ? "the plan" : `step ${Number(tokens[1]) + 1}`

export const notText = (source: unknown): Unplaced => diagnose("SEQ018", root, { found: nameOf(source) })
