/** The typed errors of a run: a closed union, one class a code. `again` of each says whether it may be tried again. */
import {
  type JournalConflict,
  type JournalDiverged,
  type JournalNewer,
  type JournalTampered,
  refusal,
  type StoreUnavailable,
} from "../journal/failure.ts"

export class StepFailed extends refusal("RUN101") {}
export class StepTimedOut extends refusal("RUN102") {}
export class ResultTooLarge extends refusal("RUN103") {}
export class ResultNotPlain extends refusal("RUN104") {}
export class ResultMismatch extends refusal("RUN105") {}
export class RuntimeCheckFailed extends refusal("RUN106") {}
export class EffectRepeated extends refusal("RUN107") {}
export class BlastExceeded extends refusal("RUN108") {}
export class EffectInDoubt extends refusal("RUN109") {}
export class CallInterrupted extends refusal("RUN110") {}
export class InputsRefused extends refusal("RUN201") {}
export class StalePlan extends refusal("RUN202") {}
export class HandlerMissing extends refusal("RUN203") {}
export class RunNotFound extends refusal("RUN204") {}
export class RunEnded extends refusal("RUN205") {}
export class RunInDoubt extends refusal("RUN206") {}
export class RunExists extends refusal("RUN207") {}
export class RunUnderWay extends refusal("RUN208") {}
export class ApprovalDenied extends refusal("RUN301") {}
export class ApprovalNotFound extends refusal("RUN302") {}
export class ApprovalAlreadyDecided extends refusal("RUN303") {}
export class BudgetExhausted extends refusal("RUN401") {}
export class OutcomeNotRecorded extends refusal("RUN506") {}

/** Why a run stopped. It is written down in the journal, and the run's report carries it. */
export type StopReason =
  | StepFailed
  | StepTimedOut
  | ResultTooLarge
  | ResultNotPlain
  | ResultMismatch
  | RuntimeCheckFailed
  | EffectRepeated
  | BlastExceeded
  | EffectInDoubt
  | CallInterrupted
  | ApprovalDenied
  | BudgetExhausted

/** Why a run could not be started, resumed, decided, read or taken further. */
export type RunFailure =
  | InputsRefused
  | StalePlan
  | HandlerMissing
  | RunNotFound
  | RunEnded
  | RunInDoubt
  | RunExists
  | RunUnderWay
  | ApprovalNotFound
  | ApprovalAlreadyDecided
  | OutcomeNotRecorded
  | StoreFailure

/** What any use of the journal may meet. */
export type StoreFailure = StoreUnavailable | JournalConflict | JournalTampered | JournalDiverged | JournalNewer
