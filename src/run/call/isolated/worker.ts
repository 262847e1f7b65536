/** A thread, seen from outside: it is given one call at a time, watched meanwhile, and ended when it does not let go. */
import { Worker } from "node:worker_threads"
import { describeThrown } from "../describe.ts"
import type { Answer } from "../ending.ts"
import type { Taken } from "../take.ts"
import type { Call, Order, Report, Station } from "./message.ts"

/** How long a call that was given up may still say something. */
const graceMs = 1_000
/** How long a thread waits for its next call. */
const idleMs = 10_000
/** How often its memory is looked at. V8 watches over its heap, but not over what buffers hold. */
const lookMs = 50

/** From source, threads are started from source too, and so is what their modules import of this package. */
const fromSource = import.meta.url.endsWith(".ts")
const condition = "--conditions=@sequitur/source"

type OnAnswer = (answer: Answer<Taken[keyof Taken]>) => void

/** Never keeps its process alive. */
export class Thread {
  readonly #worker: Worker
  readonly #memoryBytes: number
  readonly #onGone: () => void
  #onAnswer: OnAnswer | undefined
  #began = false
  #endedBy: string | undefined
  #timer: NodeJS.Timeout | undefined
  #state: "well" | "tainted" | "given-up" | "gone" = "well"

  constructor(station: Station, memoryMb: number, onGone: () => void) {
    this.#memoryBytes = memoryMb * 1_048_576
    this.#onGone = onGone
    this.#worker = new Worker(new URL(fromSource ? "./thread.ts" : "./thread.js", import.meta.url), {
      workerData: station,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      ...(fromSource && !process.execArgv.includes(condition) ? { execArgv: [condition] } : {}),
    })
    this.#worker.on("message", (report: Report) => this.#take(report))
    this.#worker.on("error", (error) => {
      this.#endedBy = describeThrown(error)
    })
    // All that it has reported comes before this, and `began` with it.
    this.#worker.on("exit", (code) => this.#lose(this.#endedBy ?? `its thread ended with code ${code}`, !this.#began))
    this.#worker.unref()
  }

  begin(call: Call, onAnswer: OnAnswer): void {
    clearTimeout(this.#timer)
    this.#onAnswer = onAnswer
    this.#began = false
    this.#timer = setInterval(() => this.#look(), lookMs).unref()
    this.#post({ kind: "begin", ...call })
  }

  /** Its handler is told, and then has a moment. */
  giveUp(): void {
    if (this.#state === "gone" || this.#onAnswer === undefined) return
    this.#state = "given-up"
    this.#post({ kind: "abort" })
    setTimeout(() => this.#end(), graceMs).unref()
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

  #post(order: Order): void {
    this.#worker.postMessage(order)
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
    clearTimeout(this.#timer)
    onAnswer?.(answer)
  }

  /** That its thread was ended says nothing of a call that was given up, unless it had not begun. */
  #lose(said: string, notApplied: boolean): void {
    const givenUp = this.#state === "given-up"
    this.#state = "gone"
    this.#onGone()
    if (givenUp && !notApplied) clearTimeout(this.#timer)
    else this.#answer({ kind: "threw", said, notApplied })
  }

  #look(): void {
    this.#worker.getHeapStatistics().then(
      ({ external_memory: bytes }) => {
        if (bytes <= this.#memoryBytes || this.#onAnswer === undefined) return
        this.#lose(`its thread held more than ${this.#memoryBytes / 1_048_576} MB in buffers, and was ended`, false)
        this.#end()
      },
      // It has not begun yet, or is gone.
      () => {},
    )
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#onGone()
    void this.#worker.terminate()
  }
}
