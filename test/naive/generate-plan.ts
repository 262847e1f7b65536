/** Plans that mean to be good: each step is called where it may be, after what it requires, with values that may fit. */
import { formatPointer } from "../../src/text/pointer.ts"
import type { Declaration, ObjectShape, Shape, ToolDeclaration } from "./declaration.ts"
import { generateValue, type Mutable, type MutableObject } from "./generate-value.ts"
import type { Random } from "./random.ts"
import { disjoint, fieldsOf } from "./shape.ts"

interface Draft {
  readonly declaration: Declaration
  readonly random: Random
  readonly steps: MutableObject[]
  readonly calls: { readonly id: string; readonly tool: string; readonly args: MutableObject }[]
  state: string | undefined
}

export function generatePlan(declaration: Declaration, random: Random): MutableObject {
  const draft: Draft = { declaration, random, steps: [], calls: [], state: declaration.machine?.initial }
  const { int, chance, pick } = random
  for (let i = int(chance(0.02) ? 0 : 1, 4); i > 0; i -= 1) addCall(draft, pick(Object.keys(declaration.tools)), 0)
  if (draft.steps.length > 1 && chance(0.15)) addAfter(draft)
  return {
    version: 1,
    ...(chance(0.2) ? { goal: "x".repeat(chance(0.3) ? declaration.bounds.goalLength : 1) } : {}),
    steps: draft.steps,
  }
}

function addAfter({ steps, calls, random: { int, pick } }: Draft): void {
  const step = steps[int(1, steps.length - 1)] as MutableObject
  const earlier = calls.filter(({ id }) => steps.findIndex((one) => one.id === id) < steps.indexOf(step))
  if (earlier.length > 0) step.after = [pick(earlier).id]
}

function addCall(draft: Draft, name: string, depth: number): void {
  const { declaration, random, steps, calls } = draft
  const tool = declaration.tools[name] as ToolDeclaration
  for (const { tool: required } of tool.requires ?? []) {
    if (depth < 3 && !calls.some((one) => one.tool === required)) addCall(draft, required, depth + 1)
  }
  if (draft.state !== undefined && tool.states !== undefined) go(draft, tool.states)
  const args = generateArgs(draft, tool.params)
  for (const { tool: required, same = [] } of tool.requires ?? []) {
    const twin = calls.findLast((one) => one.tool === required)
    for (const parameter of same) copyArgument(args, twin?.args, parameter, random)
  }
  const id = `${random.pick(["s", "find", "_", "Step-"])}${steps.length}`
  const repeated = calls.filter((one) => one.tool === name && JSON.stringify(one.args) === JSON.stringify(args)).length
  steps.push({
    id,
    tool: name,
    args,
    ...(repeated > 0 && tool.effect !== "read" ? { occurrence: repeated + 1 } : {}),
    ...(random.chance(0.05) ? { why: "because" } : {}),
  })
  calls.push({ id, tool: name, args })
}

function copyArgument(
  args: MutableObject,
  from: MutableObject | undefined,
  parameter: string,
  { chance }: Random,
): void {
  if (from === undefined || chance(0.05)) return
  if (Object.hasOwn(from, parameter)) args[parameter] = structuredClone(from[parameter] as Mutable)
  else delete args[parameter]
}

/** Adds the transitions to one of the states, if there is a way. */
function go(draft: Draft, states: readonly string[]): void {
  const transitions = draft.declaration.machine?.transitions ?? {}
  const ways: string[][] = [[draft.state as string]]
  for (const way of ways) {
    const here = way.at(-1) as string
    if (states.includes(here)) {
      for (const to of way.slice(1)) draft.steps.push({ id: `go${draft.steps.length}`, transition: to })
      draft.state = here
      return
    }
    for (const to of Object.keys(transitions[here] ?? {})) if (!way.includes(to)) ways.push([...way, to])
  }
}

function generateArgs(draft: Draft, params: ObjectShape): MutableObject {
  const { chance } = draft.random
  const given = fieldsOf(params).filter(({ optional }) => !optional || chance(0.5))
  return Object.fromEntries(given.map(({ name, shape }) => [name, generateExpression(draft, shape)]))
}

function generateExpression(draft: Draft, shape: Shape): Mutable {
  const { random } = draft
  const { chance, int, pick } = random
  if (chance(0.45)) {
    const candidates = draft.calls
      .slice(-4)
      .flatMap(({ id, tool }) => candidatesOf(id, draft.declaration.tools[tool]?.result, draft))
    const inputs = draft.declaration.inputs
    const all = inputs === undefined ? candidates : [...candidates, ...candidatesOf("input", inputs, draft)]
    const fitting = all.filter((one) => !disjoint(one.shape, shape))
    if (fitting.length > 0) return pick(fitting).expression
    const parts = all.filter((one) => ["string", "enum", "integer", "boolean"].includes(one.shape.kind))
    if (shape.kind === "string" && parts.length > 0) {
      const count = int(1, draft.declaration.bounds.concatParts)
      return {
        $concat: Array.from({ length: count }, () =>
          chance(0.6) ? pick(parts).expression : pick<Mutable>(["-", 1, true]),
        ),
      }
    }
  }
  if (shape.kind === "array" && chance(0.5)) {
    const length = int(shape.min ?? 0, Math.min(shape.max ?? 3, 3))
    return Array.from({ length }, () => generateExpression(draft, shape.of))
  }
  if (shape.kind === "object" && chance(0.5)) return generateArgs(draft, shape)
  const value = generateValue(shape, random)
  if (chance(0.06)) return { $literal: value }
  if (typeof value === "string" && chance(0.06)) {
    const cut = int(0, value.length)
    // A character of two units must stay whole.
    return [...value.slice(0, cut)].join("") === value.slice(0, cut) &&
      value.isWellFormed() &&
      value.slice(0, cut).isWellFormed()
      ? { $concat: [value.slice(0, cut), value.slice(cut)] }
      : value
  }
  return value
}

interface Candidate {
  readonly expression: MutableObject
  readonly shape: Shape
}

/** What can be referenced in a source: every declared value that is always there, and selections from its arrays. */
function candidatesOf(source: string, result: Shape | undefined, draft: Draft): readonly Candidate[] {
  const { random } = draft
  if (result === undefined) return [{ expression: { $from: source }, shape: { kind: "unknown" } }]
  return placesIn(result, random).flatMap(({ path, shape }) => {
    const whole: Candidate = {
      expression:
        path.length === 0 && random.chance(0.7) ? { $from: source } : { $from: source, path: formatPointer(path) },
      shape,
    }
    const array = shape.kind === "nullable" ? shape.of : shape
    if (array.kind !== "array" || !random.chance(0.6)) return [whole]
    const comparable = placesIn(array.of, random).filter((one) => isScalar(one.shape))
    if (comparable.length === 0) return [whole]
    const by = random.pick(comparable)
    const picked = random.pick(placesIn(array.of, random))
    const selection: MutableObject = {
      $from: source,
      path: formatPointer(path),
      where: { [formatPointer(by.path)]: generateValue(by.shape, random) },
      ...(picked.path.length === 0 && random.chance(0.5) ? {} : { pick: formatPointer(picked.path) }),
    }
    return [whole, { expression: selection, shape: picked.shape }]
  })
}

const isScalar = ({ kind }: Shape): boolean => kind !== "array" && kind !== "object" && kind !== "unknown"

/** Every place in a shape, those that may be left out only where it is asked for. */
export function placesIn(
  shape: Shape,
  random: Random,
  optionalToo = false,
): readonly { readonly path: readonly (string | number)[]; readonly shape: Shape }[] {
  const inside = (token: string | number, inner: Shape) =>
    placesIn(inner, random, optionalToo).map((place) => ({ ...place, path: [token, ...place.path] }))
  const here = { path: [], shape }
  if (shape.kind === "nullable")
    return [here, ...placesIn(shape.of, random, optionalToo).filter(({ path }) => path.length > 0)]
  if (shape.kind === "array") return [here, ...inside(random.int(0, Math.max(0, (shape.max ?? 12) - 1)), shape.of)]
  if (shape.kind !== "object") return [here]
  const fields = fieldsOf(shape).filter(({ optional }) => optionalToo || !optional)
  return [here, ...fields.flatMap(({ name, shape: inner }) => inside(name, inner))]
}
