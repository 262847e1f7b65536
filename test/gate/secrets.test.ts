/** A secret by the catalog's marks is in no verdict's words, and in nothing that is shown of the run. */
import { Effect } from "effect"
import { defineCatalog, tool } from "sequitur"
import { createGate, verdictText } from "sequitur/gate"
import { RunSecrets } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import { tellVerdict } from "../../src/planner/mcp/serve/proposed.ts"
import { sharedStore, who } from "./shop.ts"

const [card, token] = ["4111-2222-3333-4444", "tok-live-99887766"]

const catalog = defineCatalog({
  name: "pay",
  version: "1",
  tools: {
    open: tool({
      description: "Open a session.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ token: z.string().meta({ sensitive: true }) }),
    }),
    pay: tool({
      description: "Pay.",
      effect: "read",
      params: z.strictObject({ card: z.string().max(30).meta({ sensitive: true }), cents: z.int() }),
      retry: { times: 1 },
    }),
    echo: tool({
      description: "Say it again.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ said: z.string() }),
    }),
  },
})

test.each(["enforce", "observe"] as const)("in mode %s", async (mode) => {
  const { store, journal } = await sharedStore()
  const tools = {
    open: () => ({ token }),
    echo: () => ({ said: "" }),
    pay: ({ card: given }: { card: string }) => {
      throw new Error(`card ${given} refused, session ${mode === "enforce" ? token : ""}`)
    },
  }
  const gate = await createGate({ ...who, inputs: undefined, catalog, tools: tools as never, store, mode })
  const verdicts = [
    await gate.call("open", {}, { callId: "a" }),
    await gate.call("pay", { card, cents: 1 }, { callId: "b" }),
    await gate.call("pay", { card, cents: "1" }, { callId: "c" }),
    await gate.call("pay", { card: `${card}${"0".repeat(30)}`, cents: 1 }, { callId: "d" }),
    await gate.call("pay", `{"card": "${card}", "cents": 1`, { callId: "e" }),
  ]
  expect(verdicts[1]).toMatchObject({ kind: "failed" })
  const told = verdicts.map((verdict) => verdictText(verdict, { catalog })).join("\n")
  const entries = await Effect.runPromise(journal.read(gate.runId))
  const secrets = RunSecrets.of(entries)
  const shown = JSON.stringify(entries.map((entry) => secrets.redact(entry)))
  for (const secret of [card, token]) {
    expect(told).not.toContain(secret)
    expect(shown).not.toContain(secret)
  }
  await gate.close()
})

test.each(["enforce", "observe"] as const)(
  "nor what another step's answer holds, told by a third (%s)",
  async (mode) => {
    const { store } = await sharedStore()
    const tools = { open: () => ({ token }), pay: () => null, echo: () => ({ said: `the token is ${token}` }) }
    const gate = await createGate({ ...who, inputs: undefined, catalog, tools: tools as never, store, mode })
    await gate.call("open", {}, { callId: "a" })
    const echoed = await gate.call("echo", {}, { callId: "b" })
    expect(echoed).toMatchObject({ kind: "accepted", result: { said: `the token is ${token}` } })
    expect(verdictText(echoed, { catalog })).toBe('{"said":"the token is [redacted]"}')
    // A queue hands on a copy.
    const copied = JSON.parse(JSON.stringify(echoed)) as typeof echoed
    expect(verdictText(copied, { catalog })).toBe('{"said":"the token is [redacted]"}')
    const again = await gate.call("echo", {}, { callId: "b" })
    expect(JSON.stringify(tellVerdict(again, catalog))).not.toContain(token)
    await gate.close()
  },
)
