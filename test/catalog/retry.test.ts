/** `retry` of a tool: which are taken, what they come to, and that a plan knows of them. */
import { type CatalogSpec, defineCatalog, diffCatalogs, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { sliceFor } from "../../src/catalog/slice.ts"

const catalogOf = (more: object, budgets: CatalogSpec["budgets"] = {}) =>
  defineCatalog({
    name: "retry",
    version: "1",
    budgets,
    tools: {
      pay: tool({
        description: "Pay.",
        effect: "write",
        params: z.strictObject({ id: z.string() }),
        idempotency: { key: { retentionMs: 86_400_000 } },
        compensate: "none",
        ...(more as object),
      }),
    },
  } as CatalogSpec)
const codesOf = (more: object, budgets?: CatalogSpec["budgets"]) =>
  catalogOf(more, budgets).diagnostics.map(({ code, at }) => `${code} ${at}`)

describe("retry", () => {
  test("is taken where it can be meant", () => {
    for (const retry of [{}, { times: 1 }, { times: 10, backoffMs: 1, maxBackoffMs: 3_600_000 }])
      expect(codesOf({ retry }), JSON.stringify(retry)).toEqual([])
  })

  test("is refused by its place where it cannot", () => {
    for (const [retry, at] of [
      [{ times: 0 }, "/times"],
      [{ times: 11 }, "/times"],
      [{ times: 1.5 }, "/times"],
      [{ times: "3" }, "/times"],
      [{ backoffMs: 0 }, "/backoffMs"],
      [{ backoffMs: 3_600_001 }, "/backoffMs"],
      [{ maxBackoffMs: -1 }, "/maxBackoffMs"],
      [{ tries: 3 }, "/tries"],
      [3, ""],
    ] as const)
      expect(codesOf({ retry }), JSON.stringify(retry)).toEqual([`SEQ801 /tools/pay/retry${at}`])
  })

  test("is part of what a plan was compiled for, where it is said; where it is not, nothing of a plan has changed", () => {
    const hashOf = (more: object) => sliceFor(catalogOf(more), ["pay"])["tool pay"]
    expect(hashOf({ retry: { times: 3 } })).not.toBe(hashOf({}))
    // Of before there was any.
    expect(Object.keys(catalogOf({}).tools.get("pay")?.slice as object)).not.toContain("retry")
    const changed = diffCatalogs(catalogOf({ retry: { times: 2 } }), catalogOf({ retry: { times: 4 } }))
    expect(JSON.stringify(changed)).toContain('{"what":"retry times","before":"2","after":"4"}')
  })

  test("that runs out of time, of its key or of a budget is warned of", () => {
    const short = { idempotency: { key: { retentionMs: 29_999 } } }
    expect(codesOf(short)).toEqual(["SEQ825 /tools/pay/idempotency"])
    expect(codesOf({ idempotency: { key: { retentionMs: 30_000 } } })).toEqual([])
    const kept = (retentionMs: number) => codesOf({ idempotency: { key: { retentionMs } }, retry: { times: 3 } })
    expect([kept(34_999), kept(35_000)]).toEqual([["SEQ825 /tools/pay/retry"], []])
    const slow = { retry: { times: 2, backoffMs: 20_000 } }
    expect(codesOf(slow, { wallMs: 19_999 })).toEqual(["SEQ825 /tools/pay/retry"])
    expect(codesOf(slow, { deadlineMs: 19_999 })).toEqual(["SEQ825 /tools/pay/retry"])
    expect(codesOf(slow, { wallMs: 20_000, deadlineMs: 20_000, retries: 0 })).toEqual([])
    const read = { effect: "read", idempotency: undefined, compensate: undefined, retry: { times: 3 } }
    expect([codesOf(read, { retries: 1 }), codesOf(read, { retries: 2 })]).toEqual([["SEQ825 /tools/pay/retry"], []])
  })
})
