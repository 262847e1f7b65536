/** An imported run that a gate takes over: what people have said in it is held to the key set of here. */
import { Effect } from "effect"
import { defineCatalog, tool } from "sequitur"
import { createGate } from "sequitur/gate"
import { createRunner, generateKeys, issueApproval } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import { exportLines, importLines } from "../../src/journal/export.ts"
import { sharedStore } from "./shop.ts"

const catalog = defineCatalog({
  name: "bank",
  version: "1",
  machine: { initial: "OUTSIDE", transitions: { OUTSIDE: { INSIDE: { guard: "approval" } }, INSIDE: {} } },
  tools: {
    pay: tool({
      description: "Pay.",
      effect: "destructive",
      params: z.strictObject({ to: z.string() }),
      states: ["INSIDE"],
      idempotency: "natural",
      compensate: "none",
    }),
  },
})

const keysOf = () => {
  const { kid, publicKey, privateKey } = generateKeys()
  return { kid, privateKey, keySet: [{ kid, publicKey, subject: "eve", tenant: "t", roles: [] }] }
}

test("an approval signed by a key that is not of here opens nothing", async () => {
  const paid: unknown[] = []
  const tools = { pay: (args: unknown) => void paid.push(args) }
  const who = { principal: { tenant: "t", subject: "ada" }, session: "s", task: "k", runId: "R" } as const
  const elsewhere = await sharedStore()
  const theirs = keysOf()
  const open = (store: typeof elsewhere.store, approvers: typeof theirs.keySet, more = {}) =>
    createGate({ catalog, tools, store, approvers, ...who, ...more } as never)
  const gate = await open(elsewhere.store, theirs.keySet)
  expect(await gate.enter("INSIDE" as never)).toMatchObject({ kind: "waiting" })
  const runner = createRunner({ catalog, tools, store: elsewhere.store, approvers: theirs.keySet } as never)
  const [waiting] = await runner.approvals.list()
  if (waiting?.bound === undefined) throw new Error("nothing waits")
  const { bound } = waiting
  const token = await issueApproval({ bound, decision: "approved", kid: theirs.kid, key: theirs.privateKey })
  await runner.decide("R", waiting.request.stepId, { decision: "approved", token } as never)
  expect(await gate.enter("INSIDE" as never)).toMatchObject({ kind: "accepted" })
  await gate.leave()
  await runner.close()
  const lines = await Effect.runPromise(elsewhere.journal.inspect((whole) => [...exportLines(whole)]))
  const imported = importLines(lines)
  if (imported.kind !== "whole") throw new Error(imported.kind)
  const here = await sharedStore()
  await Effect.runPromise(here.journal.adopt(imported.entries))
  await expect(open(here.store, keysOf().keySet, { takeOver: true })).rejects.toMatchObject({
    code: expect.stringMatching(/^RUN/),
  })
  // By the keys it was signed with, it goes on.
  const known = await open(here.store, theirs.keySet, { takeOver: true })
  expect(await known.call("pay" as never, { to: "x" } as never, { callId: "p" })).toMatchObject({ kind: "accepted" })
  expect(paid).toEqual([{ to: "x" }])
  await known.close()
})
