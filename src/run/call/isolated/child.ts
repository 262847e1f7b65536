/** A process, seen from outside: it is given one call at a time, and killed when it does not let go. */
import { type ChildProcess, spawn } from "node:child_process"
import { Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { describeThrown } from "../describe.ts"
import type { Answer } from "../ending.ts"
import type { Taken } from "../take.ts"
import { passOn } from "./flags.ts"
import { Line, lineFd } from "./line.ts"
import type { Call, Order, Station } from "./message.ts"
import { type Asking, readReport, reportBytesMax } from "./report.ts"

/** How long a call that was given up may still say something; and how long a process that has let go of its line may still end. */
const graceMs = 1_000
/** How long a process waits for its next call. */
const idleMs = 10_000

/** `.ts` from source, `.js` as built. */
const extension = import.meta.url.slice(-3)
/** From source, what modules import of this package is source too. */
const conditions = extension === ".ts" ? ["--conditions=@sequitur/source"] : []
const main = fileURLToPath(new URL(`./main${extension}`, import.meta.url))

type OnAnswer = (answer: Answer<Taken[keyof Taken]>) => void

/** What the process is asked, until it has answered. */
interface Asked extends Asking {
  readonly onAnswer: OnAnswer
}

/** How a process ends that may use no more memory, by its engine or by us; and what else ends one so. */
const ends: { readonly [signal in NodeJS.Signals]?: string } = {
  SIGABRT: "aborts itself",
  SIGTRAP: "stops itself",
  SIGKILL: "is killed from outside",
}

/** Never keeps its parent alive. */
export class Child {
  readonly #process: ChildProcess
  readonly #line: Line | undefined
  readonly #memoryMb: number
  readonly #onGone: () => void
  #asked: Asked | undefined
  /** The number of the call. */
  #call = 0
  #began = false
  /** Why it was ended, where that was not by itself. */
  #fault: string | undefined
  #timer: NodeJS.Timeout | undefined
  #state: "well" | "tainted" | "given-up" | "broken" | "gone" = "well"

  constructor({ module, name }: Station, memoryMb: number, onGone: () => void) {
    this.#memoryMb = memoryMb
    this.#onGone = onGone
    const flags = [...passOn(process.execArgv), ...conditions, `--max-old-space-size=${Math.floor(memoryMb)}`]
    this.#process = spawn(process.execPath, [...flags, main, module, name, `${process.pid}`, `${memoryMb}`], {
      // What a handler prints is seen, as it is at home.
      stdio: ["ignore", "inherit", "inherit", "pipe"],
    })
    const socket = this.#process.stdio?.[lineFd]
    if (socket instanceof Socket) {
      socket.unref()
      this.#line = new Line(socket, {
        onText: (text) => this.#take(text),
        onEnd: (error) => this.#letGo(error),
        onBroken: (problem) => this.#break(problem),
      })
    }
    this.#process.on("error", (error) => {
      if (this.#process.pid === undefined) this.#lose(`no process could be begun: ${describeThrown(error)}`)
    })
    // Another process that it has left behind may hold the line.
    this.#process.on("exit", () => setTimeout(() => this.#line?.close(), graceMs).unref())
    // All that it has reported comes before this, and `began` with it.
    this.#process.on("close", (code, signal) => this.#lose(this.#describeEnd(code, signal)))
    this.#process.unref()
  }

  begin(call: Call, onAnswer: OnAnswer): void {
    clearTimeout(this.#timer)
    const { bounds, for: asked } = call
    this.#asked = { for: asked, bounds, onAnswer }
    this.#call++
    this.#began = false
    if (this.#line !== undefined) this.#line.bytesMax = reportBytesMax(bounds)
    this.#post({ kind: "begin", call: this.#call, ...call })
  }

  /** Its handler is told, and then has a moment. */
  giveUp(): void {
    if (this.#state === "gone" || this.#state === "broken" || this.#asked === undefined) return
    this.#state = "given-up"
    this.#post({ kind: "abort" })
    this.#timer = setTimeout(() => this.#end(), graceMs).unref()
  }

  /** Whether it may be given another call. One that a call has left unwell is not, and ends. */
  rest(): boolean {
    if (this.#state !== "well") {
      this.#end()
      return false
    }
    this.#timer = setTimeout(() => this.#end(), idleMs).unref()
    return true
  }

  /** One that is gone cannot be told anything: its end is heard all the same. */
  #post(order: Order): void {
    void this.#line?.send(JSON.stringify(order))
  }

  #take(text: string): void {
    const asked = this.#asked
    const report = readReport(text, asked)
    if (report === undefined || ("call" in report && report.call !== this.#call))
      this.#break("its process said what is no answer")
    else if (report.kind === "began") this.#began = true
    else if (report.kind === "answered") this.#answer(report.answer)
    else if (asked === undefined) this.#end()
    else if (this.#state === "well") this.#state = "tainted"
  }

  #answer(answer: Answer<Taken[keyof Taken]>): void {
    const asked = this.#asked
    this.#asked = undefined
    if (this.#line !== undefined) this.#line.bytesMax = reportBytesMax(undefined)
    asked?.onAnswer(answer)
  }

  /** What it says cannot be told from what a handler would have us believe: the call may have happened, whatever was said of it. */
  #break(said: string): void {
    if (this.#state === "gone" || this.#state === "broken") return
    this.#state = "broken"
    this.#line?.close()
    this.#end()
    this.#answer({ kind: "threw", said, notApplied: false })
  }

  /** It cannot be asked anything more, nor say anything. Mostly it is about to end. */
  #letGo(error: NodeJS.ErrnoException | undefined): void {
    // What it said last is heard before its end. Only where a second word could not be told, an answer to the first may be lost.
    const heard =
      error?.syscall === "write" ? this.#state !== "given-up" : error === undefined || error.code === "ECONNRESET"
    if (!heard) this.#began = true
    this.#onGone()
    setTimeout(() => {
      this.#fault = "its process has closed its line"
      this.#end()
    }, graceMs).unref()
  }

  /** That its process has ended says nothing of a call that was given up, unless it had not begun. */
  #lose(said: string): void {
    const givenUp = this.#state === "given-up"
    this.#state = "gone"
    clearTimeout(this.#timer)
    this.#line?.close()
    this.#onGone()
    if (!givenUp || !this.#began) this.#answer({ kind: "threw", said, notApplied: !this.#began })
  }

  #describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
    if (this.#fault !== undefined) return this.#fault
    if (this.#state === "given-up") return "it was given up before it was called"
    if (signal === null) return `its process ended with code ${code}`
    const ended = `its process was ended by ${signal}`
    const otherwise = ends[signal]
    if (otherwise === undefined) return ended
    return `${ended}; that happens when it needs more memory than its ${this.#memoryMb} MB, or ${otherwise}`
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#onGone()
    this.#process.kill("SIGKILL")
  }
}
