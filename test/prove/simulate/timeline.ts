/** True time, of which no clock in the story knows: what happens when, in an order that is the same each time. */

export interface Due {
  readonly atMs: number
  readonly order: number
  readonly happen: () => void
  called: boolean
}

export class Timeline {
  nowMs = 0
  /** A heap: each is due before the two below it. */
  readonly #due: Due[] = []
  #orders = 0

  after(ms: number, happen: () => void): Due {
    const due = { atMs: this.nowMs + Math.max(0, ms), order: this.#orders++, happen, called: false }
    let place = this.#due.push(due) - 1
    while (place > 0) {
      const above = (place - 1) >> 1
      if (!this.#isBefore(place, above)) break
      this.#swap(place, above)
      place = above
    }
    return due
  }

  /** It will not happen. */
  callOff(due: Due): void {
    due.called = true
  }

  /** Time goes on to what happens next. False where nothing does. */
  pass(): boolean {
    for (;;) {
      const next = this.#take()
      if (next === undefined) return false
      if (next.called) continue
      this.nowMs = Math.max(this.nowMs, next.atMs)
      next.happen()
      return true
    }
  }

  #take(): Due | undefined {
    const [first] = this.#due
    const last = this.#due.pop()
    if (first === undefined || last === undefined || first === last) return first
    this.#due[0] = last
    let place = 0
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2]
      let least = place
      if (left < this.#due.length && this.#isBefore(left, least)) least = left
      if (right < this.#due.length && this.#isBefore(right, least)) least = right
      if (least === place) return first
      this.#swap(place, least)
      place = least
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#due[one] as Due, this.#due[other] as Due]
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
  }

  #swap(one: number, other: number): void {
    const due = this.#due[one] as Due
    this.#due[one] = this.#due[other] as Due
    this.#due[other] = due
  }
}
