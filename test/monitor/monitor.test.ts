/** The monitor of effects: no more false alarms than it says, a fall found soon, and a hold that concerns nobody else. */
import fc from "fast-check"
import { compile, defineCatalog, tool } from "sequitur"
import { createMonitor, type Drift, type Monitor, type MonitorOptions } from "sequitur/gate"
import { describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { Cusum, lowerBound } from "../../src/planner/monitor/cusum.ts"

const place = { tenant: "acme", model: "m-1", tool: "refund" }
const open = (options: MonitorOptions = {}): { readonly monitor: Monitor; readonly clock: { ms: number } } => {
  const clock = { ms: 1_000_000 }
  return { clock, monitor: createMonitor({ now: () => clock.ms, ...options }) }
}

/** mulberry32: the same numbers every time. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const feed = (monitor: Monitor, count: number, accepted: boolean | (() => boolean), at = place): readonly Drift[] =>
  Array.from({ length: count }, () =>
    monitor.note({ ...at, accepted: typeof accepted === "boolean" ? accepted : accepted() }),
  ).flat()

/** Runs in which a series alarmed within so many calls. */
function alarms(share: number, runs: number, calls: number): number {
  let found = 0
  for (let seed = 1; seed <= runs; seed++) {
    const next = random(seed * 7_919 + Math.round(share * 1_000))
    const cusum = new Cusum({ learn: 50, fall: 0.25, between: 10_000 })
    for (let call = 0; call < calls; call++)
      if (cusum.note(next() < share)) {
        found++
        break
      }
  }
  return found
}

describe("a share that stays as it is", () => {
  test.each([0.2, 0.5, 0.8, 0.9, 0.97, 1])("%d: within 1,000 calls no more than 1,000 in 10,000 alarm", (share) => {
    // 10% is what is stated; the bound of what is usual leaves it far below.
    expect(alarms(share, 500, 1_000)).toBeLessThanOrEqual(50)
  })

  test("few calls raise nothing, whatever they are", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 50 }), (answers) => {
        const { monitor } = open()
        expect(answers.flatMap((accepted) => monitor.note({ ...place, accepted }))).toEqual([])
      }),
    )
  })

  test("nor do calls that get better", () => {
    const { monitor } = open()
    const next = random(3)
    expect(feed(monitor, 100, () => next() < 0.5)).toEqual([])
    expect(feed(monitor, 500, true)).toEqual([])
  })
})

describe("a share that falls", () => {
  test.each([
    [0.95, 0.4, 60],
    [0.9, 0.3, 60],
    [0.8, 0.2, 60],
    [0.6, 0, 60],
  ])("from %d to %d: is found within %d calls, in 99 of 100 cases", (before, after, within) => {
    let found = 0
    for (let seed = 1; seed <= 300; seed++) {
      const next = random(seed)
      const cusum = new Cusum({ learn: 100, fall: 0.25, between: 10_000 })
      for (let call = 0; call < 200; call++) cusum.note(next() < before)
      for (let call = 0; call < within; call++)
        if (cusum.note(next() < after)) {
          found++
          break
        }
    }
    expect(found).toBeGreaterThanOrEqual(297)
  })

  test("is told once, with its counts, of each whose it is; and again after a release", () => {
    const { monitor, clock } = open()
    feed(monitor, 100, true)
    clock.ms += 5
    const drifts = feed(monitor, 40, false)
    expect(drifts.map(({ of }) => of)).toEqual([place, { tenant: "acme" }, { model: "m-1" }, { tool: "refund" }])
    const [first] = drifts
    expect(first).toMatchObject({ atMs: 1_000_005, accepted: 100, holds: false })
    expect(first?.usual).toBeCloseTo(50 / (50 + 2.326 ** 2))
    expect(lowerBound(45, 50)).toBeCloseTo(0.76, 2)
    // So many, that ln(10,000) is passed.
    const { usual = 0, proposed = 0 } = first ?? {}
    expect(proposed - 100).toBe(Math.ceil(Math.log(10_000) / Math.log((1 - (usual - 0.25)) / (1 - usual))))
    expect(feed(monitor, 100, false)).toEqual([])
    monitor.release(place)
    expect(feed(monitor, 40, false).map(({ of }) => of)).toEqual([place])
    monitor.release({}, { learn: true })
    expect(feed(monitor, 200, false)).toEqual([])
  })

  test("the same calls raise the same", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (answers) => {
        const told = [open().monitor, open().monitor].map((monitor) => [
          answers.map((accepted) => monitor.note({ ...place, accepted })),
          monitor.series(),
        ])
        expect(told[0]).toEqual(told[1])
      }),
      { numRuns: 50 },
    )
  })

  test("within a stretch without a drift, what is told never is more than what was noted", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(20_000)), { maxLength: 100 }), (notes) => {
        const { monitor, clock } = open({ windowMs: 60_000 })
        const told: { readonly atMs: number; readonly accepted: boolean }[] = []
        for (const [accepted, waitMs] of notes) {
          clock.ms += waitMs
          monitor.note({ ...place, accepted })
          told.push({ atMs: clock.ms, accepted })
        }
        const [series] = monitor.series()
        const inWindow = told.filter(({ atMs }) => atMs > clock.ms - 60_000)
        const surely = told.filter(({ atMs }) => atMs > clock.ms - 55_000)
        expect(series?.proposed ?? 0).toBeLessThanOrEqual(inWindow.length)
        expect(series?.proposed ?? 0).toBeGreaterThanOrEqual(surely.length)
      }),
      { numRuns: 200 },
    )
  })
})

describe("a hold", () => {
  test("is of the tenant whose effects fell, and of nobody else", () => {
    const { monitor } = open({ hold: true })
    const other = { ...place, tenant: "umbrella" }
    feed(monitor, 100, true)
    feed(monitor, 100, true, other)
    feed(monitor, 60, false)
    expect(monitor.holds(place)).toMatchObject({ of: place, holds: true })
    expect(monitor.holds({ ...place, tool: "post" })).toMatchObject({ of: { tenant: "acme" } })
    // The tool and the model have drifted with it, and that holds nobody.
    expect(
      monitor
        .series()
        .filter(({ drift }) => drift !== undefined)
        .map(({ of }) => of),
    ).toContainEqual({ tool: "refund" })
    expect(monitor.holds(other)).toBeUndefined()
    monitor.release({ tenant: "acme" })
    expect(monitor.holds(place)).toBeUndefined()
  })

  test("is for the host to say, drift by drift; a function that throws holds", () => {
    const asked: unknown[] = []
    const { monitor } = open({ hold: (drift) => asked.push(drift) < 0 })
    feed(monitor, 100, true)
    feed(monitor, 60, false)
    expect(asked).toHaveLength(2)
    expect(monitor.holds(place)).toBeUndefined()
    const strict = open({
      hold: () => {
        throw new Error("no idea")
      },
    }).monitor
    feed(strict, 100, true)
    feed(strict, 60, false)
    expect(strict.holds(place)).toBeDefined()
  })
})

test("plans are noted by what the compiler says of them", () => {
  const { monitor } = open({ hold: true })
  const catalog = defineCatalog({
    name: "shop",
    version: "1",
    tools: {
      refund: tool({
        description: "Refund.",
        effect: "write",
        params: z.strictObject({ cents: z.int().max(500) }),
        idempotency: "natural",
        compensate: "none",
      }),
    },
  })
  const plan = (cents: number): readonly Drift[] => {
    const { ok } = compile(
      catalog,
      JSON.stringify({ version: 1, steps: [{ id: "a", tool: "refund", args: { cents } }] }),
    )
    return monitor.note({ ...place, accepted: ok })
  }
  for (let cents = 1; cents <= 60; cents++) expect(plan(cents)).toEqual([])
  const drifts = Array.from({ length: 20 }, (_, index) => plan(1_000 + index)).flat()
  expect(drifts[0]).toMatchObject({ of: place, holds: true })
})

test("it keeps so many series and no more, and forgets none that has drifted", () => {
  const { monitor } = open({ seriesMax: 12, hold: true })
  feed(monitor, 100, true)
  feed(monitor, 60, false)
  for (let index = 0; index < 200; index++)
    feed(monitor, 1, true, { tenant: `t${index}`, model: `m${index}`, tool: "x" })
  expect(monitor.series()).toHaveLength(12)
  expect(monitor.holds(place)).toBeDefined()
})

test("whoever is told of a drift neither fails nor delays a call, nor changes it", async () => {
  const heard: unknown[] = []
  const { monitor } = open({
    hold: true,
    onDrift: (drift) => {
      heard.push(drift)
      Reflect.set(drift, "holds", false)
      throw new Error("in the host")
    },
  })
  feed(monitor, 100, true)
  feed(monitor, 60, false)
  expect(heard).toEqual([])
  await vi.waitFor(() => expect(heard).toHaveLength(4))
  expect(monitor.holds(place)).toBeDefined()
})

test.each([
  ["an hour in text", { windowMs: "1h" }],
  ["too few to learn from", { learn: 5 }],
  ["a fall by nothing", { fall: 0 }],
  ["false alarms at once", { falseAlarmEvery: 1 }],
  ["no room", { seriesMax: 0 }],
  ["a hold that is neither", { hold: "yes" }],
  ["no function", { onDrift: 1 }],
  ["no clock", { now: 1 }],
  ["nothing", null],
])("options that are none are told: %s", (_, options) => {
  expect(() => createMonitor(options as never)).toThrow(TypeError)
})
