/** The same JSON written otherwise: other spaces, other order of keys, other escapes. Driven by a seed, so that it can be told again. */
import type { Json } from "sequitur"

export interface Manner {
  readonly seed: number
  readonly spaces: boolean
  readonly order: boolean
  readonly escapes: boolean
}

export function rewrite(value: Json, manner: Manner): string {
  const random = numbers(manner.seed)
  const gap = (): string => (manner.spaces ? (["", " ", "\n", "\r\n\t", "  "][random() % 5] ?? "") : "")
  const text = (one: string): string =>
    JSON.stringify(one).replace(/[A-Za-z/]/g, (letter, at: number, whole: string) =>
      manner.escapes && whole[at - 1] !== "\\" && !/\\u[0-9a-f]{0,3}$/.test(whole.slice(0, at)) && random() % 3 === 0
        ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
        : letter,
    )
  const write = (one: Json): string => {
    if (typeof one === "string") return gap() + text(one) + gap()
    if (typeof one !== "object" || one === null) return gap() + JSON.stringify(one) + gap()
    if (Array.isArray(one)) return `${gap()}[${one.map(write).join() || gap()}]${gap()}`
    const entries = Object.entries(one)
    const turned = manner.order ? shuffle(entries, random) : entries
    return `${gap()}{${turned.map(([key, inner]) => `${gap()}${text(key)}${gap()}:${write(inner)}`).join() || gap()}}${gap()}`
  }
  return write(value)
}

/** Numerical Recipes' linear congruence: good enough to shuffle with. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}

function shuffle<A>(list: readonly A[], random: () => number): readonly A[] {
  const shuffled = [...list]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = random() % (last + 1)
    const held = shuffled[last] as A
    shuffled[last] = shuffled[other] as A
    shuffled[other] = held
  }
  return shuffled
}
