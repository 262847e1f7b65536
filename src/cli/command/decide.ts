/** `sequitur approve` and `sequitur deny`: records a person's decision, and goes on with the run in this process. */
import { follow } from "../follow.ts"
import { type OriginOptions, originOf } from "../origin.ts"
import { complain, type Format } from "../terminal.ts"

export interface DecideOptions extends OriginOptions {
  readonly by: string
  readonly reason: string
  readonly format: Format
}

export async function decideRun(
  runId: string,
  stepId: string,
  decision: "approved" | "denied",
  { by, reason, format, ...options }: DecideOptions,
): Promise<number> {
  const origin = await originOf(runId, options)
  return follow({ ...origin, store: options.store, format }, async (runner, tell) => {
    await runner.decide(runId, stepId, { decision, by, reason })
    const decided = (await runner.entries(runId)).findLast(({ event }) => event.kind === "approval-decided")
    if (decided !== undefined) {
      const { seq, atMs, event } = decided
      tell({ runId, seq, atMs, event })
    }
    try {
      return (await runner.resume(runId)).runId
    } catch (error) {
      complain("the decision is recorded, but the run could not go on; `sequitur resume` takes it up again")
      throw error
    }
  })
}
