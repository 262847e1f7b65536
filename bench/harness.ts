/**
 * Races contenders in one process: in rounds, one short sample of each in each round, so that whatever else the machine
 * does meets all alike. Trust the ratios: they are taken within a round, and their median is told.
 */

export interface Contender {
  readonly name: string
  /** Does its work so many times. */
  readonly run: (times: number) => unknown
}

export interface Pace {
  readonly rounds: number
  /** How long one sample of a contender is. */
  readonly sampleMs: number
  /** How long each contender runs before anything is counted. */
  readonly warmMs: number
}

/** How one contender did, the first one being what all are held against. */
export interface Standing {
  readonly name: string
  /** Of one time, the median over the rounds. */
  readonly microseconds: number
  /** To the first contender: the median of the rounds' ratios. */
  readonly ratio: number
  /** The same of the best samples of both. Where it is far from `ratio`, trust neither. */
  readonly bestRatio: number
}

/** Milliseconds of processor time, those of the garbage collector's and the compiler's threads too. A neighbour that takes
 *  the processor away does not count. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** For what waits on the disk. */
export const wallMs = (): number => performance.now()

export async function race(
  contenders: readonly Contender[],
  pace: Pace,
  clock = processorMs,
): Promise<readonly Standing[]> {
  // Once, not before each sample: a full collection also forgets the shapes of objects, and with them what was optimised.
  globalThis.gc?.()
  const runners: { readonly contender: Contender; readonly times: number; readonly samples: number[] }[] = []
  for (const contender of contenders)
    runners.push({ contender, times: await warm(contender, pace, clock), samples: [] })
  for (let round = 0; round < pace.rounds; round++) {
    // There and back, so that nobody always comes after the same neighbour.
    for (const { contender, times, samples } of round % 2 === 0 ? runners : runners.toReversed()) {
      samples.push((await sample(contender, times, clock)) / times)
    }
  }
  const base = runners[0]?.samples ?? []
  return runners.map(({ contender: { name }, samples }) => ({
    name,
    microseconds: 1000 * median(samples),
    ratio: median(samples.map((ms, round) => ms / (base[round] ?? Number.NaN))),
    bestRatio: Math.min(...samples) / Math.min(...base),
  }))
}

/** Gives back how many times make one sample. */
async function warm(contender: Contender, { sampleMs, warmMs }: Pace, clock: () => number): Promise<number> {
  let times = 1
  let lastMs = await sample(contender, times, clock)
  for (let spentMs = lastMs; spentMs < warmMs; spentMs += lastMs) {
    if (lastMs < warmMs / 4) times *= 2
    lastMs = await sample(contender, times, clock)
  }
  return Math.max(1, Math.round((times * sampleMs) / lastMs))
}

async function sample(contender: Contender, times: number, clock: () => number): Promise<number> {
  const startMs = clock()
  await contender.run(times)
  return Math.max(clock() - startMs, 0.001)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
