/** A model as `propose` sees it: messages in, text out. Whose it is and how it is reached is the host's. */
export interface Message {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

/** What an answer has cost, where the host is told. */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** In millionths of a US dollar. */
  readonly microUsd?: number
}

export interface Answer {
  /** What the model wrote: the plan's JSON text, or what it wrote instead. */
  readonly text: string
  readonly usage?: Usage
}

export type Planner = (messages: readonly Message[], options: { readonly signal: AbortSignal }) => Promise<Answer>
