/**
 * One connection to an MCP server, through the official client. What it answers is taken raw and judged here; whatever it does
 * instead of answering comes out as an `McpOutcome`. The client offers nothing: no sampling, no elicitation, no roots.
 */
import type { Client, RequestOptions, StandardSchemaV1, Transport } from "@modelcontextprotocol/client"
import { isObject } from "../../text/json.ts"
import { AnswerRedirects, limitFetch } from "./limited-fetch.ts"
import { type McpOutcome, quoteServer } from "./outcome.ts"
import { type McpLimits, type McpPlace, type McpProtocol, readLimits } from "./place.ts"
import { loadClient, loadClientStdio } from "./sdk.ts"

export type Asked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly outcome: McpOutcome }

export interface LinkOptions {
  readonly protocol?: McpProtocol | undefined
  readonly limits?: McpLimits | undefined
  readonly signal?: AbortSignal | undefined
  /** Called whenever the server says that its tools have changed. */
  readonly onToolsChanged?: (() => void) | undefined
}

/** Raw: nothing of an answer is filled in, left out or taken for something else. */
const raw: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "sequitur", validate: (value) => ({ value }) },
}

export class Link {
  readonly #client: Client
  readonly #limits: Required<McpLimits>
  readonly #trouble: Trouble
  #open = true

  constructor(client: Client, limits: Required<McpLimits>, trouble: Trouble) {
    this.#client = client
    this.#limits = limits
    this.#trouble = trouble
    client.onclose = () => {
      this.#open = false
    }
  }

  get open(): boolean {
    return this.#open
  }

  /** As the server calls itself. */
  get calls(): { readonly name: string; readonly version: string } {
    const { name = "", version = "" } = this.#client.getServerVersion() ?? {}
    return { name: quoteServer(`${name}`), version: quoteServer(`${version}`) }
  }

  get protocol(): string {
    return this.#client.getNegotiatedProtocolVersion() ?? ""
  }

  /** All that it lists, page by page, as it stands there. */
  async listTools(signal?: AbortSignal): Promise<Asked<readonly unknown[]>> {
    const tools: unknown[] = []
    const seen = new Set<string>()
    let cursor: string | undefined
    for (let pages = 1; ; pages++) {
      const params = cursor === undefined ? {} : { cursor }
      const asked = await this.#ask("tools/list", params, this.#limits.listMs, signal)
      if (!asked.ok) return asked
      const page = asked.value
      if (!isObject(page) || !Array.isArray(page.tools)) return wrong("a list of tools must have `tools`, an array")
      tools.push(...page.tools.slice(0, this.#limits.tools + 1))
      const next: unknown = page.nextCursor
      if (next !== undefined && typeof next !== "string") return wrong("`nextCursor` must be text")
      const more = next !== undefined && (pages >= this.#limits.pages || seen.has(next))
      if (more || tools.length > this.#limits.tools)
        return { ok: false, outcome: { kind: "endless-list", tools: tools.length, pages } }
      if (next === undefined) return { ok: true, value: tools }
      seen.add(next)
      cursor = next
    }
  }

  callTool(
    name: string,
    args: unknown,
    meta: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Asked<unknown>> {
    const params = { name, arguments: args, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) }
    return this.#ask("tools/call", params, this.#limits.callMs, signal)
  }

  async #ask(method: string, params: object, ms: number, signal?: AbortSignal): Promise<Asked<unknown>> {
    if (signal?.aborted === true) return { ok: false, outcome: { kind: "unreachable", why: "it was too late to ask" } }
    if (!this.#open) return { ok: false, outcome: { kind: "unreachable", why: this.#trouble.say("it has hung up") } }
    const options: RequestOptions = { timeout: ms, maxTotalTimeout: ms, ...(signal === undefined ? {} : { signal }) }
    try {
      return { ok: true, value: await this.#client.request({ method, params: params as never }, raw, options) }
    } catch (error) {
      return { ok: false, outcome: await this.#outcomeOf(error, ms, signal) }
    }
  }

  async #outcomeOf(error: unknown, ms: number, signal?: AbortSignal): Promise<McpOutcome> {
    const { SdkError, ProtocolError } = await loadClient()
    const why = quoteServer(error instanceof Error ? error.message : "it is not known why")
    if (this.#trouble.tooLarge) return { kind: "too-large", bytes: this.#limits.messageBytes }
    if (signal?.aborted === true) return { kind: "cancelled" }
    const redirected = causeOf(error, (cause) => cause instanceof AnswerRedirects)
    if (redirected instanceof AnswerRedirects) return { kind: "redirected", status: redirected.status }
    if (isRefusedConnection(error)) return { kind: "unreachable", why }
    if (error instanceof ProtocolError) return { kind: "protocol-error", code: error.code, why }
    if (error instanceof SdkError) {
      switch (`${error.code}`) {
        case "REQUEST_TIMEOUT":
          return { kind: "no-answer", ms }
        case "INVALID_RESULT":
        case "UNSUPPORTED_RESULT_TYPE":
        case "INPUT_REQUIRED_ROUNDS_EXCEEDED":
          return { kind: "wrong-shape", why }
      }
    }
    return { kind: "closed", why: this.#trouble.say(why) }
  }

  /** Of a program also its process. */
  async close(): Promise<void> {
    this.#open = false
    await this.#client.close().catch(() => undefined)
  }
}

/** Nothing was sent: nobody was there to take it, and no redirect has led there. */
const isRefusedConnection = (error: unknown): boolean =>
  causeOf(error, (cause) => "code" in cause && cause.code === "ECONNREFUSED") !== undefined

/** The error, or what it says has led to it. */
function causeOf(error: unknown, is: (error: Error) => boolean, left = 4): Error | undefined {
  if (!(error instanceof Error) || left === 0) return undefined
  return is(error) ? error : causeOf(error.cause, is, left - 1)
}

const wrong = (why: string): { readonly ok: false; readonly outcome: McpOutcome } => ({
  ok: false,
  outcome: { kind: "wrong-shape", why },
})

/** What is heard of a connection beside its answers; only the last of it is kept. */
export class Trouble {
  tooLarge = false
  /** Of the last answer over HTTP. */
  status = 0
  onTooLarge: () => void = () => undefined
  #stderr = ""

  noteTooLarge(): void {
    this.tooLarge = true
    this.onTooLarge()
  }

  noteError(error: unknown): void {
    if (error instanceof Error && /exceeded maximum size/.test(error.message)) this.tooLarge = true
  }

  /** Read to its end, so that a program that floods it does not stand still. */
  noteStderr(chunk: unknown): void {
    this.#stderr = `${this.#stderr}${chunk}`.slice(-stderrKept)
  }

  say(why: string): string {
    const said = quoteServer(this.#stderr.slice(-300))
    return said === "" ? why : `${why} (its last words: ${said})`
  }
}

const stderrKept = 2_000

/** Connects, or says why not. */
export async function connect(place: McpPlace, options: LinkOptions = {}): Promise<Asked<Link>> {
  const { protocol = "legacy", signal, onToolsChanged } = options
  const limits = readLimits(options.limits)
  const { Client } = await loadClient()
  const trouble = new Trouble()
  const client = new Client(
    { name: "sequitur", version: "1" },
    {
      versionNegotiation: { mode: protocol, probe: { timeoutMs: limits.connectMs } },
      inputRequired: { autoFulfill: false },
      ...(onToolsChanged === undefined
        ? {}
        : { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => onToolsChanged() } } }),
    },
  )
  client.onerror = (error) => trouble.noteError(error)
  const timeout = AbortSignal.timeout(limits.connectMs)
  const until = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  const link = new Link(client, limits, trouble)
  try {
    // Whoever sends without end is not listened to any longer; what waits for it is told at once.
    trouble.onTooLarge = () => void link.close()
    const transport = await open(place, limits, trouble)
    await orAborted(client.connect(transport, { timeout: limits.connectMs, signal: until }), until)
    return { ok: true, value: link }
  } catch (error) {
    // A program that does not go by itself is given time to; nobody waits for that.
    void link.close()
    const why = timeout.aborted
      ? `no connection within ${limits.connectMs} ms`
      : (refusals[trouble.status] ?? quoteServer(error instanceof Error ? error.message : "it is not known why"))
    return { ok: false, outcome: { kind: "unreachable", why: trouble.say(why) } }
  }
}

/** The SDK does not always say it. */
const refusals: { readonly [status: number]: string } = {
  401: "it answers HTTP 401, and takes no request without credentials, such as an `Authorization` header",
  403: "it answers HTTP 403, and does not take these credentials",
}

async function open(place: McpPlace, limits: Required<McpLimits>, trouble: Trouble): Promise<Transport> {
  if ("transport" in place) return place.transport()
  if ("command" in place) {
    const { StdioClientTransport } = await loadClientStdio()
    const { command, args = [], env, cwd } = place
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      stderr: "pipe",
      maxBufferSize: limits.messageBytes,
      ...(env === undefined ? {} : { env: { ...env } }),
      ...(cwd === undefined ? {} : { cwd }),
    })
    transport.stderr?.on("data", (chunk) => trouble.noteStderr(chunk))
    return transport
  }
  const { StreamableHTTPClientTransport } = await loadClient()
  const fetchNoted: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    trouble.status = response.status
    return response
  }
  return new StreamableHTTPClientTransport(new URL(place.url), {
    fetch: limitFetch(fetchNoted, limits.messageBytes, () => trouble.noteTooLarge()),
    requestInit: { headers: { ...place.headers } },
    // An answer that was cut off is not asked for again: the call is in doubt, not to be made twice.
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 10_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 0,
    },
  })
}

function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop, { once: true })
  aborted.catch(() => undefined)
  promise.catch(() => undefined)
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", stop))
}
