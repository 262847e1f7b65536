/** Plans as plain data, to be changed and asked about without the compiler. */
import { isObject, type Json, type JsonObject } from "../../src/text/json.ts"
import { child, type Pointer, root } from "../../src/text/pointer.ts"

export type Written = { readonly version: number; readonly steps: readonly WrittenStep[] }

export interface WrittenStep {
  readonly id: string
  readonly tool?: string
  readonly transition?: string
  readonly args?: JsonObject
}

export const read = (text: string): Written => JSON.parse(text) as Written

export const write = (plan: Written): string => JSON.stringify(plan)

export const stepAt = (index: number): Pointer => child(child(root, "steps"), index)

export const argumentAt = (index: number, ...tokens: readonly (string | number)[]): Pointer =>
  tokens.reduce<Pointer>(child, child(stepAt(index), "args"))

/** A `$from` in the arguments of a step. */
export interface WrittenReference {
  readonly step: number
  readonly at: Pointer
  readonly source: string
  readonly path: string
}

export function referencesIn(plan: Written): readonly WrittenReference[] {
  const found: WrittenReference[] = []
  plan.steps.forEach((step, index) => {
    const look = (value: Json, at: Pointer): void => {
      if (Array.isArray(value)) value.forEach((item, place) => void look(item, child(at, place)))
      else if (isObject(value) && typeof value.$from === "string")
        found.push({ step: index, at, source: value.$from, path: typeof value.path === "string" ? value.path : "" })
      else if (isObject(value)) for (const [key, inner] of Object.entries(value)) look(inner, child(at, key))
    }
    look(step.args ?? {}, argumentAt(index))
  })
  return found
}

/** The plan with the value at a pointer replaced; undefined removes a member of an object. */
export function withValue(plan: Written, at: Pointer, value: Json | undefined): Written {
  const tokens = at.split("/").slice(1)
  const replace = (inner: Json, depth: number): Json => {
    const token = (tokens[depth] ?? "").replaceAll("~1", "/").replaceAll("~0", "~")
    const last = depth === tokens.length - 1
    if (Array.isArray(inner)) {
      return inner.map((item, index) =>
        String(index) !== token ? item : last ? (value ?? null) : replace(item, depth + 1),
      )
    }
    if (!isObject(inner)) throw new Error(`nothing at ${at}`)
    const { [token]: old = null, ...others } = inner
    const next = last ? value : replace(old, depth + 1)
    return next === undefined ? others : { ...others, [token]: next }
  }
  return replace(plan as unknown as Json, 0) as unknown as Written
}

/** Order, asked naively: each reference that names no earlier step, and how. */
export function orderFaults(plan: Written): readonly string[] {
  const ids = plan.steps.map(({ id }) => id)
  return referencesIn(plan).flatMap(({ step, at, source }) => {
    const index = ids.indexOf(source)
    if (index >= 0 && index < step) return []
    return [`${index === -1 ? "SEQ201" : index === step ? "SEQ203" : "SEQ202"} ${at}/$from`]
  })
}
