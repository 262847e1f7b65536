/** Whether a gate is asked by one of its own handlers, for which it waits: it would wait for itself for ever. */
import { AsyncLocalStorage } from "node:async_hooks"
import { Isolated } from "../../run/call/isolated/isolated.ts"
import type { Toolbox, ToolHandlers } from "../../run/toolbox.ts"

export class Inside {
  readonly #asking = new AsyncLocalStorage<number>()
  /** Of what is being done now; 0 while nothing is. */
  #turn = 0
  #count = 0

  /** The handlers of a toolbox, known again when they ask. */
  mark(toolbox: Toolbox): Toolbox {
    const handlers = new Map([...toolbox.handlers].map(([name, one]) => [name, this.#markAll(one)]))
    return { ...toolbox, handlers }
  }

  #markAll(handlers: ToolHandlers): ToolHandlers {
    const marked = Object.entries(handlers).map(([key, value]: readonly [string, unknown]) => {
      if (typeof value !== "function" || value instanceof Isolated) return [key, value]
      const call = (...given: unknown[]) => {
        const turn = this.#asking.getStore() === apart ? apart : this.#turn
        return this.#asking.run(turn, () => Reflect.apply(value, undefined, given))
      }
      return [key, call]
    })
    return Object.fromEntries(marked) as ToolHandlers
  }

  async during<A>(act: () => Promise<A>): Promise<A> {
    this.#turn = ++this.#count
    try {
      return await act()
    } finally {
      this.#turn = 0
    }
  }

  /** What is done beside the queue, for which no turn waits. */
  apart<A>(act: () => A): A {
    return this.#asking.run(apart, act)
  }

  /** What comes late, of a handler that nobody waits for any more, may ask as anybody. */
  get isAsking(): boolean {
    return this.#turn !== 0 && this.#asking.getStore() === this.#turn
  }
}

/** No turn has it. */
const apart = -1
