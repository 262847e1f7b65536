/**
 * Amazon Bedrock's Converse. What the model said goes back as it came; then one user turn answers all its calls. What the provider
 * does itself (`server_tool_use`) is left alone. Streams are not read.
 */
import type { Catalog } from "../../catalog/catalog.ts"
import { demand } from "../../text/demand.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { whole } from "../form/leaf.ts"
import type { Planner } from "../propose/planner.ts"
import { argumentsIn, type PlannerOptions, planName, plannerBy, spokenOf, systemOf, usageOf } from "./ask.ts"
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

/** As data, in the SDK's own terms. */
type Document = null | boolean | number | string | Document[] | { [key: string]: Document }

export interface BedrockTool {
  toolSpec: { name: string; description: string; inputSchema: { json: Document } }
}

/** For `toolConfig: { tools }`. Some of its models take `type`, `properties` and `required` alone in the outermost object. */
export function toolsFor(catalog: Catalog, options: ToolsOptions = {}): BedrockTool[] {
  const style = { ...whole, portableKeys: true, bareRoot: true }
  return offersOf(catalog, options, style).map(({ name, description, parameters }) => ({
    toolSpec: { name, description, inputSchema: { json: toDocument(parameters) } },
  }))
}

/** JSON of our own, which nobody else holds: what differs is only that the SDK's type may be written to. */
const toDocument = (json: Json): Document => structuredClone(json) as Document

export interface BedrockResult {
  toolResult: { toolUseId: string; content: { text: string }[]; status: "success" | "error" }
}

export interface BedrockAnswer {
  role: "user"
  content: BedrockResult[]
}

export interface BedrockTurn<Block> {
  role: "assistant"
  content: Block[]
}

type MessageIn<Response> = Response extends { readonly output?: infer Output }
  ? Output extends { readonly message?: infer Message }
    ? Message
    : never
  : never

export type BlockOf<Response> =
  MessageIn<Response> extends infer Message
    ? Message extends { readonly content?: ReadonlyArray<infer Block> | undefined }
      ? Block
      : never
    : never

export async function handle<Response>(
  gate: CallGate,
  response: Response,
  options: HandleOptions = {},
): Promise<Handled<BedrockTurn<BlockOf<Response>> | BedrockAnswer>> {
  const turn = readTurn(response)
  const { answers, verdicts } = await answer(gate, turn, options)
  const content = [...sayAgain(turn, answers, mend)] as BlockOf<Response>[]
  const results = answers.map(
    ({ id, text, failed }): BedrockResult => ({
      toolResult: { toolUseId: id, content: [{ text }], status: failed ? "error" : "success" },
    }),
  )
  return handled(turn, wordsOf(turn), verdicts, inTwoTurns(content, results), response)
}

function readTurn(response: unknown): Turn {
  const content = field(field(field(response, "output"), "message"), "content")
  const parts = partsOf(content)
    .filter(isSomething)
    .map((source) => ({ source, call: readCall(source) }))
  const ends = endingFor(field(response, "stopReason"), parts)
  const responseId = textIn(field(response, "$metadata"), "requestId")
  return { parts, ending: isSomething(content) ? ends : "failed", responseId }
}

function readCall(block: object): Call | undefined {
  const use = field(block, "toolUse")
  if (!isSomething(use) || field(use, "type") === "server_tool_use") return undefined
  return { id: field(use, "toolUseId"), name: field(use, "name"), args: asValue(field(use, "input")) }
}

const wordsOf = ({ parts }: Turn): string => joined(parts.map(({ source }) => textIn(source, "text")))

/** A call whose input is no object is not taken back. */
function mend(source: object, { args }: Call, { id: toolUseId, name, intact }: Answered): unknown {
  const whole = isMembers(args)
  if (intact && whole) return source
  return { toolUse: withFields(field(source, "toolUse"), { toolUseId, name, input: whole ? args : {} }) }
}

export interface BedrockRequest {
  modelId: string
  messages: { role: "user" | "assistant"; content: { text: string }[] }[]
  system?: { text: string }[]
  inferenceConfig?: { maxTokens: number }
  outputConfig?: {
    textFormat: { type: "json_schema"; structure: { jsonSchema: { name: string; schema: string } } }
  }
  toolConfig?: { tools: BedrockTool[]; toolChoice: { tool: { name: string } } }
}

export interface BedrockPlannerOptions extends PlannerOptions<BedrockRequest> {
  /**
   * How the model is held to the schema: `output` by `outputConfig.textFormat`, which only some of its models know (default), `tool` by
   * the one tool that it has to call. What the provider takes of a schema is what Anthropic does: `planSchema(catalog, { for: "anthropic" })`.
   */
  readonly schemaBy?: "output" | "tool"
}

export function planner(options: BedrockPlannerOptions): Planner {
  const { model, maxTokens, schema, schemaBy = "output" } = options
  demand(schemaBy === "output" || schemaBy === "tool", '`schemaBy` must be "output" or "tool"')
  const held = schema === undefined ? {} : schemaBy === "tool" ? forcedBy(schema.schema) : formatOf(schema.schema)
  return plannerBy(
    options,
    (messages): BedrockRequest => {
      const system = systemOf(messages)
      return {
        modelId: model,
        messages: spokenOf(messages).map(({ role, content }) => ({ role, content: [{ text: content }] })),
        ...(system === "" ? {} : { system: [{ text: system }] }),
        ...(maxTokens === undefined ? {} : { inferenceConfig: { maxTokens } }),
        ...structuredClone(held),
      }
    },
    (response) => {
      const turn = readTurn(response)
      const usage = field(response, "usage")
      const inputs = ["inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"]
      return {
        text: argumentsIn(turn) ?? wordsOf(turn),
        ending: turn.ending ?? "finished",
        usage: usageOf(
          inputs.map((key) => countIn(usage, key)),
          [countIn(usage, "outputTokens")],
        ),
      }
    },
  )
}

/** Here the schema is JSON text. */
const formatOf = (schema: JsonObject): Pick<BedrockRequest, "outputConfig"> => ({
  outputConfig: {
    textFormat: { type: "json_schema", structure: { jsonSchema: { name: planName, schema: JSON.stringify(schema) } } },
  },
})

const forcedBy = (schema: JsonObject): Pick<BedrockRequest, "toolConfig"> => ({
  toolConfig: {
    tools: [{ toolSpec: { name: planName, description: "Give the plan.", inputSchema: { json: toDocument(schema) } } }],
    toolChoice: { tool: { name: planName } },
  },
})
