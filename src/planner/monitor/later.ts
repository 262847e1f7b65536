/** Tells a host's functions of something, when whoever had it to tell has gone on: what they do to it, throw or never settle is theirs. */
export type Hook<Told> = (told: Told) => unknown

export class Later {
  #waiting: (() => unknown)[] = []

  tell<Told extends object>(hook: Hook<Told> | undefined, told: Told): void {
    if (hook === undefined) return
    if (this.#waiting.length === 0) setTimeout(() => this.#drain(), 0)
    this.#waiting.push(() => hook(told))
  }

  #drain(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const act of waiting) {
      try {
        // A thenable's own `then` may throw as well: it is asked later, inside a promise.
        Promise.resolve(act()).catch(() => {})
      } catch {
        // It is the hook's own.
      }
    }
  }
}
