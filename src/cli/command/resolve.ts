/** `sequitur resolve`: a person's word on an effect that is in doubt, and on with its run. */
import { follow } from "../follow.ts"
import { type OriginOptions, originOf } from "../origin.ts"
import { readValue } from "../read-value.ts"
import { readEntries } from "../store.ts"
import { type Format, UsageError } from "../terminal.ts"

export interface ResolveOptions extends OriginOptions {
  readonly by: string
  readonly reason: string
  readonly applied?: string
  readonly notApplied?: true
  readonly retry?: true
  readonly giveUp?: true
  readonly attempt?: number
  readonly takeOver?: true
  readonly format: Format
}

export async function resolveRun(
  runId: string,
  stepId: string,
  { by, reason, applied, notApplied, retry, giveUp, attempt, takeOver, format, ...options }: ResolveOptions,
): Promise<number> {
  if ([applied, notApplied, retry, giveUp].every((answer) => answer === undefined))
    throw new UsageError("say what became of it: --applied with its result, or --not-applied; or --retry, or --give-up")
  const { store, tenant } = options
  const before = await readEntries(store, runId, tenant)
  const origin = await originOf(before, options)
  const said =
    applied !== undefined
      ? { applied: await readValue("the result", applied, origin.catalog.bounds) }
      : retry
        ? ({ retry } as const)
        : giveUp
          ? ({ giveUp } as const)
          : ({ notApplied: true } as const)
  return follow(
    { ...origin, along: options, store, format, before },
    async (runner) =>
      (await runner.resolve(runId, stepId, { by, reason, attempt, takeOver: takeOver === true, tenant, ...said }))
        .runId,
  )
}
