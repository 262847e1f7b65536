/** What to do next: a function of the plan and what has happened, and of nothing else. Time comes in through the entries. */
import { mayUse, sayNotAllowed } from "../../catalog/authority.ts"
import type { GuardFacts, GuardRule } from "../../catalog/predicate.ts"
import { omissionsOf } from "../../check/omissions.ts"
import { type Asked, standing } from "../../journal/asked.ts"
import type {
  Approvers,
  Claim,
  Failure,
  Following,
  Intent,
  Opens,
  Pause,
  Reserve,
  RunEnded,
} from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { RunState } from "../../journal/state.ts"
import { isTerminal } from "../../journal/status.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { child, type Pointer, parsePointer } from "../../text/pointer.ts"
import type { CalledTool } from "../call/call.ts"
import {
  ApprovalDenied,
  BudgetExhausted,
  CallInterrupted,
  EffectRepeated,
  NotAllowed,
  RunCancelled,
  RuntimeCheckFailed,
  SettlementContradicted,
  type StopReason,
} from "../failure.ts"
import { type Ask, digestOf } from "./ask.ts"
import { checkKnown, checkNow, countOf } from "./check.ts"
import { compensate, stop } from "./compensate.ts"
import { askOf, type Cover, coverAgain, coveredBehind, coverOf, type PlanCover, planCover, sayTerms } from "./cover.ts"
import { type Basis, basisOf, checkFresh } from "./fresh.ts"
import { claimOf, idempotencyKey } from "./key.ts"
import { measure, sayBytes, workMax } from "./measure.ts"
import { nextInOpen } from "./open.ts"
import type { ReadyCall, ReadyPlan, ReadyTransition } from "./prepare.ts"
import { fillIn, place, Unresolved, walk } from "./resolve.ts"
import { attemptsMax, checkRetries, decideRetry, retryIn } from "./retry.ts"
import { factsFor } from "./rule.ts"
import { settle } from "./settle.ts"
import { Workings } from "./workings.ts"

export type Action =
  | CallAction
  | CallAgain
  | Reconcile
  | EnterState
  /** Of a guarded transition. */
  | {
      readonly kind: "request-approval"
      readonly transition: ReadyTransition
      readonly asks: Asks
      /** Why the call behind it is asked about, where one decision does for both. */
      readonly ask: Ask | undefined
    }
  /** Of a transition that a rule of the host's guards. */
  | AskRule
  /** For a person's decision, until the run's deadline. */
  | { readonly kind: "wait"; readonly stepId: string; readonly notAfterMs: number | undefined }
  | {
      readonly kind: "mark-in-doubt"
      readonly stepId: string
      readonly attempt: number
      readonly undoes?: true
      readonly failure: Failure
    }
  /** An undo that cannot be begun. */
  | { readonly kind: "refuse"; readonly stepId: string; readonly undoes: true; readonly failure: Failure }
  | { readonly kind: "wind-down"; readonly status: Unsuccessful; readonly failure: Failure }
  | { readonly kind: "end"; readonly status: RunEnded["status"]; readonly failure?: Failure }
  /** Everything old is settled, and what is new needs the plan: its catalog is another one. */
  | { readonly kind: "needs-plan" }
  /** A step of an open run comes to nothing. */
  | { readonly kind: "give-up"; readonly stepId: string; readonly failure: Failure }
  /** An open run waits for its next step, until its end. */
  | { readonly kind: "rest"; readonly notAfterMs: number | undefined }
  /** In doubt, or ended. */
  | { readonly kind: "nothing" }

type Unsuccessful = Exclude<RunEnded["status"], "succeeded">

/** What a person is shown, and what their decision is bound to. */
export interface Asks {
  readonly follows: readonly Following[]
  /** Of a transition of an open run: what may be called behind it, as far as no call is there yet. */
  readonly opens?: Opens
  readonly inputs: string
  readonly approvers: Approvers
  /** Of a transition: a decision stands for the call right behind it too. */
  readonly covers?: true
}

export interface EnterState {
  readonly kind: "enter-state"
  readonly transition: ReadyTransition
  /** What people have said of it, where they were asked; and what they must have been shown. */
  readonly asked: Asked | undefined
  readonly asks: Asks | undefined
  /** What stands for what they would have said. */
  readonly cover?: PlanCover | undefined
  /** When the run's deadline ends. */
  readonly notAfterMs: number | undefined
}

export interface AskRule {
  readonly kind: "ask-rule"
  readonly transition: ReadyTransition
  readonly rule: GuardRule
  readonly facts: GuardFacts
}

/** A new call: of the plan's next step, of a read once more, or of an undo. */
export interface CallAction {
  readonly kind: "call"
  readonly stepId: string
  readonly tool: CalledTool
  readonly attempt: number
  readonly args: JsonObject
  readonly undoes?: true
  /** When a failed call is made again. */
  readonly pause: Pause | undefined
  readonly effect: NewEffect | undefined
  readonly microUsd: number
  /** A person is to be asked first: for certain, or if the store says so. */
  readonly ask: (Ask & Asks) | undefined
  /** What stands for what they would say. */
  readonly cover?: Cover | undefined
  /** What it is based on, where the catalog says how long that may stand. */
  readonly basis?: Basis | undefined
  /** What people have said of it, where they were asked; and what they must have been shown. */
  readonly asked: Asked | undefined
  readonly asks: Asks | undefined
  /** When the run's deadline ends, and how much of its time to work is left. */
  readonly notAfterMs: number | undefined
  readonly workLeftMs: number | undefined
}

/** What an effect will ask of the store: only there it is known whether it was made before. */
export interface NewEffect {
  /** Its key at generation 0. */
  readonly identity: string
  readonly keyAt: (generation: number) => string
  readonly once: Claim | undefined
  readonly reserves: readonly Reserve[]
}

/** An effect whose answer is lost, by the same key. */
export interface CallAgain {
  readonly kind: "call-again"
  readonly tool: CalledTool
  readonly pause: Pause | undefined
  readonly intent: Intent
  /** What people have said of it, where they were asked; or what stands for that. */
  readonly asked: Asked | undefined
  readonly cover?: Cover | undefined
}

/** The outside is asked what became of an intent. */
export interface Reconcile {
  readonly kind: "reconcile"
  readonly tool: CalledTool
  readonly intent: Intent
  readonly notBeforeMs: number | undefined
}

/**
 * `ready` is undefined where the catalog has changed since: what was begun is settled, cancelled and undone all the same, for
 * that goes by the journal, but nothing new is begun.
 */
export const next = (ready: ReadyPlan | undefined, state: RunState): Action => nextBy(ready, state, "refuse-first")

/**
 * As `next` was once, to replay runs that are as old: at a guard people were asked, or their word on the whole plan counted, before it
 * was looked at whether the calls behind it may be made at all; those were refused when it came to them, as they still are.
 */
export const nextAskingFirst = (ready: ReadyPlan | undefined, state: RunState): Action =>
  nextBy(ready, state, "ask-first")

type GuardOrder = "refuse-first" | "ask-first"

function nextBy(ready: ReadyPlan | undefined, state: RunState, order: GuardOrder): Action {
  const action = follow(ready, state, order)
  return state.open === undefined ? action : nextInOpen(state, state.open, action)
}

function follow(ready: ReadyPlan | undefined, state: RunState, order: GuardOrder): Action {
  if (isTerminal(state.status) || state.status === "in_doubt") return { kind: "nothing" }
  if (state.status === "awaiting_approval") {
    return { kind: "wait", stepId: idOf(state), notAfterMs: deadlineOf(state) }
  }
  const { open, lost } = state.step
  const toolOf = (name: string): CalledTool => calledTool(ready, state, name)
  if (open?.idempotencyKey !== undefined)
    return lost === undefined ? { kind: "nothing" } : covered(ready, state, settle(state, open, toolOf(open.tool)))
  if (state.ending !== undefined) return compensate(state, toolOf, (name) => ready?.catalog.tools.get(name))
  if (state.cancel !== undefined) return stop(state, "cancelled", record(new RunCancelled(state.cancel)))
  if (state.failure !== undefined) return stopFor(state, state.failure)
  const denied = denialOf(state)
  if (denied !== undefined) return fail(state, denied)
  const lapsed = state.asked.get(idOf(state))?.lapsed ?? []
  if (lapsed.length >= lapsesMax) return stopFor(state, lapsed.at(-1)?.failure as Failure)
  if (ready === undefined) return { kind: "needs-plan" }
  // A step that an open run was to have may have been overtaken.
  const step = state.done < state.started.document.steps.length ? ready.steps[state.done] : undefined
  if (step?.kind === "call" && open !== undefined) return afterCrash(ready, step, state)
  if (step?.kind === "call" && state.step.failed !== undefined) return afterFailure(ready, step, state)
  const failure = checkKnown(ready, state)
  if (failure !== undefined) return fail(state, failure)
  if (step === undefined) return { kind: "end", status: "succeeded" }
  return step.kind === "call" ? call(ready, step, state) : cross(ready, step, state, order)
}

/** What stands for a decision, by which a call may be made once more. */
function covered(ready: ReadyPlan | undefined, state: RunState, action: Action): Action {
  if (action.kind !== "call-again" || action.asked !== undefined || action.intent.undoes === true) return action
  const cover = coverAgain(ready, state, action.intent)
  return cover === undefined ? action : { ...action, cover }
}

/** That the transition at which it stands was denied is known without the plan. */
function denialOf(state: RunState): ApprovalDenied | undefined {
  const stepId = idOf(state)
  const decided = standing(state, stepId)?.decided
  return decided?.decision === "denied" ? deniedBy(stepId, decided.by, decided.reason) : undefined
}

/** Decisions that came to nothing, before a step is given up. */
const lapsesMax = 3

const idOf = ({ started, done }: RunState): string => started.document.steps[done]?.id ?? ""

/** By the catalog; of one that it does not have any more, what the journal keeps. */
function calledTool(ready: ReadyPlan | undefined, { started }: RunState, name: string): CalledTool {
  const tool = ready?.catalog.tools.get(name)
  if (tool !== undefined) return tool
  const policy = started.tools[name]
  return { name, mutates: policy?.effect !== "read", timeoutMs: policy?.timeoutMs ?? 0, result: undefined }
}

const fail = (state: RunState, reason: StopReason, cause?: Failure): Action => stopFor(state, record(reason, cause))

function stopFor(state: RunState, failure: Failure): Action {
  const used = failure.tag === "BudgetExhausted" || failure.tag === "LimitExhausted"
  return stop(state, used ? "exhausted" : "failed", failure)
}

/** A read without an outcome, found in the journal: its process has ended. */
function afterCrash(ready: ReadyPlan, step: ReadyCall, state: RunState): Action {
  const { attempts } = state.step
  const interrupted = new CallInterrupted({ stepId: step.step.id, tool: step.tool.name, attempts })
  if (attempts >= attemptsMax) return fail(state, interrupted)
  return retry(ready, step, state, record(interrupted))
}

function afterFailure(ready: ReadyPlan, step: ReadyCall, state: RunState): Action {
  const { failed, failures } = state.step
  if (failed === undefined) return { kind: "nothing" }
  const { failure, again } = failed
  const { times } = retryIn(state, step.tool.name)
  if (again !== undefined) return retry(ready, step, state, failure, again)
  const spent = { retries: state.retries, max: ready.catalog.budgets.retries }
  const decision = decideRetry({ mutates: step.tool.mutates, times }, failed, failures, spent)
  if (decision instanceof BudgetExhausted) return fail(state, decision, failure)
  return stopFor(state, failure)
}

/** `cause` is why the call is made again. */
function retry(ready: ReadyPlan, step: ReadyCall, state: RunState, cause: Failure, pause?: Pause): Action {
  const spent = { retries: state.retries, max: ready.catalog.budgets.retries }
  const exhausted = checkRetries(step.step.id, cause, spent)
  return exhausted === undefined ? call(ready, step, state, pause) : fail(state, exhausted, cause)
}

function call(ready: ReadyPlan, step: ReadyCall, state: RunState, pause?: Pause): Action {
  const { budgets } = ready.catalog
  const stepId = step.step.id
  const exhausted = checkSpent(ready, step, state)
  if (exhausted !== undefined) return fail(state, exhausted)
  const { attempts, excused, failures, released } = state.step
  const { name: tool } = step.tool
  // What was lost and barred again and again is not made for ever, unless a person asks for it.
  if (attempts - excused >= attemptsMax || (released && failures >= retryIn(state, tool).times))
    return fail(state, new CallInterrupted({ stepId, tool, attempts }))
  const late = state.observations.find(({ contradicts, event }) => contradicts && event.stepId === stepId)
  if (late !== undefined) return fail(state, new SettlementContradicted({ stepId, tool, attempt: late.event.attempt }))
  const failure = checkNow(step, state, ready.catalog.bounds)
  if (failure !== undefined) return fail(state, failure)
  const workings = Workings.of(state)
  const args = workings.argsOf(step, state)
  if (args instanceof Unresolved)
    return fail(state, new RuntimeCheckFailed({ stepId, at: args.at, problem: args.problem }))
  const refused = refusalOf(step, args, state)
  if (refused !== undefined) return fail(state, refused)
  const changed = checkFresh(step, state)
  if (changed !== undefined) return fail(state, changed)
  const asked = standing(state, stepId)
  const ask = asked === undefined ? askFirst(ready, step, args, state) : undefined
  const cover = ask && coverOf(ready, step, args, state, (transition) => askedAt(ready, transition, state)?.asks)
  const action: CallAction = {
    kind: "call",
    stepId,
    tool: step.tool,
    attempt: state.step.attempts + 1,
    args,
    pause: pause ?? state.step.pause,
    effect: undefined,
    microUsd: step.tool.costMicroUsd,
    ask,
    ...(cover === undefined ? {} : { cover }),
    ...basisOf(step, state),
    asked,
    asks: asked === undefined ? undefined : asksOf(step, args, state),
    notAfterMs: deadlineOf(state),
    workLeftMs: budgets.wallMs === undefined ? undefined : budgets.wallMs - state.workedMs,
  }
  if (!step.tool.mutates) return action
  const identity = identityOf(ready, step, args, state)
  const first = state.effects.get(identity) ?? stepId
  if (first !== stepId && state.open?.nothing.has(first) !== true)
    return fail(state, new EffectRepeated({ stepId, first }))
  return { ...action, effect: newEffect(ready, step, state, identity, args, asked === undefined) }
}

/** Why a call may not be made with these arguments, whoever agrees to it; without them, whatever they will be. */
function refusalOf(
  { step, tool }: ReadyCall,
  args: JsonObject | undefined,
  { started }: RunState,
): NotAllowed | RuntimeCheckFailed | undefined {
  const stepId = step.id
  const refused = mayUse(tool, started, args)
  if (refused !== undefined) return new NotAllowed({ stepId, tool: tool.name, problem: sayNotAllowed(refused) })
  if (args === undefined) return undefined
  const unstated = omissionsOf(tool, { kind: "literal", at: child(step.at, "args"), value: args })[0]
  if (unstated === undefined) return undefined
  const problem = `does not say \`${unstated.path.at(-1)}\`, which must be stated`
  return new RuntimeCheckFailed({ stepId, at: unstated.at, problem })
}

/** Nobody is asked to agree to what is refused once they have: each call is asked about with its arguments, where they are known. */
export function refusedAmong(
  calls: readonly ReadyCall[],
  state: RunState,
): NotAllowed | RuntimeCheckFailed | undefined {
  const workings = Workings.of(state)
  for (const call of calls) {
    const args = call.last < state.done ? workings.argsOf(call, state) : undefined
    const refused = refusalOf(call, args instanceof Unresolved ? undefined : args, state)
    if (refused !== undefined) return refused
  }
  return undefined
}

/** Within the run, calls are compared by what was worked out without the secret; it is in what goes out and is written down. */
function identityOf({ keySecret }: ReadyPlan, call: ReadyCall, args: JsonObject, state: RunState): string {
  if (keySecret === undefined) return Workings.of(state).keyOf(call, args, state)
  const { name: tool, version: toolVersion } = call.tool
  return idempotencyKey(state.started, { tool, toolVersion, occurrence: call.step.occurrence, args }, 0, keySecret)
}

function askFirst(ready: ReadyPlan, step: ReadyCall, args: JsonObject, state: RunState): CallAction["ask"] {
  const ask = askOf(ready, step, args, state)
  return ask && { ...ask, ...asksOf(step, args, state) }
}

function asksOf({ step, tool }: ReadyCall, args: JsonObject, state: RunState): Asks {
  const { name, effect, description, authority } = tool
  // The journal keeps the plan, but not the order of its keys.
  const follows = [{ stepId: step.id, tool: name, effect, description, args }]
  return { follows, inputs: digestOf(state.started.salt, step.id, follows), approvers: sayTerms(authority) }
}

/** Budgets that calls use up. At the limit is allowed, past it is not. */
function checkSpent(
  { catalog: { budgets } }: ReadyPlan,
  { step, tool }: ReadyCall,
  { workedMs, microUsd, started: { spent } }: RunState,
): BudgetExhausted | undefined {
  const over = (budget: string, used: number, max: number): BudgetExhausted =>
    new BudgetExhausted({ budget, stepId: step.id, used, max, because: "" })
  const { wallMs, tokens, microUsd: money } = budgets
  if (wallMs !== undefined && workedMs >= wallMs) return over("wallMs", Math.round(workedMs), wallMs)
  if (tokens !== undefined && (spent.tokens ?? 0) > tokens) return over("tokens", spent.tokens ?? 0, tokens)
  const cost = microUsd + tool.costMicroUsd + (spent.microUsd ?? 0)
  return money !== undefined && cost > money ? over("microUsd", cost, money) : undefined
}

function newEffect(
  { catalog: { limits }, keySecret }: ReadyPlan,
  { step, tool }: ReadyCall,
  { started }: RunState,
  identity: string,
  args: JsonObject,
  unasked: boolean,
): NewEffect {
  const { name, version: toolVersion, once } = tool
  const keyed = { tool: name, toolVersion, occurrence: step.occurrence, args }
  return {
    identity,
    keyAt: (generation) => (generation === 0 ? identity : idempotencyKey(started, keyed, generation, keySecret)),
    once: once && claimOf(started, name, once, args),
    reserves: tool.blast.flatMap((blast): Reserve[] => {
      const limit = limits.get(blast.dimension)
      if (limit === undefined || limit.per === "run") return []
      const { dimension, per: scope, max, approveAbove } = limit
      // Others may reserve meanwhile: what nobody has agreed to is held to this in the store's own transaction.
      const above =
        unasked && approveAbove !== undefined && tool.authority.approval === undefined ? approveAbove : undefined
      const amount = countOf(blast, args)
      return [{ scope, dimension, amount, max, ...(above === undefined ? {} : { above }) }]
    }),
  }
}

const deadlineOf = ({ started: { deadlineMs }, startedAtMs }: RunState): number | undefined =>
  deadlineMs === undefined ? undefined : startedAtMs + deadlineMs

function cross(ready: ReadyPlan, transition: ReadyTransition, state: RunState, order: GuardOrder): Action {
  const stepId = transition.step.id
  const asked = standing(state, stepId)
  const notAfterMs = deadlineOf(state)
  const { guard } = transition.rule
  const enter: EnterState = { kind: "enter-state", transition, asked, asks: undefined, notAfterMs }
  if (guard === undefined || (guard !== "approval" && state.ruled.has(stepId))) return enter
  const follows = following(ready, transition, state)
  if (follows instanceof RuntimeCheckFailed) return fail(state, follows)
  if (guard !== "approval") {
    const facts = factsFor(transition, state, follows, ready.catalog.bounds)
    if (facts instanceof RuntimeCheckFailed) return fail(state, facts)
    return { kind: "ask-rule", transition, rule: guard, facts }
  }
  const { asks, ask } = asksFor(ready, transition, state, follows)
  if (asked !== undefined) return { ...enter, asks }
  const calls = callsBehind(ready, transition)
  const refused = order === "ask-first" ? undefined : refusedAmong(calls, state)
  if (refused !== undefined) return fail(state, refused)
  const behind = calls.filter(({ tool }) => tool.mutates)
  const cover = planCover(state.started, behind, transition.rule)
  return cover === undefined ? { kind: "request-approval", transition, asks, ask } : { ...enter, asks, cover }
}

/** What a person is asked at a guard, and why for the call behind it too, where one decision does for both. */
function asksFor(
  ready: ReadyPlan,
  transition: ReadyTransition,
  state: RunState,
  follows: readonly Following[],
): { readonly asks: Asks; readonly ask: Ask | undefined } {
  const stepId = transition.step.id
  const behind = coveredBehind(ready, transition, state)
  const approvers = sayTerms(behind?.terms ?? transition.rule)
  const inputs = digestOf(state.started.salt, stepId, follows)
  const opens = state.open !== undefined && follows.length === 0 ? { opens: opensOf(ready, transition, state) } : {}
  return { asks: { follows, ...opens, inputs, approvers, ...(behind && { covers: true }) }, ask: behind?.ask }
}

/** What may be called in a state, and until when. */
function opensOf({ catalog }: ReadyPlan, { to }: ReadyTransition, state: RunState): Opens {
  const untilMs = deadlineOf(state)
  const tools = [...catalog.tools.values()]
    .filter(({ states }) => states?.has(to) !== false)
    .map(({ name, effect }) => ({ tool: name, effect }))
    .sort((one, other) => (one.tool < other.tool ? -1 : 1))
  return { tools, ...(untilMs === undefined ? {} : { untilMs }) }
}

/** The same once it was passed: nothing has become known since. */
function askedAt(
  ready: ReadyPlan,
  transition: ReadyTransition,
  state: RunState,
): ReturnType<typeof asksFor> | undefined {
  const follows = following(ready, transition, state)
  return follows instanceof RuntimeCheckFailed ? undefined : asksFor(ready, transition, state, follows)
}

export const deniedBy = (stepId: string, by: string, reason: string): ApprovalDenied =>
  new ApprovalDenied({ stepId, by, reason: reason || "no reason was given" })

/** The calls behind a guard, up to the next one. A person must see all of it as it is, so what is too long is not asked. */
function following(
  ready: ReadyPlan,
  transition: ReadyTransition,
  state: RunState,
): readonly Following[] | RuntimeCheckFailed {
  const { bounds } = ready.catalog
  const follows: Following[] = []
  let bytesLeft = bounds.resultBytes
  for (const call of callsBehind(ready, transition)) {
    const described = describeCall(ready, call, state)
    bytesLeft -= measure(described as unknown as Json, bytesLeft).bytes
    if (bytesLeft < 0) {
      const problem = `with its arguments, what must be approved at \`${transition.step.id}\` holds ${sayBytes(bounds)}`
      return new RuntimeCheckFailed({ stepId: call.step.id, at: `${call.step.at}/args`, problem })
    }
    follows.push(described)
  }
  return follows
}

/** The calls that a guard opens: up to the next one. */
export function callsBehind({ steps }: ReadyPlan, { step }: ReadyTransition): readonly ReadyCall[] {
  const behind = steps.slice(step.index + 1)
  const end = behind.findIndex((one) => one.kind === "transition" && one.guarded)
  return (end === -1 ? behind : behind.slice(0, end)).filter((one) => one.kind === "call")
}

/** What is not known yet stands as it was written, and is named. */
export function describeCall(ready: ReadyPlan, call: ReadyCall, state: RunState): Following {
  const { step, tool, lasts } = call
  const written = ready.plan.plan.document as unknown as Json
  const workings = Workings.of(state)
  // Known is what was looked at before, and the work of it was counted then.
  const work = { left: workMax }
  const open: Pointer[] = []
  const shown = fillIn(step.args, (hole) => {
    const { at } = hole
    const last = lasts.get(hole) ?? -1
    const value = last < state.done ? workings.valueOf(hole, last, state, work) : undefined
    if (value !== undefined && !(value instanceof Unresolved)) return { kind: "literal", at, value }
    open.push(at)
    return { kind: "literal", at, value: walk(written, parsePointer(at) ?? []) ?? null }
  })
  const { name, effect, description } = tool
  const args = place(shown, () => null) as JsonObject
  // The journal keeps the plan, but not the order of its keys.
  return { stepId: step.id, tool: name, effect, description, args, ...(open.length === 0 ? {} : { open: open.sort() }) }
}
