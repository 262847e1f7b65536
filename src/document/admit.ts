/** Value to document: the envelope has the right shape, or the road ends here. Codes: SEQ101 … SEQ111. */
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
import { isObject, type Json, nameOf } from "../text/json.ts"
import { child, formatPointer, type Pointer, parsePointer, root } from "../text/pointer.ts"
import { type Document, DocumentShape, idPattern, keptIds, type StepDocument, StepShape } from "./document.ts"

const steps = child(root, "steps")

export function admit(value: Json, bounds: Bounds, report: Report): Document | undefined {
  if (isObject(value) && Object.hasOwn(value, "version") && value.version !== 1) {
    const mend = (): JsonPatch | undefined =>
      value.version === "1" ? [{ op: "replace", path: child(root, "version"), value: 1 }] : undefined
    const found = JSON.stringify(value.version).slice(0, 40)
    report.add(diagnose("SEQ104", child(root, "version"), { found }, { mend }))
    return undefined
  }
  const misfits = judgePattern<never>(DocumentShape, { kind: "literal", at: root, value }, noHole)
  if (misfits.length > 0) {
    for (const misfit of misfits) report.add(diagnoseMisfit(misfit, value))
    return undefined
  }
  const document = value as unknown as Document
  const { length } = document.steps
  if (length > bounds.steps) report.add(diagnose("SEQ109", steps, { count: length, max: bounds.steps }))
  else for (const [index, step] of document.steps.entries()) admitKind(step, child(steps, index), report)
  if (report.failed()) return undefined
  admitGoal(document, bounds, report)
  if (length === 0) report.add(diagnose("SEQ111", steps, {}))
  admitIds(document, report)
  return document
}

const noHole = (): void => undefined

/** A step is a call or a transition, and has the fields of its kind. */
function admitKind(step: StepDocument, at: Pointer, report: Report): void {
  const { tool, transition } = step
  if (tool !== undefined && transition !== undefined) {
    report.add(diagnose("SEQ107", at, { problem: `step \`${step.id}\` has both \`tool\` and \`transition\`` }))
  } else if (tool === undefined && transition === undefined) {
    report.add(diagnose("SEQ107", at, { problem: `step \`${step.id}\` has neither \`tool\` nor \`transition\`` }))
  } else if (tool !== undefined && step.args === undefined) {
    const expected = "an object of arguments, `{}` if there are none"
    report.add(diagnose("SEQ102", at, { owner: `step \`${step.id}\``, field: "args", expected }))
  } else if (transition !== undefined) {
    for (const field of ["args", "occurrence"] as const) {
      if (step[field] === undefined) continue
      const problem = `step \`${step.id}\` is a transition and has no \`${field}\``
      const mend = (): JsonPatch | undefined =>
        canonical(step[field] as Json) === "{}" ? [{ op: "remove", path: child(at, field) }] : undefined
      report.add(diagnose("SEQ107", child(at, field), { problem }, { part: "key", mend }))
    }
  }
}

function admitGoal({ goal }: Document, bounds: Bounds, report: Report): void {
  if (goal === undefined || goal.length <= bounds.goalLength) return
  report.add(diagnose("SEQ110", child(root, "goal"), { length: goal.length, max: bounds.goalLength }))
}

const wellFormed = new RegExp(idPattern)

/** Whether a step may be called so. */
export const isId = (id: string): boolean => wellFormed.test(id) && !keptIds.includes(id)

function admitIds(document: Document, report: Report): void {
  const first = new Map<string, number>()
  for (const [index, { id }] of document.steps.entries()) {
    const earlier = first.get(id)
    if (earlier !== undefined) {
      const related = [{ at: idAt(earlier), message: "first used here" }]
      const mend = (): JsonPatch | undefined => withoutCopy(document, earlier, index)
      report.add(diagnose("SEQ106", idAt(index), { id }, { related, mend }))
    } else if (isId(id)) {
      first.set(id, index)
    } else {
      report.add(diagnose("SEQ105", idAt(index), { id: visible(id), reason: whyNotAnId(id) }))
    }
  }
}

/** Whoever names the id means either only where both are the same step. */
function withoutCopy({ steps: written }: Document, earlier: number, index: number): JsonPatch | undefined {
  const [one, other] = [written[earlier], written[index]] as unknown as [Json, Json]
  return canonical(one) === canonical(other) ? [{ op: "remove", path: child(steps, index) }] : undefined
}

const idAt = (index: number): Pointer => child(child(steps, index), "id")

function whyNotAnId(id: string): string {
  if (keptIds.includes(id)) return "the name is kept for the language"
  if (id === "") return "it is empty"
  if (id.length > 64) return `it has ${id.length} characters`
  const odd = [...id].find((character, index) => !(index === 0 ? /[A-Za-z_]/ : /[A-Za-z0-9_-]/).test(character))
  return id.startsWith(odd ?? "") && /\w|-/.test(odd ?? "")
    ? `it begins with \`${odd}\``
    : `it has the character ${codePoint(odd?.codePointAt(0) ?? 0)}`
}

const visible = (text: string): string => escapeNonAscii(text.slice(0, 80))

function diagnoseMisfit({ at, kind, expected, found, key = "", known = [] }: Misfit, value: Json): Unplaced {
  const tokens = parsePointer(at) ?? []
  switch (kind) {
    case "missing":
      return diagnose("SEQ102", at, { owner: ownerOf(tokens), field: key, expected })
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
  const fields: { readonly [field: string]: TSchema } = (parent === root ? DocumentShape : StepShape).properties
  const shape = fields[meant]
  const right = shape !== undefined && accepts(shape, valueAt(value, at) ?? null)
  return right && isObject(owner) ? rename(parent, key, meant, owner) : undefined
}

const ownerOf = (tokens: readonly string[]): string =>
  tokens.length === 0 ? "the plan" : `step ${Number(tokens[1]) + 1}`

export const notText = (source: unknown): Unplaced => diagnose("SEQ018", root, { found: nameOf(source) })
