/**
 * The forms in which a planner may write a plan. A provider's structured output takes less than JSON Schema can say: no
 * free keys, often no key left out. Each form says the same plan in what it takes, and `decodePlan` leads back.
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import { gaugeOf } from "../../catalog/schema/gauge.ts"
import { boolean, numberOf, stringOf } from "../../catalog/schema/make.ts"
import { type ArrayShape, branchesOf, type ObjectShape, propertyOf, type Shape } from "../../catalog/schema/shape.ts"
import { demand } from "../../text/demand.ts"
import { isObject, type JsonObject } from "../../text/json.ts"

/**
 * `plan`: the plan document itself. `structured`: each tool's arguments spelt out. `envelope`: arguments as JSON text.
 * `absent`: how a field that is left out is written, as null or not at all. Plain data, to be kept with a request.
 */
export type Form = { readonly kind: "plan" } | { readonly kind: "structured" | "envelope"; readonly absent: Absent }

export type Absent = "null" | "omitted"

/** Whether it is one that `planSchema` gives, or the same data kept with a request. Throws what its getters throw. */
export function isForm(form: unknown): form is Form {
  if (!isObject(form)) return false
  const { kind, absent } = form
  return (
    kind === "plan" || ((kind === "structured" || kind === "envelope") && (absent === "null" || absent === "omitted"))
  )
}

export const demandForm = (form: unknown): void =>
  demand(isForm(form), "`form` must be the `form` that `planSchema` gives")

/** What marks an expression in the structured form. Not all providers take a key with a `$`. */
export const marks = ["_from", "_select", "_concat", "_json"] as const

/** The key of a step's `do` that names a state, where a tool's name would stand. */
export const transitionKey = "transition"

/** Fields of a plan and of a step that may be left out. */
export const optionalFields = {
  plan: ["goal"],
  structured: ["after", "occurrence", "why"],
  envelope: ["tool", "args", "transition", "after", "occurrence", "why"],
} as const

/** Keys that every provider takes: Anthropic's API refuses others, in the error "Property keys should match pattern". */
const portable = /^[a-zA-Z0-9_.-]{1,64}$/

export const isPortable = (key: string): boolean => portable.test(key)

/** What of a shape the structured form spells out. What it does not is written as JSON text, after `_json`. */
export interface Spelt {
  readonly scalars: readonly Shape[]
  readonly array: ArrayShape | undefined
  /** One, or several that `tag` tells apart. */
  readonly objects: readonly ObjectShape[]
  readonly tag: string | undefined
}

export function spell(shape: TSchema): Spelt {
  const known = spelt.get(shape)
  if (known !== undefined) return known
  const made = spellBranches(shape)
  spelt.set(shape, made)
  return made
}

const spelt = new WeakMap<TSchema, Spelt>()

function spellBranches(shape: TSchema): Spelt {
  const scalars: Shape[] = []
  const arrays: ArrayShape[] = []
  const objects: ObjectShape[] = []
  let tuples = 0
  for (const branch of branchesOf(shape)) {
    switch (branch[Kind]) {
      case "Unknown":
        scalars.push(stringOf({}), numberOf("Number", {}), boolean)
        break
      case "Array":
        arrays.push(branch)
        break
      case "Tuple":
        tuples++
        break
      case "Object":
        objects.push(branch)
        break
      case "Never":
        break
      default:
        scalars.push(branch)
    }
  }
  const array = arrays.length === 1 && tuples === 0 ? arrays[0] : undefined
  const tag = objects.length > 1 ? tagOf(shape) : undefined
  const told = objects.every(isSpellable) && (objects.length <= 1 || tag !== undefined)
  return { scalars, array, objects: told ? objects : [], tag }
}

function tagOf(shape: TSchema): string | undefined {
  const gauge = gaugeOf(shape)
  const tag = gauge.kind === "union" ? gauge.tag : undefined
  const named = tag !== undefined && [...tag.branchOf.keys()].every((value) => typeof value === "string")
  return named ? tag.key : undefined
}

const isSpellable = ({ properties, required = [], additionalProperties }: ObjectShape): boolean =>
  additionalProperties === false &&
  required.every((key) => !key.startsWith("$")) &&
  Object.keys(properties).every(
    (key) => key.startsWith("$") || (isPortable(key) && !marks.some((mark) => key === mark)),
  )

export interface Member {
  readonly key: string
  readonly shape: Shape
  readonly optional: boolean
}

/** The properties that a plan can give, the tag first. One whose key begins with `$` can only stand in a `$literal`. */
export function membersOf({ properties, required = [] }: ObjectShape, tag?: string): readonly Member[] {
  const keys = Object.keys(properties).filter((key) => !key.startsWith("$") && properties[key]?.[Kind] !== "Never")
  const ordered = tag === undefined ? keys : [tag, ...keys.filter((key) => key !== tag)]
  return ordered.map((key) => ({ key, shape: properties[key] as Shape, optional: !required.includes(key) }))
}

/** The object shape that a value is meant for; undefined where that cannot be told. */
export function objectFor({ objects, tag }: Spelt, value: JsonObject): ObjectShape | undefined {
  if (tag === undefined) return objects[0]
  const given = Object.hasOwn(value, tag) ? value[tag] : undefined
  return objects.find((object) => {
    const property = propertyOf(object, tag)
    return branchesOf(property?.shape ?? object).some((branch) => branch[Kind] === "Literal" && branch.const === given)
  })
}
