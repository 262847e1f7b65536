/** The points at which a process can be made to end, or to stand still: every journal write, commit, call edge, acknowledgement. */

/** What is to happen at the n-th point of a life. */
export interface Fate {
  readonly signal: "SIGKILL" | "SIGSTOP"
  readonly at: number
}

/** A point that was passed, by name; and what time it was. */
export interface Passed {
  readonly name: string
  readonly atMs: number
}

/** Those of one life. What is left of a life that is over passes none. */
export class Points {
  readonly passed: Passed[] = []
  readonly #fate: Fate | undefined
  readonly #now: () => number
  readonly #keep: (at: number) => void
  readonly #last: () => void
  #over = false

  /** What `keep` does is done at each of them, and what `last` does before the signal. */
  constructor(fate: Fate | undefined, now: () => number, keep: (at: number) => void, last: () => void) {
    this.#fate = fate
    this.#now = now
    this.#keep = keep
    this.#last = last
  }

  get over(): boolean {
    return this.#over
  }

  pass(name: string): void {
    if (this.#over) return
    const at = this.passed.push({ name, atMs: this.#now() }) - 1
    this.#keep(at)
    if (this.#fate?.at !== at) return
    this.#last()
    process.kill(process.pid, this.#fate.signal)
  }

  end(): void {
    this.#over = true
  }
}

/** What changes something that is durable, or outside. */
const changes = /^(?:after |sent |answered |told of )/

/** Whether a crash at a point leaves the same behind as one at the point before it. */
export function isSame(points: readonly Passed[], at: number): boolean {
  const [before, point] = [points[at - 1], points[at]]
  return before !== undefined && point !== undefined && before.atMs === point.atMs && !changes.test(point.name)
}
