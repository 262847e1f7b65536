/** What a catalog's slice does not see: the order in which a host has written things that have none. */
import fc from "fast-check"
import { type CatalogSpec, compile, defineCatalog, type Json, load, serialize } from "sequitur"
import { expect, test } from "vitest"
import { numbers, rewrite } from "../check/rewrite.ts"

const orderId = { type: "string", minLength: 1, maxLength: 20 }
const object = (properties: object, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
})

/** Plain data throughout, so that all of it can be shuffled. */
const spec = {
  name: "desk",
  version: "1",
  machine: {
    initial: "LOOKING",
    transitions: { LOOKING: { PAYING: { guard: "approval" }, CLOSED: {} }, PAYING: { CLOSED: {} } },
  },
  inputs: object({ note: { type: "string" }, by: { type: "string" } }),
  inputLabels: { private: ["/note", "/by"] },
  blastRadius: { records: { max: 5 }, cents: { max: 500, approveAbove: 9 }, letters: { max: 9 } },
  budgets: { steps: 9, sideEffects: 3, retries: 2 },
  tools: {
    find: {
      description: "Finds.",
      effect: "read",
      untrusted: ["/why", "/how"],
      authority: { tenants: ["globex", "acme"] },
      params: object({ orderId }),
      result: object({
        orderId: { type: "string" },
        cents: { type: "integer" },
        why: { type: "string" },
        how: { type: "string" },
        unit: { anyOf: [{ enum: ["EUR", "USD", null, 7] }, { type: "number" }] },
      }),
    },
    pay: {
      description: "Pays.",
      effect: "destructive",
      params: object(
        {
          orderId,
          cents: { type: "integer", minimum: 0, maximum: 400 },
          why: { enum: ["late", "broken", null, 3, true] },
          how: { anyOf: [{ enum: ["card", "cash"] }, { type: "string", minLength: 9 }] },
          memo: { type: "string" },
        },
        ["orderId", "cents", "why", "how"],
      ),
      states: ["PAYING", "CLOSED"],
      blast: { records: 1, cents: { kind: "argument", parameter: "cents" }, letters: 2 },
      rules: { orderId: { from: ["find#/why", "find#/orderId"] }, memo: { trusted: true } },
      authority: { roles: ["lead", "clerk"], approval: "always", approvers: 2 },
      endorse: ["trusted", "public"],
      idempotency: "natural",
      compensate: "none",
    },
  },
}

const plan = JSON.stringify({
  version: 1,
  steps: [
    { id: "look", tool: "find", args: { orderId: "A-1" } },
    { id: "open", transition: "PAYING" },
    {
      id: "pay",
      tool: "pay",
      args: Object.fromEntries(
        ["how", "why", "cents", "orderId"].map((key) => [key, { $from: "look", path: `/${key}` }]),
      ),
    },
  ],
})

/** Lists that are sets. */
const sets = ["enum", "required", "states", "from", "roles", "tenants", "endorse", "untrusted", "private"]

function shuffleSets(value: Json, next: () => number): Json {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => shuffleSets(item, next))
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const shuffled = Array.isArray(part) && sets.includes(key) ? part.toSorted(() => (next() % 2) - 0.5) : part
      return [key, shuffleSets(shuffled as Json, next)]
    }),
  )
}

test("keys, enums and other sets in another order: every stored plan loads, and says the same", () => {
  const before = compile(defineCatalog(spec as unknown as CatalogSpec), plan)
  if (!before.ok) throw new Error(JSON.stringify(before.diagnostics))
  expect(before.plan.steps.flatMap(({ checks }) => checks).length).toBeGreaterThan(2)
  const stored = serialize(before.plan)
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const shuffled = shuffleSets(
        JSON.parse(rewrite(spec as Json, { seed, spaces: false, order: true, escapes: false })),
        numbers(seed),
      )
      const loaded = load(defineCatalog(shuffled as unknown as CatalogSpec), stored)
      expect(loaded.diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual(
        before.diagnostics.map(({ code, message }) => `${code} ${message}`),
      )
      expect(loaded.ok).toBe(true)
    }),
    { numRuns: 200 },
  )
})
