/** Value to document: the envelope has the right shape, or the road ends here. Codes: SEQ101 … SEQ111. */
import { judgePattern, type Misfit } from "../catalog/schema/pattern.ts"
import { diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import { suggest } from "../diagnostic/nearest.ts"
import type { Report } from "../diagnostic/report.ts"
import type { Bounds } from "../text/bounds.ts"
import { escapeNonAscii } from "../text/escape.ts"
import { codePoint } from "../text/found.ts"
import { isObject, type Json, nameOf } from "../text/json.ts"
import { child, type Pointer, parsePointer, root } from "../text/pointer.ts"
import { type Document, DocumentShape, type StepDocument } from "./document.ts"

const steps = child(root, "steps")

export function admit(value: Json, bounds: Bounds, report: Report): Document | undefined {
  if (isObject(value) && Object.hasOwn(value, "version") && value.version !== 1) {
    report.add(diagnose("SEQ104", child(root, "version"), { found: JSON.stringify(value.version).slice(0, 40) }))
    return undefined
  }
  const misfits = judgePattern<never>(DocumentShape, { kind: "literal", at: root, value }, noHole)
  if (misfits.length > 0) {
    for (const misfit of misfits) report.add(diagnoseMisfit(misfit))
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
      report.add(diagnose("SEQ107", child(at, field), { problem }, { part: "key" }))
    }
  }
}

function admitGoal({ goal }: Document, bounds: Bounds, report: Report): void {
  if (goal === undefined || goal.length <= bounds.goalLength) return
  report.add(diagnose("SEQ110", child(root, "goal"), { length: goal.length, max: bounds.goalLength }))
}

const wellFormed = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
const kept = new Set([
  "input",
  "then",
  "constructor",
  "prototype",
  "__proto__",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "toJSON",
])

function admitIds(document: Document, report: Report): void {
  const first = new Map<string, number>()
  for (const [index, { id }] of document.steps.entries()) {
    const earlier = first.get(id)
    if (earlier !== undefined) {
      const related = [{ at: idAt(earlier), message: "first used here" }]
      report.add(diagnose("SEQ106", idAt(index), { id }, { related }))
    } else if (wellFormed.test(id) && !kept.has(id)) {
      first.set(id, index)
    } else {
      report.add(diagnose("SEQ105", idAt(index), { id: visible(id), reason: whyNotAnId(id) }))
    }
  }
}

const idAt = (index: number): Pointer => child(child(steps, index), "id")

function whyNotAnId(id: string): string {
  if (kept.has(id)) return "the name is kept for the language"
  if (id === "") return "it is empty"
  if (id.length > 64) return `it has ${id.length} characters`
  const odd = [...id].find((character, index) => !(index === 0 ? /[A-Za-z_]/ : /[A-Za-z0-9_-]/).test(character))
  return id.startsWith(odd ?? "") && /\w|-/.test(odd ?? "")
    ? `it begins with \`${odd}\``
    : `it has the character ${codePoint(odd?.codePointAt(0) ?? 0)}`
}

const visible = (text: string): string => escapeNonAscii(text.slice(0, 80))

function diagnoseMisfit({ at, kind, expected, found, key, known }: Misfit): Unplaced {
  const tokens = parsePointer(at) ?? []
  switch (kind) {
    case "missing":
      return diagnose("SEQ102", at, { owner: ownerOf(tokens), field: key ?? "", expected })
    case "unknown":
      return diagnose(
        "SEQ103",
        at,
        {
          owner: ownerOf(tokens.slice(0, -1)),
          field: visible(key ?? ""),
          nearest: suggest(key ?? "", known ?? [], "fields"),
        },
        { part: "key" },
      )
    case "type":
    case "value":
      return diagnose("SEQ101", at, {
        field: tokens.length === 0 ? "the plan" : `\`${tokens.at(-1)}\``,
        expected,
        found,
      })
  }
}

const ownerOf = (tokens: readonly string[]): string =>
  tokens.length === 0 ? "the plan" : `step ${Number(tokens[1]) + 1}`

export const notText = (source: unknown): Unplaced => diagnose("SEQ018", root, { found: nameOf(source) })
