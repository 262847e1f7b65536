/** Places in a plan where a fault can be put. */
import type { Declaration, ToolDeclaration } from "./declaration.ts"
import type { Mutable, MutableObject } from "./generate-value.ts"
import type { Random } from "./random.ts"

export interface Site {
  readonly plan: MutableObject
  readonly steps: MutableObject[]
  readonly declaration: Declaration
  readonly random: Random
}

/** Changes the plan, or gives false where there is nothing of its kind to change. */
export type Fault = (site: Site) => boolean

export const isObject = (value: Mutable | undefined): value is MutableObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const someStep = (
  { steps, random }: Site,
  filter = (_: MutableObject): boolean => true,
): MutableObject | undefined => {
  const chosen = steps.filter(filter)
  return chosen.length === 0 ? undefined : random.pick(chosen)
}

export const isCall = (step: MutableObject): boolean => typeof step.tool === "string" && isObject(step.args)

/** An object or array inside the arguments of some call, and one key of it. */
export function someSlot(
  site: Site,
  filter = (_: Mutable): boolean => true,
): readonly [MutableObject, string] | undefined {
  const slots: (readonly [MutableObject, string])[] = []
  const collect = (value: Mutable): void => {
    if (typeof value !== "object" || value === null) return
    for (const key of Object.keys(value)) {
      const inner = (value as MutableObject)[key] as Mutable
      if (filter(inner)) slots.push([value as MutableObject, key])
      collect(inner)
    }
  }
  for (const step of site.steps) if (isCall(step)) collect(step.args as Mutable)
  return slots.length === 0 ? undefined : site.random.pick(slots)
}

/** An expression of a form inside the arguments of some call. */
export function someExpression(site: Site, form: string): MutableObject | undefined {
  const slot = someSlot(site, (value) => isObject(value) && Object.hasOwn(value, form))
  return slot && (slot[0][slot[1]] as MutableObject)
}

export const onExpression =
  (form: string, change: (expression: MutableObject, site: Site) => void): Fault =>
  (site) => {
    const expression = someExpression(site, form)
    if (expression === undefined) return false
    change(expression, site)
    return true
  }

export const onCall =
  (change: (step: MutableObject, args: MutableObject, site: Site) => void): Fault =>
  (site) => {
    const step = someStep(site, isCall)
    if (step === undefined) return false
    change(step, step.args as MutableObject, site)
    return true
  }

export const onStep =
  (change: (step: MutableObject, site: Site) => void): Fault =>
  (site) => {
    const step = someStep(site)
    if (step === undefined) return false
    change(step, site)
    return true
  }

export const onSlot =
  (filter: (value: Mutable) => boolean, change: (value: Mutable, site: Site) => Mutable): Fault =>
  (site) => {
    const slot = someSlot(site, filter)
    if (slot === undefined) return false
    const [holder, key] = slot
    holder[key] = change(holder[key] as Mutable, site)
    return true
  }

export const toolOf = ({ declaration }: Site, step: MutableObject): ToolDeclaration | undefined =>
  typeof step.tool === "string" && Object.hasOwn(declaration.tools, step.tool)
    ? declaration.tools[step.tool]
    : undefined
