/** Fractions where integers are asked: refused by tsc, and at run time by the compiler at the same place. */
import { Type } from "@sinclair/typebox"
import { arg, type Compiled, defineCatalog, definePlan, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"

const lines = z.array(z.strictObject({ cents: z.int32().nullable() }))
const catalog = defineCatalog({
  name: "fractions",
  version: "1",
  blastRadius: { cents: { max: 100 } },
  tools: {
    zod: tool({
      description: "By zod.",
      effect: "read",
      params: z.strictObject({
        n: z.int(),
        some: z.uint32().optional(),
        of: z.strictObject({ lines }),
        any: z.number(),
      }),
    }),
    typebox: tool({
      description: "By TypeBox.",
      effect: "read",
      params: Type.Object({
        n: Type.Integer(),
        some: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
        of: Type.Object({ lines: Type.Array(Type.Integer()) }),
        any: Type.Number(),
      }),
    }),
    json: tool({
      description: "By JSON Schema.",
      effect: "read",
      params: { type: "object", properties: { n: { type: "integer" } } },
    }),
    counted: tool({
      description: "What is counted.",
      effect: "write",
      params: z.strictObject({ cents: z.number().int().min(0).max(50) }),
      blast: { cents: arg("cents") },
      idempotency: "none",
      compensate: "none",
    }),
  },
})

const right = definePlan(catalog, {
  version: 1,
  steps: [
    { id: "a", tool: "zod", args: { n: -1, some: 2, of: { lines: [{ cents: 1 }, { cents: null }] }, any: 1.5 } },
    { id: "b", tool: "typebox", args: { n: 1.5e21, some: null, of: { lines: [1, 2] }, any: 1e-7 } },
    { id: "c", tool: "json", args: { n: 1 } },
    { id: "d", tool: "counted", args: { cents: 0 } },
  ],
})

const wrong: readonly (readonly [at: string, verdict: Compiled<unknown>])[] = [
  [
    "/steps/0/args/n",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123 at n
      steps: [{ id: "a", tool: "zod", args: { n: 1.5, of: { lines: [] }, any: 1 } }],
    }),
  ],
  [
    "/steps/0/args/some",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123 at some
      steps: [{ id: "a", tool: "zod", args: { n: 1, some: 1e-7, of: { lines: [] }, any: 1 } }],
    }),
  ],
  [
    "/steps/0/args/of/lines/1/cents",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123 at the second line
      steps: [{ id: "a", tool: "zod", args: { n: 1, of: { lines: [{ cents: 1 }, { cents: -0.5 }] }, any: 1 } }],
    }),
  ],
  [
    "/steps/0/args/some",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123 at some
      steps: [{ id: "a", tool: "typebox", args: { n: 1, some: 1.5, of: { lines: [] }, any: 1 } }],
    }),
  ],
  [
    "/steps/0/args/of/lines/0",
    definePlan(catalog, {
      version: 1,
      // @ts-expect-error SEQ123 at the first line
      steps: [{ id: "a", tool: "typebox", args: { n: 1, of: { lines: [10.0625] }, any: 1 } }],
    }),
  ],
  [
    "/steps/0/args/n",
    // @ts-expect-error SEQ123 at n
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "json", args: { n: 1.5 } }] }),
  ],
  [
    "/steps/0/args/cents",
    // @ts-expect-error SEQ123 at cents
    definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "counted", args: { cents: 1.5 } }] }),
  ],
]

test("integers are right", () => expect(right.diagnostics).toEqual([]))

test.each(wrong)("a fraction at %s is not", (at, { diagnostics }) => {
  expect(diagnostics.map((one) => [one.code, one.at])).toContainEqual([expect.stringMatching(/^SEQ12[23]$/), at])
})
