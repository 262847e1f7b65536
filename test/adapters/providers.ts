/** Each provider's responses, as its pages show them, and how it reads back what is sent to it. */
import * as aiSdk from "../../src/planner/adapters/ai-sdk.ts"
import * as anthropic from "../../src/planner/adapters/anthropic.ts"
import * as bedrock from "../../src/planner/adapters/bedrock.ts"
import * as gemini from "../../src/planner/adapters/gemini.ts"
import * as langchain from "../../src/planner/adapters/langchain.ts"
import * as openaiChat from "../../src/planner/adapters/openai-chat.ts"
import * as openaiResponses from "../../src/planner/adapters/openai-responses.ts"
import { field, partsOf, textIn } from "../../src/planner/adapters/read.ts"
import type { CallGate, Ending, Handled, HandleOptions } from "../../src/planner/adapters/turn.ts"

export interface ModelCall {
  readonly id?: unknown
  readonly name: unknown
  /** JSON text where the provider sends text, else the value. */
  readonly args: unknown
}

export interface Spoken {
  readonly id: unknown
  readonly name?: unknown
}

export interface Provider {
  readonly name: string
  readonly handle: (gate: CallGate, response: unknown, options?: HandleOptions) => Promise<Handled<unknown>>
  readonly planner: (send: (request: unknown) => Promise<unknown>) => ReturnType<typeof openaiChat.planner>
  /** Arguments come as text. */
  readonly text: boolean
  /** Calls without an id are answered in their order alone. */
  readonly ordered?: true
  readonly respond: (calls: readonly ModelCall[], text: string, ending?: Ending) => object
  /** The calls in what goes back to the model. */
  readonly said: (messages: readonly unknown[]) => readonly Spoken[]
  /** What they are answered with, in order. */
  readonly told: (messages: readonly unknown[]) => readonly (Spoken & { readonly text: unknown })[]
}

const inside = (messages: readonly unknown[], role: string, key: string): readonly unknown[] =>
  messages.filter((message) => field(message, "role") === role).flatMap((message) => partsOf(field(message, key)))

const endingOf = (calls: readonly ModelCall[], ending: Ending | undefined): Ending =>
  ending ?? (calls.length > 0 ? "calls" : "finished")

const openai: Provider = {
  name: "openai-chat",
  handle: openaiChat.handle,
  planner: (send) => openaiChat.planner({ send, model: "m" }),
  text: true,
  respond: (calls, text, ending) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        logprobs: null,
        finish_reason: {
          calls: "tool_calls",
          finished: "stop",
          "cut-short": "length",
          refused: "content_filter",
          paused: "stop",
          failed: "error",
        }[endingOf(calls, ending)],
        message: {
          role: "assistant",
          content: text === "" ? null : text,
          refusal: null,
          annotations: [],
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ id, name, args }) => ({
                  id,
                  type: "function",
                  function: { name, arguments: args },
                })),
              }),
        },
      },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
  }),
  said: (messages) =>
    inside(messages, "assistant", "tool_calls").map((call) => ({
      id: field(call, "id"),
      name: field(field(call, "function") ?? field(call, "custom"), "name"),
    })),
  told: (messages) =>
    messages
      .filter((message) => field(message, "role") === "tool")
      .map((message) => ({ id: field(message, "tool_call_id"), text: field(message, "content") })),
}

const responses: Provider = {
  name: "openai-responses",
  handle: openaiResponses.handle,
  planner: (send) => openaiResponses.planner({ send, model: "m" }),
  text: true,
  respond: (calls, text, ending) => {
    const how = endingOf(calls, ending)
    return {
      id: "resp_1",
      object: "response",
      created_at: 1,
      model: "m",
      status: how === "cut-short" || how === "refused" ? "incomplete" : how === "failed" ? "failed" : "completed",
      error: null,
      incomplete_details:
        how === "cut-short" ? { reason: "max_output_tokens" } : how === "refused" ? { reason: "content_filter" } : null,
      output: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
        ...(text === ""
          ? []
          : [
              {
                type: "message",
                id: "msg_1",
                role: "assistant",
                status: "completed",
                content: [{ type: "output_text", text, annotations: [] }],
              },
            ]),
        ...calls.map(({ id, name, args }, index) => ({
          type: "function_call",
          id: `fc_${index}`,
          call_id: id,
          name,
          arguments: args,
          status: "completed",
        })),
      ],
      usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 },
    }
  },
  said: (messages) =>
    messages
      .filter((item) => field(item, "type") === "function_call")
      .map((item) => ({ id: field(item, "call_id"), name: field(item, "name") })),
  told: (messages) =>
    messages
      .filter((item) => field(item, "type") === "function_call_output")
      .map((item) => ({ id: field(item, "call_id"), text: field(item, "output") })),
}

const claude: Provider = {
  name: "anthropic",
  handle: anthropic.handle,
  planner: (send) => anthropic.planner({ send, model: "m" }),
  text: false,
  respond: (calls, text, ending) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    stop_reason: {
      calls: "tool_use",
      finished: "end_turn",
      "cut-short": "max_tokens",
      refused: "refusal",
      paused: "pause_turn",
      failed: "unheard_of",
    }[endingOf(calls, ending)],
    stop_sequence: null,
    content: [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      ...(text === "" ? [] : [{ type: "text", text, citations: null }]),
      ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
    ],
    usage: { input_tokens: 4, cache_creation_input_tokens: 1, cache_read_input_tokens: 2, output_tokens: 5 },
  }),
  said: (messages) =>
    inside(messages, "assistant", "content")
      .filter((block) => field(block, "type") === "tool_use")
      .map((block) => ({ id: field(block, "id"), name: field(block, "name") })),
  told: (messages) =>
    inside(messages, "user", "content").map((block) => ({
      id: field(block, "tool_use_id"),
      text: field(block, "content"),
    })),
}

const converse: Provider = {
  name: "bedrock",
  handle: bedrock.handle,
  planner: (send) => bedrock.planner({ send, model: "m" }),
  text: false,
  respond: (calls, text, ending) => ({
    $metadata: { httpStatusCode: 200, requestId: "req-1" },
    output: {
      message: {
        role: "assistant",
        content: [
          ...(text === "" ? [] : [{ text }]),
          { reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } },
          ...calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } })),
        ],
      },
    },
    stopReason: {
      calls: "tool_use",
      finished: "end_turn",
      "cut-short": "max_tokens",
      refused: "guardrail_intervened",
      paused: "end_turn",
      failed: "malformed_tool_use",
    }[endingOf(calls, ending)],
    usage: { inputTokens: 7, outputTokens: 5, totalTokens: 12 },
    metrics: { latencyMs: 1 },
  }),
  said: (messages) =>
    inside(messages, "assistant", "content")
      .map((block) => field(block, "toolUse"))
      .filter((use) => typeof use === "object" && use !== null && field(use, "type") !== "server_tool_use")
      .map((use) => ({ id: field(use, "toolUseId"), name: field(use, "name") })),
  told: (messages) =>
    inside(messages, "user", "content").map((block) => {
      const result = field(block, "toolResult")
      return { id: field(result, "toolUseId"), text: field(partsOf(field(result, "content"))[0], "text") }
    }),
}

const google: Provider = {
  name: "gemini",
  handle: gemini.handle,
  planner: (send) => gemini.planner({ send, model: "m" }),
  text: false,
  ordered: true,
  respond: (calls, text, ending) => ({
    responseId: "r-1",
    modelVersion: "m",
    candidates: [
      {
        index: 0,
        finishReason: {
          calls: "STOP",
          finished: "STOP",
          "cut-short": "MAX_TOKENS",
          refused: "SAFETY",
          paused: "STOP",
          failed: "UNEXPECTED_TOOL_CALL",
        }[endingOf(calls, ending)],
        content: {
          role: "model",
          parts: [
            ...(text === "" ? [] : [{ text }]),
            ...calls.map(({ id, name, args }, index) => ({
              functionCall: { ...(id === undefined ? {} : { id }), name, args },
              ...(index === 0 ? { thoughtSignature: "c2ln" } : {}),
            })),
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 12 },
  }),
  said: (messages) =>
    inside(messages, "model", "parts")
      .map((part) => field(part, "functionCall"))
      .filter((call) => typeof call === "object" && call !== null)
      .map((call) => ({ id: field(call, "id") || undefined, name: field(call, "name") })),
  told: (messages) =>
    inside(messages, "user", "parts")
      .map((part) => field(part, "functionResponse"))
      .filter((answer) => answer !== undefined)
      .map((answer) => {
        const told = field(answer, "response")
        return {
          id: field(answer, "id"),
          name: field(answer, "name"),
          text: field(told, "output") ?? field(told, "error"),
        }
      }),
}

const vercel: Provider = {
  name: "ai-sdk",
  handle: aiSdk.handle,
  planner: (send) => aiSdk.planner({ send }),
  text: false,
  respond: (calls, text, ending) => ({
    text,
    finishReason: {
      calls: "tool-calls",
      finished: "stop",
      "cut-short": "length",
      refused: "content-filter",
      paused: "stop",
      failed: "error",
    }[endingOf(calls, ending)],
    usage: { inputTokens: 7, outputTokens: 5, totalTokens: 12 },
    response: { id: "resp-1", modelId: "m" },
    responseMessages: [
      {
        role: "assistant",
        content: [
          ...(text === "" ? [] : [{ type: "text", text }]),
          ...calls.map(({ id, name, args }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: args })),
        ],
      },
    ],
  }),
  said: (messages) =>
    inside(messages, "assistant", "content")
      .filter((part) => field(part, "type") === "tool-call" && field(part, "providerExecuted") !== true)
      .map((part) => ({ id: field(part, "toolCallId"), name: field(part, "toolName") })),
  told: (messages) =>
    inside(messages, "tool", "content").map((part) => ({
      id: field(part, "toolCallId"),
      text: field(field(part, "output"), "value"),
    })),
}

const lang: Provider = {
  name: "langchain",
  handle: langchain.handle,
  planner: (send) => langchain.planner({ send }),
  text: false,
  respond: (calls, text, ending) => ({
    id: "run-1",
    content: text,
    role: "assistant",
    additional_kwargs: {},
    response_metadata: {
      finish_reason: {
        calls: "tool_calls",
        finished: "stop",
        "cut-short": "length",
        refused: "content_filter",
        paused: "pause_turn",
        failed: "error",
      }[endingOf(calls, ending)],
    },
    tool_calls: calls.map(({ id, name, args }) => ({ type: "tool_call", id, name, args })),
    invalid_tool_calls: [],
    usage_metadata: { input_tokens: 7, output_tokens: 5, total_tokens: 12 },
  }),
  said: (messages) =>
    messages
      .filter((message) => textIn(message, "role") !== "tool")
      .flatMap((message) => partsOf(field(message, "tool_calls")))
      .filter((call) => typeof call === "object" && call !== null)
      .map((call) => ({ id: field(call, "id"), name: field(call, "name") })),
  told: (messages) =>
    messages
      .filter((message) => textIn(message, "role") === "tool")
      .map((message) => ({ id: field(message, "tool_call_id"), text: field(message, "content") })),
}

export const providers: readonly Provider[] = [openai, responses, claude, converse, google, vercel, lang]
