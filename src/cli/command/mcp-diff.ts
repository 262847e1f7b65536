/** `sequitur mcp diff`: what has become of a server's tools since they were imported. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { printable } from "../../explain/printable.ts"
import type { Listed, RefusedTool } from "../../planner/mcp/listed.ts"
import { diffPins, type McpPins, type PinDifference, sayDrift } from "../../planner/mcp/pin.ts"
import { judgeListed } from "../../planner/mcp/stub.ts"
import { isObject } from "../../text/json.ts"
import { nameOf } from "../modules.ts"
import { exit, print, printJson, reasonOf, UsageError } from "../terminal.ts"
import { askServer, type PlaceOptions, unreachable } from "./mcp-place.ts"

export async function diffTools(file: string, options: PlaceOptions): Promise<number> {
  const pins = await loadPins(file)
  const offer = await askServer(options)
  if (offer === undefined) return unreachable
  const { refused, ...difference } = comparePins(pins, offer.listed)
  if (options.format === "json") printJson({ file: nameOf(resolve(file)), ...difference, refused })
  else print(explainPins(difference, refused))
  return difference.drifted.length + difference.added.length === 0 ? exit.fine : exit.refused
}

/** A tool that no catalog can hold is not news for as long as it is there. */
export function comparePins(
  pins: McpPins,
  listed: Listed,
): PinDifference & { readonly refused: readonly RefusedTool[] } {
  const { drifted, added } = diffPins(pins, listed)
  const { refused } = judgeListed(pins.server, listed)
  return { drifted, added: added.filter((name) => !refused.some((one) => one.name === name)), refused }
}

export function explainPins({ drifted, added }: PinDifference, refused: readonly RefusedTool[]): string {
  const others = refused.length === 0 ? "no other" : "no other that a catalog could hold"
  const same = `every tool is what it was when it was imported, and there is ${others}`
  const news = refused.filter(
    ({ name }) => !drifted.some(({ drift, name: local }) => drift.kind === "refused" && local.endsWith(`/${name}`)),
  )
  return [
    ...(drifted.length + added.length === 0 ? [same] : []),
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
