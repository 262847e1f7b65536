/** The hand on an open run: takes hold of it, adds to it, takes it as far as it goes, and lets go where somebody else must act. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Literals } from "../../check/marks.ts"
import type { Entry, Event, RunStarted, StepAdded, TakenUp } from "../../journal/entry.ts"
import { LeaseLost } from "../../journal/failure.ts"
import type { JournalService } from "../../journal/journal.ts"
import { begin, type RunState, replay } from "../../journal/state.ts"
import { isTerminal } from "../../journal/status.ts"
import { canonical } from "../../text/canonical.ts"
import { admitRun, type RunOptions, refuseCount } from "../admit.ts"
import { holdToPlan, proveWords } from "../adopted.ts"
import { Book } from "../drive/book.ts"
import { drive } from "../drive/drive.ts"
import { InputsRefused, type RunFailure, StalePlan } from "../failure.ts"
import { Ids, type IdsService } from "../ids.ts"
import { noteOf, secretFor, secretOf } from "../key-secret.ts"
import { tell } from "../listener.ts"
import { next } from "../next/next.ts"
import type { ReadyPlan } from "../next/prepare.ts"
import { type Driving, footingFor, holderOf, type TakingUp, tellTakeUp } from "../run.ts"
import type { Toolbox } from "../toolbox.ts"
import { compileGrown, planHashOf, readyOf, wholeSlice } from "./grow.ts"

export interface OpenOptions extends Omit<RunOptions, "inputs"> {
  readonly inputs?: unknown
  /** How long it takes further steps, in milliseconds; the catalog's own deadline is kept, too. Default a day. */
  readonly expiresMs?: number | undefined
  /** `untrusted`: whoever proposes the calls had seen untrusted data before. Default `trusted`. */
  readonly literals?: Literals | undefined
}

const dayMs = 86_400_000
const yearMs = 366 * dayMs

/** What takes hold of a run needs of its surroundings. */
interface Place {
  readonly toolbox: Toolbox
  readonly journal: JournalService
  readonly ids: IdsService
  readonly clock: Clock
  readonly driving: Driving & Pick<TakingUp, "takeOver">
}

type Ready = { readonly steps: number; readonly footing: ReadyPlan | StalePlan }

export class Hand {
  readonly runId: string
  /** Rather than found as it was. */
  readonly began: boolean
  readonly #place: Place
  /** While it is held. */
  #book: Book | undefined
  /** As it was found, while it is not. */
  #found: RunState
  #ready: Ready | undefined
  #force: boolean
  /** Of its tenant, where it was begun with one: what its idempotency keys are made with. */
  readonly keySecret: Uint8Array | undefined

  constructor(place: Place, keySecret: Uint8Array | undefined, found: RunState, book?: Book) {
    this.runId = found.runId
    this.keySecret = keySecret
    this.#place = place
    this.#found = found
    this.#book = book
    this.began = book !== undefined
    this.#force = place.driving.takeOver === true
  }

  /** Why it takes no further step: its catalog is another one by now. It can be settled and closed all the same. */
  get stale(): StalePlan | undefined {
    const footing = this.held ? this.#footing() : undefined
    return footing instanceof StalePlan ? footing : undefined
  }

  /** What it goes on with, while it is held. */
  get ready(): ReadyPlan | undefined {
    const footing = this.held ? this.#footing() : undefined
    return footing === undefined || footing instanceof Error ? undefined : footing
  }

  get held(): boolean {
    return this.#book !== undefined
  }

  get state(): RunState {
    return this.#book?.state ?? this.#found
  }

  /** The run as it stands, with what others have written; taken as far as it goes by itself. */
  *settle(): Effect.fn.Return<RunState, RunFailure, Ids> {
    yield* this.#hold()
    return yield* this.#go()
  }

  /** The run as it is kept, without doing anything. */
  *look(): Effect.fn.Return<RunState, RunFailure> {
    return yield* readRun(this.#place.journal, this.runId)
  }

  /** Undefined where something has come in between: then the run must be looked at again. */
  *addStep(event: StepAdded, ready: ReadyPlan): Effect.fn.Return<RunState | undefined, RunFailure, Ids> {
    const book = this.#book
    if (book === undefined) return undefined
    const diverged = book.add(event)
    if (diverged !== undefined) return yield* diverged
    const footing = ready.keySecret === this.keySecret ? ready : { ...ready, keySecret: this.keySecret }
    this.#ready = { steps: book.state.started.document.steps.length, footing }
    const state = yield* this.#drive(book, footing)
    return state.open?.index.has(event.step.id) === true ? state : undefined
  }

  /** Writes down what is no step. False where something has come in between. */
  *note(event: Event): Effect.fn.Return<boolean, RunFailure> {
    const book = this.#book
    if (book === undefined) return false
    const diverged = book.add(event)
    if (diverged !== undefined) return yield* diverged
    return (yield* book.flush()) === "written"
  }

  /** Others may take it up at once. */
  *letGo(): Effect.fn.Return<void, RunFailure> {
    const book = this.#book
    if (book === undefined) return
    this.#lose(book)
    const { started, startedAtMs, status } = book.state
    const { deadlineMs } = started
    if (!isTerminal(status))
      yield* book.flush({ dueMs: deadlineMs === undefined ? undefined : startedAtMs + deadlineMs })
  }

  #lose(book: Book): void {
    this.#found = book.state
    this.#book = undefined
  }

  *#hold(): Effect.fn.Return<void, RunFailure> {
    const { journal, clock, ids, driving } = this.#place
    const before = this.state
    const last = yield* journal.look(this.runId)
    if (last?.seq === before.seq && last.epoch === before.epoch && (this.#book !== undefined || !isForUs(before)))
      return
    const state = yield* readRun(journal, this.runId)
    const held = this.#book !== undefined && state.epoch === before.epoch
    this.#book = undefined
    this.#found = state
    if (!isForUs(state)) return
    const holder = this.#holder ?? holderOf(driving, ids)
    if (holder instanceof InputsRefused) return yield* holder
    this.#holder = holder
    if (held) {
      this.#book = new Book(journal, holder, clock, state, [], driving.onEvent)
      return
    }
    const { owner, leaseMs } = holder
    const nowMs = clock.currentTimeMillisUnsafe()
    // Only to begin with: whoever takes the run from us later is not taken it from again.
    const takeOver = this.#force
    this.#force = false
    if (takeOver && (yield* journal.look(this.runId))?.adopted === true) {
      const footing = this.#footingFor(state)
      if (footing instanceof Error && !(footing instanceof StalePlan)) return yield* footing
      const entries = yield* journal.read(this.runId)
      const refused =
        holdToPlan(footing, this.runId, state.started, entries) ??
        (yield* Effect.promise(() => proveWords(footing, this.runId, entries, driving.approvers)))
      if (refused !== undefined) return yield* refused
    }
    const taken = yield* journal.takeUp(this.runId, { owner, untilMs: nowMs + leaseMs, nowMs, takeOver })
    const mine = yield* readRun(journal, this.runId)
    if (mine.epoch !== (taken.event as TakenUp).epoch) return yield* new LeaseLost({ runId: this.runId })
    this.#book = new Book(journal, holder, clock, mine, [], driving.onEvent)
    tellTakeUp(driving.onTakeUp, mine)
    tell(driving.onEvent, this.runId, [taken])
  }

  #holder: Exclude<ReturnType<typeof holderOf>, InputsRefused> | undefined;

  *#go(): Effect.fn.Return<RunState, RunFailure, Ids> {
    const book = this.#book
    if (book === undefined) return this.state
    const footing = this.#footing()
    if (footing instanceof Error && !(footing instanceof StalePlan)) return yield* footing
    const action = next(footing instanceof StalePlan ? undefined : footing, book.state)
    const nowMs = this.#place.clock.currentTimeMillisUnsafe()
    const rests = action.kind === "rest" && (action.notAfterMs === undefined || nowMs <= action.notAfterMs)
    return rests ? book.state : yield* this.#drive(book, footing)
  }

  #footing(): ReturnType<typeof footingFor> {
    const { state } = this
    const steps = state.started.document.steps.length
    if (this.#ready?.steps === steps) return this.#ready.footing
    const footing = this.#footingFor(state)
    if (!(footing instanceof Error) || footing instanceof StalePlan) this.#ready = { steps, footing }
    return footing
  }

  #footingFor(state: RunState): ReturnType<typeof footingFor> {
    const footing = footingFor(state, this.#place.toolbox)
    return footing instanceof Error ? footing : { ...footing, keySecret: this.keySecret }
  }

  *#drive(book: Book, footing: ReadyPlan | StalePlan): Effect.fn.Return<RunState, RunFailure, Ids> {
    const { toolbox, driving } = this.#place
    const holder = this.#holder ?? holderOf(driving, this.#place.ids)
    if (holder instanceof InputsRefused) return yield* holder
    const driven = drive(footing, toolbox, book, holder.leaseMs, { ...driving, keep: true })
    const state = yield* Effect.onError(driven, () => Effect.sync(() => this.#lose(book)))
    // Where it does not rest, it has been let go of.
    if (state.status !== "running" || state.done < state.started.document.steps.length) this.#lose(book)
    return state
  }

  /** Begins an open run, or takes up the one of that id. */
  static begin = Effect.fnUntraced(function* (
    toolbox: Toolbox,
    options: OpenOptions,
    driving: Driving & Pick<TakingUp, "takeOver">,
    journal: JournalService,
  ): Effect.fn.Return<Hand, RunFailure, Ids> {
    if (toolbox.fault !== undefined) return yield* toolbox.fault
    const [ids, clock] = [yield* Ids, yield* Clock]
    const place = { toolbox, journal, ids, clock, driving }
    const holder = holderOf(driving, ids)
    if (holder instanceof InputsRefused) return yield* holder
    const opened = openedAs(toolbox, options, ids.make("salt"))
    if (opened instanceof InputsRefused) return yield* opened
    const { tenant } = opened
    const keySecret = secretOf(driving.keySecret, tenant)
    if (keySecret instanceof InputsRefused) return yield* keySecret
    const started = { ...opened, ...noteOf(keySecret, tenant) }
    const runId = options.runId ?? ids.make("run")
    const entries = options.runId === undefined ? [] : yield* journal.read(runId, { tenant })
    if (entries.length > 0) {
      const found = replay(runId, entries)
      if (found instanceof Error) return yield* found
      const refused = refuseOther(found.started, started, options.literals)
      if (refused !== undefined) return yield* refused
      const known = secretFor(driving.keySecret, runId, found.started)
      if (known instanceof Error) return yield* known
      const hand = new Hand(place, known, found)
      hand.#holder = holder
      yield* hand.settle()
      return hand
    }
    const first = { seq: 0, atMs: clock.currentTimeMillisUnsafe(), event: started }
    const state = begin(runId, first)
    if (state instanceof Error) return yield* state
    const book = new Book(journal, holder, clock, state, [first], driving.onEvent)
    const hand = new Hand(place, keySecret, state, book)
    hand.#holder = holder
    yield* book.flush()
    return hand
  })
}

/** Whether there is something for its holder to do. */
const isForUs = ({ status }: RunState): boolean => status === "running"

const readRun = (journal: JournalService, runId: string): Effect.Effect<RunState, RunFailure> =>
  Effect.flatMap(journal.read(runId), (entries: readonly Entry[]): Effect.Effect<RunState, RunFailure> => {
    const state = replay(runId, entries)
    return state instanceof Error ? Effect.fail(state) : Effect.succeed(state)
  })

function openedAs({ catalog }: Toolbox, options: OpenOptions, salt: string): RunStarted | InputsRefused {
  const { expiresMs = dayMs, literals = "trusted" } = options
  if (!Number.isSafeInteger(expiresMs) || expiresMs < 1) return refuseCount("`expiresMs`", expiresMs, 1)
  if (expiresMs > yearMs)
    return new InputsRefused({ field: "`expiresMs`", problem: "is more than a year", expected: "Give less." })
  if (literals !== "trusted" && literals !== "untrusted") {
    const expected = 'Say "trusted" or "untrusted".'
    return new InputsRefused({ field: "`literals`", problem: "is neither of the two", expected })
  }
  const document = { version: 1, steps: [] } as const
  const known = { steps: [], seen: [], inputs: null }
  const who = { tenant: "", subject: "", roles: [] }
  const empty = compileGrown(catalog, document, known, { started: { ...who, open: {} } as unknown as RunStarted })
  const ready = empty.ok ? readyOf(empty, catalog, known) : undefined
  if (ready === undefined || ready instanceof StalePlan)
    return new InputsRefused({
      field: "`catalog`",
      problem: `is refused: ${empty.diagnostics[0]?.message ?? "it does not compile"}`,
      expected: "Mend what `defineCatalog` has told of it (`sequitur lint`).",
    })
  const admitted = admitRun(ready, options as RunOptions, salt)
  if (admitted instanceof InputsRefused) return admitted
  return {
    ...admitted,
    planHash: planHashOf(document),
    slice: wholeSlice(catalog),
    deadlineMs: Math.min(expiresMs, admitted.deadlineMs ?? expiresMs),
    open: literals === "untrusted" ? { literals } : {},
  }
}

/** A run is gone on with by whom it was begun for. */
function refuseOther(found: RunStarted, wanted: RunStarted, literals: Literals | undefined): InputsRefused | undefined {
  const refuse = (field: string, problem: string): InputsRefused =>
    new InputsRefused({ field, problem, expected: "Give that of the open run, or another `runId`." })
  if (found.open === undefined) return refuse("`runId`", "is that of a run of a whole plan")
  for (const field of ["subject", "sessionId", "taskId"] as const)
    if (found[field] !== wanted[field]) return refuse(`\`${field}\``, "is not that of the run")
  if (canonical([...found.roles].sort()) !== canonical([...wanted.roles].sort()))
    return refuse("`roles`", "are not those that the run began with")
  if (literals !== undefined && literals !== (found.open.literals ?? "trusted"))
    return refuse("`literals`", "is not what the run began with")
  return undefined
}
