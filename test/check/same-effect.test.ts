/** One effect is one however its text is cut up; in this compiler and in the naive one. */
import { compile, defineCatalog, type Json, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { canonical, readExpression } from "../naive/expression.ts"

const catalog = defineCatalog({
  name: "a",
  version: "1",
  tools: {
    get: tool({
      description: "d",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ s: z.string(), t: z.enum(["x", "y"]), n: z.int(), o: z.string().nullable() }),
    }),
    wipe: tool({
      description: "d",
      effect: "destructive",
      idempotency: "natural",
      compensate: "none",
      params: z.strictObject({ v: z.union([z.string(), z.int(), z.null(), z.array(z.string())]) }),
    }),
  },
})

const from = (path: string): Json => ({ $from: "g", path })
const s = from("/s")

test.each<[string, Json, Json, boolean]>([
  ["literals side by side", { $concat: ["ab", s] }, { $concat: ["a", "b", s] }, true],
  ["numbers and booleans in them", { $concat: ["a1true", s] }, { $concat: ["a", 1, true, s] }, true],
  ["an empty part", { $concat: ["", s, ""] }, { $concat: [s] }, true],
  ["a part between", { $concat: [s, "", s] }, { $concat: [s, s] }, true],
  ["a string alone", { $concat: [s] }, s, true],
  ["a word alone", { $concat: ["", from("/t")] }, from("/t"), true],
  ["inside a list", [{ $concat: [s] }], [s], true],
  ["an integer alone is another value", { $concat: [from("/n")] }, from("/n"), false],
  ["what may be null is another value", { $concat: [from("/o")] }, from("/o"), false],
  ["another text", { $concat: ["ab", s] }, { $concat: ["ba", s] }, false],
  ["on the other side", { $concat: ["a", s] }, { $concat: [s, "a"] }, false],
])("%s", (_, one, other, same) => {
  const steps = [one, other].map((v, index) => ({ id: `w${index}`, tool: "wipe", args: { v } }))
  const { diagnostics } = compile(
    catalog,
    JSON.stringify({ version: 1, steps: [{ id: "g", tool: "get", args: {} }, ...steps] }),
  )
  expect(diagnostics.map(({ code }) => code)).toEqual(same ? ["SEQ701"] : [])
  const naive = [one, other].map((v) =>
    canonical(
      readExpression(v, "" as never, 32, () => {}),
      ({ path }) => ["s", "t"].includes(path[0] ?? ""),
    ),
  )
  expect(naive[0] === naive[1]).toBe(same)
})
