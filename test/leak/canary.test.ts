/** A secret that goes into a run, or comes out of its tools, is found in nothing that is said: by any command, or to a collector. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { compile, type Json } from "sequitur"
import { createGate } from "sequitur/gate"
import { otlp } from "sequitur/otel"
import { feedback } from "sequitur/planner"
import { createRunner, type Entry, memory, RunSecrets } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { describe, expect, test, vi } from "vitest"
import { explainVerdict } from "../../src/explain/verdict.ts"
import { replay } from "../../src/journal/state.ts"
import { maskText } from "../../src/plan/mask.ts"
import { folder } from "../cli/sequitur.ts"
import { started } from "../journal/entries.ts"
import { apiKey, everyWay, holds, json, literal, secrets, token } from "./canary.ts"
import catalog from "./vault/catalog.ts"
import handlers from "./vault/tools.ts"

const vault = join(import.meta.dirname, "vault")
const inputs = { apiKey, host: "vault.test" }

const from = (source: string, path: string): Json => ({ $from: source, path })
const plan = {
  version: 1,
  goal: `Pay with ${apiKey}.`,
  steps: [
    { id: "login", tool: "login", args: { apiKey: from("input", "/apiKey"), host: from("input", "/host"), pin: 777 } },
    { id: "open", transition: "PAYING", why: `they gave ${apiKey}` },
    {
      id: "pay",
      tool: "pay",
      args: {
        session: from("login", "/token"),
        header: { $concat: ["Bearer ", from("login", "/token")] },
        url: { $concat: ["https://vault.test/?key=", from("input", "/apiKey")] },
        cents: 100,
      },
    },
    { id: "tell", tool: "tell", args: { text: from("login", "/note") } },
  ],
} as const

/** The secret is spelt out, in other places too, and there is a fault in its step, at it, and round it. */
const spelt = {
  version: 1,
  goal: `Pay with ${literal}.`,
  steps: [
    { id: "login", tool: "login", args: { apiKey: literal, hots: literal, pin: 4_477 } },
    { id: "again", tool: "login", args: { apiKey: { key: literal }, host: ["vault.test", literal] } },
    { id: "other", tool: "login", args: { apiKey: { $literal: [literal] }, host: "vault.test" } },
    { id: "open", transition: "PAYED" },
    { id: "pay", tool: "pay", args: { session: literal, header: "x", url: from("login", "/urk"), cents: literal } },
  ],
}

const plans = folder({
  "plan.json": json(plan as unknown as Json),
  // What stands in the inputs nobody knows before they are given.
  "bare.json": json({
    ...plan,
    goal: "Pay.",
    steps: plan.steps.map((step) => ("why" in step ? { ...step, why: "" } : step)),
  } as unknown as Json),
  "spelt.json": json(spelt as unknown as Json),
  "spelt-out.json": JSON.stringify(spelt, null, 2),
  "escaped.json": JSON.stringify(spelt, null, 2).replaceAll("lit", "\\u006c\\u0069t"),
  "broken.json": JSON.stringify(spelt, null, 2).replace('"hots"', "hots"),
  "cut.json": JSON.stringify(spelt, null, 2).slice(0, JSON.stringify(spelt, null, 2).indexOf(literal, 60) + 14),
})

/** What could not be read first, so that nothing is known from the others yet. */
const spelling = ["cut.json", "broken.json", "escaped.json", "spelt.json", "spelt-out.json"] as const

interface Said {
  readonly code: number
  readonly out: string
}

/** Runs a command as a process of its own would, which knows nothing of those before it; gives back all that it says. */
async function command(args: readonly string[], fault: string): Promise<Said> {
  vi.resetModules()
  const [{ makeProgram }, { tellTrouble }] = await Promise.all([
    import("../../src/cli/program.ts"),
    import("../../src/cli/trouble.ts"),
  ])
  const streams = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockReturnValue(true))
  process.env.VAULT_FAULT = fault
  let code = 0
  try {
    await makeProgram((result) => {
      code = result
    }).parseAsync(["node", "sequitur", ...args])
  } catch (error) {
    code = tellTrouble(error, args.includes("json"))
  }
  const out = streams.flatMap(({ mock }) => mock.calls.map(([text]) => `${text}`)).join("")
  for (const stream of streams) stream.mockRestore()
  for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal)
  delete process.env.VAULT_FAULT
  return { code, out }
}

/** The same, and looks at what it says. */
async function say(args: readonly string[], fault = ""): Promise<Said> {
  const unstored = ["compile", "explain", "run", "prompt", "schema"].includes(args[0] ?? "")
  const told = await command([...args, ...(unstored ? ["--catalog", join(vault, "catalog.ts")] : [])], fault)
  for (const secret of secrets) {
    const leaky = told.out.split("\n").filter((line) => holds(line, secret))
    expect(leaky, `${args.join(" ")} told ${secret}`).toEqual([])
  }
  expect(told.out).not.toMatch(/uncaught|SEQ901/)
  return told
}

function desk(fault?: string) {
  const store = join(folder(), "runs.db")
  const call = (...args: readonly string[]): Promise<Said> => say([...args, "--store", store], fault)
  const run = async (...args: readonly string[]): Promise<string> => {
    const { out } = await call("run", join(plans, "plan.json"), "--inputs", json(inputs), ...args)
    return /run_[0-9a-f]{32}/.exec(out)?.[0] ?? "none"
  }
  /** As it is kept, with everything in it. */
  const kept = async (): Promise<string> => (await command(["export", "--store", store], "")).out
  return { store, call, run, kept }
}

describe("A106: no secret is told by", () => {
  test("a plan that takes it from the inputs, compiled and explained; nor the prompt and the schema", async () => {
    const told = await say(["explain", join(plans, "bare.json"), "--format", "json"])
    expect(JSON.parse(told.out).plan.steps).toHaveLength(4)
    expect((await say(["compile", join(plans, "bare.json")])).code).toBe(0)
    expect((await say(["prompt"])).out).toContain("apiKey")
    expect((await say(["schema", "--for", "openai"])).code).toBe(0)
  })

  test("what is said of plans that spell it out, in any format", async () => {
    const paths = spelling.map((file) => join(plans, file))
    for (const format of ["pretty", "json", "feedback"]) {
      const { code, out } = await say(["compile", ...paths, "--format", format])
      expect(code).toBe(1)
      expect(out).not.toContain("4477")
    }
    for (const format of ["pretty", "json"]) await say(["compile", ...paths, "--fix", "--format", format])
    for (const path of paths.slice(1, 3))
      await say(["run", path, "--inputs", json(inputs), "--store", join(plans, "x.db")])
  })

  test("inputs that are refused", async () => {
    const { store } = desk()
    for (const wrong of [
      { apiKey: [apiKey], host: "h" },
      { apiKey, host: { apiKey } },
      { ...inputs, more: apiKey },
    ]) {
      const run = ["run", join(plans, "plan.json"), "--inputs", json(wrong as Json), "--store", store]
      expect((await say(run)).out).toContain("RUN201")
      expect((await say([...run, "--format", "json"])).out).toContain("RUN201")
    }
  })

  test("a run that waits, is approved and ends; nor its log, the list of runs, its replay and what is exported to be shown", async () => {
    const { call, run, kept } = desk()
    const runId = await run()
    for (const format of ["pretty", "json"]) {
      const log = await call("log", runId, "--format", format)
      expect(log.out).toContain("[redacted]")
      expect((await call("runs", "--format", format)).out).toContain("[redacted]")
    }
    expect((await call("resume", runId)).out).toContain("[redacted]")
    const approved = await call("approve", runId, "open", "--by", "eve", "--reason", `saw ${token}`, "--format", "json")
    expect(approved.code).toBe(0)
    for (const format of ["pretty", "json"]) {
      await call("log", runId, "--format", format, "--verify")
      await call("replay", runId, "--format", format)
      await call("resume", runId, "--format", format)
    }
    expect((await call("export", "--redact")).out).toContain("commitment")
    // It is there to be found, and what looks for it would find it.
    const backup = await kept()
    expect([holds(backup, apiKey), holds(backup, token)]).toEqual([true, true])
    const file = join(folder({ "backup.jsonl": backup }), "backup.jsonl")
    expect((await say(["import", file, "--store", join(folder(), "copy.db")])).code).toBe(0)
  })

  test.each(["login", "shape"])("a run whose call fails: %s", async (fault) => {
    const { call, run } = desk(fault)
    const runId = await run()
    expect(await run("--format", "json")).not.toBe(runId)
    for (const format of ["pretty", "json"]) await call("log", runId, "--format", format)
    expect((await call("runs")).out).toContain("failed")
  })

  test("an effect in doubt, and a person's word on it", async () => {
    const { call, run } = desk("pay")
    const runId = await run()
    expect((await call("approve", runId, "open", "--by", "eve")).code).toBe(4)
    for (const format of ["pretty", "json"]) await call("log", runId, "--format", format)
    await call("resume", runId)
    const word = ["resolve", runId, "pay", "--by", "eve", "--reason", `asked with ${apiKey}`]
    expect((await call(...word, "--applied", json({ receipt: [token] }))).out).toContain("RUN210")
    await call(...word, "--applied", json({ receipt: `for ${token}` }), "--format", "json")
    expect((await call("log", runId)).out).toContain("resolved")
  })

  test.each(["tell", "unpay"])("what is undone, or is not: %s", async (fault) => {
    const { call, run } = desk(fault)
    const runId = await run("--format", "json")
    await call("approve", runId, "open", "--by", "eve", "--format", fault === "tell" ? "pretty" : "json")
    const log = await call("log", runId)
    expect(log.out).toContain("undoes it: calls unpay")
    await call("log", runId, "--format", "json")
    await call("cancel", runId, "--by", "eve", "--reason", "x")
    await call("replay", runId)
  })

  test("a denial, and a worker that takes up what was decided elsewhere", async () => {
    const { store, call, run } = desk()
    const [denied, decided] = [await run(), await run()]
    await call("deny", denied, "open", "--by", "eve", "--reason", `not ${apiKey}`)
    const runner = createRunner({ catalog, tools: handlers, store: sqlite(store) })
    await runner.decide(decided, "open", { decision: "approved", by: "eve", reason: "fine" })
    await runner.close()
    const worked = await call("worker", "--once", "--format", "json")
    expect(worked.out).toContain("run-ended")
    expect(worked.out).toContain("[redacted]")
  })
})

test.each(spelling)("what is said of %s alone, by the compiler and to a model", (file) => {
  const text = readFileSync(join(plans, file), "utf8")
  const compiled = compile(catalog, text)
  const look = { color: false, width: 120 }
  const shown = [
    json(compiled.diagnostics as unknown as Json),
    feedback(compiled.diagnostics),
    explainVerdict(compiled, { name: file, text: maskText(text, catalog).text }, look),
  ].join("\n")
  expect(compiled.ok).toBe(false)
  expect(shown.split("\n").filter((line) => holds(line, literal) || line.includes("4477"))).toEqual([])
})

/** Whatever is sent to a collector of traces and metrics. */
async function collector() {
  const sent: string[] = []
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => sent.push(`${chunk}`))
    request.on("end", () => response.setHeader("content-type", "application/json").end("{}"))
    sent.push(request.url ?? "", json(request.headers as Json))
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { sent, url, close }
}

test("a collector of traces and metrics is sent no secret, by a run that ends well or by one that fails", async () => {
  const { sent, url, close } = await collector()
  const compiled = compile(catalog, json(plan as unknown as Json))
  if (!compiled.ok) throw new Error(json(compiled.diagnostics as unknown as Json))
  const scope = { principal: { tenant: "t", subject: "ada" }, sessionId: "s", taskId: "t", inputs }
  for (const fault of ["", "pay", "tell", "login"]) {
    process.env.VAULT_FAULT = fault
    const runner = createRunner({ catalog, tools: handlers, store: memory(), telemetry: otlp({ url }) })
    const { runId, status } = await runner.run(compiled.plan, { ...scope, taskId: `t ${fault}` })
    if (status === "awaiting_approval") await runner.approve(runId, "open", { by: "eve" })
    await runner.close()
  }
  delete process.env.VAULT_FAULT
  close()
  expect(sent.join("\n")).toContain("call pay")
  for (const secret of secrets) expect(sent.filter((text) => holds(text, secret))).toEqual([])
})

/** A model that spells the secrets out in whatever it asks for: wrongly, in the wrong places, and as text that is no JSON. */
const askedWith = (seen: string): readonly (readonly [tool: string, args: unknown])[] => [
  ["login", { apiKey: literal, host: 7 }],
  ["login", { apiKey: { key: literal }, host: ["vault.test", { more: literal }] }],
  ["login", { apiKey: literal, host: literal, hots: literal, pin: literal }],
  ["login", `{"apiKey": ${JSON.stringify(literal)}, "host": ${JSON.stringify(literal)}, hots}`],
  ["login", `{"apiKey": ${JSON.stringify(literal)}, "apiKey": ${JSON.stringify(literal)}, "host": "x"}`],
  ["login", `{"host": "x", "apiKey": ${JSON.stringify(literal).slice(0, -1)}`],
  ["login", { apiKey, host: "vault.test", pin: 777 }],
  ["pay", { session: seen, header: [apiKey], url: seen, cents: seen }],
  [`pay with ${seen}`, { session: apiKey }],
  ["unpay", { session: { seen, apiKey } }],
]

async function openRun(mode: "enforce" | "observe", fault: string): Promise<{ file: string; runId: string }> {
  const { sent, url, close } = await collector()
  const file = join(folder(), "runs.db")
  process.env.VAULT_FAULT = fault
  const gate = await createGate({
    ...{ catalog, tools: handlers, store: sqlite(file), telemetry: otlp({ url }), mode, maxConsecutiveFailures: 0 },
    ...{ principal: { tenant: "t", subject: "ada" }, session: "s", task: "t", inputs },
  })
  // Of the token nobody knows where no call has answered with it.
  const seen = fault === "login" ? apiKey : token
  for (const [index, [tool, args]] of askedWith(seen).entries()) await gate.call(tool, args, { callId: `c${index}` })
  const runner = createRunner({ catalog, tools: handlers, store: sqlite(file) })
  for (const decision of ["denied", "approved"] as const) {
    const verdict = await gate.enter("PAYING")
    const { stepId = "" } = "stepId" in verdict ? verdict : {}
    await runner.decide(gate.runId, stepId, { decision, by: "eve", reason: `saw ${seen}` })
  }
  expect(await gate.enter("PAYING")).toMatchObject({ kind: "accepted" })
  await gate.call("pay", { session: seen, header: `Bearer ${seen}`, url: apiKey, cents: 5 }, { callId: "pay" })
  await gate.call("tell", { text: `${seen} of ${apiKey}` }, { callId: "tell" })
  await gate.reset("tell")
  await gate.close()
  await runner.close()
  delete process.env.VAULT_FAULT
  close()
  expect(sent.join("\n")).toContain(mode === "enforce" ? "call pay" : "call-observed")
  for (const secret of secrets) expect(sent.filter((text) => holds(text, secret))).toEqual([])
  return { file, runId: gate.runId }
}

describe.each([
  ["enforce", "tell", ["call-refused", "step-added", "step-given-up", "circuit-reset", "run-closed", "outcome"]],
  ["observe", "", ["call-refused", "call-observed", "step-added", "step-given-up", "run-closed"]],
  ["observe", "login", ["call-refused", "call-observed", "step-added", "step-given-up", "run-closed"]],
] as const)("an open run (%s, %s)", (mode, fault, kinds) => {
  test("tells no secret that a model has asked with, or was answered", async () => {
    const { file, runId } = await openRun(mode, fault)
    const call = (...args: readonly string[]): Promise<Said> => say([...args, "--store", file])
    for (const format of ["pretty", "json"]) {
      expect((await call("log", runId, "--format", format, "--verify")).code).toBe(0)
      expect((await call("runs", "--format", format)).out).toContain(runId)
      await call("replay", runId, "--format", format)
      await say(["observe", file, "--format", format])
    }
    expect((await call("export", "--redact")).out).toContain("commitment")
    // It is there to be found.
    const backup = (await command(["export", "--store", file], "")).out
    expect(holds(backup, apiKey)).toBe(true)
    const entries = backup.split("\n").flatMap((line): Entry[] => (line.includes('"event"') ? [JSON.parse(line)] : []))
    expect(kinds.filter((kind) => !entries.some(({ event }) => event.kind === kind))).toEqual([])
    const ofRun = RunSecrets.of(entries)
    for (const entry of entries) {
      const shown = ofRun.redact(entry)
      for (const secret of secrets) expect([holds(JSON.stringify(shown), secret), shown]).toEqual([false, shown])
    }
    // Whoever takes the run up later knows of it what is secret, too.
    const state = replay(runId, entries)
    if (state instanceof Error) throw state
    const known = RunSecrets.in(state)
    for (const secret of fault === "login" ? [apiKey] : [apiKey, token]) expect(known.scrub(secret)).toBe("[redacted]")
  })
})

test("a plan that was approved before it ran shows no token; and nothing of earlier results", () => {
  const bound = "aGVhZA.cGF5bG9hZA.c2lnbmF0dXJl"
  const event = started({
    approved: { blast: {}, people: [{ by: "eve", roles: [], reason: `knows ${token}`, token: bound }] },
    earlier: { "run/login": { tool: "find", result: { token, note: `Bearer ${token}` }, carries: [] } } as never,
    tools: { ...started().tools, find: { ...started().tools.find, sensitive: { result: ["/token"] } } as never },
  })
  const ofRun = RunSecrets.of([{ seq: 0, atMs: 0, event }])
  const shown = JSON.stringify(ofRun.redactEvent(event))
  expect([holds(shown, token), shown.includes(bound), shown.includes('"by":"eve"')]).toEqual([false, false, true])
})

test("a host shows its own entries without them, and its program gets real values", async () => {
  const entries: Entry[] = []
  const compiled = compile(catalog, json(plan as unknown as Json))
  if (!compiled.ok) throw new Error("it must compile")
  const runner = createRunner({ catalog, tools: handlers, store: memory() })
  const scope = { principal: { tenant: "t", subject: "ada" }, sessionId: "s", taskId: "t", inputs }
  const { runId } = await runner.run(compiled.plan, scope)
  const report = await runner.approve(runId, "open", { by: "eve" })
  expect(report.of("login", "login")?.token).toBe(token)
  entries.push(...(await runner.entries(runId)))
  await runner.close()
  const ofRun = RunSecrets.of(entries)
  const shown = entries.map((entry) => ofRun.redact(entry).event)
  for (const secret of secrets) expect(shown.filter((event) => holds(JSON.stringify(event), secret))).toEqual([])
  // What is too short to be looked for is hidden by its place; what is no secret is there.
  expect(shown.find(({ kind }) => kind === "intent")).toMatchObject({
    stepId: "login",
    args: { apiKey: "[redacted]", host: "vault.test", pin: "[redacted]" },
  })
  expect(shown.find((event) => event.kind === "approval-requested")).toMatchObject({
    follows: [{ stepId: "pay", args: { session: "[redacted]", header: "[redacted]", cents: 100 } }, { stepId: "tell" }],
  })
})

test("what looks for a secret finds it, in each way of writing", () => {
  for (const secret of secrets)
    for (const way of everyWay(secret)) expect([way, holds(`x ${way} y`, secret)]).toEqual([way, true])
  expect(readFileSync(join(plans, "escaped.json"), "utf8")).not.toContain(literal)
})
