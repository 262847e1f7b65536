/** Until when an effect may be begun. Another process has it told in time that is left, with what the clocks said then. */

export interface Start {
  readonly leftMs: number
  readonly wallMs: number
  /** Of the machine: all its processes read the same. */
  readonly monotonicMs: number
}

const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** The clocks come first: whoever stands still in between has less time left, not more. */
export function stampStart(leftMs: () => number): Start {
  const stamped = { wallMs: Date.now(), monotonicMs: monotonicMs() }
  return { ...stamped, leftMs: leftMs() }
}

/** One clock may be set, and the other may not count while the machine sleeps: the one that says more is believed. */
export const leftOf = (
  { leftMs, ...stamped }: Start,
  now: Omit<Start, "leftMs"> = { wallMs: Date.now(), monotonicMs: monotonicMs() },
): number => leftMs - Math.max(now.wallMs - stamped.wallMs, now.monotonicMs - stamped.monotonicMs)
