/** The forms of a toolbox, held to what each tool declares: `reconcile` beside the handler, and isolated handlers. */
import { defineCatalog, tool } from "sequitur"
import { isolated, type Reconciliation, reconciled, toolbox } from "sequitur/run"
import { describe, expect, expectTypeOf, test } from "vitest"
import { z } from "zod"
import type * as handlers from "../run/isolated-handlers.ts"

const params = z.strictObject({ n: z.int() })
const result = z.object({ n: z.int(), side: z.enum(["in", "out"]).optional() })
const effect = {
  description: "Sets it.",
  effect: "write",
  params,
  result,
  idempotency: "none",
  compensate: "none",
} as const
const reconcile = { finalAfterMs: 1_000 }

const catalog = defineCatalog({
  name: "numbers",
  version: "1",
  tools: {
    get: tool({ description: "Reads it.", effect: "read", params, result }),
    set: tool({ ...effect, reconcile }),
    put: tool({ ...effect, isolate: true }),
    both: tool({ ...effect, reconcile, isolate: true }),
  },
})

const module = new URL("../run/isolated-handlers.ts", import.meta.url)
const get = () => ({ n: 1 })
const set = { call: () => ({ n: 1 }), reconcile: () => reconciled.barred() }
const put = isolated(module, "answer")
const both = { call: put, reconcile: isolated(module, "reconcile") }
const rest = { get, set, put, both }
const faultOf = (box: { readonly fault: { readonly message: string } | undefined }) => box.fault?.message

describe("a tool that declares `reconcile`", () => {
  test("is given one beside its handler, which knows the key, the arguments and the result", () => {
    const box = toolbox(catalog, {
      ...rest,
      set: {
        call: async ({ n }) => ({ n, side: "in" }),
        reconcile: async (key, { n }, { signal, idempotencyKey }) => {
          expectTypeOf(key).toEqualTypeOf<string>()
          expectTypeOf(n).toEqualTypeOf<number>()
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
          expectTypeOf(idempotencyKey).toEqualTypeOf<string | undefined>()
          return n > 1 ? reconciled.applied({ n, side: "out" }) : reconciled.notApplied()
        },
      },
    })
    expect(faultOf(box)).toBeUndefined()
    const each: Reconciliation<{ n: number }>[] = [
      reconciled.applied({ n: 1 }),
      reconciled.notApplied(),
      reconciled.barred(),
      reconciled.unknown("why"),
    ]
    expect(each.map(({ kind }) => kind)).toEqual(["applied", "not-applied", "barred", "unknown"])
  })

  test("is refused without one, or with one that says something else", () => {
    // @ts-expect-error `set` needs `{ call, reconcile }`
    expect(faultOf(toolbox(catalog, { ...rest, set: () => ({ n: 1 }) }))).toContain(
      "`set` is declared with `reconcile`: it needs `{ call, reconcile }`",
    )
    // @ts-expect-error `reconcile` is missing
    expect(faultOf(toolbox(catalog, { ...rest, set: { call: set.call } }))).toContain("it needs `{ call, reconcile }`")
    // @ts-expect-error `call` is missing
    expect(faultOf(toolbox(catalog, { ...rest, set: { reconcile: set.reconcile } }))).toContain("no handler for `set`")
    // @ts-expect-error the result of `set` is another
    toolbox(catalog, { ...rest, set: { ...set, reconcile: () => reconciled.applied({ n: "1" }) } })
    // @ts-expect-error a word is no reconciliation
    toolbox(catalog, { ...rest, set: { ...set, reconcile: () => "applied" } })
    // @ts-expect-error the handler returns another
    toolbox(catalog, { ...rest, set: { ...set, call: () => ({ n: "1" }) } })
  })
})

test("a tool that declares no `reconcile` is refused one", () => {
  // @ts-expect-error `get` declares none
  expect(faultOf(toolbox(catalog, { ...rest, get: { call: get, reconcile: set.reconcile } }))).toContain(
    "a `reconcile` for `get`, which is declared without",
  )
})

describe("a tool that declares `isolate`", () => {
  test("is given a handler by its module, held to the tool where its type is named", () => {
    const box = toolbox(catalog, {
      ...rest,
      put: isolated<typeof handlers.answer>(module, "answer"),
      both: {
        call: isolated<typeof handlers.effect>(module, "effect"),
        reconcile: isolated<typeof handlers.reconcile>(module, "reconcile"),
      },
    })
    expect(faultOf(box)).toBeUndefined()
    // @ts-expect-error `mismatch` returns another
    toolbox(catalog, { ...rest, put: isolated<typeof handlers.mismatch>(module, "mismatch") })
    // @ts-expect-error a `reconcile` is no handler
    toolbox(catalog, { ...rest, put: isolated<typeof handlers.reconcile>(module, "reconcile") })
  })

  test("is refused a function; its `reconcile` may be one", () => {
    const message = "is declared with `isolate`: its handler must be what `isolated` makes"
    // @ts-expect-error `put` is isolated
    expect(faultOf(toolbox(catalog, { ...rest, put: () => ({ n: 1 }) }))).toContain(`\`put\` ${message}`)
    // @ts-expect-error `both` is isolated
    expect(faultOf(toolbox(catalog, { ...rest, both: set }))).toContain(`\`both\` ${message}`)
    expect(
      faultOf(toolbox(catalog, { ...rest, both: { call: put, reconcile: () => reconciled.unknown() } })),
    ).toBeUndefined()
  })

  test("and any other tool may be given one", () => {
    const given = { get: put, set: { call: put, reconcile: both.reconcile } }
    expect(faultOf(toolbox(catalog, { ...rest, ...given }))).toBeUndefined()
  })
})
