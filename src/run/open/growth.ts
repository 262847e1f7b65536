/**
 * How the plan of an open run grows: what the gates say of a step more. The steps behind are kept as far as a step more is held to
 * them, so that it costs the same however long the run is; where that is not enough to be sure, the whole plan is compiled.
 */
import { Sha256 } from "#sha256"
import type { Catalog } from "../../catalog/catalog.ts"
import { hashSlice } from "../../catalog/slice.ts"
import { Behind, type Rightly } from "../../check/behind.ts"
import type { ApprovalNeed, CompiledPlan } from "../../check/compiled.ts"
import { deepFreeze } from "../../check/seal.ts"
import type { Compiled } from "../../compile.ts"
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import { growingMax } from "../../document/admit.ts"
import type { Document, StepDocument } from "../../document/document.ts"
import type { OpenRun } from "../../journal/open.ts"
import type { RunState } from "../../journal/state.ts"
import { canonical } from "../../text/canonical.ts"
import type { Json } from "../../text/json.ts"
import type { StalePlan } from "../failure.ts"
import { policiesOf, type ReadyPlan, type ReadyStep } from "../next/prepare.ts"
import { compileGrown, knownAhead, readyOf, wholeSlice } from "./grow.ts"

/** What was looked at before of the same turn, as if it had been made. */
export interface Ahead {
  readonly steps: readonly StepDocument[]
  /** Undefined where one of them was looked at with the whole plan only. */
  readonly rightly: readonly Rightly[] | undefined
}

export const nothingAhead: Ahead = { steps: [], rightly: [] }

/** A plan with a step more. */
export type Grown =
  | {
      readonly ok: true
      readonly ahead: Ahead
      readonly planHash: () => string
      /** Of the steps that were looked at; perhaps also of steps behind. */
      readonly approvals: readonly ApprovalNeed[]
      /** To go on with, behind what the run goes on with now. */
      readonly ready: (now: ReadyPlan | undefined) => ReadyPlan | StalePlan
    }
  | { readonly ok: false; readonly index: number; readonly diagnostics: readonly Diagnostic[] }

export class Growth {
  readonly #catalog: Catalog
  readonly #catalogHash: string
  readonly #policies: ReadyPlan["policies"]
  #behind: Behind | undefined
  #hash = new Sha256()
  #last: StepDocument | undefined

  constructor(catalog: Catalog) {
    this.#catalog = catalog
    this.#catalogHash = hashSlice(wholeSlice(catalog))
    this.#policies = policiesOf(catalog.tools.keys(), catalog)
  }

  /** Of a run that rests: `seen` of its steps were behind when this one was written. */
  grow(state: RunState, open: OpenRun, ahead: Ahead, step: StepDocument, seen: number): Grown {
    const { steps } = state.started.document
    const index = steps.length + ahead.steps.length
    const behind = this.#catchUp(state, open)
    const rightly = index < growingMax && ahead.rightly ? behind?.judge(step, seen, ahead.rightly) : undefined
    const next = { steps: [...ahead.steps, step], rightly: rightly && [...(ahead.rightly ?? []), rightly] }
    if (rightly === undefined) return growWhole(this.#catalog, state, open, next, seen)
    deepFreeze(step)
    return {
      ok: true,
      ahead: next,
      approvals: [],
      planHash: () =>
        this.#hash.hexWith(`${next.steps.map((one, at) => joined(one, steps.length + at)).join("")}${tail}`),
      ready: (now) => {
        if (now?.steps.length !== index) return readyWhole(this.#catalog, state, open, next, seen)
        return new GrownPlan(now, readyLiteral(rightly), this.#catalogHash, this.#policies, () =>
          planOf(compileAhead(this.#catalog, state, open, next, seen)),
        )
      },
    }
  }

  /** Undefined where what is behind cannot be kept: then the whole is compiled. */
  #catchUp(state: RunState, open: OpenRun): Behind | undefined {
    try {
      return this.#keepUp(state, open)
    } catch {
      // Half of a step may have been taken in.
      this.#behind = undefined
      return undefined
    }
  }

  #keepUp(state: RunState, open: OpenRun): Behind {
    const { started, done, calls } = state
    const { steps } = started.document
    const kept = this.#behind
    // A journal that was read anew has other steps, if only by identity.
    const goesOn =
      kept !== undefined && kept.count <= done && (kept.count === 0 || steps[kept.count - 1] === this.#last)
    const behind = goesOn ? kept : this.#begin(started)
    behind.aside = open.aside
    for (let index = behind.count; index < done; index++) {
      const step = steps[index]
      if (step === undefined) break
      const came = open.nothing.has(step.id) ? "nothing" : "done"
      behind.push(step, open.seen[index] ?? 0, { came, result: calls.get(step.id)?.result })
      this.#hash.add(joined(step, index))
      this.#last = step
    }
    return behind
  }

  #begin({ tenant, subject, roles, inputs, open }: RunState["started"]): Behind {
    const principal = { tenant, subject, roles }
    this.#behind = new Behind(this.#catalog, { principal, literals: open?.literals ?? "trusted", inputs })
    this.#hash = new Sha256()
    this.#hash.add(head)
    return this.#behind
  }
}

/** How a document begins and ends as it is hashed: an open run's has its steps, and nothing else. */
const head = '{"steps":['
const tail = '],"version":1}'

const joined = (step: StepDocument, index: number): string =>
  `${index === 0 ? "" : ","}${canonical(step as unknown as Json, true)}`

/** The whole plan, with a step more. */
export function growWhole(catalog: Catalog, state: RunState, open: OpenRun, ahead: Ahead, seen: number): Grown {
  const compiled = compileAhead(catalog, state, open, ahead, seen)
  const index = state.started.document.steps.length + ahead.steps.length - 1
  if (!compiled.ok) return { ok: false, index, diagnostics: compiled.diagnostics }
  const { plan } = compiled
  return {
    ok: true,
    ahead,
    planHash: () => plan.planHash,
    approvals: plan.approvals,
    ready: () => readyOf(compiled, catalog, knownAhead(state, open, ahead.steps.length, seen)),
  }
}

function compileAhead(catalog: Catalog, state: RunState, open: OpenRun, ahead: Ahead, seen: number): Compiled {
  const { document: before } = state.started
  const document: Document = { ...before, steps: [...before.steps, ...ahead.steps] }
  return compileGrown(catalog, document, knownAhead(state, open, ahead.steps.length, seen), state)
}

function readyWhole(...of: Parameters<typeof compileAhead>): ReadyPlan | StalePlan {
  const [catalog, state, open, ahead, seen] = of
  const compiled = compileAhead(...of)
  if (!compiled.ok) throw new Error("what was let through is refused with the whole plan")
  return readyOf(compiled, catalog, knownAhead(state, open, ahead.steps.length, seen))
}

function planOf(compiled: Compiled): CompiledPlan {
  if (!compiled.ok) throw new Error("what was let through is refused with the whole plan")
  return compiled.plan
}

/** Its arguments are as they stand: nothing of it is worked out later. */
const readyLiteral = ({ step, tool, blast }: Rightly): ReadyStep => ({
  kind: "call",
  step,
  tool,
  blast,
  last: -1,
  reads: [],
  lasts: new Map(),
  twins: [],
  required: [],
})

/** What a run goes on with, and a step more. The plan itself is compiled only for who asks for it. */
class GrownPlan implements ReadyPlan {
  readonly catalog: Catalog
  readonly steps: readonly ReadyStep[]
  readonly affected: ReadyPlan["affected"] = []
  readonly catalogHash: string
  readonly policies: ReadyPlan["policies"]
  readonly keySecret: Uint8Array | undefined
  readonly #compile: () => CompiledPlan
  #plan: CompiledPlan | undefined

  constructor(
    { catalog, steps, keySecret }: ReadyPlan,
    step: ReadyStep,
    catalogHash: string,
    policies: ReadyPlan["policies"],
    compile: () => CompiledPlan,
  ) {
    this.catalog = catalog
    this.steps = [...steps, step]
    this.catalogHash = catalogHash
    this.policies = policies
    this.keySecret = keySecret
    this.#compile = compile
  }

  get plan(): CompiledPlan {
    this.#plan ??= this.#compile()
    return this.#plan
  }
}
