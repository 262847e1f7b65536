/**
 * The attacks on names and on the flow of data in data/attacks.jsonl, and the public reports of the same kind, asked of
 * whole plans. Those on parsing are in test/text, those on schemas in test/catalog, those on runs in test/run.
 */
import { type Catalog, compile, defineCatalog, load, serialize, type ToolSpec, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { listSwayed } from "../../src/explain/swayed.ts"
import { saidOf } from "./suite.ts"

const text = { type: "string" } as const
const object = (properties: { readonly [key: string]: object }) =>
  ({ type: "object", properties, required: Object.keys(properties), additionalProperties: false }) as const

/** A reader of mail, whose words nobody vouches for, and what they must not reach. */
const read = tool({
  description: "Reads a mail.",
  effect: "read",
  params: object({ id: text }),
  result: object({ from: text, text, count: { type: "integer" }, tags: { type: "array", items: text } }),
})
const transfer = tool({
  description: "Transfers money.",
  effect: "write",
  idempotency: "none",
  compensate: "none",
  params: object({ to: text, cents: { type: "integer", minimum: 0 } }),
  result: object({ receipt: text }),
})
const keep = tool({
  description: "Keeps any data.",
  effect: "read",
  params: object({ data: {} }),
})

const build = (tools: { readonly [name: string]: ToolSpec }, rest: object = {}): Catalog =>
  defineCatalog({ name: "attacked", version: "1", tools, ...rest })

const catalog = build({ "mail.read": read, "transfer.create": transfer, keep })

interface Step {
  readonly id: string
  readonly tool?: string
  readonly args?: object
  readonly after?: readonly string[]
}

const plan = (...steps: readonly Step[]): string => JSON.stringify({ version: 1, steps })
const call = (id: string, name: string, args: object): Step => ({ id, tool: name, args })
const mail = (id: string): Step => call(id, "mail.read", { id: "m1" })
const said = (...steps: readonly Step[]): readonly string[] => saidOf(compile(catalog, plan(...steps)))

/** Controls, bidi, zero width: what makes a line look like another. */
const hidden = /[\p{C}\p{Zl}\p{Zp}]/u
const spoof = "a\u202eb\u001b[31m\u200bc\nd"

describe("names", () => {
  test("A022: a letter of another alphabet is another name, and is written out", () => {
    const twin = "m\u0430il.read"
    const { diagnostics } = compile(catalog, plan(call("s1", twin, { id: "m1" })))
    expect(diagnostics.map(({ code, at, message }) => [code, at, message])).toEqual([
      ["SEQ108", "/steps/0/tool", "there is no tool `m\\u0430il.read`"],
    ])
    expect(build({ [twin]: read }).diagnostics.map(({ code }) => code)).toContain("SEQ807")
  })

  test("A023: ids are ASCII, and none is turned into another", () => {
    for (const id of ["pay\u200b", "e\u0301", "\u00e9", "\u202epay", "pay\u00ad", "\uff50ay", "pay "]) {
      expect([id, said(mail(id))]).toEqual([id, ["SEQ105 /steps/0/id"]])
    }
  })

  test("A025: what every object has is no tool", () => {
    for (const name of ["toString", "hasOwnProperty", "__proto__", "constructor", "valueOf"]) {
      expect([name, said(call("s1", name, {}))]).toEqual([name, ["SEQ108 /steps/0/tool"]])
    }
  })

  test("A026: an id written twice is refused, with the place of the first", () => {
    const compiled = compile(catalog, plan(mail("s1"), mail("s1")))
    expect(saidOf(compiled)).toEqual(["SEQ106 /steps/1/id"])
    expect(compiled.diagnostics[0]?.related?.map(({ at }) => at)).toEqual(["/steps/0/id"])
  })

  test("A027: nothing that a plan says is repeated with characters that hide or move", () => {
    const plans: readonly (readonly Step[])[] = [
      [mail(spoof)],
      [call("s1", spoof, {})],
      [call("s1", "mail.read", { id: "m1", [spoof]: 1 })],
      [call("s1", "mail.read", { id: { [`$${spoof}`]: 1 } })],
      [call("s1", "transfer.create", { to: "a", cents: spoof })],
      [mail("s1"), call("s2", "mail.read", { id: { $from: "s1", path: `/${spoof}` } })],
      [mail("s1"), call("s2", "mail.read", { id: { $from: "s1", path: spoof } })],
      [call("s1", "mail.read", { id: { $from: spoof } })],
      [{ ...mail("s1"), after: [spoof] }],
      [{ ...mail("s1"), ...{ [spoof]: 1 } }],
    ]
    for (const steps of plans) {
      const { diagnostics } = compile(catalog, plan(...steps))
      expect(diagnostics.length, JSON.stringify(steps)).toBeGreaterThan(0)
      for (const { message, hint, related = [] } of diagnostics)
        for (const line of [message, hint, ...related.map((one) => one.message)]) expect(line).not.toMatch(hidden)
    }
  })

  test("D14: a tool that was made up is told as data, with the nearest, before anything ran", () => {
    const notes = build({ "note.list": { ...keep, params: object({}) }, "note.purge": transfer })
    const compiled = compile(notes, plan(call("s1", "note.list", {}), call("s2", "note.purge_all", {})))
    expect(compiled.ok).toBe(false)
    expect(compiled.diagnostics.map(({ code, at, hint }) => [code, at, hint])).toEqual([
      ["SEQ108", "/steps/1/tool", expect.stringContaining("`note.purge`")],
    ])
  })

  test("D15: the same name at two servers is two names, and the bare one is none", () => {
    const send = { ...transfer, params: object({ to: text, text }) }
    const both = build({ "corp/send_email": send, "extra/send_email": send })
    expect(both.diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
    const args = { to: "a@example.test", text: "hi" }
    expect(saidOf(compile(both, plan(call("s1", "send_email", args))))).toEqual(["SEQ108 /steps/0/tool"])
    expect(saidOf(compile(both, plan(call("s1", "corp/send_email", args))))).toEqual([])
  })
})

describe("plans kept while the catalog changes", () => {
  const kept = (() => {
    const compiled = compile(catalog, plan(mail("s1"), call("s2", "transfer.create", { to: "a", cents: 5 })))
    if (!compiled.ok) throw new Error(saidOf(compiled).join())
    return serialize(compiled.plan)
  })()
  const tools = { "mail.read": read, "transfer.create": transfer, keep }
  const loaded = (changed: Catalog): readonly string[] => load(changed, kept).diagnostics.map(({ code }) => code)

  test("A037: the schema of a tool is another", () => {
    expect(loaded(build(tools))).toEqual([])
    const wider = { ...transfer, params: object({ to: text, cents: { type: "integer", minimum: 0, maximum: 10 } }) }
    expect(loaded(build({ ...tools, "transfer.create": wider }))).toEqual(["SEQ140"])
    const other = { ...read, result: object({ from: text }) }
    expect(loaded(build({ ...tools, "mail.read": other }))).toEqual(["SEQ140"])
  })

  test("A038: a tool is gone, has an effect now, or may do less", () => {
    const { "transfer.create": _, ...fewer } = tools
    expect(loaded(build(fewer))).toContain("SEQ140")
    const mutating = { ...read, effect: "write", idempotency: "none", compensate: "none" } as const
    expect(loaded(build({ ...tools, "mail.read": mutating }))).toEqual(["SEQ140"])
    expect(loaded(build(tools, { budgets: { steps: 2 } }))).toEqual(["SEQ140"])
    expect(loaded(build(tools, { budgets: { steps: 1 } }))).toContain("SEQ140")
  })
})

test("A039: a result of the wrong shape is no result", () => {
  const answer = build({ keep: { ...keep, result: object({ ok: { type: "boolean" } }) } }).tools.get("keep")?.result
  if (answer === undefined) throw new Error("no result")
  expect(judgeWhole(answer, { ok: "yes" }).map(({ at }) => at)).toEqual(["/ok"])
  expect(judgeWhole(answer, { ok: true })).toEqual([])
})

describe("the flow of data", () => {
  const from = (source: string, path = "/text") => ({ $from: source, path })
  const pay = (id: string, to: unknown): Step => call(id, "transfer.create", { to, cents: 5 })

  test("A041: a cycle is a reference to a later step, told in linear time", () => {
    expect(said(call("s1", "mail.read", { id: from("s2") }), call("s2", "mail.read", { id: from("s1") }))).toEqual([
      "SEQ202 /steps/0/args/id/$from",
    ])
    const wide = build({ "mail.read": read }, { bounds: { steps: 10_000 } })
    const circle = (length: number): string =>
      plan(
        ...Array.from({ length }, (_, at) =>
          call(`s${at}`, "mail.read", { id: from(`s${(at + length - 1) % length}`) }),
        ),
      )
    const start = performance.now()
    expect(saidOf(compile(wide, circle(1_000)))).toEqual(["SEQ202 /steps/0/args/id/$from"])
    expect(performance.now() - start).toBeLessThan(1_000)
  })

  test("A042: what comes later, or never", () => {
    expect(said(call("s1", "mail.read", { id: from("s2") }), mail("s2"))).toEqual(["SEQ202 /steps/0/args/id/$from"])
    expect(said(call("s1", "mail.read", { id: from("s9") }))).toEqual(["SEQ201 /steps/0/args/id/$from"])
    expect(said(call("s1", "mail.read", { id: from("s1") }))).toEqual(["SEQ203 /steps/0/args/id/$from"])
  })

  test("A043: the way into a result never leads to a prototype", () => {
    for (const key of ["__proto__", "constructor", "toString", "length", "hasOwnProperty"]) {
      for (const path of [`/${key}`, `/text/${key}`, `/tags/${key}`, `/tags/0/${key}`, `/count/${key}`]) {
        expect([path, said(mail("s1"), pay("s2", from("s1", path)))]).toEqual([path, ["SEQ205 /steps/1/args/to/path"]])
      }
    }
  })

  test("A045: a value of another type is not converted", () => {
    expect(said(mail("s1"), call("s2", "transfer.create", { to: "a", cents: from("s1") }))).toEqual([
      "SEQ207 /steps/1/args/cents",
    ])
    expect(said(mail("s1"), pay("s2", from("s1", "/count")))).toEqual(["SEQ207 /steps/1/args/to"])
    expect(said(mail("s1"), pay("s2", from("s1", "/tags")))).toEqual(["SEQ207 /steps/1/args/to"])
  })

  test("A046: an expression has no other keys, and no text is filled in", () => {
    expect(said(mail("s1"), pay("s2", { ...from("s1"), x: 1 }))).toEqual([expect.stringMatching(/^SEQ131 .*args\/to/)])
    expect(said(mail("s1"), pay("s2", { $ref: "s1.a", x: 1 }))).toEqual(["SEQ130 /steps/1/args/to/$ref"])
    const compiled = compile(catalog, plan(mail("s1"), pay("s2", "id-{{s1.text}} $s1.text$")))
    if (!compiled.ok) throw new Error(saidOf(compiled).join())
    const [, step] = compiled.plan.steps
    expect(step?.step.kind === "call" && step.step.args).toMatchObject({
      kind: "literal",
      value: { to: "id-{{s1.text}} $s1.text$" },
    })
  })

  test("A047: data that looks like a reference is wrapped, and stays data", () => {
    const data = { $ref: "s1.id", $from: "s9", nested: [{ $from: "s1", path: "/text" }] }
    expect(said(mail("s1"), call("s2", "keep", { data }))).not.toEqual([])
    const compiled = compile(catalog, plan(mail("s1"), call("s2", "keep", { data: { $literal: data } })))
    if (!compiled.ok) throw new Error(saidOf(compiled).join())
    const [, step] = compiled.plan.steps
    expect(step?.waitsOn).toEqual([])
    expect(step?.step.kind === "call" && step.step.args).toMatchObject({ kind: "literal", value: { data } })
  })

  test("A049: ten thousand references to one result cost what they are", () => {
    const many = Array.from({ length: 10_000 }, () => from("s1"))
    const start = performance.now()
    const compiled = compile(catalog, plan(mail("s1"), call("s2", "keep", { data: many })))
    expect(performance.now() - start).toBeLessThan(2_000)
    expect(compiled.ok).toBe(true)
    expect(said(mail("s1"), pay("s2", { $concat: many.slice(0, 33) }))).toEqual(["SEQ133 /steps/1/args/to/$concat"])
  })

  const marked = { ...read, untrusted: ["/text", "/tags"] } as const
  const guarded = { ...transfer, rules: { to: { trusted: true } } }

  test("A050: what somebody else wrote names no recipient", () => {
    const strict = build({ "mail.read": marked, "transfer.create": guarded })
    const saidStrictly = (...steps: readonly Step[]) => saidOf(compile(strict, plan(mail("s1"), ...steps)))
    expect(saidStrictly(pay("s2", from("s1")))).toEqual(["SEQ602 /steps/1/args/to"])
    expect(saidStrictly(pay("s2", from("s1", "/tags/0")))).toEqual(["SEQ602 /steps/1/args/to"])
    expect(saidStrictly(pay("s2", "a"))).toEqual([])
  })

  test("A051: nor does it by way of another tool, of a joined text, of a length, or by choosing", () => {
    const people = { type: "array", items: object({ name: text, id: text }) } as const
    const strict = build({
      "mail.read": marked,
      "transfer.create": { ...guarded, rules: { to: { trusted: true }, cents: { trusted: true } } },
      "model.ask": { ...read, params: object({ prompt: text }), result: text },
      "text.length": { ...read, params: object({ text }), result: { type: "integer", minimum: 0 } },
      "json.parse": { ...read, params: object({ text }), result: object({ value: text }) },
      "people.list": { ...read, params: object({}), result: object({ people }) },
    })
    const saidStrictly = (...steps: readonly Step[]) =>
      saidOf(compile(strict, plan(mail("s1"), call("all", "people.list", {}), ...steps)))
    const parse = call("s2", "json.parse", { text: from("s1") })
    const chosen = { $from: "all", path: "/people", where: { "/name": from("s1") }, pick: "/id" }
    expect(saidStrictly(pay("s3", { $concat: ["x", from("s1")] }))).toEqual(["SEQ602 /steps/2/args/to"])
    expect(saidStrictly(parse, pay("s3", from("s2", "/value")))).toEqual(["SEQ602 /steps/3/args/to"])
    const ask = call("s2", "model.ask", { prompt: { $concat: ["Whom to pay? ", from("s1")] } })
    expect(saidStrictly(ask, pay("s3", { $from: "s2" }))).toEqual(["SEQ602 /steps/3/args/to"])
    const measure = call("s2", "text.length", { text: from("s1") })
    const payLength = call("s3", "transfer.create", { to: "a", cents: { $from: "s2" } })
    expect(saidStrictly(measure, payLength)).toEqual(["SEQ602 /steps/3/args/cents"])
    expect(saidStrictly(pay("s3", chosen))).toEqual(["SEQ602 /steps/2/args/to"])
    expect(saidStrictly(pay("s3", { ...chosen, where: { "/name": "Ada" } }))).toEqual([])
    // Whether a step succeeds is not held back, but told: this parsing may fail, and then nobody is paid.
    const compiled = compile(strict, plan(mail("s1"), parse, pay("s3", "a")))
    if (!compiled.ok) throw new Error(saidOf(compiled).join())
    expect(listSwayed(compiled.plan, strict)).toMatchObject([{ kind: "effect", step: "s3", by: "s1" }])
  })

  test("D22: what a step does not give is never empty arguments", () => {
    const note = { ...read, params: object({ text }) }
    const { result: _, ...silent } = note
    const optional = { ...note, result: { type: "object", properties: { name: text } } } as const
    const give = (source: ToolSpec): readonly string[] => {
      const modes = build({ "think.note": source, "asset.modes": { ...keep, params: object({ asset: text }) } })
      const asset = { $from: "s1", path: "/name" }
      return saidOf(
        compile(modes, plan(call("s1", "think.note", { text: "pick one" }), call("s2", "asset.modes", { asset }))),
      )
    }
    expect(give(silent)).toEqual(["SEQ205 /steps/1/args/asset/path"])
    expect(give(note)).toEqual(["SEQ205 /steps/1/args/asset/path"])
    expect(give(optional)).toEqual(["SEQ206 /steps/1/args/asset/path"])
  })
})
