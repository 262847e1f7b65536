/** What an editor offers while a plan or a catalog is written: `▮` is where one types. */
import { rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { withLanguageServer } from "../../bench/types/language-server.ts"
import { makeProject } from "../../bench/types/project.ts"

const head = `import { arg, defineCatalog, definePlan, plan, tool } from "sequitur"
import { z } from "zod"
import billing from "${resolve("plans/billing/catalog.ts")}"
const found = plan(billing).call("find", "list_workspaces", { accountId: "acc_1001" })
const opened = found.transition("open", "MUTATING")
const { list_workspaces: list } = billing.spec.tools
`

const offered: { readonly [line: string]: readonly string[] } = {
  'found.call("a", "▮")': ["list_refunds", "list_workspaces"],
  'opened.call("a", "▮")': ["cancel_workspace", "list_refunds", "list_workspaces", "notify_customer"],
  'found.transition("a", "▮")': ["MUTATING"],
  'found.call("a", "list_refunds", { ▮ })': ["workspaceId"],
  'opened.call("a", "list_refunds", { workspaceId: { $from: "▮" } })': ["find", "input"],
  'opened.call("a", "list_refunds", { workspaceId: "" }, { after: ["▮"] })': ["find"],
  'definePlan(billing, { version: 1, steps: [{ id: "a", tool: "▮", args: {} }] })': [
    "cancel_workspace",
    "execute_refund",
    "list_refunds",
    "list_workspaces",
    "notify_customer",
  ],
  'definePlan(billing, { version: 1, steps: [{ id: "a", tool: "list_workspaces", args: { accountId: "" } }, { id: "b", transition: "MUTATING" }, { id: "c", tool: "list_workspaces", args: { accountId: { $from: "▮" } } }, { id: "d", tool: "list_workspaces", args: { accountId: "" } }] })':
    ["a", "input"],
  'tool({ description: "", effect: "▮", params: z.strictObject({}) })': ["destructive", "read", "write"],
  'tool({ description: "", effect: "read", params: z.strictObject({ id: z.string() }), requires: [{ tool: "x", same: ["▮"] }] })':
    ["id"],
  'defineCatalog({ name: "", version: "1", tools: { list, one: { ...list, requires: [{ tool: "▮" }] } } })': [
    "list",
    "one",
  ],
}

test("tools that may be called here, earlier steps, parameters, names of the catalog", async () => {
  const folder = makeProject()
  const lines = Object.keys(offered)
  const file = join(folder, "edited.ts")
  const text = `${head}${lines.map((line) => line.replace("▮", "")).join("\n")}\n`
  writeFileSync(file, text)
  try {
    const said = await withLanguageServer(folder, async (server) => {
      server.open(file, text)
      const found: [string, readonly string[]][] = []
      let offset = head.length
      for (const line of lines) {
        found.push([line, await server.complete(file, text, offset + line.indexOf("▮"))])
        offset += line.length
      }
      return found
    })
    expect(Object.fromEntries(said)).toEqual(offered)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 60_000)
