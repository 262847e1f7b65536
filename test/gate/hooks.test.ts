/** What a host is told of calls: the reason of each, and nothing that could fail, delay or change one. */
import { createMonitor, type GateHooks, type Told } from "sequitur/gate"
import { describe, expect, test, vi } from "vitest"
import { fails, makeWorld, openShop, throws } from "./shop.ts"

const listening = (): { readonly hooks: GateHooks; readonly heard: string[]; readonly told: Told[] } => {
  const heard: string[] = []
  const told: Told[] = []
  const hear = (name: string) => (one: { callId: string; reason?: string | undefined }) =>
    heard.push(`${name} ${one.callId}${one.reason === undefined ? "" : ` ${one.reason}`}`)
  return {
    heard,
    told,
    hooks: {
      onProposed: hear("proposed"),
      onVerdict: (one) => told.push(one),
      onAccepted: hear("accepted"),
      onRefused: hear("refused"),
      onFailed: hear("failed"),
      onWaiting: hear("waiting"),
      onInDoubt: hear("in-doubt"),
    },
  }
}

describe("hooks", () => {
  test("tell each verdict by its own reason", async () => {
    const world = makeWorld()
    const { hooks, heard, told } = listening()
    const gate = await openShop(world, {
      hooks,
      maxConsecutiveFailures: { tool: 2, session: 0 },
      origin: { model: "m-1" },
    })
    const call = (callId: string, tool: string, args: unknown) => gate.call(tool, args, { callId })
    await call("1", "find", { customerId: "c1" })
    await call("2", "nonsense", {})
    world.next.set("post", fails())
    await call("3", "post", { text: "a" })
    await call("4", "post", { text: 5 })
    await call("5", "post", { text: "b" })
    await call("1", "find", { customerId: "c1" })
    await call("1", "find", { customerId: "c2" })
    await call("6", "grant", { right: "all" })
    await gate.close()
    await call("7", "find", { customerId: "c1" })
    await vi.waitFor(() => expect(told).toHaveLength(9))
    expect(heard.filter((one) => !one.startsWith("proposed"))).toEqual([
      "accepted 1",
      "refused 2 validation",
      "failed 3 handler-failure",
      "refused 4 validation",
      "refused 5 circuit-open",
      "accepted 1",
      "refused 1 call-id-reused",
      "waiting 6 approval-waiting",
      "refused 7 run-over",
    ])
    expect(heard.filter((one) => one.startsWith("proposed"))).toHaveLength(9)
    expect(told[0]).toMatchObject({
      tenant: "acme",
      session: "s1",
      model: "m-1",
      tool: "find",
      known: true,
      effect: false,
    })
    expect(told[1]).toMatchObject({ known: false, codes: ["SEQ108"] })
    expect(told[3]).toMatchObject({ effect: true, codes: ["SEQ122"], again: false, replayed: false })
    expect(told[5]).toMatchObject({ again: true, replayed: true })
    for (const one of told) expect(one.tookMs).toBeGreaterThanOrEqual(0)
    // Nothing that was asked for is in it.
    expect(JSON.stringify(told)).not.toMatch(/"c1"|"c2"|"all"|orders/)
  })

  test("a doubt is told as one", async () => {
    const world = makeWorld()
    const { hooks, heard } = listening()
    const gate = await openShop(world, { hooks })
    world.next.set("post", throws)
    await gate.call("post", { text: "a" }, { callId: "1" })
    await gate.call("find", { customerId: "c1" }, { callId: "2" })
    await vi.waitFor(() =>
      expect(heard).toEqual(["proposed 1", "in-doubt 1 in-doubt", "proposed 2", "in-doubt 2 in-doubt"]),
    )
    await gate.leave()
  })

  test("are told of a proposal while it is under way", async () => {
    const world = makeWorld()
    const { hooks, heard } = listening()
    const gate = await openShop(world, { hooks })
    let answer = (): void => {}
    world.next.set("post", () => new Promise<void>((resolve) => (answer = resolve as never)).then(() => ({})))
    const verdict = gate.call("post", { text: "a" }, { callId: "1" })
    await vi.waitFor(() => expect(heard).toEqual(["proposed 1"]))
    await vi.waitFor(() => expect(world.count("post")).toBe(1))
    answer()
    expect(await verdict).toMatchObject({ kind: "accepted" })
    await gate.close()
  })

  const hostile: { readonly [how: string]: (told: object) => unknown } = {
    throw: () => {
      throw new Error("in the host's log")
    },
    reject: () => Promise.reject(new Error("later")),
    "never settle": () => new Promise(() => {}),
    "give a thenable that throws": () => ({
      // biome-ignore lint/suspicious/noThenProperty: it is what a hook may give.
      get then() {
        throw new Error("then")
      },
    }),
    "change what they are told": (told) => {
      for (const key of Object.keys(told)) Reflect.set(told, key, "changed")
      Reflect.deleteProperty(told, "kind")
      throw new TypeError("frozen")
    },
  }
  test.each(Object.entries(hostile))("that %s change no verdict, and hold none up", async (_, act) => {
    const world = makeWorld()
    let count = 0
    const hook = (told: object): unknown => {
      count++
      return act(told)
    }
    const hooks: GateHooks = { onProposed: hook, onVerdict: hook, onAccepted: hook, onRefused: hook, onFailed: hook }
    const gate = await openShop(world, { hooks })
    const verdicts = await gate.turn([
      { callId: "1", tool: "find", args: { customerId: "c1" } },
      { callId: "2", tool: "find", args: { customer: "c1" } },
      { callId: "3", tool: "post", args: { text: "a" } },
    ])
    expect(verdicts.map(({ kind }) => kind)).toEqual(["accepted", "refused", "accepted"])
    expect((await gate.close()).status).toBe("succeeded")
    await vi.waitFor(() => expect(count).toBe(9))
  })

  test("run after the verdict is handed on", async () => {
    const order: string[] = []
    const gate = await openShop(makeWorld(), { hooks: { onAccepted: () => order.push("hook") } })
    await gate.call("post", { text: "a" }, { callId: "1" })
    order.push("host")
    await vi.waitFor(() => expect(order).toEqual(["host", "hook"]))
    await gate.close()
  })

  test.each([
    [{ onAccept: () => {} }, "`hooks.onAccept` of this gate is none"],
    [{ onAccepted: "log" }, "`hooks.onAccepted` of this gate must be a function"],
    ["log", "`hooks` of this gate must be an object"],
  ])("that are none are the host's mistake: %o", async (hooks, said) => {
    await expect(openShop(makeWorld(), { hooks: hooks as never })).rejects.toThrow(said)
  })
})

describe("the monitor of a gate", () => {
  const small = { learn: 20, falseAlarmEvery: 100 }
  const posting = (gate: Awaited<ReturnType<typeof openShop>>) => {
    let next = 0
    return (args: unknown) => gate.call("post", args, { callId: `${next++}` })
  }

  test("holds effects once fewer of them pass, reads never, until it is released", async () => {
    const world = makeWorld()
    const monitor = createMonitor({ ...small, hold: true })
    const { hooks, told } = listening()
    const gate = await openShop(world, { hooks, monitor, maxConsecutiveFailures: 0 })
    const post = posting(gate)
    for (let index = 0; index < 25; index++) expect((await post({ text: `${index}` })).kind).toBe("accepted")
    const kinds: string[] = []
    for (let index = 0; index < 20; index++) kinds.push((await post({ txt: "a" })).kind)
    const refused = kinds.indexOf("held")
    expect(refused).toBeGreaterThan(3)
    expect(new Set(kinds.slice(0, refused))).toEqual(new Set(["refused"]))
    expect(new Set(kinds.slice(refused))).toEqual(new Set(["held"]))
    const made = world.count("post")
    const verdict = await gate.call("post", { text: "b" }, { callId: "held" })
    expect(verdict).toMatchObject({ kind: "held", sinceMs: expect.any(Number) })
    expect(world.count("post")).toBe(made)
    expect((await gate.call("find", { customerId: "c1" }, { callId: "read" })).kind).toBe("accepted")
    monitor.release({ tenant: "acme" })
    expect((await gate.call("post", { text: "b" }, { callId: "held" })).kind).toBe("accepted")
    await gate.close()
    await vi.waitFor(() => expect(told.map(({ reason }) => reason)).toContain("drift"))
  })

  test("counts neither what is asked again, nor what people, breakers and handlers do", async () => {
    const world = makeWorld()
    const monitor = createMonitor(small)
    const gate = await openShop(world, { monitor, maxConsecutiveFailures: { tool: 2, session: 0 } })
    const share = () => monitor.series().find(({ of }) => of.tool === "post" && of.tenant === undefined)
    await gate.call("post", { text: "a" }, { callId: "1" })
    await gate.call("post", { text: "a" }, { callId: "1" })
    await gate.call("post", { text: "b" }, { callId: "1" })
    await gate.call("grant", { right: "x" }, { callId: "2" })
    expect(share()).toMatchObject({ proposed: 1, accepted: 1 })
    expect(monitor.series().some(({ of }) => of.tool === "grant")).toBe(false)
    await gate.leave()
    const other = await openShop(makeWorld(), { monitor, maxConsecutiveFailures: { tool: 2, session: 0 } })
    for (const callId of ["1", "1", "2", "3"]) await other.call("post", { txt: "a" }, { callId })
    expect(share()).toMatchObject({ proposed: 3, accepted: 1 })
    await other.call("find", {}, { callId: "4" })
    expect(monitor.series().some(({ of }) => of.tool === "find")).toBe(false)
    await other.close()
  })

  test("hears while only observing what the gates would have said, and holds nothing", async () => {
    const world = makeWorld()
    const monitor = createMonitor({ ...small, hold: true })
    const { hooks, told } = listening()
    const gate = await openShop(world, { hooks, monitor, mode: "observe" })
    const post = posting(gate)
    for (let index = 0; index < 25; index++) await post({ text: `${index}` })
    for (let index = 0; index < 20; index++) expect((await post({ txt: "a" })).kind).toBe("accepted")
    expect(monitor.holds({ tenant: "acme", model: "", tool: "post" })).toBeDefined()
    await gate.close()
    await vi.waitFor(() => expect(told).toHaveLength(45))
    expect(told.at(0)).toMatchObject({ foreseen: [] })
    expect(told.at(-1)).toMatchObject({ kind: "accepted", foreseen: ["SEQ120", "SEQ121"] })
  })
})
