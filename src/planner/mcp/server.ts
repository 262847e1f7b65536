/**
 * The tools of one MCP server as handlers. Connected when the first is called; its tools are listed once a connection, and again when
 * it says that they have changed, and each call is held against its pin before anything is sent.
 */

import type { CallContext } from "../../run/toolbox.ts"
import { isObject, type Json, type JsonObject } from "../../text/json.ts"
import { readContent } from "./content.ts"
import { type Asked, connect, type Link } from "./link.ts"
import { type Listed, type ListedTool, readListed } from "./listed.ts"
import { fail, type McpOutcome, quoteServer, ToolDrift } from "./outcome.ts"
import { findDrift, type McpPins, type Pin } from "./pin.ts"
import { type McpLimits, type McpPlace, type McpProtocol, readLimits } from "./place.ts"

export interface McpServerOptions {
  readonly protocol?: McpProtocol
  readonly limits?: McpLimits
  /**
   * Tools, by the catalog's names, of which the operator knows that an error they answer with means that nothing has happened.
   * Of any other an effect is then in doubt: by the protocol, a tool may fail after it has done its work.
   */
  readonly errorsProve?: readonly string[]
  /** Hears of every call that did not end well, and why. It can neither fail nor delay one. */
  readonly onOutcome?: (event: { readonly server: string; readonly tool: string; readonly outcome: McpOutcome }) => void
}

export interface McpServer {
  readonly pins: McpPins
  readonly handlers: { readonly [name: string]: McpHandler }
  /** Hangs up; of a program, ends it. The next call connects anew. */
  readonly close: () => Promise<void>
}

export type McpHandler = (args: JsonObject, context: CallContext) => Promise<Json>

/** Under which the idempotency key of an effect is told to the server, in `_meta`. */
export const keyMeta = "sequitur/idempotency-key"

/** How often a list is asked for that changes while it is given. */
const listings = 4

interface Live {
  readonly link: Link
  listed: Promise<Asked<Listed>> | undefined
}

/** Nothing is begun yet. Throws a `TypeError` for options that are none. */
export function mcpServer(pins: McpPins, place: McpPlace, options: McpServerOptions = {}): McpServer {
  const limits = readLimits(options.limits)
  const { server } = pins
  const unknown = (options.errorsProve ?? []).filter((name) => !Object.hasOwn(pins.tools, name))
  if (unknown.length > 0)
    throw new TypeError(`\`errorsProve\` names ${unknown.join(", ")}, which \`pins\` does not have`)
  const proved = new Set(options.errorsProve)
  let live: Promise<Asked<Live>> | undefined

  const open = async (): Promise<Asked<Live>> => {
    let made: Live | undefined
    const onToolsChanged = (): void => {
      if (made !== undefined) made.listed = undefined
    }
    const asked = await connect(place, { protocol: options.protocol, limits, onToolsChanged })
    if (!asked.ok) return asked
    made = { link: asked.value, listed: undefined }
    return { ok: true, value: made }
  }
  /** The connection that stands, or a new one. */
  const reach = async (): Promise<Asked<Live>> => {
    const before = live
    if (before !== undefined) {
      const asked = await before
      if (asked.ok && asked.value.link.open) return asked
      if (live === before) live = undefined
    }
    live ??= open()
    return live
  }
  const list = async (one: Live, left = listings): Promise<Asked<Listed>> => {
    if (left === 0) return wrong("its tools change faster than they can be listed")
    one.listed ??= one.link
      .listTools()
      .then((asked): Asked<Listed> => (asked.ok ? { ok: true, value: readListed(asked.value) } : asked))
    const mine = one.listed
    const asked = await mine
    // A list that was not given is asked for again by the next call; one that has changed meanwhile, by this one.
    if (!asked.ok && one.listed === mine) one.listed = undefined
    return asked.ok && one.listed !== mine && one.listed === undefined ? list(one, left - 1) : asked
  }
  const report = (tool: string, outcome: McpOutcome): void => {
    const { onOutcome } = options
    if (onOutcome === undefined) return
    queueMicrotask(() => {
      try {
        onOutcome({ server, tool, outcome })
      } catch {
        // A hook can do nothing to a call.
      }
    })
  }
  const prepare = async (name: string, pin: Pin): Promise<{ readonly link: Link; readonly tool: ListedTool }> => {
    const reached = await reach()
    // Whatever goes wrong before the call is sent, nothing has happened.
    if (!reached.ok) throw fail(server, reached.outcome, true)
    const listed = await list(reached.value)
    if (!listed.ok) throw fail(server, listed.outcome, true)
    const drift = findDrift(pin, listed.value)
    const tool = listed.value.tools.find((one) => one.name === pin.name)
    if (drift !== undefined || tool === undefined) throw new ToolDrift(server, name, drift ?? { kind: "gone" })
    return { link: reached.value.link, tool }
  }
  const call =
    (name: string, pin: Pin): McpHandler =>
    async (args, { signal, idempotencyKey }) => {
      try {
        const ready = await unlessAborted(prepare(name, pin), signal)
        if (ready === "aborted") throw fail(server, { kind: "cancelled" }, true)
        const meta = idempotencyKey === undefined ? {} : { [keyMeta]: idempotencyKey }
        const asked = await ready.link.callTool(pin.name, args, meta, signal)
        if (!asked.ok) throw fail(server, asked.outcome, asked.outcome.kind === "protocol-error" && proved.has(name))
        const answer = readAnswer(asked.value, ready.tool)
        if (!answer.ok) throw fail(server, answer.outcome, answer.outcome.kind === "tool-error" && proved.has(name))
        return answer.value
      } catch (error) {
        if (error instanceof Error && "outcome" in error) report(name, error.outcome as McpOutcome)
        throw error
      }
    }
  return {
    pins,
    handlers: Object.fromEntries(Object.entries(pins.tools).map(([name, pin]) => [name, call(name, pin)])),
    close: async () => {
      const before = await live
      live = undefined
      if (before?.ok) await before.value.link.close()
    },
  }
}

/** Who waits may give up; what is being prepared is for the next one too, and goes on. */
async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | "aborted"> {
  promise.catch(() => undefined)
  if (signal.aborted) return "aborted"
  const { promise: aborted, resolve } = Promise.withResolvers<"aborted">()
  const stop = (): void => resolve("aborted")
  signal.addEventListener("abort", stop, { once: true })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", stop))
}

/** What a tool answered, as its catalog declares it: its structured content, or else what it says. */
function readAnswer(raw: unknown, { outputSchema }: ListedTool): Asked<Json> {
  if (!isObject(raw)) return wrong("no object")
  const { content, structuredContent, isError = false } = raw
  if (typeof isError !== "boolean") return wrong("`isError` is neither true nor false")
  const read = readContent(content)
  if (isError) return { ok: false, outcome: { kind: "tool-error", why: quoteServer(read?.text ?? "") || "no words" } }
  if (read === undefined) return wrong("`content` must be an array of parts, each with its `type`")
  if (outputSchema === undefined) return { ok: true, value: { ...read } }
  if (structuredContent !== undefined) return { ok: true, value: structuredContent as Json }
  // It has done its work, and has not said what it promised: null is no object, so the executor says both.
  if (outputSchema.type === "object") return { ok: true, value: null }
  return wrong("it declares an `outputSchema`, and gives no `structuredContent`")
}

const wrong = (why: string): { readonly ok: false; readonly outcome: McpOutcome } => ({
  ok: false,
  outcome: { kind: "wrong-shape", why },
})
