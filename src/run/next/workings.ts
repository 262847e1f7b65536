/** What was worked out in a run. Results never change, so each expression is resolved once, and the key of an effect made once.
 *  A run that is taken up by another process begins with nothing: there everything is worked out, and judged, anew. */
import { sha256 } from "#sha256"
import type { RunStarted } from "../../journal/entry.ts"
import type { RunState } from "../../journal/state.ts"
import type { Hole } from "../../plan/plan.ts"
import { argumentOf } from "../../plan/same.ts"
import { canonical } from "../../text/canonical.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { idempotencyKey } from "./key.ts"
import { type Work, workMax } from "./measure.ts"
import type { ReadyCall } from "./prepare.ts"
import { type Known, place, resolve, tooMuch, Unresolved } from "./resolve.ts"

interface Found {
  readonly value: Json | Unresolved
  readonly work: number
}

/** By the first entry, which is the same object from one state of a run to the next. */
const workings = new WeakMap<RunStarted, Workings>()

export class Workings {
  /** Calls whose arguments, as a whole, were looked at and found right. */
  readonly judged = new Set<ReadyCall>()
  readonly #found = new Map<Hole, Found>()
  readonly #args = new Map<ReadyCall, JsonObject>()
  readonly #keys = new Map<ReadyCall, string>()
  readonly #texts = new Map<string, string>()

  static of({ started }: RunState): Workings {
    let known = workings.get(started)
    if (known === undefined) {
      known = new Workings()
      workings.set(started, known)
    }
    return known
  }

  /** The value of a hole whose sources are known. The step in which the last of them became known pays for it, the others do not. */
  valueOf(hole: Hole, last: number, state: RunState, work: Work): Json | Unresolved {
    // Nothing is looked through for a reference: walking there again costs less than remembering.
    if (hole.kind === "reference") return resolve(hole, knownIn(state), work)
    let found = this.#found.get(hole)
    if (found === undefined) {
      const own = { left: workMax }
      const value = resolve(hole, knownIn(state), own)
      found = { value, work: workMax - own.left }
      this.#found.set(hole, found)
    }
    if (last === state.done - 1) work.left -= found.work
    return work.left < 0 ? tooMuch(hole.at) : found.value
  }

  /** The whole of a call's arguments; all its sources must be known. */
  argsOf(call: ReadyCall, state: RunState, work: Work = { left: workMax }): JsonObject | Unresolved {
    const { args } = call.step
    if (args.kind === "literal") return args.value as JsonObject
    const before = this.#args.get(call)
    if (before !== undefined) return before
    const placed = place(args, (hole) => this.valueOf(hole, call.lasts.get(hole) ?? -1, state, work))
    if (placed instanceof Unresolved) return placed
    this.#args.set(call, placed as JsonObject)
    return placed as JsonObject
  }

  /** Of an effect whose arguments are known. Equal calls have equal keys, so it is also what they are compared by. */
  keyOf(call: ReadyCall, args: JsonObject, { started }: RunState): string {
    const before = this.#keys.get(call)
    if (before !== undefined) return before
    const { name: tool, version: toolVersion } = call.tool
    const key = idempotencyKey(started, { tool, toolVersion, occurrence: call.step.occurrence, args })
    // Without a twin it is asked for once.
    if (call.twins.length > 1) this.#keys.set(call, key)
    return key
  }

  /** What an argument is compared by; undefined where it was not given, or has no value: of that the call's own check tells. */
  textOf(call: ReadyCall, parameter: string, state: RunState): string | undefined {
    const name = `${call.step.index} ${parameter}`
    const before = this.#texts.get(name)
    if (before !== undefined) return before
    const value = this.argumentOf(call, parameter, state)
    if (value === undefined || value instanceof Unresolved) return undefined
    const text = canonical(value, true)
    // No JSON begins with `#`.
    const short = text.length <= shortText ? text : `#${sha256(text)}`
    this.#texts.set(name, short)
    return short
  }

  /** An argument whose sources are known; undefined where it was not given. */
  argumentOf(call: ReadyCall, parameter: string, state: RunState): Json | Unresolved | undefined {
    const argument = argumentOf(call.step.args, parameter)
    const work = { left: workMax }
    return argument && place(argument, (hole) => this.valueOf(hole, call.lasts.get(hole) ?? -1, state, work))
  }
}

/** Characters. A longer one is compared by its hash: it may be compared with many. */
const shortText = 100

/** The results and inputs of a run, as far as they are there. What earlier runs gave has a slash in its name, which no step has. */
export const knownIn =
  ({ started, calls }: RunState): Known =>
  (source) =>
    source === "input" ? started.inputs : (calls.get(source)?.result ?? started.earlier?.[source]?.result)
