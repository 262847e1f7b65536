/** What a planner writes in a form comes back as it was meant, or is told what is wrong; nothing is dropped on the way. */
import fc from "fast-check"
import { type Catalog, compile, type Diagnostic, defineCatalog, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import desk from "../../plans/invalid/catalog.ts"
import { type DecodedPlan, decodePlan, type Form } from "../../src/planner/index.ts"
import { odd } from "./catalogs.ts"

const structured = { kind: "structured", absent: "null" } as const satisfies Form
const omitted = { kind: "structured", absent: "omitted" } as const satisfies Form
const envelope = { kind: "envelope", absent: "null" } as const satisfies Form

const stepOf = (step: object): string => JSON.stringify({ version: 1, goal: null, steps: [step] })
const decode = (step: object, form: Form = structured, catalog: Catalog = odd as Catalog): DecodedPlan =>
  decodePlan(catalog, stepOf(step), form)

function decoded(step: object, form: Form = structured): unknown {
  const plan = decode(step, form)
  if (!plan.ok) throw new Error(JSON.stringify(plan.diagnostics))
  return JSON.parse(plan.text).steps[0]
}

const faults = (plan: DecodedPlan): readonly string[] =>
  plan.ok ? [] : plan.diagnostics.map(({ code, at }: Diagnostic) => `${code} ${at}`)

describe("structured", () => {
  test("a step as a model writes it", () => {
    const look = { path: null, note: null, from: { _from: "input", path: "/who" } }
    expect(decoded({ id: "a", do: { look }, after: null, occurrence: null, why: "to see" })).toEqual({
      id: "a",
      tool: "look",
      args: { note: null, from: { $from: "input", path: "/who" } },
      why: "to see",
    })
    expect(decoded({ id: "b", do: { transition: "B" }, after: ["a"], occurrence: null, why: null })).toEqual({
      id: "b",
      transition: "B",
      after: ["a"],
    })
  })

  test("null is absent only where the form has no other way to say it", () => {
    expect(decoded({ id: "a", do: { look: { path: null, note: null } }, why: null }, omitted)).toEqual({
      id: "a",
      tool: "look",
      args: { path: null, note: null },
      why: null,
    })
    expect(decoded({ id: "p", do: { put: { any: [null], table: null, more: null } } })).toEqual({
      id: "p",
      tool: "put",
      args: { any: [null], more: null },
    })
    expect(decoded({ id: null, do: { look: { note: null } } })).toEqual({
      id: null,
      tool: "look",
      args: { note: null },
    })
  })

  test("what is not of the form stays, and the compiler refuses it", () => {
    for (const step of [
      { id: "a", tool: "look", args: { note: null } },
      { id: "a", do: { look: {}, put: {} } },
      { id: "a", do: { look: {} }, tool: "put" },
      { id: "a", do: {} },
      { id: "a", do: "look" },
      { id: "a", do: [] },
    ])
      expect(decoded(step)).toEqual(step)
    expect(decoded({ id: "a", do: { lok: { a: null } } })).toEqual({ id: "a", tool: "lok", args: { a: null } })
    expect(decoded({ id: "a", do: { look: [1] } })).toEqual({ id: "a", tool: "look", args: [1] })
    for (const text of ["[]", "1", '{"steps": {}}', '{"steps": [1, null]}']) {
      expect(decodePlan(odd as Catalog, text, structured)).toEqual({ ok: true, text: JSON.stringify(JSON.parse(text)) })
    }
  })

  test("JSON text is read as strictly as a plan", () => {
    const put = (text: unknown): DecodedPlan => decode({ id: "p", do: { put: { table: { _json: text } } } })
    expect(put('{"a": 1}')).toMatchObject({ ok: true })
    const place = "/steps/0/do/put/table/_json"
    expect(faults(put('{"a": 1, "a": 2}'))).toEqual([`SEQ003 ${place}/a`])
    expect(faults(put("{'a': 1}"))).toEqual([`SEQ001 ${place}`])
    expect(faults(put('{"a": 1'))).toEqual([`SEQ002 ${place}`])
    expect(faults(put('{"__proto__": 1}'))).toEqual([`SEQ008 ${place}/__proto__`])
    expect(faults(put("9007199254740993"))).toEqual([`SEQ004 ${place}`])
    expect(faults(put('```json\n{"a": 1}\n```'))).toEqual([`SEQ013 ${place}`])
    expect(faults(put(1))).toEqual([`SEQ131 ${place}`])
  })

  test("a fault has its place in the text that was given", () => {
    const plan = decode({ id: "p", do: { put: { any: { _json: "{" } } } })
    const text = stepOf({ id: "p", do: { put: { any: { _json: "{" } } } })
    if (plan.ok) throw new Error("accepted")
    const { start, end } = plan.diagnostics[0]?.range ?? { start: { offset: 0 }, end: { offset: 0 } }
    expect(text.slice(start.offset, end.offset)).toBe('"{"')
  })

  test("expressions with fields that they do not have", () => {
    const any = (value: object): readonly string[] => faults(decode({ id: "p", do: { put: { any: value } } }))
    const place = "/steps/0/do/put/any"
    expect(any({ _from: "a", path: "", where: [] })).toEqual([`SEQ131 ${place}/where`])
    expect(any({ _json: "1", _from: "a" })).toEqual([`SEQ131 ${place}/_json`])
    expect(any({ _select: "a", path: "/b", where: { "/c": 1 }, pick: "" })).toEqual([`SEQ131 ${place}/where`])
    expect(any({ _select: "a", path: "/b", where: [{ at: "/c" }, 1], pick: "" })).toEqual([
      `SEQ131 ${place}/where/0`,
      `SEQ131 ${place}/where/1`,
    ])
    const twice = [
      { at: "/c", is: 1 },
      { at: "/c", is: 2 },
    ]
    expect(any({ _select: "a", path: "/b", where: twice, pick: "" })).toEqual([`SEQ131 ${place}/where/1/at`])
    expect(any({ _concat: [{ _json: "{" }] })).toEqual([`SEQ002 ${place}/_concat/0/_json`])
  })

  test("wrong kinds go to the compiler", () => {
    expect(decoded({ id: "p", do: { put: { any: { _from: 1, path: 2 } } } })).toMatchObject({
      args: { any: { $from: 1, path: 2 } },
    })
    expect(decoded({ id: "p", do: { put: { any: { _concat: "a" } } } })).toMatchObject({
      args: { any: { $concat: "a" } },
    })
  })
})

describe("envelope", () => {
  test("arguments are JSON text", () => {
    const rest = { transition: null, after: null, occurrence: 2, why: null }
    expect(
      decoded({ id: "a", tool: "look", args: '{"note": null, "from": {"$from": "b"}}', ...rest }, envelope),
    ).toEqual({
      id: "a",
      tool: "look",
      args: { note: null, from: { $from: "b" } },
      occurrence: 2,
    })
    expect(decoded({ id: "b", tool: null, args: null, ...rest, occurrence: null, transition: "B" }, envelope)).toEqual({
      id: "b",
      transition: "B",
    })
  })

  test("and read as strictly as a plan", () => {
    expect(faults(decode({ id: "a", tool: "look", args: "" }, envelope))).toEqual(["SEQ002 /steps/0/args"])
    expect(faults(decode({ id: "a", tool: "look", args: '{"a":1}}' }, envelope))).toEqual(["SEQ015 /steps/0/args"])
  })

  test("arguments may be longer than one string of a plan", () => {
    const catalog = defineCatalog({
      name: "long",
      version: "1",
      bounds: { stringBytes: 100 },
      tools: {
        say: tool({ description: "Say.", effect: "read", params: z.strictObject({ lines: z.array(z.string()) }) }),
      },
    }) as Catalog
    const say = (line: string): DecodedPlan =>
      decode({ id: "a", tool: "say", args: JSON.stringify({ lines: Array(20).fill(line) }) }, envelope, catalog)
    const plan = say("twenty letters in it")
    if (!plan.ok) throw new Error("refused")
    expect(compile(catalog, plan.text).ok).toBe(true)
    expect(faults(say("x".repeat(101)))).toEqual(["SEQ016 /steps/0/args/lines/0"])
  })
})

describe("whatever it is given", () => {
  const any = fc.constantFrom<Form[]>({ kind: "plan" }, structured, omitted, envelope, {
    ...envelope,
    absent: "omitted",
  })

  test("text that cannot be read is told as `compile` tells it", () => {
    for (const text of ["", "{", "[1", "\ufeff{}", "```json\n{}\n```"]) {
      const plan = decodePlan(desk, text, structured)
      expect(plan.ok ? [] : plan.diagnostics).toEqual(compile(desk, text).diagnostics)
    }
    expect(faults(decodePlan(desk, 1 as unknown as string, envelope))).toEqual(["SEQ018 "])
    expect(faults(decodePlan({} as Catalog, "{}", envelope))).toEqual(["SEQ801 "])
  })

  test("a plan in its own form comes back as it is, bytes as text", () => {
    const text = '{ "version": 1,\n "steps": [] }'
    expect(decodePlan(desk, text, { kind: "plan" })).toEqual({ ok: true, text })
    expect(decodePlan(desk, new TextEncoder().encode(text), { kind: "plan" })).toEqual({ ok: true, text })
  })

  test("it never throws, and is never at fault itself", () => {
    const piece: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(null, 1, "a", "", "{", '{"a":1}', [], {}),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            "steps",
            "do",
            "put",
            "look",
            "shape",
            "kind",
            "lines",
            "mixed",
            "any",
            "_from",
            "_select",
            "_concat",
            "_json",
            "path",
            "where",
            "at",
            "is",
            "pick",
            "args",
            "tool",
            "toString",
          ),
          tie("value"),
          { maxKeys: 4 },
        ),
      ),
    })).value
    const step = fc.record({ id: fc.constant("a"), do: fc.record({ put: piece }), args: piece }, { requiredKeys: [] })
    const plan = fc.oneof(fc.record({ version: fc.constant(1), steps: fc.array(step, { maxLength: 3 }) }), piece)
    fc.assert(
      fc.property(
        fc.oneof(
          plan.map((one) => JSON.stringify(one)),
          fc.json(),
          fc.string(),
        ),
        any,
        (text, form) => {
          const back = decodePlan(odd as Catalog, text, form)
          if (back.ok) expect(compile(odd, back.text).diagnostics.map(({ code }) => code)).not.toContain("SEQ901")
          else expect(back.diagnostics.map(({ code }) => code)).not.toContain("SEQ901")
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
