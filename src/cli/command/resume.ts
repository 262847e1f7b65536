/** `sequitur resume`: goes on with a run whose process has ended. */
import { follow } from "../follow.ts"
import { type OriginOptions, originOf } from "../origin.ts"
import type { Format } from "../terminal.ts"

export interface ResumeOptions extends OriginOptions {
  readonly format: Format
}

export async function resumeRun(runId: string, { format, ...options }: ResumeOptions): Promise<number> {
  const origin = await originOf(runId, options)
  return follow({ ...origin, store: options.store, format }, async (runner) => (await runner.resume(runId)).runId)
}
