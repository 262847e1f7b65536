/** The door of the gate for single calls: `sequitur/gate`. */
export type { Hook } from "../monitor/later.ts"
export {
  createMonitor,
  type Drift,
  type Monitor,
  type MonitorOptions,
  type Observation,
  type Place,
  type Series,
  type Whose,
} from "../monitor/monitor.ts"
export { type Closed, createGate, type Gate } from "./gate.ts"
export { type GateHooks, type Proposed, type Reason, reasonFor, type Told } from "./hooks.ts"
export type { GateOptions } from "./options.ts"
export type {
  Accepted,
  CallIdReused,
  CircuitOpen,
  Failed,
  Held,
  InDoubt,
  ProposedCall,
  Refused,
  RunOver,
  TurnOptions,
  Turns,
  Verdict,
  Waiting,
} from "./verdict.ts"
export { type VerdictTextOptions, verdictText } from "./verdict-text.ts"
