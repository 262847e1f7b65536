/** Who may write: one holder at a time, fenced by its epoch in the transaction that writes. Asked of every store. */
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"
import type { Writer } from "../../src/journal/journal.ts"
import { leaseMsMax } from "../../src/journal/lease.ts"
import { replay } from "../../src/journal/state.ts"
import { events, recorded, started } from "./entries.ts"
import { stores, withStore } from "./stores.ts"

const begun = recorded([started()])
const holder = (owner: string, epoch: number, untilMs = 100): Writer => ({ owner, epoch, untilMs })
const lookAt = (owner: string, nowMs: number, takeOver = false) => ({ owner, untilMs: nowMs + 100, nowMs, takeOver })
const next = (seq: number, event: Parameters<typeof recorded>[0][number]) => [{ seq, atMs: 1, event }]
const cancel = { kind: "cancel-requested", by: "bob", reason: "" } as const

describe.each(stores)("%s", (_, open) => {
  test("whoever begins a run holds it with epoch 1, and nobody begins it again", () =>
    withStore(open(), async (ask) => {
      await ask((journal) => journal.append("run", begun, holder("a", 1)))
      for (const as of [holder("b", 1), holder("a", 1), undefined]) {
        const error = await ask((journal) => Effect.flip(journal.append("run", begun, as)))
        expect(error).toMatchObject({ _tag: "JournalConflict", fields: { seq: 0 } })
      }
      expect(await ask((journal) => Effect.flip(journal.append("new", begun, holder("a", 2))))).toMatchObject({
        _tag: "LeaseLost",
      })
      expect(await ask((journal) => journal.read("new"))).toEqual([])
    }))

  test("while a run is held others write foreign entries alone", () =>
    withStore(open(), async (ask) => {
      await ask((journal) => journal.append("run", begun, holder("a", 1)))
      const refused = await ask((journal) => Effect.flip(journal.append("run", next(1, events.readIntent))))
      expect(refused).toMatchObject({ _tag: "RunUnderWay" })
      expect(refused.message).toContain("is held by `a`")
      await ask((journal) => journal.append("run", next(1, cancel)))
      // The holder finds it there, and goes on after it.
      const late = await ask((journal) =>
        Effect.flip(journal.append("run", next(1, events.readIntent), holder("a", 1))),
      )
      expect(late).toMatchObject({ _tag: "JournalConflict" })
      expect(await ask((journal) => journal.renew("run", holder("a", 1)))).toBe(1)
      await ask((journal) => journal.append("run", next(2, events.cancelled), holder("a", 1)))
    }))

  test("a lease that has run out may be taken up, and before that only by force; either way the last holder is fenced", () =>
    withStore(open(), async (ask) => {
      await ask((journal) => journal.append("run", begun, holder("a", 1)))
      const early = await ask((journal) => Effect.flip(journal.takeUp("run", lookAt("b", 99))))
      expect(early).toMatchObject({ _tag: "RunUnderWay" })
      expect(await ask((journal) => journal.takeUp("run", lookAt("b", 100)))).toEqual({
        seq: 1,
        atMs: 100,
        event: { kind: "taken-up", epoch: 2, owner: "b", takeOver: false },
      })
      for (const as of [holder("a", 1), holder("a", 2), holder("b", 1), holder("b", 3)]) {
        expect(await ask((journal) => Effect.flip(journal.append("run", next(2, cancel), as)))).toMatchObject({
          _tag: "LeaseLost",
        })
        expect(await ask((journal) => Effect.flip(journal.renew("run", as)))).toMatchObject({ _tag: "LeaseLost" })
      }
      await ask((journal) => journal.append("run", next(2, events.readIntent), holder("b", 2, 300)))
      const forced = await ask((journal) => journal.takeUp("run", lookAt("c", 150, true)))
      expect(forced.event).toMatchObject({ epoch: 3, takeOver: true })
      const state = await ask((journal) => Effect.map(journal.read("run"), (entries) => replay("run", entries)))
      expect(state).toMatchObject({ epoch: 3, step: { lost: "taken-over" } })
    }))

  test("a lease by a clock that was far ahead holds nobody up", () =>
    withStore(open(), async (ask) => {
      await ask((journal) => journal.append("run", begun, holder("a", 1, leaseMsMax + 100)))
      expect(await ask((journal) => journal.due(99, 10))).toEqual(["run"])
      expect(await ask((journal) => journal.due(100, 10))).toEqual([])
      expect(await ask((journal) => Effect.flip(journal.takeUp("run", lookAt("b", 100))))).toMatchObject({
        _tag: "RunUnderWay",
      })
      const taken = await ask((journal) => journal.takeUp("run", lookAt("b", 99)))
      expect(taken.event).toMatchObject({ epoch: 2, takeOver: false })
      expect(await ask((journal) => Effect.flip(journal.renew("run", holder("a", 1))))).toMatchObject({
        _tag: "LeaseLost",
      })
    }))

  test("whoever lets go writes no more, and an ended run is not taken up", () =>
    withStore(open(), async (ask) => {
      await ask((journal) => journal.append("run", begun, { ...holder("a", 1), release: { dueMs: 50 } }))
      expect(
        await ask((journal) => Effect.flip(journal.append("run", next(1, events.failed), holder("a", 1)))),
      ).toMatchObject({ _tag: "LeaseLost" })
      // Nobody holds it: whoever comes may write.
      await ask((journal) => journal.append("run", next(1, events.failed)))
      expect(await ask((journal) => Effect.flip(journal.takeUp("run", lookAt("b", 0))))).toMatchObject({
        _tag: "JournalConflict",
      })
    }))

  test("what is due: let go, overdue, left by a holder, or decided; not what is held, ended or still waits", () =>
    withStore(open(), async (ask) => {
      const put = (runId: string, list: Parameters<typeof recorded>[0], as?: Writer) =>
        ask((journal) => journal.append(runId, recorded([started({ tenant: runId }), ...list]), as))
      const release = (dueMs: number | undefined): Writer => ({ ...holder("a", 1), release: { dueMs } })
      const waiting = [events.readIntent, events.readOutcome, events.requested]
      await put("held", [], holder("a", 1, 1_000))
      await put("left", [], holder("a", 1, 60))
      await put("retry", [], release(80))
      await put("later", [], release(1_000))
      await put("free", [])
      await put("ended", [events.failed], release(undefined))
      await put("asked", waiting, release(undefined))
      await put("expired", waiting, release(90))
      await put("decided", waiting, release(1_000))
      await ask((journal) => journal.append("decided", [{ seq: 4, atMs: 70, event: events.approved }]))
      await put("called", waiting, release(1_000))
      const late = { kind: "observed", stepId: "read", attempt: 1, answer: "answered", result: 1 } as const
      await ask((journal) => journal.append("called", [{ seq: 4, atMs: 70, event: late }]))
      const due = ["free", "left", "decided", "retry", "expired"]
      expect(await ask((journal) => journal.due(100, 10))).toEqual(due)
      expect(await ask((journal) => journal.due(100, 2))).toEqual(due.slice(0, 2))
      expect(await ask((journal) => journal.due(1_000, 20))).toEqual([...due, "called", "held", "later"])
    }))

  test("what was to wait by a clock that was set back since is looked at again, once; but not what waits for a person", () =>
    withStore(open(), async (ask) => {
      const ahead = 1_000_000
      const later = { ...holder("a", 1), release: { dueMs: ahead + 1_000 } }
      const put = (runId: string, ...list: Parameters<typeof recorded>[0]) => {
        const entries = recorded([started({ tenant: runId }), ...list]).map((entry) => ({ ...entry, atMs: ahead }))
        return ask((journal) => journal.append(runId, entries, later))
      }
      await put("run")
      await put("asked", events.readIntent, events.readOutcome, events.requested)
      const due = (nowMs: number) => ask((journal) => journal.due(nowMs, 10))
      expect(await due(ahead)).toEqual([])
      expect(await due(ahead - 1)).toEqual(["run"])
      expect(await due(1_000)).toEqual(["run"])
      await ask((journal) => journal.takeUp("run", lookAt("b", 1_000)))
      await ask((journal) => journal.append("run", [], { ...holder("b", 2), release: { dueMs: 2_000 } }))
      expect(await due(1_999)).toEqual([])
      expect(await due(2_000)).toEqual(["run"])
    }))

  test("the same effect is taken once in a tenant, its key, claim and limit given back where it did not happen", () =>
    withStore(open(), async (ask) => {
      const intent = {
        ...events.writeIntent,
        once: { scope: "tenant", digest: "d", call: "c" },
        reserves: [{ scope: "tenant", dimension: "money", amount: 3, max: 4 }],
      } as const
      const begin = (runId: string, event = {}, tenant = "acme") =>
        ask((journal) => Effect.result(journal.append(runId, recorded([started({ tenant }), { ...intent, ...event }]))))
      const used = () =>
        ask((journal) => journal.used("acme", { scope: "tenant", scopeId: "acme", dimension: "money" }))
      expect(await begin("a")).toMatchObject({ _tag: "Success" })
      expect(await begin("b", {}, "other")).toMatchObject({ _tag: "Success" })
      const other = { idempotencyKey: "k1:2" }
      expect(await begin("c")).toMatchObject({ failure: { _tag: "Taken", what: "key", stepId: "write" } })
      expect(await begin("c", other)).toMatchObject({ failure: { _tag: "Taken", what: "claim" } })
      const unclaimed = { ...other, once: { ...intent.once, digest: "e" } }
      expect(await begin("c", unclaimed)).toMatchObject({ failure: { _tag: "Taken", what: "limit" } })
      expect(await ask((journal) => journal.read("c"))).toEqual([])
      expect(await used()).toBe(3)
      const row = { identity: "k1:1", generation: 0, key: "k1:1", runId: "a", stepId: "write" }
      expect(await ask((journal) => journal.effect("acme", "k1:1"))).toEqual({ ...row, state: "open" })
      expect(await ask((journal) => journal.claim("acme", "cancel", intent.once))).toEqual({
        digest: "d",
        call: "c",
        identity: "k1:1",
      })
      const barred = { kind: "reconciled", stepId: "write", tookMs: 1, answer: "barred" } as const
      await ask((journal) => journal.append("a", [{ seq: 2, atMs: 1, event: barred }]))
      expect(await ask((journal) => journal.effect("acme", "k1:1"))).toEqual({ ...row, state: "released" })
      expect(await used()).toBe(0)
      expect(await ask((journal) => journal.claim("acme", "cancel", intent.once))).toBeUndefined()
      expect(await begin("d")).toMatchObject({ failure: { _tag: "Taken", what: "key" } })
      const anew = { idempotencyKey: "k1:3", identity: "k1:1", generation: 1 }
      expect(await begin("d", anew)).toMatchObject({ _tag: "Success" })
      expect(await ask((journal) => journal.effect("acme", "k1:1"))).toMatchObject({ generation: 1, state: "open" })
      expect(await used()).toBe(3)
    }))

  test("of many that race for one key, one is heard", () =>
    withStore(open(), async (ask) => {
      const tries = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          ask((journal) => Effect.result(journal.append(`run-${index}`, recorded([started(), events.writeIntent])))),
        ),
      )
      expect(tries.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
      expect(await ask((journal) => journal.list())).toHaveLength(1)
    }))
})
