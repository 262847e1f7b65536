/** The pipe between a runner and the process of a handler: one JSON text a line. What comes in may be anything, and breaks no more
 *  than the line itself. */
import { isUtf8 } from "node:buffer"
import type { Socket } from "node:net"

/** Which descriptor it is in the process of the handler. */
export const lineFd = 3

export interface Listener {
  readonly onText: (text: string) => void
  /** The other side has closed it. */
  readonly onEnd: (error?: NodeJS.ErrnoException) => void
  /** Nothing that comes over it can be believed any more. */
  readonly onBroken: (problem: string) => void
}

export class Line {
  /** Of one text. */
  bytesMax = Number.POSITIVE_INFINITY
  readonly #socket: Socket
  readonly #listener: Listener
  #parts: Buffer[] = []
  #bytes = 0

  constructor(socket: Socket, listener: Listener) {
    this.#socket = socket
    this.#listener = listener
    socket.on("data", (chunk: Buffer) => this.#take(chunk))
    socket.on("end", () => listener.onEnd())
    socket.on("error", (error) => listener.onEnd(error))
  }

  /** Until it is written: then it arrives, whatever becomes of us. Where nobody listens any more, it never is. */
  send(text: string): Promise<void> {
    return new Promise((resolve) => this.#socket.write(`${text}\n`, (error) => error ?? resolve()))
  }

  close(): void {
    this.#parts = []
    this.#socket.removeAllListeners("data")
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    let from = 0
    while (!this.#socket.destroyed) {
      const end = chunk.indexOf(newline, from)
      const part = chunk.subarray(from, end === -1 ? undefined : end)
      this.#parts.push(part)
      this.#bytes += part.length
      if (this.#bytes > this.bytesMax) this.#listener.onBroken(`its process said more than ${this.bytesMax} bytes`)
      else if (end !== -1) this.#tell(Buffer.concat(this.#parts))
      if (end === -1) return
      from = end + 1
    }
  }

  #tell(whole: Buffer): void {
    this.#parts = []
    this.#bytes = 0
    if (isUtf8(whole)) this.#listener.onText(whole.toString())
    else this.#listener.onBroken("its process said what is no text")
  }
}

const newline = 0x0a
