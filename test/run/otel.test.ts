/** Spans and metrics: what a real collector of OTLP/HTTP is sent, and what it is not. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Context, Effect, Layer } from "effect"
import { createMonitor } from "sequitur/gate"
import { otlp } from "sequitur/otel"
import { createRunner, createWorker, Journal, memory, seededIds, toolbox } from "sequitur/run"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fails, makeWorld, openShop, sharedStore, shop } from "../gate/shop.ts"
import { catalog, countCalls, guarded, guardedPlan, handlersOf, refundPlan, scope } from "./desk.ts"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string | number; readonly doubleValue?: number }
}

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code: number }
}

interface Point {
  readonly attributes: readonly Attribute[]
  readonly asDouble?: number
  readonly asInt?: string | number
  readonly count?: string | number
}

let server: Server
let sent: { readonly path: string; readonly text: string }[] = []
let url = ""

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      sent.push({ path: request.url ?? "", text: Buffer.concat(chunks).toString() })
      response.setHeader("content-type", "application/json")
      response.end("{}")
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const attributesOf = ({ attributes }: { readonly attributes: readonly Attribute[] }): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
  )

const spansSent = (): readonly Span[] =>
  sent
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ text }) => JSON.parse(text).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)

const pointsSent = (name: string): readonly Point[] => {
  const last = sent.findLast(({ path }) => path === "/v1/metrics")
  if (last === undefined) return []
  const metrics: readonly { name: string; [kind: string]: unknown }[] = JSON.parse(last.text)
    .resourceMetrics.flatMap(({ scopeMetrics }: { scopeMetrics: unknown[] }) => scopeMetrics)
    .flatMap(({ metrics }: { metrics: unknown[] }) => metrics)
  return metrics
    .filter((metric) => metric.name === name)
    .flatMap(({ sum, gauge, histogram }) => [sum, gauge, histogram])
    .flatMap((one) => (one as { dataPoints?: Point[] } | undefined)?.dataPoints ?? [])
}

const traceId = "0af7651916cd43dd8448eb211c80319c"
const origin = { model: "a-model", traceparent: `00-${traceId}-b7ad6b7169203331-01` }

describe("a runner with a collector", () => {
  test("sends a span for the run under the host's own, one for each call, and counts them; but no argument or result", async () => {
    sent = []
    const handlers = handlersOf(countCalls())
    const runner = createRunner({
      catalog,
      tools: handlers,
      store: memory(),
      ids: seededIds(1),
      telemetry: otlp({ url }),
    })
    const { runId, status } = await runner.run(refundPlan, { ...scope, origin })
    expect(status).toBe("succeeded")
    await runner.close()
    const spans = spansSent()
    expect(spans.map(({ name }) => name).sort()).toEqual(
      ["call cancel", "call find", "call note", "call refund", "sequitur.run"].sort(),
    )
    const run = spans.find(({ name }) => name === "sequitur.run")
    expect(run).toMatchObject({ traceId, parentSpanId: "b7ad6b7169203331" })
    expect(attributesOf(run as Span)).toMatchObject({
      "sequitur.run.id": runId,
      "sequitur.outcome": "succeeded",
      "gen_ai.request.model": "a-model",
    })
    for (const span of spans) {
      expect(span.traceId).toBe(traceId)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
      if (span !== run) expect(span.parentSpanId).toBe(run?.spanId)
    }
    const cancel = spans.find(({ name }) => name === "call cancel")
    expect(attributesOf(cancel as Span)).toMatchObject({
      "sequitur.run.id": runId,
      "sequitur.step": "cancel",
      "sequitur.tool": "cancel",
      "sequitur.outcome": "answered",
    })
    const calls = pointsSent("sequitur.calls").map((point) => attributesOf(point).tool)
    expect(calls).toEqual(expect.arrayContaining(["find", "cancel", "refund", "note"]))
    expect(pointsSent("sequitur.runs").map(attributesOf)).toContainEqual(
      expect.objectContaining({ status: "succeeded" }),
    )
    // Nothing that was asked or answered is in it.
    for (const { text } of sent) expect(text).not.toMatch(/acc_1|2450|2_450|w2|secondary|"r1"|acme|"ann"/)
  })

  test("marks what failed, and counts refusals by their code", async () => {
    sent = []
    const handlers = handlersOf(countCalls(), {
      find: () => {
        throw new Error("the secret is 42")
      },
    })
    const runner = createRunner({ catalog, tools: handlers, store: memory(), telemetry: otlp({ url }) })
    expect((await runner.run(refundPlan, scope)).status).toBe("failed")
    await expect(runner.resume("run_none")).rejects.toMatchObject({ code: "RUN204" })
    await runner.close()
    const find = spansSent().find(({ name }) => name === "call find")
    expect(find?.status.code).toBe(2)
    expect(attributesOf(find as Span)).toMatchObject({ "sequitur.outcome": "failed", "error.type": "RUN101" })
    expect(pointsSent("sequitur.refusals").map(attributesOf)).toContainEqual(
      expect.objectContaining({ code: "RUN204" }),
    )
    for (const { text } of sent) expect(text).not.toContain("secret")
  })

  test("a run is none the worse for a collector that is not there", async () => {
    const telemetry = otlp({ url: "http://127.0.0.1:9", every: "10 millis" })
    const runner = createRunner({ catalog, tools: handlersOf(countCalls()), store: memory(), telemetry })
    expect((await runner.run(refundPlan, scope)).status).toBe("succeeded")
    await runner.close()
  })

  test("nor is its end held up by one that never answers", async () => {
    const deaf = createServer(() => {})
    await new Promise<void>((done) => deaf.listen(0, "127.0.0.1", done))
    const telemetry = otlp({ url: `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`, every: "10 millis" })
    const runner = createRunner({ catalog, tools: handlersOf(countCalls()), store: memory(), telemetry })
    await runner.run(refundPlan, scope)
    const before = performance.now()
    await runner.close()
    expect(performance.now() - before).toBeLessThan(2_000)
    deaf.closeAllConnections()
    deaf.close()
  })

  test("without one nothing is sent", async () => {
    sent = []
    const runner = createRunner({ catalog, tools: handlersOf(countCalls()), store: memory() })
    await runner.run(refundPlan, scope)
    await runner.close()
    expect(sent).toEqual([])
  })
})

test("a worker counts what waits for people", async () => {
  sent = []
  const services = await Effect.runPromise(Effect.scoped(Layer.build(memory())))
  const shared = Layer.succeed(Journal, Context.get(services, Journal))
  const runner = createRunner({ catalog: guarded, tools: handlersOf(countCalls()) as never, store: shared })
  expect((await runner.run(guardedPlan as never, scope)).status).toBe("awaiting_approval")
  const tools = toolbox(guarded, handlersOf(countCalls()) as never)
  const worker = createWorker({ store: shared, tools, everyMs: 10, telemetry: otlp({ url }) })
  await new Promise((done) => setTimeout(done, 100))
  await worker.stop()
  await runner.close()
  const [waiting] = pointsSent("sequitur.approvals.waiting")
  expect(Number(waiting?.asDouble ?? waiting?.asInt)).toBe(1)
  const [doubts] = pointsSent("sequitur.doubts.open")
  expect(Number(doubts?.asDouble ?? doubts?.asInt)).toBe(0)
})

describe("a gate with a collector", () => {
  const value = (name: string, wanted: Record<string, unknown>): number | undefined => {
    const point = pointsSent(name).find((one) =>
      Object.entries(wanted).every(([key, is]) => attributesOf(one)[key] === is),
    )
    return point && Number(point.asDouble ?? point.asInt ?? point.count)
  }

  test("sends a span execute_tool for each proposed call, counts verdicts and reasons, and sends no value", async () => {
    sent = []
    const world = makeWorld()
    const options = { telemetry: otlp({ url }), origin, maxConsecutiveFailures: { tool: 2, session: 0 } }
    const gate = await openShop(world, options)
    await gate.turn([
      { callId: "call_1", tool: "find", args: { customerId: "c1" } },
      { callId: "call_2", tool: "post", args: { text: "secret-text" } },
      { callId: "call_3", tool: "post", args: { txt: "secret-text" } },
    ])
    await gate.call("post", { text: "secret-text" }, { callId: "call_2" })
    await gate.call("steal_the_crown_jewels", {}, { callId: "call_4" })
    world.next.set("post", fails("secret-said"))
    await gate.call("post", { text: "secret-again" }, { callId: "call_5" })
    await gate.call("post", { text: "secret-held" }, { callId: "call_6" })
    await gate.close()
    const spans = spansSent()
    const made = spans.filter(({ name }) => name.startsWith("execute_tool"))
    const told = made.map((span) => ({ name: span.name, code: span.status.code, ...attributesOf(span) }))
    expect(told).toHaveLength(7)
    const [, posted, refused] = told
    expect(posted).toMatchObject({
      name: "execute_tool post",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "post",
      "gen_ai.tool.call.id": "call_2",
      "gen_ai.tool.type": "function",
      "gen_ai.request.model": "a-model",
      "sequitur.run.id": gate.runId,
      "sequitur.outcome": "accepted",
    })
    expect(refused).toMatchObject({
      code: 2,
      "sequitur.outcome": "refused",
      "sequitur.reason": "validation",
      "sequitur.codes": "SEQ120,SEQ121",
      "error.type": "SEQ120",
    })
    const run = spans.find(({ name }) => name === "sequitur.run")
    for (const span of made) expect([span.traceId, span.parentSpanId]).toEqual([traceId, run?.spanId])
    expect(value("sequitur.proposals", { tool: "post", outcome: "accepted" })).toBe(1)
    expect(value("sequitur.proposals", { tool: "post", outcome: "refused", reason: "validation" })).toBe(1)
    expect(value("sequitur.proposals", { tool: "post", outcome: "failed", reason: "handler-failure" })).toBe(1)
    expect(value("sequitur.proposals", { tool: "post", outcome: "circuit-open" })).toBe(1)
    expect(value("sequitur.proposals", { tool: "_OTHER", outcome: "refused" })).toBe(1)
    expect(value("sequitur.proposals.accepted", { tool: "find" })).toBe(1)
    expect(value("sequitur.refusals", { code: "SEQ121" })).toBe(1)
    expect(value("sequitur.effects", { tool: "post" })).toBe(1)
    expect(value("sequitur.effects", { tool: "find" })).toBeUndefined()
    expect(value("sequitur.proposals.time", { outcome: "accepted" })).toBe(3)
    expect(value("gen_ai.execute_tool.duration", { "gen_ai.tool.name": "post", "error.type": "RUN101" })).toBe(1)
    for (const { text } of sent) expect(text).not.toMatch(/secret|"c1"|acme|crown/)
  })

  test("counts what waits for people, doubts, and drifts", async () => {
    sent = []
    const world = makeWorld()
    const monitor = createMonitor({ learn: 20, falseAlarmEvery: 100, hold: true })
    const gate = await openShop(world, { telemetry: otlp({ url }), monitor, maxConsecutiveFailures: 0 })
    for (let index = 0; index < 21; index++) await gate.call("post", { text: `${index}` }, { callId: `${index}` })
    for (let index = 0; index < 20; index++) await gate.call("post", {}, { callId: `bad ${index}` })
    expect((await gate.call("post", { text: "x" }, { callId: "x" })).kind).toBe("held")
    await gate.close()
    expect(value("sequitur.drifts", { by: "tenant", holds: "true" })).toBe(1)
    expect(value("sequitur.drifts", { by: "model", holds: "false" })).toBe(1)
    expect(value("sequitur.proposals", { outcome: "held", reason: "drift" })).toBeGreaterThan(1)
    sent = []
    const shared = await sharedStore()
    const waitingWorld = makeWorld()
    const watch = createMonitor()
    const waiting = await openShop(waitingWorld, { store: shared.store, telemetry: otlp({ url }), monitor: watch })
    const ask = async () => (await waiting.call("grant", { right: "r" }, { callId: "g" })).kind
    expect([await ask(), await ask()]).toEqual(["waiting", "waiting"])
    expect(watch.series()).toEqual([])
    const runner = createRunner({ catalog: shop, tools: waitingWorld.tools, store: shared.store })
    await runner.decide(waiting.runId, "g", { decision: "approved", by: "eve" })
    expect([await ask(), await ask()]).toEqual(["accepted", "accepted"])
    await waiting.leave()
    expect(value("sequitur.approvals.waiting", {})).toBe(1)
    // One proposal, that was accepted in the end.
    expect(value("sequitur.proposals", { tool: "grant", outcome: "waiting", reason: "approval-waiting" })).toBe(1)
    expect(value("sequitur.proposals", { tool: "grant", outcome: "accepted" })).toBeUndefined()
    expect(value("sequitur.proposals.accepted", { tool: "grant" })).toBe(1)
    expect(watch.series()[0]).toMatchObject({ proposed: 1, accepted: 1 })
  })
})
