/** What the plans in plans/invalid/SEQ20x say badly: every place a name can stand in, and the waits that follow. */
import { expect, test } from "vitest"
import { stock } from "./catalog.ts"
import { call, expectDiagnostics, expectValid, from, refusal } from "./expect.ts"

const look = (id: string, sku: unknown = "A"): ReturnType<typeof call> => call(id, "look", { sku })

test("a name is held to the order wherever it stands", () => {
  const selection = (source: string) => ({
    $from: "a",
    path: "/places",
    where: { "/id": from(source, "/sku") },
    pick: "/id",
  })
  for (const sku of [from("b", "/sku"), { $concat: ["x", from("b", "/sku")] }, selection("b")]) {
    const codes = refusal(stock, [look("a"), look("c", sku), look("b")]).map(({ code }) => code)
    expect(codes, JSON.stringify(sku)).toEqual(["SEQ202"])
  }
  const deep = { data: { list: [{ inner: from("z") }] }, sku: "A", amount: 1 }
  expectDiagnostics(stock, [look("a"), call("m", "move", deep)]).toEqual([
    "SEQ201 /steps/1/args/data/list/0/inner/$from",
  ])
})

test("`after` names earlier calls, and nothing else", () => {
  expectDiagnostics(stock, [
    look("a"),
    call("b", "look", { sku: "B" }, { after: ["a", "b", "c", "d", "input"] }),
    look("c"),
  ]).toEqual([
    "SEQ203 /steps/1/after/1",
    "SEQ202 /steps/1/after/2",
    "SEQ201 /steps/1/after/3",
    "SEQ201 /steps/1/after/4",
  ])
})

test("a step waits on what it reads and on what it names, each once, in order", () => {
  const { steps } = expectValid(stock, [
    look("a"),
    look("b"),
    look("c"),
    call(
      "d",
      "look",
      { sku: { $concat: [from("c", "/sku"), from("a", "/sku"), from("c", "/sku")] } },
      { after: ["b", "a"] },
    ),
    call("e", "look", { sku: from("input", "/sku") }),
  ])
  expect(steps.map(({ waitsOn }) => waitsOn)).toEqual([[], [], [], [0, 1, 2], []])
})

test("inputs have a type as results do", () => {
  expectValid(stock, [call("a", "look", { sku: from("input", "/sku") })])
  expectDiagnostics(stock, [
    look("a", from("input", "/sky")),
    look("b", from("input", "/note")),
    look("c", from("input", "/amount")),
  ]).toEqual(["SEQ205 /steps/0/args/sku/path", "SEQ206 /steps/1/args/sku/path", "SEQ207 /steps/2/args/sku"])
})

test("of two steps with one id the first is meant", () => {
  expectDiagnostics(stock, [look("a"), call("a", "untold"), look("b", from("a", "/sku"))]).toEqual([
    "SEQ106 /steps/1/id",
  ])
})
