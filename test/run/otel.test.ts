/** Spans and metrics: what a real collector of OTLP/HTTP is sent, and what it is not. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Context, Effect, Layer } from "effect"
import { otlp } from "sequitur/otel"
import { createRunner, createWorker, Journal, memory, seededIds, toolbox } from "sequitur/run"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
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
