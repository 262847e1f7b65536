/** Finds and loads the host's own modules: the catalog, and the toolbox that does its work. */
import { existsSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { types } from "node:util"
import type { Catalog } from "../catalog/catalog.ts"
import { isCatalog } from "../catalog/define.ts"
import { printable } from "../explain/printable.ts"
import type { GateOptions } from "../planner/gate/options.ts"
import type { Monitor } from "../planner/monitor/monitor.ts"
import type { RunnerOptions } from "../run/runner.ts"
import type { TelemetryLayer } from "../run/telemetry.ts"
import type { Toolbox } from "../run/toolbox.ts"
import { reasonOf, UsageError } from "./terminal.ts"

const endings = ["ts", "mts", "js", "mjs"] as const
type Role = "catalog" | "tools"

/** "catalog.ts, .mts, .js or .mjs" */
export const namesOf = (role: Role): string => `${role}.${endings.slice(0, -1).join(", .")} or .${endings.at(-1)}`

/** The catalog beside a plan, or in the nearest folder above it: up to where we stand, or to the top if the plan is elsewhere. */
export function findCatalog(plan: string, remedy = "name one with --catalog"): string {
  const here = process.cwd()
  const start = plan === "-" ? here : dirname(resolve(plan))
  for (let folder = start; ; folder = dirname(folder)) {
    const found = moduleIn(folder, "catalog")
    if (found !== undefined) return found
    if (folder === here || folder === dirname(folder)) break
  }
  const searched = plan === "-" ? "in this folder" : `beside ${nameOf(plan)} or above it`
  throw new UsageError(`there is no ${namesOf("catalog")} ${searched}; ${remedy}`)
}

export function findTools(catalog: string): string {
  const found = moduleIn(dirname(catalog), "tools")
  if (found !== undefined) return found
  throw new UsageError(`there is no ${namesOf("tools")} beside ${nameOf(catalog)}; name one with --tools`)
}

export const moduleIn = (folder: string, role: Role): string | undefined =>
  endings.map((ending) => join(folder, `${role}.${ending}`)).find((path) => existsSync(path))

/** `named` says how: by an option, or as it is. */
export async function loadCatalog(path: string, named: "option" | "argument" = "option"): Promise<Catalog> {
  const { default: found } = await loadModule(path, "catalog", named)
  if (isCatalog(found)) return found
  const remedy = looksLike(found, ["diagnostics", "spec"])
    ? "was made by another copy of sequitur; use the sequitur that is installed beside it (npx sequitur)"
    : "is not a catalog: wrap it in `defineCatalog({ … })`"
  throw new UsageError(`the default export of ${nameOf(path)} ${remedy}`)
}

/** A proxy is not asked: it would run, and may throw. */
const looksLike = (value: unknown, keys: readonly string[]): boolean =>
  typeof value === "object" && value !== null && !types.isProxy(value) && keys.every((key) => key in value)

/** A toolbox module exports a toolbox, or a function that makes one. */
export async function loadTools(path: string): Promise<Toolbox> {
  const { isToolbox } = await import("../run/toolbox.ts")
  const { default: exported } = await loadModule(path, "tools")
  const found = typeof exported === "function" ? await makeTools(exported as () => unknown, path) : exported
  if (isToolbox(found)) return found
  const remedy = looksLike(found, ["handlers", "catalog"])
    ? "was made by another copy of sequitur; use the sequitur that is installed beside it (npx sequitur)"
    : "is neither a toolbox nor a function that makes one: `export default toolbox(catalog, { … })`"
  throw new UsageError(`the default export of ${nameOf(path)} ${remedy}`)
}

export type Providers = Pick<RunnerOptions, "credentials" | "keySecret" | "onRequested">

/** What the module of a toolbox exports beside it for handlers, keys and people, by the names of the options: `export const credentials = …`. */
export async function loadProviders(path: string): Promise<Providers> {
  const module: { readonly [name: string]: unknown } = await load(path)
  const found = ["credentials", "keySecret", "onRequested"].flatMap((name) => {
    const value = module[name]
    if (value === undefined) return []
    if (typeof value !== "function") throw new UsageError(`\`${name}\` of ${nameOf(path)} is not a function`)
    return [[name, value] as const]
  })
  return Object.fromEntries(found)
}

export type Watching = Pick<GateOptions, "hooks" | "monitor" | "telemetry">

/** Likewise what is told of single calls, and where spans and metrics go: `export const hooks = …`, `monitor`, `telemetry`. */
export async function loadWatching(path: string): Promise<Watching> {
  const { hooks, monitor, telemetry }: { readonly [name: string]: unknown } = await load(path)
  const found: Watching = {
    ...(hooks === undefined ? {} : { hooks: hooks as NonNullable<Watching["hooks"]> }),
    ...(monitor === undefined ? {} : { monitor: monitor as Monitor }),
    ...(telemetry === undefined ? {} : { telemetry: telemetry as TelemetryLayer }),
  }
  const { admitWatching } = await import("../planner/gate/options.ts")
  const refused = admitWatching(found)
  if (refused === undefined) return found
  throw new UsageError(`${nameOf(path)}: ${refused.message}`)
}

async function makeTools(make: () => unknown, path: string): Promise<unknown> {
  try {
    return await make()
  } catch (error) {
    throw new UsageError(
      `the default export of ${nameOf(path)} threw when it was called: ${reasonOf(error)}${placeOf(error)}`,
    )
  }
}

/** The whole module: what it exports is not waited for, as it would be if it were given back alone. */
async function loadModule(path: string, role: Role, named = "option"): Promise<{ readonly default?: unknown }> {
  const option = named === "option" ? ` (--${role})` : ""
  if (!existsSync(path)) throw new UsageError(`there is no file ${nameOf(path)}${option}`)
  const found = await load(path)
  if (!("default" in found)) throw new UsageError(`${nameOf(path)} has no default export: it should be the ${role}`)
  return found
}

async function load(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    throw new UsageError(`${nameOf(path)} could not be loaded: ${reasonOf(error)}${placeOf(error)}`)
  }
}

/** The first place in a trace, which is where a module has its fault. */
function placeOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  const [, url, line] = /(file:\/\/\/[^\s)]+?)(:\d+)/.exec(stack) ?? []
  return url === undefined ? "" : ` (${nameOf(fileURLToPath(url))}${line})`
}

/** A path as the user would write it. */
export function nameOf(path: string): string {
  const near = relative(process.cwd(), path)
  return printable(path === "-" ? "standard input" : near.startsWith("..") || near === "" ? path : near)
}
