/** The run that stands behind a verdict, for its secrets: a tool's answer may quote what another step was given or has answered. */
import { RunSecrets } from "../../journal/secrets.ts"
import type { RunState } from "../../journal/state.ts"
import type { Verdict } from "./verdict.ts"

const runs = new WeakMap<Verdict, RunState>()

export const keepRun = (verdict: Verdict, state: RunState): void => void runs.set(verdict, state)

/** Undefined of a verdict that is no gate's own, or a copy of one. */
export function secretsBehind(verdict: Verdict): RunSecrets | undefined {
  const state = runs.get(verdict)
  return state && RunSecrets.in(state)
}
