/** Which plans are tried, by seed: all of them in an order of its own, so that a part of them is a fair sample. */
import { sha256 } from "#sha256"
import { type Shape, shapeAt, shapesOf } from "./zoo.ts"

/** The plans of 1, 2, … `steps` steps. */
export function* choose(seed: number, steps: number): Generator<Shape> {
  const all = Array.from({ length: steps }, (_, index) => index + 1).flatMap((length) =>
    Array.from({ length: shapesOf(length) }, (_, index) => [length, index] as const),
  )
  const draw = randomOf(seed)
  for (let left = all.length; left > 0; left--) {
    const at = Math.floor(draw() * left)
    const [length, index] = all[at] as readonly [number, number]
    all[at] = all[left - 1] as readonly [number, number]
    yield shapeAt(length, index)
  }
}

export const countPlans = (steps: number): number =>
  Array.from({ length: steps }, (_, index) => shapesOf(index + 1)).reduce((sum, count) => sum + count, 0)

function randomOf(seed: number): () => number {
  let drawn = 0
  return () => Number.parseInt(sha256(`${seed}:${drawn++}`).slice(0, 12), 16) / 0x1_0000_0000_0000
}
