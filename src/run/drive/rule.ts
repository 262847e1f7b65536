/** Asks the rule that guards a transition: once, within its time, and what is no yes is a no. */
import * as Effect from "effect/Effect"
import { sayPredicate } from "../../catalog/predicate.ts"
import type { RuleEvaluated } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import { performRule } from "../call/rule.ts"
import { RuleRefused, type RunFailure } from "../failure.ts"
import type { AskRule } from "../next/next.ts"
import type { Acted, Desk } from "./desk.ts"

export function* askRule(
  { book, worker, pulse }: Desk,
  { transition, rule, facts }: AskRule,
): Effect.fn.Return<Acted, RunFailure> {
  // What calls before it have answered is not to wait for this.
  if ((yield* book.flush()) === "overtaken") return "look-again"
  const stepId = transition.step.id
  const stop = pulse.watch(() => worker.cutOff?.())
  const { problem, tookMs } = yield* Effect.interruptible(performRule(worker, stepId, rule, facts))
  stop()
  // Whoever has cancelled the run meanwhile has cut it off: that is no answer.
  if (pulse.takeNews()) {
    yield* book.catchUp()
    return "look-again"
  }
  const said: RuleEvaluated = {
    kind: "rule-evaluated",
    stepId,
    rule: sayPredicate(rule),
    inputs: facts,
    holds: problem === undefined,
    tookMs,
  }
  if (problem === undefined) return said
  return { ...said, failure: record(new RuleRefused({ stepId, rule: sayPredicate(rule), problem })) }
}
