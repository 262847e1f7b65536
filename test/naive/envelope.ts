/** The envelope of a plan: DESIGN.md section 3, codes SEQ101 to SEQ111. A fault in a step is of that step alone. */
import type { Json, JsonObject } from "../../src/text/json.ts"
import { child, type Pointer, root } from "../../src/text/pointer.ts"
import type { Declaration } from "./declaration.ts"
import { isArray, isObject } from "./shape.ts"
import type { Fault, Tell } from "./verdict.ts"

interface AnyStep {
  readonly index: number
  readonly at: Pointer
  /** Undefined, like all else, where it could not be read. */
  readonly id: string | undefined
  readonly after: readonly string[]
  readonly shape: { readonly whole: boolean; readonly aboutKind: readonly Fault[] }
}

export interface CallStep extends AnyStep {
  readonly kind: "call"
  readonly tool: string | undefined
  readonly args: JsonObject | undefined
  readonly occurrence: number
  /** Nobody can tell. */
  readonly perhaps?: "transition"
}

export interface TransitionStep extends AnyStep {
  readonly kind: "transition"
  readonly to: string | undefined
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

/** The steps of a plan, or undefined where there is no list of them, or of another language: what is wrong with one is told. */
export function readEnvelope(plan: Json, { bounds }: Declaration, tell: Tell): readonly Step[] | undefined {
  if (!isObject(plan)) {
    tell("SEQ101", root)
    return undefined
  }
  if (Object.hasOwn(plan, "version") && plan.version !== 1) {
    // The fields of another version are not known.
    tell("SEQ104", child(root, "version"))
    return undefined
  }
  checkNames(plan, root, planFields, ["version", "steps"], tell)
  const { goal } = plan
  if (goal !== undefined && typeof goal !== "string") tell("SEQ101", child(root, "goal"))
  if (plan.steps === undefined) return undefined
  const at = child(root, "steps")
  if (!isArray(plan.steps)) {
    tell("SEQ101", at)
    return undefined
  }
  const steps = plan.steps.map((step, index) => readStep(step, index, child(at, index), tell))
  if (steps.length > bounds.steps) {
    tell("SEQ109", at)
    return undefined
  }
  for (const { shape } of steps) for (const fault of shape.aboutKind) tell(fault.code, fault.at)
  if (typeof goal === "string" && goal.length > bounds.goalLength) tell("SEQ110", child(root, "goal"))
  if (steps.length === 0) tell("SEQ111", at)
  return steps
}

/** Fields that are not known, and those that are missing; but one that is there with its name misspelt is told once. */
function checkNames(
  object: JsonObject,
  at: Pointer,
  known: readonly string[],
  needed: readonly string[],
  tell: Tell,
): void {
  for (const name of Object.keys(object)) if (!known.includes(name)) tell("SEQ103", child(at, name))
  for (const name of needed) if (!Object.hasOwn(object, name) && !hasMisspelt(object, known, name)) tell("SEQ102", at)
}

const hasMisspelt = (object: JsonObject, known: readonly string[], name: string): boolean =>
  Object.keys(object).some((key) => !known.includes(key) && isNear(key, name, Math.max(1, Math.floor(key.length / 3))))

/** Is the one the other, but for so many letters put in, taken out or changed? */
function isNear(one: string, other: string, most: number): boolean {
  if (most < 0) return false
  if (one === "" || other === "") return one.length + other.length <= most
  const [a, b] = [one.slice(1), other.slice(1)]
  if (one[0]?.toLowerCase() === other[0]?.toLowerCase()) return isNear(a, b, most)
  return isNear(a, b, most - 1) || isNear(a, other, most - 1) || isNear(one, b, most - 1)
}

/** What is not of the right shape is taken as not written. */
function readStep(step: Json, index: number, at: Pointer, tellPlan: Tell): Step {
  const nameless = { index, at, id: undefined, after: [], args: undefined, occurrence: 1, tool: undefined } as const
  if (!isObject(step)) {
    tellPlan("SEQ101", at)
    return { kind: "call", ...nameless, perhaps: "transition", shape: { whole: false, aboutKind: [] } }
  }
  let whole = true
  const tell: Tell = (code, there) => {
    whole = false
    tellPlan(code, there)
  }
  const has = (name: string): boolean => Object.hasOwn(step, name)
  const read = <A extends Json>(name: string, right: (value: Json) => boolean): A | undefined => {
    if (!has(name)) return undefined
    if (right(step[name] as Json)) return step[name] as A
    tell("SEQ101", child(at, name))
    return undefined
  }
  const isText = (value: Json): boolean => typeof value === "string"
  checkNames(step, at, stepFields, ["id"], tell)
  const id = read<string>("id", isText)
  const tool = read<string>("tool", isText)
  const to = read<string>("transition", isText)
  const args = read<JsonObject>("args", isObject)
  const occurrence = read<number>("occurrence", (value) => Number.isSafeInteger(value) && (value as number) >= 1) ?? 1
  read("why", isText)
  const listed = read<readonly Json[]>("after", isArray) ?? []
  const wrong = listed.flatMap((one, i) => (typeof one === "string" ? [] : [child(child(at, "after"), i)]))
  for (const there of wrong) tell("SEQ101", there)
  const after = wrong.length > 0 ? [] : (listed as readonly string[])

  const aboutKind: Fault[] = []
  const refuse: Tell = (code, there) => aboutKind.push({ code, at: there })
  const misspelt = (name: string): boolean => hasMisspelt(step, stepFields, name)
  const either = has("tool") === has("transition")
  if (either) {
    if (has("tool") || !(misspelt("tool") || misspelt("transition"))) refuse("SEQ107", at)
  } else if (has("tool")) {
    if (!has("args") && !misspelt("args")) refuse("SEQ102", at)
  } else for (const name of ["args", "occurrence"]) if (has(name)) refuse("SEQ107", child(at, name))

  const shape = { whole: whole && aboutKind.length === 0, aboutKind }
  const common = { index, at, id, after, shape }
  if (either) return { ...common, kind: "call", tool: undefined, args, occurrence, perhaps: "transition" }
  return has("tool") ? { ...common, kind: "call", tool, args, occurrence } : { ...common, kind: "transition", to }
}

export const isId = (id: string): boolean => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(id) && !keptIds.includes(id)
