/** The envelope of a plan: DESIGN.md section 3, codes SEQ101 to SEQ111. A fault in it stops the road. */
import type { Json, JsonObject } from "../../src/text/json.ts"
import { child, type Pointer, root } from "../../src/text/pointer.ts"
import type { Declaration } from "./declaration.ts"
import { isArray, isObject } from "./shape.ts"
import type { Tell } from "./verdict.ts"

export interface CallStep {
  readonly kind: "call"
  readonly index: number
  readonly at: Pointer
  readonly id: string
  readonly tool: string
  readonly args: JsonObject
  readonly after: readonly string[]
  readonly occurrence: number
}

export interface TransitionStep {
  readonly kind: "transition"
  readonly index: number
  readonly at: Pointer
  readonly id: string
  readonly to: string
  readonly after: readonly string[]
}

export type Step = CallStep | TransitionStep

const planFields = ["version", "goal", "steps"]
const stepFields = ["id", "tool", "args", "transition", "after", "occurrence", "why"]
const keptIds = [
  "input",
  "then",
  "constructor",
  "prototype",
  "__proto__",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "toJSON",
]

/** The steps of a plan whose envelope is right, or undefined: first its fields, then its size, then what each step is. */
export function readEnvelope(plan: Json, { bounds }: Declaration, tell: Tell): readonly Step[] | undefined {
  let whole = true
  const refuse: Tell = (code, at) => {
    whole = false
    tell(code, at)
  }
  checkFields(plan, refuse)
  if (!whole) return undefined
  const { goal, steps } = plan as { readonly goal?: string; readonly steps: readonly JsonObject[] }
  const at = child(root, "steps")
  if (steps.length > bounds.steps) {
    tell("SEQ109", at)
    return undefined
  }
  steps.forEach((step, index) => {
    checkKind(step, child(at, index), refuse)
  })
  if (!whole) return undefined
  if (goal !== undefined && goal.length > bounds.goalLength) tell("SEQ110", child(root, "goal"))
  if (steps.length === 0) tell("SEQ111", at)
  return steps.map((step, index) => readStep(step, index, child(at, index)))
}

function checkFields(plan: Json, refuse: Tell): void {
  if (!isObject(plan)) {
    refuse("SEQ101", root)
    return
  }
  if (Object.hasOwn(plan, "version") && plan.version !== 1) {
    // The fields of another version are not known.
    refuse("SEQ104", child(root, "version"))
    return
  }
  for (const name of Object.keys(plan)) if (!planFields.includes(name)) refuse("SEQ103", child(root, name))
  if (!Object.hasOwn(plan, "version")) refuse("SEQ102", root)
  if (Object.hasOwn(plan, "goal") && typeof plan.goal !== "string") refuse("SEQ101", child(root, "goal"))
  const at = child(root, "steps")
  if (!Object.hasOwn(plan, "steps")) refuse("SEQ102", root)
  else if (!isArray(plan.steps)) refuse("SEQ101", at)
  else for (const [index, step] of plan.steps.entries()) checkStepFields(step, child(at, index), refuse)
}

function checkStepFields(step: Json, at: Pointer, refuse: Tell): void {
  if (!isObject(step)) {
    refuse("SEQ101", at)
    return
  }
  const must = (name: string, right: boolean): void => {
    if (Object.hasOwn(step, name) && !right) refuse("SEQ101", child(at, name))
  }
  for (const name of Object.keys(step)) if (!stepFields.includes(name)) refuse("SEQ103", child(at, name))
  if (!Object.hasOwn(step, "id")) refuse("SEQ102", at)
  for (const name of ["id", "tool", "transition", "why"]) must(name, typeof step[name] === "string")
  must("args", isObject(step.args))
  must("occurrence", Number.isSafeInteger(step.occurrence) && (step.occurrence as number) >= 1)
  must("after", isArray(step.after))
  if (isArray(step.after)) {
    step.after.forEach((id, i) => {
      if (typeof id !== "string") refuse("SEQ101", child(child(at, "after"), i))
    })
  }
}

/** A step is a call or a transition, and has what that has. */
function checkKind(step: JsonObject, at: Pointer, refuse: Tell): void {
  const has = (name: string): boolean => Object.hasOwn(step, name)
  if (has("tool") === has("transition")) refuse("SEQ107", at)
  else if (has("tool") && !has("args")) refuse("SEQ102", at)
  else if (has("transition"))
    for (const name of ["args", "occurrence"]) if (has(name)) refuse("SEQ107", child(at, name))
}

export const isId = (id: string): boolean => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(id) && !keptIds.includes(id)

function readStep(step: JsonObject, index: number, at: Pointer): Step {
  const { id, tool, args, transition, after = [], occurrence = 1 } = step
  const common = { index, at, id: id as string, after: after as readonly string[] }
  return tool === undefined
    ? { ...common, kind: "transition", to: transition as string }
    : {
        ...common,
        kind: "call",
        tool: tool as string,
        args: args as JsonObject,
        occurrence: occurrence as number,
      }
}
