/** Who agrees to a guarded state before any call is there is told what they agree to. */
import { createRunner } from "sequitur/run"
import { expect, test } from "vitest"
import { explainApproval } from "../../src/explain/approval.ts"
import { makeWorld, openShop, sharedStore, shop } from "./shop.ts"

test("the tools of the state, and until when", async () => {
  const world = makeWorld()
  const { store } = await sharedStore()
  const gate = await openShop(world, { store, expiresMs: 60_000 })
  const runner = createRunner({ catalog: shop, tools: world.tools, store } as never)
  expect(await gate.enter("ADMIN")).toMatchObject({ kind: "waiting" })
  const [waiting] = await runner.approvals.list()
  if (waiting === undefined) throw new Error("nobody is asked")
  const { request, expiresAtMs } = waiting
  expect(request.follows).toEqual([])
  expect(request.opens).toEqual({
    tools: [
      { tool: "find", effect: "read" },
      { tool: "grant", effect: "write" },
      { tool: "mail", effect: "read" },
      { tool: "post", effect: "write" },
      { tool: "wipe", effect: "destructive" },
    ],
    untilMs: expiresAtMs,
  })
  const text = explainApproval(request, { color: false, unicode: true } as never)
  expect(text).not.toContain("no step follows")
  expect(text).toContain("wipe (destructive)")
  expect(text).toContain(new Date(expiresAtMs ?? 0).toISOString())
  expect(text).not.toContain("refund")
  await runner.decide(gate.runId, request.stepId, { decision: "approved", by: "eve" } as never)
  // Taken up by another, what was asked is worked out anew from the journal.
  await gate.leave()
  const again = await openShop(world, { store, runId: gate.runId })
  expect(await again.call("wipe", {}, { callId: "w" })).toMatchObject({ kind: "accepted" })
  await again.close()
  await runner.close()
})
