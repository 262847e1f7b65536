/**
 * OpenAI's chat completions, and servers that speak like them. What is read and given back depends on the published shapes only, not
 * on the SDK. The first choice counts; streams and the deprecated `function_call` are not read.
 */
import type { Catalog } from "../../catalog/catalog.ts"
import type { JsonObject } from "../../text/json.ts"
import { whole } from "../form/leaf.ts"
import type { Planner } from "../propose/planner.ts"
import { type PlannerOptions, plannerBy, textOf, usageOf } from "./ask.ts"
import { offersOf, type ToolsOptions } from "./offer.ts"
import { asValue, countIn, field, isSomething, joined, partsOf, textIn } from "./read.ts"
import {
  type Answered,
  answer,
  type Call,
  type CallGate,
  type Handled,
  type HandleOptions,
  handled,
  sayAgain,
  type Turn,
} from "./turn.ts"

export interface ChatTool {
  type: "function"
  function: { name: string; description: string; parameters: { [keyword: string]: unknown }; strict: false }
}

/** Not strict: a strict schema would ask for null where an argument may be left out, and null is not nothing. */
export function toolsFor(catalog: Catalog, options: ToolsOptions = {}): ChatTool[] {
  return offersOf(catalog, options, { ...whole, portableKeys: true }).map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters, strict: false },
  }))
}

export interface ChatAnswer {
  role: "tool"
  tool_call_id: string
  content: string
}

/** The assistant's message of a response, as the host's SDK types it. */
export type ChatMessageOf<Response> = Response extends {
  readonly choices: ReadonlyArray<{ readonly message: infer M }>
}
  ? M
  : { role: "assistant"; content: string | null }

export async function handle<Response>(
  gate: CallGate,
  response: Response,
  options: HandleOptions = {},
): Promise<Handled<ChatMessageOf<Response> | ChatAnswer>> {
  const choice = choiceOf(response)
  const message = field(choice, "message")
  const turn = readTurn(response, choice, message)
  const { answers, verdicts } = await answer(gate, turn, options)
  const said = mend(message, turn, answers)
  const told = answers.map(({ id, text }): ChatAnswer => ({ role: "tool", tool_call_id: id, content: text }))
  const messages = [...(said === undefined ? [] : [said as ChatMessageOf<Response>]), ...told]
  return handled(turn, wordsOf(message), verdicts, messages, response)
}

const choiceOf = (response: unknown): unknown => partsOf(field(response, "choices"))[0]

function readTurn(response: unknown, choice: unknown, message: unknown): Turn {
  const parts = partsOf(field(message, "tool_calls")).filter(isSomething)
  return {
    parts: parts.map((source) => ({ source, call: readCall(source) })),
    ending: endingOf(choice, message),
    responseId: textIn(response, "id"),
    words: wordsOf(message),
  }
}

function readCall(source: object): Call {
  const id = field(source, "id")
  // A custom tool is none of the catalog's: its input is a text, and no object of arguments.
  if (field(source, "type") === "custom") {
    const custom = field(source, "custom")
    return { id, name: field(custom, "name"), args: asValue(field(custom, "input")) }
  }
  const called = field(source, "function")
  return { id, name: field(called, "name"), args: field(called, "arguments") }
}

function endingOf(choice: unknown, message: unknown): Turn["ending"] {
  if (!isSomething(message)) return "failed"
  const reason = field(choice, "finish_reason")
  if (reason === "length") return "cut-short"
  if (reason === "content_filter" || textIn(message, "refusal")) return "refused"
  const whole = reason === "stop" || reason === "tool_calls" || reason === undefined || reason === null
  return whole ? undefined : "failed"
}

function wordsOf(message: unknown): string {
  const content = field(message, "content")
  const texts = typeof content === "string" ? [content] : partsOf(content).map((part) => textIn(part, "text"))
  return joined([...texts, textIn(message, "refusal")])
}

/**
 * As it came, unless one of its calls could not go back as it is: then the list of calls is written anew. None where there is nothing
 * in it: that is not taken back.
 */
function mend(message: unknown, turn: Turn, answers: readonly Answered[]): unknown {
  if (!isSomething(message)) return undefined
  const calls = sayAgain(turn, answers, mendCall)
  const whole = partsOf(field(message, "tool_calls")).length === calls.length && field(message, "role") === "assistant"
  if (whole && turn.parts.every(({ source }, index) => source === calls[index]))
    return calls.length > 0 || wordsOf(message) !== "" || isSomething(field(message, "audio")) ? message : undefined
  const list = calls.length === 0 ? {} : { tool_calls: calls }
  return { role: "assistant", content: textIn(message, "content") ?? null, ...list }
}

function mendCall(source: object, { args }: Call, { id, name, intact }: Answered): unknown {
  if (intact && (typeof args === "string" || isSomething(field(source, "custom")))) return source
  return {
    id,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : (textOf(args) ?? "{}") },
  }
}

export interface ChatRequest {
  model: string
  messages: { role: "system" | "user" | "assistant"; content: string }[]
  max_completion_tokens?: number
  response_format?: {
    type: "json_schema"
    json_schema: { name: string; schema: { [keyword: string]: unknown }; strict: true }
  }
}

export function planner(options: PlannerOptions<ChatRequest>): Planner {
  const { model, schema, maxTokens } = options
  const format = schema === undefined ? {} : { response_format: formatOf(schema.schema) }
  const limit = maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }
  return plannerBy(
    options,
    (messages) => ({ model, messages: messages.map(({ role, content }) => ({ role, content })), ...limit, ...format }),
    (response) => {
      const choice = choiceOf(response)
      const message = field(choice, "message")
      const usage = field(response, "usage")
      return {
        text: wordsOf(message),
        ending: endingOf(choice, message) ?? "finished",
        usage: usageOf([countIn(usage, "prompt_tokens")], [countIn(usage, "completion_tokens")]),
      }
    },
  )
}

const formatOf = (schema: JsonObject): NonNullable<ChatRequest["response_format"]> => ({
  type: "json_schema",
  json_schema: { name: "plan", schema: { ...schema }, strict: true },
})
