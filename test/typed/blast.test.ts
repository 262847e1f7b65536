/** A blast radius, added up by tsc and by the compiler: what counts nothing does not stand in the way of what does. */
import { defineCatalog, definePlan, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"

const catalog = defineCatalog({
  name: "office",
  version: "1",
  machine: { initial: "CLOSED", transitions: { CLOSED: { OPEN: {} }, OPEN: {} } },
  blastRadius: { letters: { max: 3 } },
  tools: {
    send: tool({
      description: "Send a letter.",
      effect: "write",
      params: z.strictObject({ to: z.string() }),
      states: ["CLOSED", "OPEN"],
      blast: { letters: 1 },
      idempotency: "none",
      compensate: "none",
    }),
    look: tool({ description: "Look a name up.", effect: "read", params: z.strictObject({}) }),
  },
})

const send = <const Id extends string>(id: Id) => ({ id, tool: "send", args: { to: id } }) as const
const look = { id: "look", tool: "look", args: {} } as const
const open = { id: "open", transition: "OPEN" } as const

test("calls of tools that count nothing, and transitions, between calls that count", () => {
  const kept = definePlan(catalog, { version: 1, steps: [send("a"), look, send("b"), open, send("c")] })
  expect(kept.diagnostics).toEqual([])
  const { diagnostics } = definePlan(catalog, {
    version: 1,
    // @ts-expect-error SEQ402: the plan may reach 4 letters in total; the limit is 3
    steps: [look, send("a"), open, send("b"), send("c"), send("d")],
  })
  expect(diagnostics.map(({ code, at }) => `${code} ${at}`)).toEqual(["SEQ402 /steps/5/tool"])
})
