/** Whether another process may still be at work on a run. Nothing but the journal's own times tells that here. */
import type { RunState } from "../journal/state.ts"
import { RunUnderWay } from "./failure.ts"
import type { ReadyPlan } from "./next/prepare.ts"

/** Beyond the time that a call may take: a busy store may keep its writer waiting before the call and, twice, after it. */
const slackMs = 20_000

/**
 * A call that was begun, or is to be made again, is left to whoever began it for as long as it may take: by then its outcome
 * is written down, or that it is in doubt, or nobody is there to do so. A clock that was set meanwhile is not believed far.
 */
export function checkUnderWay({ steps }: ReadyPlan, state: RunState, nowMs: number): RunUnderWay | undefined {
  const { open, failed } = state.step
  const step = steps[state.done]
  if (step?.kind !== "call") return undefined
  const takesMs = open === undefined ? failed?.again?.afterMs : step.tool.timeoutMs
  if (takesMs === undefined) return undefined
  const { runId, updatedAtMs: beganMs } = state
  const heldMs = takesMs + slackMs
  if (nowMs > beganMs + heldMs) return undefined
  const at = `at step \`${step.step.id}\``
  if (nowMs < beganMs - heldMs) {
    const standing = `may be under way in another process ${at}, which began in the future by the clock of this one`
    return new RunUnderWay({ runId, standing, remedy: `Set the clock right; or ${takeOver}` })
  }
  const until = new Date(beganMs + heldMs).toISOString()
  const standing = `may be under way in another process ${at}, until ${until}`
  return new RunUnderWay({ runId, standing, remedy: `Wait until then and \`resume\` it; or ${takeOver}` })
}

const takeOver =
  "`resume` it with `takeOver: true` (`--take-over`), if you know that no process is at work on it any more."
