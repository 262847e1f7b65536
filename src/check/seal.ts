/** Checked to compiled: the one place where a `CompiledPlan` is made. */
import { sha256 } from "#sha256"
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { hashSlice, type Slice, sliceFor } from "../catalog/slice.ts"
import { type Earlier, hasEarlier } from "../plan/earlier.ts"
import type { Plan } from "../plan/plan.ts"
import { canonical } from "../text/canonical.ts"
import type { Json, JsonObject } from "../text/json.ts"
import type { Checked } from "./check.ts"
import type { ApprovalNeed, CheckedStep, CompiledPlan, Total } from "./compiled.ts"
import { provenanceOf } from "./flow.ts"
import type { Literals } from "./marks.ts"

/** Goes up with every change of what compiling says or keeps; equals the package's version. */
export const compiler = "0.1.0"

/** Call it only where the report has no error: the cast below is the proof that the passes have run. */
export const seal = (checked: Checked, catalog: Catalog): CompiledPlan =>
  new Sealed(key, checked, catalog) as unknown as CompiledPlan

/** Whether a value was made by compiling: a look-alike was never checked. */
export const isCompiledPlan = (value: unknown): value is CompiledPlan => made(value)

/** An instance leads to its constructor, and whoever holds a plan must not be able to make another. */
const key = Symbol("seal")
let made: (value: unknown) => boolean

/**
 * Hashes and steps are worked out when first asked for, because most verdicts are read and forgotten. Nobody else
 * holds the tree, and it is frozen before anybody sees it.
 */
class Sealed {
  static {
    made = (value) => typeof value === "object" && value !== null && #checked in value
    Object.freeze(Sealed.prototype)
    Object.freeze(Sealed)
  }

  readonly #checked: Checked
  readonly #catalog: Catalog
  #planHash: string | undefined
  #slice: Slice | undefined
  #plan: Plan | undefined
  #steps: readonly CheckedStep[] | undefined

  constructor(given: symbol, checked: Checked, catalog: Catalog) {
    if (given !== key) throw new TypeError("a compiled plan is made by `compile` alone")
    this.#checked = checked
    this.#catalog = catalog
    Object.freeze(this)
  }

  get compiler(): string {
    return compiler
  }

  get goal(): string | undefined {
    return this.#checked.goal
  }

  get planHash(): string {
    const { document, earlier } = this.#checked
    const whole = hasEarlier(this.#checked) ? { document, earlier } : document
    this.#planHash ??= sha256(canonical(whole as unknown as Json, true))
    return this.#planHash
  }

  get slice(): Slice {
    this.#slice ??= Object.freeze(sliceFor(this.#catalog, toolsOf(this.#checked)))
    return this.#slice
  }

  get catalogHash(): string {
    return hashSlice(this.slice)
  }

  get plan(): Plan {
    const { document, goal, steps, earlier } = this.#checked
    this.#plan ??= deepFreeze({ document, goal, steps, earlier })
    return this.#plan
  }

  get earlier(): Earlier {
    return this.plan.earlier
  }

  get steps(): readonly CheckedStep[] {
    this.#steps ??= deepFreeze(this.#checked.steps.map((_, index) => stepOf(this.#checked, index)))
    return this.#steps
  }

  get states(): CompiledPlan["states"] {
    const { machine } = this.#catalog
    return machine && Object.freeze({ initial: machine.initial, final: this.#checked.states.at(-1) ?? machine.initial })
  }

  get blast(): readonly Total[] {
    return deepFreeze(this.#checked.totals)
  }

  get approvals(): readonly ApprovalNeed[] {
    return deepFreeze(this.#checked.approvals)
  }

  get literals(): Literals {
    return this.#checked.literals
  }

  /** What `console.log` shows in Node. */
  [Symbol.for("nodejs.util.inspect.custom")](): JsonObject {
    return this.toJSON()
  }

  /** All that was learnt, with the document that it was learnt of: what `serialize` writes. */
  toJSON(): JsonObject {
    const steps = this.steps.map(({ step, before = null, after = null, waitsOn, blast, checks }) => {
      return { id: step.id, before, after, waitsOn, blast, checks }
    })
    const { planHash, catalogHash, slice, states = null, blast, approvals } = this
    const { document } = this.plan
    const earlier = hasEarlier(this.plan) ? { earlier: this.earlier } : {}
    const learnt = { planHash, catalogHash, slice, states, blast, approvals, steps }
    // Interfaces have no index signature, but these are plain data.
    return { sequitur: 1, compiler, ...learnt, ...earlier, document } as unknown as JsonObject
  }
}

const toolsOf = ({ steps, earlier }: Plan): readonly string[] => [
  ...steps.flatMap((step) => (step.kind === "call" ? [step.tool] : [])),
  ...Object.values(earlier).map(({ tool }) => tool),
]

function stepOf(checked: Checked, index: number): CheckedStep {
  const step = checked.steps[index]
  if (step === undefined) throw new Error(`no step ${index}`)
  const tool = checked.tools[index]
  return {
    step,
    before: checked.states[index],
    after: checked.states[index + 1],
    waitsOn: at(checked.waits, index),
    blast: at(checked.costs, index),
    checks: [...at(checked.presence, index), ...at(checked.judged, index), ...at(checked.sameness, index)],
    provenance: step.kind === "call" && tool !== undefined ? provenanceOf(step, tool, checked) : [],
    hangsOn: checked.hangs[index],
    carries: checked.carried[index] ?? [],
    effect: effectOf(tool),
  }
}

function effectOf(tool: Tool | undefined): CheckedStep["effect"] {
  if (tool === undefined || tool.effect === "read") return undefined
  const counted = tool.blast.flatMap((blast) => (blast.kind === "argument" ? [blast.parameter] : []))
  return { class: tool.effect, counted }
}

const at = <A>(lists: readonly (readonly A[])[], index: number): readonly A[] => lists[index] ?? []

/** Depth is bounded by the reader. */
export function deepFreeze<A>(value: A): A {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
