/** The door of the run half: executing compiled plans, with promises (`createRunner`) or as Effects (`execute`). */
export { verify } from "../journal/chain.ts"
export type { RunCode, RunTag } from "../journal/codes.ts"
export { runCodes } from "../journal/codes.ts"
export type { ApprovalRequested, Entry, Event, Failure, Following } from "../journal/entry.ts"
export {
  JournalConflict,
  JournalDiverged,
  JournalNewer,
  JournalTampered,
  LeaseLost,
  RunUnderWay,
  StoreUnavailable,
} from "../journal/failure.ts"
export { Journal, type JournalService, type RunSummary } from "../journal/journal.ts"
export { memory } from "../journal/memory.ts"
export { RunSecrets } from "../journal/secrets.ts"
export type { Status } from "../journal/status.ts"
export type { InputsOf, RunOptions } from "./admit.ts"
export {
  type ApproveOptions,
  approve,
  type Decision,
  decide,
  deny,
  type PlainDecision,
  type SignedDecision,
} from "./approval/decide.ts"
export { type IssueOptions, issueApproval, type VerifyOptions, verifyApproval } from "./approval/issue.ts"
export { type Approver, generateKeys, type KeyPair, type KeySet } from "./approval/key-set.ts"
export type { PlanRequest, StillAsked } from "./approval/plan.ts"
export { type PlanRequestOptions, planRequest } from "./approval/plan-request.ts"
export type { Approvals, WaitingApproval } from "./approval/waiting.ts"
export type { AskedFor, Credentials, CredentialsProvider, Provided } from "./call/credentials.ts"
export { type Isolated, type IsolatedOptions, isolated } from "./call/isolated/isolated.ts"
export { type NotAppliedOptions, notApplied } from "./call/not-applied.ts"
export { type Reconciliation, reconciled } from "./call/reconciliation.ts"
export { type Cancellation, type CancelOptions, cancel, requestCancel } from "./cancel.ts"
export {
  AlreadyCancelled,
  ApprovalAlreadyDecided,
  ApprovalEarly,
  ApprovalExpired,
  ApprovalMismatch,
  ApprovalNotFound,
  ApprovalReplayed,
  ApproverNotEntitled,
  ApproversUnavailable,
  ApproverUnknown,
  CredentialsUnavailable,
  DecisionUnsigned,
  HandlerMissing,
  InputsRefused,
  KeySecretRefused,
  NothingInDoubt,
  OutcomeNotRecorded,
  ResolutionRefused,
  RunEnded,
  RunExists,
  type RunFailure,
  RunInDoubt,
  RunNotFound,
  StalePlan,
  TokenRefused,
  WordRefused,
} from "./failure.ts"
export { Ids, type IdsService, live as liveIds, seeded as seededIds } from "./ids.ts"
export type { KeySecret } from "./key-secret.ts"
export { keys } from "./keys.ts"
export type { RunEntry } from "./listener.ts"
export type { KeyScope } from "./next/key.ts"
export type { OnRequested } from "./outbox.ts"
export type { Contradiction, EffectReport, RunReport } from "./report.ts"
export { type Resolution, type ResolveOptions, resolve } from "./resolution.ts"
export { type Driving, type ExecuteOptions, execute, type ResumeOptions, resume, type TakingUp } from "./run.ts"
export { createRunner, type Runner, type RunnerOptions } from "./runner.ts"
export type { TelemetryLayer } from "./telemetry.ts"
export {
  type CallContext,
  type Equipment,
  type Handled,
  type Handler,
  type Handlers,
  type Principal,
  type Reconcile,
  type Toolbox,
  type ToolHandler,
  toolbox,
  type Validate,
} from "./toolbox.ts"
export {
  createWorker,
  type OnError,
  type ToolsFor,
  type Worker,
  type WorkerOptions,
  type WorkOptions,
  work,
} from "./worker.ts"
