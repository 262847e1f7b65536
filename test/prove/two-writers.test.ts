/**
 * Two processes and one run: the owner is stopped just before it calls and in the middle of the call, another takes the run over
 * and takes it to its end, and then the owner goes on as if nothing had been. For every tool of the zoo.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Bundle, bundle } from "./bundle.ts"
import { Stage } from "./stage.ts"
import { pointsOf, type Suspended, suspend } from "./suspend.ts"
import { kindNames, kinds } from "./zoo.ts"

/** Longer than some keys are kept, and shorter than others. */
const hoursMs = 20 * 3_600_000

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

const observedIn = ({ entries }: Suspended) =>
  entries.flatMap(({ event }) => (event.kind === "observed" ? [event] : []))

describe.concurrent.each(kindNames)("%s", (kind) => {
  const shape = [`do_${kind}`]

  test("the owner is stopped in the middle of its call", async () => {
    const at = (await pointsOf(stage, shape)).indexOf(`sent do_${kind}`)
    for (const other of ["resumes", "takes-over"] as const) {
      const suspended = await suspend(stage, { shape, at, other })
      expect(suspended.problems).toEqual([])
      expect(suspended.ended.ended).toBe("LeaseLost")
      // What it has heard is kept, and is no outcome of its own.
      const answers = observedIn(suspended).map(({ answer }) => answer)
      expect(answers).toContain("delayMs" in kinds[kind].outside ? answers[0] : "answered")
    }
  })

  test("the owner is stopped when its intent is durable, before it calls", async () => {
    const points = await pointsOf(stage, shape)
    const at = points.lastIndexOf("after COMMIT", points.indexOf(`before do_${kind}`))
    for (const other of ["resumes", "takes-over"] as const) {
      const suspended = await suspend(stage, { shape, at, other })
      expect(suspended.problems).toEqual([])
      expect(suspended.ended.ended).toBe("LeaseLost")
    }
  })

  test("the owner sleeps for hours at any point, and nobody else comes", async () => {
    const points = await pointsOf(stage, shape)
    const at = points.lastIndexOf("after COMMIT", points.indexOf(`before do_${kind}`))
    for (const point of [at, points.indexOf(`sent do_${kind}`)]) {
      const suspended = await suspend(stage, { shape, at: point, other: "nobody", passMs: hoursMs })
      expect(suspended.problems).toEqual([])
    }
  })
})
