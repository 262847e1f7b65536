/** Paths, selections and joined texts: which are proved, which are refused, and which are left to the run. */
import { describe, expect, test } from "vitest"
import { stock } from "./catalog.ts"
import { call, checksOf, expectDiagnostics, expectValid, from } from "./expect.ts"

const look = call("a", "look", { sku: "A" })
const reading = (sku: unknown) => [look, call("b", "look", { sku })]
const moving = (amount: unknown) => [look, call("b", "move", { sku: "A", amount })]

describe("a path", () => {
  test("that is always there leaves nothing to the run", () => {
    for (const path of ["/sku", "/pair/0"]) expect(checksOf(expectValid(stock, reading(from("a", path))))).toEqual([])
  })

  test("into an array or a record may find nothing", () => {
    expect(checksOf(expectValid(stock, reading(from("a", "/places/7/id"))))).toEqual(["present /steps/1/args/sku/path"])
    expect(checksOf(expectValid(stock, moving(from("a", "/sizes/large"))))).toEqual([
      "present /steps/1/args/amount/path",
      "fits /steps/1/args/amount",
    ])
  })

  test("to what may be null, or out of range, may not fit", () => {
    expect(checksOf(expectValid(stock, reading(from("a", "/place"))))).toEqual(["fits /steps/1/args/sku"])
    expect(checksOf(expectValid(stock, moving(from("a", "/left"))))).toEqual(["fits /steps/1/args/amount"])
    expect(checksOf(expectValid(stock, moving(from("a", "/price"))))).toEqual(["fits /steps/1/args/amount"])
  })

  test("to another kind never fits", () => {
    expectDiagnostics(stock, reading(from("a", "/left"))).toEqual(["SEQ207 /steps/1/args/sku"])
    expectDiagnostics(stock, reading(from("a"))).toEqual(["SEQ207 /steps/1/args/sku"])
    expectDiagnostics(stock, moving(from("a", "/sku"))).toEqual(["SEQ207 /steps/1/args/amount"])
  })

  test("to nothing, or to what may be left out, is refused at the path", () => {
    const at = "/steps/1/args/sku/path"
    for (const path of [
      "/skew",
      "/sku/length",
      "/places/length",
      "/places/-",
      "/places/01",
      "/pair/2",
      "/__proto__",
      "/toString",
      "/",
    ]) {
      expectDiagnostics(stock, reading(from("a", path))).toEqual([`SEQ205 ${at}`])
    }
    expectDiagnostics(stock, reading(from("a", "/label"))).toEqual([`SEQ206 ${at}`])
    expectDiagnostics(stock, reading(from("a", "/places/0/owner"))).toEqual([`SEQ206 ${at}`])
  })

  test("into a result that is not declared reaches only the whole of it", () => {
    const steps = (path?: string) => [
      look,
      call("u", "untold"),
      call("b", "move", { sku: "A", amount: 1, data: from("u", path) }),
    ]
    expect(checksOf(expectValid(stock, steps()))).toEqual([])
    expectDiagnostics(stock, steps("/sku")).toEqual(["SEQ205 /steps/2/args/data/path"])
  })
})

describe("a selection", () => {
  const select = (where: object, pick: string, path = "/places") => ({ $from: "a", path, where, pick })

  test("that may match leaves its one element to the run", () => {
    expect(checksOf(expectValid(stock, reading(select({ "/kind": "dry", "/row": 4 }, "/id"))))).toEqual([
      "selects-one /steps/1/args/sku",
    ])
  })

  test("compares with what another step gives", () => {
    const where = { "/id": from("a", "/sku") }
    expect(checksOf(expectValid(stock, reading(select(where, "/id"))))).toEqual(["selects-one /steps/1/args/sku"])
    expectDiagnostics(stock, reading(select({ "/row": from("a", "/sku") }, "/id"))).toEqual([
      "SEQ212 /steps/1/args/sku/where/~1row",
    ])
  })

  test("can be seen to match nothing", () => {
    for (const where of [{ "/row": "4" }, { "/row": 41 }, { "/row": 1.5 }, { "/kind": "warm" }, { "/id": null }]) {
      const [pointer] = Object.keys(where) as [string]
      const at = `/steps/1/args/sku/where/~1${pointer.slice(1)}`
      expectDiagnostics(stock, reading(select(where, "/id"))).toEqual([`SEQ212 ${at}`])
    }
    // The whole element, with something of an object, a list, and nothing of it.
    for (const whole of [{}, { kind: "dry" }, [], null]) {
      expectDiagnostics(stock, reading(select({ "": whole }, "/id"))).toEqual(["SEQ212 /steps/1/args/sku/where/"])
    }
  })

  test("compares and picks what an element declares", () => {
    expectDiagnostics(stock, reading(select({ "/colour": "red" }, "/id"))).toEqual([
      "SEQ205 /steps/1/args/sku/where/~1colour",
    ])
    expectDiagnostics(stock, reading(select({ "/kind": "dry" }, "/name"))).toEqual(["SEQ205 /steps/1/args/sku/pick"])
    expectDiagnostics(stock, reading(select({ "/kind": "dry" }, "/owner"))).toEqual(["SEQ206 /steps/1/args/sku/pick"])
    expectDiagnostics(stock, reading(select({ "/kind": "dry" }, "/row"))).toEqual(["SEQ207 /steps/1/args/sku"])
  })

  test("may compare what an element can lack: then that element does not match", () => {
    for (const where of [{ "/owner": "ann" }, { "/marks/0": "old" }]) {
      expect(checksOf(expectValid(stock, reading(select(where, "/id"))))).toEqual(["selects-one /steps/1/args/sku"])
    }
    expect(checksOf(expectValid(stock, reading(select({ "/kind": "dry" }, "/marks/0"))))).toEqual([
      "selects-one /steps/1/args/sku",
      "present /steps/1/args/sku/pick",
    ])
  })

  test("selects from an array", () => {
    expectDiagnostics(stock, reading(select({ "/kind": "dry" }, "/id", "/sizes"))).toEqual([
      "SEQ211 /steps/1/args/sku/path",
    ])
    expectDiagnostics(stock, reading(select({ "/kind": "dry" }, "/id", ""))).toEqual(["SEQ211 /steps/1/args/sku/path"])
  })
})

describe("a joined text", () => {
  const joined = (...parts: readonly unknown[]) => reading({ $concat: parts })

  test("takes strings, integers and booleans", () => {
    expect(checksOf(expectValid(stock, joined("x-", from("a", "/sku"), 7, true, from("a", "/left"))))).toEqual([])
    expect(checksOf(expectValid(stock, joined(from("a", "/place"), from("a", "/price"))))).toEqual([
      "fits /steps/1/args/sku/$concat/0",
      "fits /steps/1/args/sku/$concat/1",
    ])
  })

  test("takes nothing else", () => {
    expectDiagnostics(stock, joined("x", from("a", "/places"), from("a", "/pair"), from("a"))).toEqual([
      "SEQ213 /steps/1/args/sku/$concat/1",
      "SEQ213 /steps/1/args/sku/$concat/2",
      "SEQ213 /steps/1/args/sku/$concat/3",
    ])
    for (const part of [null, 1.5, [], {}, { $literal: null }, { $concat: [from("a", "/sku")] }]) {
      const codes = /SEQ13[01] \/steps\/1\/args\/sku\/\$concat\/1/
      expectDiagnostics(stock, joined("x", part)).toEqual([expect.stringMatching(codes)])
    }
  })

  test("is a string to whoever takes it", () => {
    expectDiagnostics(stock, moving({ $concat: [from("a", "/left")] })).toEqual(["SEQ207 /steps/1/args/amount"])
  })
})
