/** A patched text means what the patched document is, and is untouched where the patch does not reach. */
import fc from "fast-check"
import { applyFixes, applyPatch, compile, type Json, type JsonPatch } from "sequitur"
import { describe, expect, test } from "vitest"
import { valueAt } from "../../src/diagnostic/patch.ts"
import { rewrite } from "../../src/diagnostic/rewrite.ts"
import { defaultBounds } from "../../src/text/bounds.ts"
import { canonical } from "../../src/text/canonical.ts"
import { isObject } from "../../src/text/json.ts"
import { child, type Pointer, root } from "../../src/text/pointer.ts"
import { readJson } from "../../src/text/read-json.ts"
import { numbers } from "../check/rewrite.ts"
import { faults, type Pick, type WrittenPlan } from "../convergence/faults.ts"
import { deskPlans, domainPlans } from "../convergence/good-plans.ts"

const chance = (seed: number): Pick => {
  const next = numbers(seed)
  return (below) => next() % below
}

/** The value as a planner may write it: any layout, numbers and strings spelt otherwise, alike all over or each in its way. */
function dress(value: Json, pick: Pick): string {
  const eol = ["\n", "\r\n"][pick(2)] ?? ""
  const unit = ["  ", "    ", "\t"][pick(3)] ?? ""
  const alike = pick(2) === 0
  const [style, colon, pad] = [pick(3), pick(3), pick(2)]
  const write = (inner: Json, indent: string): string => {
    if (typeof inner === "number") {
      return Number.isSafeInteger(inner) && !Object.is(inner, -0) ? `${inner}${["", ".0", "e0"][pick(3)]}` : `${inner}`
    }
    if (typeof inner === "string") return spell(inner)
    if (typeof inner !== "object" || inner === null) return String(inner)
    const [open, close] = Array.isArray(inner) ? "[]" : "{}"
    const how = alike ? style : pick(3)
    const within = `${indent}${unit}`
    const items = Array.isArray(inner)
      ? inner.map((item: Json) => write(item, within))
      : Object.entries(inner).map(
          ([key, item]) => `${spell(key)}${[":", ": ", " : "][alike ? colon : pick(3)]}${write(item, within)}`,
        )
    if (items.length === 0) return `${open}${["", " ", eol][pick(3)]}${close}`
    if (how === 2) return `${open}${eol}${within}${items.join(`,${eol}${within}`)}${eol}${indent}${close}`
    const space = (alike ? pad : pick(2)) === 0 ? "" : " "
    return `${open}${space}${items.join(how === 0 ? "," : ", ")}${space}${close}`
  }
  const spell = (text: string): string => {
    const plain = JSON.stringify(text)
    const at = 1 + pick(plain.length)
    return pick(4) === 0 &&
      /[A-Za-z]/.test(plain.charAt(at)) &&
      plain.charAt(at - 1) !== "\\" &&
      !/\\u.{0,3}$/.test(plain.slice(0, at))
      ? `${plain.slice(0, at)}\\u${plain.charCodeAt(at).toString(16).padStart(4, "0")}${plain.slice(at + 1)}`
      : plain
  }
  return write(value, "")
}

function read(text: string): { readonly value: Json; readonly raw: (at: Pointer) => string } {
  const json = readJson(text, defaultBounds)
  if (!json.ok) throw new Error(`${json.fault.kind}: ${text}`)
  return {
    value: json.value,
    raw: (at) => {
      const range = json.rangeOf(at)
      return text.slice(range?.start.offset, range?.end.offset)
    },
  }
}

/** Every array and object in a value, with its place. */
function* containers(value: Json, at: Pointer = root): Generator<readonly [Json, Pointer]> {
  if (typeof value !== "object" || value === null) return
  yield [value, at]
  const inner = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [token, item] of inner) yield* containers(item as Json, child(at, token))
}

/** `applyPatch` shares what it does not touch: so does the text. Gives back how many such parts there were. */
function expectRewritten(text: string, patch: JsonPatch): number {
  const before = read(text)
  const document = applyPatch(before.value, patch) as Json
  const after = read(rewrite(text, before.value, patch) ?? "")
  expect(canonical(after.value)).toBe(canonical(document))
  const places = new Map(containers(before.value))
  let shared = 0
  for (const [value, at] of containers(document)) {
    const there = places.get(value)
    if (there === undefined) continue
    shared++
    expect(after.raw(at)).toBe(before.raw(there))
  }
  return shared
}

const key = fc.constantFrom("a", "b", "0", "10", "a/b", "m~n", "é", "_", "x y", "\u2028", '"', "\\")
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom<Json>(null, true, 0, -1, 1.5, 1e300, ""), fc.string({ maxLength: 6, unit: "grapheme" })),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
  ) as fc.Arbitrary<Json>,
}))
const document = fc.oneof(
  fc.array(tree, { minLength: 1, maxLength: 4 }),
  fc.dictionary(key, tree, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
) as fc.Arbitrary<Json>

/** Operations that lead somewhere, each in the document that those before it leave. */
function anyPatch(given: Json, values: readonly Json[], pick: Pick): JsonPatch {
  let current = given
  const patch: JsonPatch[number][] = []
  for (const value of values) {
    const all = [...containers(current)]
    const [container = null, at = root] = all[pick(all.length)] ?? []
    const inside = Array.isArray(container) ? [...container.keys()] : isObject(container) ? Object.keys(container) : []
    const there = inside[pick(Math.max(1, inside.length))]
    const free = Array.isArray(container) ? [inside.length, "-", 0][pick(3)] : ["a", "b", "new", "10"][pick(4)]
    const path = there === undefined ? undefined : child(at, there)
    const [elsewhere, target = root] = all[pick(all.length)] ?? []
    const to = child(target, Array.isArray(elsewhere) ? 0 : "moved")
    const made: readonly (JsonPatch[number] | undefined)[] = [
      path && { op: "replace", path, value },
      path && { op: "remove", path },
      { op: "add", path: child(at, free ?? "a"), value },
      path && { op: "move", from: path, path: child(at, free === "-" || there === undefined ? "-" : (free ?? "a")) },
      path && { op: "move", from: path, path: to },
    ]
    const operation = made[pick(made.length)]
    const next = operation && applyPatch(current, [operation])
    if (operation === undefined || next === undefined) continue
    // Into itself nothing can be moved.
    if (operation.op === "move" && valueAt(current, operation.from) === undefined) continue
    patch.push(operation)
    current = next
  }
  return patch
}

describe("a patched text", () => {
  test("reads as the patched document, and keeps what is not touched: any document, any patch, any layout", () => {
    let [operations, shared] = [0, 0]
    fc.assert(
      fc.property(document, fc.array(tree, { minLength: 1, maxLength: 4 }), fc.nat(), (given, values, seed) => {
        const pick = chance(seed)
        const text = dress(given, pick)
        const patch = anyPatch(read(text).value, values, pick)
        operations += patch.length
        shared += expectRewritten(text, patch)
      }),
      { numRuns: 3_000 },
    )
    expect(operations).toBeGreaterThan(4_000)
    expect(shared).toBeGreaterThan(4_000)
  })

  test("the same for the fixes of good plans with seeded faults", () => {
    const good = [...deskPlans(7, 60), ...domainPlans()]
    const kinds = Object.values(faults)
    const pick = chance(20_26)
    let [mended, shared] = [0, 0]
    for (let tries = 0; tries < 3_000; tries++) {
      const chosen = good[pick(good.length)]
      const fault = kinds[pick(kinds.length)]
      const faulty = chosen && fault?.(chosen.plan as WrittenPlan, chosen.catalog, pick)
      if (chosen === undefined || faulty === undefined) continue
      const text = dress(faulty as unknown as Json, pick)
      const { patch } = applyFixes(read(text).value, compile(chosen.catalog, text).diagnostics)
      if (patch.length === 0) continue
      mended++
      shared += expectRewritten(text, patch)
    }
    expect(mended).toBeGreaterThan(500)
    expect(shared).toBeGreaterThan(mended)
  })

  test("an operation that leads nowhere gives nothing", () => {
    const [text, value] = ['{"a":[1]}', { a: [1] }]
    for (const operation of [
      { op: "remove", path: "/b" },
      { op: "replace", path: "/a/1", value: 0 },
      { op: "add", path: "/a/2", value: 0 },
      { op: "move", from: "/b", path: "/c" },
    ] as const) {
      expect(rewrite(text, value, [{ op: "replace", path: "/a/0", value: 2 }, operation])).toBeUndefined()
    }
  })
})

describe("what is put in looks like what stands beside it", () => {
  const cases: readonly (readonly [string, string, JsonPatch, string])[] = [
    [
      "a step among steps on lines of their own",
      '{\n  "steps": [\n    { "id": "a", "n": 1.0 },\n    { "id": "c" }\n  ]\n}',
      [{ op: "add", path: "/steps/1", value: { id: "b", args: {} } }],
      '{\n  "steps": [\n    { "id": "a", "n": 1.0 },\n    { "id": "b", "args": {} },\n    { "id": "c" }\n  ]\n}',
    ],
    [
      "a step among steps whose fields have lines of their own, by tabs and CRLF",
      '[\r\n\t{\r\n\t\t"id": "a"\r\n\t}\r\n]',
      [{ op: "add", path: "/1", value: { id: "b", after: ["a"] } }],
      '[\r\n\t{\r\n\t\t"id": "a"\r\n\t},\r\n\t{\r\n\t\t"id": "b",\r\n\t\t"after": [\r\n\t\t\t"a"\r\n\t\t]\r\n\t}\r\n]',
    ],
    [
      "a step in a plan without any space",
      '{"steps":[{"id":"a"}]}',
      [{ op: "add", path: "/steps/0", value: { id: "b", after: [1, 2] } }],
      '{"steps":[{"id":"b","after":[1,2]},{"id":"a"}]}',
    ],
    [
      "a key that was misspelt",
      '{"a" :  1e2,\n "stpes":[ 1.50 ]}',
      [{ op: "move", from: "/stpes", path: "/steps" }],
      '{"a" :  1e2,\n "steps":[ 1.50 ]}',
    ],
    [
      "steps that change places",
      '[\n  {"id": "a",\n   "n": 1e0},\n  {"id":"b"}\n]',
      [{ op: "move", from: "/1", path: "/0" }],
      '[\n  {"id":"b"},\n  {"id": "a",\n   "n": 1e0}\n]',
    ],
    ["the last item gone", "[1, 2]", [{ op: "remove", path: "/1" }], "[1]"],
    ["the first item gone", "[ 1, 2 ]", [{ op: "remove", path: "/0" }], "[ 2 ]"],
    ["the only item gone", '{ "a": [ 1 ] }', [{ op: "remove", path: "/a/0" }], '{ "a": [] }'],
    ["a new key", '{ "a": 1 }', [{ op: "add", path: "/b", value: "x" }], '{ "a": 1, "b": "x" }'],
  ]
  test.each(cases)("%s", (_, text, patch, expected) => {
    expect(rewrite(text, read(text).value, patch)).toBe(expected)
  })
})
