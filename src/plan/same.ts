/** One text for each expression: equal texts are equal values in every run, because results never change. */
import { canonical } from "../text/canonical.ts"
import type { Expression, Literal, Read } from "./plan.ts"

/** Literals begin with `=`, holes with `$`, so that no data can pass for a reference. */
export function canonicalExpression(expression: Expression): string {
  switch (expression.kind) {
    case "literal":
      return `=${canonical(expression.value)}`
    case "object": {
      const entries = expression.entries.map(([key, value]) => [key, canonicalExpression(value)] as const)
      entries.sort(([a], [b]) => (a < b ? -1 : 1))
      return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`
    }
    case "array":
      return `[${expression.items.map(canonicalExpression).join()}]`
    case "concat":
      return `$concat(${expression.parts.map(part).join()})`
    case "reference":
    case "selection":
      return read(expression)
    case "broken":
      return `$broken(${expression.at})`
  }
}

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
