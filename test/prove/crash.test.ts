/** Two of the plans that `npm run prove:crash` kills everywhere. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Bundle, bundle } from "./bundle.ts"
import { explore } from "./explore.ts"
import { tellViolation } from "./proof.ts"
import { Stage } from "./stage.ts"
import type { Shape } from "./zoo.ts"

let bundled: Bundle
let stage: Stage
beforeAll(async () => {
  bundled = await bundle()
  stage = await Stage.set(2, bundled.flags)
})
afterAll(() => {
  stage.strike()
  bundled.drop()
})

async function expectNoViolation(shape: Shape, crashes: number): Promise<void> {
  const { points, violations } = await explore(stage, shape, {
    crashes,
    gaps: ["late", "soon"],
    killedIn: crashes,
    killOneOf: 1,
    seed: 1,
  })
  expect(violations.map(tellViolation)).toEqual([])
  expect(points).toBeGreaterThan(20)
}

/** Hundreds of processes, on a machine that may have other work. */
const timeout = 300_000

test(
  "a tool that is settled by asking and waiting, killed at every point and at every point of its recovery",
  {
    timeout,
  },
  () => expectNoViolation(["do_told"], 2),
)

test("a key that is barred, an effect that is undone: killed at every point", { timeout }, () =>
  expectNoViolation(["try_barred", "refuse"], 1),
)
