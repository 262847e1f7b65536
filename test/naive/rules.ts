/** What the catalog rules beside the types: predecessors, machine, blast radius, budgets, repeated effects. */
import { child, type Pointer, root } from "../../src/text/pointer.ts"
import type { BlastDeclaration, Declaration, Shape, ToolDeclaration } from "./declaration.ts"
import { canonical, constantOf, type Expression, type Reference, sameExpression } from "./expression.ts"
import { type Given, resolve } from "./references.ts"
import { core, equal, fieldOf } from "./shape.ts"
import { argumentOf, type Call, type PlanStep } from "./steps.ts"
import type { Tell } from "./verdict.ts"

type Sound = (step: PlanStep) => boolean
/** Tells a fault of a step, which is not sound from then on. */
type TellOf = (step: PlanStep) => Tell

const isCall = (step: PlanStep): step is Call => step.kind === "call"
const toolOf = ({ tools }: Declaration, step: Call): ToolDeclaration | undefined =>
  step.tool !== undefined && Object.hasOwn(tools, step.tool) ? tools[step.tool] : undefined

/** A tool's required predecessors have been called, about the same thing. Codes: SEQ208, SEQ209. */
export function checkPredecessors(
  steps: readonly PlanStep[],
  declaration: Declaration,
  sound: Sound,
  tellOf: TellOf,
): void {
  for (const step of steps.filter(isCall)) {
    const before = steps.filter(isCall).filter(({ index }) => index < step.index)
    const unknown = before.filter((one) => toolOf(declaration, one) === undefined)
    for (const { tool, same = [] } of toolOf(declaration, step)?.requires ?? []) {
      const earlier = before.filter((one) => one.tool === tool)
      // A call of a tool that does not exist may be the one that is missed, misspelt.
      if (earlier.length === 0 && unknown.some((one) => one.tool === undefined || isMisspelt(one.tool, tool))) continue
      if (earlier.length === 0) tellOf(step)("SEQ208", child(step.at, "tool"))
      else if (
        sound(step) &&
        !earlier.some((one) => !sound(one) || same.every((name) => !surelyDiffer(one, step, name)))
      ) {
        const first = earlier[0] as Call
        const parameter = same.find((name) => surelyDiffer(first, step, name)) as string
        tellOf(step)("SEQ209", argumentOf(step, parameter)?.at ?? child(step.at, "tool"))
      }
    }
  }
}

/** One letter too many, too few, or another. What is further off, the generated plans leave out. */
function isMisspelt(written: string, meant: string): boolean {
  const [short, long] = written.length < meant.length ? [written, meant] : [meant, written]
  return [...long].some((_, i) => {
    const rest = long.slice(i + 1)
    return (
      short === long.slice(0, i) + rest ||
      (short.length === long.length && short.slice(0, i) === long.slice(0, i) && short.slice(i + 1) === rest)
    )
  })
}

function surelyDiffer(a: Call, b: Call, parameter: string): boolean {
  const [one, other] = [argumentOf(a, parameter), argumentOf(b, parameter)]
  if (one === undefined || other === undefined) return one !== other
  if (sameExpression(one, other)) return false
  const [left, right] = [constantOf(one), constantOf(other)]
  return left !== undefined && right !== undefined && !equal(left.value, right.value)
}

/** Each tool is called only in a state it is available in. Codes: SEQ301 to SEQ305, SEQ501. */
export function checkMachine(steps: readonly PlanStep[], declaration: Declaration, tellOf: TellOf): void {
  const { machine } = declaration
  let state = machine?.initial
  for (const step of steps) {
    const tell = tellOf(step)
    if (step.kind === "call") {
      const states = toolOf(declaration, step)?.states
      if (states !== undefined && state !== undefined && !states.includes(state)) tell("SEQ301", child(step.at, "tool"))
      if (step.perhaps === "transition") state = undefined
      continue
    }
    const at = child(step.at, "transition")
    if (step.to === undefined) state = undefined
    else if (machine === undefined) tell("SEQ304", at)
    else if (!Object.hasOwn(machine.transitions, step.to)) {
      tell("SEQ303", at)
      state = undefined
    } else {
      if (state !== undefined) {
        const targets = machine.transitions[state] ?? {}
        if (!Object.hasOwn(targets, step.to)) tell("SEQ302", at)
        else if (targets[step.to] === "guarded") tell("SEQ501", at)
        else if (targets[step.to] === "ruled") tell("SEQ305", at)
      }
      state = step.to
    }
  }
}

/** The worst a plan can do stays within the limits. Codes: SEQ401, SEQ402, SEQ404. */
export function checkBlast(
  steps: readonly PlanStep[],
  declaration: Declaration,
  spent: Readonly<Record<string, number>>,
  sound: Sound,
  known: Sound,
  tell: Tell,
  tellOf: TellOf,
): void {
  const counted = steps.filter(sound)
  for (const dimension of Object.keys(spent)) {
    if (!Object.hasOwn(declaration.limits, dimension) || !isCount(spent[dimension])) tell("SEQ404", root)
  }
  for (const [dimension, max] of Object.entries(declaration.limits)) {
    const before = spent[dimension] ?? 0
    let total = 0n
    let told = false
    const passed = (): boolean => BigInt(isCount(before) ? before : 0) + total > max
    for (const { step, worst, at } of countsOf(steps, dimension, declaration, known)) {
      if (!counted.includes(step)) continue
      if (worst > BigInt(max)) {
        tellOf(step)("SEQ401", at)
        continue
      }
      total += worst
      if (!told && passed()) {
        told = true
        tellOf(step)("SEQ402", at)
      }
    }
  }
}

const isCount = (value: number | undefined): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** What each step that counts in a dimension may come to. */
export function countsOf(steps: readonly PlanStep[], dimension: string, declaration: Declaration, known: Sound) {
  return steps.filter(isCall).flatMap((step) => {
    const blast = toolOf(declaration, step)?.blast?.[dimension]
    if (blast === undefined) return []
    const scope = { step, steps, declaration, known }
    const given = (reference: Reference) => resolve(reference, scope, () => {})
    return { step, worst: worstOf(step, blast, declaration, given), at: placeOf(step, blast) }
  })
}

function placeOf(step: Call, blast: BlastDeclaration): Pointer {
  const argument = blast.kind === "constant" ? undefined : argumentOf(step, blast.parameter)
  return argument?.at ?? child(step.at, "tool")
}

function worstOf(
  step: Call,
  blast: BlastDeclaration,
  declaration: Declaration,
  given: (reference: Reference) => Given,
): bigint {
  if (blast.kind === "constant") return BigInt(blast.value)
  const argument = argumentOf(step, blast.parameter)
  if (argument?.kind === "scalar" && Number.isSafeInteger(argument.value)) return BigInt(argument.value as number)
  if (argument?.kind === "array") return BigInt(argument.items.length)
  const params = toolOf(declaration, step)?.params as ToolDeclaration["params"]
  const source = argument?.kind === "reference" ? given(argument) : undefined
  const bounds = [mostOf(fieldOf(params, blast.parameter)?.shape), mostOf(source), blast.max ?? Infinity]
  return BigInt(Math.floor(Math.min(...bounds)))
}

/** The largest number, or the largest number of items, that a shape allows. */
function mostOf(shape: Shape | undefined): number {
  const inner = shape && core(shape)
  if (inner?.kind === "constant" && typeof inner.value === "number") return inner.value
  return inner?.kind === "integer" || inner?.kind === "number" || inner?.kind === "array"
    ? (inner.max ?? Infinity)
    : Infinity
}

/** What the plan needs at least is within the budgets. Code: SEQ403. */
export function checkBudgets(steps: readonly PlanStep[], declaration: Declaration, tell: Tell): void {
  const needed = needs(steps, declaration)
  for (const budget of ["steps", "sideEffects", "microUsd"] as const) {
    if (needed[budget] > (declaration.budgets[budget] ?? Infinity)) tell("SEQ403", child(root, "steps"))
  }
}

export function needs(steps: readonly PlanStep[], declaration: Declaration) {
  const tools = steps.filter(isCall).flatMap((step) => toolOf(declaration, step) ?? [])
  return {
    steps: steps.length,
    sideEffects: tools.filter(({ effect }) => effect !== "read").length,
    microUsd: tools.reduce((sum, { microUsd = 0 }) => sum + microUsd, 0),
  }
}

/** No effect twice, unless the plan says that it is meant, and none that happens once. Code: SEQ701. */
export function checkEffects(
  steps: readonly PlanStep[],
  declaration: Declaration,
  sound: Sound,
  known: Sound,
  tellOf: TellOf,
): void {
  const seen = new Set<string>()
  for (const step of steps.filter(isCall).filter(sound)) {
    if (toolOf(declaration, step)?.effect === "read") continue
    const isText = (reference: Reference): boolean => {
      const given = resolve(reference, { step, steps, declaration, known }, () => {})
      const { kind, ...rest } = given === undefined ? { kind: "nothing" } : given
      return (
        kind === "string" ||
        kind === "enum" ||
        (kind === "constant" && "value" in rest && typeof rest.value === "string")
      )
    }
    const say = (expression: Expression): string => canonical(expression, isText)
    const once = toolOf(declaration, step)?.once?.map((name) => say(argumentOf(step, name) as Expression))
    const said = once === undefined ? `${step.occurrence} ${say(step.args)}` : once.join("\n")
    const effect = `${step.tool} ${said}`
    if (seen.has(effect)) tellOf(step)("SEQ701", child(step.at, "tool"))
    seen.add(effect)
  }
}
