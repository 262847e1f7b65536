/** What one call through a gate costs, beside the bare handler and beside parsing its arguments with zod and calling it. */
import { readFile } from "node:fs/promises"
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

/** What a tool does at the least that does anything: one small file is read. */
const read = async ({ orderId }: z.infer<typeof params>): Promise<{ id: string }> => {
  await readFile(new URL(import.meta.url))
  return { id: orderId }
}

const look = async ({ orderId }: z.infer<typeof params>): Promise<{ id: string }> => ({ id: orderId })

/** Calls of one open run, before another is begun. */
const callsOfRun = 200

export const maxTimesParsed = 3

type Handler = typeof look

export async function benchGate(pace: Pace): Promise<readonly Table[]> {
  const args = JSON.stringify({ orderId: "order-1", cents: 900 })
  const bare = (handler: Handler) => async (times: number) => {
    for (let index = 0; index < times; index++) await handler(JSON.parse(args))
  }
  const parsed = (handler: Handler) => async (times: number) => {
    for (let index = 0; index < times; index++) await handler(params.parse(JSON.parse(args)))
  }
  const gated = (handler: Handler) => async (times: number) => {
    for (let left = times; left > 0; left -= callsOfRun) {
      const principal = { tenant: "acme", subject: "ada" }
      const tools = { look: handler }
      const gate = await createGate({ catalog, tools, store: memory(), principal, session: "s", task: "t" })
      for (let index = 0; index < Math.min(left, callsOfRun); index++) {
        const verdict = await gate.call("look", args, { callId: `call_${index}` })
        if (verdict.kind !== "accepted") throw new Error(`a call ends ${verdict.kind}`)
      }
      await gate.close()
    }
  }
  const about = `Arguments as JSON text, two fields. A gate is opened and closed for every ${callsOfRun} calls, and its part of that is counted.`
  const aim = { ratioMax: maxTimesParsed }
  const contenders = (handler: Handler) => [
    { name: "zod, then the handler", run: parsed(handler) },
    { name: "the bare handler", run: bare(handler) },
    { name: "`gate.call`, in memory", run: gated(handler) },
  ]
  const empty = await race(contenders(look), pace)
  const reading = await race(contenders(read), pace)
  return [
    {
      title: "One gated call",
      unit: "call",
      about: `${about} The handler answers at once: what is measured is the gate alone, a step held to those before it, two entries of a journal folded and sealed, a driven run.`,
      rows: empty.map((standing, index) => (index === 2 ? { ...standing, aim } : standing)),
    },
    {
      title: "One gated call of a handler that reads a file",
      unit: "call",
      about: `${about} What a gate adds to a handler that does the least that can be done outside.`,
      rows: reading,
    },
  ]
}
