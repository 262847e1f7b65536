/** A line to the outside world, from a victim or from whoever judges what became of one. */
import { createConnection, type Socket } from "node:net"
import type { Grounds, Line } from "./grounds.ts"

type Without<L> = L extends unknown ? Omit<L, "n" | "ground"> : never

/** Where the outside world is told of things, and asked. */
export interface Outside {
  readonly say: (ground: string, line: Without<Line>) => void
  readonly ask: <Value>(ground: string, line: Without<Line>) => Promise<Value>
  readonly flush: () => void
}

/** For who lives in the process that keeps the grounds. */
export const nearby = (grounds: Grounds): Outside => ({
  say: (ground, line) => void grounds.serve({ ...line, ground }),
  ask: <Value>(ground: string, line: Without<Line>) => Promise.resolve(grounds.serve({ ...line, ground }) as Value),
  flush: () => {},
})

export class OutsideLine implements Outside {
  readonly #socket: Socket
  readonly #waiting = new Map<number, (value: never) => void>()
  #asked = 0
  #unsent = ""

  private constructor(socket: Socket) {
    this.#socket = socket
    let kept = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = `${kept}${chunk}`.split("\n")
      kept = lines.pop() ?? ""
      for (const line of lines) {
        const { n, value } = JSON.parse(line) as { readonly n: number; readonly value: never }
        this.#waiting.get(n)?.(value)
        this.#waiting.delete(n)
      }
    })
  }

  static open(path: string): Promise<OutsideLine> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(path, () => resolve(new OutsideLine(socket)))
      socket.on("error", reject)
    })
  }

  /** Sent with what is asked next, or when it is flushed. */
  say(ground: string, line: Without<Line>): void {
    this.#unsent += `${JSON.stringify({ ...line, ground })}\n`
  }

  ask<Value>(ground: string, line: Without<Line>): Promise<Value> {
    const n = this.#asked++
    return new Promise<Value>((resolve) => {
      this.#waiting.set(n, resolve)
      this.#unsent += `${JSON.stringify({ ...line, ground, n })}\n`
      this.flush()
    })
  }

  /** When this returns the system has all that was said, whatever becomes of this process. */
  flush(): void {
    if (this.#unsent !== "") this.#socket.write(this.#unsent)
    this.#unsent = ""
  }

  close(): void {
    this.#socket.destroy()
  }
}
