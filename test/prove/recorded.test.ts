/** Recorded conversations, killed at points drawn by the seed and gone on with: they end as they did. */
import { describe, expect, test } from "vitest"
import { hasData } from "../data.ts"
import { proveRecorded } from "./recorded/recorded.ts"

const seed = Number(process.env.SEQUITUR_SEED ?? 1)

describe.skipIf(!hasData)("recorded results", () => {
  test(`each plan whole and killed twice, by seed ${seed}: final results are the recorded ones, each effect called once`, () => {
    const { rows, lives, resolved } = proveRecorded(2, seed)
    console.log(
      `${rows.map(({ suite, cases }) => `${suite}: ${cases}`).join(", ")}; ${lives} lives, ${resolved} doubts resolved`,
    )
    expect(rows.flatMap(({ unexplained }) => unexplained)).toEqual([])
    expect(rows.map(({ cases }) => cases)).toEqual([3 * 45, 3 * 75, 3 * 99])
    expect(resolved).toBeGreaterThan(0)
  }, 120_000)
})
