/**
 * A provider's model as a planner. The request is built here, in the provider's form; sending it, with what key and by what client, is
 * the host's. Whatever text comes back is the answer, also where it is a refusal or was cut short: it does not compile, and the planner
 * is told why. Only where there is no text at all the planner fails, with `NoAnswer`.
 */
import { demand } from "../../text/demand.ts"
import type { PlanSchema } from "../form/schema.ts"
import type { Answer, Message, Planner, Usage } from "../propose/planner.ts"
import { isMembers, problemIn } from "./read.ts"
import { callsIn, type Ending, type Turn } from "./turn.ts"

export interface PlannerOptions<Request> {
  /** Sends a request and gives the provider's whole response, not streamed: `(request, { signal }) => client.….create(request, { signal })`. */
  readonly send: (request: Request, options: { readonly signal: AbortSignal }) => PromiseLike<unknown>
  readonly model: string
  /** Of `planSchema(catalog, { for: … })`: then the output is held to it. Its `form` is for `propose`. */
  readonly schema?: PlanSchema
  /** The most that the model may write, in its tokens. */
  readonly maxTokens?: number
}

/** Of a planner whose provider is asked through a library, which has its own way of holding a model to a schema: `send` is given it. */
export interface LibraryPlannerOptions<Request, Schema, Held extends PlanSchema | undefined> {
  readonly send: (
    request: Request,
    options: { readonly signal: AbortSignal; readonly schema: Held extends PlanSchema ? Schema : undefined },
  ) => PromiseLike<unknown>
  /** Of `planSchema(catalog, { for: … })`, for the provider behind the library. Its `form` is for `propose`. */
  readonly schema?: Held
}

/** The provider gave nothing that could be told from a plan: no text at all. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
  readonly ending: Ending
  /** What the provider says went wrong, where it says it. */
  readonly reason: string | undefined

  constructor(ending: Ending, reason?: string) {
    const because = reason === undefined ? "" : `; the provider says: ${JSON.stringify(reason)}`
    super(`the model gave no text: its turn ended as "${ending}"${because}`)
    this.ending = ending
    this.reason = reason
  }
}

export interface Read {
  readonly text: string
  readonly ending: Ending
  readonly usage: Usage
}

export function plannerBy<Request>(
  { send, model }: Pick<PlannerOptions<Request>, "send"> & { readonly model?: string },
  requestOf: (messages: readonly Message[], signal: AbortSignal) => Request,
  read: (response: unknown) => Read,
): Planner {
  demand(typeof send === "function", "`send` must be a function that sends a request")
  demand(model === undefined || (typeof model === "string" && model !== ""), "`model` must name a model")
  return async (messages, { signal }): Promise<Answer> => {
    const response = await send(requestOf(messages, signal), { signal })
    const { text, ending, usage } = read(response)
    if (text === "") throw new NoAnswer(ending, ending === "failed" ? problemIn(response) : undefined)
    return { text, usage }
  }
}

/** What a plan is called, where a provider asks for a name of its schema. */
export const planName = "plan"

/**
 * Of a planner that was given its schema as the one tool it has to call: the call's arguments are its answer. Those of a turn that did
 * not come to its end are none, for what was cut off may have been completed, and would be a plan that the model has not written.
 */
export function argumentsIn(turn: Turn): string | undefined {
  const [call, ...others] = callsIn(turn)
  if (call === undefined || others.length > 0 || turn.ending !== undefined || call.cut !== undefined) return undefined
  return typeof call.args === "string" ? call.args : textOf(call.args)
}

/** A plan that came as a value. */
export function textOf(value: unknown): string | undefined {
  if (!isMembers(value)) return undefined
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** A sum of what is told; nothing where none of it is. */
export function usageOf(inputs: readonly (number | undefined)[], outputs: readonly (number | undefined)[]): Usage {
  const sum = (counts: readonly (number | undefined)[]): number | undefined =>
    counts.reduce((all, count) => (count === undefined ? all : (all ?? 0) + count), undefined)
  const [inputTokens, outputTokens] = [sum(inputs), sum(outputs)]
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  }
}

export const systemOf = (messages: readonly Message[]): string =>
  messages
    .filter(({ role }) => role === "system")
    .map(({ content }) => content)
    .join("\n\n")

export interface Spoken {
  readonly role: "user" | "assistant"
  readonly content: string
}

/** Without the system's; neighbours of one role become one, for providers that want them to take turns. */
export function spokenOf(messages: readonly Message[]): readonly Spoken[] {
  const spoken: Spoken[] = []
  for (const { role, content } of messages) {
    if (role === "system") continue
    const last = spoken.at(-1)
    if (last?.role === role) spoken[spoken.length - 1] = { role, content: `${last.content}\n\n${content}` }
    else spoken.push({ role, content })
  }
  return spoken
}
