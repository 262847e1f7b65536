/**
 * Gemini's generateContent. The model's parts go back as they came, thought signatures among them; then one user turn has a
 * `functionResponse` for each call, in their order, with its id where it has one. What the provider does itself (searches, code) is
 * left alone. The first candidate counts; streams are not read.
 */
import type { Catalog } from "../../catalog/catalog.ts"
import { providers } from "../form/provider.ts"
import type { Planner } from "../propose/planner.ts"
import { type PlannerOptions, plannerBy, spokenOf, systemOf, usageOf } from "./ask.ts"
import { offersOf, type ToolsOptions } from "./offer.ts"
import { asValue, countIn, field, isMembers, isSomething, partsOf, textIn, withFields } from "./read.ts"
import {
  type Answered,
  answer,
  type Call,
  type CallGate,
  callsIn,
  type Handled,
  type HandleOptions,
  handled,
  sayAgain,
  type Turn,
  unfinished,
} from "./turn.ts"

export interface GeminiTool {
  functionDeclarations: { name: string; description: string; parametersJsonSchema: { [keyword: string]: unknown } }[]
}

/** For `config.tools`. */
export function toolsFor(catalog: Catalog, options: ToolsOptions = {}): GeminiTool[] {
  const style = { keywords: providers.gemini.keywords, portableKeys: true }
  const functionDeclarations = offersOf(catalog, options, style).map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: { ...parameters },
  }))
  return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }]
}

export interface GeminiResult {
  functionResponse: { id?: string; name: string; response: { [key: string]: unknown } }
}

export interface GeminiAnswer {
  role: "user"
  parts: (GeminiResult | { text: string })[]
}

export interface GeminiTurn<Part> {
  role: "model"
  parts: Part[]
}

type ContentIn<Response> = Response extends { readonly candidates?: ReadonlyArray<infer Candidate> | undefined }
  ? Candidate extends { readonly content?: infer Content }
    ? Content
    : never
  : never

export type PartOf<Response> =
  ContentIn<Response> extends infer Content
    ? Content extends { readonly parts?: ReadonlyArray<infer Part> | undefined }
      ? Part
      : never
    : never

export async function handle<Response>(
  gate: CallGate,
  response: Response,
  options: HandleOptions = {},
): Promise<Handled<GeminiTurn<PartOf<Response>> | GeminiAnswer>> {
  const candidate = candidateOf(response)
  const turn = readTurn(response, candidate)
  const { answers, verdicts } = await answer(gate, turn, options)
  const spoken = [...sayAgain(turn, answers, mend)] as PartOf<Response>[]
  const said = spoken.length === 0 ? [] : [{ role: "model" as const, parts: spoken }]
  const calls = callsIn(turn)
  const results = answers.map((answered, index) => resultOf(calls[index], answered))
  const malformed = calls.length === 0 && field(candidate, "finishReason") === "MALFORMED_FUNCTION_CALL"
  const told = malformed ? [{ text: askAgain }] : results
  const messages = [...said, ...(told.length === 0 ? [] : [{ role: "user" as const, parts: told }])]
  const end = handled(turn, wordsOf(turn), verdicts, messages, response)
  return malformed ? { ...end, done: false } : end
}

const askAgain = "Your function call was malformed and was not made. Write it again."

const candidateOf = (response: unknown): unknown => partsOf(field(response, "candidates"))[0]

const readTurn = (response: unknown, candidate: unknown): Turn => ({
  parts: partsOf(field(field(candidate, "content"), "parts"))
    .filter(isSomething)
    .map((source) => ({ source, call: readCall(source) })),
  ending: endingOf(candidate),
  responseId: textIn(response, "responseId"),
})

function readCall(part: object): Call | undefined {
  const call = field(part, "functionCall")
  if (!isSomething(call)) return undefined
  const args = field(call, "args")
  return {
    id: field(call, "id"),
    name: field(call, "name"),
    // A call without arguments has none of this field.
    args: args === undefined ? {} : asValue(args),
    cut: field(call, "willContinue") === true ? unfinished : undefined,
  }
}

function endingOf(candidate: unknown): Turn["ending"] {
  if (!isSomething(candidate)) return "failed"
  switch (field(candidate, "finishReason")) {
    case "STOP":
    case "FINISH_REASON_UNSPECIFIED":
    case undefined:
    case null:
      return undefined
    case "MAX_TOKENS":
      return "cut-short"
    case "SAFETY":
    case "RECITATION":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
    case "MODEL_ARMOR":
      return "refused"
    default:
      return "failed"
  }
}

/** Without its thoughts. */
const wordsOf = ({ parts }: Turn): string =>
  parts.map(({ source }) => (field(source, "thought") === true ? "" : (textIn(source, "text") ?? ""))).join("")

/** Calls often have no id here: then none is sent back. */
const hasNoId = ({ id }: Call): boolean => id === undefined || id === null || id === ""

function mend(source: object, call: Call, { id, name, intact }: Answered): unknown {
  const whole = isMembers(call.args)
  if (whole && (intact || (hasNoId(call) && call.name === name))) return source
  const ids = hasNoId(call) ? {} : { id }
  const functionCall = withFields(field(source, "functionCall"), { ...ids, name, ...(whole ? {} : { args: {} }) })
  return withFields(source, { functionCall })
}

function resultOf(call: Call | undefined, { id, name, text, failed }: Answered): GeminiResult {
  const ids = call === undefined || hasNoId(call) ? {} : { id }
  return { functionResponse: { ...ids, name, response: failed ? { error: text } : { output: text } } }
}

export interface GeminiRequest {
  model: string
  contents: { role: "user" | "model"; parts: { text: string }[] }[]
  config: {
    abortSignal: AbortSignal
    systemInstruction?: string
    maxOutputTokens?: number
    responseMimeType?: "application/json"
    responseJsonSchema?: { [keyword: string]: unknown }
  }
}

export function planner(options: PlannerOptions<GeminiRequest>): Planner {
  const { model, schema, maxTokens } = options
  return plannerBy(
    options,
    (messages, signal): GeminiRequest => {
      const system = systemOf(messages)
      return {
        model,
        contents: spokenOf(messages).map(({ role, content }) => ({
          role: role === "user" ? "user" : "model",
          parts: [{ text: content }],
        })),
        config: {
          abortSignal: signal,
          ...(system === "" ? {} : { systemInstruction: system }),
          ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
          ...(schema === undefined
            ? {}
            : { responseMimeType: "application/json", responseJsonSchema: { ...schema.schema } }),
        },
      }
    },
    (response) => {
      const candidate = candidateOf(response)
      const turn = readTurn(response, candidate)
      const blocked = candidate === undefined && isSomething(field(response, "promptFeedback"))
      const usage = field(response, "usageMetadata")
      return {
        text: wordsOf(turn),
        ending: blocked ? "refused" : (turn.ending ?? "finished"),
        usage: usageOf(
          [countIn(usage, "promptTokenCount")],
          [countIn(usage, "candidatesTokenCount"), countIn(usage, "thoughtsTokenCount")],
        ),
      }
    },
  )
}
