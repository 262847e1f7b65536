/**
 * Every way a run can be refused or go wrong, in the manner of `diagnostic/codes.ts`: a code is a promise.
 * Hundreds say where: 1 a step, 2 starting and resuming, 3 approval, 4 budgets, 5 the journal.
 * `again` answers: may the same be tried again, without a person looking first?
 */
export const runCodes = {
  RUN101: {
    tag: "StepFailed",
    again: true,
    title: "step failed",
    message: "step `{stepId}` failed: `{tool}` said: {said}",
    hint: "Mend what `{tool}` complains of, then start a new run; a read was tried again as often as it may be.",
    why: "A handler threw, or rejected its promise.",
    plain: "One of the steps did not work, so the rest was not done.",
  },
  RUN102: {
    tag: "StepTimedOut",
    again: true,
    title: "step timed out",
    message: "step `{stepId}` did not answer within {timeoutMs} ms",
    hint: "Find out why `{tool}` is slow, or raise its `timeoutMs` in the catalog; then compile and run the plan anew.",
    why: "A call without a limit could hold a run for ever.",
    plain: "One of the steps took too long, so the rest was not done.",
  },
  RUN103: {
    tag: "ResultTooLarge",
    again: false,
    title: "result too large",
    message: "the result of step `{stepId}` has {problem}",
    hint: "Return less from the handler of `{tool}`, or raise `bounds` in the catalog.",
    why: "Results are kept in the journal and read again at every resume.",
    plain: "An answer was too large to keep, so the rest was not done.",
  },
  RUN104: {
    tag: "ResultNotPlain",
    again: false,
    title: "result is no plain JSON",
    message: "the result of step `{stepId}` holds {problem} at `{at}`",
    hint: "Return plain JSON from the handler of `{tool}`: strings, finite numbers, booleans, null, arrays, plain objects.",
    why: "What cannot be written down cannot be given back after a crash.",
    plain: "An answer came in a form that cannot be kept, so the rest was not done.",
  },
  RUN105: {
    tag: "ResultMismatch",
    again: false,
    title: "result of the wrong shape",
    message: "the result of step `{stepId}` is not what `{tool}` declares: {misfits}",
    hint: "Correct the handler of `{tool}`, or its `result` schema in the catalog.",
    why: "Later steps were checked against the declared result.",
    plain: "An answer was not what was expected, so the rest was not done.",
  },
  RUN106: {
    tag: "RuntimeCheckFailed",
    again: false,
    title: "runtime check failed",
    message: "step `{stepId}` cannot be called: at `{at}`: {problem}",
    hint: "Have another plan made that allows for this value, and run that; nothing was done after it became known.",
    why: "What compiling could not decide is checked as soon as the value is known, before any later effect.",
    plain: "What was found out did not fit what was planned, so the rest was not done.",
  },
  RUN107: {
    tag: "EffectRepeated",
    again: false,
    title: "same effect twice",
    message: "step `{stepId}` comes to the same call as `{first}`",
    hint: 'Have a plan made without one of them, or with `"occurrence": 2` if it is meant to happen again.',
    why: "A repeated effect is a planner's commonest slip, and it costs money twice.",
    plain: "The same thing was about to be done twice, so it was stopped.",
  },
  RUN108: {
    tag: "BlastExceeded",
    again: false,
    title: "blast above its bound",
    message: "step `{stepId}` would count {found} {dimension}; it was compiled for at most {max}",
    hint: "Have a plan made that does less in one step, or look into the value that came.",
    why: "The worst that a plan can do was bounded before it started, and holds for the values that came.",
    plain: "One action would have gone further than was agreed, so it was stopped.",
  },
  RUN109: {
    tag: "EffectInDoubt",
    again: false,
    title: "effect in doubt",
    message: "whether step `{stepId}` took effect is not known: {said}",
    hint: "Ask the system behind `{tool}` what became of the idempotency key in the last intent of the run's `log`.",
    why: "An effect that may have happened is never repeated blindly.",
    plain: "We do not know yet whether one of the actions took place. Somebody has to look into it.",
  },
  RUN110: {
    tag: "CallInterrupted",
    again: true,
    title: "call interrupted too often",
    message: "step `{stepId}` was begun {attempts} times and never answered",
    hint: "Find out whether `{tool}` brings its process down, and mend it; then start a new run.",
    why: "A call that ends its process would otherwise be made again for ever.",
    plain: "One of the steps was interrupted again and again, so the rest was not done.",
  },
  RUN201: {
    tag: "InputsRefused",
    again: false,
    title: "run not as declared",
    message: "{field} of this run {problem}",
    hint: "{expected}",
    why: "What the host hands to a run is checked before its first entry is written.",
    plain: "Something needed to get started was missing or wrong, so nothing was done.",
  },
  RUN202: {
    tag: "StalePlan",
    again: false,
    title: "stale plan",
    message: "the catalog has changed since this plan was compiled: {changed}",
    hint: "{remedy}",
    why: "A plan was accepted under rules that no longer hold.",
    plain: "The rules have changed since this was checked, so it did not go ahead.",
  },
  RUN203: {
    tag: "HandlerMissing",
    again: false,
    title: "toolbox does not fit",
    message: "the toolbox does not fit the catalog: {problem}",
    hint: "Give `catalog` what `defineCatalog` made, and `tools` one function for each of its tools, and no other.",
    why: "A missing handler found halfway would stop a run between two effects.",
    plain: "This service is not set up completely, so nothing was done. Please tell whoever runs it.",
  },
  RUN204: {
    tag: "RunNotFound",
    again: false,
    title: "no such run",
    message: "there is no run `{runId}`",
    hint: "List the `runs` of this store and tenant, and look the id up there.",
    why: "A run of another tenant is not found either.",
    plain: "We could not find what you were looking for.",
  },
  RUN205: {
    tag: "RunEnded",
    again: false,
    title: "run has ended",
    message: "run `{runId}` has ended as `{status}`",
    hint: "Start a new run: `run` the plan again; an ended one is never taken up again.",
    why: "A terminal state is a promise to whoever has read it.",
    plain: "This is over already and cannot be continued.",
  },
  RUN206: {
    tag: "RunInDoubt",
    again: false,
    title: "run is in doubt",
    message: "run `{runId}` is in doubt at step `{stepId}`",
    hint: "Look at its last entry (`log`), and find out by the idempotency key there whether the effect has happened.",
    why: "An effect was begun and its outcome is unknown.",
    plain: "This has been stopped until it is known whether one of the actions took place.",
  },
  RUN207: {
    tag: "RunExists",
    again: false,
    title: "run exists",
    message: "there is a run `{runId}` already",
    hint: "`resume` that run, or choose another `runId`.",
    why: "Two runs under one id could not be told apart.",
    plain: "This has been started before, so it was not started again.",
  },
  RUN208: {
    tag: "RunUnderWay",
    again: true,
    title: "run is under way",
    message: "run `{runId}` {standing}",
    hint: "{remedy}",
    why: "Taking up a run between an intent and its outcome would call a healthy effect in doubt, and lose its answer.",
    plain: "This is being worked on already. Please try again a little later.",
  },
  RUN301: {
    tag: "ApprovalDenied",
    again: false,
    title: "approval denied",
    message: "`{by}` denied step `{stepId}`: {reason}",
    hint: "Have another plan made, and run that; this run has ended.",
    why: "A guarded transition is taken only with a person's approval.",
    plain: "Somebody decided against this, so it did not go ahead.",
  },
  RUN302: {
    tag: "ApprovalNotFound",
    again: false,
    title: "no such approval",
    message: "run `{runId}` does not wait for `{wanted}`",
    hint: "Look at what the run waits for now (`status`, `log`), and decide that.",
    why: "A decision counts only for the very request it was made for.",
    plain: "There is nothing here that waits for this decision.",
  },
  RUN303: {
    tag: "ApprovalAlreadyDecided",
    again: false,
    title: "already decided",
    message: "`{wanted}` of run `{runId}` was {decision} by `{by}`",
    hint: "Let the first decision stand; look at what came of it with `status` or `log`.",
    why: "Two people who answer at once must not both be heard.",
    plain: "This has been decided already; the first decision stands.",
  },
  RUN401: {
    tag: "BudgetExhausted",
    again: false,
    title: "budget exhausted",
    message: "`{budget}` is used up at step `{stepId}`: {used} of {max}{because}",
    hint: "Mend what used it up, or raise `budgets.{budget}` in the catalog; then compile and run the plan anew.",
    why: "A run stops before the effect that would pass a budget.",
    plain: "What had been set aside for this is used up, so the rest was not done.",
  },
  RUN501: {
    tag: "StoreUnavailable",
    again: true,
    title: "store unavailable",
    message: "the journal at `{store}` cannot be used: {reason}",
    hint: "Make the store work, open it with a new runner, and `resume` the run: nothing was called without a durable entry.",
    why: "An effect is made only after its intent is on disk.",
    plain: "Our records cannot be reached at the moment, so nothing further is done. Please try again later.",
  },
  RUN502: {
    tag: "JournalConflict",
    again: true,
    title: "another writer",
    message: "another process wrote entry {seq} of run `{runId}` first",
    hint: "Look at the run again (`status`, `log`): where the other writer does not go on with it, `resume` it.",
    why: "Two processes that both continue a run would do its effects twice.",
    plain: "Somebody else was working on this at the same time. Please look at it again before going on.",
  },
  RUN503: {
    tag: "JournalTampered",
    again: false,
    title: "journal altered",
    message: "entry {seq} of run `{runId}` is not what was written",
    hint: "Do not trust this file: restore it from a backup, and compare the two.",
    why: "Each entry is chained to the one before it by its hash.",
    plain: "Our records of this have been altered, so it has been stopped.",
  },
  RUN504: {
    tag: "JournalDiverged",
    again: false,
    title: "journal makes no sense",
    message: "entry {seq} of run `{runId}` cannot follow: {problem}",
    hint: "Keep a copy of the journal and report it to the authors of sequitur; this run is not taken further.",
    why: "A journal that does not fit its own plan was not written by this product.",
    plain: "Our records of this do not add up, so it has been stopped.",
  },
  RUN505: {
    tag: "JournalNewer",
    again: false,
    title: "journal of a newer version",
    message: "`{where}` was written in journal version {found}; this sequitur knows {known}",
    hint: "Install the sequitur that wrote it, or a newer one.",
    why: "A newer version may mean other things by the same words.",
    plain: "This was recorded by a newer version of this service and cannot be read here.",
  },
  RUN506: {
    tag: "OutcomeNotRecorded",
    again: false,
    title: "outcome not recorded",
    message: "what came of the effect of step `{stepId}` in run `{runId}` is not recorded ({reason}): {said}",
    hint: "Keep this message: the journal knows only that the effect was begun, and whoever settles the run needs the answer.",
    why: "Without its answer, an effect that was made looks like one in doubt.",
    plain: "An action was begun, but we could not write down what came of it. Somebody has to look into it.",
  },
} as const satisfies Record<`RUN${number}`, Entry>

interface Entry {
  /** The error's `_tag`. */
  readonly tag: string
  readonly again: boolean
  /** Three to five words. */
  readonly title: string
  /** The fact, with holes in braces. */
  readonly message: string
  /** The deed. */
  readonly hint: string
  /** Why it matters. */
  readonly why: string
  /** For an end user of the host's product, who knows of no plan, tool or code: one line, whole sentences. */
  readonly plain: string
}

export type RunCodes = typeof runCodes
export type RunCode = keyof RunCodes
export type RunTag = RunCodes[RunCode]["tag"]
