/** The typed errors of a run: a closed union, one class a code. `again` of each says whether it may be tried again. */
import {
  type Fields,
  type JournalConflict,
  type JournalDiverged,
  type JournalNewer,
  type JournalOlder,
  type JournalTampered,
  type LeaseLost,
  type RunUnderWay,
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
export class KeyInDoubt extends refusal("RUN111") {}
export class OnceConflict extends refusal("RUN112") {}
export class UndoFailed extends refusal("RUN113") {}
export class SettlementContradicted extends refusal("RUN114") {}
export class NotAllowed extends refusal("RUN115") {}
export class ValidationRefused extends refusal("RUN116") {}
export class InputsRefused extends refusal("RUN201") {
  constructor({
    of = "run",
    ...fields
  }: Omit<Fields<"RUN201">, "of"> & { readonly of?: "run" | "runner" | "worker" | "gate" }) {
    super({ ...fields, of })
  }
}
export class StalePlan extends refusal("RUN202") {}
export class HandlerMissing extends refusal("RUN203") {}
export class RunNotFound extends refusal("RUN204") {}
export class RunEnded extends refusal("RUN205") {}
export class RunInDoubt extends refusal("RUN206") {}
export class RunExists extends refusal("RUN207") {}
export class NothingInDoubt extends refusal("RUN209") {}
export class ResolutionRefused extends refusal("RUN210") {}
export class WordRefused extends refusal("RUN211") {}
export class CredentialsUnavailable extends refusal("RUN220") {}
export class KeySecretRefused extends refusal("RUN221") {}
export class ApprovalDenied extends refusal("RUN301") {}
export class ApprovalNotFound extends refusal("RUN302") {}
export class ApprovalAlreadyDecided extends refusal("RUN303") {}
export class RunCancelled extends refusal("RUN304") {}
export class AlreadyCancelled extends refusal("RUN305") {}
export class TokenRefused extends refusal("RUN306") {}
export class ApproverUnknown extends refusal("RUN307") {}
export class ApprovalMismatch extends refusal("RUN308") {
  /** `difference` says what it is, where whoever is told may know. */
  constructor({ difference = "", ...fields }: Omit<Fields<"RUN308">, "difference"> & { readonly difference?: string }) {
    super({ ...fields, difference })
  }
}
export class ApprovalEarly extends refusal("RUN309") {}
export class ApprovalExpired extends refusal("RUN310") {}
export class ApproverNotEntitled extends refusal("RUN311") {}
export class DecisionUnsigned extends refusal("RUN312") {}
export class ApprovalReplayed extends refusal("RUN313") {}
export class ApproversUnavailable extends refusal("RUN314") {}
export class WorldChanged extends refusal("RUN315") {}
export class RuleRefused extends refusal("RUN316") {}
export class BudgetExhausted extends refusal("RUN401") {}
export class LimitExhausted extends refusal("RUN402") {}
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
  | KeyInDoubt
  | OnceConflict
  | UndoFailed
  | NotAllowed
  | ValidationRefused
  | WorldChanged
  | RuleRefused
  | SettlementContradicted
  | ApprovalDenied
  | RunCancelled
  | BudgetExhausted
  | LimitExhausted

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
  | LeaseLost
  | NothingInDoubt
  | ResolutionRefused
  | WordRefused
  | CredentialsUnavailable
  | KeySecretRefused
  | ApprovalNotFound
  | TokenRefused
  | ApproversUnavailable
  | ApproverUnknown
  | ApprovalMismatch
  | ApprovalEarly
  | ApprovalExpired
  | ApproverNotEntitled
  | DecisionUnsigned
  | ApprovalReplayed
  | ApprovalAlreadyDecided
  | AlreadyCancelled
  | OutcomeNotRecorded
  | StoreFailure

/** What any use of the journal may meet. */
export type StoreFailure =
  | StoreUnavailable
  | JournalConflict
  | JournalTampered
  | JournalDiverged
  | JournalNewer
  | JournalOlder
