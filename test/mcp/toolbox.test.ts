/**
 * Calls of MCP servers that misbehave: real processes, and real servers over HTTP. Whatever one does, a call has a typed outcome in
 * time, and an effect is called failed only where it is proved that nothing has happened.
 */
import { resolve } from "node:path"
import { compile, defineCatalog, tool } from "sequitur"
import {
  askOffer,
  type McpLimits,
  type McpOutcome,
  type McpPins,
  type McpPlace,
  type McpServerOptions,
  mcpContent,
  mcpServer,
  mcpToolbox,
  ToolDrift,
} from "sequitur/mcp"
import { createRunner, memory } from "sequitur/run"
import { afterAll, describe, expect, test } from "vitest"
import { readListed } from "../../src/planner/mcp/listed.ts"
import { serveGreetings } from "./conformance-server.ts"
import { type HostileServer, hostileServer } from "./hostile-http.ts"
import { lookUp, refund } from "./speak.ts"

const listed = readListed([lookUp, refund])
const pinOf = (name: string) => {
  const found = listed.tools.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found.pin
}
const pins: McpPins = {
  server: "shop",
  tools: { "shop/look_up": pinOf("look_up"), "shop/refund": pinOf("refund") },
}

const catalog = defineCatalog({
  name: "shop",
  version: "1",
  tools: {
    "shop/look_up": tool({
      description: "Look an order up.",
      effect: "read",
      params: lookUp.inputSchema,
      result: lookUp.outputSchema,
      retry: { times: 1 },
      timeoutMs: 20_000,
    }),
    "shop/refund": tool({
      description: "Refund an order.",
      effect: "write",
      params: refund.inputSchema,
      result: mcpContent,
      idempotency: "none",
      compensate: "none",
      timeoutMs: 20_000,
    }),
  },
})

const program = (mode: string): McpPlace => ({
  command: process.execPath,
  args: [resolve("test/mcp/hostile-process.ts"), mode],
})

const closing: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

async function overHttp(mode: string): Promise<HostileServer> {
  const server = await hostileServer(mode)
  closing.push(server.close)
  return server
}

interface Came {
  readonly status: string
  readonly said: string
  readonly outcome: McpOutcome["kind"] | undefined
  readonly result: unknown
}

/** One call of a tool in a run of its own. */
async function call(name: "look_up" | "refund", place: McpPlace, options: McpServerOptions = {}): Promise<Came> {
  let outcome: McpOutcome | undefined
  const limits = { connectMs: 10_000, listMs: 8_000, callMs: 8_000, messageBytes: 1_500_000, ...options.limits }
  const onOutcome = (event: { readonly outcome: McpOutcome }): void => {
    outcome = event.outcome
  }
  const server = mcpServer(pins, place, { ...options, limits, onOutcome })
  closing.push(server.close)
  const runner = createRunner({ catalog, tools: mcpToolbox(catalog, { servers: [server] }), store: memory() })
  const compiled = compile(
    catalog,
    JSON.stringify({ version: 1, steps: [{ id: "a", tool: `shop/${name}`, args: { id: "o1" } }] }),
  )
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  const report = await runner.run(compiled.plan, {
    principal: { tenant: "acme", subject: "ada" },
    sessionId: "s",
    taskId: "t",
  })
  return {
    status: report.status,
    said: report.failure?.message ?? "",
    outcome: outcome?.kind,
    result: (report.steps as { a?: unknown }).a,
  }
}

describe.concurrent("a server that behaves", () => {
  test("answers with structured content, or with what it says; the idempotency key goes along", async () => {
    expect(await call("look_up", program("well"))).toMatchObject({ status: "succeeded", result: { cents: 1 } })
    const { status, result } = await call("refund", program("well"))
    expect(status).toBe("succeeded")
    expect(result).toMatchObject({ text: expect.stringMatching(/^done .*"sequitur\/idempotency-key":"k1:/) })
  })

  test("over HTTP", async () => {
    const { url } = await overHttp("well")
    expect(await call("look_up", { url })).toMatchObject({ status: "succeeded", result: { cents: 1 } })
    expect(await call("refund", { url })).toMatchObject({ status: "succeeded" })
  })

  test("may list its tools on several pages, flood its standard error, answer twice, or ask for what it is not given", async () => {
    for (const mode of ["paged", "stderr-flood", "twice-answered", "asks"])
      expect(await call("refund", program(mode)), mode).toMatchObject({ status: "succeeded" })
  })
})

/** Only who waits for nothing need not wait long; of the others a busy machine may ask for patience. */
const impatientFor = (outcome: McpOutcome["kind"]): McpLimits =>
  outcome === "no-answer" ? { listMs: 1_500, callMs: 800 } : {}

/** What each does, and what comes of it. The last: of an effect. */
const modes: readonly (readonly [mode: string, outcome: McpOutcome["kind"], effect: "failed" | "in_doubt"])[] = [
  ["exits", "unreachable", "failed"],
  ["silent", "unreachable", "failed"],
  ["odd-initialize", "unreachable", "failed"],
  ["endless-line", "unreachable", "failed"],
  ["silent-list", "no-answer", "failed"],
  ["odd-list", "wrong-shape", "failed"],
  ["endless-list", "endless-list", "failed"],
  ["cycle-list", "endless-list", "failed"],
  ["many-tools", "endless-list", "failed"],
  ["twice", "drift", "failed"],
  ["look-alike", "drift", "failed"],
  ["gone", "drift", "failed"],
  ["restless", "wrong-shape", "failed"],
  ["grows-up", "drift", "failed"],
  ["no-method", "protocol-error", "failed"],
  ["silent-call", "no-answer", "in_doubt"],
  ["chatters", "no-answer", "in_doubt"],
  ["wrong-id", "no-answer", "in_doubt"],
  ["dies", "closed", "in_doubt"],
  ["huge", "too-large", "in_doubt"],
  ["no-content", "wrong-shape", "in_doubt"],
  ["odd-content", "wrong-shape", "in_doubt"],
  ["odd-error", "wrong-shape", "in_doubt"],
  ["is-error", "tool-error", "in_doubt"],
  ["rpc-error", "protocol-error", "in_doubt"],
]

describe.concurrent("a program that misbehaves", () => {
  test.each(modes)("%s: %s, and its effect is %s", async (mode, outcome, status) => {
    const limits = mode === "silent" ? { connectMs: 800 } : impatientFor(outcome)
    const came = await call("refund", program(mode), { limits })
    expect(came).toMatchObject({ outcome, status })
    // Nothing of the server's moves or hides.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(came.said).not.toMatch(/[\u0000-\u001f]/)
  })

  test("a read is failed, not in doubt", async () => {
    for (const mode of ["silent-list", "dies", "no-content", "is-error"]) {
      const limits = impatientFor(mode === "silent-list" ? "no-answer" : "closed")
      expect(await call("look_up", program(mode), { limits }), mode).toMatchObject({ status: "failed" })
    }
  })

  test("what it promised in its outputSchema is held: its read fails", async () => {
    for (const mode of ["no-structure", "odd-structure"])
      expect(await call("look_up", program(mode)), mode).toMatchObject({ status: "failed" })
  })

  test("an answer larger than a result may be is an effect that has happened, and no result", async () => {
    const { status, said, outcome } = await call("refund", program("large"))
    expect({ status, outcome }).toEqual({ status: "failed", outcome: undefined })
    expect(said).toMatch(/larger|bytes|large/)
  })

  test("noise between its answers is passed over", async () => {
    expect(await call("refund", program("garbage"))).toMatchObject({ status: "succeeded" })
  })

  test("an error that proves that nothing has happened, by the operator's word, is a failure", async () => {
    for (const mode of ["is-error", "rpc-error"])
      expect(await call("refund", program(mode), { errorsProve: ["shop/refund"] }), mode).toMatchObject({
        status: "failed",
      })
    expect(await call("refund", program("dies"), { errorsProve: ["shop/refund"] })).toMatchObject({
      status: "in_doubt",
    })
    expect(() => mcpServer(pins, program("well"), { errorsProve: ["shop/refnd"] })).toThrow(TypeError)
  })
})

describe.concurrent("a server over HTTP that misbehaves", () => {
  test.each([
    ["endless-stream", "too-large"],
    ["endless-json", "too-large"],
    ["quiet-stream", "no-answer"],
    ["ended-stream", "no-answer"],
    ["cut", "closed"],
    ["html", "closed"],
    ["half-json", "closed"],
    ["error-500", "closed"],
    ["elsewhere", "redirected"],
    ["in-circles", "redirected"],
    ["gone-after-redirect", "redirected"],
  ] as const)("%s: %s, and its effect is in doubt; it is called once", async (mode, outcome) => {
    const { url, calls } = await overHttp(mode)
    const limits = impatientFor(outcome)
    expect(await call("refund", { url }, { limits })).toMatchObject({ outcome, status: "in_doubt" })
    expect(calls.length).toBe(1)
  })

  test("nobody there: nothing has happened", async () => {
    expect(await call("refund", { url: "http://127.0.0.1:9/mcp" })).toMatchObject({
      outcome: "unreachable",
      status: "failed",
    })
  })
})

const context = (signal = new AbortController().signal) => ({
  signal,
  idempotencyKey: undefined,
  credentials: undefined,
  attempt: 1,
  principal: { tenant: "acme", subject: "ada", roles: [] },
  runId: "r",
  stepId: "a",
})

test("a tool that changes under way is refused from then on (A065)", async () => {
  const server = mcpServer(pins, program("drifts"))
  closing.push(server.close)
  const { "shop/refund": pay, "shop/look_up": look } = server.handlers
  expect(await pay?.({ id: "o1" }, context())).toMatchObject({ text: "done" })
  const refused = pay?.({ id: "o1" }, context())
  await expect(refused).rejects.toThrow(ToolDrift)
  await expect(refused).rejects.toThrow(
    "its description differs; it was not called (`sequitur mcp diff` shows what has changed)",
  )
  // The others are what they were.
  expect(await look?.({ id: "o1" }, context())).toEqual({ cents: 1 })
})

test("who gives up is not held, and the server is told", async () => {
  const { url, calls, heard } = await overHttp("silent-call")
  const server = mcpServer(pins, { url })
  closing.push(server.close)
  const controller = new AbortController()
  const asked = server.handlers["shop/refund"]?.({ id: "o1" }, context(controller.signal))
  await expect.poll(() => calls.length, { timeout: 10_000 }).toBe(1)
  controller.abort()
  await expect(asked).rejects.toMatchObject({ name: "McpFailure", outcome: { kind: "cancelled" } })
  await expect.poll(() => heard.at(-1)?.method).toBe("notifications/cancelled")
  // Nothing was sent: nothing has happened.
  const late = server.handlers["shop/refund"]?.({ id: "o1" }, context(AbortSignal.abort()))
  await expect(late).rejects.toMatchObject({ name: "NotApplied", outcome: { kind: "cancelled" } })
  expect(calls.length).toBe(1)
})

test("a server that has died is started again by the next call", async () => {
  const server = mcpServer(pins, program("dies"))
  closing.push(server.close)
  for (let at = 0; at < 2; at++)
    await expect(server.handlers["shop/refund"]?.({ id: "o1" }, context())).rejects.toMatchObject({
      outcome: { kind: "closed" },
    })
})

test.each(["legacy", "auto"] as const)("by the %s protocol, of a catalog that is itself served", async (protocol) => {
  const serving = await serveGreetings()
  closing.push(serving.close)
  const offer = await askOffer({ url: serving.url }, { protocol })
  if (!offer.ok) throw new Error(JSON.stringify(offer.outcome))
  expect(offer.value.protocol).toBe(protocol === "auto" ? "2026-07-28" : "2025-11-25")
  const tools = Object.fromEntries(offer.value.listed.tools.map(({ name, pin }) => [`desk/${name}`, pin]))
  const server = mcpServer({ server: "desk", tools }, { url: serving.url }, { protocol })
  closing.push(server.close)
  const plan = JSON.stringify({ version: 1, steps: [{ id: "f", tool: "find_name", args: { id: 7 } }] })
  expect(await server.handlers["desk/run_plan"]?.({ plan }, context())).toMatchObject({
    text: expect.stringContaining('- f: {"name":"user 7"}'),
  })
})

test("a hook that throws changes nothing", async () => {
  const server = mcpServer(pins, program("is-error"), {
    onOutcome: () => {
      throw new Error("no")
    },
  })
  closing.push(server.close)
  await expect(server.handlers["shop/refund"]?.({ id: "o1" }, context())).rejects.toMatchObject({
    outcome: { kind: "tool-error" },
  })
})

test("a name that two servers claim is the host's mistake; tools without a handler are told (D15)", () => {
  const one = mcpServer(pins, program("well"))
  expect(() => mcpToolbox(catalog, { servers: [one, mcpServer(pins, program("well"))] })).toThrow(TypeError)
  expect(mcpToolbox(catalog, { servers: [] }).fault?.message).toMatch(/shop\/look_up/)
  expect(() => mcpServer(pins, program("well"), { limits: { callMs: 0 } })).toThrow(TypeError)
})
