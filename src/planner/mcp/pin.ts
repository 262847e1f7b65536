/** What a tool was when the operator looked at it: digests of its parts, held against the live one before each call. */
import { sha256 } from "#sha256"
import { canonical } from "../../text/canonical.ts"
import type { JsonObject } from "../../text/json.ts"
import type { Listed } from "./listed.ts"

/** What of a tool says what a call of it means, to the planner and to the person who maps it. */
export const parts = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const
export type Part = (typeof parts)[number]

/** The server's own name of it, and a digest of each part that it has. */
export type Pin = { readonly name: string } & { readonly [P in Part]?: string }

/** Of one server, by the catalog's names of its tools. */
export interface McpPins {
  readonly server: string
  readonly tools: { readonly [name: string]: Pin }
}

export const pinOf = (name: string, tool: JsonObject): Pin => ({
  name,
  ...Object.fromEntries(
    parts.flatMap((part) => {
      const value = tool[part]
      return value === undefined ? [] : [[part, `sha256:${sha256(canonical(["sequitur-mcp-pin/1", part, value]))}`]]
    }),
  ),
})

/** How a tool differs from its pin. */
export type Drift =
  | { readonly kind: "gone" }
  | { readonly kind: "changed"; readonly parts: readonly Part[] }
  /** It is listed, but in a way in which it would not have been taken. */
  | { readonly kind: "refused"; readonly why: string }

/** Undefined where the live tool is the pinned one. */
export function findDrift(pin: Pin, { tools, refused }: Listed): Drift | undefined {
  const refusal = refused.find(({ name }) => name === pin.name)
  if (refusal !== undefined) return { kind: "refused", why: refusal.why }
  const live = tools.find(({ name }) => name === pin.name)
  if (live === undefined) return { kind: "gone" }
  const changed = parts.filter((part) => live.pin[part] !== pin[part])
  return changed.length === 0 ? undefined : { kind: "changed", parts: changed }
}

export function sayDrift(drift: Drift): string {
  switch (drift.kind) {
    case "gone":
      return "is not offered any more"
    case "changed":
      return `is not what it was when it was imported: its ${drift.parts.join(", ")} ${drift.parts.length === 1 ? "differs" : "differ"}`
    case "refused":
      return `is not offered in a form that can be taken: ${drift.why}`
  }
}

export interface PinDifference {
  /** By the catalog's names. */
  readonly drifted: readonly { readonly name: string; readonly drift: Drift }[]
  /** By the server's names. */
  readonly added: readonly string[]
}

/** What has become of a server's tools since they were pinned. */
export function diffPins(pins: McpPins, listed: Listed): PinDifference {
  const known = new Set(Object.values(pins.tools).map(({ name }) => name))
  return {
    drifted: Object.entries(pins.tools).flatMap(([name, pin]) => {
      const drift = findDrift(pin, listed)
      return drift === undefined ? [] : [{ name, drift }]
    }),
    added: listed.tools.filter(({ name }) => !known.has(name)).map(({ name }) => name),
  }
}
