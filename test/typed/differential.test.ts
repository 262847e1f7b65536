/** Generated catalogs and plans, asked of tsc and of the compiler. More of them: `npm run prove:types`. */
import { expect, test } from "vitest"
import { differ } from "./differential.ts"

test("types refuse nothing that the compiler accepts, and see what they claim to see", () => {
  const { cases, accepted, codes, differences } = differ(1_000, 20)
  expect(differences.slice(0, 3)).toEqual([])
  expect(accepted / cases).toBeGreaterThan(0.4)
  expect(codes.size).toBeGreaterThan(20)
}, 120_000)
