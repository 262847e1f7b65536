/**
 * A second compiler, written from DESIGN.md and the table of codes alone, to be held against the real one.
 * It is slow and plain on purpose: recursion, no caches, each rule said once.
 */
import type { Code } from "../../src/diagnostic/codes.ts"
import { codes } from "../../src/diagnostic/codes.ts"
import type { Json } from "../../src/text/json.ts"
import { child } from "../../src/text/pointer.ts"
import { type Asking, checkStray, checkValue, judgeValue } from "./arguments.ts"
import type { Declaration } from "./declaration.ts"
import { isId, readEnvelope, type Step } from "./envelope.ts"
import { constantOf, readExpression, referencesIn } from "./expression.ts"
import { checkAuthority, checkFlow, checkOmissions, type Occasion } from "./policies.ts"
import { earlierCall, resolve, type Scope } from "./references.ts"
import { checkBlast, checkBudgets, checkEffects, checkMachine, checkPredecessors, countsOf, needs } from "./rules.ts"
import { closedObject } from "./shape.ts"
import type { Call, PlanStep } from "./steps.ts"
import { checkTemplates } from "./templates.ts"
import type { Fault, Tell, Verdict } from "./verdict.ts"

export function compileNaively(declaration: Declaration, plan: Json, occasion: Occasion = {}): Verdict {
  const faults: Fault[] = []
  const tell: Tell = (code, at) => faults.push({ code, at })
  const read = readEnvelope(plan, declaration, tell)
  if (read !== undefined) checkSteps(read, declaration, occasion, tell)
  const accepted = !faults.some(({ code }) => codes[code].severity === "error")
  // What a refused plan would have needed is no concern of its author.
  const told = faults.filter(({ code }) => accepted || codes[code].severity !== "approval")
  const worst = accepted ? Object.entries(worstTotals(declaration, plan).blast) : []
  return {
    accepted,
    told: told.map(({ code, at }) => `${code} ${at}`).sort(),
    worst: worst.map(([dimension, count]) => `${dimension} ${count}`).sort(),
  }
}

function checkSteps(read: readonly Step[], declaration: Declaration, occasion: Occasion, tell: Tell): void {
  const faulty = new Set<PlanStep>()
  const malformed = new Set<PlanStep>()
  const unknown = new Set<PlanStep>()
  const tellOf =
    (step: PlanStep): Tell =>
    (code, at) => {
      if (codes[code].severity === "error") faulty.add(step)
      if (formFaults.includes(code)) malformed.add(step)
      if (referenceFaults.includes(code)) unknown.add(step)
      tell(code, at)
    }
  const steps = read.map((step) => (step.kind === "transition" ? step : readArguments(step, declaration)))
  for (const step of steps) if (!step.shape.whole) malformed.add(step)
  const complete = steps.every(({ id }) => id !== undefined)
  // A template names what could be a name: an id that is none is told as such.
  const calls = steps.flatMap(({ kind, id }) =>
    kind === "call" && /^[A-Za-z_][\w-]*$/.test(id ?? "") ? [id as string] : [],
  )
  const names = declaration.inputs === undefined ? calls : [...calls, "input"]
  const known = (step: PlanStep): boolean => !malformed.has(step) && !unknown.has(step)
  for (const step of steps) {
    checkId(step, steps, tellOf(step))
    const scope = { step, steps, declaration, known }
    step.after.forEach((id, i) => {
      earlierCall(id, child(child(step.at, "after"), i), scope, tellOf(step))
    })
    if (step.kind === "call") {
      checkCall(step, scope, tellOf(step))
      checkTemplates(step, names, tellOf(step))
    }
    const needed = dependsOn(step).map((name) => steps.find(({ id }) => id === name))
    // A step without an id may be the one that is named.
    if (!complete && needed.includes(undefined)) malformed.add(step)
    if (needed.some((one) => one !== undefined && malformed.has(one))) malformed.add(step)
  }
  const sound = (step: PlanStep): boolean => !malformed.has(step) && !faulty.has(step)
  checkOmissions(steps, declaration, sound, tellOf)
  checkPredecessors(steps, declaration, sound, tellOf)
  checkMachine(steps, declaration, tellOf)
  checkBlast(steps, declaration, occasion.spent ?? {}, sound, known, tell, tellOf)
  checkBudgets(steps, declaration, tell)
  checkAuthority(steps, declaration, occasion, sound, known, tellOf)
  checkFlow(steps, declaration, occasion, known, tellOf)
  checkEffects(steps, declaration, sound, known, tellOf)
}

/** Faults that leave open what a step is: of it, and of all that depends on it, little else is said. */
const formFaults: readonly Code[] = [
  "SEQ105",
  "SEQ106",
  "SEQ108",
  "SEQ130",
  "SEQ131",
  "SEQ132",
  "SEQ133",
  "SEQ201",
  "SEQ202",
  "SEQ203",
  "SEQ204",
  "SEQ210",
]

/** Faults that leave open what a step works on, and so what it gives. */
const referenceFaults: readonly Code[] = ["SEQ205", "SEQ206", "SEQ211", "SEQ212", "SEQ213"]

const dependsOn = (step: PlanStep): readonly string[] =>
  step.kind === "transition"
    ? step.after
    : [
        ...step.after,
        ...referencesIn(step.args)
          .map(({ source }) => source)
          .filter((source) => source !== "input"),
      ]

function checkId({ id, index, at }: PlanStep, steps: readonly PlanStep[], tell: Tell): void {
  if (id === undefined) return
  if (!isId(id)) tell("SEQ105", child(at, "id"))
  else if (steps.slice(0, index).some((earlier) => earlier.id === id)) tell("SEQ106", child(at, "id"))
}

function readArguments(step: Extract<Step, { kind: "call" }>, { bounds }: Declaration): Call {
  const faults: Fault[] = []
  const tell: Tell = (code, at) => faults.push({ code, at })
  const at = child(step.at, "args")
  const written = step.args
  if (written === undefined) return { ...step, written, args: { kind: "broken", at, inside: [] }, faults }
  const dollars = Object.keys(written).filter((key) => key.startsWith("$"))
  for (const key of dollars) tell("SEQ131", child(at, key))
  const args =
    dollars.length > 0
      ? ({ kind: "broken", at, inside: [] } as const)
      : readExpression(written, at, bounds.concatParts, tell)
  return { ...step, written, args, faults }
}

function checkCall(step: Call, scope: Scope, tell: Tell): void {
  for (const { code, at } of step.faults) tell(code, at)
  const wrong: string[] = []
  const refuse: Tell = (code, at) => {
    // What is missing is told at the object that lacks it, which may be right in all else.
    if (code !== "SEQ120") wrong.push(at)
    tell(code, at)
  }
  const asking: Asking = {
    given: (reference, told) => resolve(reference, scope, told),
    tell: refuse,
  }
  const { tools } = scope.declaration
  const { tool } = step
  const params = tool !== undefined && Object.hasOwn(tools, tool) ? tools[tool]?.params : undefined
  if (params === undefined) {
    if (tool !== undefined) tell("SEQ108", child(step.at, "tool"))
    checkStray(step.args, asking)
    return
  }
  checkValue(step.args, closedObject(params), asking)
  if (constantOf(step.args) === undefined) return
  judgeValue(step.args, params, (code, at) => {
    // The validator sees what was told already, in its own words.
    if (!wrong.some((place) => at === place || at.startsWith(`${place}/`) || place.startsWith(`${at}/`))) tell(code, at)
  })
}

/** What a plan without faults comes to: for whoever sets limits that it meets exactly. */
export function worstTotals(declaration: Declaration, plan: Json) {
  const read = readEnvelope(plan, declaration, () => {}) ?? []
  const steps = read.map((step) => (step.kind === "transition" ? step : readArguments(step, declaration)))
  const blast = Object.keys(declaration.limits).map((dimension) => {
    const counts = countsOf(steps, dimension, declaration, () => true)
    return [dimension, Number(counts.reduce((sum, { worst }) => sum + worst, 0n))] as const
  })
  return { blast: Object.fromEntries(blast), needed: needs(steps, declaration) }
}
