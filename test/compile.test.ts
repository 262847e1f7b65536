/** What holds of compiling whatever it is given: it never throws, says the same of the same, and gives away nothing that can change. */
import { createHash } from "node:crypto"
import fc from "fast-check"
import {
  type Catalog,
  type Compiled,
  codes,
  compile,
  type Diagnostic,
  defineCatalog,
  definePlan,
  isCatalog,
  type Json,
  load,
  tool,
} from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import desk from "../plans/invalid/catalog.ts"
import { isCompiledPlan } from "../src/check/seal.ts"
import { anyPlan, rightPlan } from "./check/arbitrary.ts"
import { inShort } from "./check/expect.ts"
import { rewrite } from "./check/rewrite.ts"

/** A verdict, and no fault of ours. */
function isVerdict(compiled: Compiled): boolean {
  const broken = compiled.diagnostics.find(({ code }) => code === "SEQ901")
  if (broken !== undefined) throw new Error(broken.message)
  const refused = compiled.diagnostics.some(({ severity }) => severity === "error")
  return compiled.ok !== refused && compiled.diagnostics.every(({ code }) => Object.hasOwn(codes, code))
}

describe("never throws", () => {
  test("on any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => isVerdict(compile(desk, text))))
    fc.assert(fc.property(fc.json(), (text) => isVerdict(compile(desk, text))))
  })

  test("on any bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => isVerdict(compile(desk, bytes))))
  })

  test("on any prefix of a plan, or a plan with one character changed", () => {
    fc.assert(
      fc.property(anyPlan, fc.nat(), fc.string({ unit: "binary", maxLength: 2 }), (plan, at, other) => {
        const text = JSON.stringify(plan)
        const place = at % text.length
        return (
          isVerdict(compile(desk, text.slice(0, place))) &&
          isVerdict(compile(desk, text.slice(0, place) + other + text.slice(place + 1)))
        )
      }),
      { numRuns: 500 },
    )
  })

  test("on any value in place of the text, the plan or the catalog", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
    })
    fc.assert(
      fc.property(anything, (value) => {
        const given = value as never
        return (
          [compile(desk, given), definePlan(desk, given), load(desk, given)].every(isVerdict) &&
          !compile(given, "{}").ok &&
          !isCatalog(given)
        )
      }),
    )
  })

  test("on values that bite", () => {
    const bite = (): never => {
      throw new Error("bitten")
    }
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    const biting = new Proxy(
      {},
      { get: bite, ownKeys: bite, getPrototypeOf: bite, getOwnPropertyDescriptor: bite, has: bite },
    )
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], null)
    for (const value of [
      biting,
      cyclic,
      deep,
      { toString: bite },
      {
        get version() {
          return bite()
        },
      },
      Symbol("x"),
      () => 1,
      1n,
    ]) {
      for (const compiled of [
        compile(desk, value as never),
        definePlan(desk, value as never),
        compile(value as never, "{}"),
      ]) {
        expect(compiled.ok).toBe(false)
        expect(compiled.diagnostics.map(({ code }) => code)).not.toContain("SEQ901")
      }
    }
  })

  test("on options that throw: it says which, and does not take it for a fault of ours", () => {
    const bite = (): never => {
      throw new Error("bitten")
    }
    const document = { version: 1, steps: [{ id: "find", tool: "find_order", args: { orderId: "A-1" } }] } as const
    const text = JSON.stringify(document)
    const bites = { get: bite, ownKeys: bite, getPrototypeOf: bite, getOwnPropertyDescriptor: bite, has: bite }
    const cases: readonly (readonly [object, readonly string[]])[] = [
      [Object.defineProperty({}, "unwrap", { get: bite }), ["SEQ801"]],
      [Object.defineProperty({}, "spent", { get: bite }), ["SEQ404"]],
      [Object.defineProperty({}, "principal", { get: bite }), ["SEQ801"]],
      [Object.defineProperty({}, "literals", { get: bite }), ["SEQ801"]],
      [{ principal: new Proxy({}, bites) }, ["SEQ801"]],
      [{ literals: { toString: bite } }, ["SEQ801"]],
      [new Proxy({}, bites), ["SEQ404", "SEQ801", "SEQ801"]],
      [{ spent: new Proxy({}, bites) }, ["SEQ404"]],
      [{ spent: Object.defineProperty({}, "cents", { get: bite, enumerable: true }) }, ["SEQ404"]],
      [{ spent: { cents: { toString: bite } } }, ["SEQ404"]],
      [{ spent: { cents: Object.create(null) } }, ["SEQ404"]],
    ]
    for (const [options, expected] of cases) {
      const compiled = compile(desk, text, options)
      expect([compiled.ok, compiled.diagnostics.map(({ code }) => code)]).toEqual([false, expected])
      expect(compiled.diagnostics.map(({ message }) => message).join()).not.toContain("bitten")
      const defined = definePlan(desk, document, options)
      // It takes all but `unwrap`.
      const others = compiled.diagnostics.filter(({ message }) => !message.includes("`unwrap`"))
      expect(defined.diagnostics.map(({ code }) => code)).toEqual(others.map(({ code }) => code))
    }
  })

  test("on a plan that has the shape of one", () => {
    fc.assert(
      fc.property(anyPlan, (plan) => isVerdict(compile(desk, JSON.stringify(plan)))),
      { numRuns: 2_000 },
    )
  })
})

/** What is said, but for where in the text. */
const sayings = ({ diagnostics }: Compiled): readonly string[] => diagnostics.map(inShort)

/** Without text there are no ranges to be ordered by. */
const plain = ({ diagnostics }: Compiled): readonly string[] =>
  diagnostics.map((one) => JSON.stringify(rangeless(one))).toSorted()

const rangeless = ({ range: _range, related, ...rest }: Diagnostic): object => ({
  ...rest,
  related: related?.map(({ at, message }) => ({ at, message })),
})

describe("says the same", () => {
  test("of equal input, in the order of its text", () => {
    fc.assert(
      fc.property(anyPlan, (plan) => {
        const text = JSON.stringify(plan)
        const first = compile(desk, text)
        expect(compile(desk, text).diagnostics).toEqual(first.diagnostics)
        expect(compile(desk, new TextEncoder().encode(text)).diagnostics).toEqual(first.diagnostics)
        const places = first.diagnostics.map(({ range }) => range?.start.offset ?? -1)
        expect(places).toEqual(places.toSorted((a, b) => a - b))
      }),
      { numRuns: 300 },
    )
  })

  test("of a plan in code as of its text, but for the ranges", () => {
    fc.assert(
      fc.property(anyPlan, (plan) => {
        const text = compile(desk, JSON.stringify(plan))
        const value = definePlan(desk, plan as never)
        expect(plain(value)).toEqual(plain(text))
        if (text.ok && value.ok) expect(value.plan.planHash).toBe(text.plan.planHash)
      }),
      { numRuns: 300 },
    )
  })

  const manner = fc.record({ seed: fc.nat(), spaces: fc.boolean(), order: fc.constant(false), escapes: fc.boolean() })

  test("of a plan written with other spaces and escapes", () => {
    fc.assert(
      fc.property(anyPlan, manner, (plan, how) => {
        const [plain, other] = [compile(desk, JSON.stringify(plan)), compile(desk, rewrite(plan, how))]
        expect(other.diagnostics.map(rangeless)).toEqual(plain.diagnostics.map(rangeless))
        expect(hashesOf(other)).toEqual(hashesOf(plain))
      }),
      { numRuns: 500 },
    )
  })

  test("of a plan with its keys in another order", () => {
    fc.assert(
      fc.property(anyPlan, fc.nat(), (plan, seed) => {
        const [plain, other] = [
          compile(desk, JSON.stringify(plan)),
          compile(desk, rewrite(plan, { seed, spaces: true, order: true, escapes: false })),
        ]
        expect(sayings(other).toSorted()).toEqual(sayings(plain).toSorted())
        expect(hashesOf(other)).toEqual(hashesOf(plain))
      }),
      { numRuns: 1_000 },
    )
  })

  test("and points into the text that it was given", () => {
    fc.assert(
      fc.property(anyPlan, manner, (plan, how) => {
        const text = rewrite(plan, how)
        for (const { range, at } of compile(desk, text).diagnostics) {
          if (range === undefined) throw new Error(`no range for ${at}`)
          const piece = text.slice(range.start.offset, range.end.offset)
          expect([valueAt(plan, at), keyAt(at)]).toContainEqual(JSON.parse(piece))
          expect(text.slice(0, range.start.offset).split("\n").length).toBe(range.start.line)
        }
      }),
      { numRuns: 500 },
    )
  })
})

const hashesOf = (compiled: Compiled): object =>
  compiled.ok ? { plan: compiled.plan.planHash, catalog: compiled.plan.catalogHash } : { refused: true }

const tokensOf = (at: string): readonly string[] =>
  at
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))

const keyAt = (at: string): string | undefined => tokensOf(at).at(-1)

/** A pointer to something that is missing points at what it is missing from. */
const valueAt = (plan: Json, at: string): Json =>
  tokensOf(at).reduce<Json>((value, token) => {
    const inside = value as { readonly [key: string]: Json }
    return typeof value === "object" && value !== null && Object.hasOwn(value, token) ? (inside[token] as Json) : value
  }, plan)

describe("a compiled plan", () => {
  const accepted = (plan: Json) => {
    const compiled = compile(desk, JSON.stringify(plan))
    return compiled.ok ? compiled.plan : undefined
  }

  test("is what most right stories become", () => {
    const plans = fc.sample(rightPlan, 200).map(accepted)
    expect(plans.filter((plan) => plan !== undefined).length).toBeGreaterThan(80)
  })

  test("has the SHA-256 of its document in RFC 8785 as its hash", () => {
    const canonical = (value: Json): string => {
      if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
      if (typeof value !== "object" || value === null) return JSON.stringify(value)
      return `{${Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
        .join()}}`
    }
    fc.assert(
      fc.property(rightPlan, (document) => {
        const plan = accepted(document)
        if (plan !== undefined)
          expect(plan.planHash).toBe(createHash("sha256").update(canonical(document)).digest("hex"))
      }),
    )
  })

  test("cannot be changed, at any depth", () => {
    fc.assert(
      fc.property(rightPlan, (document) => {
        const plan = accepted(document)
        if (plan === undefined) return
        for (const part of parts) {
          expect(Reflect.set(plan, part, "x"), part).toBe(false)
          expect(Reflect.deleteProperty(plan, part) && !(part in plan), part).toBe(false)
          expect(thawedIn(plan[part]), part).toEqual([])
          expect(plan[part], part).toEqual(plan[part])
        }
        expect(Reflect.set(plan, "extra", 1)).toBe(false)
        expect(Object.isFrozen(plan)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  test("shares nothing that would change it", () => {
    const plan = accepted({ version: 1, steps: [] })
    if (plan === undefined) throw new Error("refused")
    const shared: unknown = Object.getPrototypeOf(plan)
    if (shared !== Object.prototype) expect(thawedIn(shared)).toEqual([])
    const maker = (plan as object).constructor
    if (maker !== Object) expect(thawedIn(maker)).toEqual([])
  })

  test("does not follow the value it was made from", () => {
    const written = {
      version: 1 as const,
      steps: [{ id: "find", tool: "find_order" as const, args: { orderId: "A-1" } }],
    }
    const compiled = definePlan(desk, written)
    written.steps[0] = { id: "other", tool: "find_order", args: { orderId: "A-2" } }
    if (!compiled.ok) throw new Error("refused")
    expect(compiled.plan.plan.document.steps).toEqual([{ id: "find", tool: "find_order", args: { orderId: "A-1" } }])
  })

  test("is known from every look-alike", () => {
    const plan = accepted({ version: 1, steps: [] })
    if (plan === undefined) throw new Error("refused")
    expect(isCompiledPlan(plan)).toBe(true)
    const maker = (plan as object).constructor
    expect(() => Reflect.construct(maker, [{ steps: [] }, desk])).toThrow()
    const forged = [
      { ...plan },
      Object.create(plan),
      new Proxy(plan, {}),
      structuredClone({ ...plan }),
      JSON.parse(JSON.stringify(plan)),
      null,
      undefined,
      "plan",
      plan.plan,
    ]
    expect(forged.map(isCompiledPlan)).toEqual(forged.map(() => false))
  })
})

const parts = [
  "compiler",
  "goal",
  "planHash",
  "catalogHash",
  "slice",
  "plan",
  "steps",
  "states",
  "blast",
  "approvals",
] as const

/** The places of what could still be changed. */
function thawedIn(value: unknown, at = ""): readonly string[] {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return []
  const inner = Object.entries(value).flatMap(([key, part]) => thawedIn(part, `${at}/${key}`))
  return Object.isFrozen(value) ? inner : [at, ...inner]
}

describe("a catalog", () => {
  const small = (bounds: object): Catalog =>
    defineCatalog({
      name: "small",
      version: "1",
      bounds,
      tools: { keep: tool({ description: "Keeps.", effect: "read", params: z.strictObject({ data: z.unknown() }) }) },
    })
  const text = (steps: number, data: Json = 1): string =>
    JSON.stringify({
      version: 1,
      steps: Array.from({ length: steps }, (_, index) => ({ id: `s${index}`, tool: "keep", args: { data } })),
    })

  test("bounds what is read, each bound met exactly", () => {
    const said = (bounds: object, plan: string) => sayings(compile(small(bounds), plan))
    const two = text(2)
    expect(said({ textBytes: two.length }, two)).toEqual([])
    expect(said({ textBytes: two.length - 1 }, two)).toEqual(["SEQ010 "])
    expect(said({ steps: 2 }, two)).toEqual([])
    expect(said({ steps: 1 }, two)).toEqual(["SEQ109 /steps"])
    // The plan, `steps`, a step, `args`, and two arrays.
    expect(said({ depth: 6 }, text(1, [[]]))).toEqual([])
    expect(said({ depth: 5 }, text(1, [[]])).map((one) => one.slice(0, 6))).toEqual(["SEQ011"])
    expect(said({ nodes: 8 }, text(1)).length + said({ nodes: 7 }, text(1)).length).toBe(1)
  })

  test("with a fault of its own compiles nothing", () => {
    const faulty = small({ steps: 0 })
    expect(compile(faulty, text(1)).ok).toBe(false)
    expect(compile(faulty, text(1)).diagnostics.map(({ code }) => code)).toEqual(["SEQ801"])
    expect(definePlan(faulty, { version: 1, steps: [] } as never).ok).toBe(false)
  })

  test("that only looks like one is none", () => {
    for (const forged of [{ ...desk }, Object.create(desk), new Proxy(desk, {})]) {
      expect(compile(forged as typeof desk, text(0)).diagnostics.map(({ code }) => code)).toEqual(["SEQ801"])
    }
  })
})
