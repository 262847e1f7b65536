/** `sequitur mcp serve`: a catalog for MCP clients. Who asks is told by the options, or by their token; never by what they ask. */
import { createHash, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { copyPrincipal } from "../../compile.ts"
import { printable } from "../../explain/printable.ts"
import { RunUnderWay } from "../../journal/failure.ts"
import { sqlite } from "../../journal/sqlite.ts"
import { createGate, type Gate } from "../../planner/gate/gate.ts"
import { serveHttp, serveStdio } from "../../planner/mcp/serve/serve.ts"
import { createRunner } from "../../run/runner.ts"
import type { Principal } from "../../run/toolbox.ts"
import { approversFor } from "../approvers.ts"
import { findCatalog, loadCatalog, loadProviders, loadTools, loadWatching, moduleIn, nameOf } from "../modules.ts"
import { isFaulty } from "../plan-file.ts"
import { complain, exit, type Format, print, printJson, reasonOf, UsageError } from "../terminal.ts"
import { findOpenRun, KeptGates } from "./mcp-gates.ts"
import { needSdk } from "./mcp-place.ts"

const graceMs = 30_000

export interface ServeOptions {
  readonly catalog?: string
  readonly tools?: string
  readonly store: string
  readonly approvers?: string
  readonly http?: number
  readonly tokens?: string
  readonly tenant: string
  readonly subject: string
  readonly roles?: string
  readonly session?: string
  readonly task?: string
  readonly literals: "trusted" | "untrusted"
  readonly shows: "own" | "tenant"
  readonly format: Format
}

export async function serveCatalog(options: ServeOptions): Promise<number> {
  const { http, tokens, literals, shows } = options
  if (http !== undefined && tokens === undefined) throw new UsageError("--http needs --tokens: who may ask")
  if (http === undefined && tokens !== undefined) throw new UsageError("--tokens is for --http")
  const known = tokens === undefined ? undefined : readTokens(tokens)
  const catalogPath = resolve(options.catalog ?? findCatalog("-"))
  const catalog = await loadCatalog(catalogPath)
  if (isFaulty(catalog)) throw new UsageError(`${nameOf(catalogPath)} has faults of its own; see \`sequitur lint\``)
  const toolsPath = options.tools ?? moduleIn(dirname(catalogPath), "tools")
  if (toolsPath === undefined)
    complain(`there are no tools beside ${nameOf(catalogPath)}: plans are compiled and explained, not run`)
  const scope = scopeBy(options)
  const desk =
    toolsPath === undefined ? undefined : await openDesk(resolve(toolsPath), catalogPath, catalog, scope, options)
  const { runner, gates } = desk ?? {}
  const gate = gates && ((caller: Principal) => gates.of(caller))
  const origin = { catalog: catalogPath, ...(toolsPath === undefined ? {} : { tools: resolve(toolsPath) }) }
  const service = { catalog, runner, gate, literals, scope, shows, origin }
  const serving = await needSdk(
    http === undefined
      ? serveStdio({ ...service, principal: principalOf(options) })
      : serveHttp({ ...service, port: http, authenticate: makeFind(known ?? new Map()) }).catch((error) => {
          throw "code" in error && error.syscall === "listen"
            ? new UsageError(`--http ${http}: ${reasonOf(error)}`)
            : error
        }),
  )
  if (http !== undefined) {
    if (options.format === "json") printJson({ url: serving.url })
    else {
      print(`listening on ${serving.url}`)
      complain(`note: ${tokenShape}; whoever asks with any other is told 401`)
    }
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void serving.close())
  await serving.closed
  // What is under way is waited for, as by every command that runs plans.
  await Promise.all([gates?.leave(graceMs), runner?.close({ graceMs })])
  return exit.fine
}

/** What does the work: plans, and the single calls of each caller. */
async function openDesk(
  toolsPath: string,
  catalogPath: string,
  catalog: Awaited<ReturnType<typeof loadCatalog>>,
  scope: ReturnType<typeof scopeBy>,
  { store, approvers: named, literals, session: kept }: ServeOptions,
) {
  const tools = await loadTools(toolsPath)
  if (tools.fault !== undefined) throw new UsageError(`${nameOf(toolsPath)}: ${tools.fault.message}`)
  const approvers = approversFor(named, catalogPath)
  const { telemetry, ...watching } = await loadWatching(toolsPath)
  const driving = { catalog, tools, store: sqlite(store), approvers, telemetry, ...(await loadProviders(toolsPath)) }
  const runner = createRunner(driving)
  const gates = new KeptGates(async (principal) => {
    const { sessionId: session, taskId: task } = scope(principal)
    const origin = { by: "mcp", catalog: catalogPath, tools: toolsPath }
    const begin = (runId?: string): Promise<Gate> =>
      createGate({ ...driving, ...watching, principal, session, task, literals, origin, runId })
    // Of a session without a name there is no earlier start.
    const left =
      kept === undefined ? undefined : await findOpenRun(runner, catalog, { principal, session, task, literals })
    const gate = await (left === undefined ? begin() : begin(left).catch((error) => beside(error, left, begin)))
    const who = printable(`${principal.subject} of ${principal.tenant}`)
    complain(`single calls of ${who} ${gate.runId === left ? "go on in" : "begin"} run ${gate.runId}`)
    return gate
  })
  return { runner, gates }
}

/** Another server of the same session holds it: what it is at is its own. */
function beside(error: unknown, runId: string, begin: () => Promise<Gate>): Promise<Gate> {
  if (!(error instanceof RunUnderWay)) throw error
  complain(`run ${runId} of this session is under way elsewhere`)
  return begin()
}

function principalOf({ tenant, subject, roles = "" }: ServeOptions): Principal {
  const names = roles.split(",").flatMap((role) => (role.trim() === "" ? [] : [role.trim()]))
  return { tenant, subject, roles: names }
}

/** Each for all callers of a name; left out, each start is a session and a task of its own. */
function scopeBy({ session = `mcp:${randomUUID()}`, task = session }: ServeOptions) {
  return ({ subject }: Principal) => ({ sessionId: `${session}:${subject}`, taskId: `${task}:${subject}` })
}

type Tokens = ReadonlyMap<string, Principal>

/** By the token's digest, so that whoever reads the file cannot ask, and comparing tells nothing of a token. */
function readTokens(file: string): Tokens {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, "utf8"))
  } catch (error) {
    throw new UsageError(`the tokens in ${nameOf(file)} cannot be read: ${reasonOf(error)}`)
  }
  if (!Array.isArray(value) || value.length === 0) throw new UsageError(`${nameOf(file)} must be a list of who may ask`)
  const tokens = new Map<string, Principal>()
  for (const [at, one] of value.entries()) {
    const refuse = (problem: string): UsageError => new UsageError(`${nameOf(file)}: entry ${at} ${problem}`)
    const principal = typeof one === "object" && one !== null ? copyPrincipal(one) : undefined
    if (principal === undefined || !/^[0-9a-f]{64}$/.test(one.sha256))
      throw refuse('must be {"sha256": "<64 hex digits>", "tenant": …, "subject": …, "roles": […]}')
    if (one.sha256 === digestOf("")) throw refuse(`is of an empty token: ${tokenShape}`)
    if (tokens.has(one.sha256)) throw refuse("is of a token that an earlier one is of: nobody knows whose it is")
    tokens.set(one.sha256, principal)
  }
  return tokens
}

const digestOf = (token: string): string => createHash("sha256").update(token).digest("hex")

const tokenShape = "a token has 16 to 512 visible ASCII characters"

/** Only the digest is in the file, so that of a token that is none nothing is seen before somebody asks with it: then it is told, once. */
function makeFind(tokens: Tokens): (request: Request) => Principal | undefined {
  let told = false
  return (request) => {
    const [, token] = /^Bearer +(.*)$/i.exec(request.headers.get("authorization") ?? "") ?? []
    if (token === undefined) return undefined
    if (/^[\x21-\x7e]{16,512}$/.test(token)) return tokens.get(digestOf(token))
    if (!told)
      complain(`note: a request was refused (401) for a token that is none, whatever the file says: ${tokenShape}`)
    told = true
    return undefined
  }
}
