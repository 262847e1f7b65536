/**
 * The gate for single calls: what a model asks for, call by call, made as the steps of one open run, with the same gates, keys,
 * limits, approvals and journal as a plan.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Catalog, CatalogSpec } from "../../catalog/catalog.ts"
import { awaitedBy } from "../../journal/asked.ts"
import { type JournalNewer, record, StoreUnavailable } from "../../journal/failure.ts"
import { Journal, type JournalService } from "../../journal/journal.ts"
import { isTerminal } from "../../journal/status.ts"
import type { Carried } from "../../plan/earlier.ts"
import { admitName, refuseCount, sayFound } from "../../run/admit.ts"
import { InputsRefused, type RunFailure, RunInDoubt } from "../../run/failure.ts"
import { type Ids, live } from "../../run/ids.ts"
import { Growth } from "../../run/open/growth.ts"
import { Hand, type OpenOptions } from "../../run/open/hand.ts"
import { Outbox } from "../../run/outbox.ts"
import { put } from "../../run/put.ts"
import { type RunReport, report } from "../../run/report.ts"
import type { Driving } from "../../run/run.ts"
import { listen } from "../../run/telemetry.ts"
import { equip, type Tools } from "../../run/toolbox.ts"
import { copyJson } from "../../text/copy-json.ts"
import { isObject } from "../../text/json.ts"
import type { Breaker } from "./circuit.ts"
import { Inside } from "./inside.ts"
import { noticesOf } from "./notices.ts"
import { isolatedIn } from "./observe.ts"
import { admitGate, admitShown, type GateOptions } from "./options.ts"
import { Session } from "./session.ts"
import { shownIn } from "./shown.ts"
import { type Gatekeeper, nothingWatched, takeTransition, takeTurn, toldLate, type Watched, watchAll } from "./turn.ts"
import { withUnnamed } from "./unnamed.ts"
import type { ProposedCall, Turns, Verdict } from "./verdict.ts"
import { Watch } from "./watch.ts"

/**
 * Promises of verdicts: whatever a model has asked for and a tool has done is one. They reject, with a typed error, only for a
 * mistake of the host's, a store that fails, or a run that is another's by now.
 */
export interface Gate<Spec extends CatalogSpec = CatalogSpec> extends Turns {
  readonly runId: string
  /** Whether the run was begun now; false where it goes on with one that was there. */
  readonly began: boolean
  /** What is odd about how it was made, though it works: for the host's log. */
  readonly notices: readonly string[]
  /** By which it judges: an adapter reads the names of its tools there. */
  readonly catalog: Catalog<Spec>
  /** One call. The same again, by the same id, is answered with what became of it. */
  readonly call: (
    tool: string,
    args: unknown,
    options: { readonly callId: string; readonly occurrence?: number | undefined },
  ) => Promise<Verdict>
  /** Takes a transition of the catalog's machine: the host's deed, and never a model's. Asked again, it goes on with it. */
  readonly enter: (transition: string, options?: { readonly callId?: string | undefined }) => Promise<Verdict>
  /** Closes the circuits again: of one tool, or of all. */
  readonly reset: (tool?: string) => Promise<void>
  readonly status: () => Promise<RunReport<Spec>>
  /**
   * Ends the run, `succeeded`, and gives up what still waits for a person: `gaveUp` says what. Then closes the store. Rejects with
   * RUN206 while it is in doubt, and leaves all as it is: settle that by `resolve`, or `leave` the run to whoever does.
   */
  readonly close: () => Promise<Closed<Spec>>
  /** Leaves the run as it is, for another gate to go on with at once, and closes the store. */
  readonly leave: () => Promise<void>
}

/** What a gate's run came to; and the call, or the state to be entered, that still waited for a person. */
export type Closed<Spec extends CatalogSpec = CatalogSpec> = RunReport<Spec> & {
  readonly gaveUp: { readonly stepId: string; readonly requestId: string; readonly name: string } | undefined
}

/** Begins an open run, or takes up the one named: `const gate = await createGate({ catalog, tools, store, principal, session, task })`. */
export async function createGate<
  Spec extends CatalogSpec,
  const Written extends Tools<NoInfer<Spec>> = Tools<NoInfer<Spec>>,
>(given: GateOptions<Spec, Written>): Promise<Gate<Spec>> {
  const options = isObject(given) ? { ...given } : given
  const breaker = admitGate(options)
  if (breaker instanceof InputsRefused) throw ofGate(breaker)
  const opened = new Opened(options as unknown as GateOptions, breaker)
  try {
    return (await opened.open()) as unknown as Gate<Spec>
  } catch (error) {
    await opened.dispose()
    throw ofGate(error)
  }
}

class Opened {
  readonly #options: GateOptions
  readonly #breaker: Breaker
  readonly #runtime: ManagedRuntime.ManagedRuntime<Journal | Ids, StoreUnavailable | JournalNewer>
  readonly #listening: ReturnType<typeof listen>
  /** Calls are made one after another, in the order in which they came. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #inside = new Inside()
  #over = false
  #keeper: Gatekeeper | undefined
  /** Whether other runs of the session have shown private data before this gate was opened: then it may be in any literal. */
  #shown: readonly Carried[] = []
  #outbox: Outbox | undefined

  constructor(options: GateOptions, breaker: Breaker) {
    const { store, ids = live, telemetry, onEvent } = options
    this.#options = options
    this.#breaker = breaker
    const heard = { onEvent: (entry: Parameters<NonNullable<Driving["onEvent"]>>[0]) => this.#hear(entry, onEvent) }
    this.#listening = listen(telemetry, heard)
    this.#runtime = ManagedRuntime.make(Layer.mergeAll(usable(store), ids, this.#listening.layer))
  }

  #hear(entry: Parameters<NonNullable<Driving["onEvent"]>>[0], onEvent: Driving["onEvent"]): unknown {
    this.#outbox?.note(entry)
    this.#keeper?.session.note(entry)
    return onEvent?.(entry)
  }

  async open(): Promise<Gate> {
    const { session, task, principal, ...options } = this.#options
    const toolbox = this.#inside.mark(equip(this.#options))
    const opening = { ...options, principal, sessionId: session, taskId: task } as OpenOptions
    const { hand, journal } = await this.#ask((journal) =>
      Effect.flatMap(
        Effect.gen(() => learnt(opening, toolbox.catalog, journal)),
        (opening) => Effect.map(Hand.begin(toolbox, opening, this.#driving, journal), (hand) => ({ hand, journal })),
      ),
    )
    const { tenant, sessionId } = hand.state.started
    const asked = { tenant, sessionId, catalog: toolbox.catalog, except: hand.runId }
    const before = await this.#ask((journal) => Effect.gen(() => shownIn(journal, asked)))
    this.#shown = before.filter((label) => label === "private")
    const peers = new Session(journal, { tenant, sessionId })
    const { mode = "enforce", enforce = [] } = this.#options
    const held = new Set([...enforce, ...isolatedIn(toolbox)])
    const observes = (tool: string): boolean => mode === "observe" && !held.has(tool)
    const { hooks = {}, monitor, credentials, onRequested } = this.#options
    const watching = { hooks: { ...hooks }, monitor, telemetry: this.#listening, catalog: toolbox.catalog }
    const watch = new Watch(watching, hand.state)
    const judging = { observes, catalog: toolbox.catalog, session: peers, breaker: this.#breaker }
    const { onEvent } = this.#listening
    this.#keeper = {
      watch,
      hand,
      growth: new Growth(toolbox.catalog),
      toolbox,
      credentials,
      made: new Map(),
      making: new Map(),
      meant: new Map(),
      journal,
      onEvent,
      ...judging,
    }
    if (onRequested !== undefined)
      this.#outbox = new Outbox(this.#runtime.runPromise, { onRequested, onEvent, runId: hand.runId })
    return this.#gate(this.#keeper)
  }

  get #driving(): Driving & { readonly takeOver: boolean } {
    const { leaseMs, approvers, credentials, keySecret, takeOver = false } = this.#options
    const { onEvent, onTakeUp } = this.#listening
    return { onEvent, onTakeUp, leaseMs, approvers, credentials, keySecret, takeOver }
  }

  #gate(keeper: Gatekeeper): Gate {
    const { hand } = keeper
    const { runId } = hand
    const turn: Gate["turn"] = async (calls, options) => {
      const taken = admitCalls(calls, keeper.catalog)
      if (taken instanceof InputsRefused) throw ofGate(taken)
      const told = admitShown(options)
      if (told instanceof InputsRefused) throw ofGate(told)
      const shown = [...told, ...this.#shown.filter((label) => !told.includes(label))]
      const made = this.#watch(keeper, taken)
      // Whoever asks stands in the queue at once.
      const watched = made instanceof Promise ? await made : made
      return this.#inTurn(async () => {
        if (this.#over)
          return taken.map((call, index) => {
            const came = watched.came.get(index)
            return came === undefined ? overFor(keeper, call) : toldLate(keeper, call, came)
          })
        const verdicts = await this.#ask(() => Effect.gen(() => takeTurn(keeper, taken, watched, shown)))
        this.#measure()
        return verdicts
      })
    }
    const all: Gate["turn"] = (calls, ...more) => withUnnamed(keeper, calls, (named) => turn(named, ...more))
    return {
      runId,
      began: hand.began,
      notices: noticesOf(keeper.catalog, this.#options),
      catalog: keeper.catalog,
      turn: all,
      call: async (tool, args, options) => {
        const { callId, occurrence } = isObject(options)
          ? options
          : ({} as { readonly callId: string; occurrence?: undefined })
        const [verdict] = await all([{ callId, tool, args, ...(occurrence === undefined ? {} : { occurrence }) }])
        return verdict as Verdict
      },
      enter: (transition, { callId } = {}) =>
        this.#inTurn(async () => {
          const refused =
            admitName("transition", transition) ?? (callId === undefined ? undefined : admitName("callId", callId))
          if (refused !== undefined) throw ofGate(refused)
          if (this.#over) return over({ callId: callId ?? transition, tool: transition })
          return this.#ask(() => Effect.gen(() => takeTransition(keeper, transition, callId)))
        }),
      reset: (tool) =>
        this.#inTurn(async () => {
          const refused = tool === undefined ? undefined : admitName("tool", tool)
          if (refused !== undefined) throw ofGate(refused)
          if (!this.#over) await this.#ask((journal) => Effect.gen(() => reset(hand, journal, tool, this.#driving)))
        }),
      status: () =>
        this.#inTurn(() =>
          this.#ask(() =>
            Effect.map(
              Effect.gen(() => hand.look()),
              report,
            ),
          ),
        ),
      close: () =>
        this.#inTurn(async () => {
          const { state, gaveUp } = await this.#ask((journal) => Effect.gen(() => close(hand, journal, this.#driving)))
          await this.dispose()
          return { ...report(state), gaveUp }
        }),
      leave: () =>
        this.#inTurn(async () => {
          if (!this.#over) await this.#ask(() => Effect.gen(() => hand.letGo()))
          await this.dispose()
        }),
    }
  }

  /** What is only watched is made beside the queue: nothing waits for it but its own turn. */
  #watch(keeper: Gatekeeper, calls: readonly ProposedCall[]): Watched | Promise<Watched> {
    if (this.#over || this.#inside.isAsking || !calls.some(({ tool }) => keeper.observes(tool))) return nothingWatched
    const seen = keeper.hand.state.done
    const { ids = live } = this.#options
    // It outlives the gate: what is under way is not broken off where that is closed.
    const make = <A>(doing: Effect.fn.Return<A, RunFailure, Ids>): Promise<A> =>
      Effect.runPromiseExit(
        Effect.provide(
          Effect.gen(() => doing),
          ids,
        ),
      ).then(succeeded)
    const made = this.#inside.apart(() => watchAll(keeper, calls, make))
    const all = [...made].map(async ([index, came]) => [index, await came] as const)
    return Promise.all(all).then((came) => ({ came: new Map(came), seen }))
  }

  #inTurn<A>(act: () => Promise<A>): Promise<A> {
    if (this.#inside.isAsking) return Promise.reject(asksItself())
    const mine = this.#last.then(() => this.#inside.during(act))
    this.#last = mine.catch(() => {})
    return mine
  }

  async #ask<A>(ask: (journal: JournalService) => Effect.Effect<A, RunFailure, Journal | Ids>): Promise<A> {
    if (this.#over) throw wasClosed()
    const exit = await this.#runtime.runPromiseExit(Journal.use(ask))
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause)
    this.#listening.onRefused(error)
    throw ofGate(error)
  }

  /** Nobody waits for it. */
  #measure(): void {
    if (this.#options.telemetry === undefined) return
    this.#runtime.runFork(Journal.use((journal) => this.#listening.measure(journal, Date.now())))
  }

  async dispose(): Promise<void> {
    this.#over = true
    await this.#outbox?.close(graceMs)
    await this.#runtime.dispose()
  }
}

function succeeded<A>(exit: Exit.Exit<A, RunFailure>): A {
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

/** A run that is begun learns of the session what it was shown; of one that is taken up, it is written down. What the host says stands. */
function* learnt(
  opening: OpenOptions,
  catalog: Catalog,
  journal: JournalService,
): Effect.fn.Return<OpenOptions, RunFailure> {
  const { principal, sessionId, runId, literals } = opening
  const tenant: unknown = isObject(principal) ? principal.tenant : undefined
  if (literals !== undefined || typeof tenant !== "string" || tenant === "") return opening
  if (runId !== undefined && (yield* journal.look(runId)) !== undefined) return opening
  const shown = yield* shownIn(journal, { tenant, sessionId, catalog })
  return shown.includes("untrusted") ? { ...opening, literals: "untrusted" } : opening
}

/** How long what is being told of is waited for. */
const graceMs = 10_000

function overFor({ watch }: Gatekeeper, call: ProposedCall): Verdict {
  const verdict = over(call)
  watch.told(watch.proposed(call, false), verdict, {
    foreseen: undefined,
    replayed: false,
    beganMs: Date.now(),
    tookMs: 0,
  })
  return verdict
}

const over = ({ callId, tool }: Pick<ProposedCall, "callId" | "tool">): Verdict => ({
  kind: "run-over",
  callId,
  tool,
  failure: record(wasClosed()),
})

const wasClosed = (): InputsRefused =>
  new InputsRefused({
    of: "gate",
    field: "A call",
    problem: "came after it was closed",
    expected: "Go on with the run by another, `createGate({ runId, … })`, if it has not ended.",
  })

const asksItself = (): InputsRefused =>
  new InputsRefused({
    of: "gate",
    field: "A call",
    problem: "comes from a handler that it waits for, and would wait for itself",
    expected: "Call the other tool's function there, or let the model ask for it.",
  })

/** What names a call is the provider's or the host's, and never a model's word. */
function admitCalls(calls: readonly ProposedCall[], catalog: Catalog): readonly ProposedCall[] | InputsRefused {
  const refuse = (field: string, problem: string, expected: string): InputsRefused =>
    new InputsRefused({ field, problem, expected })
  if (!Array.isArray(calls))
    return refuse("`calls`", `must be an array, but ${sayFound(calls)}`, "Give a list of calls.")
  const taken: ProposedCall[] = []
  for (const [index, call] of calls.entries()) {
    if (!isObject(call))
      return refuse(`\`calls[${index}]\``, `must be an object, but ${sayFound(call)}`, "Give a call.")
    const { callId, tool, args, occurrence } = call as unknown as ProposedCall
    const refused = admitName("callId", callId)
    if (refused !== undefined) return refused
    if (typeof tool !== "string") return refuse("`tool`", `must be a string, but ${sayFound(tool)}`, "Give its name.")
    if (occurrence !== undefined && !(Number.isSafeInteger(occurrence) && occurrence > 0))
      return refuseCount("`occurrence`", occurrence, 1)
    taken.push({ callId, tool: tool.toWellFormed(), args: asGiven(args, catalog), occurrence })
  }
  return taken
}

/** As it was when it was asked: what the host does with its object afterwards is another call. What cannot be copied is refused later. */
function asGiven(args: unknown, { bounds }: Catalog): unknown {
  const copied = typeof args === "string" ? undefined : copyJson(args, { ...bounds, bytes: bounds.textBytes })
  return copied?.ok === true ? copied.value : args
}

function* reset(
  hand: Hand,
  journal: JournalService,
  tool: string | undefined,
  { onEvent }: Driving,
): Effect.fn.Return<void, RunFailure, Ids> {
  const event = { kind: "circuit-reset", ...(tool === undefined ? {} : { tool }) } as const
  for (;;) {
    const state = yield* hand.settle()
    if (isTerminal(state.status)) return
    if (yield* hand.note(event)) return
    // Nobody holds a run that waits for a person.
    if (hand.held) continue
    yield* put(journal, state, event, undefined, onEvent)
    return
  }
}

function* close(
  hand: Hand,
  journal: JournalService,
  { onEvent }: Driving,
): Effect.fn.Return<{ readonly state: Hand["state"]; readonly gaveUp: Closed["gaveUp"] }, RunFailure, Ids> {
  let gaveUp: Closed["gaveUp"]
  for (;;) {
    const state = yield* hand.settle()
    const { runId, status, failure, open } = state
    if (isTerminal(status))
      return { state, gaveUp: gaveUp && open?.nothing.has(gaveUp.stepId) === true ? gaveUp : undefined }
    const awaited = status === "awaiting_approval" ? awaitedBy(state) : undefined
    gaveUp = awaited && { stepId: awaited.stepId, requestId: awaited.requestId, name: nameOf(state, awaited.stepId) }
    if (status === "in_doubt" || state.step.open?.idempotencyKey !== undefined)
      return yield* new RunInDoubt({ runId, stepId: failure?.stepId ?? state.step.open?.stepId ?? "" })
    if (open?.closed === true || (yield* hand.note({ kind: "run-closed" }))) continue
    if (!hand.held) yield* put(journal, state, { kind: "run-closed" }, undefined, onEvent)
  }
}

function nameOf({ started }: Hand["state"], stepId: string): string {
  const step = started.document.steps.find(({ id }) => id === stepId)
  return step?.tool ?? step?.transition ?? ""
}

/** The same refusal, of a gate. */
const ofGate = (error: unknown): unknown =>
  error instanceof InputsRefused && error.fields.of === "run"
    ? new InputsRefused({ ...error.fields, of: "gate" })
    : error

/** Whoever forgets the store is told so. */
const usable = (store: GateOptions["store"]): GateOptions["store"] =>
  Layer.isLayer(store)
    ? store
    : Layer.effect(
        Journal,
        new StoreUnavailable({
          store: "this gate",
          reason: `\`store\` must be \`memory()\` or \`sqlite(file)\`, but ${sayFound(store)}`,
        }),
      )
