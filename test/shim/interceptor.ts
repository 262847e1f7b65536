/**
 * An interceptor for single tool calls, as it was before there was Sequitur: tools are registered one by one, a call is intercepted, a
 * breaker counts and is reset, hooks listen, and a provider's whole response can be handed over. All of it is the gate's work.
 */
import { defineCatalog, type ToolSpec } from "sequitur"
import {
  createGate,
  type Gate,
  type GateHooks,
  type ProposedCall,
  type Reason,
  reasonFor,
  verdictText,
} from "sequitur/gate"
import { memory, notApplied, toolbox } from "sequitur/run"
import { z } from "zod"

export interface RegisteredTool {
  readonly name: string
  readonly description?: string
  readonly schema: z.ZodObject
  /** Asks outside whether the call makes sense: true, or why not. */
  readonly validate?: (args: never) => boolean | string | Promise<boolean | string>
  readonly handler: (args: never) => unknown
  readonly timeoutMs?: number
}

export interface InterceptorOptions {
  readonly maxConsecutiveFailures?: number
  readonly coolDownMs?: number
  readonly hooks?: GateHooks
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

export type Intercepted =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly reason: Reason; readonly message: string }

type Handle<Handled> = (gate: Pick<Gate, "catalog" | "turn">, response: object) => Promise<Handled>

export interface Interceptor {
  readonly registerTool: (tool: RegisteredTool) => void
  readonly intercept: (call: ToolCall) => Promise<Intercepted>
  /** Closes the circuit of a tool, or all of them. */
  readonly reset: (tool?: string) => Promise<void>
  /** A response with any number of calls, by the `handle` of a provider's adapter. */
  readonly handle: <Handled>(by: Handle<Handled>, response: object) => Promise<Handled>
  readonly close: () => Promise<void>
}

export function createInterceptor({
  maxConsecutiveFailures = 3,
  coolDownMs,
  hooks = {},
}: InterceptorOptions = {}): Interceptor {
  const registered = new Map<string, RegisteredTool>()
  const asked = new Map<string, string[]>()
  let opened: Promise<Gate> | undefined
  const gate = (): Promise<Gate> => {
    opened ??= open(registered, { maxConsecutiveFailures, hooks, ...(coolDownMs === undefined ? {} : { coolDownMs }) })
    return opened
  }
  /** It knew of no effect that is made but once: the same call by another id was another call. */
  const again = (call: ProposedCall): ProposedCall => {
    const key = `${call.tool} ${typeof call.args === "string" ? call.args : JSON.stringify(call.args)}`
    const ids = asked.get(key) ?? []
    asked.set(key, ids)
    if (!ids.includes(call.callId)) ids.push(call.callId)
    const occurrence = ids.indexOf(call.callId) + 1
    return occurrence > 1 ? { ...call, occurrence } : call
  }
  return {
    registerTool: (tool) => {
      if (opened !== undefined) throw new Error("tools are registered before the first call")
      if (registered.has(tool.name)) throw new Error(`\`${tool.name}\` is registered already`)
      registered.set(tool.name, tool)
    },
    intercept: async ({ id, name, arguments: args }) => {
      const { turn, catalog } = await gate()
      const [verdict] = await turn([again({ callId: id, tool: name, args })])
      if (verdict === undefined) throw new Error("each call has a verdict")
      if (verdict.kind === "accepted") return { ok: true, result: verdict.result }
      return { ok: false, reason: reasonFor(verdict) ?? "validation", message: verdictText(verdict, { catalog }) }
    },
    reset: async (tool) => (await gate()).reset(tool),
    handle: async (by, response) => {
      const { turn, catalog } = await gate()
      return by({ catalog, turn: (calls) => turn(calls.map(again)) }, response)
    },
    close: async () => void (await (await gate()).close()),
  }
}

function open(
  registered: ReadonlyMap<string, RegisteredTool>,
  { maxConsecutiveFailures: tool = 0, ...options }: InterceptorOptions,
): Promise<Gate> {
  const tools = [...registered.values()]
  const catalog = defineCatalog({
    name: "interceptor",
    version: "1",
    tools: Object.fromEntries(tools.map((tool) => [tool.name, specOf(tool)])),
  })
  const handlers = tools.map(({ name, handler, validate }) => {
    const call = async (args: never): Promise<unknown> => {
      try {
        return (await handler(args)) ?? null
      } catch (error) {
        // It took a handler that throws for one that has done nothing.
        throw notApplied(error instanceof Error ? error.message : "failed")
      }
    }
    return [name, validate === undefined ? call : { call, validate }] as const
  })
  return createGate({
    catalog,
    tools: toolbox(catalog, Object.fromEntries(handlers) as never),
    store: memory(),
    principal: { tenant: "default", subject: "agent" },
    session: "interceptor",
    task: "interceptor",
    maxConsecutiveFailures: { tool, session: 0 },
    ...options,
  } as never) as Promise<Gate>
}

const specOf = ({ name, description = name, schema, validate, timeoutMs }: RegisteredTool): ToolSpec =>
  ({
    description,
    effect: "write",
    params: schema,
    result: z.json(),
    idempotency: "natural",
    compensate: "none",
    ...(validate === undefined ? {} : { validate: true }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }) as ToolSpec
