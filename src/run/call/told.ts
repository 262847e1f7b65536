/** What a handler is told besides its arguments. */
import type { CallContext, Principal } from "../toolbox.ts"

/** All of it that is data, and can be told to another process. */
export interface Facts {
  readonly idempotencyKey: string | undefined
  readonly attempt: number
  readonly principal: Required<Principal>
  readonly runId: string
  readonly stepId: string
}

/** The signal is made when it is first asked for: most do not ask. */
export class Told implements CallContext {
  readonly idempotencyKey: string | undefined
  readonly attempt: number
  readonly principal: Required<Principal>
  readonly runId: string
  readonly stepId: string
  #controller: AbortController | undefined
  #aborted = false

  constructor({ idempotencyKey, attempt, principal, runId, stepId }: Facts) {
    this.idempotencyKey = idempotencyKey
    this.attempt = attempt
    this.principal = principal
    this.runId = runId
    this.stepId = stepId
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#aborted) this.#controller.abort()
    return this.#controller.signal
  }

  get aborted(): boolean {
    return this.#aborted
  }

  abort(): void {
    this.#aborted = true
    this.#controller?.abort()
  }
}
