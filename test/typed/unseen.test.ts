/** What types cannot see: plans that tsc lets pass, for this file compiles, and the compiler refuses. README lists them. */
import { readFileSync } from "node:fs"
import { Type } from "@sinclair/typebox"
import { arg, type Compiled, defineCatalog, definePlan, fromArgs, named, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"

const notBlank = named("notBlank", "1", (text: string) => text.trim() !== "")
const some = { idempotency: "none", compensate: "none" } as const

const shop = defineCatalog({
  name: "shop",
  version: "1",
  blastRadius: { cents: { max: 100 } },
  budgets: { steps: 3 },
  bounds: { concatParts: 2, stringBytes: 1_000 },
  tools: {
    find: tool({
      description: "Finds.",
      effect: "read",
      params: z.strictObject({ name: z.string().max(5).refine(notBlank, "must not be blank").optional() }),
      result: z.strictObject({
        id: z.string().max(5),
        cents: z.int().min(0).max(200),
        parts: z.array(z.string()).max(2),
      }),
    }),
    pay: tool({
      description: "Pays.",
      effect: "write",
      params: z.strictObject({ cents: z.int().min(0).max(1_000) }),
      blast: { cents: arg("cents", { max: 1_000 }) },
      ...some,
    }),
    share: tool({
      description: "Shares.",
      effect: "read",
      params: z.strictObject({ parts: z.number().int() }),
    }),
    note: tool({
      description: "Notes.",
      effect: "write",
      params: z.strictObject({
        text: z.string().min(10),
        of: z.discriminatedUnion("kind", [
          z.strictObject({ kind: z.literal("a"), a: z.string() }),
          z.strictObject({ kind: z.literal("b"), b: z.string() }),
        ]),
      }),
      ...some,
    }),
    mail: tool({
      description: "Reads.",
      effect: "read",
      params: z.strictObject({ text: z.string().optional() }),
      result: z.strictObject({ text: z.string(), body: z.string() }),
      untrusted: ["/body"],
    }),
    order: tool({
      description: "Orders.",
      effect: "write",
      params: z.strictObject({
        to: z.string().optional(),
        tail: z.tuple([z.string()], z.string()).optional(),
        by: z.record(z.string(), z.strictObject({ n: z.int() })).optional(),
      }),
      rules: { to: { trusted: true } },
      authority: { roles: ["buyer"] },
      ...some,
    }),
    book: tool({
      description: "Books.",
      effect: "write",
      params: z.strictObject({ memo: z.string() }),
      compensate: { tool: "order", args: { to: fromArgs("/memo") } },
      idempotency: "none",
    }),
    free: tool({
      description: "Any.",
      effect: "read",
      params: { type: "object", properties: { n: { type: "integer" } } },
    }),
    twice: tool({
      description: "Twice.",
      effect: "write",
      params: Type.Object({ name: Type.String() }, { additionalProperties: false }),
      requires: [{ tool: "find", same: ["name"] }],
      ...some,
    }),
  },
})

const find = { id: "find", tool: "find", args: { name: "x" } } as const
const a = { kind: "a", a: "" } as const
const text = "0123456789"
const principal = { tenant: "acme", subject: "ada", roles: [] }

const unseen: { readonly [what: string]: readonly [code: string, verdict: Compiled<unknown>] } = {
  "ranges, lengths and patterns": [
    "SEQ123",
    definePlan(shop, { version: 1, steps: [{ id: "f", tool: "find", args: { name: "123456" } }] }),
  ],
  refinements: ["SEQ124", definePlan(shop, { version: 1, steps: [{ id: "f", tool: "find", args: { name: " " } }] })],
  "a fraction for `z.number().int()`": [
    "SEQ123",
    definePlan(shop, { version: 1, steps: [{ id: "s", tool: "share", args: { parts: 1.5 } }] }),
  ],
  "JSON Schema": ["SEQ122", definePlan(shop, { version: 1, steps: [{ id: "f", tool: "free", args: { n: "x" } }] })],
  "which branch of a union of objects": [
    "SEQ121",
    definePlan(shop, {
      version: 1,
      steps: [{ id: "n", tool: "note", args: { text, of: { kind: "a", a: "", b: "" } } }],
    }),
  ],
  "the inside of `$literal`": [
    "SEQ120",
    definePlan(shop, {
      version: 1,
      steps: [{ id: "n", tool: "note", args: { text, of: { $literal: { kind: "b" } } } }],
    }),
  ],
  "a reference whose range never fits": [
    "SEQ207",
    definePlan(shop, {
      version: 1,
      steps: [find, { id: "n", tool: "note", args: { text: { $from: "find", path: "/id" }, of: a } }],
    }),
  ],
  "an index that an array never has": [
    "SEQ205",
    definePlan(shop, {
      version: 1,
      steps: [find, { id: "g", tool: "find", args: { name: { $from: "find", path: "/parts/2" } } }],
    }),
  ],
  "what a reference counts in a blast radius": [
    "SEQ401",
    definePlan(shop, {
      version: 1,
      steps: [find, { id: "p", tool: "pay", args: { cents: { $from: "find", path: "/cents" } } }],
    }),
  ],
  "labels that come through a tool": [
    "SEQ602",
    definePlan(shop, {
      version: 1,
      steps: [
        { id: "m", tool: "mail", args: {} },
        { id: "t", tool: "mail", args: { text: { $from: "m", path: "/body" } } },
        { id: "o", tool: "order", args: { to: { $from: "t", path: "/text" } } },
      ],
    }),
  ],
  "what feeds an undo": [
    "SEQ602",
    definePlan(shop, {
      version: 1,
      steps: [
        { id: "m", tool: "mail", args: {} },
        { id: "b", tool: "book", args: { memo: { $from: "m", path: "/body" } } },
      ],
    }),
  ],
  "literals whose writer has seen untrusted data": [
    "SEQ602",
    definePlan(shop, { version: 1, steps: [{ id: "o", tool: "order", args: { to: "x" } }] }, { literals: "untrusted" }),
  ],
  "who may do what": [
    "SEQ502",
    definePlan(shop, { version: 1, steps: [{ id: "o", tool: "order", args: {} }] }, { principal }),
  ],
  "the least length of a tuple with a rest": [
    "SEQ123",
    definePlan(shop, { version: 1, steps: [{ id: "o", tool: "order", args: { tail: [] } }] }),
  ],
  "in what a record or a union holds in objects or lists": [
    "SEQ123",
    definePlan(shop, { version: 1, steps: [{ id: "o", tool: "order", args: { by: { a: { n: 1.5 } } } }] }),
  ],
  "what was spent before": [
    "SEQ402",
    definePlan(shop, { version: 1, steps: [{ id: "p", tool: "pay", args: { cents: 60 } }] }, { spent: { cents: 60 } }),
  ],
  "budgets and bounds": [
    "SEQ403",
    definePlan(shop, { version: 1, steps: [find, { ...find, id: "b" }, { ...find, id: "c" }, { ...find, id: "d" }] }),
  ],
  "`same`": [
    "SEQ209",
    definePlan(shop, { version: 1, steps: [find, { id: "t", tool: "twice", args: { name: "y" } }] }),
  ],
  "the same effect twice": [
    "SEQ701",
    definePlan(shop, {
      version: 1,
      steps: [
        { id: "p", tool: "pay", args: { cents: 1 } },
        { id: "q", tool: "pay", args: { cents: 1 } },
      ],
    }),
  ],
}

describe("types do not see", () => {
  const readme = readFileSync("README.md", "utf8").replace(/\s+/g, " ")
  for (const [what, [code, verdict]] of Object.entries(unseen)) {
    test(what, () => {
      const errors = verdict.diagnostics.filter(({ severity }) => severity === "error")
      expect(errors.map((one) => one.code)).toContain(code)
      expect(readme).toContain(what)
    })
  }
})
