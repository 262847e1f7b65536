/** The server by hand over HTTP; and answers that are none. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Message, Speaker } from "./speak.ts"

export interface HostileServer {
  readonly url: string
  readonly calls: readonly Message[]
  /** All that was said to it. */
  readonly heard: readonly Message[]
  readonly close: () => Promise<void>
}

export async function hostileServer(mode: string): Promise<HostileServer> {
  const speaker = new Speaker(mode)
  const calls: Message[] = []
  const heard: Message[] = []
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end()
    let body = ""
    for await (const chunk of request) body += chunk
    const message = JSON.parse(body) as Message
    heard.push(message)
    if (message.method === "tools/call") {
      calls.push(message)
      if (mode === "gone-after-redirect") server.close()
      if (misbehave(mode, response)) return
    }
    if (message.id === undefined) return response.writeHead(202).end()
    const [said] = speaker.say(message)
    if (said === undefined) return
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said))
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    heard,
    close: async () => {
      server.closeAllConnections()
      if (server.listening) await new Promise((done) => server.close(done))
    },
  }
}

/** True where that was all. */
function misbehave(mode: string, response: ServerResponse): boolean {
  switch (mode) {
    case "endless-stream": {
      response.writeHead(200, { "content-type": "text/event-stream" })
      const timer = setInterval(() => response.write(`: ${"x".repeat(100_000)}\n\n`), 1)
      response.on("close", () => clearInterval(timer))
      return true
    }
    case "quiet-stream":
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n")
      return true
    case "ended-stream":
      response.writeHead(200, { "content-type": "text/event-stream" }).end(": bye\n\n")
      return true
    case "endless-json": {
      response.writeHead(200, { "content-type": "application/json" }).write('{"jsonrpc":"2.0","id":')
      const timer = setInterval(() => response.write(" ".repeat(100_000)), 1)
      response.on("close", () => clearInterval(timer))
      return true
    }
    case "cut":
      response.writeHead(200, { "content-type": "application/json" }).write('{"jsonrpc":"2.0",')
      setTimeout(() => response.destroy(), 20)
      return true
    case "html":
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Log in</h1>")
      return true
    case "half-json":
      response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":')
      return true
    case "error-500":
      response.writeHead(500).end("it went wrong")
      return true
    case "elsewhere":
      response.writeHead(307, { location: "http://127.0.0.1:9/" }).end()
      return true
    case "in-circles":
      response.writeHead(307, { location: "/mcp" }).end()
      return true
    case "gone-after-redirect":
      // Whoever followed would find nobody there, and take it that nothing was sent.
      response.writeHead(307, { location: "/mcp", connection: "close" }).end()
      return true
    default:
      return false
  }
}
