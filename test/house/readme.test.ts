/** The README is true: its files are the files, its commands print what it says, its table lists every code. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { codes } from "sequitur"
import { runCodes } from "sequitur/run"
import { afterAll, expect, test } from "vitest"

const update = process.env.UPDATE_README === "1"
const readme = readFileSync("README.md", "utf8")

/** A copy of the clone, so that the commands leave nothing behind in it. */
const clone = mkdtempSync(join(tmpdir(), "sequitur-readme-"))
for (const part of ["src", "plans", "package.json", "tsconfig.json"])
  cpSync(part, join(clone, part), { recursive: true })
symlinkSync(resolve("node_modules"), join(clone, "node_modules"))
afterAll(() => rmSync(clone, { recursive: true, force: true }))

/** What differs from run to run, by its place in the text. */
const settle = (text: string): string =>
  text
    .replace(/run_[0-9a-f]{32}/g, "run_…")
    .replace(/apr_[0-9a-f]{32}/g, "apr_…")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-11-30T12:00:00.000Z")
    .replace(/^( *\d+ )[0-9a-f]{8} /gm, "$1………… ")
    .trimEnd()

let runId = "RUN"

function print(command: string): string {
  const env = {
    ...process.env,
    NO_COLOR: "1",
    COLUMNS: "120",
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  }
  const { stdout, stderr } = spawnSync("bash", ["-c", command.replaceAll("RUN ", `${runId} `)], {
    cwd: clone,
    encoding: "utf8",
    env,
  })
  runId = /run_[0-9a-f]{32}/.exec(stdout)?.[0] ?? runId
  return settle(stdout + stderr)
}

const table = (): string => {
  const all = [
    ...Object.entries(codes),
    ...Object.entries(runCodes).map(([code, entry]) => [code, { severity: "error", ...entry }] as const),
  ]
  return [
    "| code | severity | |",
    "|---|---|---|",
    ...all.map(([code, { severity, title }]) => `| ${code} | ${severity} | ${title} |`),
  ].join("\n")
}

function renew(text: string): string {
  return text
    .replace(
      /(```\w+ file=(\S+)\n)[\s\S]*?(```)/g,
      (_, head: string, file: string, tail: string) => `${head}${readFileSync(file, "utf8")}${tail}`,
    )
    .replace(/```console\n([\s\S]*?)```/g, (_, body: string) => {
      const commands = body.split("\n").filter((line) => line.startsWith("$ "))
      const blocks = commands.map((line) => [line, print(line.slice(2))].filter((part) => part !== "").join("\n"))
      return `\`\`\`console\n${blocks.join("\n\n")}\n\`\`\``
    })
    .replace(
      /(<!-- codes -->)[\s\S]*?(<!-- \/codes -->)/,
      (_, head: string, tail: string) => `${head}\n${table()}\n${tail}`,
    )
}

test("every example, command and code on the page is as it is", () => {
  const renewed = renew(readme)
  if (update) writeFileSync("README.md", renewed)
  else expect(renewed).toBe(readme)
}, 120_000)

/** What the examples take as given, by what they import first. */
const given = `
import { definePlan as define, defineCatalog as declare_, tool as one } from "sequitur"
import { z as zod } from "zod"

const catalog = declare_({
  name: "billing",
  version: "3",
  inputs: zod.strictObject({ accountId: zod.string() }),
  tools: {
    list_workspaces: one({
      description: "List.",
      effect: "read",
      params: zod.strictObject({ accountId: zod.string() }),
      result: zod.strictObject({ workspaces: zod.array(zod.strictObject({ id: zod.string() })) }),
    }),
  },
})
declare const text: string
declare const answer: string
declare const accountId: string
declare const messages: string[]
declare const billing: { list(id: string, signal: AbortSignal): Promise<{ workspaces: { id: string }[] }> }
interface Sent { [key: string]: unknown; type: "object"; properties?: { [key: string]: object }; required?: string[] }
declare const tools: import("sequitur/run").Toolbox<(typeof catalog)["spec"]>
declare const toolsOfBefore: typeof tools
declare const report: (error: unknown) => void
declare const client: {
  listTools(): Promise<{ tools: { name: string; description?: string; inputSchema: Sent; outputSchema?: Sent }[] }>
}
const written = define(catalog, { version: 1, steps: [{ id: "find", tool: "list_workspaces", args: { accountId } }] })
if (!written.ok) throw new Error()
`

test("every example in TypeScript has the right types", () => {
  const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, example = ""]) => example)
  expect(examples.length).toBeGreaterThan(4)
  const folder = join(clone, "examples")
  mkdirSync(folder)
  for (const [index, example] of examples.entries()) {
    const names = [...example.matchAll(/^(?:export )?const (\w+) =/gm)].map(([, name]) => name)
    // What an example makes itself is not given.
    const before = (names.includes("written") ? given.slice(0, given.indexOf("const written")) : given)
      .split("\n")
      .filter((line) => !names.some((name) => line.startsWith(`declare const ${name}:`)))
      .join("\n")
    writeFileSync(join(folder, `example-${index}.ts`), `${before}\n${example}\nexport {}\n`)
  }
  const options = { noUnusedLocals: false, customConditions: ["@sequitur/source"] }
  writeFileSync(
    join(clone, "examples.json"),
    JSON.stringify({ extends: "./tsconfig.json", compilerOptions: options, include: ["examples"] }),
  )
  const { stdout } = spawnSync("npx", ["tsc", "-p", join(clone, "examples.json")], { encoding: "utf8" })
  expect(stdout).toBe("")
}, 120_000)

test("every file that the page links to is there", () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((found) => found[1] ?? "")
  expect(links.length).toBeGreaterThan(5)
  for (const link of links) expect(() => execFileSync("ls", [link], { stdio: "pipe" }), link).not.toThrow()
})

test("every npm script that the page names is there", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> }
  for (const [, script] of readme.matchAll(/npm run (?:-s )?([\w:]+)/g)) expect(Object.keys(scripts)).toContain(script)
})
