/** What a front-end finds on its way through a schema, besides the shape. */
import type { Pointer } from "../../../text/pointer.ts"
import { isAsynchronous, nameOfFunction } from "../named.ts"
import type { Closed, Role, SchemaFault } from "../schema.ts"

export interface Findings {
  readonly role: Role
  readonly faults: SchemaFault[]
  readonly closed: Closed[]
  readonly functions: Set<string>
  /** The schemas that the way leads through: to meet one of them again is recursion. */
  readonly way: Set<unknown>
  /** Schemas visited so far. */
  parts: number
}

export const startFindings = (role: Role): Findings => ({
  role,
  faults: [],
  closed: [],
  functions: new Set(),
  way: new Set(),
  parts: 0,
})

/** Schemas inside one another, and in all. A schema that makes schemas while it is read never ends. */
const depthMax = 100
const partsMax = 10_000

/** Visits one more schema, unless it is on the way already or there are too many. */
export function visit<Lowered>(
  schema: unknown,
  findings: Findings,
  at: Pointer,
  end: Lowered,
  enter: () => Lowered,
): Lowered {
  findings.parts++
  if (findings.parts > partsMax || findings.way.size >= depthMax) {
    const what = `a schema of more than ${partsMax} parts, or nested more than ${depthMax} deep`
    if (!findings.faults.some((fault) => fault.what === what)) findings.faults.push({ kind: "not-a-schema", at, what })
    return end
  }
  findings.way.add(schema)
  const lowered = enter()
  findings.way.delete(schema)
  return lowered
}

/** Notes a function of the author's. Gives back its name for the shape, or undefined after noting a fault. */
export function noteFunction(fn: unknown, findings: Findings, at: Pointer, what: string): string | undefined {
  if (isAsynchronous(fn)) {
    findings.faults.push({ kind: "asynchronous", at, what })
    return undefined
  }
  const name = nameOfFunction(fn)
  if (name === undefined) findings.faults.push({ kind: "unnamed-function", at, what })
  else findings.functions.add(name)
  return name
}
