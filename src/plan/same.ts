/** One text for each expression: equal texts are equal values in every run, because results never change. */
import { match } from "ts-pattern"
import { valueAt } from "../diagnostic/patch.ts"
import { canonical } from "../text/canonical.ts"
import { formatPointer } from "../text/pointer.ts"
import { textOf } from "./expression.ts"
import type { Concat, Expression, Literal, Read } from "./plan.ts"

/**
 * Literals begin with `=`, holes with `$`, so that no data can pass for a reference. Where a read is known to give a string,
 * it is no other thing for standing alone in a `$concat`.
 */
export const canonicalExpression = (expression: Expression, isText: (read: Read) => boolean = () => false): string =>
  match(expression)
    .with({ kind: "literal" }, ({ value }) => `=${canonical(value)}`)
    .with({ kind: "object" }, ({ entries }) => {
      const members = entries.map(([key, value]) => `${JSON.stringify(key)}:${canonicalExpression(value, isText)}`)
      return `{${members.sort().join()}}`
    })
    .with({ kind: "array" }, ({ items }) => `[${items.map((item) => canonicalExpression(item, isText)).join()}]`)
    .with({ kind: "concat" }, ({ parts }) => {
      const joined = join(parts)
      const [only] = joined
      return joined.length === 1 && typeof only === "object" && isText(only)
        ? read(only)
        : `$concat(${joined.map((one) => (typeof one === "string" ? `=${canonical(one)}` : read(one))).join()})`
    })
    .with({ kind: "reference" }, { kind: "selection" }, read)
    .with({ kind: "broken" }, ({ at }) => `$broken(${at})`)
    .exhaustive()

/** However the text between two reads is cut up, it is one text; and none where it is empty. */
function join(parts: Concat["parts"]): readonly (string | Read)[] {
  const joined: (string | Read)[] = []
  for (const one of parts) {
    const text = one.kind === "literal" ? textOf(one.value) : one
    const last = joined.at(-1)
    if (typeof text === "string" && typeof last === "string") joined[joined.length - 1] = last + text
    else if (text !== undefined && text !== "") joined.push(text)
  }
  return joined
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
