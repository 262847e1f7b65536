/** A transition that a rule of the host's guards: what the rule looks at, and what follows from its answer. */
import type { GuardFacts } from "../../catalog/predicate.ts"
import type { Following } from "../../journal/entry.ts"
import type { RunState } from "../../journal/state.ts"
import type { Bounds } from "../../text/bounds.ts"
import type { Json } from "../../text/json.ts"
import { RuntimeCheckFailed } from "../failure.ts"
import { measure, sayBytes } from "./measure.ts"
import type { ReadyTransition } from "./prepare.ts"

/** All that is known by now. It is kept as it was looked at, and so it is bounded. */
export function factsFor(
  { step, from, to }: ReadyTransition,
  { started, calls }: RunState,
  follows: readonly Following[],
  bounds: Bounds,
): GuardFacts | RuntimeCheckFailed {
  const facts: GuardFacts = {
    from,
    to,
    inputs: started.inputs,
    results: Object.fromEntries(
      [...calls].flatMap(([stepId, { result }]) => (result === undefined ? [] : [[stepId, result]])),
    ),
    follows: follows.map(({ stepId, tool, args, open }) => ({
      stepId,
      tool,
      args,
      ...(open === undefined ? {} : { open }),
    })),
  }
  const { bytes } = measure(facts as unknown as Json, bounds.resultBytes)
  if (bytes <= bounds.resultBytes) return facts
  const problem = `what its rule is to look at holds ${sayBytes(bounds)}`
  return new RuntimeCheckFailed({ stepId: step.id, at: step.at, problem })
}
