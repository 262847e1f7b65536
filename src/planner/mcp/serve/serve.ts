/** The service over MCP's transports, by the official server: standard input and output, and streamable HTTP. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import type { CatalogSpec } from "../../../catalog/catalog.ts"
import { copyPrincipal } from "../../../compile.ts"
import type { Principal } from "../../../run/toolbox.ts"
import { loadServer, loadServerStdio } from "../sdk.ts"
import { offeredPrompt } from "./prompt.ts"
import { makeService, type Service, type ServiceOptions } from "./service.ts"

export interface StdioOptions<Spec extends CatalogSpec = CatalogSpec> extends ServiceOptions<Spec> {
  /** Whoever has started the process. */
  readonly principal: Principal
}

export interface Serving {
  /** Where it is, over HTTP. */
  readonly url: string
  /** Resolves when the client has hung up, or `close` was called. */
  readonly closed: Promise<void>
  readonly close: () => Promise<void>
}

export interface HttpOptions<Spec extends CatalogSpec = CatalogSpec> extends ServiceOptions<Spec> {
  /** Who asks, by the request's headers; undefined: nobody that is known, and the answer is 401. */
  readonly authenticate: (request: Request) => Principal | undefined | Promise<Principal | undefined>
  readonly port: number
  /** Default 127.0.0.1. */
  readonly host?: string | undefined
  /** Names by which it may be asked for (`Host`), without ports. Default: those of this machine itself. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Host names of pages that may ask (`Origin`). Default: those of this machine itself. */
  readonly allowedOrigins?: readonly string[] | undefined
  /** Hears what went wrong on a connection. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const name = "sequitur"
const requestBytes = 4_194_304

async function makeServer(service: Service, caller: Principal) {
  const { Server, ProtocolError, ProtocolErrorCode } = await loadServer()
  const server = new Server(
    { name, version: "1" },
    {
      capabilities: { tools: {}, prompts: {} },
      instructions: "Write a whole plan, have it checked with `compile_plan`, and run it with `run_plan`.",
    },
  )
  server.setRequestHandler("tools/list", () => ({ tools: service.tools.map((tool) => ({ ...tool })) as never }))
  server.setRequestHandler(
    "tools/call",
    async ({ params }) => (await service.call(params.name, params.arguments, caller)) as never,
  )
  server.setRequestHandler("prompts/list", () => ({ prompts: [offeredPrompt] }))
  server.setRequestHandler("prompts/get", ({ params }) => {
    const asked = service.prompt(params, caller)
    if ("problem" in asked) throw new ProtocolError(ProtocolErrorCode.InvalidParams, asked.problem)
    return { messages: [{ role: "user" as const, content: { type: "text" as const, text: asked.text } }] }
  })
  return server
}

export async function serveStdio<Spec extends CatalogSpec>(options: StdioOptions<Spec>): Promise<Serving> {
  const caller = demandPrincipal(options.principal)
  const service = makeService(options)
  const { serveStdio: serve, StdioServerTransport } = await loadServerStdio()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const handle = serve(() => makeServer(service, caller), {
    transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: requestBytes }),
  })
  process.stdin.once("close", resolve)
  process.stdin.once("end", resolve)
  const close = async (): Promise<void> => {
    await handle.close()
    resolve()
  }
  return { url: "", closed, close }
}

export async function serveHttp<Spec extends CatalogSpec>(options: HttpOptions<Spec>): Promise<Serving> {
  const { authenticate, port, host = "127.0.0.1", onError } = options
  const service = makeService(options)
  const sdk = await loadServer()
  const hosts = [...(options.allowedHosts ?? sdk.localhostAllowedHostnames())]
  const origins = [...(options.allowedOrigins ?? sdk.localhostAllowedOrigins())]
  const handler = sdk.createMcpHandler(({ authInfo }) => makeServer(service, callerIn(authInfo)), {
    maxRequestBodySize: requestBytes,
    ...(onError === undefined ? {} : { onerror: onError }),
  })
  const answer = async (request: Request): Promise<Response> => {
    const rejected = sdk.hostHeaderValidationResponse(request, hosts) ?? sdk.originValidationResponse(request, origins)
    if (rejected !== undefined) return rejected
    if (new URL(request.url).pathname !== "/mcp") return new Response(null, { status: 404 })
    const known = await authenticate(request)
    const caller = known === undefined ? undefined : copyPrincipal(known)
    if (caller === undefined) return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } })
    return handler.fetch(request, { authInfo: { token: "", clientId: caller.subject, scopes: [], extra: { caller } } })
  }
  const server = createServer(async (incoming, outgoing) => {
    try {
      const request = toRequest(incoming, outgoing)
      await send(request === undefined ? new Response(null, { status: 400 }) : await answer(request), outgoing)
    } catch (error) {
      onError?.(error)
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(500).end()
    }
  })
  // Nobody holds a connection by saying little.
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  await new Promise<void>((done, fail) => {
    server.once("error", fail)
    server.listen(port, host, done)
  })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}/mcp`,
    closed,
    close: async () => {
      await handler.close()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      resolve()
    },
  }
}

function demandPrincipal(given: Principal): Principal {
  const caller = copyPrincipal(given)
  if (caller === undefined) throw new TypeError("`principal` must be `{ tenant, subject, roles }`")
  return caller
}

function callerIn(auth: { readonly extra?: Record<string, unknown> } | undefined): Principal {
  const caller = auth?.extra?.caller as Principal | undefined
  if (caller === undefined) throw new Error("a request without a caller has got past the door")
  return caller
}

/** Undefined for an address that is none. */
function toRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request | undefined {
  const url = URL.parse(incoming.url ?? "/", `http://${incoming.headers.host ?? "unknown"}`)
  // What a host has no place for: a request of it cannot be made.
  if (url === null || url.username !== "" || url.password !== "") return undefined
  const headers = new Headers()
  for (const [header, value] of Object.entries(incoming.headersDistinct))
    for (const one of value ?? []) headers.append(header, one)
  const gone = new AbortController()
  outgoing.once("close", () => gone.abort())
  const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD"
  return new Request(url, {
    method: incoming.method ?? "GET",
    headers,
    signal: gone.signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" as const } : {}),
  })
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) {
    outgoing.end()
    return
  }
  const reader = response.body.getReader()
  outgoing.once("close", () => void reader.cancel().catch(() => undefined))
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (!outgoing.write(value)) await new Promise((drained) => outgoing.once("drain", drained).once("close", drained))
  }
  outgoing.end()
}
