/**
 * The outside world as a process of its own, so that it outlives whoever is killed: lines of JSON on a socket whose path is its
 * argument. It keeps many grounds, each copied from another, so that a crash can be gone on from in more than one way.
 */
import { createServer, type Socket } from "node:net"
import { ask, bareGround, collect, type Ground, passTo, type Request, settle, tell } from "./world.ts"

/** What a line asks for. What has a number is answered. */
export type Line = { readonly n?: number; readonly ground: string } & (
  | { readonly op: "hello" | "gone"; readonly process: string }
  | { readonly op: "heard" | "drop" }
  | { readonly op: "ask" | "collect" | "tell"; readonly nowMs: number; readonly request: Request }
  | { readonly op: "acknowledge"; readonly seq: number; readonly text: string }
  | { readonly op: "ended"; readonly status: string }
  | { readonly op: "copy"; readonly from: string | undefined }
  | { readonly op: "merge"; readonly from: string }
  | { readonly op: "look"; readonly settled: boolean }
)

const grounds = new Map<string, Ground>()
const open = new Set<string>()
/** Who waits for all that a process has said before it died, by its name. */
const waiting = new Map<string, () => void>()

const groundOf = (name: string): Ground => {
  const ground = grounds.get(name)
  if (ground === undefined) throw new Error(`there is no ground ${name}`)
  return ground
}

function serve(line: Line): unknown {
  switch (line.op) {
    case "ask":
      return ask(groundOf(line.ground), line.request, line.nowMs)
    case "collect":
      return collect(groundOf(line.ground), line.request, line.nowMs)
    case "tell":
      return tell(groundOf(line.ground), line.request, line.nowMs)
    case "acknowledge":
      groundOf(line.ground).acknowledged[line.seq] = line.text
      return undefined
    case "ended":
      groundOf(line.ground).ended = line.status
      return undefined
    case "copy":
      grounds.set(line.ground, line.from === undefined ? bareGround() : structuredClone(groundOf(line.from)))
      return true
    case "merge": {
      const [ground, from] = [groundOf(line.ground), groundOf(line.from)]
      Object.assign(ground.acknowledged, from.acknowledged)
      ground.ended ??= from.ended
      return true
    }
    case "look": {
      if (!line.settled) return groundOf(line.ground)
      const ground = structuredClone(groundOf(line.ground))
      passTo(ground, ground.nowMs)
      settle(ground)
      return ground
    }
    case "drop":
      return grounds.delete(line.ground)
    case "heard":
    case "hello":
    case "gone":
      return undefined
  }
}

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
    } else answer(serve(line))
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
