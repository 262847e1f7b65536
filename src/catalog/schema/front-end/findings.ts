/** What a front-end finds on its way through a schema, besides the shape. */
import { escapeHidden } from "../../../text/escape.ts"
import type { Pointer } from "../../../text/pointer.ts"
import { type Effort, startEffort } from "../effort.ts"
import { isAsynchronous, nameOfFunction } from "../named.ts"
import type { Closed, Notice, Role, SchemaFault } from "../schema.ts"
import type { PatternRule } from "../shape.ts"
import { type Formats, formats as fixed } from "./formats.ts"

export interface Findings {
  readonly role: Role
  /** The formats that are known. */
  readonly formats: Formats
  readonly faults: SchemaFault[]
  readonly closed: Closed[]
  readonly notices: Notice[]
  /** What authors say of places, in words. */
  readonly descriptions: Description[]
  /** Places that are marked as secrets; and those from which a schema leads back to itself, and would mark places without end. */
  readonly sensitive: Pointer[]
  readonly returns: Pointer[]
  /** Names and versions of the author's functions, and what the catalog's own formats ask. */
  readonly functions: Set<string>
  /** The refinements among them, by the place that they judge. */
  readonly refinements: Refinement[]
  /** TypeBox's kinds of the host's, as its registry has them now. */
  readonly kinds: Map<string, KindCheck>
  /** Every regular expression of the author's. */
  readonly patterns: FoundPattern[]
  /** A schema holds itself: the shape says less of it than there is. */
  recursive: boolean
  /** The schemas that the way leads through: to meet one of them again is recursion. */
  readonly way: Set<unknown>
  /** What lowering may do yet. */
  readonly effort: Effort
  /** Schemas visited so far. */
  parts: number
}

export interface Refinement {
  readonly at: Pointer
  readonly name: string
}

export interface Description {
  readonly at: Pointer
  readonly text: string
}

export type KindCheck = (schema: unknown, value: unknown) => unknown

export interface FoundPattern {
  readonly rule: PatternRule
  readonly at: Pointer
  /** Only the author's validator asks it: the shape does not hold the text to a length before. */
  hidden: boolean
}

export const startFindings = (role: Role, formats: Formats = fixed, effort: Effort = startEffort()): Findings => ({
  role,
  formats,
  faults: [],
  closed: [],
  notices: [],
  descriptions: [],
  sensitive: [],
  returns: [],
  functions: new Set(),
  refinements: [],
  kinds: new Map(),
  patterns: [],
  recursive: false,
  way: new Set(),
  effort,
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

/** What is said of a pattern that cannot be read. */
export const notPattern = {
  problem: "is no regular expression with the flag `u`",
  remedy: "Escape only what has a meaning: with the flag `u`, `\\-` is an escape only inside `[…]`.",
} as const

/** How many schemas the way leads back to one that it has come through: that says which of them is met again. */
export const wayTo = (schema: unknown, { way }: Findings): number => [...way].reverse().indexOf(schema)

export function notePattern(findings: Findings, rule: PatternRule, at: Pointer, hidden = false): void {
  findings.patterns.push({ rule, at, hidden })
}

/** UTF-16 units of a description. What is longer is cut, and ends in `…`. */
const descriptionMax = 300

/** Words come from strangers, and end in prompts: they are kept on one line, nothing in them hidden. */
export function noteDescription(findings: Findings, at: Pointer, description: unknown): void {
  if (typeof description !== "string") return
  const text = escapeHidden(
    description
      .slice(0, 2 * descriptionMax)
      .replace(/\s+/g, " ")
      .trim(),
  )
  const isLong = text.length > descriptionMax || description.length > 2 * descriptionMax
  const cut = isLong ? `${text.slice(0, descriptionMax).toWellFormed()}…` : text
  if (cut !== "") findings.descriptions.push({ at, text: cut })
}

/** A mark that says neither yes nor no is a mistake: where it was meant as yes, a secret would be shown. */
export function noteSensitive(findings: Findings, at: Pointer, mark: unknown, keyword = "sensitive"): void {
  if (mark === true) findings.sensitive.push(at)
  else if (mark !== undefined && mark !== false) {
    const what = `\`${keyword}\` with a value that is neither true nor false`
    findings.faults.push({
      kind: "not-a-schema",
      at,
      what,
      problem: "marks nothing",
      remedy: `Write \`${keyword}: true\`.`,
    })
  }
}

/** What is found on the way is marked at this place as a whole: it has no place of its own. */
export function markWhole<Found>(findings: Findings, at: Pointer, look: () => Found): Found {
  const marked = findings.sensitive.length
  const found = look()
  if (findings.sensitive.splice(marked).length > 0) findings.sensitive.push(at)
  return found
}

/** The places that are marked. Nothing can be said of those in a schema that holds itself: where it is met again, all is. */
export const sensitiveIn = ({ sensitive, returns }: Findings): readonly Pointer[] =>
  sensitive.length === 0 ? [] : [...new Set([...sensitive, ...returns])].sort()

/** What is found on the way is of no use for the shape: nothing of it is closed or described, and its patterns are hidden. */
export function aside<Found>(findings: Findings, look: () => Found): Found {
  const closed = findings.closed.length
  const patterns = findings.patterns.length
  const descriptions = findings.descriptions.length
  const found = look()
  findings.closed.splice(closed)
  findings.descriptions.splice(descriptions)
  hideFrom(findings, patterns)
  return found
}

export function hideFrom(findings: Findings, index: number): void {
  for (const pattern of findings.patterns.slice(index)) pattern.hidden = true
}

/** Notes a function of the author's. Gives back its name for the shape, or undefined after noting a fault. */
export function noteFunction(fn: unknown, findings: Findings, at: Pointer, what: string): string | undefined {
  if (isAsynchronous(fn)) {
    findings.faults.push({ kind: "asynchronous", at, what })
    return undefined
  }
  const name = nameOfFunction(fn)
  if (name === undefined) findings.faults.push({ kind: "unnamed-function", at, what })
  else {
    findings.functions.add(name)
    findings.refinements.push({ at, name: name.slice(0, name.lastIndexOf("@")) })
  }
  return name?.replaceAll("\n", "\\n")
}
