/** Labels are a lattice: however values are joined, what they are does not depend on the order, and never gets better. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { clean, endorse, isBelow, isClean, join, type Label } from "../../src/check/label.ts"

const mark = fc.constantFrom(undefined, true as const)
const label: fc.Arbitrary<Label> = fc.record({ untrusted: mark, private: mark })
const kept = fc.record({ trusted: fc.boolean(), public: fc.boolean() })

test("join is associative, commutative and idempotent, and clean is its unit", () => {
  fc.assert(
    fc.property(label, label, label, (a, b, c) => {
      expect(join(join(a, b), c)).toEqual(join(a, join(b, c)))
      expect(join(a, b)).toEqual(join(b, a))
      expect(join(a, a)).toEqual(a)
      expect(join(a, clean)).toEqual(a)
      expect(isClean(a)).toBe(a.untrusted === undefined && a.private === undefined)
    }),
  )
})

test("join is the least label that is not below either, and monotone", () => {
  fc.assert(
    fc.property(label, label, label, (a, b, c) => {
      const both = join(a, b)
      expect(isBelow(a, both) && isBelow(b, both)).toBe(true)
      if (isBelow(a, c) && isBelow(b, c)) expect(isBelow(both, c)).toBe(true)
      if (isBelow(a, b)) expect(isBelow(join(a, c), join(b, c))).toBe(true)
    }),
  )
})

test("below is an order", () => {
  fc.assert(
    fc.property(label, label, label, (a, b, c) => {
      expect(isBelow(a, a) && isBelow(clean, a)).toBe(true)
      if (isBelow(a, b) && isBelow(b, a)) expect(a).toEqual(b)
      if (isBelow(a, b) && isBelow(b, c)) expect(isBelow(a, c)).toBe(true)
    }),
  )
})

test("an endorsement takes off what it says, and is monotone", () => {
  fc.assert(
    fc.property(label, label, kept, (a, b, ways) => {
      const after = endorse(a, ways)
      expect(after).toEqual({
        untrusted: ways.trusted ? undefined : a.untrusted,
        private: ways.public ? undefined : a.private,
      })
      if (isBelow(a, b)) expect(isBelow(after, endorse(b, ways))).toBe(true)
    }),
  )
})
