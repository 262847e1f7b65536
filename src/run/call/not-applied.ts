/** The one thing a handler may throw that says more than that something went wrong. */

/** Says of an effect: nothing has happened outside. Thrown by a handler, it fails the step instead of leaving it in doubt. */
export const notApplied = (message: string): Error => new NotApplied(message)

export class NotApplied extends Error {
  override readonly name = "NotApplied"
}
