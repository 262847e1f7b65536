/**
 * LangChain's chat models. The model's message goes back as it came; calls that LangChain could not parse are answered too, and then
 * stand among the others, for a message may not answer what the model's does not hold. LangChain has parsed the arguments by then: a
 * key given twice is not seen here. It also completes arguments that were cut off: of a message that ended badly in any of the places
 * where integrations say so, or that holds what was completed, no call is made. Streams are not read.
 */
import type { Catalog } from "../../catalog/catalog.ts"
import { defaultBounds } from "../../text/bounds.ts"
import { demand } from "../../text/demand.ts"
import { readJson } from "../../text/read-json.ts"
import { whole } from "../form/leaf.ts"
import type { PlanSchema } from "../form/schema.ts"
import type { Planner } from "../propose/planner.ts"
import { argumentsIn, type LibraryPlannerOptions, plannerBy, textOf, usageOf } from "./ask.ts"
import { offersOf, type ToolsOptions } from "./offer.ts"
import { asValue, countIn, field, isList, isMembers, isSomething, joined, partsOf, textIn } from "./read.ts"
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

export interface LangChainTool {
  type: "function"
  function: { name: string; description: string; parameters: { [keyword: string]: unknown } }
}

/** For `model.bindTools`. */
export function toolsFor(catalog: Catalog, options: ToolsOptions = {}): LangChainTool[] {
  return offersOf(catalog, options, { ...whole, portableKeys: true }).map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters: { ...parameters } },
  }))
}

/** Becomes a `ToolMessage` when the model is invoked with it. (Types, not interfaces: LangChain asks for an index.) */
export type LangChainAnswer = {
  role: "tool"
  content: string
  tool_call_id: string
  name: string
  status: "success" | "error"
}

/** Becomes an `AIMessage`: the model's, where its calls were written anew. */
export type LangChainTurn = {
  role: "assistant"
  content: string | { type: string }[]
  tool_calls: { type: "tool_call"; id: string; name: string; args: { [key: string]: unknown } }[]
  additional_kwargs: { [key: string]: unknown }
}

export async function handle<Message>(
  gate: CallGate,
  message: Message,
  options: HandleOptions = {},
): Promise<Handled<Message | LangChainTurn | LangChainAnswer>> {
  const turn = readTurn(message)
  const { answers, verdicts } = await answer(gate, turn, options)
  const told = answers.map(
    ({ id, name, text, failed }): LangChainAnswer => ({
      role: "tool",
      content: text,
      tool_call_id: id,
      name,
      status: failed ? "error" : "success",
    }),
  )
  const said = isSomething(message) ? [mendMessage(message, turn, answers)] : []
  return handled(turn, wordsOf(message), verdicts, [...said, ...told], message)
}

function readTurn(message: unknown): Turn {
  const read = (key: string) => partsOf(field(message, key)).filter(isSomething)
  const valid = read("tool_calls").map((source) => ({ source, call: readCall(source, asValue(field(source, "args"))) }))
  const invalid = read("invalid_tool_calls").map((source) => ({
    source,
    call: readCall(source, field(source, "args")),
  }))
  const parts = [...valid, ...invalid]
  return { parts, ending: endingOf(message), responseId: textIn(message, "id"), words: wordsOf(message) }
}

const readCall = (source: object, args: unknown): Call => ({
  id: field(source, "id"),
  name: field(source, "name"),
  args,
})

/** Each provider's integration has its own word for it, and its own place: of all that are found the worst counts. */
const endings = ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason", "status", "reason"]

function reasonsIn(message: unknown): readonly string[] {
  const [told, kwargs] = [field(message, "response_metadata"), field(message, "additional_kwargs")]
  const places = [told, kwargs].flatMap((place) => [
    place,
    field(place, "messageStop"),
    field(place, "incomplete_details"),
  ])
  return places.flatMap((place) => endings.flatMap((key) => textIn(place, key) || []))
}

function endingOf(message: unknown): Turn["ending"] {
  if (!isSomething(message)) return "failed"
  const reasons = reasonsIn(message)
  const has = (words: RegExp): boolean => reasons.some((reason) => words.test(reason))
  if (has(/filter|safety|refus|guardrail|block|prohibit|recitation|spii/i)) return "refused"
  if (has(/length|max|context_window|incomplete/i)) return "cut-short"
  if (has(/pause/i)) return "paused"
  if (has(/error|fail|malformed|unexpected|cancel/i)) return "failed"
  const isCut = partsOf(field(message, "invalid_tool_calls")).some((call) => isPrefix(textIn(call, "args") ?? ""))
  return wasRepaired(message) || (reasons.length === 0 && isCut) ? "cut-short" : undefined
}

/** The beginning of a JSON text, which nothing but its end is missing from. */
function isPrefix(text: string): boolean {
  const read = readJson(text, defaultBounds)
  return text.trim() !== "" && !read.ok && read.fault.kind === "cut-short"
}

/** Of a stream LangChain keeps the arguments as they came, and gives out what it made of them where they have no end. */
const wasRepaired = (message: unknown): boolean =>
  partsOf(field(message, "tool_calls")).length > 0 &&
  partsOf(field(message, "tool_call_chunks")).some((chunk) => !isWhole(textIn(chunk, "args") ?? ""))

function isWhole(text: string): boolean {
  try {
    if (text.trim() !== "") JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function wordsOf(message: unknown): string {
  const content = field(message, "content")
  if (typeof content === "string") return content
  return joined(partsOf(content).map((part) => (field(part, "type") === "text" ? textIn(part, "text") : undefined)))
}

/** As it came, unless a call could not go back as it is. */
function mendMessage<Message>(message: Message, turn: Turn, answers: readonly Answered[]): Message | LangChainTurn {
  const calls = sayAgain(turn, answers, mend)
  const valid = partsOf(field(message, "tool_calls")).filter(isSomething).length
  if (valid === calls.length && turn.parts.every(({ source }, index) => source === calls[index])) return message
  const content = field(message, "content")
  const others = kwargsOf(message)
  return {
    role: "assistant",
    content: isList(content) ? (content as { type: string }[]) : (textIn(message, "content") ?? ""),
    tool_calls: calls as LangChainTurn["tool_calls"],
    additional_kwargs: others,
  }
}

/** Without the provider's own list of calls, which says what is written anew. */
function kwargsOf(message: unknown): { [key: string]: unknown } {
  const kwargs = field(message, "additional_kwargs")
  try {
    return Object.fromEntries(Object.entries(isSomething(kwargs) ? kwargs : {}).filter(([key]) => key !== "tool_calls"))
  } catch {
    return {}
  }
}

function mend(source: object, { args }: Call, { id, name, intact }: Answered): unknown {
  const whole = isMembers(args)
  if (intact && whole && field(source, "type") !== "invalid_tool_call") return source
  return { type: "tool_call", id, name, args: whole ? args : {} }
}

export type LangChainRequest = { role: "system" | "user" | "assistant"; content: string }[]

export type LangChainSchema = { [keyword: string]: unknown }

/**
 * `send: (messages, { signal }) => model.invoke(messages, { signal })`. With a schema: `(messages, { signal, schema }) =>
 * model.withStructuredOutput(schema, { name: "plan", includeRaw: true }).invoke(messages, { signal })`; without `includeRaw` neither usage nor
 * how the turn ended is known.
 */
export function planner<Held extends PlanSchema | undefined = undefined>(
  options: LibraryPlannerOptions<LangChainRequest, LangChainSchema, Held>,
): Planner {
  const { send, schema } = options
  demand(typeof send === "function", "`send` must be a function that sends a request")
  const held = (schema && { ...schema.schema }) as Held extends PlanSchema ? LangChainSchema : undefined
  return plannerBy(
    { send: (request: LangChainRequest, { signal }) => send(request, { signal, schema: structuredClone(held) }) },
    (messages): LangChainRequest => messages.map(({ role, content }) => ({ role, content })),
    (response) => {
      const raw = field(response, "raw")
      const message = isSomething(raw) ? raw : response
      const usage = field(message, "usage_metadata")
      return {
        text: planIn(message) || (endingOf(message) === undefined ? (textOf(field(response, "parsed")) ?? "") : ""),
        ending: endingOf(message) ?? "finished",
        usage: usageOf([countIn(usage, "input_tokens")], [countIn(usage, "output_tokens")]),
      }
    },
  )
}

/** Of a message, or of what LangChain has made of one: then the plan itself is there, and nothing of a message. */
function planIn(message: unknown): string {
  const isMessage = field(message, "content") !== undefined
  return (isMessage ? argumentsIn(readTurn(message)) : textOf(message)) ?? wordsOf(message)
}
