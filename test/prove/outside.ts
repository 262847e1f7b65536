/**
 * The outside world as a process of its own, so that it outlives whoever is killed: lines of JSON on a socket whose path is its
 * argument.
 */
import { createServer, type Socket } from "node:net"
import { Grounds, type Line } from "./grounds.ts"

const grounds = new Grounds()
const open = new Set<string>()
/** Who waits for all that a process has said before it died, by its name. */
const waiting = new Map<string, () => void>()

function attend(socket: Socket): void {
  let name: string | undefined
  let kept = ""
  const take = (line: Line): void => {
    const answer = (value: unknown): void => {
      if (line.n !== undefined && socket.writable) socket.write(`${JSON.stringify({ n: line.n, value })}\n`)
    }
    if (line.op === "hello") {
      name = line.process
      open.add(name)
      answer(true)
    } else if (line.op === "gone") {
      if (open.has(line.process)) waiting.set(line.process, () => answer(true))
      else answer(true)
    } else answer(grounds.serve(line))
  }
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = `${kept}${chunk}`.split("\n")
    kept = lines.pop() ?? ""
    for (const line of lines) take(JSON.parse(line) as Line)
  })
  // Whoever is killed does not say goodbye.
  socket.on("error", () => {})
  socket.on("close", () => {
    if (name === undefined) return
    open.delete(name)
    waiting.get(name)?.()
    waiting.delete(name)
  })
}

const [path = ""] = process.argv.slice(2)
const server = createServer(attend)
server.listen(path, () => console.log("listening"))
process.stdin.on("end", () => process.exit()).resume()
