/** What one call through a gate costs, beside the bare handler and beside parsing its arguments with zod and calling it. */
import { defineCatalog, tool } from "sequitur"
import { createGate } from "sequitur/gate"
import { memory } from "sequitur/run"
import { z } from "zod"
import { type Pace, race } from "./harness.ts"
import type { Table } from "./report.ts"

const params = z.strictObject({
  orderId: z.string().max(40),
  cents: z.int().min(0).max(90_000),
  note: z.string().optional(),
})

const catalog = defineCatalog({
  name: "gate",
  version: "1",
  tools: {
    look: tool({
      description: "Look at an order.",
      effect: "read",
      params,
      result: z.strictObject({ id: z.string() }),
    }),
  },
})

const look = async ({ orderId }: z.infer<typeof params>): Promise<{ id: string }> => ({ id: orderId })

/** Calls of one open run, before another is begun. */
const callsOfRun = 20

export const maxTimesParsed = 3

export async function benchGate(pace: Pace): Promise<readonly Table[]> {
  const args = JSON.stringify({ orderId: "order-1", cents: 900 })
  const bare = async (times: number): Promise<void> => {
    for (let index = 0; index < times; index++) await look(JSON.parse(args))
  }
  const parsed = async (times: number): Promise<void> => {
    for (let index = 0; index < times; index++) await look(params.parse(JSON.parse(args)))
  }
  const gated = async (times: number): Promise<void> => {
    for (let left = times; left > 0; left -= callsOfRun) {
      const principal = { tenant: "acme", subject: "ada" }
      const gate = await createGate({ catalog, tools: { look }, store: memory(), principal, session: "s", task: "t" })
      for (let index = 0; index < Math.min(left, callsOfRun); index++) {
        const verdict = await gate.call("look", args, { callId: `call_${index}` })
        if (verdict.kind !== "accepted") throw new Error(`a call ends ${verdict.kind}`)
      }
      await gate.close()
    }
  }
  const standings = await race(
    [
      { name: "zod, then the handler", run: parsed },
      { name: "the bare handler", run: bare },
      { name: "`gate.call`, in memory", run: gated },
    ],
    pace,
  )
  return [
    {
      title: "One gated call",
      unit: "call",
      about: `Arguments as JSON text, two fields, a handler that answers at once. A gate is opened and closed for every ${callsOfRun} calls, and its part of that is counted. What a gate adds is a plan compiled, a journal written and folded, and a driven run; it is worth it beside a handler that does something outside.`,
      rows: standings.map((standing, index) =>
        index === 2 ? { ...standing, aim: { ratioMax: maxTimesParsed } } : standing,
      ),
    },
  ]
}
