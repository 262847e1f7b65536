/** What a handler is told besides its arguments. */
import { isObject, type Json } from "../../text/json.ts"
import type { CallContext, Principal } from "../toolbox.ts"
import type { Credentials } from "./credentials.ts"

/** All of it that is data, and can be told to another process. */
export interface Facts {
  readonly idempotencyKey: string | undefined
  readonly attempt: number
  readonly principal: Required<Principal>
  readonly runId: string
  readonly stepId: string
  readonly credentials?: Json | undefined
}

/** The signal is made when it is first asked for: most do not ask. */
export class Told implements CallContext {
  readonly idempotencyKey: string | undefined
  readonly attempt: number
  readonly principal: Required<Principal>
  readonly runId: string
  readonly stepId: string
  /** No member that is written out with the others, where a handler logs its context. */
  readonly #credentials: Credentials
  #controller: AbortController | undefined
  #aborted = false

  constructor({ idempotencyKey, attempt, principal, runId, stepId, credentials }: Facts) {
    this.idempotencyKey = idempotencyKey
    this.attempt = attempt
    this.principal = principal
    this.runId = runId
    this.stepId = stepId
    this.#credentials = credentials as Credentials
  }

  get credentials(): Credentials {
    return this.#credentials
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      quieten(this.#controller.signal)
    }
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

type Listen = AbortSignal["addEventListener"]
type Quiet = (event: unknown) => void

/**
 * What a listener throws, or what it gives back rejects with, would end our process, as an error that nobody catches: we abort, so
 * we hold it. The handler itself has an answer of its own to give.
 */
function quieten(signal: AbortSignal): void {
  const made = new WeakMap<object, Quiet>()
  const quietOf = (listener: unknown): Quiet | undefined => {
    if (typeof listener !== "function" && !isObject(listener)) return undefined
    const quiet = made.get(listener) ?? quietly(signal, listener)
    made.set(listener, quiet)
    return quiet
  }
  const { addEventListener, removeEventListener } = signal
  const over =
    (deed: Listen) =>
    (type: unknown, listener: unknown, ...rest: readonly unknown[]): void =>
      Reflect.apply(deed, signal, [type, quietOf(listener) ?? listener, ...rest])
  let onabort: unknown = null
  Object.defineProperties(signal, {
    addEventListener: { value: over(addEventListener) },
    removeEventListener: { value: over(removeEventListener) },
    onabort: {
      get: () => onabort,
      set: (listener: unknown) => {
        const [before, after] = [quietOf(onabort), quietOf(listener)]
        if (before !== undefined) Reflect.apply(removeEventListener, signal, ["abort", before])
        if (after !== undefined) Reflect.apply(addEventListener, signal, ["abort", after])
        onabort = after === undefined ? null : listener
      },
    },
  })
}

const quietly =
  (signal: AbortSignal, listener: unknown): Quiet =>
  (event) => {
    try {
      const told: unknown =
        typeof listener === "function"
          ? Reflect.apply(listener, signal, [event])
          : (listener as { readonly handleEvent: Quiet }).handleEvent(event)
      if (told instanceof Promise) told.then(undefined, () => {})
    } catch {
      // See above.
    }
  }
