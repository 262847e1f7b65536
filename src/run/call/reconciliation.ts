/** What the outside says became of an effect whose answer was lost, as a `reconcile` handler gives it back. */

export type Reconciliation<Result = unknown> =
  | { readonly kind: "applied"; readonly result: Result }
  | { readonly kind: "not-applied" }
  | { readonly kind: "barred" }
  | { readonly kind: "unknown"; readonly why?: string }

/** Makers of what a `reconcile` handler may answer. */
export const reconciled = {
  /** It happened, and this is its result. */
  applied: <Result>(result: Result): Reconciliation<Result> => ({ kind: "applied", result }),
  /** It has not happened so far. Final once the tool's `finalAfterMs` has passed since the call. */
  notApplied: (): Reconciliation<never> => ({ kind: "not-applied" }),
  /** It has not happened, and by this key it never will: the outside has closed it. */
  barred: (): Reconciliation<never> => ({ kind: "barred" }),
  /** The outside cannot tell now. It is asked again, and in the end a person is. */
  unknown: (why?: string): Reconciliation<never> => ({ kind: "unknown", ...(why === undefined ? {} : { why }) }),
} as const
