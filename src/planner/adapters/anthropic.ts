/**
 * Anthropic's messages. What the model said goes back as it came, thinking and its signatures among it; then one user turn answers
 * all its calls, their results first. What the provider does itself (`server_tool_use`) is left alone. Calls of a toolset that the host
 * has offered (computer, browser) it answers itself, in that same turn: they stand in `left`. Streams are not read.
 */
import type { Catalog } from "../../catalog/catalog.ts"
import { whole } from "../form/leaf.ts"
import type { Planner } from "../propose/planner.ts"
import { type PlannerOptions, plannerBy, type Spoken, spokenOf, systemOf, usageOf } from "./ask.ts"
import { offersOf, type ToolsOptions } from "./offer.ts"
import { asValue, countIn, field, isMembers, isSomething, joined, partsOf, textIn, withFields } from "./read.ts"
import {
  type Answered,
  answer,
  type Call,
  type CallGate,
  endingFor,
  type Handled,
  type HandleOptions,
  handled,
  inTwoTurns,
  sayAgain,
  type Turn,
} from "./turn.ts"

export interface AnthropicTool {
  name: string
  description: string
  input_schema: { type: "object"; [keyword: string]: unknown }
}

export function toolsFor(catalog: Catalog, options: ToolsOptions = {}): AnthropicTool[] {
  return offersOf(catalog, options, { ...whole, portableKeys: true }).map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: { ...parameters, type: "object" },
  }))
}

export interface AnthropicAnswer {
  role: "user"
  content: { type: "tool_result"; tool_use_id: string; content: string; is_error: boolean }[]
}

export interface AnthropicTurn<Block> {
  role: "assistant"
  content: Block[]
}

export type BlockOf<Response> = Response extends { readonly content: ReadonlyArray<infer Block> }
  ? Block
  : { type: "text"; text: string }

export async function handle<Response>(
  gate: CallGate,
  response: Response,
  options: HandleOptions = {},
): Promise<Handled<AnthropicTurn<BlockOf<Response>> | AnthropicAnswer>> {
  const turn = readTurn(response)
  const { answers, verdicts } = await answer(gate, turn, options)
  const content = [...sayAgain(turn, answers, mend)] as BlockOf<Response>[]
  const results = answers.map(({ id, text, failed }) => ({
    type: "tool_result" as const,
    tool_use_id: id,
    content: text,
    is_error: failed,
  }))
  return handled(turn, wordsOf(turn), verdicts, inTwoTurns(content, results), response)
}

function readTurn(response: unknown): Turn {
  const content = field(response, "content")
  const parts = partsOf(content)
    .filter(isSomething)
    .map((source) => ({ source, call: readCall(source) }))
  const ends = endingFor(field(response, "stop_reason"), parts)
  const left = parts.map(({ source }) => source).filter(isOfToolset)
  return { parts, ending: isSomething(content) ? ends : "failed", responseId: textIn(response, "id"), left }
}

/** The names in a toolset are its own: one of them may be that of a catalog's tool. */
const isOfToolset = (block: object): boolean =>
  field(block, "type") === "tool_use" && textIn(block, "toolset_name") !== undefined

const readCall = (block: object): Call | undefined =>
  field(block, "type") === "tool_use" && !isOfToolset(block)
    ? { id: field(block, "id"), name: field(block, "name"), args: asValue(field(block, "input")) }
    : undefined

const wordsOf = ({ parts }: Turn): string =>
  joined(parts.map(({ source }) => (field(source, "type") === "text" ? textIn(source, "text") : undefined)))

/** A call whose input is no object is not taken back. */
function mend(source: object, { args }: Call, { id, name, intact }: Answered): unknown {
  const whole = isMembers(args)
  if (intact && whole) return source
  return withFields(source, { type: "tool_use", id, name, input: whole ? args : {} })
}

export interface AnthropicRequest {
  model: string
  max_tokens: number
  messages: Spoken[]
  system?: string
  output_config?: { format: { type: "json_schema"; schema: { [keyword: string]: unknown } } }
}

/** The provider asks for `maxTokens`: 16,384 where it is left out. */
export function planner(options: PlannerOptions<AnthropicRequest>): Planner {
  const { model, schema, maxTokens = 16_384 } = options
  return plannerBy(
    options,
    (messages): AnthropicRequest => {
      const system = systemOf(messages)
      return {
        model,
        max_tokens: maxTokens,
        messages: [...spokenOf(messages)],
        ...(system === "" ? {} : { system }),
        ...(schema === undefined
          ? {}
          : { output_config: { format: { type: "json_schema", schema: { ...schema.schema } } } }),
      }
    },
    (response) => {
      const turn = readTurn(response)
      const usage = field(response, "usage")
      const inputs = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
      return {
        text: wordsOf(turn),
        ending: turn.ending ?? "finished",
        usage: usageOf(
          inputs.map((key) => countIn(usage, key)),
          [countIn(usage, "output_tokens")],
        ),
      }
    },
  )
}
