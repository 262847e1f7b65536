/**
 * One turn of a model, whatever provider it came by: its calls go to the gate together, and each is answered exactly once. A call is
 * not made, and is told so, where its answer was cut short or withheld, and where its id stands before it in the same answer.
 */
import { sha256 } from "#sha256"
import type { Catalog } from "../../catalog/catalog.ts"
import { demand } from "../../text/demand.ts"
import type { Turns, Verdict } from "../gate/verdict.ts"
import { isName, nameFrom, namesOf } from "./names.ts"
import { problemIn } from "./read.ts"
import { type Tell, tell } from "./told.ts"

/** What an adapter needs of a gate: its catalog tells the names that tools have there from those they have at a provider. */
export interface CallGate extends Turns {
  readonly catalog: Catalog
}

export interface HandleOptions {
  /** What the model is told of a verdict. */
  readonly tell?: Tell
}

/**
 * How a model's turn ended. `calls`: it asks for some. `finished`: it does not. `cut-short`: by a limit of length. `refused`: by the
 * model, or a filter. `paused`: it is to be sent back as it is, to go on. `failed`: by the provider's word, or it cannot be read.
 */
export type Ending = "calls" | "finished" | "cut-short" | "refused" | "paused" | "failed"

export interface Handled<Message> {
  /** To be appended to the conversation: what the model said, as it came, and then the answers to all its calls. */
  readonly messages: Message[]
  /** Nothing is to be sent back: the model asked for no call, and waits for nothing. */
  readonly done: boolean
  /** What the model said in words, its refusal among them. */
  readonly text: string
  readonly ending: Ending
  /** Of an answer that failed: what its provider says went wrong, where it says it. */
  readonly reason?: string
  /** Of the calls that went to the gate, in their order. */
  readonly verdicts: readonly Verdict[]
  /** Calls among `messages` that the host has to answer itself, before anything is sent back. Then it is not `done`. */
  readonly left: readonly object[]
}

/** A call as a provider gave it: none of it is trusted. */
export interface Call {
  readonly id: unknown
  /** The tool's name at the provider. */
  readonly name: unknown
  readonly args: unknown
  /** Why it is not to be made, where the rest of its turn is. */
  readonly cut?: string | undefined
}

export interface Answered {
  /** The provider's own, or one made for a call that had none of its own. */
  readonly id: string
  /** A name that the provider takes back. */
  readonly name: string
  /** Both are as the provider gave them: what it said can go back as it is. */
  readonly intact: boolean
  readonly text: string
  /** The tool gave no result. */
  readonly failed: boolean
}

/** A part of what a model said, looked at once; `call` where it is one. */
export interface Part {
  readonly source: object
  readonly call: Call | undefined
}

export interface Turn {
  readonly parts: readonly Part[]
  /** The words beside them, where they are no parts themselves. */
  readonly words?: string | undefined
  /** How it ended, calls apart; `cut` says why none of its calls is to be made. */
  readonly ending: Exclude<Ending, "calls" | "finished"> | undefined
  /** The provider's id of the answer, from which ids are made for calls that have none; without one, from what was said. */
  readonly responseId: string | undefined
  /** Calls of tools that are no functions: the host offered them, and answers them. */
  readonly left?: readonly object[] | undefined
  /** It ends with answers that somebody else gave, and the model has not seen. */
  readonly unheard?: boolean
}

export interface Answers {
  readonly answers: readonly Answered[]
  readonly verdicts: readonly Verdict[]
}

/** Rejects only where the gate does: for a host's mistake, or a store that fails. */
export async function answer(gate: CallGate, turn: Turn, options: HandleOptions = {}): Promise<Answers> {
  const { toCatalog } = namesOf(gate.catalog)
  const say = options.tell ?? tell
  const named = nameCalls(turn)
  const made = named.filter(({ untold }) => untold === undefined)
  const verdicts =
    made.length === 0
      ? []
      : await gate.turn(made.map(({ id, call }) => ({ callId: id, tool: toCatalog(told(call.name)), args: call.args })))
  demand(verdicts.length === made.length, `the gate gave ${verdicts.length} verdicts for ${made.length} calls`)
  let next = 0
  const answers = named.map(({ id, call, intact, untold }) => {
    const name = isName(call.name) ? call.name : nameFrom(told(call.name)).slice(0, 64)
    const verdict = untold === undefined ? verdicts[next++] : undefined
    const text = verdict === undefined ? (untold ?? "") : say(verdict, gate.catalog)
    return { id, name, intact, text, failed: verdict?.kind !== "accepted" }
  })
  return { answers, verdicts }
}

const told = (name: unknown): string => (typeof name === "string" ? name : "")

interface Named {
  readonly call: Call
  readonly id: string
  readonly intact: boolean
  /** Why it is not made. */
  readonly untold: string | undefined
}

const isId = (id: unknown): id is string => typeof id === "string" && /^[!-~]{1,256}$/.test(id)

export const callsIn = ({ parts }: Turn): readonly Call[] =>
  parts.flatMap(({ call }) => (call === undefined ? [] : [call]))

function nameCalls(turn: Turn): readonly Named[] {
  const { ending, responseId } = turn
  const calls = callsIn(turn)
  const given = new Set(calls.map(({ id }) => id).filter(isId))
  const seen = new Set<string>()
  let seed = responseId
  return calls.map((call, index) => {
    const { id, cut = cutBy(ending) } = call
    const repeated = isId(id) && seen.has(id)
    if (!isId(id) || repeated) {
      seed ??= `content/${digestOf(turn)}`
      const own = makeId(seed, index, given)
      return { call, id: own, intact: false, untold: cut ?? (repeated ? twice : undefined) }
    }
    seen.add(id)
    return { call, id, intact: isName(call.name), untold: cut }
  })
}

/**
 * Of an answer whose provider gives it no id: by all that was said, so that the same answer handled again makes no call a second time.
 * A later answer that says the very same, without any id, is taken for it too, and replays.
 */
function digestOf({ parts, words }: Turn): string {
  const said = [words ?? "", ...parts.map(({ source }) => source)]
  try {
    return sha256(JSON.stringify(said, (_, value) => inOrder(value)))
  } catch {
    return globalThis.crypto.randomUUID()
  }
}

function inOrder(value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The same for the same answer: handled again, its calls are the same calls. */
function makeId(seed: string, index: number, given: ReadonlySet<string>): string {
  const id = `call_${sha256(`${seed}/${index}`).slice(0, 24)}`
  return given.has(id) ? makeId(`${seed}/`, index, given) : id
}

const twice =
  "Not made: the id of this call stands before it in the same answer. Only the first call of that id was made."

function cutBy(ending: Turn["ending"]): string | undefined {
  switch (ending) {
    case undefined:
      return undefined
    case "cut-short":
      return "Not made: the answer was cut short before its end. Ask again, in fewer words or for fewer calls at once."
    case "refused":
      return "Not made: the answer with this call was withheld."
    case "paused":
      return "Not made: the answer was paused before its end. Ask again."
    case "failed":
      return "Not made: the answer with this call did not come to its end. Ask again."
  }
}

export const unfinished = cutBy("cut-short")

/** What the model said, to go back: as it came, but for calls that `mend` writes anew because they could not. */
export function sayAgain(
  { parts }: Turn,
  answers: readonly Answered[],
  mend: (source: object, call: Call, answered: Answered) => unknown,
): readonly unknown[] {
  let next = 0
  return parts.map(({ source, call }) => {
    const answered = call === undefined ? undefined : answers[next++]
    return call === undefined || answered === undefined ? source : mend(source, call, answered)
  })
}

/** All of it together. */
export function handled<Message>(
  turn: Turn,
  said: string,
  verdicts: readonly Verdict[],
  messages: Message[],
  response: unknown,
): Handled<Message> {
  const { ending, left = [], unheard = false } = turn
  const calls = unheard || callsIn(turn).length + left.length > 0
  const reason = ending === "failed" ? problemIn(response) : undefined
  return {
    messages,
    done: !calls && ending !== "paused",
    text: said,
    ending: ending ?? (calls ? "calls" : "finished"),
    ...(reason === undefined ? {} : { reason }),
    verdicts,
    left,
  }
}

/** What the model said, and one turn of its user with all results. One without content is not taken back. */
export const inTwoTurns = <Block, Result>(content: readonly Block[], results: readonly Result[]) => [
  ...(content.length === 0 ? [] : [{ role: "assistant" as const, content: [...content] }]),
  ...(results.length === 0 ? [] : [{ role: "user" as const, content: [...results] }]),
]

/** Of Anthropic's stop reasons, and of Bedrock's, which are those and some more. */
export function endingFor(reason: unknown, parts: Turn["parts"]): Turn["ending"] {
  switch (reason) {
    case "tool_use":
    case "end_turn":
    case undefined:
    case null:
      return undefined
    case "stop_sequence":
      // It may stand in the middle of a call's arguments.
      return parts.some(({ call }) => call !== undefined) ? "cut-short" : undefined
    case "max_tokens":
    case "model_context_window_exceeded":
      return "cut-short"
    case "refusal":
    case "guardrail_intervened":
    case "content_filtered":
      return "refused"
    case "pause_turn":
      return "paused"
    default:
      return "failed"
  }
}
