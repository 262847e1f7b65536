/** Functions in a schema, named and versioned: a hash cannot see what a function does, but it can see these. */

interface Mark {
  readonly name: string
  readonly version: string
  readonly asynchronous: boolean
}

/** Registered, so that two copies of this library in one process know each other's functions. */
const mark = Symbol.for("sequitur.named")

/**
 * Gives a refinement, or a format of a catalog's own, its name and version: `z.string().refine(named("is-sku", "1", (text) => …))`. Raise the version
 * when the function comes to accept other values. Both take part in the catalog's hash, so that plans compiled against
 * the old one are refused as stale. The function must answer at once: a promise makes it throw.
 */
export function named<F extends (...given: never[]) => unknown>(name: string, version: string, fn: F): F {
  const wrapped = (...given: never[]): unknown => {
    const answer = fn(...given)
    if (!isPromise(answer)) return answer
    // Whoever asks wants an answer now and drops a promise: its failure must not end the process.
    answer.then(undefined, () => undefined)
    throw new TypeError(`\`${name}\` answered with a promise`)
  }
  const value: Mark = { name, version, asynchronous: isAsynchronous(fn) }
  return Object.defineProperty(wrapped, mark, { value }) as unknown as F
}

const isPromise = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === "object" && answer !== null && "then" in answer && typeof answer.then === "function"

/** Its name and version as `name@version`; undefined where it has none. */
export function nameOfFunction(fn: unknown): string | undefined {
  const given = markOf(fn)
  return given === undefined || !given.name || !given.version ? undefined : `${given.name}@${given.version}`
}

/** Declared `async`. One that only gives back a promise is found out when it is asked. */
export const isAsynchronous = (fn: unknown): boolean =>
  markOf(fn)?.asynchronous ?? Object.prototype.toString.call(fn) === "[object AsyncFunction]"

const markOf = (fn: unknown): Mark | undefined =>
  typeof fn === "function" ? (fn as { readonly [mark]?: Mark })[mark] : undefined
