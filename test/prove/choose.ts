/** Which plans are tried, by seed: all of them in an order of its own, so that a part of them is a fair sample. */
import { sha256 } from "#sha256"
import { type Shape, shapeAt, shapesOf } from "./zoo.ts"

/** The plans of `least` to `most` steps. */
export function* choose(seed: number, least: number, most: number): Generator<Shape> {
  const all = lengths(least, most).flatMap((length) =>
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

export const countPlans = (least: number, most: number): number =>
  lengths(least, most).reduce((sum, length) => sum + shapesOf(length), 0)

const lengths = (least: number, most: number): readonly number[] =>
  Array.from({ length: most - least + 1 }, (_, index) => least + index)

/** Every so manieth, from the `part`th on; the first `from` of these were tried before. */
export function* partOf(shapes: Iterable<Shape>, part: number, parts: number, from: number): Generator<Shape> {
  let index = 0
  for (const shape of shapes) {
    if (index % parts === part - 1 && index >= from * parts) yield shape
    index += 1
  }
}

function randomOf(seed: number): () => number {
  let drawn = 0
  return () => Number.parseInt(sha256(`${seed}:${drawn++}`).slice(0, 12), 16) / 0x1_0000_0000_0000
}
