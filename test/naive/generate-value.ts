/** Values that a shape takes, at its bounds more often than not, and values that belong nowhere. */
import type { Shape } from "./declaration.ts"
import type { Random } from "./random.ts"
import { accepts, fieldsOf, isBlank, lengthOf } from "./shape.ts"

export type Mutable = null | boolean | number | string | Mutable[] | { [key: string]: Mutable }
export type MutableObject = { [key: string]: Mutable }

/** A value that the shape takes, at its bounds more often than not. */
export function generateValue(shape: Shape, random: Random): Mutable {
  const { int, chance, pick } = random
  switch (shape.kind) {
    case "string": {
      const min = shape.min ?? 0
      const max = shape.max ?? min + 3
      const length = pick([min, max, int(min, max)])
      const text = generateText(length, random)
      return accepts(shape, text) && !isBlank(text)
        ? text
        : "x".repeat(shape.refined === true ? Math.max(length, 1) : length)
    }
    case "integer":
    case "number": {
      const min = shape.min ?? (shape.max ?? 0) - 5
      const max = shape.max ?? min + 5
      const value = pick([min, max, int(Math.ceil(min), Math.floor(max))])
      return accepts(shape, value) ? value : min
    }
    case "boolean":
      return chance(0.5)
    case "constant":
      return shape.value
    case "enum":
      return pick(shape.values)
    case "nullable":
      return chance(0.3) ? null : generateValue(shape.of, random)
    case "array": {
      const min = shape.min ?? 0
      const length = pick([min, Math.min(shape.max ?? 3, 9), int(min, Math.min(shape.max ?? 3, 3))])
      return Array.from({ length: Math.max(min, length) }, () => generateValue(shape.of, random))
    }
    case "object": {
      const given = fieldsOf(shape).filter(({ optional }) => !optional || chance(0.5))
      return Object.fromEntries(given.map(({ name, shape: inner }) => [name, generateValue(inner, random)]))
    }
    case "unknown":
      return pick<Mutable>([null, 1, "a", [], { a: 1 }])
  }
}

/** So many units or so many characters, some of them of two units. */
function generateText(length: number, { pick, chance }: Random): string {
  const letters = chance(0.3) ? ["a", "é", "😀", "\u0000"] : ["a", "b", "1", " "]
  let text = ""
  while (lengthOf(text, "typebox") < length) text += pick(letters)
  return text
}

/** Anything at all, for places where it does not belong. */
export function generateAnything({ pick, int }: Random): Mutable {
  return pick<Mutable>([
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    2.5,
    int(-10, 20),
    "",
    "a",
    " ",
    "1",
    "open",
    "😀😀",
    [],
    [1],
    ["a", "b"],
    {},
    { a: 1 },
    { $ref: "s0" },
    { $literal: { $from: "s0" } },
    { $literal: null },
    { $concat: ["a", 1, true] },
    { $concat: [] },
    { $concat: [1.5] },
    { $concat: [null, "a"] },
    { $concat: ["a", { $literal: "b" }] },
    { $concat: ["a", { $concat: ["b"] }] },
    { $literal: 1, $from: "s0" },
  ])
}
