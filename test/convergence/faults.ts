/** The faults that planners make, one function for each kind: a plan and chance in, the plan with the fault out. */
import type { Catalog, Json, JsonObject } from "sequitur"
import { propertiesOf } from "../../src/catalog/schema/shape.ts"

export interface WrittenPlan {
  readonly version: 1 | string
  readonly steps: readonly WrittenStep[]
  readonly [field: string]: Json | undefined
}

export type WrittenStep = JsonObject & { readonly id: string }

/** An integer from 0 up to, but not including, `below`. */
export type Pick = (below: number) => number

/** Nothing where the plan has no place for it. */
export type Fault = (plan: WrittenPlan, catalog: Catalog, pick: Pick) => WrittenPlan | undefined

export const faults: { readonly [kind: string]: Fault } = {
  "missing argument": onCall(({ args }, pick) => {
    const key = oneOf(Object.keys(args), pick)
    return key === undefined ? undefined : { args: without(args, key) }
  }),
  "made-up argument": onCall(({ args }, pick) => ({
    args: { ...args, [oneOf(["verbose", "limitTo", "priority"], pick) ?? ""]: true },
  })),
  "misspelt argument": onCall(({ args }, pick) => {
    const key = oneOf(Object.keys(args), pick)
    const slip = key === undefined ? undefined : misspell(key, pick)
    return key === undefined || slip === undefined || slip in args
      ? undefined
      : { args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name === key ? slip : name, value])) }
  }),
  "made-up tool": onCall((_, pick) => ({ tool: oneOf(["lookup_everything", "run_query", "notify_all"], pick) ?? "" })),
  "misspelt tool": onCall(({ tool }, pick) => renamed("tool", misspell(tool, pick))),
  "misspelt field": (plan, _, pick) => {
    const field = oneOf(["tool", "args", "transition", "steps"] as const, pick)
    if (field === "steps")
      return { ...without(plan as unknown as JsonObject, "steps"), stepps: plan.steps } as unknown as WrittenPlan
    const slip = field === undefined ? undefined : misspell(field, pick)
    if (field === undefined || slip === undefined) return undefined
    return onStep(plan, pick, (step) =>
      field in step ? { ...without(step, field), [slip]: step[field] as Json } : undefined,
    )
  },
  "made-up field": (plan, _, pick) =>
    onStep(plan, pick, (step) => ({
      ...step,
      [oneOf(["onError", "description", "parallel"], pick) ?? ""]: "continue",
    })),
  "version as text": (plan) => ({ ...plan, version: "1" }),
  "unknown reference": onReference((_, __, pick) => ({
    $from: oneOf(["lookup_result", "previous", "data"], pick) ?? "",
  })),
  "misspelt reference": onReference(({ $from }, _, pick) => {
    const slip = misspell($from, pick)
    return slip === undefined ? undefined : { $from: slip }
  }),
  "forward reference": onReference((_, { plan, index }, pick) => {
    const later = oneOf(
      plan.steps.slice(index + 1).filter((step) => "tool" in step),
      pick,
    )
    return later && { $from: later.id }
  }),
  "self reference": onReference((_, { plan, index }) => ({ $from: plan.steps[index]?.id ?? "" })),
  "wrong assignment": onReference(({ $from }, { plan, index }, pick) => {
    const other = oneOf(
      plan.steps.slice(0, index).filter((step) => "tool" in step && step.id !== $from),
      pick,
    )
    return other && { $from: other.id }
  }),
  "misspelt path": onReference(({ path = "" }, _, pick) => {
    const tokens = path.split("/")
    const at = 1 + pick(Math.max(1, tokens.length - 1))
    const slip = misspell(tokens[at] ?? "", pick)
    return slip === undefined ? undefined : { path: tokens.with(at, slip).join("/") }
  }),
  "path written otherwise": onReference(({ path = "" }) =>
    path === ""
      ? undefined
      : {
          path: path
            .slice(1)
            .replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]")
            .replaceAll("/", "."),
        },
  ),
  "missing call": (plan, _, pick) => {
    const index = indexOf(plan, "tool", pick)
    return index === undefined ? undefined : { ...plan, steps: plan.steps.toSpliced(index, 1) }
  },
  "repeated call": (plan, _, pick) => {
    const index = indexOf(plan, "tool", pick)
    const step = index === undefined ? undefined : plan.steps[index]
    if (index === undefined || step === undefined) return undefined
    // With the id that the planner gives it, or one that it has counted on.
    const again = pick(2) === 0 ? step : { ...step, id: `${step.id}_again` }
    return { ...plan, steps: plan.steps.toSpliced(index + 1, 0, again) }
  },
  "swapped steps": (plan, _, pick) => {
    const index = pick(Math.max(1, plan.steps.length - 1))
    const [one, other] = [plan.steps[index], plan.steps[index + 1]]
    return one && other && { ...plan, steps: plan.steps.toSpliced(index, 2, other, one) }
  },
  "missing transition": (plan, _, pick) => {
    const index = indexOf(plan, "transition", pick)
    return index === undefined ? undefined : { ...plan, steps: plan.steps.toSpliced(index, 1) }
  },
  "misspelt state": (plan, _, pick) =>
    onStep(plan, pick, (step) => {
      const slip = typeof step.transition === "string" ? misspell(step.transition, pick) : undefined
      return slip === undefined ? undefined : { ...step, transition: slip }
    }),
  "wrong type": onArgument((value) => (typeof value === "string" ? 7 : typeof value === "object" ? "all" : [value])),
  "wrong unit": onArgument((value, pick) =>
    typeof value === "number" ? oneOf([`$${value / 100}`, value / 100 + 0.001, value * 1_000_000], pick) : undefined,
  ),
  "enum value otherwise": onEnum((value, pick) =>
    oneOf(
      [value.toUpperCase(), value.replaceAll("_", " "), value.replaceAll(/[ _]/g, "-"), misspell(value, pick) ?? value],
      pick,
    ),
  ),
  "made-up enum value": onEnum(() => "anything"),
}

interface WrittenCall {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject
}

const isCall = (step: WrittenStep): step is WrittenStep & WrittenCall => "tool" in step && typeof step.args === "object"

const oneOf = <A>(list: readonly A[], pick: Pick): A | undefined => list[pick(Math.max(1, list.length))]

/** One slip of the hand: a letter more, less or other, two swapped, or another case. */
function misspell(word: string, pick: Pick): string | undefined {
  if (!/[A-Za-z]{4}/.test(word)) return undefined
  const at = 1 + pick(word.length - 2)
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)]
  if (!/[A-Za-z]/.test(letter)) return undefined
  const slips = [
    before + after,
    before + letter + letter + after,
    `${before}q${after}`,
    before + after.charAt(0) + letter + after.slice(1),
    word.charAt(0) + word.slice(1).replace(/_([a-z])/g, (_, first: string) => first.toUpperCase()),
  ].filter((slip) => slip !== word)
  return oneOf(slips, pick)
}

const renamed = (field: string, value: string | undefined): JsonObject | undefined =>
  value === undefined ? undefined : { [field]: value }

const without = (object: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))

function indexOf(plan: WrittenPlan, field: string, pick: Pick): number | undefined {
  return oneOf(
    [...plan.steps.keys()].filter((index) => field in (plan.steps[index] ?? {})),
    pick,
  )
}

function onStep(
  plan: WrittenPlan,
  pick: Pick,
  change: (step: WrittenStep, index: number) => JsonObject | undefined,
): WrittenPlan | undefined {
  const changed = [...plan.steps.keys()].flatMap((index) => {
    const step = plan.steps[index]
    const made = step && change(step, index)
    return made === undefined ? [] : [{ ...plan, steps: plan.steps.with(index, made as WrittenStep) }]
  })
  return oneOf(changed, pick)
}

function onCall(change: (call: WrittenCall, pick: Pick) => JsonObject | undefined): Fault {
  return (plan, _, pick) =>
    onStep(plan, pick, (step) => {
      const changed = isCall(step) ? change(step, pick) : undefined
      return changed && { ...step, ...changed }
    })
}

function onArgument(change: (value: Json, pick: Pick) => Json | undefined): Fault {
  return onCall(({ args }, pick) => {
    const changed = Object.entries(args).flatMap(([key, value]) => {
      const made = isReference(value) ? undefined : change(value, pick)
      return made === undefined ? [] : [{ args: { ...args, [key]: made } }]
    })
    return oneOf(changed, pick)
  })
}

/** On an argument that must be one of a few words. */
function onEnum(change: (value: string, pick: Pick) => Json | undefined): Fault {
  return (plan, catalog, pick) =>
    onStep(plan, pick, (step) => {
      if (!isCall(step)) return undefined
      const shape = catalog.tools.get(step.tool)?.params.shape
      const properties = shape === undefined ? undefined : propertiesOf(shape)
      const changed = Object.entries(step.args).flatMap(([key, value]) => {
        const words: unknown = properties?.get(key)?.shape.anyOf
        if (typeof value !== "string" || !Array.isArray(words) || !words.every((word) => "const" in word)) return []
        const made = change(value, pick)
        return made === undefined || made === value ? [] : [{ ...step, args: { ...step.args, [key]: made } }]
      })
      return oneOf(changed, pick)
    })
}

interface WrittenReference extends JsonObject {
  readonly $from: string
}

const isReference = (value: Json): value is WrittenReference =>
  typeof value === "object" && value !== null && "$from" in value && typeof value.$from === "string"

/** On one reference to a step, wherever in the arguments it stands. */
function onReference(
  change: (
    reference: { readonly $from: string; readonly path?: string },
    place: { readonly plan: WrittenPlan; readonly index: number },
    pick: Pick,
  ) => JsonObject | undefined,
): Fault {
  return (plan, _, pick) =>
    onStep(plan, pick, (step, index) => {
      if (!isCall(step)) return undefined
      const made = oneOf(
        changesIn(step.args, (one) => change(one, { plan, index }, pick)),
        pick,
      )
      return made === undefined ? undefined : { ...step, args: made as JsonObject }
    })
}

/** The value with one reference changed, for each reference in it. */
function changesIn(value: Json, change: (reference: WrittenReference) => JsonObject | undefined): readonly Json[] {
  if (typeof value !== "object" || value === null) return []
  if (isReference(value) && value.$from !== "input") {
    const changed = change(value)
    return changed === undefined ? [] : [{ ...value, ...changed }]
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => changesIn(item, change).map((made) => value.with(index, made)))
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    changesIn(inner, change).map((made) => ({ ...value, [key]: made })),
  )
}
