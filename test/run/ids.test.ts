/** What runs are called. */
import * as Effect from "effect/Effect"
import { expect, test, vi } from "vitest"
import { Ids, live } from "../../src/run/ids.ts"

const { make } = Effect.runSync(Effect.provide(Ids, live))

test("runs are called by when they begin, so that a store keeps them side by side, and by what nobody guesses", () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    const times = [0, 1, 255, 1_700_000_000_000, 1_700_000_000_001]
    const ids = times.map((ms) => {
      vi.setSystemTime(ms)
      return make("run")
    })
    for (const id of ids) expect(id).toMatch(/^run_[0-9a-f]{32}$/)
    expect(ids.toSorted()).toEqual(ids)
    const alike = Array.from({ length: 1_000 }, () => make("run").slice(-20))
    expect(new Set(alike).size).toBe(1_000)
  } finally {
    vi.useRealTimers()
  }
})

test("what else is named tells nothing of when", () => {
  for (const kind of ["apr", "own", "salt"] as const) {
    const ids = Array.from({ length: 100 }, () => make(kind))
    expect(new Set(ids.map((id) => id.slice(0, 12))).size).toBe(100)
    for (const id of ids) expect(id).toMatch(new RegExp(`^${kind}_[0-9a-f]{32}$`))
  }
})
