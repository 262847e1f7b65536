import { defineCatalog, predicate, tool } from "sequitur"
import { z } from "zod"

const params = z.strictObject({
  id: z.string(),
  lines: z.array(z.strictObject({ sku: z.string() })),
  note: z.string().optional(),
})
const buy = {
  description: "Buy.",
  effect: "write",
  idempotency: "natural",
  compensate: "none",
  params,
  states: ["BUYING"],
} as const

export default defineCatalog({
  name: "bare",
  version: "1",
  machine: {
    initial: "LOOKING",
    transitions: {
      LOOKING: { BUYING: { covers: "next", approvers: 2 } },
      BUYING: { LOOKING: { guard: predicate("in-hours", "1", () => true), approverRoles: ["lead"] } },
    },
  },
  tools: {
    look: tool({
      description: "Look.",
      effect: "read",
      params,
      once: { by: ["id"], scope: "task" },
      reconcile: { finalAfterMs: 0 },
      validate: true,
      authority: { freshness: { pointers: ["/id"], maxAgeMs: 1_000 } },
    }),
    optional: tool({ ...buy, once: { by: ["id", "note"], scope: "session" } }),
    uncertain: tool({ ...buy, once: { by: ["/lines/0/sku"], scope: "tenant" } }),
    compound: tool({ ...buy, once: { by: ["lines"], scope: "tenant" } }),
    never_the_same: tool({
      description: "Buy.",
      effect: "read",
      params: z.strictObject({ id: z.int() }),
      result: z.strictObject({ count: z.int() }),
      requires: [{ tool: "look", same: ["id"] }],
    }),
    nobody_asks: tool({ ...buy, authority: { approvers: 2 } }),
    never_fresh: tool({ ...buy, authority: { freshness: { pointers: ["id", "/lines/0/sku"], maxAgeMs: 1_000 } } }),
    says_both: tool({ ...buy, untrusted: true, endorse: ["trusted"] }),
    stated_anyway: tool({ ...buy, rules: { id: { mustState: true }, "/lines/0/sku": { public: true } } }),
    // @ts-expect-error there are no inputs: types see it too.
    never_given: tool({
      ...buy,
      rules: {
        note: { from: ["says_both#"], trusted: true },
        id: { from: ["input#/id", "never_the_same#/count"] },
      },
    }),
    // @ts-expect-error it is no place: types see it too.
    no_place: tool({ ...buy, rules: { id: { from: ["look/id", "look#/id"] } } }),
  },
})
