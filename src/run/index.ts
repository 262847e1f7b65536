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
  StoreUnavailable,
} from "../journal/failure.ts"
export { Journal, type JournalService, type RunSummary } from "../journal/journal.ts"
export { memory } from "../journal/memory.ts"
export type { Status } from "../journal/state.ts"
export type { RunOptions } from "./admit.ts"
export { type ApproveOptions, approve, type Decision, decide, type PlainDecision } from "./approval.ts"
export type { RunEntry } from "./book.ts"
export { type Isolated, type IsolatedOptions, isolated } from "./call/isolated/isolated.ts"
export { notApplied } from "./call/not-applied.ts"
export { type Reconciliation, reconciled } from "./call/reconciliation.ts"
export {
  ApprovalAlreadyDecided,
  ApprovalNotFound,
  HandlerMissing,
  InputsRefused,
  OutcomeNotRecorded,
  RunEnded,
  RunExists,
  type RunFailure,
  RunInDoubt,
  RunNotFound,
  RunUnderWay,
  StalePlan,
} from "./failure.ts"
export { Ids, type IdsService, live as liveIds, seeded as seededIds } from "./ids.ts"
export type { RunReport } from "./report.ts"
export { type ExecuteOptions, execute, type ResumeOptions, resume, type TakingUp } from "./run.ts"
export { createRunner, type Runner, type RunnerOptions } from "./runner.ts"
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
} from "./toolbox.ts"
