/** The tarball, as a user gets it: installed in an empty folder, used from plain JavaScript and from TypeScript. */
import { execFileSync, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { compiler } from "../../src/check/seal.ts"

const folder = mkdtempSync(join(tmpdir(), "sequitur-package-"))
const root = resolve(".")
const run = (command: string, args: readonly string[], cwd = folder): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

beforeAll(() => {
  rmSync("dist", { recursive: true, force: true })
  run("npm", ["run", "build", "--silent"], root)
  const packed = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], root)) as {
    filename: string
  }[]
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }))
  run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", join(folder, packed[0]?.filename ?? "")])
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const program = `
import { defineCatalog, definePlan, compile, tool } from "sequitur"
import { createRunner, isolated, memory, toolbox } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { z } from "zod"

const catalog = defineCatalog({
  name: "greetings", version: "1",
  tools: {
    find_name: tool({ description: "Look up a name.", effect: "read", params: z.strictObject({ id: z.int() }), result: z.strictObject({ name: z.string() }) }),
    greet: tool({ description: "Send a greeting.", effect: "write", params: z.strictObject({ name: z.string() }), result: z.strictObject({ sent: z.boolean() }), idempotency: "none", compensate: "none" }),
  },
})
const tools = toolbox(catalog, {
  find_name: async ({ id }) => ({ name: "user " + id }),
  greet: async ({ name }) => ({ sent: name === "user 7" }),
})
const written = definePlan(catalog, { version: 1, steps: [
  { id: "find", tool: "find_name", args: { id: 7 } },
  { id: "hello", tool: "greet", args: { name: { $from: "find", path: "/name" } } },
] })
if (!written.ok) throw new Error("refused")
const who = { principal: { tenant: "acme", subject: "ada" }, sessionId: "s", taskId: "t" }
for (const store of [memory(), sqlite("runs.db")]) {
  const runner = createRunner({ catalog, tools, store })
  const result = await runner.run(written.plan, who)
  if (result.status !== "succeeded") throw new Error(JSON.stringify(result))
  console.log(result.status, TYPED)
  await runner.close()
}
const refused = compile(catalog, '{ "version": 1, "steps": [{ "id": "a", "tool": "greet", "args": { "nam": "x" } }] }')
console.log(refused.ok, refused.diagnostics.map((d) => d.code).join())
`

const expected = "succeeded true\nsucceeded true\nfalse SEQ120,SEQ121\n"

test("plain JavaScript compiles and runs a plan", () => {
  writeFileSync(join(folder, "use.js"), program.replace("TYPED", 'result.of("hello", "greet").sent'))
  rmSync(join(folder, "runs.db"), { force: true })
  expect(run(process.execPath, ["use.js"])).toBe(expected)
})

test("a handler runs in a process of its own", () => {
  const handler = 'async ({ name }) => ({ sent: name === "user 7" })'
  writeFileSync(join(folder, "greet.js"), `export const greet = ${handler}\n`)
  const source = program.replace(handler, 'isolated(new URL("./greet.js", import.meta.url), "greet")')
  expect(source).toContain("greet: isolated(")
  writeFileSync(join(folder, "isolated.js"), source.replace("TYPED", 'result.of("hello", "greet").sent'))
  rmSync(join(folder, "runs.db"), { force: true })
  expect(run(process.execPath, ["isolated.js"])).toBe(expected)
})

test("TypeScript compiles, typechecks and runs a plan", () => {
  const source = program.replace("TYPED", "result.steps.hello.sent satisfies boolean")
  writeFileSync(join(folder, "use.ts"), source)
  const options = { module: "nodenext", target: "es2024", strict: true, skipLibCheck: true, noEmit: true, types: [] }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["use.ts"] }))
  // `console` is all of the host that the program uses.
  mkdirSync(join(folder, "host"), { recursive: true })
  writeFileSync(join(folder, "host", "console.d.ts"), "declare const console: { log(...all: unknown[]): void }\n")
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, files: ["use.ts", "host/console.d.ts"] }),
  )
  run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", "."])
  rmSync(join(folder, "runs.db"), { force: true })
  expect(run(process.execPath, ["use.ts"])).toBe(expected)
})

const { exports: ways } = JSON.parse(readFileSync("package.json", "utf8")) as { exports: Record<string, unknown> }
const doors = Object.keys(ways).flatMap((way) => (way === "./package.json" ? [] : [`sequitur${way.slice(1)}`]))

test("every door opens, without what is optional", () => {
  for (const optional of ["@modelcontextprotocol", "typescript"])
    expect(existsSync(join(folder, "node_modules", optional))).toBe(false)
  const lines = doors.map((door) => `console.log("${door}", Object.keys(await import("${door}")).length > 0)`)
  writeFileSync(join(folder, "doors.js"), lines.join("\n"))
  expect(run(process.execPath, ["doors.js"])).toBe(doors.map((door) => `${door} true\n`).join(""))
})

test("whoever asks for MCP without its SDK is told which package is missing", () => {
  writeFileSync(
    join(folder, "mcp.js"),
    `import { defineCatalog, tool } from "sequitur"
import { askOffer, SdkMissing, serveStdio } from "sequitur/mcp"
const look = tool({ description: "Look.", effect: "read", params: { type: "object" } })
const catalog = defineCatalog({ name: "c", version: "1", tools: { look } })
const principal = { tenant: "acme", subject: "ada", roles: [] }
for (const ask of [() => askOffer({ command: "node", args: [] }), () => serveStdio({ catalog, principal })])
  await ask().catch((error) => console.log(error instanceof SdkMissing, error.message))
`,
  )
  const missing = (name: string) => `MCP needs the package ${name}, which is not installed: npm install ${name}`
  expect(run(process.execPath, ["mcp.js"])).toBe(
    ["client", "server"].map((half) => `true ${missing(`@modelcontextprotocol/${half}`)}\n`).join(""),
  )
  const path = project("serves", { "catalog.mjs": declaration })
  const { stdout, stderr, status } = spawnSync(join(folder, "node_modules/.bin/sequitur"), ["mcp", "serve"], {
    cwd: path,
    encoding: "utf8",
  })
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
  expect(stderr).toContain(missing("@modelcontextprotocol/server"))
})

/** With the packages that a user of its types has installed beside it. */
function link(name: string): void {
  const at = join(folder, "node_modules", name)
  mkdirSync(dirname(at), { recursive: true })
  if (!existsSync(at)) symlinkSync(resolve("node_modules", name), at)
}

const sdk = ["@modelcontextprotocol/client", "@modelcontextprotocol/server"]
const typings: readonly [string, readonly string[], readonly string[]][] = [
  ["nodenext", doors.filter((door) => door !== "sequitur/mcp"), []],
  ["bundler", doors, sdk],
]

/** Nothing that a door gives is `any`, which is what a type becomes that cannot be found. */
// Three compilers check every door and the SDKs behind it: a minute where others build beside it.
test.each(typings)(
  "the types of the doors: %s %j, beside %j",
  (resolution, tried, beside) => {
    for (const name of ["@types/node", ...beside]) link(name)
    const source = [
      "type Lost<Door> = { [Name in keyof Door]: 0 extends 1 & Door[Name] ? Name : never }[keyof Door]",
      ...tried.flatMap((door, index) => [
        `import * as door${index} from "${door}"`,
        `export const found${index}: [keyof typeof door${index}, Lost<typeof door${index}>] extends [string, never] ? true : false = true`,
      ]),
    ]
    writeFileSync(join(folder, "doors.ts"), source.join("\n"))
    const module =
      resolution === "bundler" ? { module: "preserve", moduleResolution: "bundler" } : { module: resolution }
    const options = { ...module, target: "es2024", strict: true, skipLibCheck: false, noEmit: true, types: ["node"] }
    writeFileSync(
      join(folder, "tsconfig.doors.json"),
      JSON.stringify({ compilerOptions: options, files: ["doors.ts"] }),
    )
    for (const version of ["typescript", "typescript-6", "typescript-5"]) {
      const tsc = resolve(`node_modules/${version}/bin/tsc`)
      const { stdout } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.doors.json"], {
        cwd: folder,
        encoding: "utf8",
      })
      // What other packages declare badly is theirs.
      const ours = stdout.split("\n").filter((line) => /^(doors\.ts|error|node_modules\/sequitur\/)/.test(line))
      expect(ours, version).toEqual([])
    }
  },
  180_000,
)

test("a catalog and its plans can be packed with declarations of their own", () => {
  writeFileSync(
    join(folder, "packed.ts"),
    `import { arg, count, defineCatalog, definePlan, fromArgs, fromResult, plan, tool } from "sequitur"
import { z } from "zod"
const undo = { description: "Undo.", effect: "write", idempotency: "natural", compensate: "none" } as const
export const catalog = defineCatalog({
  name: "packed", version: "1",
  blastRadius: { cents: { max: 100 }, items: { max: 10 } },
  tools: {
    drop: tool({ ...undo, params: z.strictObject({ id: z.string(), by: z.string() }) }),
    pay: tool({
      ...undo, params: z.strictObject({ cents: z.int().min(0).max(50), items: z.array(z.string()).max(5), by: z.string() }),
      result: z.strictObject({ id: z.string() }),
      blast: { cents: arg("cents"), items: count("items") },
      compensate: { tool: "drop", args: { id: fromResult("/id"), by: fromArgs("/by") } },
    }),
  },
})
export const written = definePlan(catalog, { version: 1, steps: [{ id: "p", tool: "pay", args: { cents: 1, items: ["a"], by: "me" } }] })
export const built = plan(catalog).call("p", "pay", { cents: 1, items: ["a"], by: "me" }).done()
`,
  )
  const compilerOptions = {
    module: "nodenext",
    target: "es2024",
    strict: true,
    skipLibCheck: true,
    types: [],
    declaration: true,
    emitDeclarationOnly: true,
    outDir: "packed",
  }
  writeFileSync(join(folder, "tsconfig.packed.json"), JSON.stringify({ compilerOptions, files: ["packed.ts"] }))
  for (const version of ["typescript", "typescript-6", "typescript-5"]) {
    const tsc = resolve(`node_modules/${version}/bin/tsc`)
    expect(run(process.execPath, [tsc, "-p", "tsconfig.packed.json"])).toBe("")
  }
  expect(existsSync(join(folder, "packed/packed.d.ts"))).toBe(true)
})

test("the command is there", () => {
  expect(run(join(folder, "node_modules/.bin/sequitur"), ["--version"]).trim()).toBe(compiler)
})

/** A folder of a user's own, with a catalog, a plan that is right and one that is not. */
function project(name: string, files: { readonly [file: string]: string | object }): string {
  const path = join(folder, name)
  mkdirSync(path)
  const parts = { "good.json": greeting("find"), "bad.json": greeting("fnd"), ...files }
  for (const [file, text] of Object.entries(parts)) {
    writeFileSync(join(path, file), typeof text === "string" ? text : JSON.stringify(text))
  }
  return path
}

const greeting = (from: string): object => ({
  version: 1,
  steps: [
    { id: "find", tool: "find_name", args: { id: 7 } },
    { id: "hello", tool: "greet", args: { name: { $from: from, path: "/name" } } },
  ],
})

const declaration = program
  .slice(0, program.indexOf("const tools ="))
  .replace("const catalog =", "export default")
  .replace(/import \{ (createRunner|sqlite).*\n/g, "")

/** What projects are like: their modules, their options, and what they write. */
const projects: { readonly [like: string]: { readonly [file: string]: string | object } } = {
  "modules of Node": {
    "catalog.ts": declaration,
    "tsconfig.json": { compilerOptions: { module: "nodenext", target: "es2024", strict: true, skipLibCheck: true } },
  },
  "a bundler, a library, less than strict": {
    "catalog.ts": `import type { Name } from "@/name.ts"\nexport const by: Name = "ada"\n${declaration}`,
    "name.ts": 'export type Name = "ada"\n',
    "base.json": { compilerOptions: { paths: { "@/*": [`\${configDir}/*`] } } },
    "tsconfig.json": {
      extends: "./base.json",
      compilerOptions: {
        module: "preserve",
        moduleResolution: "bundler",
        target: "es2022",
        strict: false,
        verbatimModuleSyntax: true,
        composite: true,
        isolatedDeclarations: true,
        rootDir: ".",
        outDir: "dist",
        tsBuildInfoFile: "dist/info",
        rewriteRelativeImportExtensions: true,
        noUnusedLocals: true,
      },
    },
  },
  "CommonJS by name, no tsconfig.json": { "package.json": { name: "old" }, "catalog.ts": declaration },
  JavaScript: { "catalog.mjs": declaration },
}

test.each(Object.entries(projects))("plans in JSON files are checked by their types: %s", (like, files) => {
  const typescript = join(folder, "node_modules/typescript")
  if (!existsSync(typescript)) symlinkSync(resolve("node_modules/typescript"), typescript)
  const path = project(like.replace(/\W+/g, "-"), files)
  const before = readdirSync(path)
  const args = ["types", "good.json", "bad.json", "--format", "json"]
  const { stdout, stderr, status } = spawnSync(join(folder, "node_modules/.bin/sequitur"), args, { cwd: path })
  expect([status, stderr.toString()]).toEqual([1, ""])
  const [good, bad] = (JSON.parse(stdout.toString()) as { plans: { accepted: boolean; diagnostics: object[] }[] }).plans
  expect(good).toMatchObject({ accepted: true, compiles: true })
  expect(bad?.diagnostics).toMatchObject([{ code: "SEQ201", at: "/steps/1/args/name/$from" }])
  expect(readdirSync(path)).toEqual(before)
})

test("the package says its version once", () => {
  expect(compiler).toBe((JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version)
})
