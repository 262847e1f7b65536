/** Who may, what must be stated, what a person is asked about, and where data may go. Codes: SEQ502 to SEQ508, SEQ601 to SEQ603. */
import { child, type Pointer } from "../../src/text/pointer.ts"
import type { Declaration, LabelDeclaration, RuleDeclaration, Shape, ToolDeclaration } from "./declaration.ts"
import { constantOf, type Expression, type Reference, referencesIn } from "./expression.ts"
import { resolve } from "./references.ts"
import { countsOf } from "./rules.ts"
import { core, isObject, walk } from "./shape.ts"
import type { Call, PlanStep } from "./steps.ts"
import type { Tell } from "./verdict.ts"

/** What is known of the run that a plan is for. */
export interface Occasion {
  readonly spent?: Readonly<Record<string, number>>
  readonly principal?: { readonly tenant: string; readonly subject: string; readonly roles: readonly string[] }
  readonly literals?: "trusted" | "untrusted"
}

type TellOf = (step: PlanStep) => Tell
type Sound = (step: PlanStep) => boolean

const isCall = (step: PlanStep): step is Call => step.kind === "call"
const toolOf = ({ tools }: Declaration, step: Call): ToolDeclaration | undefined =>
  step.tool !== undefined && Object.hasOwn(tools, step.tool) ? tools[step.tool] : undefined

const tokensOf = (place: string): readonly string[] =>
  place.startsWith("/")
    ? place
        .slice(1)
        .split("/")
        .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    : place === ""
      ? []
      : [place]

/** An argument that may be left out, and must not be. Code: SEQ506. */
export function checkOmissions(
  steps: readonly PlanStep[],
  declaration: Declaration,
  sound: Sound,
  tellOf: TellOf,
): void {
  for (const step of steps.filter(isCall).filter(sound)) {
    const told = new Set<string>()
    for (const [place, { mustState }] of Object.entries(toolOf(declaration, step)?.rules ?? {})) {
      if (mustState !== true) continue
      const tokens = tokensOf(place)
      for (let length = tokens.length; length > 0 && tokens[length - 1] !== "*"; length--) {
        const name = tokens[length - 1] as string
        for (const { expression, rest } of standingAt(step.args, tokens.slice(0, length - 1), undefined)) {
          if (rest.length > 0 || expression.kind !== "object") continue
          const missed = `${expression.at} ${name}`
          if (told.has(missed) || expression.fields.some(([key]) => key === name)) continue
          told.add(missed)
          tellOf(step)("SEQ506", expression.at)
        }
      }
    }
  }
}

/** Codes: SEQ502 to SEQ505, SEQ507, SEQ508. */
export function checkAuthority(
  steps: readonly PlanStep[],
  declaration: Declaration,
  { principal, spent = {} }: Occasion,
  sound: Sound,
  known: Sound,
  tellOf: TellOf,
): void {
  for (const step of steps.filter(isCall)) {
    const tool = toolOf(declaration, step)
    if (tool === undefined) continue
    const { roles, tenants, most, always } = tool
    const at = child(step.at, "tool")
    if (principal !== undefined) {
      const args = sound(step) ? constantOf(step.args)?.value : undefined
      if (declaration.denies === true && roles === undefined && tenants === undefined && most === undefined)
        tellOf(step)("SEQ505", at)
      else if (tenants?.includes(principal.tenant) === false) tellOf(step)("SEQ503", at)
      else if (roles?.some((role) => principal.roles.includes(role)) === false) tellOf(step)("SEQ502", at)
      else if (most !== undefined && isObject(args) && Object.values(args).some((one) => Number(one) > most))
        tellOf(step)("SEQ504", child(step.at, "args"))
    }
    if (always === true) tellOf(step)("SEQ508", at)
  }
  for (const [dimension, above] of Object.entries(declaration.approveAbove ?? {})) {
    let sum = BigInt(Math.max(0, Math.floor(spent[dimension] ?? 0)))
    for (const { step, worst } of countsOf(steps, dimension, declaration, known)) {
      sum += worst
      if (worst > 0n && sum > BigInt(above) && toolOf(declaration, step)?.always !== true)
        tellOf(step)("SEQ507", child(step.at, "tool"))
    }
  }
}

interface Marks {
  readonly untrusted: boolean
  readonly private: boolean
}

const clean: Marks = { untrusted: false, private: false }

/** Undefined where a fault leaves it open what a value comes of. */
type Known = Marks | undefined

const together = (parts: readonly Known[]): Known =>
  parts.includes(undefined)
    ? undefined
    : { untrusted: parts.some((one) => one?.untrusted), private: parts.some((one) => one?.private) }

/** Codes: SEQ601 to SEQ603. */
export function checkFlow(
  steps: readonly PlanStep[],
  declaration: Declaration,
  { literals }: Occasion,
  known: Sound,
  tellOf: TellOf,
): void {
  const results = new Map<PlanStep, Known>()
  for (const step of steps.filter(isCall)) {
    const tool = toolOf(declaration, step)
    if (tool === undefined) continue
    const marks: Mark = { step, steps, declaration, known, results, untrusted: literals === "untrusted" }
    let refused = false
    for (const [place, rule] of Object.entries(tool.rules ?? {})) {
      for (const there of standingAt(step.args, tokensOf(place), tool.params)) {
        for (const code of brokenAt(there, rule, marks)) {
          refused = true
          tellOf(step)(code, there.at)
        }
      }
    }
    const { args } = step
    const parts: readonly (readonly [Expression, Shape | undefined])[] =
      args.kind === "object"
        ? args.fields.map(([name, value]) => [value, partOf(tool.params, name)])
        : [[args, tool.params]]
    const given = refused ? undefined : together(parts.map(([value, shape]) => marksOf(value, [], marks, shape)))
    results.set(
      step,
      given && {
        untrusted: given.untrusted && tool.endorse?.includes("trusted") !== true,
        private: given.private && tool.endorse?.includes("public") !== true,
      },
    )
  }
}

interface Mark {
  readonly step: Call
  readonly steps: readonly PlanStep[]
  readonly declaration: Declaration
  readonly known: Sound
  readonly results: ReadonlyMap<PlanStep, Known>
  readonly untrusted: boolean
}

interface Standing {
  readonly expression: Expression
  /** Still to go, into what a reference gives. */
  readonly rest: readonly string[]
  readonly at: Pointer
  /** What the tool takes there. */
  readonly shape: Shape | undefined
}

function standingAt(
  expression: Expression,
  [token, ...rest]: readonly string[],
  shape: Shape | undefined,
): readonly Standing[] {
  if (token === undefined) return [{ expression, rest: [], at: expression.at, shape }]
  if (expression.kind === "reference") return [{ expression, rest: [token, ...rest], at: expression.at, shape }]
  const parts: readonly (readonly [string, Expression])[] =
    expression.kind === "object"
      ? expression.fields
      : expression.kind === "array"
        ? expression.items.map((item, index) => [`${index}`, item] as const)
        : []
  return parts
    .filter(([key]) => token === "*" || token === key)
    .flatMap(([key, part]) => standingAt(part, rest, partOf(shape, key)))
}

function partOf(shape: Shape | undefined, key: string): Shape | undefined {
  const found = shape && walk(core(shape), [key])
  return found === undefined || found.kind === "nothing" ? undefined : found.shape
}

function brokenAt({ expression, rest, shape }: Standing, rule: RuleDeclaration, marks: Mark) {
  const { from, trusted, public: shown } = rule
  const given = from || trusted || shown ? marksOf(expression, rest, marks, shape) : undefined
  if (given === undefined) return []
  if (from !== undefined && !from.some((origin) => originOf(expression, rest, marks) === named(origin)))
    return ["SEQ601"] as const
  return [
    ...(trusted && given.untrusted ? (["SEQ602"] as const) : []),
    ...(shown && given.private ? (["SEQ603"] as const) : []),
  ]

  /** A pattern is named by its tokens, with the tokens that it leaves open as they are in the reference. */
  function named(origin: string): string {
    const [source = "", ...pointer] = origin.split("#")
    const place = expression.kind === "reference" ? [...pathOf(expression), ...rest] : []
    const pattern = tokensOf(pointer.join("#"))
    const tokens = pattern.map((token, index) => (token === "*" ? (place[index] ?? "*") : token))
    return JSON.stringify([source, ...tokens])
  }
}

const pathOf = ({ path, where, pick = [] }: Reference): readonly string[] =>
  where === undefined ? path : [...path, "*", ...pick]

function originOf(expression: Expression, rest: readonly string[], { steps }: Mark): string | undefined {
  if (expression.kind !== "reference") return undefined
  const source = steps.find(({ id }) => id === expression.source)
  const name = expression.source === "input" ? "input" : source?.kind === "call" ? source.tool : undefined
  return JSON.stringify([name, ...pathOf(expression), ...rest])
}

/** Where a shape leaves open what keys there are, its writer makes them up. */
function marksOf(expression: Expression, rest: readonly string[], marks: Mark, shape?: Shape): Known {
  if (expression.kind === "object" && expression === marks.step.args && expression.fields.length === 0) return clean
  if (constantOf(expression) !== undefined) return { untrusted: marks.untrusted, private: false }
  switch (expression.kind) {
    case "broken":
    case "scalar":
      return undefined
    case "array":
      return together(expression.items.map((item, index) => marksOf(item, [], marks, partOf(shape, `${index}`))))
    case "object":
      return together([
        { untrusted: marks.untrusted && shape !== undefined && core(shape).kind === "unknown", private: false },
        ...expression.fields.map(([key, value]) => marksOf(value, [], marks, partOf(shape, key))),
      ])
    case "concat":
      return together(expression.parts.map((part) => marksOf(part, [], marks)))
    case "reference":
      return referenceMarks(expression, rest, marks)
  }
}

/** All that is read to find a value: itself, and what was looked at and compared to choose it. */
function referenceMarks(reference: Reference, rest: readonly string[], marks: Mark): Known {
  const { path, where = [] } = reference
  for (const one of referencesIn(reference)) if (resolve(one, marks, () => {}) === undefined) return undefined
  return together([
    readMarks(reference.source, [...pathOf(reference), ...rest], marks),
    ...where.map((one) => readMarks(reference.source, [...path, "*", ...one.path], marks)),
    ...where.map((one) => marksOf(one.value, [], marks)),
  ])
}

function readMarks(id: string, path: readonly string[], { steps, declaration, results }: Mark): Known {
  if (id === "input") {
    const { inputs, inputLabels = {} } = declaration
    return inputs && labelsAt(inputs, inputLabels, path)
  }
  const source = steps.find((one) => one.id === id)
  const tool = source?.kind === "call" ? toolOf(declaration, source) : undefined
  if (source === undefined || tool === undefined) return undefined
  return together([labelsAt(tool.result ?? { kind: "unknown" }, tool, path), results.get(source)])
}

/** A place is marked if anything that ends in it is, or what it is a part of, declared or not. */
function labelsAt(shape: Shape, labels: LabelDeclaration, path: readonly string[]): Marks {
  const ends = [path, ...endsOf(shape).filter((end) => startsAlike(end, path))]
  const has = (places: readonly string[] = []): boolean =>
    places.map(tokensOf).some((place) => ends.some((end) => place.length <= end.length && startsAlike(end, place)))
  return { untrusted: has(labels.untrusted), private: has(labels.private) }
}

const startsAlike = (one: readonly string[], other: readonly string[]): boolean =>
  one.every((token, index) => {
    const there = other[index]
    return there === undefined || token === there || token === "*" || there === "*"
  })

/** Every place in a shape that has nothing further in. */
export function endsOf(shape: Shape): readonly (readonly string[])[] {
  if (shape.kind === "nullable") return endsOf(shape.of)
  if (shape.kind === "array") return endsOf(shape.of).map((end) => ["*", ...end])
  if (shape.kind !== "object" || Object.keys(shape.fields).length === 0) return [[]]
  return Object.entries(shape.fields).flatMap(([name, field]) => endsOf(field.shape).map((end) => [name, ...end]))
}
