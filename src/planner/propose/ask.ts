/** One question to a planner, which may fail, lie, be silent or be interrupted: whatever it does comes back as a value. */
import type { Message, Planner, Usage } from "./planner.ts"

export type Heard =
  | { readonly kind: "answer"; readonly text: string; readonly usage: Usage | undefined }
  /** It threw (`error` is what), or gave what is no answer. */
  | { readonly kind: "planner-failed"; readonly problem: string; readonly error?: unknown }
  | { readonly kind: "time" }
  | { readonly kind: "aborted" }

/** Timers count in 32 bits. */
const longestMs = 2_147_483_647

/** When the time is up, or the host says so, its signal is aborted, and what it does from then on is nobody's concern. */
export async function ask(
  planner: Planner,
  messages: readonly Message[],
  leftMs: number,
  outer: AbortSignal | undefined,
): Promise<Heard> {
  if (outer?.aborted === true) return { kind: "aborted" }
  const own = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let onAbort: (() => void) | undefined
  const stopped = new Promise<Heard>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "time" }), Math.min(leftMs, longestMs))
    onAbort = () => resolve({ kind: "aborted" })
    outer?.addEventListener("abort", onAbort, { once: true })
  })
  try {
    return await Promise.race([hear(planner, messages, own.signal), stopped])
  } finally {
    clearTimeout(timer)
    if (onAbort !== undefined) outer?.removeEventListener("abort", onAbort)
    own.abort()
  }
}

async function hear(planner: Planner, messages: readonly Message[], signal: AbortSignal): Promise<Heard> {
  try {
    // Its own copies: nothing that it does to them reaches the exchange.
    const answer: unknown = await planner(
      messages.map(({ role, content }) => ({ role, content })),
      { signal },
    )
    if (typeof answer !== "object" || answer === null) return noAnswer(`gave ${nameOf(answer)}`)
    const { text, usage } = answer as { readonly text?: unknown; readonly usage?: unknown }
    if (typeof text !== "string") return noAnswer(`gave an answer whose \`text\` is ${nameOf(text)}`)
    return { kind: "answer", text, usage: copyUsage(usage) }
  } catch (error) {
    return { kind: "planner-failed", problem: "the planner failed", error }
  }
}

/** Read once; what it holds is looked at later. */
function copyUsage(usage: unknown): Usage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined
  const { inputTokens, outputTokens, microUsd } = usage as Usage
  return { inputTokens, outputTokens, microUsd } as Usage
}

const noAnswer = (what: string): Heard => ({
  kind: "planner-failed",
  problem: `the planner ${what}, not an answer: \`{ text, usage }\``,
})

const nameOf = (value: unknown): string =>
  value === null || value === undefined ? `${value}` : `a value of type ${typeof value}`
