/**
 * Vercel's AI SDK (5 and later), by `generateText` with the catalog's tools and one step at a time: they have no `execute`, so it stops
 * at their calls. Tools of the host that have one it calls itself, and those are left alone. What it cannot read, or knows no tool for,
 * it answers itself: the gate's answer takes that one's place. It has parsed the arguments by then: a key given twice is not seen
 * here. Streams are not read.
 */
import type { Catalog } from "../../catalog/catalog.ts"
import { demand } from "../../text/demand.ts"
import type { Json } from "../../text/json.ts"
import { whole } from "../form/leaf.ts"
import type { PlanSchema } from "../form/schema.ts"
import type { Planner } from "../propose/planner.ts"
import { type LibraryPlannerOptions, plannerBy, type Spoken, spokenOf, systemOf, textOf, usageOf } from "./ask.ts"
import { namesOf } from "./names.ts"
import { offersOf, type ToolsOptions } from "./offer.ts"
import { asValue, countIn, field, isMembers, isSomething, partsOf, textIn, withFields } from "./read.ts"
import {
  type Answered,
  answer,
  type Call,
  type CallGate,
  type Handled,
  type HandleOptions,
  handled,
  type Part,
  sayAgain,
  type Turn,
} from "./turn.ts"

/** By "Standard JSON Schema", which the SDK reads. It lets every value pass: they are held to the catalog by the gate. */
export interface AiSdkSchema {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: "sequitur"
    readonly validate: (value: unknown) => { readonly value: unknown }
    readonly jsonSchema: {
      readonly input: (options: object) => { [keyword: string]: unknown }
      readonly output: (options: object) => { [keyword: string]: unknown }
    }
  }
}

export interface AiSdkTool {
  description: string
  inputSchema: AiSdkSchema
  outputSchema: AiSdkSchema
}

export function toolsFor(catalog: Catalog, options: ToolsOptions = {}): { [name: string]: AiSdkTool } {
  // The SDK closes every object whose `additionalProperties` is a boolean.
  const style = { ...whole, portableKeys: true, open: {} }
  return Object.fromEntries(
    offersOf(catalog, options, style).map(({ name, description, parameters }) => [
      name,
      { description, inputSchema: schemaOf(parameters), outputSchema: schemaOf({}) },
    ]),
  )
}

/** A copy for each asking: the SDK writes into it. */
function schemaOf(schema: Json): AiSdkSchema {
  const give = () => structuredClone(schema) as { [keyword: string]: unknown }
  return {
    "~standard": {
      version: 1,
      vendor: "sequitur",
      validate: (value) => ({ value }),
      jsonSchema: { input: give, output: give },
    },
  }
}

export interface AiSdkResult {
  type: "tool-result"
  toolCallId: string
  toolName: string
  output: { type: "text" | "error-text"; value: string }
}

export interface AiSdkAnswer {
  role: "tool"
  content: AiSdkResult[]
}

export type MessageOf<Result> = Result extends { readonly responseMessages: ReadonlyArray<infer Message> }
  ? Message
  : Result extends { readonly response: { readonly messages: ReadonlyArray<infer Message> } }
    ? Message
    : { role: "assistant"; content: { type: "text"; text: string }[] }

export async function handle<Result>(
  gate: CallGate,
  result: Result,
  options: HandleOptions = {},
): Promise<Handled<MessageOf<Result> | AiSdkAnswer>> {
  const all = messagesIn(result)
  const unread = unreadIn(result, all, gate.catalog)
  const messages = withoutAnswers(all, unread)
  const turn = { ...readTurn(result, messages, unread), unheard: field(all.at(-1)?.source, "role") === "tool" }
  const { answers, verdicts } = await answer(gate, turn, options)
  const said = putBack(messages, sayAgain(turn, answers, mend)) as readonly MessageOf<Result>[]
  const content = answers.map(
    ({ id, name, text, failed }): AiSdkResult => ({
      type: "tool-result",
      toolCallId: id,
      toolName: name,
      output: { type: failed ? "error-text" : "text", value: text },
    }),
  )
  const told = content.length === 0 ? [] : [{ role: "tool" as const, content }]
  return handled(turn, textIn(result, "text") ?? "", verdicts, [...said, ...told], result)
}

interface Message {
  readonly source: object
  readonly parts: readonly object[]
}

function messagesIn(result: unknown): readonly Message[] {
  const own = field(result, "responseMessages")
  return partsOf(isSomething(own) ? own : field(field(result, "response"), "messages"))
    .filter(isSomething)
    .map((source) => ({ source, parts: partsOf(field(source, "content")).filter(isSomething) }))
}

/** By their ids, as the model wrote them. */
type Unread = ReadonlyMap<unknown, unknown>

/** Calls of the catalog's tools, or of none, that the SDK has answered with an error, and the model has not seen the answer of. */
function unreadIn(result: unknown, messages: readonly Message[], catalog: Catalog): Unread {
  const last = messages.at(-1)
  const unread = new Map<unknown, unknown>()
  if (field(last?.source, "role") !== "tool") return unread
  const { toCatalog } = namesOf(catalog)
  for (const call of partsOf(field(result, "toolCalls"))) {
    if (field(call, "invalid") !== true || field(call, "providerExecuted") === true) continue
    const [id, name] = [field(call, "toolCallId"), textIn(call, "toolName") ?? ""]
    const isOurs = catalog.tools.has(toCatalog(name)) || textIn(field(call, "error"), "name") === "AI_NoSuchToolError"
    const parts = messages.flatMap(({ parts }) => parts).filter((part) => field(part, "toolCallId") === id)
    // Once called and once answered: of an id that stands twice nobody can say which is meant.
    if (isOurs && parts.length === 2 && last?.parts.some((part) => isAnswer(part, id)))
      unread.set(id, field(call, "input"))
  }
  return unread
}

const isAnswer = (part: object, id: unknown): boolean =>
  field(part, "type") === "tool-result" && field(part, "toolCallId") === id

function withoutAnswers(messages: readonly Message[], unread: Unread): readonly Message[] {
  if (unread.size === 0) return messages
  return messages.flatMap((message) => {
    if (field(message.source, "role") !== "tool") return [message]
    const parts = message.parts.filter((part) => ![...unread.keys()].some((id) => isAnswer(part, id)))
    if (parts.length === message.parts.length) return [message]
    return parts.length === 0 ? [] : [{ source: withFields(message.source, { content: parts }), parts }]
  })
}

function readTurn(result: unknown, messages: readonly Message[], unread: Unread): Turn {
  const answered = new Map<unknown, number>()
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (field(part, "type") !== "tool-result") continue
    const id = field(part, "toolCallId")
    answered.set(id, (answered.get(id) ?? 0) + 1)
  }
  const parts = messages
    .flatMap(({ source, parts }) => parts.map((part) => ({ part, from: field(source, "role") })))
    .map(({ part: source, from }): Part => {
      const call = from === "assistant" ? readCall(source) : undefined
      const left = call === undefined ? 0 : (answered.get(call.id) ?? 0)
      if (left > 0) answered.set(call?.id, left - 1)
      if (call === undefined || left > 0) return { source, call: undefined }
      return { source, call: unread.has(call.id) ? { ...call, args: unread.get(call.id) } : call }
    })
  return { parts, ending: endingOf(result, messages), responseId: textIn(field(result, "response"), "id") }
}

function readCall(part: object): Call | undefined {
  if (field(part, "type") !== "tool-call" || field(part, "providerExecuted") === true) return undefined
  return { id: field(part, "toolCallId"), name: field(part, "toolName"), args: asValue(field(part, "input")) }
}

function endingOf(result: unknown, messages: readonly Message[]): Turn["ending"] {
  const reason = field(result, "finishReason")
  if (reason === "length") return "cut-short"
  if (reason === "content-filter") return "refused"
  if (messages.length === 0 && textIn(result, "text") === undefined) return "failed"
  return reason === "stop" || reason === "tool-calls" || reason === undefined ? undefined : "failed"
}

/** Messages as they came, but for those of whose calls one was written anew. */
function putBack(messages: readonly Message[], said: readonly unknown[]): readonly unknown[] {
  let from = 0
  return messages.map(({ source, parts }) => {
    const own = said.slice(from, from + parts.length)
    from += parts.length
    return own.every((part, index) => part === parts[index])
      ? source
      : withFields(source, { role: "assistant", content: own })
  })
}

function mend(source: object, { args }: Call, { id, name, intact }: Answered): unknown {
  const whole = isMembers(args)
  if (intact && whole) return source
  return withFields(source, { type: "tool-call", toolCallId: id, toolName: name, input: whole ? args : {} })
}

export interface AiSdkRequest {
  messages: Spoken[]
  instructions?: string
  maxOutputTokens?: number
  abortSignal: AbortSignal
}

export interface AiSdkPlannerOptions<Held extends PlanSchema | undefined = undefined>
  extends LibraryPlannerOptions<AiSdkRequest, AiSdkSchema, Held> {
  readonly maxTokens?: number
}

/**
 * `send: (request) => generateText({ model, ...request })`; before version 7 the SDK has `system` where `instructions` is. With a
 * schema: `(request, { schema }) => generateText({ model, ...request, output: Output.object({ schema, name: "plan" }) })`.
 */
export function planner<Held extends PlanSchema | undefined = undefined>(options: AiSdkPlannerOptions<Held>): Planner {
  const { send, schema, maxTokens } = options
  const held = (schema && schemaOf(schema.schema)) as Held extends PlanSchema ? AiSdkSchema : undefined
  demand(typeof send === "function", "`send` must be a function that sends a request")
  return plannerBy(
    {
      send: async (request: AiSdkRequest, { signal }) => {
        try {
          return await send(request, { signal, schema: held })
        } catch (error) {
          return unparsed(error)
        }
      },
    },
    (messages, abortSignal): AiSdkRequest => {
      const system = systemOf(messages)
      return {
        messages: [...spokenOf(messages)],
        abortSignal,
        ...(system === "" ? {} : { instructions: system }),
        ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
      }
    },
    (result) => {
      const usage = field(result, "usage")
      return {
        text: textOf(field(result, "output")) ?? textOf(field(result, "object")) ?? textIn(result, "text") ?? "",
        ending: endingOf(result, messagesIn(result)) ?? "finished",
        usage: usageOf([countIn(usage, "inputTokens")], [countIn(usage, "outputTokens")]),
      }
    },
  )
}

/** What is no JSON the SDK throws, with the text, the usage and the reason on the error: it is an answer like any other. */
function unparsed(error: unknown): unknown {
  if (textIn(error, "name") === "AI_NoObjectGeneratedError" && textIn(error, "text") !== undefined) return error
  throw error
}
