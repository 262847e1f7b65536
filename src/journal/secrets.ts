/**
 * The secrets of a run, by the marks in its first entry: its entries as they may be shown. The journal itself has everything as it
 * was, for a run goes on from there.
 */
import type { Path } from "../catalog/place.ts"
import { covers, gather, hide, type Marks, pathsOf, within } from "../catalog/sensitive.ts"
import type { StepDocument } from "../document/document.ts"
import { type Earlier, noEarlier } from "../plan/earlier.ts"
import { hideWritten, Written } from "../plan/sensitive.ts"
import { canonical } from "../text/canonical.ts"
import { isObject, type Json, type JsonObject } from "../text/json.ts"
import { parsePointer } from "../text/pointer.ts"
import { ownWords, redacted, Secrets } from "../text/secrets.ts"
import type { ApprovalRequested, Event, Failure, Following, Hidden, Recorded, RunStarted } from "./entry.ts"
import type { RunState } from "./state.ts"

/** Told the entries of one run in their order. What is found later was not yet known to be secret when an earlier one was shown. */
export class RunSecrets {
  readonly #secrets: Secrets
  #run: Marked | undefined
  /** The same, by the steps whose results hold them. */
  readonly #answers = new Map<string, Secrets>()

  /** Of several runs that are shown side by side the secrets may be gathered in one place. */
  constructor(secrets = new Secrets()) {
    this.#secrets = secrets
  }

  /** Of a whole run, or as far as it has come. */
  static of(entries: readonly Recorded[], secrets?: Secrets): RunSecrets {
    const found = new RunSecrets(secrets)
    for (const { event } of entries) found.note(event)
    return found
  }

  /** Of a run that is taken up: of what came before, what it still knows. */
  static in(state: RunState, secrets?: Secrets): RunSecrets {
    const { started, calls, undone, reread, observations, open: opened, last, asked } = state
    const found = new RunSecrets(secrets)
    found.note(started)
    for (const [stepId, { args, result }] of calls) found.#gather({ stepId }, args, result)
    for (const [stepId, undo] of undone)
      if (undo.kind === "undone") found.#gather({ stepId, undoes: true }, undefined, undo.result)
    for (const [stepId, { result }] of reread) found.#gather({ stepId }, undefined, result)
    for (const { event } of observations) found.note(event)
    for (const [, said] of opened?.calls ?? []) if (typeof said !== "string") found.note(said)
    if (last !== undefined) found.note(last)
    for (const { request } of asked.values()) found.note(request)
    return found
  }

  scrub(text: string): string {
    return this.#secrets.scrub(text)
  }

  scrubJson(value: Json): Json {
    return this.#secrets.scrubJson(value)
  }

  scrubFailure(failure: Failure): Failure {
    return this.#scrubMembers(failure as unknown as JsonObject) as unknown as Failure
  }

  note(event: Event): void {
    if (event.kind === "run-started") {
      this.#run = new Marked(event)
      gather(event.inputs, this.#run.marks.inputs, this.#secrets)
      for (const { tool, result } of Object.values(event.earlier ?? noEarlier))
        gather(result, this.#run.marks.of(tool).result, this.#secrets)
      this.#run.written.gather(this.#secrets)
      this.#run.signed?.gather(this.#secrets)
    }
    const step =
      event.kind === "step-added" ? event.step : event.kind === "call-observed" ? event.made?.step : undefined
    if (step !== undefined && this.#run !== undefined) {
      this.#run = this.#run.with(step)
      this.#run.written.gather(this.#secrets)
    }
    if (event.kind === "call-observed" && event.result !== undefined)
      gather(event.result, this.#run?.marks.of(event.tool).result ?? [], this.#secrets)
    // Where some of it is not known yet, it stands as it was written.
    if (event.kind === "approval-requested")
      for (const { stepId, args, open } of event.follows)
        if (open === undefined) this.#gather({ stepId }, args, undefined)
    if ("stepId" in event)
      this.#gather(event, "args" in event ? event.args : undefined, "result" in event ? event.result : undefined)
  }

  #gather(about: About, args: JsonObject | undefined, result: Json | undefined): void {
    const run = this.#run
    if (run === undefined) return
    if (args !== undefined) gather(args, run.argsOf(about), this.#secrets)
    const marked = result === undefined ? [] : run.resultOf(about)
    if (result === undefined || marked.length === 0) return
    gather(result, marked, this.#secrets)
    const own = this.#answers.get(about.stepId) ?? new Secrets()
    gather(result, marked, own)
    this.#answers.set(about.stepId, own)
  }

  /** An entry as it may be shown. */
  redact<Entry extends Recorded>(entry: Entry): Entry {
    return { ...entry, event: this.redactEvent(entry.event) }
  }

  redactEvent<Kind extends Event>(event: Kind): Kind {
    const run = this.#run
    if (run === undefined || !run.hasMarks) return event
    const hidden = this.#hideIn(event, run)
    const shown = this.#scrubMembers(hidden as unknown as JsonObject) as unknown as Event
    if (hidden.kind !== "approval-requested" || shown.kind !== "approval-requested") return shown as Kind
    const { from, to, approverRoles, because } = hidden
    // Words of the catalog, which no answer makes secrets.
    const own = {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(approverRoles === undefined ? {} : { approverRoles }),
      ...(because === undefined ? {} : { because }),
    }
    const follows = hidden.follows.map((one, index) => this.#tellHidden(one, shown.follows[index] ?? one, run))
    return { ...shown, ...own, follows } as Event as Kind
  }

  /** A call as it is shown to whoever is asked about it: what they cannot see although nobody has marked it there is named. */
  #tellHidden(hidden: Following, shown: Following, run: Marked): Following {
    const { tool, effect, description } = hidden
    const found = Object.entries(hidden.args).flatMap(([argument, value]): Hidden[] => {
      if (isSameJson(this.#secrets.scrubJson(value), value)) return []
      const from = [...this.#answers].find(([, secrets]) => !isSameJson(secrets.scrubJson(value), value))
      return [from === undefined ? { argument } : { argument, stepId: this.scrub(from[0]), tool: run.toolOf(from[0]) }]
    })
    const all = [...(hidden.hidden ?? []), ...found]
    return { ...shown, tool, effect, description, ...(all.length === 0 ? {} : { hidden: all }) }
  }

  /** The results of steps, by their ids. */
  redactResults(results: { readonly [stepId: string]: Json }): { readonly [stepId: string]: Json } {
    const run = this.#run
    if (run === undefined) return results
    const hidden = Object.entries(results).map(([stepId, result]) => [stepId, hide(result, run.resultOf({ stepId }))])
    return this.#secrets.scrubJson(Object.fromEntries(hidden)) as JsonObject
  }

  redactFollowing(follows: readonly Following[]): readonly Following[] {
    const run = this.#run
    if (run === undefined || !run.hasMarks) return follows
    return follows.map((one) => {
      const hidden = { ...one, args: run.hideFollowing(one) }
      const args = this.#secrets.scrubJson(hidden.args) as JsonObject
      return this.#tellHidden(hidden, { ...one, args }, run)
    })
  }

  #hideIn(event: Event, run: Marked): Event {
    if (event.kind === "run-started") {
      const document = run.written.hide(this.#secrets) as unknown as RunStarted["document"]
      // With the salt, what is hidden in an entry could be guessed and held against its hash.
      const earlier = event.earlier === undefined ? {} : { earlier: hideEarlier(event.earlier, run.marks) }
      const inputs = hide(event.inputs, run.marks.inputs)
      return { ...event, salt: redacted, inputs, ...earlier, ...this.#hideApproved(event, run), document }
    }
    if (event.kind === "approval-requested") {
      const follows = event.follows.map((one) => ({ ...one, args: run.hideFollowing(one) }))
      return { ...event, follows }
    }
    if (event.kind === "rule-evaluated") {
      const { inputs, results, follows } = event.inputs
      const facts = {
        ...event.inputs,
        inputs: hide(inputs, run.marks.inputs),
        results: Object.fromEntries(
          Object.entries(results).map(([stepId, result]) => [stepId, hide(result, run.resultOf({ stepId }))]),
        ),
        follows: follows.map((one) => ({ ...one, args: run.hideFollowing(one) })),
      }
      return { ...event, inputs: facts }
    }
    if (event.kind === "step-added") {
      // It is a digest over all that the calls so far spell out.
      if (event.step.args === undefined) return { ...event, planHash: redacted }
      const args = hideWritten(event.step.args, run.argsOf({ stepId: event.step.id })) as JsonObject
      return { ...event, planHash: redacted, step: { ...event.step, args } } as Event
    }
    if (event.kind === "call-observed") {
      const { made, result, tool } = event
      const marks = run.marks.of(tool)
      const args = made?.step.args
      const hidden = args && (hideWritten(args, marks.args) as JsonObject)
      // What it was called with is not kept where it is no step, and nobody knows what of it is in the answer.
      const isUnknown = made === undefined && marks.args.length > 0
      return {
        ...event,
        ...(made === undefined || hidden === undefined
          ? {}
          : { made: { ...made, planHash: redacted, step: { ...made.step, args: hidden } } }),
        ...(result === undefined ? {} : { result: isUnknown ? redacted : hide(result, marks.result) }),
      } as Event
    }
    const args = "args" in event ? { args: hideArgs(event.args, run.argsOf(event)) } : {}
    const result =
      "result" in event && event.result !== undefined ? { result: hide(event.result, run.resultOf(event)) } : {}
    // Digests over values, which could be guessed.
    const once =
      "once" in event && event.once !== undefined ? { once: { ...event.once, digest: redacted, call: redacted } } : {}
    return { ...event, ...args, ...result, ...once } as Event
  }

  /** The tokens are bound to the inputs by a digest that has no salt yet. */
  #hideApproved({ approved }: RunStarted, { signed }: Marked): Pick<RunStarted, "approved"> {
    if (approved === undefined) return {}
    const people = approved.people.map((one) => ({ ...one, token: redacted }))
    const document = signed?.hide(this.#secrets) as unknown as RunStarted["document"]
    return { approved: { ...approved, people, ...(approved.plan && { plan: { ...approved.plan, document } }) } }
  }

  /** Every text in it, but for words of ours. Counts and times are ours too, where they are not part of a value. */
  #scrubMembers(members: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(members).map(([key, value]) => {
        if (ownWords.has(key)) return [key, value]
        return [key, values.has(key) ? this.#secrets.scrubJson(value) : this.#scrubTexts(value)]
      }),
    )
  }

  #scrubTexts(value: Json): Json {
    if (typeof value === "string") return this.#secrets.scrub(value)
    if (Array.isArray(value)) return value.map((item: Json) => this.#scrubTexts(item))
    return isObject(value) ? this.#scrubMembers(value) : value
  }
}

const isSameJson = (one: Json, other: Json): boolean => canonical(one, true) === canonical(other, true)

/** Of an event, what is data of the plan, of its inputs or of a tool. */
const values: ReadonlySet<string> = new Set(["args", "result", "inputs", "earlier", "document", "origin"])

const hideEarlier = (earlier: Earlier, marks: Marks): Earlier =>
  Object.fromEntries(
    Object.entries(earlier).map(([name, one]) => [
      name,
      { ...one, result: hide(one.result, marks.of(one.tool).result) },
    ]),
  )

const hideArgs = (args: JsonObject, paths: readonly Path[]): JsonObject => {
  const hidden = hide(args, paths)
  return isObject(hidden) ? hidden : Object.fromEntries(Object.keys(args).map((name) => [name, redacted]))
}

interface About {
  readonly stepId: string
  readonly undoes?: true | undefined
}

/** Where in the entries of a run its secrets stand. */
class Marked {
  readonly marks: Marks
  readonly written: Written
  /** The plan that people have signed, where it is another. */
  readonly signed: Written | undefined
  readonly hasMarks: boolean
  readonly #started: RunStarted
  readonly #steps: ReadonlyMap<string, { readonly tool: string; readonly args: readonly Path[] }>

  constructor(started: RunStarted) {
    // A run of an older journal says nothing of its tools.
    const { document, sensitive, tools = {} } = started
    this.#started = started
    this.marks = {
      inputs: pathsOf(sensitive),
      of: (name) => {
        const marked = Object.hasOwn(tools, name) ? tools[name]?.sensitive : undefined
        return { args: pathsOf(marked?.args), result: pathsOf(marked?.result) }
      },
    }
    this.hasMarks = sensitive !== undefined || Object.values(tools).some((tool) => tool.sensitive !== undefined)
    this.written = new Written(document as unknown as Json, this.marks, started.earlier)
    const signed = started.approved?.plan?.document
    this.signed = signed && new Written(signed as unknown as Json, this.marks, undefined)
    const { places } = this.written
    this.#steps = new Map(document.steps.map(({ id, tool = "" }, index) => [id, { tool, args: places[index] ?? [] }]))
  }

  /** With a step more; as it is where that was known already. */
  with(step: StepDocument): Marked {
    const { document } = this.#started
    if (this.#steps.has(step.id)) return this
    return new Marked({ ...this.#started, document: { ...document, steps: [...document.steps, step] } })
  }

  argsOf({ stepId, undoes }: About): readonly Path[] {
    const step = this.#steps.get(stepId)
    if (step === undefined || undoes !== true) return step?.args ?? []
    const undo = this.#undoOf(step.tool)
    const marked = { "from-result": this.marks.of(step.tool).result, "from-args": step.args }
    const taken = (undo?.args ?? []).flatMap(({ name, source }): readonly Path[] => {
      if (source.kind === "literal") return []
      const [paths, place] = [marked[source.kind], parsePointer(source.path) ?? []]
      return covers(paths, place) ? [[name]] : within(paths, place).map((rest) => [name, ...rest])
    })
    return [...this.marks.of(undo?.tool ?? "").args, ...taken]
  }

  toolOf = (stepId: string): string => this.#steps.get(stepId)?.tool ?? ""

  resultOf({ stepId, undoes }: About): readonly Path[] {
    const tool = this.#steps.get(stepId)?.tool ?? ""
    return this.marks.of(undoes === true ? (this.#undoOf(tool)?.tool ?? "") : tool).result
  }

  /** Its arguments as they are known, and as they are written where they are not. */
  hideFollowing({
    stepId,
    args,
    open,
  }: Pick<ApprovalRequested["follows"][number], "stepId" | "args"> & {
    readonly open?: readonly string[]
  }): JsonObject {
    const paths = this.argsOf({ stepId })
    const hidden = open === undefined ? hideArgs(args, paths) : hideWritten(args, paths)
    return isObject(hidden) ? hidden : {}
  }

  #undoOf(tool: string) {
    const { tools = {} } = this.#started
    return Object.hasOwn(tools, tool) ? tools[tool]?.undo : undefined
  }
}
