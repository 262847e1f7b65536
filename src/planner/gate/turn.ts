/** One turn of a model: its calls read and held to the gates together, then made one after another. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Catalog } from "../../catalog/catalog.ts"
import { hasMarks } from "../../catalog/sensitive.ts"
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import type { StepDocument } from "../../document/document.ts"
import { awaitedBy } from "../../journal/asked.ts"
import type { CallObserved, CallRefused, Failure } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { JournalService } from "../../journal/journal.ts"
import type { OpenRun } from "../../journal/open.ts"
import { RunSecrets } from "../../journal/secrets.ts"
import type { RunState } from "../../journal/state.ts"
import { isTerminal } from "../../journal/status.ts"
import type { Carried } from "../../plan/earlier.ts"
import type { CredentialsProvider } from "../../run/call/credentials.ts"
import { EffectInDoubt, type RunFailure, StalePlan, StepFailed } from "../../run/failure.ts"
import type { Ids } from "../../run/ids.ts"
import { type Grown, type Growth, growWhole, nothingAhead } from "../../run/open/growth.ts"
import type { Hand } from "../../run/open/hand.ts"
import { put } from "../../run/put.ts"
import type { Driving } from "../../run/run.ts"
import type { Toolbox } from "../../run/toolbox.ts"
import { canonical } from "../../text/canonical.ts"
import { type Breaker, openCircuit } from "./circuit.ts"
import { answerAsEver, type Came, type Foreseen, isCallable, observedAs } from "./observe.ts"
import { asOfCall, idFor, type ReadCall, readCall, stepFor, type TakenIds } from "./proposed.ts"
import type { Session } from "./session.ts"
import type { ProposedCall, Verdict } from "./verdict.ts"
import type { Watch } from "./watch.ts"

export interface Gatekeeper {
  readonly hand: Hand
  readonly growth: Growth
  readonly toolbox: Toolbox
  readonly credentials: CredentialsProvider | undefined
  /** Whether calls of a tool are made as ever, and only watched. */
  readonly observes: (tool: string) => boolean
  /** By call id: what was made as ever, and could not be written down. */
  readonly made: Map<string, CallObserved>
  /** By call id: what is being made as ever. */
  readonly making: Map<string, { readonly digest: string; readonly came: Promise<Came> }>
  /** By call id: the step of which a person was asked by another id. */
  readonly meant: Map<string, string>
  readonly journal: JournalService
  readonly onEvent: Driving["onEvent"]
  readonly catalog: Catalog
  readonly session: Session
  readonly breaker: Breaker
  readonly watch: Watch
}

type Doing<A> = Effect.fn.Return<A, RunFailure, Ids>

/** Of the calls of a turn, by their places: what came of those that were made as ever; and how much whoever wrote them had seen. */
export interface Watched {
  readonly came: ReadonlyMap<number, Came>
  readonly seen: number
}

export const nothingWatched: Watched = { came: new Map(), seen: Number.POSITIVE_INFINITY }

/** The calls that are to be made as ever: those that nobody has asked for yet. Each is made at once, whatever else is under way. */
export function watchAll(
  keeper: Gatekeeper,
  calls: readonly ProposedCall[],
  make: (doing: Doing<Came>) => Promise<Came>,
): ReadonlyMap<number, Promise<Came>> {
  const { hand, toolbox, credentials, catalog, making } = keeper
  const { state } = hand
  const watched = new Map<number, Promise<Came>>()
  for (const [index, proposed] of calls.entries()) {
    if (!keeper.observes(proposed.tool)) continue
    const call = readCall(proposed, catalog, state.started.salt)
    if (!isCallable(toolbox, call.tool, call) || isKnown(keeper, call)) continue
    const before = making.get(call.callId)
    const shared = before?.digest === call.digest ? before.came : undefined
    const came = shared ?? make(answerAsEver({ ...toolbox, credentials, keySecret: hand.keySecret }, state, call))
    watched.set(index, came)
    if (shared !== undefined || before !== undefined) continue
    making.set(call.callId, { digest: call.digest, came })
    came.catch(() => making.delete(call.callId))
  }
  return watched
}

/** Made before, as it is asked for now. */
function isKnown({ hand: { state }, made }: Gatekeeper, call: ReadCall): boolean {
  const known = state.open?.calls.get(call.callId) ?? made.get(call.callId)
  if (known === undefined) return false
  return typeof known === "string" ? isCallOf(state, known, call) : known.digest === call.digest
}

/** What is told of calls that were made as ever by a gate that was closed meanwhile. */
export const toldLate = (keeper: Gatekeeper, proposed: ProposedCall, came: Came): Verdict => {
  const call = readCall(proposed, keeper.catalog, keeper.hand.state.started.salt)
  return withRaw(observedVerdict(observedAs(call, came, foreseenNothing), call, false), came)
}

const withRaw = (verdict: Verdict, { shown: result, ...came }: Came): Verdict =>
  verdict.kind === "accepted" ? { ...verdict, result, ...("raw" in came ? { raw: came.raw } : {}) } : verdict

/** A tool's answer may quote what another step was given or has answered: a copy of the verdict knows no run any more. */
function withShown(verdict: Verdict, state: RunState): Verdict {
  if (verdict.kind !== "accepted") return verdict
  const shown = RunSecrets.in(state).scrubJson(verdict.result)
  return canonical(shown, true) === canonical(verdict.result, true) ? verdict : { ...verdict, shown }
}

export function* takeTurn(
  keeper: Gatekeeper,
  calls: readonly ProposedCall[],
  watched: Watched = nothingWatched,
  shown: readonly Carried[] = [],
): Doing<readonly Verdict[]> {
  const { hand, catalog, watch } = keeper
  const { salt } = hand.state.started
  const read = calls.map((call) => readCall(call, catalog, salt))
  const before = hand.state
  // Whoever wrote them has seen what came of what is behind now, and nothing of what they come to themselves.
  const seen = Math.min((yield* hand.settle()).done, watched.seen)
  if (hand.stale !== undefined) return yield* hand.stale
  const asked = hand.state.open?.calls
  const proposals = read.map((call) => watch.proposed(call, asked?.has(call.callId) === true))
  const refused = read.length > 1 ? judgeAll(keeper, read, seen, shown) : new Map()
  const verdicts: Verdict[] = []
  const told = new Set<string>()
  for (const [index, call] of read.entries()) {
    const { callId } = call
    const replayed = told.has(callId) || isBehind(before, callId)
    const beganMs = (yield* Clock).currentTimeMillisUnsafe()
    const came = watched.came.get(index)
    const faults = refused.get(call) ?? call.faults
    const noted = { callId }
    const taken = yield* take(keeper, call, { seen, shown, before, replayed, faults, came, noted })
    const verdict = hasMarks(catalog) ? withShown(taken, hand.state) : taken
    verdicts.push(verdict)
    told.add(callId)
    const tookMs = Math.max(0, (yield* Clock).currentTimeMillisUnsafe() - beganMs)
    const proposed = proposals[index]
    if (proposed !== undefined)
      watch.told(proposed, verdict, { foreseen: foreseenOf(hand.state, noted.callId), replayed, beganMs, tookMs })
  }
  return verdicts
}

/** What the gates would have said of a call that was only watched. */
function foreseenOf({ open }: RunState, callId: string): readonly string[] | undefined {
  const known = open?.calls.get(callId)
  if (known === undefined || typeof known === "string" || known.kind !== "call-observed") return undefined
  return [...new Set(known.diagnostics.map(({ code }) => code))]
}

/** Each call held to the gates as if those before it that pass had been made: none is made before all are looked at. */
function judgeAll(
  keeper: Gatekeeper,
  calls: readonly ReadCall[],
  seen: number,
  shown: readonly Carried[],
): ReadonlyMap<ReadCall, readonly Diagnostic[]> {
  const refused = new Map<ReadCall, readonly Diagnostic[]>()
  const { state } = keeper.hand
  if (state.open === undefined || !isResting(state)) return refused
  const open = showing(state.open, shown)
  let ahead = nothingAhead
  for (const call of calls) {
    if (call.faults.length > 0 || state.open.calls.has(call.callId) || keeper.observes(call.tool)) continue
    const grown = keeper.growth.grow(state, open, ahead, stepFor(call, idsIn(state, ahead.steps)), seen)
    if (grown.ok) ahead = grown.ahead
    else refused.set(call, asOfCall(grown.diagnostics, grown.index))
  }
  return refused
}

/** As it is for who has been shown such data. */
const showing = (open: OpenRun, now: readonly Carried[]): OpenRun =>
  now.length === 0 ? open : { ...open, aside: { ...open.aside, now } }

interface Asking {
  readonly seen: number
  readonly shown: readonly Carried[]
  /** The run as it stood before anything was done for this turn. */
  readonly before: RunState
  /** What becomes of it was known before. */
  readonly replayed: boolean
  readonly faults: readonly Diagnostic[]
  /** What came of it, where it was made as ever. */
  readonly came: Came | undefined
  /** By which id it is written down. */
  readonly noted: { callId: string }
}

/** The verdict on one call; where it passes, it is made. */
function* take(keeper: Gatekeeper, call: ReadCall, asking: Asking): Doing<Verdict> {
  const { seen, shown, before, replayed, faults, came } = asking
  const { hand, session, breaker } = keeper
  for (;;) {
    const state = yield* hand.settle()
    const recorded = recall(state, call, replayed)
    if (recorded !== undefined && (came === undefined || recorded.kind !== "call-id-reused")) return recorded
    const once = keeper.made.get(call.callId)
    if (once?.digest === call.digest) return observedVerdict(once, call, true)
    if (came !== undefined) return yield* watch(keeper, state, call, asking, came)
    if (once !== undefined) return { kind: "call-id-reused", ...named(call) }
    const proposed = keeper.meant.get(call.callId) ?? proposedBefore(state, call)
    if (proposed !== undefined) {
      if (!isCallOf(state, proposed, call)) return { kind: "call-id-reused", ...named(call) }
      keeper.meant.set(call.callId, proposed)
      return verdictOf(state, proposed, call, replayed || isDone(before, proposed))
    }
    const held = holdBack(state, call)
    if (held !== undefined) return held
    const nowMs = (yield* Clock).currentTimeMillisUnsafe()
    const circuit = openCircuit(yield* session.marks(hand.runId, state.seq, nowMs), call.tool, breaker, nowMs)
    if (circuit !== undefined) return { kind: "circuit-open", ...named(call), ...circuit }
    const drift = keeper.watch.holds(call.tool)
    if (drift !== undefined) return { kind: "held", ...named(call), sinceMs: drift.atMs }
    const verdict =
      faults.length > 0 ? yield* refuse(keeper, call, faults) : yield* make(keeper, state, call, seen, shown)
    if (verdict !== undefined) return verdict
  }
}

function* refuse(
  { hand, observes }: Gatekeeper,
  call: ReadCall,
  diagnostics: readonly Diagnostic[],
): Doing<Verdict | undefined> {
  const { callId, digest } = call
  const tool = call.tool.slice(0, toolMax)
  const watched = observes(call.tool) ? ({ watched: true } as const) : {}
  const event: CallRefused = { kind: "call-refused", callId, tool, digest, diagnostics, ...watched }
  return (yield* hand.note(event)) ? { kind: "refused", ...named(call), diagnostics } : undefined
}

/** Of a name that a model made up. */
const toolMax = 200

/** Undefined where something has come in between. */
function* make(
  keeper: Gatekeeper,
  state: RunState,
  call: ReadCall,
  seen: number,
  shown: readonly Carried[],
): Doing<Verdict | undefined> {
  const { open } = state
  if (open === undefined) throw new Error("a gate has an open run")
  const step = stepFor(call, idsIn(state))
  const known = Math.min(seen, state.done)
  const grown = keeper.growth.grow(state, showing(open, shown), nothingAhead, step, known)
  if (!grown.ok) return yield* refuse(keeper, call, asOfCall(grown.diagnostics, grown.index))
  const after = yield* add(keeper, grown, step, {
    callId: call.callId,
    seen: known,
    ...(shown.length === 0 ? {} : { shown }),
  })
  return after && verdictOf(after, step.id, call, false)
}

/** Made as ever, whatever the gates say. */
function* watch(
  keeper: Gatekeeper,
  state: RunState,
  call: ReadCall,
  { seen, faults, noted }: Pick<Asking, "seen" | "faults" | "noted">,
  came: Came,
): Doing<Verdict> {
  const { hand, made, making } = keeper
  // A host that counts its calls anew each turn is as right as ever: it is another call, and is written down as one.
  noted.callId = freeId(call.callId, (id) => made.has(id) || state.open?.calls.has(id) === true)
  const asNoted = { ...call, callId: noted.callId }
  const observed = observedAs(asNoted, came, foresee(keeper, state, asNoted, { seen, faults }))
  // Whatever becomes of writing it down, it is not made again.
  made.set(noted.callId, observed)
  if (making.get(call.callId)?.digest === call.digest) making.delete(call.callId)
  const told = withRaw(observedVerdict(observed, call, false), came)
  for (;;) {
    if (yield* hand.note(observed)) break
    const now = yield* hand.settle()
    if (isResting(now)) continue
    if (isTerminal(now.status)) return told
    // What comes late is no step any more.
    const { made: _, ...aside } = observed
    if (yield* hand.note(aside)) break
    if (hand.held) continue
    // Nobody holds a run that waits; or somebody who has just taken it on. Who does not hold it has not read it since.
    const write = put(keeper.journal, now, aside, undefined, keeper.onEvent)
    yield* Effect.catchTag(write, "RunUnderWay", () => Effect.void)
    return told
  }
  made.delete(noted.callId)
  return told
}

function freeId(wanted: string, isTaken: (id: string) => boolean): string {
  if (!isTaken(wanted)) return wanted
  let number = 2
  while (isTaken(`${wanted.slice(0, idLength)}#${number}`)) number++
  return `${wanted.slice(0, idLength)}#${number}`
}

/** With a number behind it, it is still an id. */
const idLength = 150

const foreseenNothing: Foreseen = { diagnostics: [], waits: false, step: undefined, seen: 0, planHash: "" }

function foresee(
  keeper: Gatekeeper,
  state: RunState,
  call: ReadCall,
  { seen, faults }: Pick<Asking, "seen" | "faults">,
): Foreseen {
  const nothing = { waits: false, step: undefined, seen: 0, planHash: "" }
  if (faults.length > 0) return { ...nothing, diagnostics: faults }
  if (!isResting(state)) return { ...nothing, diagnostics: [] }
  const { open } = state
  if (open === undefined) throw new Error("a gate has an open run")
  const step = stepFor(call, idsIn(state))
  const known = Math.min(seen, state.done)
  const grown = keeper.growth.grow(state, open, nothingAhead, step, known)
  if (!grown.ok) return { ...nothing, diagnostics: asOfCall(grown.diagnostics, grown.index) }
  const waits = grown.approvals.some((need) => need.stepId === step.id && (need.kind !== "above" || need.certain))
  return { diagnostics: [], waits, step, seen: known, planHash: grown.planHash() }
}

function observedVerdict({ failure, result, made }: CallObserved, call: Named, replayed: boolean): Verdict {
  const about = { ...named(call), stepId: made?.step.id ?? call.callId }
  if (failure !== undefined) return { kind: "failed", ...about, failure, applied: false, observed: true }
  return { kind: "accepted", ...about, result: result ?? null, replayed }
}

/** A transition, by the host's own word. */
export function* takeTransition(keeper: Gatekeeper, to: string, callId: string | undefined): Doing<Verdict> {
  const { hand } = keeper
  for (;;) {
    const before = hand.state
    const state = yield* hand.settle()
    if (hand.stale !== undefined) return yield* hand.stale
    const about = (stepId: string): Named => ({ callId: callId ?? stepId, tool: to })
    const { steps } = state.started.document
    const known = callId === undefined ? undefined : state.open?.calls.get(callId)
    if (known !== undefined) {
      const step = typeof known === "string" ? steps.find(({ id }) => id === known) : undefined
      if (step?.transition !== to) return { kind: "call-id-reused", ...about("") }
      return verdictOf(state, step.id, about(step.id), isDone(before, step.id))
    }
    // Asked again, it goes on with what it has asked for.
    const last = steps.findLast(({ id, transition }) => transition !== undefined && !state.open?.nothing.has(id))
    if (callId === undefined && last?.transition === to)
      return verdictOf(state, last.id, about(last.id), isDone(before, last.id))
    const step: StepDocument = { id: idFor(callId ?? `enter-${to}`, idsIn(state)), transition: to }
    const held = holdBack(state, about(step.id))
    // What the machine does not have, nobody need wait for.
    if (held !== undefined && (isTerminal(state.status) || isState(keeper.catalog, to))) return held
    if (state.open === undefined) throw new Error("a gate has an open run")
    const grown = growWhole(keeper.catalog, state, state.open, { steps: [step], rightly: undefined }, state.done)
    if (!grown.ok) return { kind: "refused", ...about(step.id), diagnostics: asOfCall(grown.diagnostics, grown.index) }
    const after = yield* add(keeper, grown, step, { ...(callId === undefined ? {} : { callId }), seen: state.done })
    if (after !== undefined) return verdictOf(after, step.id, about(step.id), false)
  }
}

const isState = ({ machine }: Catalog, name: string): boolean =>
  machine !== undefined && (machine.initial === name || [...machine.transitions.values()].some((to) => to.has(name)))

function* add(
  { hand }: Gatekeeper,
  grown: Grown,
  step: StepDocument,
  more: { readonly callId?: string; readonly seen: number; readonly shown?: readonly Carried[] },
): Doing<RunState | undefined> {
  if (!grown.ok) throw new Error("what is refused is not added")
  const ready = grown.ready(hand.ready)
  if (ready instanceof StalePlan) return yield* ready
  return yield* hand.addStep({ kind: "step-added", ...more, step, planHash: grown.planHash() }, ready)
}

/** The ids that its steps have, and those of steps ahead. */
const idsIn = ({ open, started }: RunState, ahead: readonly StepDocument[] = []): TakenIds => ({
  size: started.document.steps.length + ahead.length,
  has: (id) => open?.index.has(id) === true || ahead.some((step) => step.id === id),
})

interface Named {
  readonly callId: string
  readonly tool: string
}

const named = ({ callId, tool }: Named): Named => ({ callId, tool })

const isResting = ({ status, done, started }: RunState): boolean =>
  status === "running" && done === started.document.steps.length

function isDone({ open, done }: RunState, stepId: string): boolean {
  const index = open?.index.get(stepId)
  return index !== undefined && index < done
}

/** Whether what is known of a call is final. */
function isBehind(state: RunState, callId: string): boolean {
  const known = state.open?.calls.get(callId)
  return known !== undefined && (typeof known !== "string" || isDone(state, known))
}

/** What was made of this call before; undefined where it is new. */
function recall(state: RunState, call: ReadCall, replayed: boolean): Verdict | undefined {
  const known = state.open?.calls.get(call.callId)
  if (known === undefined) return undefined
  if (typeof known !== "string" && known.kind === "call-observed")
    return known.digest === call.digest
      ? observedVerdict(known, call, true)
      : { kind: "call-id-reused", ...named(call) }
  if (typeof known !== "string")
    return known.digest === call.digest
      ? { kind: "refused", ...named(call), diagnostics: known.diagnostics }
      : { kind: "call-id-reused", ...named(call) }
  return isCallOf(state, known, call)
    ? verdictOf(state, known, call, replayed)
    : { kind: "call-id-reused", ...named(call) }
}

const stepOf = ({ open, started }: RunState, stepId: string): StepDocument | undefined =>
  started.document.steps[open?.index.get(stepId) ?? -1]

function isCallOf(state: RunState, stepId: string, call: ReadCall): boolean {
  const step = stepOf(state, stepId)
  return step !== undefined && isSameStep(step, call)
}

const noIds: TakenIds = { size: 0, has: () => false }

function isSameStep(step: StepDocument, call: ReadCall): boolean {
  if (call.args === undefined) return false
  const { id: _, ...asked } = stepFor(call, noIds)
  const { id: __, ...made } = step
  return canonical(asked as never, true) === canonical(made as never, true)
}

/**
 * The step of which a person was asked, where the same is proposed once more: a model that was told to wait asks by a new id, and
 * nobody need be asked again. Where it was agreed to and failed, it may be.
 */
function proposedBefore(state: RunState, call: ReadCall): string | undefined {
  const { asked, open } = state
  if (asked.size === 0) return undefined
  const same = [...asked.keys()]
    .map((stepId) => stepOf(state, stepId))
    .findLast((step) => step?.tool === call.tool && step !== undefined && isSameStep(step, call))
  const nothing = same && open?.nothing.get(same.id)
  return nothing === undefined || nothing.tag === "ApprovalDenied" ? same?.id : undefined
}

/** Why a new call is not even looked at; undefined where it is. */
function holdBack(state: RunState, call: Named): Verdict | undefined {
  if (isTerminal(state.status))
    return { kind: "run-over", ...named(call), failure: state.failure && shown(state, state.failure) }
  if (isResting(state)) return undefined
  const step = state.started.document.steps[state.done]
  if (step === undefined) return undefined
  const verdict = verdictOf(state, step.id, call, false)
  const behind = step.tool ?? step.transition ?? ""
  return verdict.kind === "waiting" || verdict.kind === "in-doubt" ? { ...verdict, behind } : verdict
}

/** What has become of a step. */
function verdictOf(state: RunState, stepId: string, call: Named, replayed: boolean): Verdict {
  const about = { ...named(call), stepId }
  const nothing = state.open?.nothing.get(stepId)
  if (nothing !== undefined) return { kind: "failed", ...about, failure: shown(state, nothing), applied: false }
  const made = state.calls.get(stepId)
  if (state.undone.get(stepId)?.kind === "undone") {
    const failure = state.failure ?? record(new StepFailed({ stepId, tool: call.tool, said: "it was undone" }))
    return { kind: "failed", ...about, failure: shown(state, failure), applied: false, undone: true }
  }
  if (made?.failure !== undefined)
    return { kind: "failed", ...about, failure: shown(state, made.failure), applied: isEffect(made) }
  if (made !== undefined) return { kind: "accepted", ...about, result: made.result ?? null, replayed }
  if (isDone(state, stepId))
    return { kind: "accepted", ...about, result: { state: stepOf(state, stepId)?.transition ?? "" }, replayed }
  if (isTerminal(state.status))
    return { kind: "run-over", ...named(call), failure: state.failure && shown(state, state.failure) }
  const awaited = state.status === "awaiting_approval" ? awaitedBy(state) : undefined
  if (awaited !== undefined)
    return { kind: "waiting", ...named(call), stepId: awaited.stepId, requestId: awaited.requestId }
  const { lost } = state.step
  const said = "it is to be called or asked after again later"
  const late = typeof lost === "object" ? lost.failure : record(new EffectInDoubt({ stepId, tool: call.tool, said }))
  return { kind: "in-doubt", ...about, failure: shown(state, state.failure ?? late) }
}

const isEffect = ({ idempotencyKey }: { readonly idempotencyKey: string | undefined }): boolean =>
  idempotencyKey !== undefined

/** A handler's words may quote what the model has not been shown. */
const shown = (state: RunState, failure: Failure): Failure => RunSecrets.in(state).scrubFailure(failure)
