/** Expressions to values: what the plan names, and nothing that a result says of itself. */
import { array, assert, constantFrom, jsonValue, oneof, property, string } from "fast-check"
import { defineCatalog, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { resolve, Unresolved, walk } from "../../src/run/next/resolve.ts"
import { isObject, type Json } from "../../src/text/json.ts"
import { planOf } from "./desk.ts"

const open = defineCatalog({
  name: "open",
  version: "1",
  inputs: z.record(z.string(), z.string()),
  tools: {
    find: tool({
      description: "Find workspaces.",
      effect: "read",
      params: z.strictObject({}),
      result: z.object({ workspaces: z.array(z.object({ id: z.string(), role: z.string(), cents: z.int() })) }),
    }),
    note: tool({ description: "Take anything.", effect: "read", params: z.strictObject({ text: z.unknown() }) }),
  },
})

/** What an expression comes to, with these inputs and results. */
const valueOfText = (written: unknown, known: Readonly<Record<string, Json>>): Json | Unresolved => {
  const steps = [
    { id: "find", tool: "find", args: {} },
    { id: "note", tool: "note", args: { text: "first" } },
    { id: "last", tool: "note", args: { text: written } },
  ]
  const last = planOf(steps, open).steps[2]?.step
  if (last?.kind !== "call") throw new Error("no call")
  const value = resolve(last.args, (source) => known[source])
  return isObject(value) && !(value instanceof Unresolved) ? (value.text as Json) : value
}

const problemOf = (value: Json | Unresolved): string => {
  if (!(value instanceof Unresolved)) throw new Error(`resolved to ${JSON.stringify(value)}`)
  return value.problem
}

describe("a path", () => {
  test("leads into own members and whole indices only", () => {
    const value = { a: [{ b: 1 }, null], "": { "": 2 }, "0": "zero", "~/": 3 }
    expect(walk(value, [])).toBe(value)
    expect(walk(value, ["a", "0", "b"])).toBe(1)
    expect(walk(value, ["a", "1"])).toBe(null)
    expect(walk(value, ["", ""])).toBe(2)
    expect(walk(value, ["0"])).toBe("zero")
    expect(walk(value, ["~/"])).toBe(3)
    for (const path of [
      ["a", "2"],
      ["a", "-"],
      ["a", "00"],
      ["a", "-1"],
      ["a", "1e0"],
      ["a", "length"],
      ["a", "0", "b", "c"],
    ]) {
      expect(walk(value, path), path.join("/")).toBeUndefined()
    }
  })

  test("A043: never reaches the prototype", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "length", "at", "then"]) {
      for (const value of [{}, [], "text", 1, true, null]) expect(walk(value, [name])).toBeUndefined()
    }
    expect(walk(JSON.parse('{"__proto__": 1}'), ["__proto__"])).toBe(1)
  })

  test("finds exactly what was put there", () => {
    const tokens = array(oneof(string(), constantFrom("0", "a", "__proto__", "")), { maxLength: 5 })
    assert(
      property(tokens, jsonValue(), (path, leaf) => {
        const value = path.reduceRight<Json>((inner, token) => Object.fromEntries([[token, inner]]), leaf as Json)
        expect(walk(value, path)).toBe(leaf)
        expect(walk(value, [...path, "more", "still"])).toBe(path.length > 99 ? leaf : undefined)
      }),
    )
  })
})

describe("where and pick", () => {
  const select = (where: unknown, workspaces: Json): Json | Unresolved =>
    valueOfText({ $from: "find", path: "/workspaces", where, pick: "/id" }, { find: { workspaces } })
  const two = [
    { id: "w1", role: "primary", cents: 1 },
    { id: "w2", role: "secondary", cents: 2 },
  ]

  test("the one element that is equal in all", () => {
    expect(select({ "/role": "secondary" }, two)).toBe("w2")
    expect(select({ "/role": "primary", "/cents": 1 }, two)).toBe("w1")
  })

  test("none, and several, are told apart, with their number", () => {
    expect(problemOf(select({ "/role": "primary", "/cents": 2 }, two))).toContain(
      "no element of `/workspaces` of `find` (2 in all)",
    )
    const twins = [...two, { id: "w3", role: "secondary", cents: 3 }]
    expect(problemOf(select({ "/role": "secondary" }, twins))).toContain(
      "2 elements of `/workspaces` of `find` (3 in all)",
    )
    expect(problemOf(select({ "/role": "secondary" }, []))).toContain("(0 in all)")
  })

  test("what lacks the value is not equal, and no kind is taken for another", () => {
    expect(select({ "/role": "secondary" }, [{ id: "w0" }, null, "w", ...two])).toBe("w2")
    const alike = [
      { id: "a", cents: 1 },
      { id: "b", cents: "1" },
      { id: "c", cents: true },
      { id: "d", cents: [1] },
    ]
    expect(select({ "/cents": 1 }, alike)).toBe("a")
  })

  test("what is no array, and a picked value that is not there, are told", () => {
    expect(problemOf(select({ "/role": "x" }, { role: "x" }))).toContain("is an object, not an array")
    expect(problemOf(select({ "/role": "x" }, [{ role: "x" }]))).toContain("nothing at `/id`")
  })

  test("compares with what another source gives", () => {
    const where = { "/role": { $from: "input", path: "/accountId" } }
    const written = { $from: "find", path: "/workspaces", where, pick: "/id" }
    expect(valueOfText(written, { find: { workspaces: two }, input: { accountId: "secondary" } })).toBe("w2")
  })
})

describe("$concat", () => {
  const joined = (parts: unknown[], known: Readonly<Record<string, Json>> = {}) =>
    valueOfText({ $concat: parts }, known)
  const part = { $from: "note" }

  test("strings as they are, integers and booleans as JSON writes them", () => {
    expect(joined(["a", part, "b"], { note: "-" })).toBe("a-b")
    expect(joined(["n=", part], { note: -12 })).toBe("n=-12")
    expect(joined(["n=", part], { note: 1e21 })).toBe("n=1e+21")
    expect(joined(["is ", part], { note: false })).toBe("is false")
  })

  test("nothing else has one text form", () => {
    for (const note of [null, 1.5, [], {}, ["x"]] as const) {
      expect(problemOf(joined(["x", part], { note: note as Json }))).toContain("joins strings, integers and booleans")
    }
  })

  test("A049: does not grow without bound", () => {
    expect(problemOf(joined([part, part], { note: "x".repeat(600_000) }))).toContain("more than 1048576 characters")
  })
})

test("A047: what results and inputs hold is data, whatever it looks like", () => {
  const data = { $from: "input", path: "/accountId", $literal: { $concat: ["x"] } }
  expect(valueOfText({ $from: "note" }, { note: data })).toEqual(data)
  expect(valueOfText({ $literal: data }, {})).toEqual(data)
})

test("D22: a value that is not there is told, never undefined or empty", () => {
  const first = { $from: "find", path: "/workspaces/0/id" }
  const missing = "`/workspaces/0/id` of `find` does not exist"
  for (const find of [{ workspaces: [] }, { workspaces: [{}] }, {}, null]) {
    expect(problemOf(valueOfText(first, { find: find as Json }))).toBe(missing)
  }
  expect(problemOf(valueOfText(first, {}))).toBe(missing)
})
