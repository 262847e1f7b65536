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

let fate: Fate | undefined
let now = (): number => 0
const passed: Passed[] = []

export function beginLife(to: Fate | undefined, clock: () => number): void {
  fate = to
  now = clock
}

/** In order. */
export const pointsPassed = (): readonly Passed[] => passed

export function point(name: string): void {
  passed.push({ name, atMs: now() })
  if (fate?.at === passed.length - 1) process.kill(process.pid, fate.signal)
}
