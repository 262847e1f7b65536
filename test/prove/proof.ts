/** Many plans, several at a time. */
import { type ChildProcess, fork } from "node:child_process"
import { resolve } from "node:path"
import { bundle } from "./bundle.ts"
import type { Bounds, Counts, Explored, Turn, Violation } from "./explore.ts"
import type { Done, Task } from "./prover.ts"
import type { Shape } from "./zoo.ts"

export interface ProofOptions {
  readonly bounds: Bounds
  readonly jobs: number
  readonly plansMax: number
  /** By `performance.now()`: no plan is begun after that. */
  readonly untilMs: number
  readonly onPlan?: (shape: Shape, explored: Explored, done: number) => void
}

export interface Proof {
  readonly plans: number
  readonly counts: Counts
  readonly lives: number
  readonly tookMs: number
  readonly violations: readonly Violation[]
}

/** Lives leave much behind that is soon forgotten. */
const execArgv = ["--conditions=@sequitur/source", "--no-warnings", "--max-semi-space-size=32"]

export async function prove(shapes: Iterable<Shape>, options: ProofOptions): Promise<Proof> {
  const { flags, drop } = await bundle()
  const beganMs = performance.now()
  const left = shapes[Symbol.iterator]()
  let [begun, plans, lives] = [0, 0, 0]
  const counts = { points: 0, killed: 0, copied: 0, states: 0 }
  const violations: Violation[] = []
  const work = async (): Promise<void> => {
    const prover = fork(resolve(import.meta.dirname, "prover.ts"), flags, { execArgv, serialization: "advanced" })
    try {
      while (begun < options.plansMax && performance.now() < options.untilMs) {
        const { value: shape, done } = left.next()
        if (done) return
        begun += 1
        const { explored, lives: lived } = await askOf(prover, { shape, bounds: options.bounds })
        plans += 1
        lives += lived
        for (const count of ["points", "killed", "copied", "states"] as const) counts[count] += explored[count]
        violations.push(...explored.violations)
        options.onPlan?.(shape, explored, plans)
      }
    } finally {
      if (prover.connected) prover.disconnect()
    }
  }
  try {
    await Promise.all(Array.from({ length: options.jobs }, work))
  } finally {
    drop()
  }
  return { plans, counts, lives, tookMs: performance.now() - beganMs, violations }
}

function askOf(prover: ChildProcess, task: Task): Promise<Done> {
  return new Promise((answered, failed) => {
    const ended = (code: number | null, signal: string | null): void =>
      failed(new Error(`the prover of ${task.shape} ended: ${signal ?? code}`))
    prover.once("exit", ended)
    prover.once("message", (done) => {
      prover.off("exit", ended)
      answered(done as Done)
    })
    prover.send(task)
  })
}

/** All that is needed to see it: what was done to the run, what was wrong then, and its journal. */
export function tellViolation({ shape, turns, problems, entries }: Violation): string {
  const story = entries.map(({ seq, atMs, event }) => {
    const { kind, stepId = "", undoes, idempotencyKey: key = "", answer, again, failure } = event as Partial<Told>
    const rest = { stepId, undoes, key: key.slice(0, 8), answer, again, failure: failure?.message }
    return `    ${seq} ${atMs - (entries[0]?.atMs ?? 0)} ms ${kind} ${JSON.stringify(rest)}`
  })
  const said = [...turns.map(tellTurn), ...problems.map((problem) => `  ! ${problem}`), ...story]
  return [`VIOLATION ${shape.join(",")}`, ...said].join("\n")
}

interface Told {
  readonly kind: string
  readonly stepId: string
  readonly undoes: true
  readonly idempotencyKey: string
  readonly answer: string
  readonly again: unknown
  readonly failure: { readonly message: string }
}

function tellTurn(turn: Turn): string {
  switch (turn.kind) {
    case "killed":
      return `  killed at point ${turn.at}, ${turn.point}`
    case "taken-up":
      return `  taken up ${turn.gap === "late" ? "when its lease had run out" : "over its lease"}`
    case "rested":
      return "  taken up when it was due"
    case "resolved":
      return "  resolved by a person"
  }
}
