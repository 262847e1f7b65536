/** The ten lines of the README, round a loop as it may be: `node --conditions=@sequitur/source plans/gate/loop.ts observe`, or `enforce`. */
import { handle, toolsFor } from "sequitur/adapters/anthropic"
import { fromTools } from "sequitur/from-tools"
import { createGate } from "sequitur/gate"
import { memory } from "sequitur/run"
import { z } from "zod"

const existingTools = {
  find_order: {
    description: "Find an order.",
    inputSchema: z.object({ orderId: z.string() }),
    execute: () => ({ cents: 1_200 }),
  },
  refund: {
    description: "Refund an order.",
    inputSchema: z.object({ orderId: z.string(), cents: z.int().min(1).max(5_000) }),
    execute: ({ orderId, cents }: { orderId: string; cents: number }) => {
      console.log(`  refunds ${cents} cents of ${orderId}`)
      return { ok: true }
    },
  },
}
const { catalog, tools, unmapped } = fromTools(existingTools, {
  name: "shop",
  version: "1",
  tools: { find_order: { effect: "read" } },
})
console.log(`not mapped yet: ${unmapped.join(", ")}`)

// Where the provider's client would be: what the model asks for stands here, turn by turn.
const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input })
const turns = [
  [use("1", "find_order", { orderId: "o-17" }), use("2", "refund", { orderId: "o-17", cents: "1200", note: "sorry" })],
  [use("3", "refund", { orderId: "o-17", cents: 1_200 })],
  [{ type: "text", text: "It is done." }],
]
const create = async (_: { messages: object[]; tools: object[] }) => ({ content: turns.shift() ?? [] })

const mode = process.argv[2] === "observe" ? "observe" : "enforce"
const principal = { tenant: "acme", subject: "ada" }
const gate = await createGate({ catalog, tools, store: memory(), principal, session: "s-1", task: "t-1", mode })
const messages: object[] = [{ role: "user", content: "Refund my order o-17." }]
for (let done = false; !done; ) {
  const response = await create({ messages, tools: toolsFor(catalog) })
  const turn = await handle(gate, response)
  messages.push(...turn.messages)
  for (const { callId, tool, kind } of turn.verdicts) console.log(`  ${callId} ${tool}: ${kind}`)
  done = turn.done
}
console.log((await gate.close()).status)
