/** Many stories; of those that go wrong, the least that goes wrong in the same way. */
import { type StoreKind, type Story, type StoryOptions, tell } from "./story.ts"

/** So many stories in a hundred are on SQLite. */
const onDiskPercent = 4
const failuresShown = 5
const triesMax = 400

export interface Simulated {
  readonly runs: number
  readonly entries: number
  readonly struck: number
  readonly onDisk: number
  readonly counts: ReadonlyMap<string, number>
  readonly failed: number
  /** Cut down, the first few. */
  readonly failures: readonly Story[]
}

export const storeOf = (seed: number): StoreKind => (seed % 100 < onDiskPercent ? "sqlite" : "memory")

export async function simulate(
  seed: number,
  seeds: number,
  onStory: (done: number) => void = () => {},
): Promise<Simulated> {
  const counts = new Map<string, number>()
  const failures: Story[] = []
  let [runs, entries, struck, onDisk, failed] = [0, 0, 0, 0, 0]
  for (let index = 0; index < seeds; index++) {
    const store = storeOf(seed + index)
    const story = await tell(seed + index, { store })
    runs += story.runs
    entries += story.entries
    struck += story.struck.length
    if (store === "sqlite") onDisk++
    for (const [what, times] of story.counts) counts.set(what, (counts.get(what) ?? 0) + times)
    if (story.violations.length > 0) {
      failed++
      if (failures.length < failuresShown) failures.push(await shrink(story, { store }))
    }
    onStory(index + 1)
  }
  return { runs, entries, struck, onDisk, counts, failed, failures }
}

/** The same story with fewer runs and fewer faults, as long as it goes wrong in the same way. */
export async function shrink({ seed, violations }: Story, options: StoryOptions): Promise<Story> {
  const kind = kindOf(violations)
  let least = await tell(seed, { ...options, lines: true })
  let spared: ReadonlySet<number> = new Set()
  let runsMax = 3
  let tries = 0
  const attempt = async (tried: ReadonlySet<number>, runs: number): Promise<boolean> => {
    if (tries++ > triesMax) return false
    const story = await tell(seed, { ...options, spared: tried, runsMax: runs, lines: true })
    if (kindOf(story.violations) !== kind) return false
    least = story
    spared = tried
    runsMax = runs
    return true
  }
  for (const runs of [1, 2]) if (await attempt(spared, runs)) break
  // Halves of what struck, then quarters, and so on.
  for (let size = least.struck.length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < least.struck.length; ) {
      const without = least.struck.slice(from, from + size).map(({ chance }) => chance)
      if (!(await attempt(new Set([...spared, ...without]), runsMax))) from += size
    }
  }
  return least
}

/** Which invariant it was: without names and numbers. */
const kindOf = ([first]: readonly string[]): string | undefined =>
  first?.replace(/k1:[0-9a-f]+|[a-z]*\d+(\.\d+)?(-\d+)?/g, "#").slice(0, 60)

/** All that is needed to see it. */
export function tellFailure({ seed, store, violations, struck, lines }: Story): string {
  const story = lines.slice(1).map((line) => {
    const { runId, seq, atMs, event } = JSON.parse(line)
    const { kind, stepId, tool, attempt, undoes, again, answer, status, failure, idempotencyKey, generation } = event
    const shown = {
      stepId,
      tool,
      attempt,
      undoes,
      key: idempotencyKey?.slice(3, 9),
      generation,
      again,
      answer,
      status,
      failure: failure?.message,
    }
    return `  ${runId} ${seq} ${atMs - 1_700_000_000_000} ms ${kind} ${JSON.stringify(shown)}`
  })
  return [
    `VIOLATION seed ${seed} (${store}): npm run prove:simulate -- --seeds 1 --seed ${seed}`,
    ...violations.slice(0, 5).map((problem) => `  ! ${problem}`),
    ...struck.map(({ what, atMs, chance }) => `  ${Math.floor(atMs)} ms: ${what} (chance ${chance})`),
    ...story,
  ].join("\n")
}
