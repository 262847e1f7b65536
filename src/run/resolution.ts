import * as Effect from "effect/Effect"
import type { CatalogSpec } from "../catalog/catalog.ts"
import { judgeWhole } from "../catalog/schema/judge.ts"
import { sliceFor } from "../catalog/slice.ts"
import type { Resolved } from "../journal/entry.ts"
import { JournalConflict } from "../journal/failure.ts"
import { Journal } from "../journal/journal.ts"
import type { RunState } from "../journal/state.ts"
import { isTerminal } from "../journal/status.ts"
import { copyJson } from "../text/copy-json.ts"
import type { Json } from "../text/json.ts"
import { admitName, readOptions, sayFound } from "./admit.ts"
import { conflictsMax } from "./book.ts"
import { InputsRefused, NothingInDoubt, ResolutionRefused, RunEnded, type RunFailure, StalePlan } from "./failure.ts"
import type { Ids } from "./ids.ts"
import { tellIssues } from "./misfits.ts"
import { put } from "./put.ts"
import { type RunReport, report } from "./report.ts"
import { type Driving, goOn, readState } from "./run.ts"
import { type Equipment, equip, type Toolbox, type Tools } from "./toolbox.ts"

export type Resolution = {
  /** Who has found out. */
  readonly by: string
  /** How. */
  readonly reason: string
  /** Which call was looked into: a word that comes late settles no other. Left out, it is about the one that is in doubt by then. */
  readonly attempt?: number | undefined
  /** As for `resume`: also a run that another holds, or that was imported. */
  readonly takeOver?: boolean | undefined
  /** Only a run of this tenant is found. */
  readonly tenant?: string | undefined
} & (
  | { /** What the tool would have returned. */ readonly applied: unknown; readonly notApplied?: undefined }
  | { readonly notApplied: true; readonly applied?: undefined }
)

export type ResolveOptions<
  Spec extends CatalogSpec = CatalogSpec,
  Written extends Tools<Spec> = Tools<Spec>,
> = Resolution & Equipment<Spec, Written> & Driving

/**
 * Settles what is in doubt at a step, and goes on with the run: with the result where it was applied, with a new call where it was
 * not. Refused while the run is in doubt at something else, or at nothing.
 */
export const resolve = <Spec extends CatalogSpec, const Written extends Tools<NoInfer<Spec>> = Tools<NoInfer<Spec>>>(
  runId: string,
  wanted: string,
  given: ResolveOptions<Spec, Written>,
): Effect.Effect<RunReport<Spec>, RunFailure, Journal | Ids> =>
  Effect.gen(function* () {
    const options = readOptions(given)
    if (options instanceof InputsRefused) return yield* options
    const refused = admitName("stepId", wanted) ?? admitName("by", options.by) ?? admitName("reason", options.reason)
    if (refused !== undefined) return yield* refused
    const toolbox = equip(options)
    if (toolbox.fault !== undefined) return yield* toolbox.fault
    const journal = yield* Journal
    // It stays a word on the call that it was about first, whatever is written meanwhile.
    let attempt = options.attempt
    const once = Effect.gen(function* () {
      const state = yield* readState(journal, runId, options.tenant)
      attempt ??= state.step.open?.attempt
      const event = read(state, wanted, { ...options, attempt }, toolbox)
      if (event instanceof Error) return yield* event
      const said = put(journal, state, event, undefined, options.onEvent)
      // Who took it up may have ended without letting go of it: then it is taken up first, if it can be.
      const after = yield* Effect.catchTag(said, "RunUnderWay", () => Effect.succeed(undefined))
      return after ?? state
    })
    // Whoever lost the race is told what has become of it.
    const state = yield* Effect.retry(once, { times: conflictsMax, while: (error) => error instanceof JournalConflict })
    const going =
      state.status === "in_doubt"
        ? goOn(state, toolbox, options, (held) => read(held, wanted, { ...options, attempt }, toolbox))
        : goOn(state, toolbox, options)
    return report<Spec, unknown>(yield* going)
  })

function read(
  { runId, status, started, step: { open } }: RunState,
  wanted: string,
  { by, reason, attempt, applied, notApplied }: Resolution,
  { catalog }: Toolbox,
): Resolved | RunEnded | NothingInDoubt | InputsRefused | ResolutionRefused | StalePlan {
  if (isTerminal(status)) return new RunEnded({ runId, status })
  if (status !== "in_doubt" || open?.stepId !== wanted) return new NothingInDoubt({ runId, wanted })
  if (attempt !== undefined && attempt !== open.attempt) return new NothingInDoubt({ runId, wanted })
  const { stepId, tool, undoes } = open
  const said = { kind: "resolved", stepId, ...(undoes === undefined ? {} : { undoes }), by, reason } as const
  if (notApplied === true && applied === undefined) return { ...said, answer: "not-applied" }
  if (notApplied !== undefined || applied === undefined) {
    const problem = `must be one of two, but ${sayFound(applied ?? notApplied)}`
    return new InputsRefused({
      field: "`applied` or `notApplied`",
      problem,
      expected: "Give `applied: <result>` or `notApplied: true`.",
    })
  }
  // What the result must be is what the tool declared when it was called.
  const part = `tool ${tool}`
  if (sliceFor(catalog, [tool])[part] !== started.slice[part]) {
    const remedy = "Resolve it with the catalog of before; or with `notApplied: true`, if it was not applied."
    return new StalePlan({ changed: `tool \`${tool}\``, remedy })
  }
  const result = admitResult(applied, tool, { catalog })
  return typeof result === "string"
    ? new ResolutionRefused({ stepId, tool, problem: result })
    : { ...said, answer: "applied", result: result.value }
}

function admitResult(
  applied: unknown,
  tool: string,
  { catalog }: Pick<Toolbox, "catalog">,
): { readonly value: Json } | string {
  const { depth, nodes, resultBytes: bytes } = catalog.bounds
  const copied = copyJson(applied, { depth, nodes, bytes }, { numbers: "finite" })
  if (!copied.ok) return `holds ${copied.problem} at \`${copied.at || "/"}\``
  const schema = catalog.tools.get(tool)?.result
  const issues = schema === undefined ? [] : judgeWhole(schema, copied.value)
  return issues.length === 0 ? copied : `does not fit: ${tellIssues(issues)}`
}
