/** What a planner is told of each place is what the compiler says of a reference to it. */
import fc from "fast-check"
import { type AnySchema, compile, defineCatalog, type JsonObject, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { shapeAt } from "../../src/catalog/schema/at.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import type { Schema } from "../../src/catalog/schema/schema.ts"
import { planPrompt } from "../../src/planner/index.ts"
import { placesOf } from "../../src/planner/places.ts"
import { parsePointer } from "../../src/text/pointer.ts"
import { sampleOf, zodOf } from "../catalog/arbitrary.ts"

function lowered(schema: AnySchema, role: "params" | "result" = "result"): Schema {
  const read = lowerSchema(schema, role)
  if (!read.ok) throw new Error(JSON.stringify(read.faults))
  return read.schema
}

const circle = z.strictObject({ kind: z.literal("circle"), r: z.number() })
const oblong = z.strictObject({ kind: z.literal("oblong"), w: z.number(), note: z.string().optional() })
const either = z.discriminatedUnion("kind", [circle, oblong])

describe("objects of a union are told apart", () => {
  test("in arguments each says what it asks", () => {
    expect(placesOf(lowered(z.strictObject({ shapes: z.array(either) }), "params"), "arguments")).toEqual([
      "- shapes: an array",
      "- shapes/*: an object",
      "- shapes/*, either:",
      '  - shapes/*/kind: "circle"',
      "  - shapes/*/r: a number",
      "- shapes/*, or:",
      '  - shapes/*/kind: "oblong"',
      "  - shapes/*/w: a number",
      "  - shapes/*/note: a string (may be left out)",
    ])
  })

  test("in results what only one of them has is there or not", () => {
    expect(placesOf(lowered(either))).toEqual([
      "- either:",
      '  - /kind: "circle"',
      "  - /r: a number (if it is there)",
      "- or:",
      '  - /kind: "oblong"',
      "  - /w: a number (if it is there)",
      "  - /note: a string (may be absent)",
    ])
  })

  test("one with nothing in it says so", () => {
    const shape = z.strictObject({ a: z.union([z.strictObject({}), z.strictObject({ b: z.int() })]) })
    expect(placesOf(lowered(shape))).toEqual([
      "- /a: an object",
      "- /a, either: an empty object",
      "- /a, or:",
      "  - /a/b: an integer (if it is there)",
    ])
  })
})

test.each<readonly [string, AnySchema, readonly string[]]>([
  [
    "what is inside of null, and of what may be absent",
    z.strictObject({ a: z.strictObject({ b: z.int() }).nullable(), c: z.strictObject({ d: z.int() }).optional() }),
    [
      "- /a: an object or null",
      "- /a/b: an integer (if it is there)",
      "- /c: an object (may be absent)",
      "- /c/d: an integer (may be absent)",
    ],
  ],
  [
    "each item of a tuple",
    z.strictObject({ pair: z.tuple([z.string(), z.int().optional()]).rest(z.boolean()) }),
    [
      "- /pair: an array of at least 1 item",
      "- /pair/0: a string",
      "- /pair/1: an integer (if it is there)",
      "- /pair/*: a boolean",
    ],
  ],
  [
    "what free keys look like",
    z.strictObject({ labels: z.record(z.string().regex(/^[A-Z]+$/), z.int()) }),
    [
      "- /labels: an object",
      "- /labels/*: an integer, by keys that are each a string that matches /^[A-Z]+$/ (if it is there)",
    ],
  ],
  ["JSON itself", z.strictObject({ any: z.json() }), ["- /any: any value"]],
  [
    "what has itself inside",
    {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      required: ["root"],
      additionalProperties: false,
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, kids: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["name", "kids"],
          additionalProperties: false,
        },
      },
    },
    [
      "- /root: an object",
      "- /root/name: a string",
      "- /root/kids: an array",
      "- /root/kids/*: any value that its schema takes",
    ],
  ],
  ["an empty object", z.strictObject({}), ["- an empty object"]],
  ["an open one", z.looseObject({}), ["- an object"]],
])("%s", (_, schema, lines) => {
  expect(placesOf(lowered(schema))).toEqual(lines)
})

test("a result with nothing in it has its line", () => {
  const catalog = defineCatalog({
    name: "a",
    version: "1",
    tools: {
      a: tool({ description: "A.", effect: "read", params: z.strictObject({}), result: z.strictObject({}) }),
    },
  })
  expect(planPrompt(catalog)).toContain("No arguments.\nResult:\n- an empty object")
})

/** A pointer that stands for a place: some key, and an index that no array need have. */
const tokensOf = (place: string): readonly string[] =>
  (parsePointer(place) ?? []).map((token) => (token === "*" ? "0" : token))

test("each mark is what the compiler says of a path to it", () => {
  const counts = { certain: 0, perhaps: 0, optional: 0 }
  fc.assert(
    fc.property(sampleOf(1), ({ node }) => {
      // Of arrays that are always empty and of keys that must look a certain way no one path can stand for all.
      const asText = JSON.stringify(node)
      fc.pre(!/"max":0|"key":"\^/.test(asText))
      const schema = lowered(zodOf(node))
      for (const written of placesOf(schema)) {
        const [, place = ""] = /^ *- (\/\S*): /.exec(written) ?? []
        // Where another branch has a tuple, its first items are there.
        if (place === "" || (place.includes("*") && asText.includes('"tuple"'))) continue
        const found = shapeAt(schema.shape, tokensOf(place))
        const mark = written.endsWith("(may be absent)")
          ? "optional"
          : written.endsWith("(if it is there)")
            ? "perhaps"
            : "certain"
        counts[mark]++
        expect(found.ok, written).toBe(mark !== "optional")
        // Of an index it is understood.
        if (found.ok && !place.includes("*")) expect(found.certain, written).toBe(mark === "certain")
      }
    }),
    { numRuns: 1_000 },
  )
  for (const [mark, count] of Object.entries(counts)) expect(count, mark).toBeGreaterThan(50)
})

test("what is told to be reached is accepted, what is not is refused", () => {
  const catalog = defineCatalog({
    name: "a",
    version: "1",
    tools: {
      get: tool({
        description: "Get.",
        effect: "read",
        params: z.strictObject({}),
        result: z.strictObject({ pays: z.array(either), first: either.nullable() }),
      }),
      use: tool({ description: "Use.", effect: "read", params: z.strictObject({ value: z.unknown() }) }),
    },
  })
  const codesOf = (path: string): readonly string[] => {
    const value: JsonObject = { $from: "a", path }
    const steps = [
      { id: "a", tool: "get", args: {} },
      { id: "b", tool: "use", args: { value } },
    ]
    return compile(catalog, JSON.stringify({ version: 1, steps })).diagnostics.map(({ code }) => code)
  }
  for (const path of ["/pays/0/r", "/pays/3/w", "/first/r", "/first/kind"]) expect(codesOf(path)).toEqual([])
  for (const path of ["/pays/0/note", "/first/note"]) expect(codesOf(path)).toEqual(["SEQ206"])
})
