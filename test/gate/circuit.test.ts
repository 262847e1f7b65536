/** The circuit breaker: counted in a row, for a tool and for a session, in one gate, in many, and after a new start. */
import { seededIds } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { openCircuit } from "../../src/planner/gate/circuit.ts"
import { fails, makeWorld, openShop, sharedStore } from "./shop.ts"

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const long = { coolDownMs: 60_000 }

/** Without the mail, whose text would make later literals untrusted. */
const failing = () => {
  const world = makeWorld()
  world.next.set("post", fails())
  return world
}

describe("a tool's circuit", () => {
  test("opens after so many failures in a row, of calls and of arguments alike, and says since when", async () => {
    const world = failing()
    const gate = await openShop(world, { ...long, maxConsecutiveFailures: { tool: 3, session: 0 } })
    const kinds: string[] = []
    for (const [index, args] of [{ text: "1" }, { text: 2 }, "{", { text: "4" }, { text: "5" }].entries())
      kinds.push((await gate.call("post", args, { callId: `${index}` })).kind)
    expect(kinds).toEqual(["failed", "refused", "refused", "circuit-open", "circuit-open"])
    expect(world.count("post")).toBe(1)
    expect(await gate.call("post", {}, { callId: "x" })).toMatchObject({ of: "tool", failures: 3 })
    // Another tool is none of its business; and what was recorded is told all the same.
    expect(await gate.call("find", { customerId: "c1" }, { callId: "f" })).toMatchObject({ kind: "accepted" })
    expect(await gate.call("post", { text: "1" }, { callId: "0" })).toMatchObject({ kind: "failed" })
    // A call that was held back may be made later, by the same id.
    await gate.reset("post")
    world.next.clear()
    expect(await gate.call("post", {}, { callId: "x" })).toMatchObject({ kind: "refused" })
    expect(await gate.call("post", { text: "5" }, { callId: "4" })).toMatchObject({ kind: "accepted" })
    await gate.close()
  })

  test("is closed by one success", async () => {
    const world = failing()
    const gate = await openShop(world, { ...long, maxConsecutiveFailures: { tool: 2, session: 0 } })
    await gate.call("post", { text: "1" }, { callId: "1" })
    world.next.clear()
    expect(await gate.call("post", { text: "2" }, { callId: "2" })).toMatchObject({ kind: "accepted" })
    world.next.set("post", fails())
    await gate.call("post", { text: "3" }, { callId: "3" })
    expect(await gate.call("post", { text: "4" }, { callId: "4" })).toMatchObject({ kind: "failed" })
    expect(await gate.call("post", { text: "5" }, { callId: "5" })).toMatchObject({ kind: "circuit-open" })
    await gate.close()
  })

  test("lets one call through after it has cooled down, and opens again if that fails", async () => {
    const world = failing()
    const gate = await openShop(world, { coolDownMs: 60, maxConsecutiveFailures: { tool: 1, session: 0 } })
    await gate.call("post", { text: "1" }, { callId: "1" })
    await wait(70)
    const verdicts = await Promise.all(["2", "3", "4"].map((text) => gate.call("post", { text }, { callId: text })))
    expect(verdicts.map(({ kind }) => kind)).toEqual(["failed", "circuit-open", "circuit-open"])
    await wait(70)
    world.next.clear()
    expect(await gate.call("post", { text: "5" }, { callId: "5" })).toMatchObject({ kind: "accepted" })
    expect(await gate.call("post", { text: "6" }, { callId: "6" })).toMatchObject({ kind: "accepted" })
    await gate.close()
  })

  test("is not walked past by ten calls at once", async () => {
    for (const how of ["turn", "calls"]) {
      const world = failing()
      const gate = await openShop(world, { ...long, maxConsecutiveFailures: { tool: 3, session: 0 } })
      const calls = Array.from({ length: 10 }, (_, index) => ({
        callId: `${index}`,
        tool: "post",
        args: { text: `${index}` },
      }))
      if (how === "turn") await gate.turn(calls)
      else await Promise.all(calls.map(({ tool, args, callId }) => gate.call(tool, args, { callId })))
      expect(world.count("post")).toBe(3)
      await gate.close()
    }
  })

  test("0 never opens it", async () => {
    const world = failing()
    const gate = await openShop(world, { ...long, maxConsecutiveFailures: 0 })
    for (let index = 0; index < 20; index++)
      expect((await gate.call("post", { text: `${index}` }, { callId: `${index}` })).kind).toBe("failed")
    await gate.close()
  })
})

describe("a session's circuit", () => {
  test("counts all its tools, and one success of any closes it", async () => {
    const world = failing()
    const gate = await openShop(world, { ...long, maxConsecutiveFailures: { tool: 0, session: 3 } })
    await gate.call("post", { text: "1" }, { callId: "1" })
    await gate.call("nothing", {}, { callId: "2" })
    await gate.call("find", { customerId: "c1" }, { callId: "3" })
    await gate.call("post", { text: "4" }, { callId: "4" })
    await gate.call("nothing", {}, { callId: "5" })
    await gate.call("find", { customerId: 9 }, { callId: "6" })
    expect(await gate.call("find", { customerId: "c1" }, { callId: "7" })).toMatchObject({
      kind: "circuit-open",
      of: "session",
    })
    await gate.reset()
    expect(await gate.call("mail", {}, { callId: "7" })).toMatchObject({ kind: "accepted" })
    await gate.close()
  })

  test("what a person has said is no failure", async () => {
    const { createRunner } = await import("sequitur/run")
    const { store } = await sharedStore()
    const world = makeWorld()
    const gate = await openShop(world, { store, ...long, maxConsecutiveFailures: 1 })
    const { shop } = await import("./shop.ts")
    const runner = createRunner({ catalog: shop, tools: world.tools, store })
    await gate.call("grant", { right: "r" }, { callId: "1" })
    await runner.deny(gate.runId, "call-1", { by: "eve" })
    expect(await gate.call("grant", { right: "r" }, { callId: "1" })).toMatchObject({ kind: "failed" })
    expect(await gate.call("mail", {}, { callId: "2" })).toMatchObject({ kind: "accepted" })
    await gate.close()
    await runner.close()
  })
})

describe("it is kept with the session", () => {
  test("a new gate of the run, and one of another run of the session, see it; another session does not", async () => {
    const { store } = await sharedStore()
    const world = failing()
    const breaker = { ...long, maxConsecutiveFailures: { tool: 2, session: 0 } }
    const gate = await openShop(world, { store, runId: "one", ...breaker })
    for (const text of ["1", "2"]) await gate.call("post", { text }, { callId: text })
    await gate.leave()
    const again = await openShop(world, { store, runId: "one", ids: seededIds(2), ...breaker })
    expect(await again.call("post", { text: "3" }, { callId: "3" })).toMatchObject({
      kind: "circuit-open",
      failures: 2,
    })
    const beside = await openShop(world, { store, runId: "two", ids: seededIds(3), task: "t2", ...breaker })
    expect(await beside.call("post", { text: "3" }, { callId: "3" })).toMatchObject({
      kind: "circuit-open",
      failures: 2,
    })
    const elsewhere = await openShop(world, { store, runId: "three", ids: seededIds(4), session: "s2", ...breaker })
    expect(await elsewhere.call("post", { text: "3" }, { callId: "3" })).toMatchObject({ kind: "failed" })
    await beside.reset("post")
    world.next.clear()
    expect(await beside.call("post", { text: "4" }, { callId: "4" })).toMatchObject({ kind: "accepted" })
    await again.close()
    await beside.close()
    await elsewhere.close()
  })
})

test("a circuit is open for its time at most, by a clock that was set back too", () => {
  const breaker = { tool: 2, session: 0, coolDownMs: 1_000 }
  const marks = [900, 1_000].map((atMs) => ({ atMs, came: "failed", tool: "pay" }) as const)
  const isOpen = (nowMs: number) => openCircuit(marks, "pay", breaker, nowMs) !== undefined
  expect([1_000, 1_999, 2_000, 999, 0].map(isOpen)).toEqual([true, true, false, false, false])
})
