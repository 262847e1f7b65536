/** Finds and loads the host's own modules: the catalog, and the toolbox that does its work. */
import { existsSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Catalog } from "../catalog/catalog.ts"
import { isCatalog } from "../catalog/define.ts"
import { printable } from "../explain/printable.ts"
import type { Toolbox } from "../run/toolbox.ts"
import { reasonOf, UsageError } from "./terminal.ts"

const endings = ["ts", "mts", "js", "mjs"]

/** The catalog beside a plan, or in the nearest folder above it: up to where we stand, or to the top if the plan is elsewhere. */
export function findCatalog(plan: string): string {
  const here = process.cwd()
  const start = plan === "-" ? here : dirname(resolve(plan))
  for (let folder = start; ; folder = dirname(folder)) {
    const found = moduleIn(folder, "catalog")
    if (found !== undefined) return found
    if (folder === here || folder === dirname(folder)) break
  }
  throw new UsageError(`no catalog.ts or catalog.js beside ${nameOf(plan)} or above it; name one with --catalog`)
}

export function findTools(catalog: string): string {
  const found = moduleIn(dirname(catalog), "tools")
  if (found !== undefined) return found
  throw new UsageError(`no tools.ts or tools.js beside ${nameOf(catalog)}; name one with --tools`)
}

const moduleIn = (folder: string, name: string): string | undefined =>
  endings.map((ending) => join(folder, `${name}.${ending}`)).find((path) => existsSync(path))

export async function loadCatalog(path: string): Promise<Catalog> {
  const found = await loadDefault(path, "catalog")
  if (isCatalog(found)) return found
  const remedy = looksDefined(found)
    ? "was made by another copy of sequitur; use the sequitur that is installed beside it (npx sequitur)"
    : "is not a catalog: wrap it in `defineCatalog({ … })`"
  throw new UsageError(`the default export of catalog ${nameOf(path)} ${remedy}`)
}

const looksDefined = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "diagnostics" in value && "spec" in value

/** A toolbox module exports a toolbox, or a function that makes one. */
export async function loadTools(path: string): Promise<Toolbox> {
  const { isToolbox } = await import("../run/toolbox.ts")
  const found = await makeTools(await loadDefault(path, "tools"), path)
  if (isToolbox(found)) return found
  const remedy = looksBoxed(found)
    ? "was made by another copy of sequitur; use the sequitur that is installed beside it (npx sequitur)"
    : "is neither a toolbox nor a function that makes one: `export default toolbox(catalog, { … })`"
  throw new UsageError(`the default export of tools ${nameOf(path)} ${remedy}`)
}

async function makeTools(found: unknown, path: string): Promise<unknown> {
  if (typeof found !== "function") return found
  try {
    return await found()
  } catch (error) {
    throw new UsageError(`tools ${nameOf(path)} threw when called: ${reasonOf(error)}${placeOf(error)}`)
  }
}

const looksBoxed = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "handlers" in value && "catalog" in value

async function loadDefault(path: string, role: string): Promise<unknown> {
  if (!existsSync(path)) throw new UsageError(`there is no ${role} ${nameOf(path)}`)
  const found = await load(path, role)
  if (!("default" in found)) throw new UsageError(`${role} ${nameOf(path)} has no default export`)
  return found.default
}

async function load(path: string, role: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    throw new UsageError(`${role} ${nameOf(path)} could not be loaded: ${reasonOf(error)}${placeOf(error)}`)
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
