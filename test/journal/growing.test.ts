/** Versions of one map never see each other's keys, however they are grown. */
import { array, assert, constantFrom, integer, property, record } from "fast-check"
import { expect, test } from "vitest"
import { Growing } from "../../src/journal/growing.ts"

test("every version stays what it was, also after others grew from it", () => {
  const keys = constantFrom("a", "b", "c", "d", "__proto__", "constructor")
  assert(
    property(
      array(record({ from: integer({ min: 0, max: 50 }), key: keys, value: integer() }), { maxLength: 40 }),
      (growths) => {
        const versions = [{ grown: Growing.empty<string, number>(), model: new Map<string, number>() }]
        for (const { from, key, value } of growths) {
          const base = versions[from % versions.length]
          if (base === undefined) continue
          const model = base.model.has(key) ? base.model : new Map(base.model).set(key, value)
          versions.push({ grown: base.grown.with(key, value), model })
        }
        for (const { grown, model } of versions) {
          expect([...grown]).toEqual([...model])
          expect(grown.size).toBe(model.size)
          for (const key of ["a", "b", "c", "d", "__proto__", "constructor", "toString"]) {
            expect(grown.get(key)).toBe(model.get(key))
            expect(grown.has(key)).toBe(model.has(key))
          }
        }
      },
    ),
  )
})
