/** The door of the gate for single calls: `sequitur/gate`. */
export { createGate, type Gate, type GateOptions } from "./gate.ts"
export type {
  Accepted,
  CallIdReused,
  CircuitOpen,
  Failed,
  InDoubt,
  ProposedCall,
  Refused,
  RunOver,
  Turns,
  Verdict,
  Waiting,
} from "./verdict.ts"
export { type VerdictTextOptions, verdictText } from "./verdict-text.ts"
