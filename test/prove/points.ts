/** The points at which a process can be made to end, or to stand still: every journal write, commit, call edge, acknowledgement. */

/** What is to happen at the n-th point of a life. */
export interface Fate {
  readonly signal: "SIGKILL" | "SIGSTOP"
  readonly at: number
}

let fate: Fate | undefined
const passed: string[] = []

export function setFate(to: Fate | undefined): void {
  fate = to
}

/** By name, in order. */
export const pointsPassed = (): readonly string[] => passed

export function point(name: string): void {
  passed.push(name)
  if (fate?.at === passed.length - 1) process.kill(process.pid, fate.signal)
}
