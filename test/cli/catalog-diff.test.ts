/** `catalog diff`: what a change of the shop's catalog means to its plans, as a build would ask. */
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { folder, sequitur, shop } from "./sequitur.ts"

const now = readFileSync(join(shop, "catalog.ts"), "utf8")
  .replaceAll('"sequitur"', `"${resolve("src/index.ts")}"`)
  .replaceAll('"zod"', `"${resolve("node_modules/zod/index.js")}"`)

/** The shop's catalog with these edits, in a folder of its own. */
function edited(...edits: readonly (readonly [string, string])[]): string {
  const text = edits.reduce((whole, [from, to]) => {
    expect(whole).toContain(from)
    return whole.replaceAll(from, to)
  }, now)
  return join(folder({ "catalog.ts": text }), "catalog.ts")
}

const words = ["Find an order.", "Find one order."] as const
const longer = ["note: z.string().optional()", "note: z.string().min(2).optional()"] as const
const renamed = ["find_order:", "find_ordr:"] as const
const poorer = ["cents: { max: 5_000 }", "cents: { max: 4_000 }"] as const
const tighter = ['name: "shop",', 'name: "shop", bounds: { steps: 2 },'] as const

const diff = (after: string, ...rest: readonly string[]) => sequitur(["catalog", "diff", "catalog.ts", after, ...rest])
const effects = async (after: string, ...plans: readonly string[]) => {
  const { code, out } = await diff(after, ...plans, "--format", "json")
  const { plans: told } = JSON.parse(out)
  return [code, ...told.map(({ file, effect }: { file: string; effect: string }) => `${file} ${effect}`)]
}

describe.concurrent("catalog diff", () => {
  test("what touches no plan is told, and the exit code is 0", async () => {
    const { code, out, err } = await diff(edited(words), "look.json", "refund.json")
    expect([code, err]).toEqual([0, ""])
    expect(out).toBe(`no plan is touched by:
  tool \`find_order\` description: Find an order. → Find one order.

plan         verdict    changed
───────────  ─────────  ───────
look.json    unchanged
refund.json  unchanged
`)
    expect((await diff(edited(words))).code).toBe(0)
    expect((await diff("catalog.ts")).out).toBe("no difference\n")
  })

  test("a tool touches only the plans that use it", async () => {
    const { code, out } = await diff(edited(longer), "look.json", "refund.json")
    expect(code).toBe(1)
    expect(out).toBe(`tool \`refund\` changed, touches plans that use it:
  params /note minLength added: 2

plan         verdict             changed
───────────  ──────────────────  ─────────────
look.json    unchanged
refund.json  stale but compiles  tool \`refund\`

1 plan is out of date: stored ones must be compiled anew, and their waiting runs
go on only with the catalog of before.
`)
    expect((await diff(edited(longer), "look.json")).code).toBe(0)
    expect((await diff(edited(longer))).code).toBe(1)
  })

  test("a limit touches every plan, and one that is above it is refused, with the reason", async () => {
    const { code, out } = await diff(edited(poorer), "look.json", "refund.json")
    expect(code).toBe(1)
    expect(out).toContain("limits changed, touches every plan:\n  cents max: 5000 → 4000\n")
    expect(out).toMatch(
      /look\.json +stale but compiles +limits\nrefund\.json +refused now\n\nerror SEQ401 refund\.json:10:78: step `pay` may reach 5000 cents; the limit is 4000\n/,
    )
    expect(out).toContain("2 plans are out of date")
  })

  test("a plan that was refused before is no news, nor is one that compiles now", async () => {
    expect(await effects(edited(renamed), "look.json", "wrong.json")).toEqual([
      1,
      "look.json refused-now",
      "wrong.json refused",
    ])
    expect(await effects(edited(words), "wrong.json")).toEqual([0, "wrong.json refused"])
    const { code, out } = await sequitur(["catalog", "diff", edited(renamed), "catalog.ts", "look.json"])
    expect(code).toBe(0)
    expect(out).toMatch(/look\.json +compiles now\n$/)
  })

  test("a lowered bound makes no plan stale, and refuses those beyond it", async () => {
    expect(await effects(edited(tighter), "look.json", "refund.json")).toEqual([
      1,
      "look.json unchanged",
      "refund.json refused-now",
    ])
    expect(await effects(edited(tighter), "look.json")).toEqual([0, "look.json unchanged"])
    const { code, out } = await diff(edited(tighter))
    expect(code).toBe(1)
    expect(out).toBe("bounds lowered, touch plans beyond them:\n  bound steps: 256 → 2\n")
  })

  test("what `compile --out` kept is judged by its document; a plan may come from standard input", async () => {
    const stored = join(folder(), "refund.compiled.json")
    expect((await sequitur(["compile", "refund.json", "--out", stored])).code).toBe(0)
    expect(await effects(edited(words), stored)).toEqual([0, `${stored} unchanged`])
    expect(await effects(edited(longer), stored)).toEqual([1, `${stored} stale`])
    expect(await effects(edited(poorer), stored)).toEqual([1, `${stored} refused-now`])
    // It was compiled against the new one: the old one would not take it up.
    const back = await sequitur(["catalog", "diff", edited(longer), "catalog.ts", stored, "--format", "json"])
    expect([back.code, JSON.parse(back.out).plans[0].effect]).toEqual([0, "compiles-now"])
    const input = readFileSync(join(shop, "look.json"))
    const piped = await sequitur(["catalog", "diff", "catalog.ts", edited(renamed), "-"], { input })
    expect([piped.code, piped.out]).toEqual([1, expect.stringMatching(/^- +refused now/m)])
  })

  test("for programs: one object, with every part, change and diagnostic", async () => {
    const { code, out } = await diff(edited(poorer, words), "refund.json", "--format", "json")
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      before: "catalog.ts",
      parts: [
        { part: "limits", tool: null, removed: false, changes: [{ what: "cents max", before: "5000", after: "4000" }] },
      ],
      lowered: [],
      others: [{ what: "tool `find_order` description" }],
      plans: [{ file: "refund.json", effect: "refused-now", changed: [], diagnostics: [{ code: "SEQ401" }], more: 0 }],
      unread: [],
    })
  })

  test("what cannot be used is told, and the exit code is 2", async () => {
    const faulty = edited(["idempotency: { key: { retentionMs: 86_400_000 } },", ""])
    const refused = await diff(faulty, "look.json")
    expect([refused.code, refused.out]).toEqual([2, expect.stringContaining("error SEQ812 at")])
    expect(refused.err).toContain("has faults of its own (SEQ812), and cannot be compared; see `sequitur lint`")
    const programs = await diff(faulty, "--format", "json")
    expect([programs.code, JSON.parse(programs.out).error.code]).toEqual([2, "usage"])
    expect(await diff("nowhere.ts")).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("there is no file nowhere.ts"),
    })
    expect(await diff("tools.ts")).toMatchObject({ code: 2, err: expect.stringContaining("is not a catalog") })
    expect((await diff("catalog.ts", "-", "-")).code).toBe(2)
    expect((await sequitur(["catalog", "diff", "catalog.ts"])).code).toBe(2)
    const some = await diff(edited(renamed), "nowhere.json", "look.json")
    expect(some).toMatchObject({ code: 2, err: "error: nowhere.json: there is no such file\n" })
    expect(some.out).toMatch(/look\.json +refused now/)
  })
})
