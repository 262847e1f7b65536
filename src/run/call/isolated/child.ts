/** A process, seen from outside: it is given one call at a time, and killed when it does not let go. */
import { type ChildProcess, fork } from "node:child_process"
import { describeThrown } from "../describe.ts"
import type { Answer } from "../ending.ts"
import type { Taken } from "../take.ts"
import { passOn } from "./flags.ts"
import type { Call, Order, Report, Station } from "./message.ts"

/** How long a call that was given up may still say something. */
const graceMs = 1_000
/** How long a process waits for its next call. */
const idleMs = 10_000

/** `.ts` from source, `.js` as built. */
const extension = import.meta.url.slice(-3)
/** From source, what modules import of this package is source too. */
const conditions = extension === ".ts" ? ["--conditions=@sequitur/source"] : []

type OnAnswer = (answer: Answer<Taken[keyof Taken]>) => void

/** Never keeps its parent alive. */
export class Child {
  readonly #process: ChildProcess
  readonly #memoryMb: number
  readonly #onGone: () => void
  #onAnswer: OnAnswer | undefined
  #began = false
  #timer: NodeJS.Timeout | undefined
  #state: "well" | "tainted" | "given-up" | "gone" = "well"

  constructor({ module, name }: Station, memoryMb: number, onGone: () => void) {
    this.#memoryMb = memoryMb
    this.#onGone = onGone
    this.#process = fork(
      new URL(`./main${extension}`, import.meta.url),
      [module, name, `${process.pid}`, `${memoryMb}`],
      {
        execArgv: [...passOn(process.execArgv), ...conditions, `--max-old-space-size=${Math.floor(memoryMb)}`],
        serialization: "advanced",
        // What a handler prints is seen, as it is at home.
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      },
    )
    this.#process.on("message", (report: Report) => this.#take(report))
    this.#process.on("error", (error) => {
      if (this.#process.pid === undefined) this.#lose(`no process could be begun: ${describeThrown(error)}`)
    })
    // All that it has reported comes before this, and `began` with it.
    this.#process.on("close", (code, signal) => this.#lose(this.#describeEnd(code, signal)))
    this.#process.unref()
    this.#process.channel?.unref()
  }

  begin(call: Call, onAnswer: OnAnswer): void {
    clearTimeout(this.#timer)
    this.#onAnswer = onAnswer
    this.#began = false
    this.#post({ kind: "begin", ...call })
  }

  /** Its handler is told, and then has a moment. */
  giveUp(): void {
    if (this.#state === "gone" || this.#onAnswer === undefined) return
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
    if (this.#process.connected) this.#process.send(order, () => {})
  }

  #take(report: Report): void {
    if (report.kind === "began") this.#began = true
    else if (report.kind === "answered") this.#answer(report.answer)
    else if (this.#onAnswer === undefined) this.#end()
    else if (this.#state === "well") this.#state = "tainted"
  }

  #answer(answer: Answer<Taken[keyof Taken]>): void {
    const onAnswer = this.#onAnswer
    this.#onAnswer = undefined
    onAnswer?.(answer)
  }

  /** That its process has ended says nothing of a call that was given up, unless it had not begun. */
  #lose(said: string): void {
    const givenUp = this.#state === "given-up"
    this.#state = "gone"
    clearTimeout(this.#timer)
    this.#onGone()
    if (!givenUp || !this.#began) this.#answer({ kind: "threw", said, notApplied: !this.#began })
  }

  #describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
    if (this.#state === "given-up") return "it was given up before it was called"
    if (signal === null) return `its process ended with code ${code}`
    return `its process was ended by ${signal}: perhaps it needed more memory than its ${this.#memoryMb} MB`
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#onGone()
    this.#process.kill("SIGKILL")
  }
}
