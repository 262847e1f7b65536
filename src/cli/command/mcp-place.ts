/** Where the MCP server of a command is: `--command` or `--url`, and what goes with it. */
import { readFileSync } from "node:fs"
import type { Offer } from "../../planner/mcp/import.ts"
import { sayOutcome } from "../../planner/mcp/outcome.ts"
import type { McpPlace, McpProtocol } from "../../planner/mcp/place.ts"
import { SdkMissing } from "../../planner/mcp/sdk.ts"
import { unusable } from "../read-file.ts"
import { exit, type Format, secrets, UsageError } from "../terminal.ts"
import { tellError } from "../trouble.ts"

export interface PlaceOptions {
  readonly command?: string
  readonly url?: string
  /** `Name: value`, or `@file` with one on each line. */
  readonly header?: readonly string[]
  /** Names of variables that the program inherits. */
  readonly env?: readonly string[]
  readonly protocol: McpProtocol
  readonly timeout: number
  readonly format: Format
}

export function readPlace({ command, url, header = [], env = [] }: PlaceOptions): McpPlace {
  if ((command === undefined) === (url === undefined))
    throw new UsageError("name the server with --command or with --url")
  if (url !== undefined) {
    if (env.length > 0) throw new UsageError("--env is for a server that is started with --command")
    const read = URL.parse(url)
    if (read === null || !["http:", "https:"].includes(read.protocol))
      throw new UsageError("--url must be an http: or https: address")
    return { url: read, headers: readHeaders(header) }
  }
  if (header.length > 0) throw new UsageError("--header is for a server that is reached with --url")
  const [program, ...args] = splitCommand(command ?? "")
  if (program === undefined) throw new UsageError("--command must name a program")
  return { command: program, args, env: readEnvironment(env) }
}

/** As a shell splits words, but with nothing else of a shell: quotes only. */
export function splitCommand(line: string): readonly string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  const plain = line.replaceAll(/"[^"]*"|'[^']*'/g, "")
  if (/["']/.test(plain)) throw new UsageError("--command has a quote that does not end")
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single))
}

function readHeaders(given: readonly string[]): Readonly<Record<string, string>> {
  const lines = given.flatMap((one) => (one.startsWith("@") ? readLines(one.slice(1)) : [one]))
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = "", value = ""] = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):\s*(.*)$/.exec(line) ?? []
      if (name === "") throw new UsageError("--header must be `Name: value`, or @file with one on each line")
      // Whatever is said of it from now on, it is not shown.
      secrets.add(value.replace(/^Bearer\s+/i, ""))
      return [name, value]
    }),
  )
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "")
  } catch (error) {
    throw unusable(file, error)
  }
}

const readEnvironment = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.map((name) => {
      const value = process.env[name]
      if (value === undefined) throw new UsageError(`--env: there is no variable ${name}`)
      secrets.add(value)
      return [name, value]
    }),
  )

/** What the server offers. Where it does not say, that is told, and undefined given back. */
export async function askServer(options: PlaceOptions): Promise<Offer | undefined> {
  const { askOffer } = await import("../../planner/mcp/import.ts")
  const limits = { connectMs: options.timeout, listMs: options.timeout }
  const asked = await needSdk(askOffer(readPlace(options), { protocol: options.protocol, limits }))
  if (asked.ok) return asked.value
  tellError(
    { code: "mcp", message: `the MCP server ${sayOutcome(asked.outcome)}`, hint: null },
    options.format === "json",
  )
  return undefined
}

/** The SDK is an optional peer: who has not installed it is told so. */
export async function needSdk<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked
  } catch (error) {
    throw error instanceof SdkMissing ? new UsageError(error.message) : error
  }
}

export const unreachable = exit.refused
