/** Every bit and byte of a journal's files, a slice of them: `npm run prove:bits -- --points all` takes all. */
import { expect, test } from "vitest"
import { proveBits } from "./bits/bits.ts"
import { Bench } from "./bits/judge.ts"
import { type Mark, makeSpecimens } from "./bits/specimen.ts"

const seed = Number(process.env.SEQUITUR_SEED ?? 1)
const points = 400

test(`${points} damages from seed ${seed}, and a cut at each commit: each is noticed, or harmless`, async () => {
  const { of, counts, violations } = await proveBits(points, seed)
  console.log(`${points} of ${of}: ${[...counts].map(([what, times]) => `${what} ${times}`).join(", ")}`)
  expect(violations).toEqual([])
  for (const what of ["closed db cut: refused", "live wal flip: noticed", "closed db flip: harmless"])
    expect(counts.get(what) ?? 0, what).toBeGreaterThan(0)
}, 120_000)

test("what is undamaged is harmless; what says other things than were written is not", async () => {
  const bench = new Bench()
  try {
    for (const { db, wal, marks } of await makeSpecimens()) {
      const mark = marks.at(-1) as Mark
      expect(await bench.judge({ db, wal }, mark)).toEqual({ kind: "harmless" })
      expect(await bench.judge({ db, wal }, { ...mark, lines: mark.lines.toReversed() })).toMatchObject({
        kind: "violation",
      })
      expect(await bench.judge({ db, wal }, { ...mark, schema: "" })).toMatchObject({ kind: "violation" })
      const [runId = "", head] = Object.entries(mark.anchor.runs)[0] ?? []
      const rewritten = { ...mark.anchor, runs: { [runId]: { entries: head?.entries ?? 0, hash: "0".repeat(64) } } }
      expect(await bench.judge({ db, wal }, { ...mark, anchor: rewritten })).toEqual({
        kind: "noticed",
        said: "rewritten",
      })
    }
  } finally {
    bench.close()
  }
})
