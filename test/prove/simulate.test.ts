/** Deterministic simulation, a slice of it: `npm run prove:simulate -- --seeds 10000 --seed 1` tells more stories. */
import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { digestOf } from "./simulate/retell.ts"
import { shrink, simulate, tellFailure } from "./simulate/simulate.ts"
import { tell } from "./simulate/story.ts"

const seed = Number(process.env.SEQUITUR_SEED ?? 1)
const seeds = 500

test(`${seeds} stories from seed ${seed}: no effect twice, none lost, and each run comes to its end`, async () => {
  const { failures, failed, counts } = await simulate(seed, seeds)
  expect(failures.map(tellFailure).join("\n\n")).toBe("")
  expect(failed).toBe(0)
  // Each kind of fault was there, and each kind of end.
  for (const what of [
    ...["killed", "frozen", "clock set", "taken over", "disk full", "disk broken", "slow disk", "not readable"],
    ...[
      "killed before it was written",
      "killed when it was written",
      "killed between two tasks",
      "killed while asking",
    ],
    ...["refused", "failed before", "failed after", "failed on its way", "lost", "mute", "late", "nonsense"],
    ...["cannot tell", "told slowly"],
    ...[
      "succeeded",
      "failed",
      "cancelled",
      "exhausted",
      "in_doubt",
      "awaiting_approval",
      "LeaseLost",
      "OutcomeNotRecorded",
    ],
  ])
    expect(counts.get(what) ?? 0, what).toBeGreaterThan(0)
}, 120_000)

test("the same seed is the same journal, byte for byte, in two processes", async () => {
  // The first is on SQLite.
  const told = [100, 101, 138, 1984, 5004, 5023].map((each) => each + seed - 1)
  const retell = new URL("simulate/retell.ts", import.meta.url).pathname
  const there = spawnSync(process.execPath, ["--conditions=@sequitur/source", retell, ...told.map(String)], {
    encoding: "utf8",
  })
  expect(there.stderr).toBe("")
  expect(there.stdout.trim()).toBe(await digestOf(told))
})

for (const [planted, problem] of [
  ["forgets", "took effect 2 times"],
  ["lies", /took effect 2 times|was called again|is in effect twice/],
] as const)
  test(`an outside world that ${planted} is found out, and its story cut down`, async () => {
    for (let each = 1; ; each++) {
      const story = await tell(each, { store: "memory", planted })
      if (story.violations.length === 0) continue
      const least = await shrink(story, { store: "memory", planted })
      expect(least.violations[0]).toMatch(problem)
      expect(least.struck.length).toBeLessThanOrEqual(Math.min(8, story.struck.length))
      expect(tellFailure(least)).toContain(`npm run prove:simulate -- --seeds 1 --seed ${each}`)
      return
    }
  })
