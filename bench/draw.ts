/** Draws by a seed: the same seed draws the same. */

export interface Draw {
  readonly chance: (probability: number) => boolean
  /** An integer, both ends included. */
  readonly integer: (min: number, max: number) => number
  readonly one: <A>(of: readonly A[]) => A
  readonly some: <A>(of: readonly A[]) => readonly A[]
  readonly many: <A>(min: number, max: number, make: () => A) => readonly A[]
  readonly letters: (length: number, alphabet?: string) => string
  readonly uuid: () => string
  /** Words as a model writes them: one in seven is not plain ASCII. */
  readonly words: (count: number) => string
}

const lower = "abcdefghijklmnopqrstuvwxyz"
export const upper = lower.toUpperCase()
export const digits = "0123456789"
export const alphanumeric = lower + upper + digits
const hex = `${digits}abcdef`

const words = [
  ..."the customer asked about a late order please check payment status and reply within one day".split(" "),
  ..."“sorry” café – naïve".split(" "),
  "line\nbreak",
]

export function drawBy(seed: number): Draw {
  const random = mulberry32(seed)
  const integer = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1))
  const one = <A>(of: readonly A[]): A => of[integer(0, of.length - 1)] as A
  const many = <A>(min: number, max: number, make: () => A): readonly A[] =>
    Array.from({ length: integer(min, max) }, make)
  const letters = (length: number, alphabet = lower): string =>
    Array.from({ length }, () => alphabet.charAt(integer(0, alphabet.length - 1))).join("")
  const parts = (...lengths: readonly number[]) => lengths.map((length) => letters(length, hex))
  return {
    chance: (probability) => random() < probability,
    integer,
    one,
    some: (of) => of.slice(0, integer(1, of.length)),
    many,
    letters,
    uuid: () => {
      const [a, b, c, d, e] = parts(8, 4, 3, 3, 12)
      return `${a}-${b}-4${c}-${one(["8", "9", "a", "b"])}${d}-${e}`
    },
    words: (count) => Array.from({ length: count }, () => one(words)).join(" "),
  }
}

/** https://gist.github.com/tommyettinger/46a874533244883189143505d203312c: 32 bits of state are plenty for plans. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
