/** Handlers in processes of their own: the same answers as at home, and an end where at home there would be none. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { definePlan } from "sequitur"
import { createRunner, isolated, memory, reconciled, toolbox } from "sequitur/run"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { passOn } from "../../src/run/call/isolated/flags.ts"
import { readReport } from "../../src/run/call/isolated/report.ts"
import { leftOf, stampStart } from "../../src/run/call/isolated/start.ts"
import { perform } from "../../src/run/call/perform.ts"
import { performReconcile } from "../../src/run/call/reconcile.ts"
import { defaultBounds } from "../../src/text/bounds.ts"
import { call, catalog, idempotencyKey, makeStation, pause } from "./calling.ts"
import { accepted, scope } from "./desk.ts"
import type * as handlers from "./isolated-handlers.ts"

const escaped: unknown[] = []
const note = (error: unknown): void => {
  escaped.push(error)
}
beforeAll(() => {
  process.on("unhandledRejection", note)
  process.on("uncaughtException", note)
})
afterAll(() => {
  process.off("unhandledRejection", note)
  process.off("uncaughtException", note)
  expect(escaped).toEqual([])
})

const module = new URL("./isolated-handlers.ts", import.meta.url)

/** To begin a process takes a while, and on a busy machine longer than a tool may. What it answers to this does not matter. */
const warmUp = Effect.fnUntraced(function* (handler: ReturnType<typeof isolated>) {
  const { worker } = yield* makeStation({ put: { call: handler } })
  yield* perform(worker, call("put", { args: { n: 0 } }), { ms: 30_000 })
})

const until = (holds: () => boolean) =>
  Effect.promise(async () => {
    const end = performance.now() + 20_000
    while (!holds() && performance.now() < end) await new Promise((done) => setTimeout(done, 10))
  })

/** By the clock on the wall: processes know no other. A `warm` one has answered before. */
const make = (name: keyof typeof handlers, { calling = call("put"), ms = 30_000, memoryMb = 200, warm = false } = {}) =>
  Effect.gen(function* () {
    const handler = isolated(module, name, { memoryMb })
    const { worker, observed } = yield* makeStation({ [calling.tool.name]: { call: handler } })
    if (warm) yield* warmUp(handler)
    const beganMs = performance.now()
    const fiber = yield* Effect.forkChild(perform(worker, calling, { ms }))
    yield* pause(0)
    return {
      fiber,
      worker,
      observed,
      event: Effect.map(Fiber.join(fiber), (event) => ({ event, tookMs: performance.now() - beganMs })),
    }
  })

/** The same, and waits for its end. */
const finish = (...given: Parameters<typeof make>) =>
  Effect.gen(function* () {
    const { event, observed } = yield* make(...given)
    return { ...(yield* event), observed }
  })

describe("in a process of its own a handler answers as at home", () => {
  for (const name of ["answer", "promise", "effect", "interrupted"] as const) {
    it.live(name, () =>
      Effect.gen(function* () {
        expect((yield* finish(name)).event).toMatchObject({ kind: "outcome", result: { n: 2 } })
      }),
    )
  }

  it.live("is told the same", () =>
    Effect.gen(function* () {
      const { event } = yield* finish("context", { calling: call("put", { attempt: 3 }) })
      const principal = { tenant: "acme", subject: "ann", roles: ["agent"] }
      const told = { idempotencyKey, attempt: 3, principal, runId: "run", stepId: "put", aborted: false }
      expect(event).toMatchObject({ kind: "outcome", result: { n: 2, told } })
    }),
  )

  const unusable = {
    mismatch: "ResultMismatch",
    date: "ResultNotPlain",
    getter: "ResultNotPlain",
    large: "ResultTooLarge",
  } as const
  for (const [name, tag] of Object.entries(unusable)) {
    it.live(`A097, A098: ${name} is a ${tag}, found before it comes over`, () =>
      Effect.gen(function* () {
        const { event } = yield* finish(name as keyof typeof unusable)
        expect(event).toMatchObject({ kind: "outcome", failure: { tag } })
      }),
    )
  }

  it.live("D21: half a character comes over as it is", () =>
    Effect.gen(function* () {
      expect((yield* finish("halves")).event).toMatchObject({ kind: "outcome", result: { n: 2, text: "\ud83d" } })
    }),
  )

  it.live("what it throws is told as at home, and what was not applied", () =>
    Effect.gen(function* () {
      for (const name of ["fails", "throwsNull"] as const) {
        expect((yield* finish(name)).event).toMatchObject({ kind: "answer-lost", failure: { tag: "EffectInDoubt" } })
        expect((yield* finish(name, { calling: call("get") })).event).toMatchObject({ kind: "attempt-failed" })
      }
      for (const name of ["declines", "effectFails"] as const) {
        const { event } = yield* finish(name)
        expect(event).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepFailed" } })
        expect(event).toHaveProperty("failure.message", expect.stringContaining("card declined"))
        expect("retryAfterMs" in event ? event.retryAfterMs : undefined).toBe(name === "declines" ? 500 : undefined)
      }
    }),
  )

  it.live("whatever door its module has come in by", () =>
    Effect.gen(function* () {
      const door = new URL("./isolated-door.ts", import.meta.url)
      const { worker } = yield* makeStation({ put: { call: isolated(door, "decline") } })
      const event = yield* perform(worker, call("put"), { ms: 30_000 })
      expect(event).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepFailed" } })
      expect(event).toHaveProperty("failure.message", expect.stringContaining("said: card declined"))
    }),
  )

  it.live("in a whole run, one step after the other", () =>
    Effect.gen(function* () {
      const answer = isolated<typeof handlers.answer>(module, "answer")
      yield* warmUp(answer)
      const plan = accepted(
        definePlan(catalog, {
          version: 1,
          steps: [
            { id: "a", tool: "put", args: { n: 1 } },
            { id: "b", tool: "put", args: { n: { $from: "a", path: "/n" } } },
            { id: "c", tool: "put", args: { n: { $from: "b", path: "/n" } } },
          ],
        }),
      )
      const plain = () => ({ n: 0 })
      const runner = createRunner({
        catalog,
        store: memory(),
        tools: {
          get: plain,
          any: plain,
          set: { call: plain, reconcile: () => reconciled.barred() },
          put: {
            call: answer,
            reconcile: isolated<typeof handlers.reconcile>(module, "reconcile"),
          },
        },
      })
      const { principal, sessionId, taskId } = scope
      const report = yield* Effect.promise(() => runner.run(plan, { principal, sessionId, taskId }))
      expect(report).toMatchObject({ status: "succeeded", steps: { a: { n: 2 }, b: { n: 3 }, c: { n: 4 } } })
      yield* Effect.promise(() => runner.close())
    }),
  )

  it.live("`reconcile` too", () =>
    Effect.gen(function* () {
      const settle = Effect.fnUntraced(function* (name: keyof typeof handlers, n: number) {
        const reconcile = isolated(module, name)
        yield* warmUp(reconcile)
        const { worker } = yield* makeStation({ put: { reconcile } })
        return yield* performReconcile(worker, { ...call("put", { args: { n } }), idempotencyKey })
      })
      expect(yield* settle("reconcile", 1)).toMatchObject({ answer: "applied", result: { n: idempotencyKey.length } })
      expect(yield* settle("reconcile", 2)).toMatchObject({ answer: "barred" })
      expect(yield* settle("reconcileLarge", 1)).toMatchObject({
        answer: "applied",
        failure: { tag: "ResultTooLarge" },
      })
      expect(yield* settle("reconcileOddly", 1)).toMatchObject({ answer: "unknown" })
      expect(yield* settle("blocks", 1)).toMatchObject({ answer: "unknown" })
    }),
  )
})

describe("a process is ended", () => {
  it.live("when its handler blocks: an effect is lost, a read has failed, and nobody else waits", () =>
    Effect.gen(function* () {
      let turns = 0
      const turning = setInterval(() => turns++, 10)
      const effect = yield* finish("blocks", { ms: 300, warm: true })
      expect(effect.event).toMatchObject({ kind: "answer-lost", failure: { tag: "EffectInDoubt" } })
      expect(effect.tookMs).toBeLessThan(1_500)
      expect(turns).toBeGreaterThan(10)
      clearInterval(turning)
      const read = yield* finish("blocks", { calling: call("get"), ms: 300, warm: true })
      expect(read.event).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepTimedOut" } })
    }),
  )

  for (const name of ["eatsHeap", "eatsAtOnce", "eatsBuffers"] as const) {
    it.live(`when its handler ${name}`, () =>
      Effect.gen(function* () {
        const { event } = yield* finish(name, { memoryMb: 64 })
        expect(event).toMatchObject({ kind: "answer-lost", failure: { tag: "EffectInDoubt" } })
        expect(event).toHaveProperty("failure.message", expect.stringMatching(/memory than its 64 MB/))
        const read = yield* finish(name, { calling: call("get"), memoryMb: 64 })
        expect(read.event).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepFailed" } })
      }),
    )
  }

  const ends = {
    exits: "ended with code 3",
    aborts: "ended by SIGABRT; that happens when it needs more memory than its 200 MB, or aborts itself",
    crashes: "ended by SIGSEGV",
    hangsUp: "closed its line",
  } as const
  for (const [name, said] of Object.entries(ends)) {
    it.live(`by its handler: ${name}`, () =>
      Effect.gen(function* () {
        const { event } = yield* finish(name as keyof typeof ends)
        expect(event).toMatchObject({ kind: "answer-lost" })
        expect(event).toHaveProperty("failure.message", expect.stringContaining(said))
      }),
    )
  }
})

describe("what its process says may be anything", () => {
  const begun = { kind: "began", call: 1 }
  const answered = (answer: unknown, call: unknown = 1) => JSON.stringify({ kind: "answered", call, answer })
  const returned = (value: unknown) => answered({ kind: "returned", value })
  const nonsense: Readonly<Record<string, string | readonly number[]>> = {
    "what is no JSON": "hello garbage",
    "what is no text": [0xff, 0xfe, 0x0a],
    "a frame of another kind": [0, 0, 0, 8, 65, 65, 65, 65, 65, 65, 65, 65],
    null: "null\n",
    "a number": "7\n",
    "no kind": "{}\n",
    "another kind": '{"kind":"hello","call":1}\n',
    "a call without a number": '{"kind":"began"}\n',
    "another call": `${JSON.stringify({ ...begun, call: 2 })}\n`,
    "no answer": '{"kind":"answered","call":1}\n',
    "an answer that is null": `${answered(null)}\n`,
    "an answer of another kind": `${answered({ kind: "nonsense" })}\n`,
    "a throw without words": `${answered({ kind: "threw" })}\n`,
    "a throw of another's word": `${answered({ kind: "threw", said: 7, notApplied: true })}\n`,
    "a throw that is perhaps applied": `${answered({ kind: "threw", said: "x", notApplied: "true" })}\n`,
    "a value that is null": `${returned(null)}\n`,
    "a value that is not there": `${returned({ ok: true })}\n`,
    "no problem": `${returned({ ok: false })}\n`,
    "a problem of another kind": `${returned({ ok: false, at: "/", problem: 7 })}\n`,
  }
  test("but only what is a report is taken for one", () => {
    const asked = { for: "result", bounds: defaultBounds } as const
    for (const [name, written] of Object.entries(nonsense)) {
      const report = readReport(
        Buffer.from(written as string)
          .toString()
          .trimEnd(),
        asked,
      )
      // That it is of another call is seen by whoever made it.
      if (name === "another call") expect(report).toEqual({ kind: "began", call: 2 })
      else expect(report, name).toBeUndefined()
    }
    expect(readReport(JSON.stringify(begun), asked)).toEqual(begun)
    expect(readReport(JSON.stringify(begun), undefined)).toBeUndefined()
    expect(readReport('{"kind":"stray"}', undefined)).toEqual({ kind: "stray" })
    const settling = { for: "reconciliation", bounds: defaultBounds } as const
    for (const value of [null, {}, { kind: "done" }, { kind: "applied" }, { kind: "unknown" }, { ok: true, value: 1 }])
      expect(readReport(returned(value), settling), JSON.stringify(value)).toBeUndefined()
    expect(readReport(returned({ kind: "barred" }), settling)).toMatchObject({ answer: { value: { kind: "barred" } } })
  })

  it.live("and then the call is in doubt, a read has failed, and the next one is made elsewhere", () =>
    Effect.gen(function* () {
      const handler = isolated(module, "writes")
      const { worker, observed } = yield* makeStation({ put: { call: handler }, get: { call: handler } })
      const ask = (tool: "put" | "get", written?: string | readonly number[]) => {
        const args = { n: 1, ...(typeof written === "string" ? { text: written } : written && { bytes: [...written] }) }
        return perform(worker, call(tool, { args }), { ms: 30_000 })
      }
      for (const name of ["what is no text", "a frame of another kind", "null", "another call"] as const) {
        const event = yield* ask("put", nonsense[name])
        expect(event, name).toMatchObject({ kind: "answer-lost", failure: { tag: "EffectInDoubt" } })
        expect(event, name).toHaveProperty("failure.message", expect.stringContaining("its process said what is no"))
      }
      expect(yield* ask("get", nonsense.null)).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepFailed" } })
      expect(yield* ask("put")).toMatchObject({ kind: "outcome", result: { n: 1 } })
      expect(observed).toEqual([])
    }),
  )

  it.live("a result beyond its bounds, or of another shape, is held to them on this side too", () =>
    Effect.gen(function* () {
      const handler = isolated(module, "writes")
      const { worker } = yield* makeStation({ put: { call: handler } })
      for (const [written, tag] of [
        [returned({ ok: true, value: { n: "2" } }), "ResultMismatch"],
        [returned({ ok: true, value: { n: 1, text: "x".repeat(20_000) } }), "ResultTooLarge"],
        [returned({ ok: true, value: { n: 1 } }).replace("1}}", "1e999}}"), "ResultNotPlain"],
        [
          `{"kind":"answered","call":1,"answer":{"kind":"returned","value":{"ok":true,"value":{"__proto__":1}}}}`,
          "ResultNotPlain",
        ],
      ] as const) {
        const event = yield* perform(worker, call("put", { args: { n: 1, text: `${written}\n` } }), { ms: 30_000 })
        expect(event).toMatchObject({ kind: "outcome", failure: { tag } })
        // Its own answer, after that, is one of no call.
        yield* pause(100)
      }
    }),
  )

  it.live("and as much as it likes: it is heard no longer than an answer may be", () =>
    Effect.gen(function* () {
      const { event } = yield* finish("floods")
      expect(event).toMatchObject({ kind: "answer-lost" })
      expect(event).toHaveProperty("failure.message", expect.stringContaining("its process said more than"))
    }),
  )
})

describe("a call that can only be begun too late is not made", () => {
  const once = (leftMs: () => number, handler: ReturnType<typeof isolated>, tool: "put" | "get" = "put") =>
    Effect.gen(function* () {
      const { worker } = yield* makeStation({ [tool]: { call: handler } })
      return yield* perform(worker, call(tool), { ms: 30_000, leftMs })
    })

  it.live("by a process that was too slow to load its module, or stood still; and it may be begun anew", () =>
    Effect.gen(function* () {
      const handler = isolated(new URL("./isolated-slow.ts", import.meta.url), "answer")
      const late = yield* once(() => 300, handler)
      expect(late).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepFailed" }, again: { afterMs: 0 } })
      expect(late).toHaveProperty("failure.message", expect.stringContaining("it was not called"))
      // It was not called then: it counts.
      expect(yield* once(() => 30_000, handler)).toMatchObject({ kind: "outcome", result: { n: 1 } })
      expect(yield* once(() => -1, handler)).toMatchObject({ kind: "attempt-failed", again: { afterMs: 0 } })
    }),
  )

  it.live("here as there", () =>
    Effect.gen(function* () {
      let called = 0
      const { worker } = yield* makeStation({ set: { call: () => ({ n: ++called }) } })
      const event = yield* perform(worker, call("set"), { ms: 30_000, leftMs: () => -1 })
      expect(event).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepFailed" }, again: { afterMs: 0 } })
      expect(called).toBe(0)
      expect(yield* perform(worker, call("set"), { ms: 30_000, leftMs: () => 0 })).toMatchObject({ kind: "outcome" })
    }),
  )

  test("by whichever clock says so: one is set back, the other does not count while the machine sleeps", () => {
    const start = { leftMs: 100, wallMs: 1_000_000, monotonicMs: 500 }
    const left = (wall: number, monotonic: number) =>
      leftOf(start, { wallMs: start.wallMs + wall, monotonicMs: start.monotonicMs + monotonic })
    expect(left(10, 20)).toBe(80)
    expect(left(150, 10)).toBe(-50)
    expect(left(-86_400_000, 101)).toBe(-1)
    const stamped = stampStart(() => 50)
    expect(leftOf(stamped)).toBeLessThanOrEqual(50)
  })
})

describe("a handler that is given up", () => {
  it.live("A093: has a moment to say what it has done", () =>
    Effect.gen(function* () {
      const about = { kind: "observed", stepId: "put", attempt: 1, idempotencyKey }
      const answered = yield* finish("late", { ms: 300, warm: true })
      const declined = yield* finish("lateDecline", { ms: 300, warm: true })
      const silent = yield* finish("interruptible", { ms: 300, warm: true })
      yield* pause(1_300)
      expect(answered.event.kind).toBe("answer-lost")
      expect(answered.observed).toEqual([{ ...about, answer: "answered", result: { n: 2 } }])
      expect(declined.observed).toMatchObject([{ ...about, answer: "not-applied" }])
      expect(silent.event.kind).toBe("answer-lost")
      expect(silent.observed).toEqual([])
    }),
  )

  it.live("before it was called has done nothing", () =>
    Effect.gen(function* () {
      const { event, observed } = yield* finish("blocks", { ms: 1 })
      expect(event.kind).toBe("answer-lost")
      yield* until(() => observed.length > 0)
      expect(observed).toMatchObject([{ kind: "observed", answer: "not-applied" }])
    }),
  )

  it.live("is so when its run is interrupted, or a read is cut off", () =>
    Effect.gen(function* () {
      const effect = yield* make("late", { warm: true })
      yield* pause(200)
      yield* Fiber.interrupt(effect.fiber)
      yield* until(() => effect.observed.length > 0)
      expect(effect.observed).toMatchObject([{ answer: "answered", result: { n: 2 } }])
      const read = yield* make("blocks", { calling: call("get"), warm: true })
      yield* pause(200)
      read.worker.cutOff?.()
      const { event } = yield* read.event
      expect(event).toMatchObject({ kind: "attempt-failed", failure: { tag: "CallInterrupted" } })
    }),
  )
})

describe("processes are used again", () => {
  const ask = (handler: ReturnType<typeof isolated>, n = 1) =>
    Effect.gen(function* () {
      const { worker } = yield* makeStation({ put: { call: handler } })
      const event = yield* perform(worker, call("put", { args: { n } }), { ms: 30_000 })
      if (event.kind !== "outcome") throw new Error(JSON.stringify(event))
      return (event.result as { n: number }).n
    })

  it.live("one after the other, and never by two calls at once", () =>
    Effect.gen(function* () {
      const handler = isolated(module, "where")
      const first = yield* ask(handler)
      expect(yield* ask(handler)).toBe(first)
      const both = yield* Effect.all([ask(handler), ask(handler)], { concurrency: 2 })
      expect(new Set(both).size).toBe(2)
      expect(both).toContain(first)
    }),
  )

  it.live("A090: but not one in which a call has left something that failed; the next call is not blamed", () =>
    Effect.gen(function* () {
      const handler = isolated(module, "litters")
      const first = yield* ask(handler, 1)
      expect(yield* ask(handler, 2)).toBe(first)
      expect(yield* ask(handler, 2)).not.toBe(first)
    }),
  )

  it.live("nor one that was ended", () =>
    Effect.gen(function* () {
      const handler = isolated(module, "exits")
      const { worker } = yield* makeStation({ put: { call: handler } })
      for (const _ of [1, 2]) {
        const event = yield* perform(worker, call("put"), { ms: 30_000 })
        expect(event).toHaveProperty("failure.message", expect.stringContaining("ended with code 3"))
      }
    }),
  )
})

describe("a module that cannot do it", () => {
  it.live("has done nothing: an effect has failed, and is not in doubt", () =>
    Effect.gen(function* () {
      const cases = [
        isolated(module, "absent"),
        isolated(module, "noFunction"),
        isolated(new URL("./isolated-broken.ts", import.meta.url), "answer"),
        isolated(new URL("./isolated-exits.ts", import.meta.url), "answer"),
      ]
      const said: string[] = []
      for (const handler of cases) {
        const { worker } = yield* makeStation({ put: { call: handler } })
        const event = yield* perform(worker, call("put"), { ms: 30_000 })
        expect(event).toMatchObject({ kind: "attempt-failed", failure: { tag: "StepFailed" } })
        said.push("failure" in event ? (event.failure?.message ?? "") : "")
      }
      expect(said[0]).toContain("exports no function `absent`")
      expect(said[1]).toContain("exports no function `noFunction`")
      expect(said[2]).toContain("cannot be loaded: this module is broken")
      expect(said[3]).toContain("ended with code 4")
    }),
  )

  test("is told by the toolbox where it can be known before", () => {
    const faultOf = (put: unknown) => toolbox(catalog, { ...working, put } as never).fault?.message
    const working = { get: () => null, any: () => null, set: { call: () => null, reconcile: () => null } }
    const reconcile = () => null
    expect(faultOf({ call: isolated(module, "answer"), reconcile })).toBeUndefined()
    expect(faultOf({ call: () => null, reconcile })).toContain("must be what `isolated` makes")
    for (const [url, name, options, fault] of [
      [new URL("./absent.ts", import.meta.url), "answer", {}, "there is no file"],
      ["./isolated-handlers.ts", "answer", {}, "must be a `file:` URL"],
      [new URL("https://example.org/x.js"), "answer", {}, "must be a `file:` URL"],
      [module, 7, {}, "must be a string, but is an integer"],
      [module, "answer", { memoryMb: 0 }, "`memoryMb` must be"],
      [module, "answer", { memoryMb: Number.POSITIVE_INFINITY }, "`memoryMb` must be"],
    ] as const) {
      expect(faultOf({ call: isolated(url as never, name as never, options), reconcile })).toContain(fault)
    }
  })
})

const parent = ["--conditions=@sequitur/source", "test/run/isolated-process.ts"]

test("processes that wait for their next call, or block, do not keep their parent alive", () => {
  const flags = [...parent, "answer", "blocks"]
  const said = execFileSync(process.execPath, flags, { encoding: "utf8", timeout: 50_000 })
  expect(said).toBe("outcome\nanswer-lost\nended at once\n")
})

test("a process that blocks ends with its parent, however that ends", { timeout: 30_000 }, async () => {
  const killed = spawn(process.execPath, [...parent, "blocksLoudly"], { stdio: ["ignore", "pipe", "ignore"] })
  const [said] = await once(killed.stdout, "data")
  expect(String(said)).toBe("blocks\n")
  killed.kill("SIGKILL")
  // Both hold the pipe: it is closed when both have ended.
  await once(killed, "close")
})

test("a process is run with its parent's flags, but for what is the parent's alone", () => {
  expect(passOn([])).toEqual([])
  const kept = [
    "--conditions",
    "a",
    "-C",
    "b",
    "--import=./hook.js",
    "--permission",
    "--allow-fs-read=*",
    "--enable-source-maps",
  ]
  const dropped = ["-e", "run()", "--input-type=module", "--inspect-brk=0", "--watch-path", "src", "--test", "-p", "1"]
  expect(passOn([...dropped, ...kept])).toEqual(kept)
  expect(passOn([...kept, ...dropped])).toEqual(kept)
})
