/** What the store knows of an effect that is about to be begun: made before, under way, claimed, or free; and what limits have left. */
import * as Effect from "effect/Effect"
import { judgeWhole } from "../catalog/schema/judge.ts"
import { restore } from "../journal/chain.ts"
import type { Event, Intent, Replayed } from "../journal/entry.ts"
import { record } from "../journal/failure.ts"
import type { EffectRow, JournalService } from "../journal/journal.ts"
import { type RunState, replay } from "../journal/state.ts"
import { isTerminal } from "../journal/status.ts"
import { isDone, scopeIdOf } from "../journal/tables.ts"
import type { Json } from "../text/json.ts"
import { KeyInDoubt, LimitExhausted, OnceConflict, ResultMismatch, type StoreFailure, UndoFailed } from "./failure.ts"
import { tellIssues } from "./misfits.ts"
import type { CallAction, NewEffect } from "./next/next.ts"
import type { ReadyPlan } from "./next/prepare.ts"

/** What the intent says of the effect. */
type Named = Pick<Intent, "idempotencyKey" | "identity" | "generation" | "once" | "reserves">

/** The name the effect goes by; or the event that stands in the place of a call. */
export const lookUp = Effect.fnUntraced(function* (
  journal: JournalService,
  state: RunState,
  action: CallAction,
  effect: NewEffect,
  ready: ReadyPlan | undefined,
): Effect.fn.Return<Named | Event, StoreFailure> {
  const { identity, once, reserves } = effect
  const { tenant } = state.started
  const { stepId, tool } = action
  const refuse = (failure: KeyInDoubt | OnceConflict | LimitExhausted): Event => ({
    kind: "step-refused",
    stepId,
    failure: record(failure),
  })
  if (action.undoes === true) {
    const user = yield* userOf(journal, state, stepId)
    if (user !== undefined) {
      const said = `run \`${user}\` goes by its result, so it is left as it is`
      const failure = record(new UndoFailed({ stepId, tool: tool.name, said }))
      return { kind: "step-refused", stepId, undoes: true, failure }
    }
  }
  const row = yield* journal.effect(tenant, identity)
  if (row !== undefined && row.state !== "released") return yield* recorded(journal, action, row)
  if (once !== undefined) {
    const held = yield* journal.claim(tenant, tool.name, once)
    const holder = held && (yield* journal.effect(tenant, held.identity))
    if (held !== undefined && holder !== undefined) {
      if (held.call === once.call) return yield* recorded(journal, action, holder)
      const by =
        ready?.catalog.tools
          .get(tool.name)
          ?.once?.by.map((at) => `\`${at.slice(1)}\``)
          .join(", ") ?? "values"
      return refuse(new OnceConflict({ stepId, tool: tool.name, by, other: holder.runId }))
    }
  }
  for (const { scope, dimension, amount, max } of reserves) {
    const scopeId = scopeIdOf(scope, state.started)
    const used = yield* journal.used(tenant, { scope, scopeId, dimension })
    if (used + amount > max)
      return refuse(new LimitExhausted({ stepId, dimension, scope, found: used + amount, used, max }))
  }
  return nameEffect(effect, row === undefined ? 0 : row.generation + 1)
})

/** `generation` is known to the store alone. */
export const nameEffect = ({ identity, keyAt, once, reserves }: NewEffect, generation: number): Named => ({
  idempotencyKey: keyAt(generation),
  ...(generation === 0 ? {} : { identity, generation }),
  ...(once === undefined ? {} : { once }),
  ...(reserves.length === 0 ? {} : { reserves }),
})

/** The run that goes by the result of an effect of this one. */
const userOf = Effect.fnUntraced(function* (
  journal: JournalService,
  { runId, started: { tenant } }: RunState,
  stepId: string,
): Effect.fn.Return<string | undefined, StoreFailure> {
  const made = (yield* journal.read(runId)).findLast(
    ({ event }) => event.kind === "intent" && event.stepId === stepId && event.undoes === undefined,
  )?.event
  if (made?.kind !== "intent") return undefined
  const { idempotencyKey = "", identity = idempotencyKey } = made
  const row = yield* journal.effect(tenant, identity)
  if (row?.state !== "used" || row.runId !== runId) return undefined
  // Seldom asked: it is looked for where it was written.
  return yield* journal.inspect((whole) => {
    for (const entry of whole.entries()) {
      if (!entry.clear.includes('"kind":"replayed"')) continue
      const { from } = restore(entry) as Replayed
      if (from.runId === runId && from.stepId === stepId) return entry.runId
    }
    return "another run"
  })
})

/** The same effect, begun before: its recorded result; or that it is not known yet. */
const recorded = Effect.fnUntraced(function* (
  journal: JournalService,
  { stepId, tool, args, undoes }: CallAction,
  row: EffectRow,
): Effect.fn.Return<Event, StoreFailure> {
  const entries = isDone(row) ? yield* journal.read(row.runId) : []
  const other = entries.length === 0 ? undefined : replay(row.runId, entries)
  const call =
    other === undefined || other instanceof Error || isGivenUp(other) ? undefined : other.calls.get(row.stepId)
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
})

/** What it has done is being undone, or will be. */
const isGivenUp = ({ status, ending, cancel, failure }: RunState): boolean =>
  !isTerminal(status) && (ending !== undefined || cancel !== undefined || failure !== undefined)

/** It was recorded under another catalog, perhaps. */
function judge(stepId: string, { name, result: schema }: CallAction["tool"], result: Json | undefined) {
  const issues = schema === undefined || result === undefined ? [] : judgeWhole(schema, result)
  if (issues.length === 0) return undefined
  return record(new ResultMismatch({ stepId, tool: name, misfits: tellIssues(issues) }))
}
