/** `sequitur mcp diff`: what has become of a server's tools since they were imported. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { printable } from "../../explain/printable.ts"
import type { RefusedTool } from "../../planner/mcp/listed.ts"
import { diffPins, type McpPins, type PinDifference, sayDrift } from "../../planner/mcp/pin.ts"
import { isObject } from "../../text/json.ts"
import { nameOf } from "../modules.ts"
import { exit, print, printJson, reasonOf, UsageError } from "../terminal.ts"
import { askServer, type PlaceOptions, unreachable } from "./mcp-place.ts"

export async function diffTools(file: string, options: PlaceOptions): Promise<number> {
  const pins = await loadPins(file)
  const offer = await askServer(options)
  if (offer === undefined) return unreachable
  const difference = diffPins(pins, offer.listed)
  if (options.format === "json")
    printJson({ file: nameOf(resolve(file)), ...difference, refused: offer.listed.refused })
  else print(explainPins(difference, offer.listed.refused))
  return difference.drifted.length + difference.added.length === 0 ? exit.fine : exit.refused
}

export function explainPins({ drifted, added }: PinDifference, refused: readonly RefusedTool[]): string {
  if (drifted.length + added.length === 0)
    return "every tool is what it was when it was imported, and there is no other"
  const news = refused.filter(
    ({ name }) => !drifted.some(({ drift, name: local }) => drift.kind === "refused" && local.endsWith(`/${name}`)),
  )
  return [
    ...drifted.map(
      ({ name, drift }) => `${drift.kind === "gone" ? "-" : "~"} ${printable(name)} ${printable(sayDrift(drift))}`,
    ),
    ...added.map((name) => `+ ${printable(name)} is new`),
    ...news.map(
      ({ name, at, why }) =>
        `! ${printable(name === "" ? `the tool at ${at}` : name)} would be refused: ${printable(why)}`,
    ),
  ].join("\n")
}

/** Of the module that `mcp import` wrote: the operator's own code by now. */
export async function loadPins(file: string): Promise<McpPins> {
  const path = resolve(file)
  if (!existsSync(path)) throw new UsageError(`there is no file ${nameOf(path)}`)
  let found: { readonly pins?: unknown }
  try {
    found = await import(pathToFileURL(path).href)
  } catch (error) {
    throw new UsageError(`${nameOf(path)} could not be loaded: ${reasonOf(error)}`)
  }
  if (isPins(found.pins)) return found.pins
  throw new UsageError(`${nameOf(path)} has no \`pins\` that \`mcp import\` wrote`)
}

const isPins = (value: unknown): value is McpPins =>
  isObject(value) &&
  typeof value.server === "string" &&
  isObject(value.tools) &&
  Object.values(value.tools).every((pin) => isObject(pin) && typeof pin.name === "string")
