/**
 * `mcp import` and `mcp diff` against the official server SDK, and against lists that were made to deceive. The reports (D…) and
 * attacks (A…) are those of the shared data that are about MCP.
 */
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import fc from "fast-check"
import { type Catalog, compile } from "sequitur"
import { type McpPins, mcpServer, mcpToolbox, writeStub } from "sequitur/mcp"
import { createRunner, memory } from "sequitur/run"
import { beforeAll, describe, expect, test } from "vitest"
import { comparePins, explainPins } from "../../src/cli/command/mcp-diff.ts"
import { readListed } from "../../src/planner/mcp/listed.ts"
import { findNameFaults } from "../../src/planner/mcp/name.ts"
import { findDrift, pinOf } from "../../src/planner/mcp/pin.ts"
import { load } from "../../src/planner/mcp/sdk.ts"
import { folder, sequitur } from "../cli/sequitur.ts"
import { refund } from "./speak.ts"

const shop = (...args: readonly string[]) => [process.execPath, resolve("test/mcp/shop-server.ts"), ...args].join(" ")
const byHand = (mode: string) => [process.execPath, resolve("test/mcp/hostile-process.ts"), mode].join(" ")

/** A folder of an operator's, in which `sequitur` is installed. */
function home(): string {
  const cwd = folder({ "package.json": JSON.stringify({ type: "module" }) })
  mkdirSync(join(cwd, "node_modules"))
  symlinkSync(resolve("."), join(cwd, "node_modules/sequitur"))
  return cwd
}

const cwd = home()
let catalog: Catalog
let pins: McpPins
let code: string

beforeAll(async () => {
  const said = await sequitur(["mcp", "import", "--name", "shop", "--command", shop(), "--out", "shop.ts"], { cwd })
  expect(said).toMatchObject({ code: 0, out: "" })
  expect(said.err).toContain("5 tools in shop.ts; nobody may use one")
  code = readFileSync(join(cwd, "shop.ts"), "utf8")
  const module = (await import(pathToFileURL(join(cwd, "shop.ts")).href)) as { default: Catalog; pins: McpPins }
  catalog = module.default
  pins = module.pins
})

const plan = (tool: string, args: object): string => JSON.stringify({ version: 1, steps: [{ id: "s1", tool, args }] })
const refusals = (of: Catalog, tool: string, args: object): readonly string[] => {
  const compiled = compile(of, plan(tool, args), { principal: { tenant: "acme", subject: "ada", roles: ["support"] } })
  return compiled.ok ? [] : compiled.diagnostics.map(({ code: found, at }) => `${found} ${at}`)
}

/** The same catalog once the operator has mapped it: everybody may use everything, and no person is asked. */
async function mapped(): Promise<Catalog> {
  const path = join(cwd, "mapped.ts")
  writeFileSync(path, code.replaceAll('{ approval: "always" }', '{ roles: ["support"] }'))
  return ((await import(pathToFileURL(path).href)) as { default: Catalog }).default
}

test("the catalog is sound, has the types of one, and everything in it is mutating, untrusted, private and nobody's", () => {
  expect(catalog.diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
  for (const tool of catalog.tools.values()) expect(tool).toMatchObject({ effect: "write", mutates: true })
  writeFileSync(
    join(cwd, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        ...{ module: "nodenext", target: "esnext", strict: true, noEmit: true, skipLibCheck: true },
        ...{ customConditions: ["@sequitur/source"], allowImportingTsExtensions: true, preserveSymlinks: false },
      },
      files: ["shop.ts"],
    }),
  )
  const tsc = spawnSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", cwd], { encoding: "utf8" })
  expect(tsc.stdout.split("\n").filter((line) => line.startsWith("shop.ts"))).toEqual([])
})

test("D16: a tool whose server claims that it only reads is nobody's, until the operator says otherwise", async () => {
  expect(catalog.spec.tools["shop/wipe"]?.claims).toEqual({ readOnlyHint: true })
  expect(catalog.spec.tools["shop/doc.edit"]).not.toHaveProperty("claims")
  expect(refusals(catalog, "shop/wipe", {})).toEqual(["SEQ505 /steps/0/tool"])
  // Once somebody may use it, a person still has to agree.
  const path = join(cwd, "roles.ts")
  writeFileSync(path, code.replaceAll('{ approval: "always" }', '{ roles: ["support"], approval: "always" }'))
  const { default: asked } = (await import(pathToFileURL(path).href)) as { default: Catalog }
  const compiled = compile(asked, plan("shop/wipe", {}))
  expect(compiled.ok && compiled.plan.approvals.length).toBe(1)
  // And whoever maps it is told that the server says otherwise.
  const contradicted = asked.diagnostics.filter(({ code }) => code === "SEQ826").map(({ at }) => at)
  expect(contradicted).toEqual(["/tools/shop~1find_order/claims/readOnlyHint", "/tools/shop~1wipe/claims/readOnlyHint"])
})

describe("schemas are kept", () => {
  test("a union at the top (D06)", async () => {
    const open = await mapped()
    expect(refusals(open, "shop/doc.edit", { kind: "quiz", count: 2 })).toEqual([])
    expect(refusals(open, "shop/doc.edit", { kind: "quiz", title: "x" }).length).toBeGreaterThan(0)
    expect(refusals(open, "shop/doc.edit", { anything: 1 }).length).toBeGreaterThan(0)
  })

  test("const and enum (D07)", async () => {
    const open = await mapped()
    expect(refusals(open, "shop/team.change", { action: "remove", user: "u1" })).toEqual([])
    expect(refusals(open, "shop/team.change", { action: "REMOVE", user: "u1" }).length).toBeGreaterThan(0)
    expect(code).toMatch(/"enum": \[\s*"add",\s*"remove"\s*\]/)
  })

  test("additionalProperties, and the tool gets what was planned (D08)", async () => {
    const open = await mapped()
    expect(refusals(open, "shop/catalog.query", { query: { kind: 5 } }).length).toBeGreaterThan(0)
    const server = mcpServer(pins, { command: process.execPath, args: [resolve("test/mcp/shop-server.ts")] })
    const runner = createRunner({ catalog: open, tools: mcpToolbox(open, { servers: [server] }), store: memory() })
    const compiled = compile(open, plan("shop/catalog.query", { query: { kind: "Component" } }))
    if (!compiled.ok) throw new Error("refused")
    const who = { principal: { tenant: "acme", subject: "ada", roles: ["support"] }, sessionId: "s", taskId: "t" }
    const report = await runner.run(compiled.plan, who)
    await server.close()
    expect(report).toMatchObject({ status: "succeeded", steps: { s1: { text: '{"query":{"kind":"Component"}}' } } })
  })
})

test("of two servers with a tool of one name both are there, by their own names, and the bare name is none (D15)", () => {
  const { listed } = { listed: readListed([{ ...refund, name: "send_email" }]) }
  const texts = ["corp", "extra"].map((server) =>
    writeStub({ server, listed, calls: { name: "", version: "" }, protocol: "" }),
  )
  expect(texts.flatMap(({ taken }) => taken)).toEqual(["corp/send_email", "extra/send_email"])
  expect(refusals(catalog, "find_order", { orderId: "1" })[0]).toMatch(/^SEQ10\d \/steps\/0\/tool/)
})

describe("names", () => {
  const refusedNames = (...names: readonly string[]) =>
    readListed(names.map((name) => ({ ...refund, name }))).refused.map(({ name, why }) => `${name}: ${why}`)

  test("outside ASCII are refused, and printed so that they cannot deceive (A022)", () => {
    expect(refusedNames("d\u0435lete_user", "pay\u200b", "pay\u00ad", "e\u0301t", "\u202eyap")).toEqual([
      "d\\u0435lete_user: names are 1 to 128 of A-Z, a-z, 0-9, `_`, `.`, `-`",
      "pay\\u200b: names are 1 to 128 of A-Z, a-z, 0-9, `_`, `.`, `-`",
      "pay\\u00ad: names are 1 to 128 of A-Z, a-z, 0-9, `_`, `.`, `-`",
      "e\\u0301t: names are 1 to 128 of A-Z, a-z, 0-9, `_`, `.`, `-`",
      "\\u202eyap: names are 1 to 128 of A-Z, a-z, 0-9, `_`, `.`, `-`",
    ])
    expect(refusedNames("a b", "a/b", "", "x".repeat(129)).length).toBe(4)
  })

  test("that look alike are refused, all of them", () => {
    for (const [one, other] of [
      ["pay", "Pay"],
      ["send_mail", "send-mail"],
      ["log_1n", "log_ln"],
      ["go0", "goo"],
      ["form", "forrn"],
      ["wipe", "vvipe"],
    ])
      expect(refusedNames(`${one}`, "other", `${other}`)).toEqual([
        `${one}: it looks like \`${other}\``,
        `${other}: it looks like \`${one}\``,
      ])
    expect(refusedNames("pay", "pay")).toEqual(["pay: it is listed more than once", "pay: it is listed more than once"])
  })

  test("like members of objects are names like others, and never found by accident (A025)", () => {
    const names = ["toString", "hasOwnProperty", "__proto__", "constructor"]
    const stub = writeStub({
      server: "s",
      listed: readListed(names.map((name) => ({ ...refund, name }))),
      calls: { name: "", version: "" },
      protocol: "",
    })
    expect(stub.taken).toEqual(names.map((name) => `s/${name}`))
    for (const name of names) expect(refusals(catalog, name, {})[0]).toMatch(/^SEQ10\d \/steps\/0\/tool/)
  })

  test("property: whatever is listed, no two that are taken come to the same when case and separators are left out", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "A", "1", "l", "_", ".", "é"), minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(name, { maxLength: 8 }), (names) => {
        const faults = findNameFaults(names)
        const taken = names.filter((_, at) => !faults.has(at)).map((one) => one.toLowerCase().replaceAll(/[_.-]/g, ""))
        expect(new Set(taken).size).toBe(taken.length)
      }),
      { numRuns: 300 },
    )
  })
})

test("nothing that a server says gets out of a comment or a string (A110)", async () => {
  const evil = [
    "*/ globalThis.broken = 1 //",
    '"}), globalThis.broken = 1, ({',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what a stranger wrote
    "`${globalThis.broken = 1}`",
    "\n globalThis.broken = 1\n",
    "\u2028globalThis.broken = 1\u2029",
    "\\",
    "\u001b[2J\r// x",
  ]
  const tools = evil.map((text, at) => ({
    name: `tool_${String.fromCharCode(97 + at)}`,
    title: text,
    description: text,
    inputSchema: {
      type: "object",
      description: text,
      properties: { [text]: { type: "string", description: text, enum: [text] } },
      additionalProperties: false,
    },
    annotations: { title: text, [text]: text, readOnlyHint: text, openWorldHint: true },
  }))
  const listed = readListed([
    ...tools,
    { name: evil[0], inputSchema: {} },
    { name: "z", inputSchema: { type: evil[1] } },
  ])
  const stub = writeStub({
    server: "evil",
    listed,
    calls: { name: evil.join(""), version: evil.join("") },
    protocol: evil.join(""),
  })
  expect(stub.taken.length).toBe(evil.length)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  expect(stub.text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u2028\u2029]/)
  writeFileSync(join(cwd, "evil.ts"), stub.text)
  const module = (await import(pathToFileURL(join(cwd, "evil.ts")).href)) as {
    default: Catalog
    tools: Record<string, { description: string; claims: object }>
  }
  expect("broken" in globalThis).toBe(false)
  expect(Object.values(module.tools).map(({ description }) => description)).toEqual(evil)
  for (const { claims } of Object.values(module.tools)) expect(claims).toEqual({ openWorldHint: true })
})

test("what cannot be kept exactly is refused by name", () => {
  const { tools, refused } = readListed([
    { name: "rounded", inputSchema: { type: "object", properties: { id: { maximum: 2 ** 60 } } } },
    { name: "endless", inputSchema: JSON.parse('{"type":"object","maxProperties":1e999}') },
    { name: "proto", inputSchema: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') },
    { name: "half", description: "\ud800", inputSchema: { type: "object" } },
    { name: "vast", description: "x".repeat(300_000), inputSchema: { type: "object" } },
  ])
  expect(tools).toEqual([])
  expect(refused.map(({ name, kind }) => `${name} ${kind}`)).toEqual(
    ["rounded", "endless", "proto", "half", "vast"].map((name) => `${name} shape`),
  )
  const listed = readListed([
    { name: "remote", inputSchema: { $ref: "https://example.com/schema.json" } },
    {
      name: "headers",
      inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
    },
    { name: "good", inputSchema: { type: "object" } },
  ])
  const stub = writeStub({ server: "s", listed, calls: { name: "", version: "" }, protocol: "" })
  expect(stub.taken).toEqual(["s/good"])
  expect(stub.refused.map(({ name, kind }) => `${name} ${kind}`)).toEqual(["remote schema", "headers schema"])
})

describe("drift", () => {
  test("diff says what has become of each tool, and the exit code that something has", async () => {
    expect(await sequitur(["mcp", "diff", "shop.ts", "--command", shop()], { cwd })).toEqual({
      code: 0,
      out: "every tool is what it was when it was imported, and there is no other\n",
      err: "",
    })
    expect(await sequitur(["mcp", "diff", "shop.ts", "--command", shop("changed")], { cwd })).toEqual({
      code: 1,
      out: "~ shop/find_order is not what it was when it was imported: its description differs\n+ steal is new\n",
      err: "",
    })
  })

  test("a tool that no catalog can hold is none of the news", () => {
    const remote = { name: "remote", inputSchema: { $ref: "https://example.com/schema.json" } }
    const { drifted, added, refused } = comparePins({ server: "shop", tools: {} }, readListed([remote, refund]))
    expect(drifted).toEqual([])
    expect(added).toEqual([refund.name])
    expect(refused.map(({ name }) => name)).toEqual(["remote"])
    const told = explainPins({ drifted: [], added: [] }, refused)
    expect(told).toContain("no other that a catalog could hold\n! remote would be refused: ")
  })

  test("importing again writes over nothing", async () => {
    const again = ["mcp", "import", "--name", "shop", "--out", "shop.ts", "--command", shop("changed")]
    const said = await sequitur([...again, "--format", "json"], { cwd })
    expect(said.code).toBe(1)
    expect(JSON.parse(said.out)).toMatchObject({
      written: false,
      drifted: [{ name: "shop/find_order" }],
      added: ["steal"],
    })
    expect(said.err).toContain("was not written over")
    expect(readFileSync(join(cwd, "shop.ts"), "utf8")).toBe(code)
  })

  test("property: any change of any part is drift; its order of keys, icons and _meta are not", () => {
    const part = fc.constantFrom("title", "description", "inputSchema", "outputSchema", "annotations")
    const tool = { ...refund, title: "Refund", outputSchema: { type: "object" }, annotations: { readOnlyHint: false } }
    const pin = pinOf(tool.name, tool)
    fc.assert(
      fc.property(part, fc.string(), (changed, text) => {
        const value = changed === "title" || changed === "description" ? `x${text}` : { type: "object", note: text }
        const live = readListed([{ ...tool, [changed]: value }])
        expect(findDrift(pin, live)).toEqual({ kind: "changed", parts: [changed] })
        const without = readListed([{ ...tool, [changed]: undefined }])
        expect(findDrift(pin, without)?.kind).toBe(changed === "inputSchema" ? "refused" : "changed")
      }),
      { numRuns: 100 },
    )
    const { name, ...rest } = tool
    const { type, ...schema } = tool.inputSchema
    expect(
      findDrift(pin, readListed([{ ...rest, inputSchema: { ...schema, type }, name, icons: [], _meta: { a: 1 } }])),
    ).toBeUndefined()
  })
})

test("who has not installed the SDK is told its name", async () => {
  const absent = "@modelcontextprotocol/not-there"
  await expect(load(absent, () => import(absent))).rejects.toThrow(
    "MCP needs the package @modelcontextprotocol/not-there, which is not installed: npm install @modelcontextprotocol/not-there",
  )
  // What is wrong inside it is not taken for that.
  await expect(load(absent, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken")
})

describe("a server that does not answer", () => {
  test.each([
    ["exits", "could not be reached: Connection closed (its last words: no database here)"],
    ["silent", "could not be reached: no connection within 1500 ms"],
    ["endless-list", "lists more tools than are taken: 50 on 50 pages, and more to come"],
  ])("%s", async (mode, said) => {
    const { code: exit, err } = await sequitur(
      ["mcp", "import", "--name", "s", "--timeout", "1500", "--command", byHand(mode)],
      { cwd },
    )
    expect({ exit, err }).toEqual({ exit: 1, err: `error: the MCP server ${said}\n` })
  })

  test.each([401, 403])("or does not take the credentials, HTTP %i", async (status) => {
    const server = createServer((_, answer) => answer.writeHead(status).end()).listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
    const { code: exit, err } = await sequitur(["mcp", "diff", "shop.ts", "--url", url], { cwd })
    server.close()
    expect(exit).toBe(1)
    expect(err).toContain(`could not be reached: it answers HTTP ${status}`)
  })

  test("or was not named", async () => {
    const wrong: readonly (readonly string[])[] = [
      ["--name", "s"],
      ["--name", "s", "--url", "file:///etc/passwd"],
      ["--name", "s/t", "--command", "x"],
      ["--name", "s", "--command", "'x"],
      ["--name", "s", "--command", "x", "--header", "A: b"],
      ["--name", "s", "--command", "x", "--env", "NOT_THERE"],
      ["--name", "s", "--url", "http://127.0.0.1:9/", "--header", "no"],
    ]
    const said = await Promise.all(wrong.map((args) => sequitur(["mcp", "import", ...args], { cwd })))
    expect(said.map(({ code: exit }) => exit)).toEqual(wrong.map(() => 2))
  })
})
