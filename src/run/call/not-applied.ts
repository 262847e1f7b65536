/** The one thing a handler may throw that says more than that something went wrong. */

export interface NotAppliedOptions {
  /**
   * To be called again after that long, in whole milliseconds, a day at most, or after the tool's own pause where that is longer:
   * as often as the tool's `retry`, `budgets.retries` and the run's deadline allow.
   */
  readonly retryAfterMs?: number
}

/** Says of an effect: nothing has happened outside. Thrown by a handler, it fails the step instead of leaving it in doubt. */
export const notApplied = (message: string, options: NotAppliedOptions = {}): Error => new NotApplied(message, options)

const longestMs = 86_400_000

export class NotApplied extends Error {
  override readonly name = "NotApplied"
  readonly retryAfterMs: number | undefined

  /** A time that is none is told, and nothing is thrown for it: then it would not be known any more that nothing has happened. */
  constructor(message: string, options: NotAppliedOptions) {
    const given: unknown = options?.retryAfterMs
    const retryAfterMs = readTime(given)
    const problem = given === undefined || retryAfterMs !== undefined ? "" : ` (its \`retryAfterMs\` ${unusable})`
    super(`${message}${problem}`)
    this.retryAfterMs = retryAfterMs
  }
}

export const readTime = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= longestMs ? Number(value) : undefined

const unusable = `is no time: whole milliseconds, ${longestMs} at most`
