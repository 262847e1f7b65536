/**
 * No response, however malformed, makes an adapter throw, lose a result, answer a call twice or leave one unanswered: right responses
 * with parts replaced by what does not belong there, and what is no response at all.
 */
import fc from "fast-check"
import { memory, toolbox } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { field } from "../../src/planner/adapters/read.ts"
import type { Ending } from "../../src/planner/adapters/turn.ts"
import { createGate } from "../../src/planner/gate/index.ts"
import { desk, office, yes } from "./desk.ts"
import { type ModelCall, type Provider, providers } from "./providers.ts"

const throwing = (): object =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      ["id", "name", "type", "function", "content", "parts", "args", "input", "text", "toolUse", "functionCall"].map(
        (key) => [
          key,
          {
            enumerable: true,
            get: () => {
              throw new Error("booby trap")
            },
          },
        ],
      ),
    ),
  )

const cyclic = (): object => {
  const one: Record<string, unknown> = { id: "c", name: "find", type: "tool_use" }
  for (const key of ["self", "function", "content", "parts", "input", "args", "toolUse", "functionCall"]) one[key] = one
  return one
}

const deep = (): unknown => Array.from({ length: 3_000 }).reduce<unknown>((inner) => ({ a: [inner] }), 1)

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}

/** Made when it is needed: fast-check looks into what it generates. */
type Made = () => unknown

const as = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<Made> => arbitrary.map((value) => () => copy(value))

/** What is spoilt later must not be what fast-check holds. */
function copy(value: unknown): unknown {
  try {
    return structuredClone(value)
  } catch {
    return value
  }
}

const odd = fc.oneof(
  fc.constantFrom(undefined, null, "", "__proto__", "constructor", 0, -1, Number.NaN, true, false, 10n, Symbol("x")),
  fc.constantFrom("call_1", "find", "x".repeat(5_000), "\u0000", "\ud800", "a b", "{", '{"name":"Ada"}', "näme"),
  fc.anything({ withBigInt: true, withNullPrototype: true, withMap: true, maxDepth: 3 }),
)

const hostile: fc.Arbitrary<Made> = fc.oneof(
  { weight: 3, arbitrary: as(odd) },
  { weight: 1, arbitrary: fc.constantFrom<Made[]>(throwing, cyclic, deep, revoked) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Made[]>(
      () => [],
      () => ({}),
      () => [null],
      () => [undefined, 7],
      () => new Array(5),
      () => ({ length: 3 }),
      () => () => 1,
      () => new Date(0),
      () => new Map(),
    ),
  },
)

const call = ({ text }: Provider): fc.Arbitrary<{ readonly [Key in keyof Required<ModelCall>]: Made }> => {
  const often = (some: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 3, arbitrary: as(some) }, { weight: 1, arbitrary: hostile })
  return fc.record({
    id: often(fc.constantFrom("a1", "a2", "a3", "a4")),
    name: often(fc.constantFrom("find", "mail_send_now", "nothing")),
    args: often(text ? fc.constantFrom('{"name":"Ada"}', "{", "", "[]") : fc.constantFrom({ name: "Ada" }, {}, [])),
  })
}

interface Replacement {
  readonly at: number
  readonly by: Made
}

/** Every place of a response, as its holder and key. */
function placesOf(value: unknown, found: [object, string][] = [], seen = new Set<object>()): [object, string][] {
  if (typeof value !== "object" || value === null || seen.has(value) || found.length > 400) return found
  seen.add(value)
  let keys: string[] = []
  try {
    keys = Object.keys(value).slice(0, 50)
  } catch {
    return found
  }
  for (const key of keys) {
    found.push([value, key])
    placesOf(field(value, key), found, seen)
  }
  return found
}

function spoil(response: object, replacements: readonly Replacement[]): object {
  for (const { at, by } of replacements) {
    const places = placesOf(response)
    const [holder, key] = places[at % Math.max(1, places.length)] ?? []
    if (holder !== undefined && key !== undefined) Reflect.set(holder, key, by())
  }
  return response
}

const ending = fc.constantFrom<(Ending | undefined)[]>(undefined, undefined, "cut-short", "refused", "paused", "failed")

describe.each(providers)("$name", (provider) => {
  const { handle, respond, said, told } = provider

  async function judge(response: unknown): Promise<void> {
    const { gate, proposed } = yes()
    const tell = ({ callId }: { readonly callId: string }) => `result of ${callId}`
    const { messages, verdicts, done } = await handle(gate, response, { tell })
    const calls = said(messages)
    const answers = told(messages)
    // One answer for each call that goes back, in order, by its id; no id twice.
    expect(answers.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
    const ids = answers.map(({ id }) => id).filter((id) => id !== undefined)
    expect(new Set(ids).size).toBe(ids.length)
    // Each call once, each result told.
    expect(new Set(proposed.map(({ callId }) => callId)).size).toBe(proposed.length)
    expect(verdicts).toHaveLength(proposed.length)
    const texts = answers.map(({ text }) => text)
    for (const { callId } of proposed) expect(texts).toContain(`result of ${callId}`)
    for (const { text } of answers) expect(typeof text).toBe("string")
    if (answers.length > 0) expect(done).toBe(false)
  }

  const spoilt = fc
    .tuple(
      fc.array(call(provider), { maxLength: 5 }),
      fc.constantFrom("", "words"),
      ending,
      fc.array(fc.record({ at: fc.nat(400), by: hostile }), { maxLength: 4 }),
    )
    .map(([made, text, how, replacements]) => (): object => {
      const calls = made.map(({ id, name, args }): ModelCall => ({ id: id(), name: name(), args: args() }))
      return spoil(respond(calls, text, how), replacements)
    })

  test("spoilt responses", () =>
    fc.assert(
      fc.asyncProperty(spoilt, (make) => judge(make())),
      { numRuns: 400 },
    ))

  test("what is no response", () =>
    fc.assert(
      fc.asyncProperty(hostile, (make) => judge(make())),
      { numRuns: 300 },
    ))

  test("at a gate that compiles: what is answered with a result was called, and nothing else", () =>
    fc.assert(
      fc.asyncProperty(spoilt, async (make) => {
        const { gate, made } = desk()
        const { verdicts } = await handle(gate, make())
        expect(verdicts.filter((verdict) => verdict.kind === "accepted" && !verdict.replayed)).toHaveLength(made.length)
      }),
      { numRuns: 60 },
    ))

  test("at the real gate: each call is answered once, and each result comes of one call", () =>
    fc.assert(
      fc.asyncProperty(spoilt, async (make) => {
        const made: string[] = []
        const tools = toolbox(office, {
          find: ({ name }) => made.push(name),
          "mail/send.now": ({ to }) => made.push(to),
        })
        const principal = { tenant: "acme", subject: "ada" }
        const options = { catalog: office, tools, store: memory(), principal, session: "s", task: "t" }
        const { turn, leave } = await createGate(options)
        const { messages, verdicts } = await handle({ catalog: office, turn }, make())
        await leave()
        expect(told(messages).map(({ id }) => id)).toEqual(said(messages).map(({ id }) => id))
        expect(verdicts.filter((verdict) => verdict.kind === "accepted" && !verdict.replayed)).toHaveLength(made.length)
      }),
      { numRuns: 20 },
    ))
})
