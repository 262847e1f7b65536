/**
 * The steps behind, of a plan that grows as it runs: what of them the passes ask about when a step more is written. So one step is
 * looked at, however many there are. It knows only what is surely right: whatever it is not sure of, the whole plan is compiled for.
 */

import type { TSchema } from "@sinclair/typebox"
import { isAbove, mayUse } from "../catalog/authority.ts"
import type { Catalog, Tool } from "../catalog/catalog.ts"
import type { Principal } from "../catalog/predicate.ts"
import { isLabelled } from "../catalog/rule.ts"
import { makeReport, type Report } from "../diagnostic/report.ts"
import { isId } from "../document/admit.ts"
import type { StepDocument } from "../document/document.ts"
import { noEarlier } from "../plan/earlier.ts"
import { lowerStep } from "../plan/lower.ts"
import type { Call, Hole, Literal, Step } from "../plan/plan.ts"
import { argumentOf, canonicalExpression } from "../plan/same.ts"
import { isObject, type Json } from "../text/json.ts"
import { child, root } from "../text/pointer.ts"
import { judgeArguments } from "./arguments.ts"
import { costOf } from "./blast.ts"
import type { RuntimeCheck, Total } from "./compiled.ts"
import { nameClaim, nameEffect } from "./effects.ts"
import { flowInto, isWatchedTool, joinSeen, seenAside, shows } from "./flow.ts"
import type { Aside, Known, KnownStep } from "./known.ts"
import type { Literals, Marks, Seen, Visit } from "./marks.ts"
import { omissionsOf } from "./omissions.ts"

/** For whom, and from what, all its steps are written. */
export interface Author {
  readonly principal: Principal
  readonly literals: Literals
  readonly inputs: Json
}

/** A call that is surely right behind those before it. */
export interface Rightly {
  readonly step: Call & { readonly args: Literal }
  readonly tool: Tool
  readonly blast: readonly Total[]
  /** By which the same effect is known again: undefined of a read, and of what claims nothing. */
  readonly name: string | undefined
  readonly checks: readonly RuntimeCheck[]
}

/** More faults than that are not looked at: one is enough to ask the whole plan. */
const faultsMax = 1_000
const steps = child(root, "steps")

export class Behind {
  readonly #catalog: Catalog
  readonly #author: Author
  readonly #steps: Step[] = []
  readonly #tools: (Tool | undefined)[] = []
  readonly #results: (Marks | undefined)[] = []
  readonly #known: { steps: KnownStep[]; seen: number[]; inputs: Json; aside?: Aside }
  /** Its expressions are values all: it reads nothing, and names no step. */
  #plain = true
  #watched: boolean
  #state: string | undefined
  #microUsd = 0
  #sideEffects = 0
  readonly #totals = new Map<string, number>()
  /** By effect: the occurrences that were made. */
  readonly #effects = new Map<string, Set<number>>()
  readonly #claims = new Set<string>()
  /** What tools require of those before them, by the tool that is required: what there is of it. */
  readonly #required = new Map<string, Had[]>()
  /** From which step on whoever has seen it has seen such data. */
  readonly #first = { untrusted: Number.POSITIVE_INFINITY, private: Number.POSITIVE_INFINITY }

  constructor(catalog: Catalog, author: Author) {
    this.#catalog = catalog
    this.#author = author
    this.#known = { steps: [], seen: [], inputs: author.inputs }
    this.#watched = author.literals === "untrusted" || isLabelled(catalog.inputLabels)
    this.#state = catalog.machine?.initial
    for (const { requires } of catalog.tools.values()) for (const { tool, same = [] } of requires) this.#had(tool, same)
  }

  get count(): number {
    return this.#steps.length
  }

  /** Tools whose answers were shown past the plan. */
  set aside(aside: Aside) {
    this.#known.aside = aside
  }

  #had(tool: string, same: readonly string[]): Had {
    const all = this.#required.get(tool) ?? []
    this.#required.set(tool, all)
    const found = all.find((had) => had.same.join("\n") === same.join("\n"))
    if (found !== undefined) return found
    const had = { same, keys: new Set<string>() }
    all.push(had)
    return had
  }

  /** One step more is behind. `seen`: how many were, for whoever wrote it. */
  push(document: StepDocument, seen: number, came: KnownStep): void {
    const index = this.count
    const { step, report } = this.#lower(document, index)
    const tool = step.kind === "call" ? this.#catalog.tools.get(step.tool) : undefined
    if (report.failed() || step.after.length > 0 || (step.kind === "call" && (step.reads.length > 0 || !tool)))
      this.#plain = false
    this.#known.seen.push(seen)
    this.#steps.push(step)
    this.#tools.push(tool)
    if (tool !== undefined && isWatchedTool(tool, this.#catalog.tools)) this.#watched = true
    const done = came.came === "done"
    this.#results.push(undefined)
    if (done && tool !== undefined && step.kind === "call") this.#flow(step, tool, report)
    this.#known.steps.push(came)
    for (const label of ["untrusted", "private"] as const)
      if (shows(tool, this.#results[index], label)) this.#first[label] = Math.min(this.#first[label], index)
    if (!done) return
    if (step.kind === "transition") this.#state = step.to
    else if (tool !== undefined) this.#count(step, tool)
  }

  #count(step: Call, tool: Tool): void {
    this.#microUsd += tool.costMicroUsd
    for (const { dimension, max } of this.#costs(step, tool))
      this.#totals.set(dimension, (this.#totals.get(dimension) ?? 0) + max)
    for (const { same, keys } of this.#required.get(tool.name) ?? []) keys.add(sayArguments(step, same))
    if (!tool.mutates) return
    this.#sideEffects += 1
    const claim = tool.once && nameClaim(step, tool.once)
    if (claim !== undefined) this.#claims.add(claim)
    if (tool.once !== undefined) return
    const effect = nameEffect(step)
    const made = this.#effects.get(effect)
    if (made === undefined) this.#effects.set(effect, new Set([step.occurrence]))
    else made.add(step.occurrence)
  }

  /**
   * A call more; undefined where the whole plan must be asked. `before`: calls of the same turn that stand between, as if they had been
   * made.
   */
  judge(document: StepDocument, seen: number, before: readonly Rightly[] = []): Rightly | undefined {
    const index = this.count + before.length
    const tool = this.#catalog.tools.get(document.tool ?? "")
    if (tool === undefined || !this.#plain || !isObject(document.args) || !isPlainCall(document)) return undefined
    try {
      const { step, report } = this.#lower(document, index)
      if (step.kind !== "call" || step.args.kind !== "literal") return undefined
      const call = { ...step, args: step.args }
      const checks = judgeArguments(call, tool, { ...this.#view(), given: nothingGiven }, report)
      const blast = this.#costs(call, tool)
      const name = nameOf(call, tool)
      const right =
        omissionsOf(tool, call.args).length === 0 &&
        this.#isAllowed(call, tool, before) &&
        this.#isWithin(blast, tool, before) &&
        this.#isNew(call, tool, name, before) &&
        this.#mayFlow(call, tool, seen, report)
      return right && !report.failed() ? { step: call, tool, blast, name, checks } : undefined
    } catch {
      // What cannot be worked out here is told where the whole is compiled.
      return undefined
    }
  }

  #lower(document: StepDocument, index: number): { readonly step: Step; readonly report: Report } {
    const report = makeReport(faultsMax)
    const { bounds } = this.#catalog
    const step = lowerStep(document, index, child(steps, index), { bounds, report, shapeOf: () => undefined })
    return { step, report }
  }

  #view(): Visit["plan"] {
    return {
      document: { version: 1, steps: [] },
      goal: undefined,
      steps: this.#steps,
      earlier: noEarlier,
      tools: this.#tools,
      sources: [],
      waits: [],
      given: nothingGiven,
      presence: [],
    }
  }

  #costs(step: Call, { blast }: Tool): readonly Total[] {
    return blast.length === 0 ? nothing : blast.map((one) => costOf(one, step, this.#view()))
  }

  /** Where it stands, to whom, and behind what it requires. */
  #isAllowed(step: Call & { readonly args: Literal }, tool: Tool, before: readonly Rightly[]): boolean {
    if (this.#state !== undefined && tool.states !== undefined && !tool.states.has(this.#state)) return false
    const { value } = step.args
    if (tool.authority.approval !== undefined) return false
    if (mayUse(tool, this.#author.principal, isObject(value) ? value : undefined) !== undefined) return false
    return tool.requires.every(({ tool: name, same = [] }) => {
      const wanted = sayArguments(step, same)
      return (
        this.#had(name, same).keys.has(wanted) ||
        before.some((one) => one.tool.name === name && sayArguments(one.step, same) === wanted)
      )
    })
  }

  /** The limits and budgets, and what may be done unasked. */
  #isWithin(blast: readonly Total[], tool: Tool, before: readonly Rightly[]): boolean {
    const { limits, budgets } = this.#catalog
    const sum = (of: (one: Rightly) => number): number => before.reduce((total, one) => total + of(one), 0)
    for (const { dimension, max } of blast) {
      const limit = limits.get(dimension)
      if (limit === undefined) continue
      const spent = (this.#totals.get(dimension) ?? 0) + sum((one) => maxOf(one.blast, dimension))
      if (spent + max > limit.max || isAbove(limit.approveAbove, spent, max)) return false
    }
    const needs = {
      steps: this.count + before.length + 1,
      microUsd: this.#microUsd + sum((one) => one.tool.costMicroUsd) + tool.costMicroUsd,
      sideEffects: this.#sideEffects + sum((one) => Number(one.tool.mutates)) + Number(tool.mutates),
    }
    return (["steps", "microUsd", "sideEffects"] as const).every(
      (budget) => needs[budget] <= (budgets[budget] ?? Infinity),
    )
  }

  /** No effect is made twice. */
  #isNew({ occurrence }: Call, tool: Tool, name: string | undefined, before: readonly Rightly[]): boolean {
    if (name === undefined) return true
    const again = before.filter((one) => one.tool === tool && one.name === name)
    if (tool.once !== undefined) return !this.#claims.has(name) && again.length === 0
    return (
      this.#effects.get(name)?.has(occurrence) !== true && again.every(({ step }) => step.occurrence !== occurrence)
    )
  }

  /** Nothing goes where it may not. */
  #mayFlow(step: Call, tool: Tool, seen: number, report: Report): boolean {
    if (!this.#watched && !isWatchedTool(tool, this.#catalog.tools)) return true
    const { index } = step
    this.#tools[index] = tool
    this.#known.seen[index] = seen
    try {
      this.#flow(step, tool, report)
    } finally {
      // A report that is full throws. What is kept is of the steps behind alone, however this one ends.
      this.#tools.length = this.count
      this.#known.seen.length = this.count
      this.#results.length = this.count
    }
    return !report.failed()
  }

  #flow(step: Call, tool: Tool, report: Report): void {
    const known: Known = this.#known
    const count = known.seen[step.index] ?? 0
    const all: Seen = { untrusted: this.#author.literals === "untrusted", private: false }
    const shown: Seen = { untrusted: this.#first.untrusted < count, private: this.#first.private < count }
    const seen = [all, shown, seenAside(known, step.index, this.#catalog)].reduce(joinSeen)
    const visit: Visit = {
      plan: this.#view(),
      catalog: this.#catalog,
      seen,
      sources: noSources,
      results: this.#results,
    }
    flowInto(step, tool, visit, report, known)
  }
}

const nameOf = (step: Call, { mutates, once }: Tool): string | undefined =>
  mutates ? (once === undefined ? nameEffect(step) : nameClaim(step, once)) : undefined

/** As a gate writes it. Anything else, of another's journal, is admitted as a plan is. */
const isPlainCall = (document: StepDocument): boolean =>
  isId(document.id) && Object.keys(document).every((key) => written.includes(key)) && isCount(document.occurrence ?? 1)

const written: readonly string[] = ["id", "tool", "args", "occurrence"]

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0

/** Calls of a tool, as far as another asks for one about the same thing: what they had of it. */
interface Had {
  readonly same: readonly string[]
  readonly keys: Set<string>
}

const nothing: readonly never[] = []
const nothingGiven: ReadonlyMap<Hole, TSchema> = new Map()
const noSources: Visit["sources"] = new Map()

const maxOf = (blast: readonly Total[], dimension: string): number =>
  blast.find((one) => one.dimension === dimension)?.max ?? 0

/** Equal of two calls where all these arguments are. */
const sayArguments = (step: Call, parameters: readonly string[]): string =>
  parameters
    .map((parameter) => {
      const argument = argumentOf(step.args, parameter)
      return argument === undefined ? "" : `${argument.kind} ${canonicalExpression(argument)}`
    })
    .join("\n")
