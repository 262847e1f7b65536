/** Two of the plans that `npm run prove:crash` ends everywhere; and what would be noticed. */
import { execFile } from "node:child_process"
import { resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Bundle, bundle } from "./bundle.ts"
import { choose, countPlans, partOf } from "./choose.ts"
import { explore } from "./explore.ts"
import { judge } from "./judge.ts"
import { prove, tellViolation } from "./proof.ts"
import { Stage } from "./stage.ts"

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

/** Hundreds of processes, on a machine that may have other work. */
const timeout = 300_000

const bounds = { crashes: 2, gaps: ["late", "soon"], killOneOf: 10, seed: 1 } as const

test("a tool that is settled by asking and waiting, killed at every point and at every point of its recovery, or ended by a copy: the same states", {
  timeout,
}, async () => {
  const proofs = await Promise.all(
    [2, 0].map((killedIn) =>
      prove([["do_told"]], { bounds: { ...bounds, killedIn }, jobs: 1, plansMax: 1, untilMs: Infinity }),
    ),
  )
  const [killed, copied] = proofs.map(({ counts }) => counts)
  expect(proofs.flatMap(({ violations }) => violations.map(tellViolation))).toEqual([])
  expect(killed).toMatchObject({ points: copied?.points, states: copied?.states, copied: 0 })
  expect(copied?.killed).toBeLessThan(30)
  expect(killed?.killed).toBeGreaterThan(80)
})

/** Found after 159 plans: each life had left a file open, until no more could be, and what was not kept was gone on from. */
test("however many lives are lived in one process, they leave no file open; and a prover without a plan goes home", {
  timeout,
}, async () => {
  const script = resolve(import.meta.dirname, "crash.ts")
  const flags = `--conditions=@sequitur/source ${script} --plan do_told --killed 0 --seed 1 --jobs 2`
  const { stdout } = await promisify(execFile)("sh", ["-c", `ulimit -n 100 && exec "${process.execPath}" ${flags}`])
  expect(stdout).toMatch(/\d{3,} lives/)
  expect(stdout).toMatch(/points, 0 violations\n$/)
})

test("a key that is barred, an effect that is undone: killed at every point, and each life in a process", {
  timeout,
}, async () => {
  const { points, killed, violations } = await explore(stage, ["try_barred", "refuse"], {
    ...bounds,
    crashes: 1,
    killedIn: 1,
  })
  expect(violations.map(tellViolation)).toEqual([])
  expect(killed).toBe(points)
  expect(points).toBeGreaterThan(20)
})

test("what the outside has seen twice, what was acknowledged and is lost, what is in doubt for no reason: each is told", {
  timeout,
}, async () => {
  const shape = ["do_key"]
  const state = stage.fresh()
  const ended = await stage.live(state, { shape, way: "run", seed: "0" })
  const kept = await stage.kept(state)
  const ground = stage.ground(state)
  stage.drop(state)
  const stopped = { shape, ended, ...kept, ground, unharmed: true }
  expect(judge(stopped)).toEqual([])
  const [effect] = ground.effects
  expect(judge({ ...stopped, ground: { ...ground, effects: [...ground.effects, ...ground.effects] } })[0]).toContain(
    "2 times",
  )
  expect(judge({ ...stopped, ground: { ...ground, effects: [] } })[0]).toContain("was done 0")
  const strange = { ...ground, effects: [{ ...effect, key: "another" } as NonNullable<typeof effect>] }
  expect(judge({ ...stopped, ground: strange })).toEqual(["do_key s1 has happened without an intent"])
  const acknowledged = { ...ground.acknowledged, 9: "{}" }
  expect(judge({ ...stopped, ground: { ...ground, acknowledged } })).toEqual(["entry 9 was acknowledged, and is lost"])
  expect(judge({ ...stopped, ended: { ended: "failed", points: [] } })[0]).toContain("said failed")
  expect(judge({ ...stopped, entries: kept.entries.slice(0, 2) }).join()).toContain("it has not stopped")
  expect(judge({ ...stopped, findings: ["a table is wrong"] })).toEqual(["a table is wrong"])
})

test("the parts of a proof are the whole, by whatever seed", () => {
  const parts = [1, 2, 3].flatMap((part) => [...partOf(choose(7, 1, 2), part, 3, 0)])
  expect(new Set(parts.map(String)).size).toBe(countPlans(1, 2))
  expect(parts).toHaveLength(countPlans(1, 2))
  expect([...partOf(choose(7, 1, 2), 2, 3, 5)]).toEqual([...partOf(choose(7, 1, 2), 2, 3, 0)].slice(5))
})
