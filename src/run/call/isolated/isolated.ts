/**
 * Handlers in a process of their own, which can be killed when it blocks or eats memory. What they return is copied and counted over
 * there.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { nameOf } from "../../../text/json.ts"
import { type Answer, threw } from "../ending.ts"
import { notApplied } from "../not-applied.ts"
import type { Taken } from "../take.ts"
import { Child } from "./child.ts"
import type { Call } from "./message.ts"
import { stampStart } from "./start.ts"

const memoryMbUnsaid = 256

export interface IsolatedOptions {
  /** The most that the heap of its process may hold, in megabytes, and with its buffers twice that. Default 256. */
  readonly memoryMb?: number
}

/**
 * A handler by the module that exports it: `isolated(new URL("./refund.ts", import.meta.url), "execute_refund")`. Its process is
 * given copies of the arguments and of the context, its signal among them. To have it held to its tool by tsc, name its type:
 * `isolated<typeof execute_refund>(…)`.
 */
export const isolated = <Written = (...given: readonly unknown[]) => never>(
  module: URL,
  name: string,
  options: IsolatedOptions = {},
): Isolated<Written> => new Isolated<Written>(module, name, options)

export class Isolated<Written = unknown> {
  /** Only for tsc: what is exported there. */
  declare readonly written?: Written
  /** What is wrong with it: a toolbox with it does not fit. */
  readonly fault: string | undefined
  readonly #module: string
  readonly #name: string
  readonly #memoryMb: number
  /** Waiting for their next call. To make one takes a while. */
  readonly #idle = new Set<Child>()

  constructor(module: URL, name: string, options: IsolatedOptions) {
    this.fault = findFault(module, name, options)
    this.#module = String(module)
    this.#name = name
    this.#memoryMb = options?.memoryMb ?? memoryMbUnsaid
  }

  /** Gives back what aborts it. */
  begin<For extends keyof Taken>(
    call: Omit<Call<For>, "start">,
    leftMs: (() => number) | undefined,
    hear: (answer: () => Answer<Taken[For]>) => void,
  ): () => void {
    const child = this.#take()
    if (child instanceof Error) {
      hear(() => threw(child))
      return () => {}
    }
    child.begin({ ...call, start: leftMs && stampStart(leftMs) }, (answer) => {
      if (child.rest()) this.#idle.add(child)
      hear(() => answer as Answer<Taken[For]>)
    })
    return () => child.giveUp()
  }

  #take(): Child | Error {
    const [idle] = this.#idle
    if (idle !== undefined) {
      this.#idle.delete(idle)
      return idle
    }
    try {
      const station = { module: this.#module, name: this.#name }
      const child: Child = new Child(station, this.#memoryMb, () => this.#idle.delete(child))
      return child
    } catch (error) {
      return notApplied(`no process could be begun: ${threw(error).said}`)
    }
  }
}

function findFault(module: unknown, name: unknown, options: IsolatedOptions): string | undefined {
  if (!(module instanceof URL) || module.protocol !== "file:" || module.host !== "")
    return 'its module must be a `file:` URL, as `new URL("./refund.ts", import.meta.url)` makes one'
  if (!existsSync(module)) return `there is no file \`${fileURLToPath(module)}\``
  if (typeof name !== "string") return `the name of its export must be a string, but is ${nameOf(name)}`
  const memoryMb: unknown = options?.memoryMb ?? memoryMbUnsaid
  return Number.isFinite(memoryMb) && Number(memoryMb) >= 16 ? undefined : "`memoryMb` must be a number, 16 or more"
}
