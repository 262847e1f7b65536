/** Runtime checks: what compiling could not decide is looked at as soon as it is known, before any later effect. */
import type { Blast } from "../../catalog/catalog.ts"
import { judgeWhole } from "../../catalog/schema/judge.ts"
import { judgePattern } from "../../catalog/schema/pattern.ts"
import { show } from "../../catalog/schema/show.ts"
import type { RunStarted } from "../../journal/entry.ts"
import type { RunState } from "../../journal/state.ts"
import type { Hole } from "../../plan/plan.ts"
import { argumentOf } from "../../plan/same.ts"
import type { Bounds } from "../../text/bounds.ts"
import { canonical } from "../../text/canonical.ts"
import { copyJson } from "../../text/copy-json.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { child, formatPointer, type Pointer } from "../../text/pointer.ts"
import { BlastExceeded, EffectRepeated, RuntimeCheckFailed } from "../failure.ts"
import { textOf } from "./key.ts"
import { lastIn, type ReadyCall, type ReadyPlan, type Required } from "./prepare.ts"
import { fillIn, type Known, resolve, Unresolved } from "./resolve.ts"

type CheckFailure = RuntimeCheckFailed | EffectRepeated | BlastExceeded

/** Looks at every later call that the step just done (or, at the start, the inputs) tells something about. */
export function checkKnown({ affected, catalog }: ReadyPlan, state: RunState): CheckFailure | undefined {
  for (const call of affected[state.done] ?? []) {
    if (call.step.index < state.done) continue
    const failure = checkCall(call, state, catalog.bounds)
    if (failure !== undefined) return failure
  }
  return undefined
}

function checkCall(call: ReadyCall, state: RunState, bounds: Bounds): CheckFailure | undefined {
  const failure = call.last < state.done ? checkWhole(call, state, bounds) : checkPart(call, state)
  if (failure !== undefined) return failure
  for (const required of call.required) {
    const failure = checkSame(call, required, state)
    if (failure !== undefined) return failure
  }
  return undefined
}

/** The results and inputs of a run, as far as they are there. */
export const knownIn =
  ({ started, calls }: RunState): Known =>
  (source) =>
    source === "input" ? started.inputs : calls.get(source)?.result

/** The whole of a call's arguments; all its sources must be known. */
export function argsOf(call: ReadyCall, state: RunState): JsonObject | Unresolved {
  if (call.step.args.kind === "literal") return call.step.args.value as JsonObject
  const known = resolved.get(state.started) ?? new Map<ReadyCall, JsonObject>()
  const before = known.get(call)
  if (before !== undefined) return before
  const args = resolve(call.step.args, knownIn(state)) as JsonObject | Unresolved
  if (args instanceof Unresolved) return args
  resolved.set(state.started, known.set(call, args))
  return args
}

/** Results never change: what was resolved once in a run is the same from then on. */
const resolved = new WeakMap<RunStarted, Map<ReadyCall, JsonObject>>()

const failed = (call: ReadyCall, at: Pointer, problem: string): RuntimeCheckFailed =>
  new RuntimeCheckFailed({ stepId: call.step.id, at, problem })

function checkWhole(call: ReadyCall, state: RunState, bounds: Bounds): CheckFailure | undefined {
  const args = argsOf(call, state)
  if (args instanceof Unresolved) return failed(call, args.at, args.problem)
  const argsAt = child(call.step.at, "args")
  const large = checkSize(args, bounds)
  if (large !== undefined) return failed(call, `${argsAt}${large.at}` as Pointer, `its arguments hold ${large.problem}`)
  const [issue] = judgeWhole(call.tool.params, args)
  if (issue !== undefined) {
    const at = `${argsAt}${issue.at}` as Pointer
    return failed(call, at, `${issue.message}${originOf(call, at)}`)
  }
  return checkBlast(call, args) ?? checkTwins(call, args, state)
}

/** Results are bounded each; named often enough in one call they are not. */
function checkSize(args: JsonObject, { depth, nodes, resultBytes: bytes }: Bounds) {
  // No character takes more than six bytes of JSON, and nothing else more than thirty.
  const room = Math.min(bytes / 30, nodes)
  if (weigh(args, room, depth) <= room) return undefined
  const copied = copyJson(args, { depth, nodes, bytes }, { numbers: "finite" })
  return copied.ok ? undefined : copied
}

/** Values, and characters by five, counted until it is clear that there is no room for them. */
function weigh(value: Json, room: number, depth: number): number {
  if (typeof value === "string") return 1 + value.length / 5
  if (typeof value !== "object" || value === null) return 1
  if (depth === 0) return Number.POSITIVE_INFINITY
  let weight = 1
  for (const key in value) {
    weight += key.length / 5 + weigh((value as JsonObject)[key] as Json, room, depth - 1)
    if (weight > room) return weight
  }
  return weight
}

/** Each read whose sources are known, and the arguments round the holes that are left. */
function checkPart(call: ReadyCall, state: RunState): CheckFailure | undefined {
  const known = knownIn(state)
  for (const { read, last } of call.reads) {
    const value = last < state.done ? resolve(read, known) : undefined
    if (value instanceof Unresolved) return failed(call, value.at, value.problem)
  }
  let unresolved: Unresolved | undefined
  const pattern = fillIn(call.step.args, (hole) => {
    const value = lastIn(hole, call.reads) < state.done ? resolve(hole, known) : undefined
    if (value instanceof Unresolved) unresolved ??= value
    return value === undefined || value instanceof Unresolved ? hole : { kind: "literal", at: hole.at, value }
  })
  if (unresolved !== undefined) return failed(call, unresolved.at, unresolved.problem)
  const [misfit] = judgePattern<Hole>(call.tool.params.shape, pattern, () => undefined)
  if (misfit === undefined) return undefined
  const { at, expected, found } = misfit
  return failed(call, at, `expected ${expected}, found ${found}${originOf(call, at)}`)
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

function countOf(blast: Blast, args: JsonObject): number {
  if (blast.kind === "constant") return blast.value
  const value = args[blast.parameter]
  if (value === undefined) return 0
  if (blast.kind === "count") return Array.isArray(value) ? value.length : Number.NaN
  return typeof value === "number" ? value : Number.NaN
}

/** No two steps that do not say so come to the same effect. */
function checkTwins(call: ReadyCall, args: JsonObject, state: RunState): EffectRepeated | undefined {
  if (call.twins.length < 2) return undefined
  const text = textOf(args)
  const twin = call.twins.find((other) => {
    if (other === call || other.last >= state.done) return false
    const others = state.calls.get(other.step.id)?.args ?? argsOf(other, state)
    return !(others instanceof Unresolved) && textOf(others) === text
  })
  if (twin === undefined) return undefined
  const [first, second] = twin.step.index < call.step.index ? [twin, call] : [call, twin]
  return new EffectRepeated({ stepId: second.step.id, first: first.step.id })
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
  const shown = same.map((parameter) => `\`${parameter}\` ${show(argument(call, parameter, state) ?? null)}`).join(", ")
  return failed(call, child(call.step.at, "args"), `no earlier \`${tool}\` was about the same ${shown}`)
}

const unknown = Symbol("not known yet")

function argumentText(call: ReadyCall, parameter: string, state: RunState): string | undefined | typeof unknown {
  const expression = argumentOf(call.step.args, parameter)
  if (expression === undefined) return undefined
  if (lastIn(expression, call.reads) >= state.done) return unknown
  const value = resolve(expression, knownIn(state))
  // What cannot be resolved is told by the call's own check.
  return value instanceof Unresolved ? unknown : canonical(value)
}

function argument(call: ReadyCall, parameter: string, state: RunState): Json | undefined {
  const expression = argumentOf(call.step.args, parameter)
  if (expression === undefined || lastIn(expression, call.reads) >= state.done) return undefined
  const value = resolve(expression, knownIn(state))
  return value instanceof Unresolved ? undefined : value
}
