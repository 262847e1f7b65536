/**
 * OpenAI's Responses API. All output items go back as they came, reasoning among them; calls of functions and custom tools are
 * answered, and what the provider does itself (searches, code, MCP) is left alone. Calls of other tools that the host has offered
 * (computer, shell, patches, approvals of MCP) it answers itself: they stand in `left`. Streams are not read.
 */
import type { Catalog } from "../../catalog/catalog.ts"
import { whole } from "../form/leaf.ts"
import type { Planner } from "../propose/planner.ts"
import { type PlannerOptions, plannerBy, textOf, usageOf } from "./ask.ts"
import { offersOf, type ToolsOptions } from "./offer.ts"
import { asValue, countIn, field, isList, isSomething, joined, partsOf, textIn, withFields } from "./read.ts"
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
  unfinished,
} from "./turn.ts"

export interface ResponsesTool {
  type: "function"
  name: string
  description: string
  parameters: { [keyword: string]: unknown }
  strict: false
}

/** Not strict, and said so: here strict is the default, and would ask for null where an argument may be left out. */
export function toolsFor(catalog: Catalog, options: ToolsOptions = {}): ResponsesTool[] {
  return offersOf(catalog, options, { ...whole, portableKeys: true }).map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    parameters: { ...parameters },
    strict: false,
  }))
}

export interface ResponsesAnswer {
  type: "function_call_output" | "custom_tool_call_output"
  call_id: string
  output: string
}

/** The SDK's own types do not take back the two that are left out: they come from the host, and not from the model. */
export type ItemOf<Response> = Response extends { readonly output: ReadonlyArray<infer Item> }
  ? Exclude<Item, { readonly type: "computer_call_output" | "additional_tools" }>
  : { type: "function_call"; call_id: string; name: string; arguments: string }

/** With `previous_response_id` only those `messages` are to be sent whose type is `function_call_output` or `custom_tool_call_output`. */
export async function handle<Response>(
  gate: CallGate,
  response: Response,
  options: HandleOptions = {},
): Promise<Handled<ItemOf<Response> | ResponsesAnswer>> {
  const items = itemsOf(response)
  const turn: Turn = {
    parts: items.map((source) => ({ source, call: readCall(source) })),
    ending: endingOf(response),
    responseId: textIn(response, "id"),
    left: leftIn(items),
  }
  const { answers, verdicts } = await answer(gate, turn, options)
  const said = sayAgain(turn, answers, mend) as readonly ItemOf<Response>[]
  const asked = turn.parts.filter(({ call }) => call !== undefined).map(({ source }) => source)
  const told = answers.map(({ id, text }, index): ResponsesAnswer => {
    const caller = field(asked[index], "caller")
    const base = { type: isCustom(asked[index]) ? custom : functions, call_id: id, output: text } as const
    // A call that a program of the model's made says so, and so must its answer.
    return isSomething(caller) ? { ...base, ...{ caller } } : base
  })
  return handled(turn, wordsOf(items), verdicts, [...said, ...told], response)
}

const itemsOf = (response: unknown): readonly object[] => partsOf(field(response, "output")).filter(isSomething)

const functions = "function_call_output"
const custom = "custom_tool_call_output"

const isCustom = (item: unknown): boolean => field(item, "type") === "custom_tool_call"

const hostsOwn: ReadonlySet<unknown> = new Set([
  ...["computer_call", "local_shell_call", "shell_call", "apply_patch_call", "mcp_approval_request"],
])

/** What the provider has answered itself is not. A search of tools is the host's where it says so. */
function leftIn(items: readonly object[]): readonly object[] {
  const answered = new Set(
    items.filter((item) => textIn(item, "type")?.endsWith("_output")).map((item) => field(item, "call_id")),
  )
  return items.filter((item) => {
    const type = field(item, "type")
    const isHosts = hostsOwn.has(type) || (type === "tool_search_call" && field(item, "execution") === "client")
    const callId = field(item, "call_id")
    return isHosts && (typeof callId !== "string" || !answered.has(callId))
  })
}

function readCall(item: object): Call | undefined {
  // A custom tool is none of the catalog's: its input is a text, and no object of arguments.
  if (isCustom(item))
    return { id: field(item, "call_id"), name: field(item, "name"), args: asValue(field(item, "input")) }
  if (field(item, "type") !== "function_call") return undefined
  const status = field(item, "status")
  const cut = status === "incomplete" || status === "in_progress" ? unfinished : undefined
  return { id: field(item, "call_id"), name: field(item, "name"), args: field(item, "arguments"), cut }
}

function endingOf(response: unknown): Turn["ending"] {
  if (!isList(field(response, "output")) || isSomething(field(response, "error"))) return "failed"
  const status = field(response, "status")
  if (status === "incomplete")
    return field(field(response, "incomplete_details"), "reason") === "content_filter" ? "refused" : "cut-short"
  return status === undefined || status === null || status === "completed" ? undefined : "failed"
}

const wordsOf = (items: readonly object[]): string =>
  joined(
    items
      .filter((item) => field(item, "type") === "message")
      .flatMap((item) => partsOf(field(item, "content")))
      .map((part) => textIn(part, "text") ?? textIn(part, "refusal")),
  )

function mend(source: object, { args }: Call, { id, name, intact }: Answered): unknown {
  if (isCustom(source)) {
    const input = textIn(source, "input")
    return intact && input !== undefined ? source : withFields(source, { call_id: id, name, input: input ?? "" })
  }
  if (intact && typeof args === "string") return source
  const called = {
    type: "function_call",
    call_id: id,
    name,
    arguments: typeof args === "string" ? args : (textOf(args) ?? "{}"),
  }
  return withFields(source, called)
}

export interface ResponsesRequest {
  model: string
  input: { role: "system" | "user" | "assistant"; content: string }[]
  max_output_tokens?: number
  text?: { format: { type: "json_schema"; name: string; schema: { [keyword: string]: unknown }; strict: true } }
}

export function planner(options: PlannerOptions<ResponsesRequest>): Planner {
  const { model, schema, maxTokens } = options
  return plannerBy(
    options,
    (messages): ResponsesRequest => ({
      model,
      input: messages.map(({ role, content }) => ({ role, content })),
      ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
      ...(schema === undefined
        ? {}
        : { text: { format: { type: "json_schema", name: "plan", schema: { ...schema.schema }, strict: true } } }),
    }),
    (response) => {
      const usage = field(response, "usage")
      return {
        text: wordsOf(itemsOf(response)),
        ending: endingOf(response) ?? "finished",
        usage: usageOf([countIn(usage, "input_tokens")], [countIn(usage, "output_tokens")]),
      }
    },
  )
}
