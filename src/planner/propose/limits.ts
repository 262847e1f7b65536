/** What a proposal may take, and what it has taken: attempts, tokens, money, time. */
import type { Catalog } from "../../catalog/catalog.ts"
import { suggest } from "../../diagnostic/nearest.ts"
import { byteLength } from "../../text/byte-length.ts"
import { demand } from "../../text/demand.ts"
import { isObject } from "../../text/json.ts"
import type { Message, Usage } from "./planner.ts"

/** Asked before each attempt: what has been answered is used, and a plan that compiles is given back whatever it took. */
export interface Limits {
  /** How often the planner is asked. Default 6. */
  readonly attempts?: number
  /** In and out, of all attempts and of what the session has used before. Default: the catalog's `budgets.tokens`. */
  readonly tokens?: number
  /**
   * In millionths of a US dollar, as tokens are. Where it is given here and an answer does not say what it cost, that ends it: what is
   * not told cannot be held. Default: the catalog's `budgets.microUsd`, of what is told.
   */
  readonly microUsd?: number
  /** Of the whole proposal, in milliseconds. Default 300,000. A planner that has not answered by then is interrupted and left. */
  readonly wallMs?: number
  /** UTF-16 units of what a planner is told of one plan. Default 4,000. */
  readonly feedbackLength?: number
  /** Where the next attempt would pass the tokens: older ones are told by their diagnostics only (`summarise`, the default), or it stops. */
  readonly nearTokens?: "summarise" | "stop"
}

export interface Allowed {
  readonly attempts: number
  readonly tokens: number
  readonly microUsd: number
  /** Costs must be told. */
  readonly costsTold: boolean
  readonly wallMs: number
  readonly feedbackLength: number
  readonly summarise: boolean
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** Without saying what it holds. */
const isSome = (value: unknown): boolean => isObject(value)

const names: { readonly [Name in keyof Limits]-?: true } = {
  attempts: true,
  tokens: true,
  microUsd: true,
  wallMs: true,
  feedbackLength: true,
  nearTokens: true,
}

/** Throws a `TypeError` for what is no limit. */
export function readLimits(given: Limits | undefined, { budgets }: Catalog): Allowed {
  demand(given === undefined || isSome(given), "`limits` must be an object")
  const unknown = Object.keys(given ?? {}).find((name) => !Object.hasOwn(names, name))
  if (unknown !== undefined)
    demand(false, `\`limits.${unknown.slice(0, 100)}\` is no limit. ${suggest(unknown, Object.keys(names), "limits")}`)
  const { attempts = 6, tokens, microUsd, wallMs = 300_000, feedbackLength = 4_000, nearTokens } = given ?? {}
  for (const [name, value] of Object.entries({ attempts, tokens, microUsd, wallMs, feedbackLength }))
    demand(value === undefined || isCount(value), `\`limits.${name}\` must be a whole number, 0 or more`)
  demand([undefined, "summarise", "stop"].includes(nearTokens), '`limits.nearTokens` must be "summarise" or "stop"')
  return {
    attempts,
    tokens: tokens ?? budgets.tokens ?? Number.POSITIVE_INFINITY,
    microUsd: microUsd ?? budgets.microUsd ?? Number.POSITIVE_INFINITY,
    costsTold: microUsd !== undefined,
    wallMs,
    feedbackLength,
    summarise: nearTokens !== "stop",
  }
}

/** What has been used, for `session.used` of the next proposal and for `spent` of a run. */
export interface Used {
  readonly tokens: number
  readonly microUsd: number
  /** Not all tokens were told: some are counted by us, a token for three bytes. */
  readonly estimated: boolean
}

export const unused: Used = Object.freeze({ tokens: 0, microUsd: 0, estimated: false })

/** Throws a `TypeError` for what no proposal gives. */
export function readUsed(used: Used | undefined): Used {
  if (used === undefined) return unused
  demand(isSome(used) && isCount(used.tokens) && isCount(used.microUsd), "`session.used` must be a proposal's `used`")
  return { tokens: used.tokens, microUsd: used.microUsd, estimated: used.estimated === true }
}

/** Of one answer. */
export interface Cost {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Undefined where it was not told. */
  readonly microUsd: number | undefined
  readonly estimated: boolean
}

/** What is no count was not told. */
export function costOf(usage: Usage | undefined, messages: readonly Message[], text: string): Cost {
  const { inputTokens, outputTokens, microUsd } = usage ?? {}
  return {
    inputTokens: isCount(inputTokens) ? inputTokens : tokensOf(messages),
    outputTokens: isCount(outputTokens) ? outputTokens : tokensIn(text),
    microUsd: isCount(microUsd) ? microUsd : undefined,
    estimated: !isCount(inputTokens) || !isCount(outputTokens),
  }
}

export const add = (used: Used, { inputTokens, outputTokens, microUsd = 0, estimated }: Cost): Used => ({
  tokens: used.tokens + inputTokens + outputTokens,
  microUsd: used.microUsd + microUsd,
  estimated: used.estimated || estimated,
})

const tokensIn = (text: string): number => Math.ceil(byteLength(text) / 3)

export const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content }) => sum + tokensIn(content), 0)
