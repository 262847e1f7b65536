/** The gates for single calls of those who ask a served catalog: one for each caller, begun by their first call, left when serving ends. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { Principal } from "../../catalog/predicate.ts"
import { hashSlice } from "../../catalog/slice.ts"
import type { Literals } from "../../check/marks.ts"
import { replay } from "../../journal/state.ts"
import { isTerminal } from "../../journal/status.ts"
import type { Gate } from "../../planner/gate/gate.ts"
import type { ProposedCall, TurnOptions, Turns, Verdict } from "../../planner/gate/verdict.ts"
import { wholeSlice } from "../../run/open/grow.ts"
import type { Runner } from "../../run/runner.ts"
import { canonical } from "../../text/canonical.ts"

export class KeptGates {
  readonly #make: (caller: Principal) => Promise<Gate>
  readonly #kept = new Map<string, Promise<Gate>>()
  #left = false

  constructor(make: (caller: Principal) => Promise<Gate>) {
    this.#make = make
  }

  of(caller: Principal): Turns {
    return { turn: (calls, options) => this.#turn(caller, calls, options) }
  }

  /** The runs stay as they are, with what waits for a person in them. What is under way is waited for, but not for ever. */
  async leave(graceMs: number): Promise<void> {
    this.#left = true
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, graceMs)
    await Promise.race([Promise.all([...this.#kept.keys()].map((key) => this.#forget(key))), late])
    clearTimeout(timer)
  }

  async #turn(caller: Principal, calls: readonly ProposedCall[], options?: TurnOptions): Promise<readonly Verdict[]> {
    const key = keyOf(caller)
    const gate = await this.#gate(key, caller)
    const verdicts = await gate.turn(calls, options)
    if (this.#left || !verdicts.every(({ kind }) => kind === "run-over")) return verdicts
    // A run has its end, by its catalog's deadline say, and a server has not. What was cancelled stays so.
    if ((await gate.status()).status !== "exhausted") return verdicts
    await this.#forget(key, gate)
    return (await this.#gate(key, caller)).turn(calls, options)
  }

  #gate(key: string, caller: Principal): Promise<Gate> {
    if (this.#left) throw new Error("serving has ended")
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    const made = this.#make(caller)
    this.#kept.set(key, made)
    // What could not be begun is tried again by the next call.
    made.catch(() => this.#kept.delete(key))
    return made
  }

  /** Unless another stands in its place by now. */
  async #forget(key: string, gate?: Gate): Promise<void> {
    const kept = await this.#kept.get(key)?.catch(() => undefined)
    if (kept === undefined || (gate !== undefined && kept !== gate)) return
    this.#kept.delete(key)
    await kept.leave()
  }
}

/** Whoever has other roles by another token is not let through by these. */
const keyOf = ({ tenant, subject, roles = [] }: Principal): string =>
  canonical({ tenant, subject, roles: roles.toSorted() })

/** What a run of single calls must have begun with, to be gone on with. */
export interface Begun {
  readonly principal: Principal
  readonly session: string
  readonly task: string
  readonly literals: Literals
}

/** The newest run of single calls that was left open for the very same, by the same catalog. One that is damaged is passed over. */
export async function findOpenRun(
  { runs, entries }: Pick<Runner, "runs" | "entries">,
  catalog: Catalog,
  { principal, session, task, literals }: Begun,
): Promise<string | undefined> {
  const { tenant, subject } = principal
  const catalogHash = hashSlice(wholeSlice(catalog))
  const own = (await runs({ tenant })).filter(
    (run) =>
      run.subject === subject && run.sessionId === session && run.status !== "damaged" && !isTerminal(run.status),
  )
  for (const { runId } of own.toSorted((a, b) => b.startedAtMs - a.startedAtMs)) {
    const state = replay(runId, await entries(runId, { tenant }).catch(() => []))
    if (state instanceof Error || isTerminal(state.status)) continue
    const { started, open } = state
    if (started.taskId !== task || started.catalogHash !== catalogHash || open === undefined || open.closed) continue
    if (keyOf(started) === keyOf(principal) && (started.open?.literals ?? "trusted") === literals) return runId
  }
  return undefined
}
