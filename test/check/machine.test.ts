/** The machine along a plan: states, ways out of a fault, approvals. */
import { compile, defineCatalog, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { call, expectDiagnostics, expectValid, inShort, planOf, refusal } from "./expect.ts"

const effect = { effect: "write", idempotency: "natural", compensate: "none", params: z.strictObject({}) } as const

const catalog = defineCatalog({
  name: "gates",
  version: "1",
  machine: {
    initial: "A",
    transitions: { A: { B: { guard: "approval" } }, B: { A: {}, C: {} }, C: { C: {}, B: { guard: "approval" } } },
  },
  tools: {
    look: tool({ description: "Looks.", effect: "read", params: z.strictObject({}) }),
    peek: tool({ description: "Peeks.", effect: "read", params: z.strictObject({}), states: ["B", "C"] }),
    write: tool({ description: "Writes.", ...effect, states: ["B"] }),
    close: tool({ description: "Closes.", ...effect, states: ["C"] }),
  },
})

const to = (id: string, transition: string) => ({ id, transition })

test("states before and after each step, and where it ends", () => {
  const plan = expectValid(catalog, [
    call("a", "look"),
    to("t", "B"),
    call("b", "write"),
    to("u", "C"),
    to("v", "C"),
    call("c", "close"),
  ])
  expect(plan.states).toEqual({ initial: "A", final: "C" })
  expect(plan.steps.map(({ before, after }) => `${before}${after}`)).toEqual(["AA", "AB", "BB", "BC", "CC", "CC"])
  expect(expectValid(catalog, []).states).toEqual({ initial: "A", final: "A" })
})

test("every guarded transition is an approval, told without refusing the plan", () => {
  const steps = [to("t", "B"), to("u", "C"), to("v", "B"), to("w", "A"), to("x", "B")]
  const plan = expectValid(catalog, steps)
  expect(plan.approvals).toEqual([
    { kind: "transition", stepId: "t", index: 0, from: "A", to: "B" },
    { kind: "transition", stepId: "v", index: 2, from: "C", to: "B" },
    { kind: "transition", stepId: "x", index: 4, from: "A", to: "B" },
  ])
  const { diagnostics } = compile(catalog, planOf(steps))
  expect(diagnostics.map(inShort)).toEqual(plan.approvals.map(({ index }) => `SEQ501 /steps/${index}/transition`))
})

test("what a refused plan would have needed is not told", () => {
  expectDiagnostics(catalog, [to("t", "B"), call("c", "close")]).toEqual(["SEQ301 /steps/1/tool"])
})

test("a tool without states is available everywhere; the others name the way there", () => {
  const [said] = refusal(catalog, [call("c", "close")])
  expect(said).toMatchObject({
    code: "SEQ301",
    hint: "Put transitions to `B`, then `C` before `c`; a person will be asked to approve.",
  })
  expectValid(catalog, [call("a", "look"), to("t", "B"), call("b", "look")])
})

test("no way there is said too", () => {
  const oneWay = defineCatalog({
    name: "one-way",
    version: "1",
    machine: { initial: "A", transitions: { A: { B: {} } } },
    tools: { write: tool({ description: "Writes.", ...effect, states: ["A"] }) },
  })
  const [said] = refusal(oneWay, [to("t", "B"), call("b", "write")])
  expect(said).toMatchObject({ code: "SEQ301", at: "/steps/1/tool", hint: expect.stringMatching(/^No .* from `B`\.$/) })
})

test("after an undeclared transition the plan is where it says it is: one fault, told once", () => {
  expectDiagnostics(catalog, [to("t", "C"), call("c", "close"), to("u", "B"), call("b", "write")]).toEqual([
    "SEQ302 /steps/0/transition",
  ])
})

test("after an unknown state nothing is known, until the next that is", () => {
  expectDiagnostics(catalog, [
    to("t", "D"),
    call("b", "write"),
    call("c", "close"),
    to("u", "B"),
    call("d", "close"),
  ]).toEqual(["SEQ303 /steps/0/transition", "SEQ301 /steps/4/tool"])
})

test("states of the prototype are no states", () => {
  for (const state of ["toString", "__proto__", "constructor", ""])
    expectDiagnostics(catalog, [to("t", state)]).toEqual(["SEQ303 /steps/0/transition"])
})
