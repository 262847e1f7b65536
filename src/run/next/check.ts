/** Runtime checks: what compiling could not decide is looked at as soon as it is known, before any later effect. */
import type { Blast } from "../../catalog/catalog.ts"
import { judgeWhole, sayMisfit } from "../../catalog/schema/judge.ts"
import { judgePattern } from "../../catalog/schema/pattern.ts"
import type { Issue } from "../../catalog/schema/schema.ts"
import { show } from "../../catalog/schema/show.ts"
import { covers, hushMisfits, pathsOf, within } from "../../catalog/sensitive.ts"
import type { RunState } from "../../journal/state.ts"
import type { Hole } from "../../plan/plan.ts"
import type { Bounds } from "../../text/bounds.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { child, formatPointer, type Pointer } from "../../text/pointer.ts"
import { BlastExceeded, EffectRepeated, RuntimeCheckFailed } from "../failure.ts"
import { tellIssues } from "../misfits.ts"
import { excessOf, measure, sayBytes, type Work, workMax, workOf } from "./measure.ts"
import { lastOfArgument, type ReadyCall, type ReadyPlan, type Required } from "./prepare.ts"
import { fillIn, tooMuch, Unresolved } from "./resolve.ts"
import { Workings } from "./workings.ts"

type CheckFailure = RuntimeCheckFailed | EffectRepeated | BlastExceeded

/** Looks at every later call that the step just done (or, at the start, the inputs) tells something about. */
export function checkKnown({ affected, catalog }: ReadyPlan, state: RunState): CheckFailure | undefined {
  const work = { left: workMax }
  for (const call of affected[state.done] ?? []) {
    if (call.step.index < state.done) continue
    const failure = checkCall(call, state, catalog.bounds, work)
    if (failure !== undefined) return failure
  }
  return undefined
}

/**
 * A call that is about to be made, once more: nothing but the plan is believed of a run that is taken up, and its journal may hold
 * other results than were looked at then. Within one process it was looked at, and costs next to nothing.
 */
export const checkNow = (call: ReadyCall, state: RunState, bounds: Bounds): CheckFailure | undefined =>
  checkCall(call, state, bounds, { left: workMax })

function checkCall(call: ReadyCall, state: RunState, bounds: Bounds, work: Work): CheckFailure | undefined {
  const known = call.last < state.done
  const failure = known ? checkWhole(call, state, bounds, work) : checkPart(call, state, bounds, work)
  if (failure !== undefined) return failure
  for (const required of call.required) {
    const failure = checkSame(call, required, state)
    if (failure !== undefined) return failure
  }
  return undefined
}

const failed = (call: ReadyCall, at: Pointer, problem: string): RuntimeCheckFailed =>
  new RuntimeCheckFailed({ stepId: call.step.id, at, problem })

function checkWhole(call: ReadyCall, state: RunState, bounds: Bounds, work: Work): CheckFailure | undefined {
  const workings = Workings.of(state)
  // What the compiler has seen whole, it has judged.
  if (isLiteral(call) || workings.judged.has(call)) return undefined
  const args = workings.argsOf(call, state, work)
  if (args instanceof Unresolved) return failed(call, args.at, args.problem)
  const failure = judge(call, args, bounds, work) ?? checkTwins(call, args, state, workings)
  if (failure === undefined) workings.judged.add(call)
  return failure
}

const isLiteral = ({ step }: ReadyCall): boolean => step.args.kind === "literal"

function judge(call: ReadyCall, args: JsonObject, bounds: Bounds, work: Work): CheckFailure | undefined {
  const argsAt = child(call.step.at, "args")
  const size = measure(args, bounds.resultBytes)
  // Results are bounded each; named often enough in one call they are not.
  const excess = excessOf(size, bounds)
  if (excess !== undefined) return failed(call, argsAt, `its arguments hold ${excess}`)
  work.left -= workOf(size)
  if (work.left < 0) return failed(call, argsAt, tooMuch(argsAt).problem)
  const issues = judgeWhole(call.tool.params, args)
  return issues.length > 0 ? misfit(call, issues, argsAt) : checkBlast(call, args)
}

/** Each read whose sources are known, and the arguments round the holes that are left. */
function checkPart(call: ReadyCall, state: RunState, bounds: Bounds, work: Work): CheckFailure | undefined {
  const workings = Workings.of(state)
  for (const { read, last } of call.reads) {
    const value = last < state.done ? workings.valueOf(read, last, state, work) : undefined
    if (value instanceof Unresolved) return failed(call, value.at, value.problem)
  }
  let bytesLeft = bounds.resultBytes
  let unresolved: Unresolved | undefined
  const pattern = fillIn(call.step.args, (hole) => {
    const last = call.lasts.get(hole) ?? -1
    if (last >= state.done || unresolved !== undefined) return hole
    const value = workings.valueOf(hole, last, state, work)
    if (value instanceof Unresolved) {
      unresolved = value
      return hole
    }
    const size = measure(value, bytesLeft)
    bytesLeft -= size.bytes
    work.left -= workOf(size)
    if (bytesLeft < 0) unresolved = new Unresolved(hole.at, `its arguments hold ${sayBytes(bounds)}`)
    else if (work.left < 0) unresolved = tooMuch(hole.at)
    return { kind: "literal", at: hole.at, value }
  })
  if (unresolved !== undefined) return failed(call, unresolved.at, unresolved.problem)
  const misfits = judgePattern<Hole>(call.tool.params.shape, pattern, () => undefined)
  return misfits.length === 0
    ? undefined
    : misfit(call, hushMisfits(misfits, call.tool.params, tokensToArgs).map(sayMisfit))
}

/** As in `/steps/2/args`. */
const tokensToArgs = 3

/** The first misfit's place, and the first few in words. `within` is where their pointers begin. */
function misfit(call: ReadyCall, issues: readonly Issue[], within = ""): RuntimeCheckFailed {
  const placed = issues.map(({ at, message }): Issue => ({ at: `${within}${at}` as Pointer, message }))
  const first = placed[0]?.at as Pointer
  const problem = tellIssues(placed, (issue) => {
    const place = issue.at === first ? "" : `at \`${issue.at}\`: `
    return `${place}${issue.message}${originOf(call, issue.at)}`
  })
  return failed(call, first, problem)
}

/** Where a value at fault came from, for whoever reads the message. */
function originOf({ step }: ReadyCall, at: Pointer): string {
  const read = step.reads.find((one) => at === one.at || at.startsWith(`${one.at}/`))
  if (read === undefined) return ""
  return read.path.length === 0
    ? ` (from \`${read.source}\`)`
    : ` (from \`${formatPointer(read.path)}\` of \`${read.source}\`)`
}

/** Each dimension stays within what the plan was compiled for. */
function checkBlast(call: ReadyCall, args: JsonObject): BlastExceeded | undefined {
  for (const blast of call.tool.blast) {
    const { dimension } = blast
    const found = countOf(blast, args)
    const max = call.blast.find((total) => total.dimension === dimension)?.max ?? 0
    if (!Number.isSafeInteger(found) || found < 0 || found > max) {
      return new BlastExceeded({
        stepId: call.step.id,
        found: Number.isNaN(found) ? "an unknown number of" : found,
        dimension,
        max,
      })
    }
  }
  return undefined
}

/** What a call counts in one dimension; NaN where that cannot be said. */
export function countOf(blast: Blast, args: JsonObject): number {
  if (blast.kind === "constant") return blast.value
  const value = args[blast.parameter]
  if (value === undefined) return 0
  if (blast.kind === "count") return Array.isArray(value) ? value.length : Number.NaN
  return typeof value === "number" ? value : Number.NaN
}

/** No two steps that do not say so come to the same effect. Of two that are known at once the later one is told of it. */
function checkTwins(
  call: ReadyCall,
  args: JsonObject,
  state: RunState,
  workings: Workings,
): EffectRepeated | undefined {
  if (call.twins.length < 2) return undefined
  const key = workings.keyOf(call, args, state)
  const twin = call.twins.find((other) => {
    if (other === call || !isKnownBefore(other, call)) return false
    const others = workings.argsOf(other, state)
    return !(others instanceof Unresolved) && workings.keyOf(other, others, state) === key
  })
  if (twin === undefined) return undefined
  const [first, second] = twin.step.index < call.step.index ? [twin, call] : [call, twin]
  return new EffectRepeated({ stepId: second.step.id, first: first.step.id })
}

/** Each two are compared once: when the one of them is looked at that is known later, or comes later. */
function isKnownBefore(other: ReadyCall, call: ReadyCall): boolean {
  if (isLiteral(other) || other.last < call.last) return true
  return other.last === call.last && other.step.index < call.step.index
}

/** At least one earlier call of the required tool is about the same thing; one not known yet may still be. */
function checkSame(
  call: ReadyCall,
  { tool, same, earlier }: Required,
  state: RunState,
): RuntimeCheckFailed | undefined {
  const wanted = same.map((parameter) => argumentText(call, parameter, state))
  const possible = earlier.some((other) =>
    same.every((parameter, index) => {
      const [mine, others] = [wanted[index], argumentText(other, parameter, state)]
      return mine === unknown || others === unknown || mine === others
    }),
  )
  if (possible) return undefined
  const secret = pathsOf(call.tool.params.sensitive)
  const sayValue = (parameter: string): string =>
    within(secret, [parameter]).length > 0 || covers(secret, [parameter])
      ? ""
      : ` ${show(shownOf(call, parameter, state))}`
  const shown = same.map((parameter) => `\`${parameter}\`${sayValue(parameter)}`).join(", ")
  return failed(call, child(call.step.at, "args"), `no earlier \`${tool}\` was about the same ${shown}`)
}

const unknown = Symbol("not known yet")

const argumentText = (call: ReadyCall, parameter: string, state: RunState): string | undefined | typeof unknown =>
  lastOfArgument(call, parameter) >= state.done ? unknown : Workings.of(state).textOf(call, parameter, state)

function shownOf(call: ReadyCall, parameter: string, state: RunState): Json {
  if (lastOfArgument(call, parameter) >= state.done) return null
  const value = Workings.of(state).argumentOf(call, parameter, state)
  return value === undefined || value instanceof Unresolved ? null : value
}
