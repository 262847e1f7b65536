/**
 * How asking an MCP server ended, where it did not end well: a closed union, whatever the server is or does. Each says whether it is
 * proved that nothing has happened outside; where it is not, an effect is left in doubt.
 */
import { excerpt } from "../../run/call/describe.ts"
import { NotApplied } from "../../run/call/not-applied.ts"
import { type Drift, sayDrift } from "./pin.ts"

export type McpOutcome =
  /** There was no connection, so nothing was sent. */
  | { readonly kind: "unreachable"; readonly why: string }
  /** No answer within the time. */
  | { readonly kind: "no-answer"; readonly ms: number }
  /** The connection ended before the answer. */
  | { readonly kind: "closed"; readonly why: string }
  /** It answered that the request is to be made elsewhere, which it is not. */
  | { readonly kind: "redirected"; readonly status: number }
  /** The host or the run gave up waiting. */
  | { readonly kind: "cancelled" }
  /** An answer that is none by the protocol. */
  | { readonly kind: "wrong-shape"; readonly why: string }
  | { readonly kind: "too-large"; readonly bytes: number }
  /** The server answered with an error of the protocol. */
  | { readonly kind: "protocol-error"; readonly code: number; readonly why: string }
  /** The tool answered that it failed (`isError`). */
  | { readonly kind: "tool-error"; readonly why: string }
  /** Its list of tools has no end, or more than is allowed. */
  | { readonly kind: "endless-list"; readonly tools: number; readonly pages: number }
  /** The tool is not what it was when it was pinned. */
  | { readonly kind: "drift"; readonly drift: Drift }

/** What an error of the protocol proves by the specification: the request was not understood, so no tool was run. */
const notUnderstood: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601])

const provesNothingHappened = (outcome: McpOutcome): boolean =>
  outcome.kind === "unreachable" ||
  outcome.kind === "drift" ||
  (outcome.kind === "protocol-error" && notUnderstood.has(outcome.code))

/** Thrown where it is not known whether the tool has done its work: an effect is then in doubt. */
export class McpFailure extends Error {
  override readonly name = "McpFailure"
  readonly outcome: McpOutcome

  constructor(message: string, outcome: McpOutcome) {
    super(message)
    this.outcome = outcome
  }
}

/** Thrown where it is proved that nothing has happened. */
export class McpRefused extends NotApplied {
  readonly outcome: McpOutcome

  constructor(message: string, outcome: McpOutcome) {
    super(message, {})
    this.outcome = outcome
  }
}

/** The live tool is not the one that the operator has mapped: it was not called. */
export class ToolDrift extends McpRefused {
  readonly tool: string

  constructor(server: string, tool: string, drift: Drift) {
    super(
      `ToolDrift: \`${tool}\` of MCP server \`${server}\` ${sayDrift(drift)}; it was not called (\`sequitur mcp diff\` shows what has changed)`,
      {
        kind: "drift",
        drift,
      },
    )
    this.tool = tool
  }
}

/** `notApplied`: by the operator's word, what the tool answers as an error means that nothing has happened. */
export function fail(server: string, outcome: McpOutcome, notApplied = false): McpFailure | McpRefused {
  const message = `MCP server \`${server}\` ${sayOutcome(outcome)}`
  return notApplied || provesNothingHappened(outcome)
    ? new McpRefused(message, outcome)
    : new McpFailure(message, outcome)
}

export function sayOutcome(outcome: McpOutcome): string {
  switch (outcome.kind) {
    case "unreachable":
      return `could not be reached: ${outcome.why}`
    case "no-answer":
      return `did not answer within ${outcome.ms} ms`
    case "closed":
      return `closed the connection before it answered${outcome.why === "" ? "" : `: ${outcome.why}`}`
    case "redirected":
      return `redirects the request (HTTP ${outcome.status}); that is not followed`
    case "cancelled":
      return "was not waited for any longer"
    case "wrong-shape":
      return `answered with what is no answer by the protocol: ${outcome.why}`
    case "too-large":
      return `answered with more than ${outcome.bytes} bytes`
    case "protocol-error":
      return `answered with error ${outcome.code}: ${outcome.why}`
    case "tool-error":
      return `says that the tool failed: ${outcome.why}`
    case "endless-list":
      return `lists more tools than are taken: ${outcome.tools} on ${outcome.pages} pages, and more to come`
    case "drift":
      return `has changed a tool: it ${sayDrift(outcome.drift)}`
  }
}

/** Words of a server, safe to print and cut. */
export const quoteServer = (text: string): string => excerpt(text.trim().replace(/\s+/g, " "))
