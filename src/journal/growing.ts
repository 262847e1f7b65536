/**
 * A map that only grows, one key at a time. Each version stays as it was, and the versions share one store, so that a run of
 * many steps costs the same for each. (Adding to a version that was added to before copies the store once.)
 */
export class Growing<K, V> {
  readonly size: number
  readonly #index: Map<K, number>
  readonly #values: V[]

  private constructor(index: Map<K, number>, values: V[], size: number) {
    this.#index = index
    this.#values = values
    this.size = size
  }

  static empty<K, V>(): Growing<K, V> {
    return new Growing(new Map(), [], 0)
  }

  get(key: K): V | undefined {
    const at = this.#index.get(key)
    return at !== undefined && at < this.size ? this.#values[at] : undefined
  }

  has(key: K): boolean {
    const at = this.#index.get(key)
    return at !== undefined && at < this.size
  }

  /** The version with one key more. A key that is there already keeps its first value. */
  with(key: K, value: V): Growing<K, V> {
    if (this.has(key)) return this
    const newest = this.#values.length === this.size
    const index = newest ? this.#index : new Map([...this.#index].slice(0, this.size))
    const values = newest ? this.#values : this.#values.slice(0, this.size)
    index.set(key, values.length)
    values.push(value)
    return new Growing(index, values, this.size + 1)
  }

  *[Symbol.iterator](): Generator<readonly [K, V]> {
    for (const [key, at] of this.#index) {
      if (at >= this.size) return
      yield [key, this.#values[at] as V]
    }
  }
}
