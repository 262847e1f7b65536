/** A fix mends what it is for, and breaks nothing: on the refused plans of the project, and on plans with one slip. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import fc from "fast-check"
import { applyFixes, applyPatch, type Catalog, compile, type Diagnostic, type Json, type JsonPatch } from "sequitur"
import { describe, expect, test } from "vitest"
import desk from "../../plans/invalid/catalog.ts"
import { intended } from "../../src/diagnostic/nearest.ts"
import { mend, mostRounds } from "../convergence/converge.ts"
import { anyPlan, slippedPlan } from "./arbitrary.ts"
import { call, from, refusal, type WrittenStep } from "./expect.ts"

const errorsOf = (catalog: Catalog, document: Json): readonly Diagnostic[] =>
  compile(catalog, JSON.stringify(document)).diagnostics.filter(({ severity }) => severity === "error")

const allOf = (catalog: Catalog, document: Json): readonly Diagnostic[] =>
  compile(catalog, JSON.stringify(document)).diagnostics.filter(
    ({ code, severity }) => severity !== "approval" && code !== "SEQ111",
  )

/** Pointers move with the steps; the words do not. */
const wordsOf = ({ code, message }: Diagnostic): string => `${code} ${message}`

function expectMended(catalog: Catalog, document: Json, fixed: Diagnostic, told = errorsOf): void {
  const before = told(catalog, document).map(wordsOf)
  const after = told(catalog, applyPatch(document, fixed.fix ?? []) as Json).map(wordsOf)
  const times = (list: readonly string[]): number => list.filter((words) => words === wordsOf(fixed)).length
  expect(times(after), `${wordsOf(fixed)} is still there`).toBeLessThan(times(before))
  expect(after.filter((words) => !before.includes(words))).toEqual([])
}

describe("every fix of plans/invalid", () => {
  const withFix = readdirSync("plans/invalid", { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".expected.json") && readFileSync(`plans/invalid/${path}`, "utf8").includes('"fix"'),
  )

  test.each(withFix)("%s", async (path) => {
    const file = `plans/invalid/${path.replace(".expected", "")}`
    const own = `${dirname(resolve(file))}/catalog.ts`
    const catalog = existsSync(own) ? ((await import(own)) as { default: Catalog }).default : desk
    const document = JSON.parse(readFileSync(file, "utf8")) as Json
    const fixed = allOf(catalog, document).filter(({ fix }) => fix !== undefined)
    expect(fixed.length).toBeGreaterThan(0)
    for (const one of fixed) expectMended(catalog, document, one, allOf)
  })
})

describe("over the plans of the desk", () => {
  test("after one slip each fix alone mends its diagnostic and brings no other", () => {
    let seen = 0
    fc.assert(
      fc.property(slippedPlan, ([right, slipped]) => {
        fc.pre(compile(desk, JSON.stringify(right)).ok)
        for (const one of errorsOf(desk, slipped)) {
          if (one.fix === undefined) continue
          seen++
          expectMended(desk, slipped, one)
        }
      }),
      { numRuns: 2_000 },
    )
    expect(seen).toBeGreaterThan(150)
  })

  test("with any slips, fixes applied again and again come to an end and leave the document alone", () => {
    fc.assert(
      fc.property(anyPlan, (plan) => {
        const kept = JSON.stringify(plan)
        expect(mend(desk, plan).rounds).toBeLessThan(mostRounds)
        expect(JSON.stringify(plan)).toBe(kept)
      }),
      { numRuns: 1_000 },
    )
  })
})

const fixesOf = (steps: readonly WrittenStep[]): readonly (JsonPatch | undefined)[] =>
  refusal(desk, steps).map(({ fix }) => fix)

describe("no fix where it would be a guess", () => {
  const find = call("find", "find_order", { orderId: "A-1" })
  const open = { id: "open", transition: "CHANGING" }
  const cancel = call("cancel", "cancel_order", { orderId: "A-1", reason: "too_late" })

  test.each<[string, readonly WrittenStep[]]>([
    ["an amount in dollars", [find, open, cancel, call("pay", "refund", { orderId: "A-1", cents: "$24.50" })]],
    [
      "two names that are as near",
      [
        { ...find, id: "find1" },
        { ...find, id: "find2" },
        { ...call("tag", "tag_items", { skus: [], tag: from("find3", "/status") }) },
      ],
    ],
    [
      "a number is no spelling",
      [{ ...find, id: "find1" }, call("tag", "tag_items", { skus: [], tag: from("find2", "/status") })],
    ],
    [
      "a near step that gives no such value",
      [find, open, cancel, call("tag", "tag_items", { skus: [], tag: from("cancle", "/status") })],
    ],
    ["an effect that was not asked for", [find, open, call("pay", "refund", { orderId: "A-1", cents: 1 })]],
    ["an effect without the wish that came with it", [call("tag", "tag_items", { skus: [], tag: "x", dryRun: true })]],
    ["an id that two different steps have", [find, { ...find, args: { orderId: "B-2" } }]],
    ["another order", [find, open, call("cancel", "cancel_order", { orderId: "B-2", reason: "too_late" })]],
    [
      "a later step that needs this one",
      [
        call("find", "find_order", { orderId: from("other", "/orderId") }),
        call("other", "find_order", { orderId: from("find", "/orderId") }),
      ],
    ],
  ])("%s", (_, steps) => {
    const fixes = fixesOf(steps)
    expect(fixes).toEqual(fixes.map(() => undefined))
  })

  test("a repeated effect is taken out, never made once more", () => {
    const tag = call("tag", "tag_items", { skus: ["x"], tag: "x" })
    expect(fixesOf([tag, { ...tag, id: "again" }])).toEqual([[{ op: "remove", path: "/steps/1" }]])
    expect(fixesOf([tag, { ...tag, id: "again" }, { ...find, after: ["again"] }])).toEqual([undefined])
  })
})

describe("what was surely meant", () => {
  test.each([
    ["find_orders", "find_order"],
    ["findOrder", "find_order"],
    ["FIND-ORDER", "find_order"],
    ["fidn_order", "find_order"],
    ["unlock_account", undefined],
    ["refun", "refund"],
    ["refnd2", undefined],
    ["", undefined],
  ])("%s → %s", (wanted, meant) => {
    expect(intended(wanted, ["find_order", "lock_account", "refund", "refund1"])).toBe(meant)
  })

  test("a name that is as near to two is neither", () => {
    expect(intended("cart", ["card", "care"])).toBeUndefined()
    expect(intended("usb", ["usd"])).toBeUndefined()
  })
})

describe("several fixes at once", () => {
  const told = (fix: JsonPatch): Diagnostic => ({
    code: "SEQ103",
    severity: "error",
    message: "",
    hint: "",
    at: "" as never,
    fix,
  })
  const document = { steps: [{ id: "a", x: 1 }, { id: "b" }, { id: "c" }] }

  test("steps put in and taken out do not move each other, nor what is mended inside", () => {
    const { document: fixed, applied } = applyFixes(document, [
      told([{ op: "add", path: "/steps/0", value: { id: "new" } }]),
      told([{ op: "remove", path: "/steps/1" }]),
      told([{ op: "replace", path: "/steps/2/id", value: "d" }]),
      told([{ op: "move", from: "/steps/0/x", path: "/steps/0/y" }]),
    ])
    expect(fixed).toEqual({ steps: [{ id: "new" }, { id: "a", y: 1 }, { id: "d" }] })
    expect(applied).toHaveLength(4)
  })

  test.each<[string, JsonPatch, JsonPatch]>([
    ["the same place", [{ op: "replace", path: "/steps/0/id", value: "x" }], [{ op: "remove", path: "/steps/0/id" }]],
    ["inside what is taken out", [{ op: "remove", path: "/steps/0" }], [{ op: "remove", path: "/steps/0/x" }]],
    [
      "the same need",
      [{ op: "add", path: "/steps/1", value: { id: "n" } }],
      [{ op: "add", path: "/steps/2", value: { id: "n" } }],
    ],
    ["a move goes alone", [{ op: "move", from: "/steps/2", path: "/steps/0" }], [{ op: "remove", path: "/steps/1" }]],
    [
      "what leads nowhere is passed over",
      [{ op: "replace", path: "/steps/0/id", value: "x" }],
      [{ op: "remove", path: "/steps/7/id" }],
    ],
  ])("%s: the first counts", (_, one, other) => {
    const first = told(one)
    const { document: fixed, applied } = applyFixes(document, [first, told(other)])
    expect(applied).toEqual([first])
    expect(fixed).toEqual(applyPatch(document, one))
  })

  test("a patch is done whole or not at all, on keys of its own only", () => {
    expect(
      applyPatch(document, [
        { op: "remove", path: "/steps/0" },
        { op: "remove", path: "/steps/5" },
      ]),
    ).toBeUndefined()
    expect(applyPatch(document, [{ op: "replace", path: "/toString", value: 1 }])).toBeUndefined()
    expect(applyPatch({ "a/b": 1 }, [{ op: "move", from: "/a~1b", path: "/~0" }])).toEqual({ "~": 1 })
    expect(applyPatch([1], [{ op: "add", path: "/-", value: 2 }])).toEqual([1, 2])
    expect(applyPatch([1], [{ op: "add", path: "/2", value: 2 }])).toBeUndefined()
    expect(applyPatch([1], [{ op: "remove", path: "" }])).toBeUndefined()
    const polluted = applyPatch({}, [{ op: "add", path: "/__proto__", value: { x: 1 } }])
    expect(Object.keys(polluted ?? {})).toEqual(["__proto__"])
    expect(({} as { x?: number }).x).toBeUndefined()
  })
})
