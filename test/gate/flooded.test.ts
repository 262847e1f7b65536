/** Calls with more faults than anybody counts, and arguments that change under the gate's hands: what is kept of the run stays true. */
import { defineCatalog, tool } from "sequitur"
import { createGate } from "sequitur/gate"
import { memory } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"

const catalog = defineCatalog({
  name: "bank",
  version: "1",
  tools: {
    list: tool({
      description: "List.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ ids: z.array(z.string()) }),
    }),
    vet: tool({
      description: "Vet.",
      effect: "read",
      params: z.strictObject({ ids: z.array(z.string()) }),
      result: z.strictObject({ id: z.string() }),
      rules: { "/ids/*": { from: ["list#/ids/*"] } },
    }),
    web: tool({
      description: "Look into the web.",
      effect: "read",
      params: z.strictObject({ q: z.string() }),
      result: z.strictObject({ id: z.string() }),
    }),
    pay: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ to: z.string() }),
      rules: { to: { from: ["vet#/id"] } },
      idempotency: "natural",
      compensate: "none",
    }),
    note: tool({
      description: "Note.",
      effect: "write",
      params: z.strictObject({ text: z.string() }),
      idempotency: "natural",
      compensate: "none",
    }),
  },
})

async function open(mode: "enforce" | "observe" = "enforce") {
  const made: unknown[] = []
  const note = (args: object): null => {
    made.push(args)
    return null
  }
  const gate = await createGate({
    catalog,
    store: memory(),
    principal: { tenant: "acme", subject: "ada" },
    session: "s",
    task: "t",
    mode,
    tools: {
      list: () => ({ ids: ["a"] }),
      vet: () => ({ id: "good" }),
      web: () => ({ id: "evil" }),
      pay: note,
      note,
    },
  })
  return { gate, made }
}

test.each([1, 1_000, 1_001, 5_000])(
  "%d faults in a refused call: what is behind is what was behind",
  async (faults) => {
    const { gate, made } = await open()
    const ids = Array.from({ length: faults }, (_, index) => `x${index}`)
    expect(await gate.call("vet", { ids }, { callId: "1" })).toMatchObject({ kind: "refused" })
    expect(await gate.call("web", { q: "a" }, { callId: "2" })).toMatchObject({ kind: "accepted" })
    const verdict = await gate.call("pay", { to: "evil" }, { callId: "3" })
    expect(verdict).toMatchObject({ kind: "refused", diagnostics: [{ code: "SEQ601" }] })
    expect(made).toEqual([])
    await gate.call("list", {}, { callId: "4" })
    await gate.call("vet", { ids: ["a"] }, { callId: "5" })
    expect(await gate.call("pay", { to: "good" }, { callId: "6" })).toMatchObject({ kind: "accepted" })
    await gate.close()
  },
)

test.each(["enforce", "observe"] as const)("a call is what it was when it was asked: %s", async (mode) => {
  const { gate, made } = await open(mode)
  const args = { text: "first" }
  const one = gate.call("note", args, { callId: "1" })
  args.text = "second"
  const other = gate.call("note", args, { callId: "2" })
  args.text = "third"
  expect([await one, await other]).toMatchObject([{ kind: "accepted" }, { kind: "accepted" }])
  expect(made).toEqual([{ text: "first" }, { text: "second" }])
  await gate.close()
})
