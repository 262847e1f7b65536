/** How large a value is, and how much may be looked at: a short plan can name one long result a thousand times. */
import type { Bounds } from "../../text/bounds.ts"
import { jsonByteLength } from "../../text/byte-length.ts"
import type { Json, JsonObject } from "../../text/json.ts"

/** Values compared or put in place while one step of a run is looked at; eight bytes of text count as one more. */
export const workMax = 10_000_000

/** What is left of it; below zero there was too much. */
export interface Work {
  left: number
}

export interface Size {
  /** As JSON in UTF-8, without spaces. */
  readonly bytes: number
  readonly nodes: number
  readonly depth: number
}

/** Values looked at, for a value of this size. */
export const workOf = ({ bytes, nodes }: Size): number => nodes + Math.floor(bytes / 8)

/** Results and the literals of plans never change, and are measured more than once. */
const sizes = new WeakMap<object, Size>()

/** Below this, measuring again costs less than remembering. */
const rememberedNodes = 16

/** Measured until it is clear that it is more than `bytesMax`. */
export function measure(value: Json, bytesMax: number): Size {
  if (typeof value === "string") {
    const bytes = value.length > bytesMax ? value.length : jsonByteLength(value)
    return { bytes, nodes: 1, depth: 0 }
  }
  if (typeof value !== "object" || value === null) return { bytes: String(value).length, nodes: 1, depth: 0 }
  return sizes.get(value) ?? measureInside(value as JsonObject, bytesMax)
}

function measureInside(value: JsonObject, bytesMax: number): Size {
  const keys = Object.keys(value)
  const named = !Array.isArray(value)
  let bytes = 2 + Math.max(0, keys.length - 1)
  let nodes = 1
  let depth = 0
  for (const key of keys) {
    if (named) bytes += jsonByteLength(key) + 1
    const inner = measure(value[key] as Json, bytesMax - bytes)
    bytes += inner.bytes
    nodes += inner.nodes
    depth = Math.max(depth, inner.depth)
    if (bytes > bytesMax) return { bytes, nodes, depth: depth + 1 }
  }
  const size = { bytes, nodes, depth: depth + 1 }
  if (nodes > rememberedNodes) sizes.set(value, size)
  return size
}

/** What a value holds too much of: as a result would be refused for it. */
export function excessOf({ bytes, nodes, depth }: Size, bounds: Bounds): string | undefined {
  if (bytes > bounds.resultBytes) return sayBytes(bounds)
  if (nodes > bounds.nodes) return `more than ${bounds.nodes} values`
  return depth > bounds.depth ? `values nested more than ${bounds.depth} deep` : undefined
}

export const sayBytes = ({ resultBytes }: Bounds): string => `more than ${resultBytes} bytes as JSON`
