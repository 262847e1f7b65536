/**
 * A schema in words: each place in its values, with what stands there and whether a plan may count on it. `*` is any
 * index or key. Each object of a union is told apart.
 */
import { Kind } from "@sinclair/typebox"
import { accepts } from "../catalog/schema/accept.ts"
import { unionOf } from "../catalog/schema/make.ts"
import type { Schema } from "../catalog/schema/schema.ts"
import {
  type ArrayShape,
  branchesOf,
  describe,
  type ObjectShape,
  type Shape,
  type TupleShape,
  typesOf,
} from "../catalog/schema/shape.ts"
import { escapeHidden } from "../text/escape.ts"
import { child, type Pointer, root } from "../text/pointer.ts"

/** Lines of one schema. */
const placesMax = 60
const depthMax = 8

/** Arguments are written: each object says what it asks. Values are read: what they are by then nobody knows yet. */
export function placesOf({ shape, descriptions }: Schema, of: "arguments" | "values" = "values"): readonly string[] {
  const writing: Writing = { of, descriptions, lines: [], known: new Map() }
  const isEmpty = branchesOf(shape).every((branch) => branch[Kind] === "Object" && isBare(branch))
  if (isEmpty && of === "arguments") return []
  addInside({ shape, whole: shape, presence: "certain" }, root, { depth: 0, indent: "" }, writing)
  const { lines } = writing
  if (lines.length === 0) return [`- ${wordsOf(shape)}`]
  return lines.length <= placesMax ? lines : [...lines.slice(0, placesMax), `- (${lines.length - placesMax} more)`]
}

interface Writing {
  readonly of: "arguments" | "values"
  readonly descriptions: Schema["descriptions"]
  readonly lines: string[]
  /** What was looked for in a value, by token: the objects of a union ask for the same. */
  readonly known: Map<Shape, Map<string, Part>>
}

/** There whatever the value; there or not, as the run will see; or left to be absent, so that no path may lead to it. */
type Presence = "certain" | "perhaps" | "optional"

interface Spot {
  /** What is told: one way that the value may be. */
  readonly shape: Shape
  /** All that the value may be. */
  readonly whole: Shape
  readonly presence: Presence
}

interface Level {
  readonly depth: number
  readonly indent: string
}

function addInside(spot: Spot, at: Pointer, level: Level, writing: Writing): void {
  if (level.depth === depthMax || isAnyJson(spot.shape)) return
  const branches = branchesOf(spot.shape)
  const objects = branches.filter((branch) => branch[Kind] === "Object")
  if (objects.length > 1) {
    for (const [index, object] of objects.entries()) {
      const way = `${index === 0 ? "either" : "or"}:${isBare(object) ? ` ${wordsOf(object)}` : ""}`
      writing.lines.push(`${level.indent}- ${at === root ? way : `${nameOf(at, writing)}, ${way}`}`)
      addParts([object], spot, at, { ...level, indent: `${level.indent}  ` }, writing)
    }
  } else addParts(objects, spot, at, level, writing)
  const arrays = branches.filter((branch) => branch[Kind] === "Array" || branch[Kind] === "Tuple")
  addParts(arrays, spot, at, level, writing)
}

/** Of one object, or of all arrays. */
function addParts(owners: readonly Owner[], spot: Spot, at: Pointer, level: Level, writing: Writing): void {
  for (const token of new Set(owners.flatMap(tokensOf))) {
    const told = lookFor(token, owners)
    const found = lookForAny(token, spot.whole, writing)
    const presence = weaker(spot.presence, found.presence)
    const place = child(at, token)
    const mark = writing.of === "values" ? marks[presence] : told.presence === "certain" ? "" : leftOut(token)
    const words = writing.descriptions.get(place)
    const said = `${wordsOf(told.shape)}${keysOf(owners, token)}${mark}${words === undefined ? "" : `. ${words}`}`
    writing.lines.push(`${level.indent}- ${nameOf(place, writing)}: ${said}`)
    const next = { depth: level.depth + 1, indent: level.indent }
    addInside({ shape: told.shape, whole: found.shape, presence }, place, next, writing)
  }
}

type Owner = ObjectShape | ArrayShape | TupleShape

const anywhere = "*"

const marks: Readonly<Record<Presence, string>> = {
  certain: "",
  perhaps: " (if it is there)",
  optional: " (may be absent)",
}

/** Of free keys and items that is understood. */
const leftOut = (token: string): string => (token === anywhere ? "" : " (may be left out)")

function tokensOf(owner: Owner): readonly string[] {
  switch (owner[Kind]) {
    case "Object":
      return [...Object.keys(owner.properties), ...(typeof owner.additionalProperties === "object" ? [anywhere] : [])]
    case "Array":
      return [anywhere]
    case "Tuple":
      return [...(owner.items ?? []).keys()].map(String).concat(owner.additionalItems ? [anywhere] : [])
  }
}

interface Part {
  readonly shape: Shape
  readonly presence: Presence
}

function lookForAny(token: string, whole: Shape, { known }: Writing): Part {
  const parts = known.get(whole) ?? new Map<string, Part>()
  known.set(whole, parts)
  const part = parts.get(token) ?? lookFor(token, branchesOf(whole))
  parts.set(token, part)
  return part
}

/** What stands there in those that have it: in those where it is left to be absent, only if there are no others. */
function lookFor(token: string, branches: readonly Shape[]): Part {
  const ways = branches.map((branch) => partOf(token, branch))
  const there = ways.filter((way) => way !== undefined && way.presence !== "optional")
  const chosen = (there.length > 0 ? there : ways).filter((way) => way !== undefined)
  const shape = (chosen.length === 1 ? chosen[0]?.shape : undefined) ?? unionOf(chosen.map((way) => way.shape))
  if (there.length === 0) return { shape, presence: "optional" }
  return { shape, presence: ways.every((way) => way?.presence === "certain") ? "certain" : "perhaps" }
}

function partOf(token: string, shape: Shape): Part | undefined {
  switch (shape[Kind]) {
    case "Object":
      return propertyOf(token, shape)
    // That there may be no such item is so of every array, and is said once.
    case "Array":
      if (token === anywhere) return { shape: shape.items, presence: "certain" }
      if (!isIndex(token) || Number(token) >= (shape.maxItems ?? Infinity)) return undefined
      return { shape: shape.items, presence: Number(token) < (shape.minItems ?? 0) ? "certain" : "perhaps" }
    case "Tuple": {
      const rest = shape.additionalItems || undefined
      const item = token === anywhere ? rest : isIndex(token) ? (shape.items?.[Number(token)] ?? rest) : undefined
      const sure = token === anywhere || Number(token) < shape.minItems
      return item && { shape: item, presence: sure ? "certain" : "perhaps" }
    }
    case "Unknown":
      return { shape, presence: "perhaps" }
    default:
      return undefined
  }
}

function propertyOf(token: string, shape: ObjectShape): Part | undefined {
  const { properties, required, additionalProperties: free, propertyNames: names } = shape
  const property = Object.hasOwn(properties, token) ? properties[token] : undefined
  if (property !== undefined) return { shape: property, presence: required?.includes(token) ? "certain" : "optional" }
  const taken = token === anywhere || names === undefined || accepts(names, token)
  return typeof free === "object" && taken ? { shape: free, presence: "perhaps" } : undefined
}

const isIndex = (token: string): boolean => /^(?:0|[1-9][0-9]*)$/.test(token)

const weaker = (one: Presence, other: Presence): Presence =>
  [one, other].includes("optional") ? "optional" : [one, other].includes("perhaps") ? "perhaps" : "certain"

/** What free keys must look like. */
function keysOf(owners: readonly Owner[], token: string): string {
  const names = owners.flatMap((owner) =>
    owner[Kind] === "Object" && owner.propertyNames ? [owner.propertyNames] : [],
  )
  return token === anywhere && names.length > 0 ? `, by keys that are each ${wordsOf(unionOf(names))}` : ""
}

/** No place in it is told. */
const isBare = ({ properties, additionalProperties }: ObjectShape): boolean =>
  Object.keys(properties).length === 0 && typeof additionalProperties !== "object"

/** A recursive schema, or one of JSON itself: there is no end to what stands in it. */
function isAnyJson(shape: Shape): boolean {
  const branches = branchesOf(shape)
  return branches.length > 1 && typesOf(shape).size === 6 && branches.every(isLoose)
}

function isLoose(shape: Shape): boolean {
  switch (shape[Kind]) {
    case "Array":
      return shape.items[Kind] === "Unknown" || isAnyJson(shape.items)
    case "Object": {
      const free = shape.additionalProperties
      return isBare({ ...shape, additionalProperties: false }) && (typeof free !== "object" || free[Kind] === "Unknown")
    }
    default:
      return true
  }
}

function wordsOf(shape: Shape): string {
  if (isAnyJson(shape)) return shape.opaque === undefined ? "any value" : "any value that its schema takes"
  if (shape[Kind] === "Object" && isBare(shape) && shape.additionalProperties === false) return "an empty object"
  return line(describe(shape), 600)
}

const nameOf = (at: Pointer, { of }: Writing): string => line(of === "arguments" ? at.slice(1) : at)

/** On one line, nothing hidden, not too long. */
export function line(text: string, length = 200): string {
  const flat = escapeHidden(text.replace(/\s+/g, " ").trim())
  return flat.length > length ? `${flat.slice(0, length).toWellFormed()}…` : flat
}
