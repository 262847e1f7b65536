/** What the store knows of an effect that is about to be begun: made before, under way, claimed, or free; and what limits have left. */
import type * as Effect from "effect/Effect"
import { judgeWhole } from "../../catalog/schema/judge.ts"
import { restore } from "../../journal/chain.ts"
import type { Event, Intent, Replayed } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { EffectRow, JournalService } from "../../journal/journal.ts"
import { type RunState, replay } from "../../journal/state.ts"
import { isTerminal } from "../../journal/status.ts"
import { isDone, scopeIdOf } from "../../journal/tables.ts"
import type { Json } from "../../text/json.ts"
import { KeyInDoubt, LimitExhausted, OnceConflict, ResultMismatch, type StoreFailure, UndoFailed } from "../failure.ts"
import { tellIssues } from "../misfits.ts"
import type { CallAction, NewEffect } from "../next/next.ts"
import type { ReadyPlan } from "../next/prepare.ts"

/** What the intent says of the effect. */
type Named = Pick<Intent, "idempotencyKey" | "identity" | "generation" | "once" | "reserves">

/** By what name an effect goes at its so-manieth beginning. */
export function nameEffect({ identity, keyAt, once, reserves }: NewEffect, generation = 0): Named {
  return {
    idempotencyKey: keyAt(generation),
    ...(generation === 0 ? {} : { identity, generation }),
    ...(once === undefined ? {} : { once }),
    ...(reserves.length === 0 ? {} : { reserves }),
  }
}

/** Looks things up in the store for one run. */
export class Register {
  readonly #journal: JournalService
  readonly #ready: ReadyPlan | undefined
  /** The run that was read last: who makes a plan again finds all its effects in one other. */
  #other: RunState | undefined

  constructor(journal: JournalService, ready: ReadyPlan | undefined) {
    this.#journal = journal
    this.#ready = ready
  }

  /** The name the effect goes by; or the event that stands in the place of a call. */
  *lookUp(
    { runId, started }: RunState,
    action: CallAction,
    effect: NewEffect,
  ): Effect.fn.Return<Named | Event, StoreFailure> {
    const { tenant } = started
    const { stepId, tool } = action
    const { identity, once, reserves } = effect
    const refuse = (failure: KeyInDoubt | OnceConflict | LimitExhausted): Event => ({
      kind: "step-refused",
      stepId,
      failure: record(failure),
    })
    if (action.undoes === true) {
      const user = yield* this.#userOf(runId, tenant, stepId)
      if (user !== undefined) {
        const said = `run \`${user}\` goes by its result, so it is left as it is`
        const failure = record(new UndoFailed({ stepId, tool: tool.name, said }))
        return { kind: "step-refused", stepId, undoes: true, failure }
      }
    }
    const row = yield* this.#journal.effect(tenant, identity)
    if (row !== undefined && row.state !== "released") return yield* this.#replay(action, row)
    if (once !== undefined) {
      const held = yield* this.#journal.claim(tenant, tool.name, once)
      const holder = held && (yield* this.#journal.effect(tenant, held.identity))
      if (held !== undefined && holder !== undefined) {
        if (held.call === once.call) return yield* this.#replay(action, holder)
        return refuse(new OnceConflict({ stepId, tool: tool.name, by: this.#sayClaim(tool.name), other: holder.runId }))
      }
    }
    for (const { scope, dimension, amount, max } of reserves) {
      const scopeId = scopeIdOf(scope, started)
      const used = yield* this.#journal.used(tenant, { scope, scopeId, dimension })
      if (used + amount > max)
        return refuse(new LimitExhausted({ stepId, dimension, scope, found: used + amount, used, max }))
    }
    return nameEffect(effect, row === undefined ? 0 : row.generation + 1)
  }

  /** The run that goes by the result of an effect of this one. */
  *#userOf(runId: string, tenant: string, stepId: string): Effect.fn.Return<string | undefined, StoreFailure> {
    const made = (yield* this.#journal.read(runId)).findLast(
      ({ event }) => event.kind === "intent" && event.stepId === stepId && event.undoes === undefined,
    )?.event
    if (made?.kind !== "intent") return undefined
    const { idempotencyKey = "", identity = idempotencyKey } = made
    const row = yield* this.#journal.effect(tenant, identity)
    if (row?.state !== "used" || row.runId !== runId) return undefined
    // Seldom asked: it is looked for where it was written.
    return yield* this.#journal.inspect((whole) => {
      for (const entry of whole.entries()) {
        if (!entry.clear.includes('"kind":"replayed"')) continue
        const { from } = restore(entry) as Replayed
        if (from.runId === runId && from.stepId === stepId) return entry.runId
      }
      return "another run"
    })
  }

  #sayClaim(tool: string): string {
    const by = this.#ready?.catalog.tools.get(tool)?.once?.by
    return by?.map((at) => `\`${at.slice(1)}\``).join(", ") ?? "values"
  }

  /** The same effect, begun before: its recorded result; or that it is not known yet. */
  *#replay({ stepId, tool, args, undoes }: CallAction, row: EffectRow): Effect.fn.Return<Event, StoreFailure> {
    const other = isDone(row) ? yield* this.#read(row.runId) : undefined
    const call = other === undefined || isGivenUp(other) ? undefined : other.calls.get(row.stepId)
    if (call === undefined || undoes === true) {
      const failure = record(new KeyInDoubt({ stepId, other: row.runId }))
      return { kind: "step-refused", stepId, ...(undoes === undefined ? {} : { undoes }), failure }
    }
    const { result, failure = judge(stepId, tool, result) } = call
    return {
      kind: "replayed",
      stepId,
      tool: tool.name,
      args,
      idempotencyKey: row.key,
      ...(row.identity === row.key ? {} : { identity: row.identity }),
      from: { runId: row.runId, stepId: row.stepId },
      ...(result === undefined ? {} : { result }),
      ...(failure === undefined ? {} : { failure }),
    }
  }

  /** A run as it is now; undefined where nothing can be made of it. */
  *#read(runId: string): Effect.fn.Return<RunState | undefined, StoreFailure> {
    const known = this.#other?.runId === runId ? this.#other : undefined
    if (known !== undefined && (yield* this.#journal.look(runId))?.seq === known.seq) return known
    const entries = yield* this.#journal.read(runId)
    const state = replay(runId, entries)
    this.#other = state instanceof Error ? undefined : state
    return this.#other
  }
}

/** What it has done is being undone, or will be. */
const isGivenUp = ({ status, ending, cancel, failure }: RunState): boolean =>
  !isTerminal(status) && (ending !== undefined || cancel !== undefined || failure !== undefined)

/** It was recorded under another catalog, perhaps. */
function judge(stepId: string, { name, result: schema }: CallAction["tool"], result: Json | undefined) {
  const issues = schema === undefined || result === undefined ? [] : judgeWhole(schema, result)
  if (issues.length === 0) return undefined
  return record(new ResultMismatch({ stepId, tool: name, misfits: tellIssues(issues) }))
}
