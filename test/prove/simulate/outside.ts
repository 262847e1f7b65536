/**
 * The outside world: it gets requests, some of which it loses, delays or answers late, counts the effects that come of them, and
 * knows at once where one should never have happened.
 *
 * It keeps what the catalog promises, with time to spare, for the clocks of those who call are set up to `skewMs` off: requests land
 * within `lagMs`, and a key is remembered for longer than is said. A request for a `natural` tool changes nothing where its like was
 * there before, even if that was undone since; with a tool that does not know its old requests, one that comes late would be a
 * second effect that nobody can prevent.
 */
import { Effect } from "effect"
import { type CallContext, notApplied, reconciled } from "sequitur/run"
import { patienceMs, retentionMs, sessionMax, timeoutMs } from "./catalog.ts"
import type { Chances, Draw } from "./draw.ts"
import type { Machine } from "./machine.ts"
import type { Timeline } from "./timeline.ts"

export const skewMs = 1_500
export const lagMs = 3_000
/** From when it was first seen: as long as the catalog says, and the latest request with a clock that is off the other way. */
const remembersMs = retentionMs + 2 * skewMs + lagMs

type Args = { readonly [name: string]: unknown }

/** All that is known of one idempotency key. */
export interface Kept {
  readonly key: string
  readonly tool: string
  readonly args: Args
  readonly runId: string
  /** What makes it the same effect as one of another key. */
  readonly identity: string
  requests: number
  /** Requests that may still land. */
  pending: number
  effects: number
  firstMs: number | undefined
  receipt: string | undefined
  barred: boolean
  undoneBy: string | undefined
}

type Treats = "once" | "remembers" | "asked" | "never"

/** What becomes of a second request by the same key. */
const treats: { readonly [tool: string]: Treats } = {
  put: "once",
  unput: "once",
  pay: "once",
  refund: "once",
  wire: "remembers",
  book: "asked",
  unbook: "asked",
  bar: "asked",
  mail: "never",
  unwire: "never",
}

const undoes: { readonly [tool: string]: string } = { unput: "put", refund: "pay", unbook: "book", unwire: "wire" }

/** How it can break its word, so that the proof itself can be put to the proof. */
export type Planted = "forgets" | "lies"

interface Fate {
  /** When it lands, if it does. */
  readonly landsMs: number | undefined
  /** How long after that it is answered, if it is, and with what. */
  readonly answersMs: number | undefined
  readonly answer: "receipt" | "nonsense" | "error"
  /** It does not care whether anybody still waits. */
  readonly deaf: boolean
}

const fine = { landsMs: 1, answersMs: 1, answer: "receipt", deaf: false } as const

export class Outside {
  readonly kept = new Map<string, Kept>()
  readonly violations: string[] = []
  readonly #receipts = new Map<string, Kept>()
  /** By what makes it the same: the one that is in effect. */
  readonly #inEffect = new Map<string, Kept>()
  #wired = 0
  #pending = 0
  readonly #timeline: Timeline
  readonly #draw: Draw
  readonly #chances: Chances
  readonly #planted: Planted | undefined

  constructor(timeline: Timeline, draw: Draw, chances: Chances, planted: Planted | undefined) {
    this.#timeline = timeline
    this.#draw = draw
    this.#chances = chances
    this.#planted = planted
  }

  /** Nothing is on its way. */
  get quiet(): boolean {
    return this.#pending === 0
  }

  handlersFor(machine: Machine): { readonly [tool: string]: unknown } {
    const effects = Object.keys(treats).map((tool) => {
      const call = (args: Args, context: CallContext) => this.#call(machine, tool, args, context)
      if (treats[tool] !== "asked" && treats[tool] !== "remembers") return [tool, call]
      const reconcile = (key: string) => this.#tell(machine, tool, key)
      return [tool, { call, reconcile }]
    })
    return { get: (args: Args) => this.#read(machine, args), ...Object.fromEntries(effects) }
  }

  #call(machine: Machine, tool: string, args: Args, { idempotencyKey: key = "", principal, runId }: CallContext) {
    const kept = this.#open(tool, args, key, runId, principal.subject)
    const fault = this.#chances.strike({
      "killed before its call": 0.9,
      "killed after its call": 0.9,
      refused: 2.1,
      "failed before": 1.5,
      "failed after": 2.1,
      "failed on its way": 2.1,
      lost: 2.1,
      mute: 2.1,
      late: 4.5,
      nonsense: 0.9,
    })
    if (fault === "killed before its call") {
      machine.kill()
      return Effect.never
    }
    this.#judgeRequest(kept)
    kept.requests++
    // It says so only where that is true.
    if (fault === "refused" && kept.effects === 0 && kept.pending === 0)
      return this.#answer(machine, Effect.fail(notApplied("refused")), this.#draw.below(1_000), false)
    if (fault === "killed after its call") machine.kill()
    return this.#send(machine, kept, this.#fateOf(fault, tool))
  }

  #fateOf(fault: string | undefined, tool: string): Fate {
    const draw = this.#draw
    // What comes late would do again what was undone: see above.
    const lands = treats[tool] === "once" ? draw.between(1, 50) : draw.between(1, lagMs)
    const deaf = draw.below(3) > 0
    switch (fault) {
      case "failed before":
        return { ...fine, landsMs: undefined, answer: "error" }
      case "failed after":
        return { ...fine, answersMs: draw.between(1, 500), answer: "error" }
      case "failed on its way":
        return { ...fine, landsMs: lands, answersMs: draw.between(1, 50) - lands, answer: "error" }
      case "lost":
        return { ...fine, landsMs: undefined, answersMs: undefined, deaf }
      case "mute":
        return { ...fine, landsMs: lands, answersMs: undefined, deaf }
      case "late":
        return { ...fine, landsMs: lands, answersMs: draw.between(timeoutMs - lands, 3 * timeoutMs), deaf }
      case "nonsense":
        return { ...fine, answer: "nonsense" }
      case "killed after its call":
        return { ...fine, landsMs: lands }
      default:
        return { ...fine, landsMs: draw.between(1, 30), answersMs: draw.between(1, 30) }
    }
  }

  #send(machine: Machine, kept: Kept, { landsMs, answersMs, answer, deaf }: Fate) {
    if (landsMs === undefined)
      return answersMs === undefined
        ? Effect.never
        : this.#answer(machine, Effect.fail(new Error("no connection")), answersMs, false)
    const landed = this.#later(landsMs, () => this.#land(kept))
    kept.pending++
    if (answersMs === undefined) return deaf ? Effect.uninterruptible(Effect.never) : Effect.never
    const answering = Effect.suspend(() => {
      if (answer === "error") return Effect.fail(new Error("the connection was reset"))
      const receipt = landed.value
      if (receipt === undefined) return Effect.fail(new Error("this key is closed"))
      return Effect.succeed(answer === "nonsense" ? { receipt: 5 } : { receipt })
    })
    return this.#answer(machine, answering, landsMs + answersMs, deaf)
  }

  #later<Value>(ms: number, happen: () => Value): { value?: Value } {
    const made: { value?: Value } = {}
    this.#pending++
    this.#timeline.after(ms, () => {
      this.#pending--
      made.value = happen()
    })
    return made
  }

  #answer<A, E>(machine: Machine, answer: Effect.Effect<A, E>, ms: number, deaf: boolean): Effect.Effect<A, E> {
    this.#pending++
    const waiting = Effect.callback<A, E>((resume) => {
      this.#timeline.after(ms, () => {
        this.#pending--
        machine.push(() => resume(answer))
      })
    })
    return deaf ? Effect.uninterruptible(waiting) : waiting
  }

  #open(tool: string, args: Args, key: string, runId: string, subject: string): Kept {
    const known = this.kept.get(key)
    if (known !== undefined) return known
    // Only tasks differ in it: there is one session.
    const identity = `${runId.split("-")[0]} ${subject} ${tool} ${JSON.stringify(args)}`
    const kept: Kept = {
      key,
      tool,
      args,
      runId,
      identity,
      requests: 0,
      pending: 0,
      effects: 0,
      firstMs: undefined,
      receipt: undefined,
      barred: false,
      undoneBy: undefined,
    }
    this.kept.set(key, kept)
    return kept
  }

  /** A second request by the same key is only made where it cannot be a second effect. */
  #judgeRequest(kept: Kept): void {
    const { tool, key, requests, effects, pending, firstMs } = kept
    if (requests === 0) return
    const how = treats[tool]
    if (how === "once") return
    if (how === "never") this.#violate(`${tool} ${key} was called again blindly`)
    if (how === "remembers" && (firstMs === undefined || this.#timeline.nowMs <= firstMs + remembersMs)) return
    if (how !== "never" && (effects > 0 || pending > 0))
      this.#violate(`${tool} ${key} was called again, and the first call was not known to be void`)
  }

  /** A request is there: what comes of it. Undefined where it is turned away. */
  #land(kept: Kept): string | undefined {
    const { tool, key } = kept
    kept.pending--
    if (kept.barred) return undefined
    const known = this.#planted !== "forgets" && this.#knows(kept)
    if (known && kept.effects > 0) return kept.receipt
    kept.effects++
    kept.firstMs ??= this.#timeline.nowMs
    if (kept.effects > 1) this.#violate(`${tool} ${key} took effect ${kept.effects} times`)
    kept.receipt = `r${this.#receipts.size}`
    this.#receipts.set(kept.receipt, kept)
    const made = undoes[tool]
    if (made === undefined) this.#judgeEffect(kept)
    else this.#judgeUndo(kept, made)
    return kept.receipt
  }

  /** Whether it answers a key that it has seen with what it answered then. */
  #knows({ tool, firstMs }: Kept): boolean {
    if (treats[tool] === "once") return true
    return treats[tool] === "remembers" && firstMs !== undefined && this.#timeline.nowMs <= firstMs + remembersMs
  }

  #judgeEffect(kept: Kept): void {
    const { tool, args, identity } = kept
    const claims = [identity, ...(tool === "wire" ? [`once ${args.n}`] : [])]
    for (const claim of claims) {
      const other = this.#inEffect.get(claim)
      if (other !== undefined && other !== kept)
        this.#violate(`${claim} is in effect twice, as ${other.key} and ${kept.key}`)
      this.#inEffect.set(claim, kept)
    }
    if (tool !== "wire") return
    this.#wired += Number(args.cents)
    if (this.#wired > sessionMax) this.#violate(`${this.#wired} cents are wired, of ${sessionMax}`)
  }

  #judgeUndo(kept: Kept, made: string): void {
    const undone = this.#receipts.get(String(kept.args.receipt))
    if (undone === undefined || undone.tool !== made) {
      this.#violate(`${kept.tool} of nothing: ${kept.args.receipt}`)
      return
    }
    if (undone.undoneBy !== undefined) this.#violate(`${made} ${undone.key} was undone twice`)
    undone.undoneBy = kept.key
    for (const [claim, one] of this.#inEffect) if (one === undone) this.#inEffect.delete(claim)
  }

  #tell(machine: Machine, tool: string, key: string) {
    const fault = this.#chances.strike({
      "cannot tell": 4.5,
      "told late": 1.5,
      "told slowly": 9,
      "told in error": 1.5,
      "killed while asking": 0.9,
    })
    if (fault === "killed while asking") machine.kill()
    if (fault === "told late") return Effect.never
    if (fault === "told in error") return this.#answer(machine, Effect.fail(new Error("no connection")), 5, false)
    if (fault === "cannot tell") return this.#answer(machine, Effect.succeed(reconciled.unknown()), 5, false)
    const telling = Effect.sync(() => {
      const kept = this.kept.get(key)
      if (kept?.receipt !== undefined && this.#planted !== "lies") return reconciled.applied({ receipt: kept.receipt })
      if (tool !== "bar") return reconciled.notApplied()
      if (kept !== undefined) kept.barred = true
      else this.#open(tool, {}, key, "", "").barred = true
      return reconciled.barred()
    })
    // What it is then, not when it is heard.
    const told = this.#later(3, () => Effect.runSync(telling))
    const slowly = fault === "told slowly" ? patienceMs - this.#draw.between(100, 2_800) : 5
    return this.#answer(
      machine,
      Effect.suspend(() => Effect.succeed(told.value)),
      slowly,
      false,
    )
  }

  #read(machine: Machine, { n }: Args) {
    const fault = this.#chances.strike({
      "read failed": 2,
      "read lost": 1.4,
      "read late": 1.4,
      "killed while reading": 0.4,
    })
    if (fault === "killed while reading") machine.kill()
    if (fault === "read lost") return Effect.never
    if (fault === "read failed") return this.#answer(machine, Effect.fail(new Error("no connection")), 10, false)
    const ms = fault === "read late" ? timeoutMs + 500 : this.#draw.between(1, 30)
    return this.#answer(machine, Effect.succeed({ n: Number(n) + 100 }), ms, fault === "read late")
  }

  #violate(problem: string): void {
    this.violations.push(problem)
  }
}
