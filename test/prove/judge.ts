/** What must hold once a run has stopped: of the journal, of the outside world, and of the two together. Gives back what does not. */
import type { Entry } from "sequitur/run"
import type { Intent } from "../../src/journal/entry.ts"
import { type RunState, replay } from "../../src/journal/state.ts"
import { isTerminal, type Status } from "../../src/journal/status.ts"
import { canonical } from "../../src/text/canonical.ts"
import { type Ended, runId } from "./life.ts"
import type { Ground } from "./world.ts"
import { type Animal, animalOf, kinds, type Shape } from "./zoo.ts"

interface Stopped {
  readonly shape: Shape
  /** What the process has said that took it there; undefined where that is no longer so. */
  readonly ended: Ended | undefined
  readonly entries: readonly Entry[]
  /** What the store itself finds wrong with it. */
  readonly findings: readonly string[]
  /** With everything that was accepted. */
  readonly ground: Ground
  /** Nobody was killed. */
  readonly unharmed: boolean
}

export function judge({ shape, ended, entries, findings, ground, unharmed }: Stopped): readonly string[] {
  const state = replay(runId, entries)
  if (state instanceof Error)
    return [
      `the journal makes no sense: ${state.message}`,
      `its process said ${ended === undefined ? "nothing" : tellEnded(ended)}`,
    ]
  const problems = [...findings, ...judgeReport(state, ended, ground), ...judgeAcknowledged(entries, ground)]
  problems.push(...judgeKeys(entries, ground))
  const steps = shape.map((tool, index) => countStep(ground, tool, `s${index + 1}`))
  for (const { id, done, undone } of steps) {
    if (done > 1 || undone > 1) problems.push(`${id} was done ${done} times, and undone ${undone} times`)
    if (undone > done) problems.push(`${id} was undone, but never done`)
  }
  if (unharmed && state.status === "in_doubt") problems.push("it is in doubt, though nothing was lost")
  return [...problems, ...judgeStatus(state, shape, steps)]
}

const tellEnded = ({ ended, message }: Ended): string => (message === undefined ? ended : `${ended} (${message})`)

/** What the last process has said, and what an earlier one said for good. */
function judgeReport({ status }: RunState, last: Ended | undefined, ground: Ground): readonly string[] {
  const honest =
    last === undefined ||
    last.ended === status ||
    (last.ended === "RunEnded" && isTerminal(status)) ||
    (last.ended === "RunInDoubt" && status === "in_doubt")
  const problems = honest ? [] : [`its process said ${tellEnded(last)}, but the run is ${status}`]
  const said = ground.ended
  if (said !== undefined && isTerminal(said as Status) && said !== status)
    problems.push(`${said} was reported, but it is ${status}`)
  return problems
}

function judgeAcknowledged(entries: readonly Entry[], { acknowledged }: Ground): readonly string[] {
  return Object.entries(acknowledged).flatMap(([seq, text]) => {
    const event = entries[Number(seq)]?.event
    if (event === undefined) return [`entry ${seq} was acknowledged, and is lost`]
    return canonical(event as never) === canonical(JSON.parse(text))
      ? []
      : [`entry ${seq} is not what was acknowledged`]
  })
}

/** Nothing happens outside without an intent. */
function judgeKeys(entries: readonly Entry[], { effects }: Ground): readonly string[] {
  const begun = new Set(intentsOf(entries).map(({ idempotencyKey }) => idempotencyKey))
  return effects
    .filter(({ key, tool }) => animalOf(tool) !== undefined && !begun.has(key))
    .map(({ tool, item }) => `${tool} ${item} has happened without an intent`)
}

const intentsOf = (entries: readonly Entry[]): readonly Intent[] =>
  entries.flatMap(({ event }) => (event.kind === "intent" ? [event] : []))

interface Counted {
  readonly id: string
  readonly animal: Animal | undefined
  readonly done: number
  readonly undone: number
}

function countStep({ effects }: Ground, tool: string, id: string): Counted {
  const of = effects.filter(({ item }) => item === id).flatMap((effect) => animalOf(effect.tool) ?? [])
  const undone = of.filter(({ undoes }) => undoes).length
  return { id, animal: animalOf(tool), done: of.length - undone, undone }
}

/** What has been done, as its status says it: exactly that. */
function judgeStatus(state: RunState, shape: Shape, steps: readonly Counted[]): readonly string[] {
  const { status, step } = state
  const refusing = shape.indexOf("refuse")
  const end = refusing < 0 ? shape.length : refusing
  switch (status) {
    case "succeeded":
      if (refusing >= 0) return ["it has succeeded, though a step was refused"]
      return expectSteps(steps, () => [1, 0])
    case "failed":
      if (state.failure?.stepId !== `s${refusing + 1}`) return [`it has failed: ${state.failure?.message}`]
      return expectSteps(steps, (index, undoable) => [index < end ? 1 : 0, index < end && undoable ? 1 : 0])
    case "in_doubt": {
      const { open } = step
      const animal = open && animalOf(open.tool)
      if (open === undefined || animal === undefined) return ["it is in doubt, but no call is"]
      if (kinds[animal.kind].settles) return [`it is in doubt, but ${open.tool} can be settled`]
      const at = steps.findIndex(({ id }) => id === open.stepId)
      if (open.undoes !== true) return expectSteps(steps, (index) => [index < at ? 1 : index === at ? "any" : 0, 0])
      return expectSteps(steps, (index, undoable) => [
        index < end ? 1 : 0,
        index === at ? "any" : index > at && index < end && undoable ? 1 : 0,
      ])
    }
    default:
      return [`it has not stopped: it is ${status}`]
  }
}

type Times = 0 | 1 | "any"

function expectSteps(
  steps: readonly Counted[],
  expected: (index: number, undoable: boolean) => readonly [done: Times, undone: Times],
): readonly string[] {
  return steps.flatMap(({ id, animal, done, undone }, index) => {
    if (animal === undefined) return []
    const [does, undoes] = expected(index, animal.undoable)
    const wrong = (does !== "any" && done !== does) || (undoes !== "any" && undone !== undoes)
    return wrong
      ? [`${id} (${animal.tool}) was done ${done} and undone ${undone} times, not ${does} and ${undoes}`]
      : []
  })
}
