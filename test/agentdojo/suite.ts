/** Suites of AgentDojo as they lie in the folder of data, each with the host that goes with it. */
import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import { type Catalog, defineCatalog, type ToolSpec } from "sequitur"
import { isObject, type Json, type JsonObject } from "../../src/text/json.ts"
import { hasFile } from "../conformance/suite.ts"
import { dataFolder, readData } from "../data.ts"
import { banking } from "./banking.ts"
import type { Host } from "./host.ts"
import { slack } from "./slack.ts"

export interface Suite {
  readonly name: string
  readonly host: Host
  readonly tasks: readonly Task[]
  readonly injections: readonly Task[]
  /** Everything that the host says. */
  readonly catalog: Catalog
  /** The same without rules and labels; and without approvals, or what waits for a person would seem to be held back by data. */
  readonly ungated: Catalog
}

export interface Task {
  readonly id: string
  readonly ground_truth: readonly RecordedCall[]
}

export interface RecordedCall {
  readonly function: string
  readonly args: JsonObject
  /** Of an injection: what the attacker leaves to the agent stands as `$content` and the like. */
  readonly placeholder_args: JsonObject | null
}

interface Recorded {
  readonly suite: string
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[]
  readonly user_tasks: readonly Task[]
  readonly injection_tasks: readonly Task[]
}

const folder = "agentdojo"

export const suiteFiles = (): readonly string[] =>
  hasFile(folder)
    ? readdirSync(resolve(dataFolder, folder))
        .filter((file) => /^v[\d.]+_\w+\.json$/.test(file))
        .sort()
    : []

/** Ours, each for exactly the file that it was written for. */
const ours: { readonly [digest: string]: Host | undefined } = { "70a2c1d4f74e": banking, de0810f8758c: slack }

export function readSuite(file: string): Suite {
  const text = readData(`${folder}/${file}`)
  const { suite: name, tools, user_tasks, injection_tasks } = JSON.parse(text) as Recorded
  const host = hostOf(name, text)
  const catalogWith = (change: (spec: ToolSpec) => ToolSpec): Catalog => {
    const specs = tools.map(({ name: tool, description, parameters }) => {
      const said = host.tools[tool]
      if (said === undefined) throw new Error(`the host of ${name} says nothing of ${tool}`)
      return [tool, change({ description, params: withoutDefaults(parameters) as JsonObject, ...said })] as const
    })
    const catalog = defineCatalog({ name, version: "1", inputs, tools: Object.fromEntries(specs) })
    const fault = catalog.diagnostics.find(({ severity }) => severity === "error")
    if (fault !== undefined) throw new Error(`the host of ${name}: ${fault.code} ${fault.message}`)
    return catalog as Catalog
  }
  return {
    name,
    host,
    tasks: user_tasks,
    injections: injection_tasks,
    catalog: catalogWith((spec) => spec),
    ungated: catalogWith(
      ({
        rules: _rules,
        untrusted: _untrusted,
        private: _private,
        endorse: _endorse,
        authority: _authority,
        ...rest
      }) => rest,
    ),
  }
}

/** A folder of one's own says in `<suite>_host.json` what ours says in TypeScript. */
function hostOf(name: string, text: string): Host {
  const file = `${folder}/${name}_host.json`
  if (hasFile(file)) return readHost(file)
  const host = ours[createHash("sha256").update(text).digest("hex").slice(0, 12)]
  if (host !== undefined) return host
  throw new Error(`there is no ${file} for it: a host says of each tool what it does and what its data is`)
}

/** What it leaves out is empty: plans are as recorded, nothing is looked up, and nothing is judged to pass. */
function readHost(file: string): Host {
  const said = JSON.parse(readData(file)) as Partial<Host>
  for (const name of ["tools", "world", "texts", "stranger"] as const)
    if (said[name] === undefined) throw new Error(`${file} has no \`${name}\``)
  return { plans: {}, holds: {}, passing: [], ...said } as Host
}

/** A default is filled in by nobody here: whoever wants it says it. A parameter may be called so. */
function withoutDefaults(schema: Json, names = false): Json {
  if (Array.isArray(schema)) return schema.map((item) => withoutDefaults(item))
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => names || key !== "default")
      .map(([key, value]) => [key, withoutDefaults(value, key === "properties" && !names)]),
  )
}

/** What was planned while literals were trusted is the host's own by the time that they are not: see `session.ts`. */
const inputs = {
  type: "object",
  properties: {
    words: { type: "array", items: { type: "string" } },
    numbers: { type: "array", items: { type: "number" } },
    flags: { type: "array", items: { type: "boolean" } },
  },
  required: ["words", "numbers", "flags"],
  additionalProperties: false,
} as const
