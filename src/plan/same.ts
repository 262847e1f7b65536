/** One text for each expression: equal texts are equal values in every run, because results never change. */
import { match } from "ts-pattern"
import { valueAt } from "../diagnostic/patch.ts"
import { canonical } from "../text/canonical.ts"
import { formatPointer } from "../text/pointer.ts"
import type { Expression, Literal, Read } from "./plan.ts"

/** Literals begin with `=`, holes with `$`, so that no data can pass for a reference. */
export const canonicalExpression = (expression: Expression): string =>
  match(expression)
    .with({ kind: "literal" }, ({ value }) => `=${canonical(value)}`)
    .with({ kind: "object" }, ({ entries }) => `{${entries.map(entry).sort().join()}}`)
    .with({ kind: "array" }, ({ items }) => `[${items.map(canonicalExpression).join()}]`)
    .with({ kind: "concat" }, ({ parts }) => `$concat(${parts.map(part).join()})`)
    .with({ kind: "reference" }, { kind: "selection" }, read)
    .with({ kind: "broken" }, ({ at }) => `$broken(${at})`)
    .exhaustive()

const entry = ([key, value]: readonly [string, Expression]): string =>
  `${JSON.stringify(key)}:${canonicalExpression(value)}`

const part = (one: Literal | Read): string => (one.kind === "literal" ? `=${canonical(one.value)}` : read(one))

function read(one: Read): string {
  const from = canonical([one.source, one.path])
  if (one.kind === "reference") return `$from${from}`
  const where = one.where.map(({ path, value }) => `${canonical(path)}:${part(value)}`).sort()
  return `$from${from}where{${where.join()}}pick${canonical(one.pick)}`
}

/** The expression given for a parameter. */
export function argumentOf(args: Expression, parameter: string): Expression | undefined {
  if (args.kind === "object") return args.entries.find(([key]) => key === parameter)?.[1]
  if (args.kind !== "literal") return undefined
  const value = args.value as { readonly [key: string]: Literal["value"] }
  return Object.hasOwn(value, parameter)
    ? { kind: "literal", at: args.at, value: value[parameter] as Literal["value"] }
    : undefined
}

/** The expression at a place in an expression: undefined where there is none, or where only the run can tell. */
export function expressionAt(whole: Expression, [token, ...rest]: readonly string[]): Expression | undefined {
  if (token === undefined) return whole
  if (whole.kind === "literal") {
    const value = valueAt(whole.value, formatPointer([token, ...rest]))
    return value === undefined ? undefined : { kind: "literal", at: whole.at, value }
  }
  const inner =
    whole.kind === "object"
      ? whole.entries.find(([key]) => key === token)?.[1]
      : whole.kind === "array"
        ? whole.items[Number(token)]
        : undefined
  return inner && expressionAt(inner, rest)
}
