/** Where an MCP server is, and how much of it is put up with. */
import type { Transport } from "@modelcontextprotocol/client"

export type McpPlace =
  /** A program that speaks MCP on its standard input and output. It inherits a few harmless variables of the environment only. */
  | {
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
      readonly cwd?: string
    }
  /** Streamable HTTP. */
  | { readonly url: string | URL; readonly headers?: Readonly<Record<string, string>> }
  /** A transport that the host makes, for each connection anew: with OAuth, say. How much it takes in at once is its own affair. */
  | { readonly transport: () => Transport | Promise<Transport> }

/**
 * `legacy`: the revisions up to 2025-11-25, which begin with `initialize`. `auto` asks for 2026-07-28 first and falls back; a
 * program is then started twice, once to be asked. Default `legacy`.
 */
export type McpProtocol = "legacy" | "auto"

export interface McpLimits {
  /** Until a connection stands, in milliseconds. Default 10,000. */
  readonly connectMs?: number
  /** For each page of the list of tools. Default 10,000. */
  readonly listMs?: number
  /** For a call; the catalog's `timeoutMs` comes first. Default 300,000. */
  readonly callMs?: number
  /** Of one message, or of one answer over HTTP. Default 4 MiB. */
  readonly messageBytes?: number
  /** Of the list of tools. Default 50. */
  readonly pages?: number
  /** Default 500. */
  readonly tools?: number
}

export const defaultLimits: Required<McpLimits> = {
  connectMs: 10_000,
  listMs: 10_000,
  callMs: 300_000,
  messageBytes: 4_194_304,
  pages: 50,
  tools: 500,
}

/** Counts that are none are the host's mistake, told before anything is begun. */
export function readLimits(given: McpLimits = {}): Required<McpLimits> {
  const limits = { ...defaultLimits, ...given }
  for (const [name, value] of Object.entries(limits))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new TypeError(`\`limits.${name}\` must be a whole number, 1 or more`)
  return limits
}
