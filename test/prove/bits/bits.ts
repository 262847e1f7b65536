/** Damages, one by one, and what became of each. */
import { Draw } from "../simulate/draw.ts"
import { Damages, damage, tellDamage } from "./damage.ts"
import { Bench } from "./judge.ts"
import { type Mark, makeSpecimens, type Specimen } from "./specimen.ts"

export interface Proved {
  /** How many there are in all. */
  readonly of: number
  readonly points: number
  /** How many were refused, noticed or harmless, by specimen and file. */
  readonly counts: ReadonlyMap<string, number>
  readonly violations: readonly string[]
}

/** `points` of them, drawn by the seed; all where there are not more. */
export async function proveBits(
  points: number,
  seed: number,
  onPoint: (done: number) => void = () => {},
): Promise<Proved> {
  const specimens = await makeSpecimens()
  const damages = new Damages(specimens)
  const counts = new Map<string, number>()
  const violations: string[] = []
  const bench = new Bench()
  const of = damages.count
  const draw = new Draw(seed, 0)
  const many = Math.min(points, of)
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
  try {
    violations.push(...(await proveCommits(specimens, bench, count)))
    for (let point = 0; point < many; point++) {
      // One of each stretch, so that a small slice meets all of the files.
      const from = Math.floor((point * of) / many)
      const one = damages.at(from + draw.below(Math.max(1, Math.floor(((point + 1) * of) / many) - from)))
      const verdict = await bench.judge(damage(one), one.specimen.marks.at(-1) as Mark)
      count(`${one.specimen.name} ${one.file} ${one.kind}: ${verdict.kind}`)
      if (verdict.kind === "violation") violations.push(`${tellDamage(one)}: ${verdict.said}`)
      onPoint(point + 1)
    }
  } finally {
    bench.close()
  }
  return { of, points: many + commitsIn(specimens), counts, violations }
}

const commitsIn = (specimens: readonly Specimen[]): number =>
  specimens.reduce((sum, { marks }) => sum + marks.length, 0)

/** Cut to what was on the disk after each commit: by the head of then it is whole, by the last one it is found out. */
async function proveCommits(
  specimens: readonly Specimen[],
  bench: Bench,
  count: (what: string) => void,
): Promise<readonly string[]> {
  const violations: string[] = []
  for (const { name, db, wal, marks } of specimens)
    for (const [index, mark] of marks.entries()) {
      const files = { db, wal: wal.subarray(0, mark.walBytes) }
      const then = await bench.judge(files, mark)
      const now = await bench.judge(files, marks.at(-1) as Mark)
      const last = index === marks.length - 1
      count(`${name}, cut to commit ${last ? "the last" : "an earlier one"}: ${now.kind}`)
      if (then.kind !== "harmless")
        violations.push(`${name} at commit ${index}: ${JSON.stringify(then)}, by its own head`)
      if (now.kind !== (last ? "harmless" : "noticed"))
        violations.push(`${name} at commit ${index}: ${JSON.stringify(now)}, by the last head`)
    }
  return violations
}
