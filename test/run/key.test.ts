/** Idempotency keys: equal calls have equal keys, and no others have. */

import { assert, property, record, string } from "fast-check"
import { defineCatalog } from "sequitur"
import { keys } from "sequitur/run"
import { expect, test } from "vitest"
import { sha256 } from "#sha256"
import { idempotencyKey } from "../../src/run/next/key.ts"
import { catalog, planOf } from "./desk.ts"

const scope = { tenant: "acme", subject: "ann", sessionId: "s1", taskId: "t1" }
const call = { tool: "refund", toolVersion: "2", occurrence: 1, args: { id: "w2", cents: 2_450 } }

test("A079: the format is fixed: k1, and the SHA-256 of one canonical array", () => {
  const written = '["sequitur-key/1","acme","ann","s1","t1","refund","2",1,0,{"cents":2450,"id":"w2"}]'
  expect(idempotencyKey(scope, call)).toBe(`k1:${sha256(written)}`)
})

test("A070: the order of keys, at any depth, makes no difference; UTF-16 order counts", () => {
  const one = { a: 1, b: { "10": 1, "9": 2, "\u{1f600}": 3, "\ufb33": 4 } }
  const other = { b: { "\ufb33": 4, "\u{1f600}": 3, "9": 2, "10": 1 }, a: 1 }
  expect(idempotencyKey(scope, { ...call, args: one })).toBe(idempotencyKey(scope, { ...call, args: other }))
})

test("A071, A078: every part counts by itself, wherever its text ends", () => {
  const parts = record({ tenant: string(), subject: string(), sessionId: string(), taskId: string() })
  assert(
    property(parts, parts, (one, other) => {
      const same = JSON.stringify(one) === JSON.stringify(other)
      expect(idempotencyKey(one, call) === idempotencyKey(other, call)).toBe(same)
    }),
  )
  expect(idempotencyKey({ ...scope, sessionId: "a", taskId: "bc" }, call)).not.toBe(
    idempotencyKey({ ...scope, sessionId: "ab", taskId: "c" }, call),
  )
  const changed = [
    idempotencyKey(scope, call),
    idempotencyKey({ ...scope, tenant: "other" }, call),
    idempotencyKey({ ...scope, subject: "bob" }, call),
    idempotencyKey(scope, { ...call, tool: "refunds" }),
    idempotencyKey(scope, { ...call, toolVersion: "3" }),
    idempotencyKey(scope, { ...call, occurrence: 2 }),
    idempotencyKey(scope, { ...call, args: { ...call.args, cents: 2_451 } }),
    idempotencyKey(scope, { ...call, args: { ...call.args, cents: "2450" } }),
  ]
  expect(new Set(changed).size).toBe(changed.length)
})

test("the keys of a plan's literal effects are known before it runs, and are those that it sends", async () => {
  const note = { id: "note", tool: "note", args: { text: "done" } }
  const twice = { ...note, id: "twice", occurrence: 2 }
  const open = {
    id: "open",
    tool: "note",
    args: { text: { $concat: ["for ", { $from: "input", path: "/accountId" }] } },
  }
  const plan = planOf([note, twice, open])
  const found = keys(plan, catalog, scope)
  if (found instanceof Error) throw found
  const keyed = { tool: "note", toolVersion: "1", args: { text: "done" } }
  expect([...found]).toEqual([
    ["note", idempotencyKey(scope, { ...keyed, occurrence: 1 })],
    ["twice", idempotencyKey(scope, { ...keyed, occurrence: 2 })],
  ])
  expect(keys(plan, defineCatalog({ ...catalog.spec, budgets: { steps: 9 } }), scope)).toMatchObject({
    _tag: "StalePlan",
  })
})
