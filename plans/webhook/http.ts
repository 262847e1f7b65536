/** The little of HTTP that the example needs. */
import type { IncomingMessage, Server } from "node:http"
import type { AddressInfo } from "node:net"

/** On a port of its own, for this machine alone. Gives back its address. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const bytesMax = 65_536

/** Undefined where it is too long. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
