/** `sequitur resume`: goes on with a run whose process has ended. */
import { follow } from "../follow.ts"
import { type OriginOptions, originOf } from "../origin.ts"
import { readEntries } from "../store.ts"
import type { Format } from "../terminal.ts"

export interface ResumeOptions extends OriginOptions {
  readonly format: Format
  readonly takeOver?: true
}

export async function resumeRun(runId: string, { format, takeOver, ...options }: ResumeOptions): Promise<number> {
  const { store, tenant } = options
  const before = await readEntries(store, runId, tenant)
  const origin = await originOf(before, options)
  return follow(
    { ...origin, along: options, store, format, before },
    async (runner) => (await runner.resume(runId, { takeOver: takeOver === true, tenant })).runId,
  )
}
