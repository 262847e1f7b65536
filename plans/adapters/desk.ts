/** A small help desk, and the loop that every example runs: a scripted model asks, the gate answers, until nothing is asked any more. */
import { defineCatalog, tool } from "sequitur"
import { createGate, type Gate } from "sequitur/gate"
import { memory, toolbox } from "sequitur/run"
import { z } from "zod"
import type { Handled } from "../../src/planner/adapters/turn.ts"

export const catalog = defineCatalog({
  name: "help-desk",
  version: "1",
  tools: {
    find_customer: tool({
      description: "Look up a customer by account number.",
      effect: "read",
      params: z.strictObject({ account: z.string().regex(/^A-\d{4}$/) }),
      result: z.strictObject({ email: z.email() }),
    }),
    "mail/send": tool({
      description: "Send a mail.",
      effect: "write",
      params: z.strictObject({ to: z.email(), text: z.string().max(500) }),
      result: z.strictObject({ mailId: z.string() }),
      idempotency: "none",
      compensate: "none",
    }),
  },
})

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const tools = toolbox(catalog, {
  find_customer: () => ({ email: "ada@example.org" }),
  "mail/send": ({ to }) => {
    say(`  (a mail goes to ${to})`)
    return { mailId: "M-1" }
  },
})

type Handle = (gate: Gate, response: object) => Promise<Handled<unknown>>

/** The two calls that a model makes first: one right, one with a mistake in it; then the mended one, then its last words. */
export const account = { account: "A-1042" }
export const wrong = { to: "ada@example.org", txt: "It is done." }
export const right = { to: "ada@example.org", text: "It is done." }

/** `responses`: what the model would say, in the provider's own shape. */
export async function converse(provider: string, handle: Handle, responses: readonly object[]): Promise<void> {
  const principal = { tenant: "acme", subject: "ada" }
  const gate = await createGate({ catalog, tools, store: memory(), principal, session: "s-1", task: "t-1" })
  const conversation: unknown[] = []
  say(provider)
  for (const response of responses) {
    const { messages, done, text, verdicts } = await handle(gate, response)
    conversation.push(...messages)
    for (const { tool, kind } of verdicts) say(`  ${tool}: ${kind}`)
    if (text !== "") say(`  ${text}`)
    if (done) break
  }
  const { status } = await gate.close()
  say(`  ${conversation.length} messages, the run has ${status}`)
}
