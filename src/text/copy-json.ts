/** Takes a value that did not come as text (a plan built in code, a tool's result) into plain JSON of our own: copied, bounded,
 *  with nothing in it that can run, change or hide later. No getter, `toJSON` or iterator of the value is called; a proxy's traps
 *  are, and what they throw is a problem like any other. */
import { fitsBytes, jsonByteLength } from "./byte-length.ts"
import { type Json, setMember } from "./json.ts"
import { formatPointer, type Pointer } from "./pointer.ts"
import { isHostileKey, isLossyInteger } from "./token.ts"

export interface CopyBounds {
  readonly depth: number
  readonly nodes: number
  /** Bytes of one string in UTF-8. */
  readonly stringBytes?: number
  /** Bytes of the whole, written as JSON without spaces. */
  readonly bytes?: number
}

export interface CopyOptions {
  /** Which numbers are taken: `"safe"`, the default, those that a plan's text may hold; `"finite"` all that JSON can write. */
  readonly numbers?: "safe" | "finite"
  /** `"any"` takes half a surrogate pair, and U+0000 in a key, as they stand; the default takes what a plan's text may hold. */
  readonly strings?: "well-formed" | "any"
}

/** `problem` names what stands at `at`: "a function", "an instance of `Date`". */
export type Copied =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly at: Pointer; readonly problem: string }

/** An array or object being copied: its keys up to `next` are. */
interface Open {
  readonly source: object
  readonly keys: readonly string[]
  readonly copy: Json[] | Record<string, Json>
  next: number
}

interface Copier {
  readonly bounds: CopyBounds
  readonly numbers: "safe" | "finite"
  readonly strings: "well-formed" | "any"
  readonly open: Open[]
  nodes: number
  bytes: number
  problem: string | undefined
}

export function copyJson(value: unknown, bounds: CopyBounds, options: CopyOptions = {}): Copied {
  const { numbers = "safe", strings = "well-formed" } = options
  const copier: Copier = { bounds, numbers, strings, open: [], nodes: 0, bytes: 0, problem: undefined }
  const copy = read(copier, value)
  const { problem } = copier
  if (copy !== undefined && problem === undefined) return { ok: true, value: copy }
  const path = copier.open.map(({ keys, next }) => keys[next - 1] ?? "")
  return { ok: false, at: formatPointer(path), problem: problem ?? "no value" }
}

/** A proxy may answer with anything, or throw. Where it does, `open` says. */
function read(copier: Copier, value: unknown): Json | undefined {
  try {
    const copy = take(copier, value)
    let inside = copier.open.at(-1)
    while (inside !== undefined && copier.problem === undefined) {
      const key = inside.keys[inside.next]
      if (key === undefined) copier.open.pop()
      else copyMember(copier, inside, key)
      inside = copier.open.at(-1)
    }
    return copy
  } catch {
    return fail(copier, "an object that throws when it is read")
  }
}

function fail(copier: Copier, problem: string): undefined {
  copier.problem = problem
  return undefined
}

/** A scalar as it is; a new array or object, still to be filled; `undefined` where there is a problem. */
function take(copier: Copier, value: unknown): Json | undefined {
  copier.nodes++
  if (copier.nodes > copier.bounds.nodes) return failTooMany(copier)
  switch (typeof value) {
    case "object":
      return value === null ? spend(copier, 4, null) : enter(copier, value)
    case "string":
      return takeString(copier, value)
    case "number":
      return takeNumber(copier, value)
    case "boolean":
      return spend(copier, value ? 4 : 5, value)
    case "undefined":
      return fail(copier, "`undefined` (leave the key out, or say null)")
    case "bigint":
      return fail(copier, "a BigInt")
    default:
      return fail(copier, `a ${typeof value}`)
  }
}

const failTooMany = (copier: Copier): undefined => fail(copier, `more than ${copier.bounds.nodes} values`)

function spend<Value extends Json>(copier: Copier, bytes: number, value: Value): Value | undefined {
  copier.bytes += bytes
  const max = copier.bounds.bytes ?? Number.POSITIVE_INFINITY
  return copier.bytes > max ? fail(copier, `more than ${max} bytes as JSON`) : value
}

function takeString(copier: Copier, value: string): string | undefined {
  const { stringBytes, bytes } = copier.bounds
  if (stringBytes !== undefined && !fitsBytes(value, stringBytes)) {
    return fail(copier, `a string of more than ${stringBytes} bytes`)
  }
  // Counted only where there is a bound, and where the units alone do not break it.
  const length = bytes === undefined || value.length > bytes ? value.length : jsonByteLength(value)
  if (spend(copier, length, value) === undefined) return undefined
  return copier.strings === "any" || value.isWellFormed() ? value : fail(copier, "a string with half a surrogate pair")
}

function takeNumber(copier: Copier, value: number): number | undefined {
  if (!Number.isFinite(value)) return fail(copier, String(value))
  if (copier.numbers === "safe" && isLossyInteger(value)) return fail(copier, "an integer beyond 2^53-1")
  // -0 is 0 in canonical JSON, and so it is here.
  return spend(copier, String(value).length, value === 0 ? 0 : value)
}

function enter(copier: Copier, source: object): Json | undefined {
  const { depth } = copier.bounds
  if (copier.open.length >= depth) {
    return fail(copier, `a value that contains itself or is nested more than ${depth} deep`)
  }
  const isArray = Array.isArray(source)
  const keys = isArray ? indexesOf(copier, source) : keysOf(copier, source)
  if (keys === undefined || spend(copier, 2 + Math.max(0, keys.length - 1), true) === undefined) return undefined
  const copy: Json[] | Record<string, Json> = isArray ? [] : {}
  copier.open.push({ source, keys, copy, next: 0 })
  return copy
}

function indexesOf(copier: Copier, source: object): readonly string[] | undefined {
  const length: unknown = Reflect.getOwnPropertyDescriptor(source, "length")?.value
  // Before its keys are asked for: an array with holes may claim to be of any length.
  if (typeof length !== "number" || copier.nodes + length > copier.bounds.nodes) return failTooMany(copier)
  const keys = Reflect.ownKeys(source).filter((key) => key !== "length")
  if (keys.length < length) return fail(copier, "an array with holes")
  const indexes = keys.filter((key, index): key is string => key === String(index))
  return indexes.length === keys.length ? indexes : fail(copier, "an array with holes, or with keys of its own")
}

function keysOf(copier: Copier, source: object): readonly string[] | undefined {
  const prototype = Reflect.getPrototypeOf(source)
  if (prototype !== null && !isPlain(prototype)) return fail(copier, nameInstance(prototype))
  const keys = Reflect.ownKeys(source)
  if (copier.nodes + keys.length > copier.bounds.nodes) return failTooMany(copier)
  for (const key of keys) if (typeof key !== "string") return fail(copier, "a key that is a symbol")
  return keys as readonly string[]
}

/** Object.prototype, of this realm or another: test runners and sandboxes have their own. */
const isPlain = (prototype: object): boolean =>
  prototype === Object.prototype ||
  (Reflect.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf"))

/** The class an object is of, read off its prototype without running anything of it. */
function nameInstance(prototype: object): string {
  const maker: unknown = Reflect.getOwnPropertyDescriptor(prototype, "constructor")?.value
  const name: unknown = typeof maker === "function" ? Reflect.getOwnPropertyDescriptor(maker, "name")?.value : undefined
  return typeof name === "string" && /^[A-Za-z_$][\w$]{0,63}$/.test(name)
    ? `an instance of \`${name}\``
    : "an object with a prototype of its own"
}

function copyMember(copier: Copier, inside: Open, key: string): void {
  inside.next++
  const { copy } = inside
  if (!Array.isArray(copy) && !takeKey(copier, key)) return
  const found = readMember(copier, inside.source, key)
  const value = found === undefined ? undefined : take(copier, found.value)
  if (value === undefined) return
  if (Array.isArray(copy)) copy.push(value)
  else setMember(copy, key, value)
}

function readMember(copier: Copier, source: object, key: string): PropertyDescriptor | undefined {
  const member = Reflect.getOwnPropertyDescriptor(source, key)
  if (member === undefined) return fail(copier, "an object that changes while it is read")
  if (!("value" in member)) return fail(copier, "a getter or a setter")
  return member.enumerable ? member : fail(copier, "a hidden property")
}

function takeKey(copier: Copier, key: string): boolean {
  if (isHostileKey(key)) fail(copier, `the key \`${key}\``)
  else if (copier.strings === "well-formed" && key.includes("\0")) fail(copier, "a key with U+0000 in it")
  else if (takeString(copier, key) !== undefined) spend(copier, 1, true)
  return copier.problem === undefined
}
