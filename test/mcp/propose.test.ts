/** Single calls over MCP, at the real gate: made, refused, left to a person and gone on with, by the command and the official client. */
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { arg, compile, defineCatalog, tool } from "sequitur"
import { createGate } from "sequitur/gate"
import { createRunner, memory, type Principal } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { KeptGates } from "../../src/cli/command/mcp-gates.ts"
import { makeService } from "../../src/planner/mcp/serve/service.ts"
import { folder, main, sequitur } from "../cli/sequitur.ts"
import till from "./till/catalog.ts"
import tools from "./till/tools.ts"

const catalogFile = resolve("test/mcp/till/catalog.ts")
const toolsFile = resolve("test/mcp/till/tools.ts")
const ending: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of ending.toReversed()) await end()
})

interface Told {
  readonly text: string
  readonly isError: boolean
  readonly structure: { readonly [key: string]: unknown }
}

const proposing =
  (client: Client) =>
  async (callId: string, tool: string, args: object): Promise<Told> => {
    const given = { name: "propose_call", arguments: { callId, tool, args } }
    const { content, isError = false, structuredContent = {} } = await client.callTool(given)
    const [first] = content
    return {
      text: first?.type === "text" ? first.text : "",
      isError,
      structure: structuredContent as Told["structure"],
    }
  }

type Propose = ReturnType<typeof proposing>

interface Desk {
  readonly cwd: string
  readonly store: string
  readonly env: { readonly TILL_LOG: string }
  readonly effects: () => readonly string[]
}

function openDesk(files: Record<string, string> = {}): Desk {
  const cwd = folder(files)
  const log = join(cwd, "till.log")
  const effects = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [])
  return { cwd, store: join(cwd, "runs.db"), env: { TILL_LOG: log }, effects }
}

const serve = ({ store }: Desk, ...args: readonly string[]): string[] => [
  "--conditions=@sequitur/source",
  main,
  "mcp",
  "serve",
  ...["--catalog", catalogFile, "--tools", toolsFile, "--store", store],
  ...args,
]

/** PATH, and what the desk says: nothing else. */
const inherited = (desk: Desk) => ({ PATH: process.env.PATH ?? "", ...desk.env })

async function overStdio(desk: Desk): Promise<Propose> {
  const client = new Client({ name: "test", version: "1" })
  const args = serve(desk, "--tenant", "acme", "--subject", "ada", "--roles", "lead")
  const at = { command: process.execPath, args, cwd: desk.cwd, env: inherited(desk), stderr: "pipe" as const }
  await client.connect(new StdioClientTransport(at))
  ending.push(() => client.close())
  return proposing(client)
}

const tokens = { ada: "the-token-of-ada-of-acme", eve: "the-token-of-ada-of-evil", bob: "the-token-of-ada-no-lead" }
const known = Object.entries({ [tokens.ada]: ["acme", "lead"], [tokens.eve]: ["evil", "lead"], [tokens.bob]: ["acme"] })

interface Listening {
  readonly desk: Desk
  readonly child: ChildProcess
  readonly as: (token: string) => Promise<Propose>
}

async function overHttp(): Promise<Listening> {
  const file = known.map(([token, [tenant, ...roles]]) => {
    const sha256 = createHash("sha256").update(token).digest("hex")
    return { sha256, tenant, subject: "ada", roles }
  })
  const desk = openDesk({ "tokens.json": JSON.stringify(file) })
  const args = serve(desk, "--http", "0", "--tokens", join(desk.cwd, "tokens.json"), "--format", "json")
  const child = spawn(process.execPath, args, { cwd: desk.cwd, env: inherited(desk) })
  ending.push(async () => child.kill("SIGKILL"))
  const url = await new Promise<string>((told) => {
    child.stdout.once("data", (chunk) => told((JSON.parse(`${chunk}`) as { url: string }).url))
  })
  const as = async (token: string): Promise<Propose> => {
    const client = new Client({ name: "test", version: "1" })
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
    ending.push(() => client.close())
    return proposing(client)
  }
  return { desk, child, as }
}

interface WaitingRun {
  readonly runId: string
  readonly tenant: string
  readonly request: { readonly stepId: string }
}

const listWaiting = async ({ store }: Desk): Promise<readonly WaitingRun[]> => {
  const { out } = await sequitur(["approvals", "--store", store, "--format", "json"])
  return (JSON.parse(out) as { approvals: readonly WaitingRun[] }).approvals
}

/** By what `approvals` prints, typed elsewhere: the run knows its modules. */
async function approve(desk: Desk, { runId, request }: WaitingRun): Promise<void> {
  const { out } = await sequitur(["approvals", "--store", desk.store], { cwd: desk.cwd })
  const [, typed = ""] = new RegExp(`sequitur (approve ${runId} ${request.stepId} .*)$`, "m").exec(out) ?? []
  const { code, err } = await sequitur([...typed.split(" "), "--by", "grace"], { env: desk.env, cwd: desk.cwd })
  expect({ code, err }).toEqual({ code: 0, err: "" })
}

/** Made, made no second time, refused, mended, left to a person, and gone on with when they have agreed. */
async function goThrough(propose: Propose, desk: Desk): Promise<void> {
  expect(await propose("c1", "note", { text: "a" })).toMatchObject({
    text: '{"at":1}',
    structure: { kind: "accepted", callId: "c1", replayed: false, result: { at: 1 } },
  })
  expect((await propose("c1", "note", { text: "a" })).structure).toMatchObject({ kind: "accepted", replayed: true })
  expect(await propose("c1", "note", { text: "b" })).toMatchObject({
    isError: true,
    structure: { kind: "call-id-reused" },
  })
  const refused = await propose("c2", "note", { txt: "a" })
  expect(refused).toMatchObject({ isError: true, structure: { kind: "refused" } })
  expect(refused.text).toContain('- SEQ121 at "/args/txt"')
  expect((await propose("c3", "wipe", {})).structure).toMatchObject({ kind: "refused" })
  const priced = await propose("c4", "price", { id: 7 })
  expect(priced.structure).toMatchObject({ kind: "accepted", result: { cents: 700 } })
  expect(JSON.stringify(priced)).not.toContain("pin-4711-0815")

  const waiting = await propose("c5", "give_back", { cents: 300 })
  expect(waiting).toMatchObject({ isError: false, structure: { kind: "waiting" } })
  expect(waiting.text).toContain("a person must decide first")
  expect((await propose("c5", "give_back", { cents: 300 })).structure.kind).toBe("waiting")
  expect(desk.effects()).toEqual(["acme/ada notes a"])
  const [asked, ...others] = await listWaiting(desk)
  expect(others).toEqual([])
  await approve(desk, asked as WaitingRun)
  expect((await propose("c5", "give_back", { cents: 300 })).structure).toMatchObject({
    kind: "accepted",
    result: { given: 300 },
  })
  expect(desk.effects()).toEqual(["acme/ada notes a", "gives 300 back"])
  // What the session has spent counts.
  expect(await propose("c6", "give_back", { cents: 4_900 })).toMatchObject({
    isError: true,
    structure: { kind: "refused" },
  })
  expect((await propose("c7", "note", { text: "z" })).structure).toMatchObject({ kind: "accepted", result: { at: 3 } })
}

describe("the command", () => {
  test("over standard input and output", { timeout: 60_000 }, async () => {
    const desk = openDesk()
    await goThrough(await overStdio(desk), desk)
  })

  test("over HTTP; tenants and roles do not see each other, by the same ids", { timeout: 60_000 }, async () => {
    const { desk, child, as } = await overHttp()
    const ada = await as(tokens.ada)
    await goThrough(ada, desk)

    const eve = await as(tokens.eve)
    expect((await eve("c1", "note", { text: "of my own" })).structure).toMatchObject({
      kind: "accepted",
      replayed: false,
      result: { at: 4 },
    })
    expect(desk.effects().at(-1)).toBe("evil/ada notes of my own")
    // What acme has spent of its limit is not evil's.
    expect((await eve("c5", "give_back", { cents: 4_900 })).structure.kind).toBe("waiting")
    expect((await ada("c8", "price", { id: 1 })).structure.kind).toBe("accepted")
    expect((await listWaiting(desk)).map(({ tenant }) => tenant)).toEqual(["evil"])

    // The same subject by a token without the role.
    const bob = await as(tokens.bob)
    const denied = await bob("c5", "give_back", { cents: 300 })
    expect(denied).toMatchObject({ isError: true, structure: { kind: "refused" } })
    expect(denied.text).toContain("SEQ502")

    child.kill("SIGTERM")
    expect(await new Promise((ended) => child.once("close", ended))).toBe(0)
    const { out } = await sequitur(["runs", "--store", desk.store, "--format", "json"])
    expect(out).toContain('"awaiting_approval"')
  })
})

test("the command gives handlers what the tools' module exports beside them, and tells whom it says of what waits", async () => {
  const desk = openDesk({
    "catalog.ts": `import { defineCatalog, tool } from "sequitur"
import { z } from "zod"
const by = { params: z.strictObject({ pin: z.string() }), result: z.strictObject({ by: z.string() }), effect: "write", idempotency: "natural", compensate: "none" } as const
export default defineCatalog({ name: "c", version: "1", approvals: "unsigned", tools: { set: tool({ description: "Set it.", ...by }),
  reset: tool({ description: "Reset it.", ...by, authority: { approval: "always" } }) } })
`,
    "tools.ts": `import { appendFileSync } from "node:fs"
import { toolbox } from "sequitur/run"
import catalog from "./catalog.ts"
const by = (_: object, { credentials, idempotencyKey = "" }: { credentials: unknown; idempotencyKey?: string | undefined }) => {
  appendFileSync("till.log", idempotencyKey + "\\n")
  return { by: (credentials as { of: string }).of.length + " letters" }
}
export default toolbox(catalog, { set: by, reset: by })
export const credentials = () => ({ of: "credentials of sixteen" })
export const keySecret = () => "a secret of the tenant"
export const onRequested = ({ request }: { request: { stepId: string } }) => appendFileSync("till.log", "asked for " + request.stepId + "\\n")
`,
  })
  mkdirSync(join(desk.cwd, "node_modules"))
  symlinkSync(process.cwd(), join(desk.cwd, "node_modules/sequitur"))
  symlinkSync(resolve("node_modules/zod"), join(desk.cwd, "node_modules/zod"))
  const client = new Client({ name: "test", version: "1" })
  const args = ["--conditions=@sequitur/source", main, "mcp", "serve", "--store", desk.store]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: desk.cwd, env: inherited(desk), stderr: "pipe" }),
  )
  ending.push(() => client.close())
  const propose = proposing(client)
  expect((await propose("a", "set", { pin: "471" })).structure).toMatchObject({ result: { by: "22 letters" } })
  expect((await propose("b", "reset", { pin: "471" })).structure).toMatchObject({ kind: "waiting" })
  await expect.poll(desk.effects).toEqual([expect.stringMatching(/^k1:/), "asked for b"])
  const { out } = await sequitur(["export", "--store", desk.store], { cwd: desk.cwd })
  expect(out).toMatch(/"keyed":"[0-9a-f]{64}"/)
}, 60_000)

test("what is said of a refused call speaks of a call, and of no plan that nobody has written", async () => {
  const act = { effect: "write", idempotency: "none", compensate: "none", result: z.strictObject({}) } as const
  const catalog = defineCatalog({
    name: "c",
    version: "1",
    machine: { initial: "LOOKING", transitions: { LOOKING: { ACTING: {} }, ACTING: {} } },
    budgets: { sideEffects: 2 },
    blastRadius: { cents: { max: 10 }, letters: { max: 2 } },
    bounds: { depth: 8, textBytes: 2_000 },
    tools: {
      look: tool({
        description: "Look.",
        effect: "read",
        params: z.strictObject({ id: z.int() }),
        states: ["LOOKING"],
      }),
      act: tool({ description: "Act.", ...act, params: z.strictObject({}), states: ["ACTING"] }),
      pay: tool({
        description: "Pay.",
        ...act,
        params: z.strictObject({ cents: z.int().min(0).max(20) }),
        blast: { cents: arg("cents") },
        states: ["LOOKING"],
      }),
      tell: tool({
        description: "Tell.",
        ...act,
        params: z.strictObject({ id: z.int(), letters: z.int().min(0).max(20) }),
        requires: [{ tool: "look", same: ["id"] }],
        blast: { letters: arg("letters") },
        states: ["LOOKING"],
      }),
      lead: tool({
        description: "Lead.",
        ...act,
        params: z.strictObject({}),
        states: ["LOOKING"],
        authority: { roles: ["lead"] },
      }),
    },
  })
  const ada: Principal = { tenant: "acme", subject: "ada" }
  const handlers = { look: () => ({}), act: () => ({}), pay: () => ({}), tell: () => ({}), lead: () => ({}) }
  const gate = await createGate({ catalog, tools: handlers, store: memory(), principal: ada, session: "s", task: "t" })
  const service = makeService({ catalog, gate: () => gate })
  let asked = 0
  const propose = async (tool: string, args: unknown): Promise<string> => {
    const { content } = await service.call("propose_call", { callId: `c${asked++}`, tool, args }, ada)
    return content.map(({ text }) => text).join("\n")
  }
  const refused = [
    await propose("lok", {}),
    await propose("act", {}),
    await propose("pay", { cents: 11 }),
    await propose("tell", { id: 1, letters: 1 }),
    await propose("lead", {}),
  ]
  await propose("look", { id: 1 })
  refused.push(await propose("tell", { id: 2, letters: 1 }), await propose("tell", { id: 1, letters: 3 }))
  await propose("pay", { cents: 4 })
  refused.push(await propose("pay", { cents: 7 }))
  await propose("pay", { cents: 5 })
  refused.push(await propose("pay", { cents: 1 }))
  const codes = refused.map((text) => /SEQ\d+/.exec(text)?.[0])
  expect(codes).toEqual(["SEQ108", "SEQ301", "SEQ401", "SEQ208", "SEQ502", "SEQ209", "SEQ401", "SEQ402", "SEQ403"])
  for (const text of refused) expect(text).not.toMatch(/\bplan\b|\bsteps?\b|\btransition/)
  expect(refused[1]).toContain("the state is `LOOKING`")
  expect(refused[6]).toContain("this call may reach 3 letters; the limit is 2")
  expect(refused[7]).toContain("with this call 11 cents may be reached in total")
  for (const args of [
    '{"id": 1, "__proto__": 1}',
    '{"id":',
    `{"id": ${"[".repeat(9)}`,
    " ".repeat(2_001),
    { id: 1n },
  ]) {
    const [verdict] = await gate.turn([{ callId: `z${asked++}`, tool: "look", args }])
    expect(verdict?.kind).toBe("refused")
    expect(verdict?.kind === "refused" && JSON.stringify(verdict.diagnostics)).not.toMatch(/\bplan\b/)
  }
  await gate.leave()
})

test("a session that is named goes on where it was left, and says so; watched by what the tools' module exports", async () => {
  const catalog = (pin: string) => `import { defineCatalog, tool } from "sequitur"
import { z } from "zod"
export default defineCatalog({ name: "c", version: "1", tools: { set: tool({ description: "Set it.", effect: "write",
  params: z.strictObject({ pin: ${pin} }), result: z.strictObject({ at: z.int() }), idempotency: "none", compensate: "none" }) } })
`
  const module = `import { appendFileSync } from "node:fs"
import { createMonitor } from "sequitur/gate"
import { toolbox } from "sequitur/run"
import catalog from "./catalog.ts"
let at = 0
export default toolbox(catalog, { set: () => ({ at: ++at }) })
export const hooks = { onVerdict: ({ kind, runId }: { kind: string; runId: string }) => appendFileSync("till.log", kind + " " + runId + "\\n") }
export const monitor = createMonitor()
`
  const desk = openDesk({ "catalog.ts": catalog("z.string()"), "tools.ts": module })
  mkdirSync(join(desk.cwd, "node_modules"))
  symlinkSync(process.cwd(), join(desk.cwd, "node_modules/sequitur"))
  symlinkSync(resolve("node_modules/zod"), join(desk.cwd, "node_modules/zod"))
  /** One start of the server: the calls made in it, and what it says beside them. */
  const during = async (options: readonly string[], ...calls: readonly (readonly [string, string])[]) => {
    const command = ["--conditions=@sequitur/source", main, "mcp", "serve", "--store", desk.store, "--subject", "ada"]
    const at = { command: process.execPath, cwd: desk.cwd, env: inherited(desk), stderr: "pipe" as const }
    const transport = new StdioClientTransport({ ...at, args: [...command, ...options] })
    let err = ""
    transport.stderr?.on("data", (chunk) => {
      err += chunk
    })
    const client = new Client({ name: "test", version: "1" })
    await client.connect(transport)
    const told: unknown[] = []
    for (const [callId, pin] of calls) told.push((await proposing(client)(callId, "set", { pin })).structure)
    await client.close()
    return { err, told, runId: /run (run_\w+)/.exec(err)?.[1] }
  }
  const first = await during(["--session", "s"], ["a", "1"])
  expect(first.err).toMatch(/^single calls of ada of local begin run run_\w+\n$/)
  const again = await during(["--session", "s"], ["a", "1"], ["a", "2"], ["b", "2"])
  expect(again.err).toBe(`single calls of ada of local go on in run ${first.runId}\n`)
  expect(again.told).toMatchObject([
    { kind: "accepted", replayed: true, result: { at: 1 } },
    { kind: "call-id-reused" },
    { kind: "accepted", replayed: false },
  ])
  const others = [
    await during(["--session", "s", "--task", "other"], ["a", "3"]),
    await during(["--session", "s", "--roles", "lead"], ["a", "3"]),
    await during(["--session", "s", "--literals", "trusted"], ["a", "3"]),
    await during([], ["a", "3"]),
  ]
  writeFileSync(join(desk.cwd, "catalog.ts"), catalog("z.string().max(9)"))
  others.push(await during(["--session", "s"], ["c", "3"]))
  for (const { err } of others) expect(err).toContain("begin run")
  expect(new Set([first, ...others].map(({ runId }) => runId)).size).toBe(6)
  expect(desk.effects().slice(0, 3)).toEqual([
    `accepted ${first.runId}`,
    `accepted ${first.runId}`,
    `call-id-reused ${first.runId}`,
  ])
  for (const [spoilt, why] of [
    ["export const hooks = { onVerdit: () => {} }", "`hooks.onVerdit`"],
    ["export const monitor = {}", "`monitor`"],
    ["export const telemetry = 7", "`telemetry`"],
  ] as const) {
    writeFileSync(
      join(desk.cwd, "tools.ts"),
      `${module.replace(/export const (hooks|monitor)[^\n]*\n/g, "")}${spoilt}\n`,
    )
    const { code, err } = await sequitur(["mcp", "serve"], { cwd: desk.cwd })
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(why) })
  }
}, 60_000)

describe("the gates that are kept", () => {
  const ada: Principal = { tenant: "acme", subject: "ada", roles: ["lead", "clerk"] }
  const scope = { session: "s", task: "t" }

  test("are one for each caller, begun again when their run has come to its end, and left when serving ends", async () => {
    const begun: string[] = []
    const gates = new KeptGates(async (principal) => {
      const gate = await createGate({ catalog: till, tools, store: memory(), principal, ...scope, expiresMs: 400 })
      begun.push(gate.runId)
      return gate
    })
    const price = (callId: string, id: number) => gates.of(ada).turn([{ callId, tool: "price", args: { id } }])
    const both = await Promise.all([price("a", 1), price("b", 2)])
    expect(both.flat().map(({ kind }) => kind)).toEqual(["accepted", "accepted"])
    expect(begun).toHaveLength(1)
    await gates.of({ ...ada, roles: ["clerk", "lead"] }).turn([])
    expect(begun).toHaveLength(1)
    await gates.of({ ...ada, roles: ["clerk"] }).turn([])
    expect(begun).toHaveLength(2)
    await new Promise((late) => setTimeout(late, 500))
    expect((await price("c", 3)).map(({ kind }) => kind)).toEqual(["accepted"])
    expect(begun).toHaveLength(3)
    await gates.leave(1_000)
    await expect(price("d", 4)).rejects.toThrow("serving has ended")
  })

  test("are tried again where they could not be begun", async () => {
    let tries = 0
    const gates = new KeptGates(async (principal) => {
      tries += 1
      if (tries === 1) throw new Error("the disk is full")
      return createGate({ catalog: till, tools, store: memory(), principal, ...scope })
    })
    const service = makeService({ catalog: till, gate: (caller) => gates.of(caller) })
    const call = { callId: "a", tool: "price", args: { id: 1 } }
    const failed = await service.call("propose_call", call, ada)
    expect(failed).toMatchObject({ isError: true })
    expect(JSON.stringify(failed)).not.toContain("disk")
    expect(await service.call("propose_call", call, ada)).toMatchObject({ structuredContent: { kind: "accepted" } })
    await gates.leave(1_000)
  })

  test("a call that takes long is asked for again by its id; more at once than are allowed are not made", async () => {
    const gates = new KeptGates((principal) =>
      createGate({ catalog: till, tools, store: memory(), principal, ...scope }),
    )
    const service = makeService({ catalog: till, gate: (caller) => gates.of(caller), waitMs: 50, runs: 1 })
    const slow = () => service.call("propose_call", { callId: "a", tool: "slow", args: {} }, ada)
    expect(await slow()).toMatchObject({ structuredContent: { kind: "under-way" } })
    const busy = await slow()
    expect(busy).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("too much is under way") }] })
    await expect
      .poll(slow, { timeout: 5_000 })
      .toMatchObject({ structuredContent: { kind: "accepted", replayed: true } })
    await gates.leave(1_000)
  })
})

describe("what a program has begun, of which no file says by which catalog,", () => {
  const ada = { tenant: "acme", subject: "ada", roles: ["lead"] }
  const commandIn = async ({ cwd, store }: Desk): Promise<string> => {
    const { out } = await sequitur(["approvals", "--store", store], { cwd })
    return /sequitur (approve .*)$/m.exec(out)?.[1] ?? ""
  }

  test("is approved and denied as it is printed, where it is a gate's: that goes on by itself", async () => {
    const desk = openDesk()
    process.env.TILL_LOG = desk.env.TILL_LOG
    const options = { catalog: till, tools, store: sqlite(desk.store), principal: ada, session: "s", task: "t" }
    const gate = await createGate(options)
    ending.push(() => gate.leave())
    const refund = (callId: string, cents: number) => gate.call("give_back", { cents }, { callId })
    for (const [callId, cents, word] of [
      ["a", 100, "approve"],
      ["b", 200, "deny"],
    ] as const) {
      expect((await refund(callId, cents)).kind).toBe("waiting")
      const typed = (await commandIn(desk)).replace("approve", word).split(" ")
      const { code, err } = await sequitur([...typed, "--by", "grace"], { cwd: desk.cwd })
      expect({ code, err }).toEqual({ code: 0, err: "" })
    }
    expect((await refund("a", 100)).kind).toBe("accepted")
    expect((await refund("b", 200)).kind).toBe("failed")
    expect(desk.effects()).toEqual(["gives 100 back"])
  })

  test("is printed with a place for the catalog's module, where it is a plan's run", async () => {
    const desk = openDesk()
    const runner = createRunner({ catalog: till, tools, store: sqlite(desk.store) })
    ending.push(() => runner.close())
    const steps = [{ id: "g", tool: "give_back", args: { cents: 100 } }]
    const compiled = compile(till, JSON.stringify({ version: 1, steps }), { principal: ada })
    if (!compiled.ok) throw new Error("it compiles")
    await runner.run(compiled.plan, { principal: ada, sessionId: "s", taskId: "t", runId: "one" })
    const typed = await commandIn(desk)
    expect(typed).toBe(`approve one g --store ${desk.store} --catalog '<catalog module>'`)
    const args = typed.replace("'<catalog module>'", catalogFile).split(" ")
    const { code, err } = await sequitur([...args, "--by", "grace"], { cwd: desk.cwd, env: desk.env })
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(desk.effects()).toEqual(["gives 100 back"])
  })
})
