/** A person's word on an effect that is in doubt: what became of it, or what is to be tried once more. */
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CatalogSpec } from "../catalog/catalog.ts"
import { judgeWhole } from "../catalog/schema/judge.ts"
import { sliceFor } from "../catalog/slice.ts"
import type { Intent, Resolved } from "../journal/entry.ts"
import { JournalConflict, record } from "../journal/failure.ts"
import { Journal } from "../journal/journal.ts"
import type { RunState } from "../journal/state.ts"
import { isTerminal } from "../journal/status.ts"
import { copyJson } from "../text/copy-json.ts"
import type { Json } from "../text/json.ts"
import { admitFlag, admitName, readOptions, refuseCount, sayFound } from "./admit.ts"
import { conflictsMax } from "./drive/book.ts"
import {
  InputsRefused,
  NothingInDoubt,
  ResolutionRefused,
  RunEnded,
  type RunFailure,
  StalePlan,
  UndoFailed,
  WordRefused,
} from "./failure.ts"
import type { Ids } from "./ids.ts"
import { tellIssues } from "./misfits.ts"
import { refuseAgain } from "./next/settle.ts"
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
} & Word

/** What is said of it: one of these. */
type Word = OneOf<{
  /** It happened: what the tool would have returned. */
  readonly applied: unknown
  /** It did not happen, and will not: it is called again, under a new key. */
  readonly notApplied: true
  /** It is not known, but may be asked for again: it is called by its recorded key, or asked after, as when its answer was lost. */
  readonly retry: true
  /** Of an undo: it is left undone, and told as one that failed. */
  readonly giveUp: true
}>

type OneOf<Answers> = {
  [Name in keyof Answers]: { readonly [One in Name]: Answers[One] } & {
    readonly [Other in Exclude<keyof Answers, Name>]?: undefined
  }
}[keyof Answers]

export type ResolveOptions<
  Spec extends CatalogSpec = CatalogSpec,
  Written extends Tools<Spec> = Tools<Spec>,
> = Resolution & Equipment<Spec, Written> & Driving

/**
 * Settles what is in doubt at a step, and goes on with the run: with the result where it was applied, with a new call where it was
 * not, with another try where it may be called or asked after once more. Refused while the run is in doubt at something else, or at nothing.
 */
export const resolve = <Spec extends CatalogSpec, const Written extends Tools<NoInfer<Spec>> = Tools<NoInfer<Spec>>>(
  runId: string,
  wanted: string,
  given: ResolveOptions<Spec, Written>,
): Effect.Effect<RunReport<Spec>, RunFailure, Journal | Ids> =>
  Effect.gen(function* () {
    const options = readOptions(given)
    if (options instanceof InputsRefused) return yield* options
    const refused =
      admitName("stepId", wanted) ??
      admitName("by", options.by) ??
      admitName("reason", options.reason) ??
      admitFlag("takeOver", options.takeOver) ??
      admitAttempt(options.attempt)
    if (refused !== undefined) return yield* refused
    const toolbox = equip(options)
    if (toolbox.fault !== undefined) return yield* toolbox.fault
    const journal = yield* Journal
    const clock = yield* Clock
    // It stays a word on the call that it was about first, whatever is written meanwhile.
    let attempt = options.attempt
    const say = (state: RunState) =>
      read(state, wanted, { ...options, attempt }, toolbox, clock.currentTimeMillisUnsafe())
    const once = Effect.gen(function* () {
      const state = yield* readState(journal, runId, options.tenant)
      attempt ??= state.step.open?.attempt
      const event = say(state)
      if (event instanceof Error) return yield* event
      const said = put(journal, state, event, undefined, options.onEvent)
      // Who took it up may have ended without letting go of it: then it is taken up first, if it can be.
      const after = yield* Effect.catchTag(said, "RunUnderWay", () => Effect.succeed(undefined))
      return after ?? state
    })
    // Whoever lost the race is told what has become of it.
    const state = yield* Effect.retry(once, { times: conflictsMax, while: (error) => error instanceof JournalConflict })
    const going = state.status === "in_doubt" ? goOn(state, toolbox, options, say) : goOn(state, toolbox, options)
    return report<Spec, unknown>(yield* going)
  })

/** What is no number of a call would be taken for that of another. */
const admitAttempt = (attempt: unknown): InputsRefused | undefined =>
  attempt === undefined || (Number.isSafeInteger(attempt) && Number(attempt) >= 1)
    ? undefined
    : refuseCount("`attempt`", attempt, 1)

type Refused = RunEnded | NothingInDoubt | InputsRefused | ResolutionRefused | WordRefused | StalePlan

function read(
  state: RunState,
  wanted: string,
  { by, reason, attempt, ...word }: Resolution,
  toolbox: Toolbox,
  nowMs: number,
): Resolved | Refused {
  const { runId, status, step } = state
  const { open } = step
  if (isTerminal(status)) return new RunEnded({ runId, status })
  if (status !== "in_doubt" || open?.stepId !== wanted) return new NothingInDoubt({ runId, wanted })
  if (attempt !== undefined && attempt !== open.attempt) return new NothingInDoubt({ runId, wanted })
  const { stepId, tool, undoes } = open
  const said = { kind: "resolved", stepId, ...(undoes === undefined ? {} : { undoes }), by, reason } as const
  const answer = answerIn(word)
  switch (answer) {
    case "applied":
      return readResult(state, open, word.applied, said, toolbox)
    case "notApplied":
      return { ...said, answer: "not-applied" }
    case "retry": {
      const problem = refuseAgain(state, open, nowMs)
      if (problem === undefined) return { ...said, answer: "again" }
      const remedy = "Find out whether it has happened, and say `applied` with its result, or `notApplied`."
      return new WordRefused({ stepId, runId, deed: "called again", problem, remedy })
    }
    case "giveUp": {
      if (undoes !== undefined) {
        const failure = record(new UndoFailed({ stepId, tool, said: `\`${by}\` gave it up: ${reason}` }))
        return { ...said, answer: "given-up", failure }
      }
      const remedy = "Say `applied` with its result, `notApplied`, or `retry`; to stop the run, `cancel` it as well."
      return new WordRefused({ stepId, runId, deed: "given up", problem: `\`${tool}\` undoes nothing there`, remedy })
    }
    default:
      return answer
  }
}

const answers = ["applied", "notApplied", "retry", "giveUp"] as const

/** Which of them is given. */
function answerIn(
  word: { readonly [Answer in (typeof answers)[number]]?: unknown },
): (typeof answers)[number] | InputsRefused {
  const given = answers.filter((name) => word[name] !== undefined)
  const [answer] = given
  if (answer !== undefined && given.length === 1 && (answer === "applied" || word[answer] === true)) return answer
  const [field, problem] =
    answer === undefined
      ? ["`applied`, `notApplied`, `retry` and `giveUp`", "are all missing"]
      : given.length > 1
        ? [`\`${given.join("` and `")}\``, "are given, and are no one answer"]
        : [`\`${answer}\``, `must be \`true\`, but ${sayFound(word[answer])}`]
  const expected = "Give one of `applied: <result>`, `notApplied: true`, `retry: true` and (of an undo) `giveUp: true`."
  return new InputsRefused({ field, problem, expected })
}

function readResult(
  { started }: RunState,
  { stepId, tool }: Intent,
  applied: unknown,
  said: Omit<Resolved, "answer">,
  { catalog }: Toolbox,
): Resolved | StalePlan | ResolutionRefused {
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
