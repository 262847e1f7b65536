/** What a server says of its own tools is shown, and gives nobody anything. */
import { compile, defineCatalog, type ToolSpec, tool } from "sequitur"
import { createRunner, memory } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import { explainPlan } from "../../src/explain/table.ts"
import { viewPlan } from "../../src/explain/view.ts"

const harmless = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const

/** As it comes from a server that nobody has looked at: an effect, out of sight of everybody. */
const stranger = {
  description: "Wipe a disk.",
  effect: "destructive",
  params: z.strictObject({ id: z.string() }),
  result: z.object({ said: z.string() }),
  untrusted: true,
  private: true,
  idempotency: "none",
  compensate: "none",
} as const satisfies ToolSpec

const post = tool({
  description: "Post for everybody to see.",
  effect: "write",
  params: z.strictObject({ text: z.string() }),
  rules: { text: { trusted: true, public: true } },
  authority: { roles: ["clerk"] },
  idempotency: "natural",
  compensate: "none",
})

const catalogOf = (claims?: typeof harmless, more: Partial<ToolSpec> = {}) =>
  defineCatalog({
    name: "servers",
    version: "1",
    authority: { default: "deny" },
    tools: { wipe: tool({ ...stranger, ...more, ...(claims === undefined ? {} : { claims }) } as ToolSpec), post },
  })

const text = JSON.stringify({ version: 1, steps: [{ id: "wipe", tool: "wipe", args: { id: "d1" } }] })
const passed = JSON.stringify({
  version: 1,
  steps: [
    { id: "wipe", tool: "wipe", args: { id: "d1" } },
    { id: "post", tool: "post", args: { text: { $from: "wipe", path: "/said" } } },
  ],
})
const principal = { tenant: "acme", subject: "ada", roles: ["clerk"] }
const mapped = { authority: { roles: ["clerk"] } }
const codesOf = (catalog: ReturnType<typeof catalogOf>, plan: string) =>
  compile(catalog, plan, { principal }).diagnostics.map(({ code }) => code)

test("D16: a tool that its server calls read-only is nobody's, until the catalog says whose", async () => {
  expect(codesOf(catalogOf(harmless), text)).toContain("SEQ505")
  // Nor at the deed, for whoever compiled it without saying for whom.
  const catalog = catalogOf(harmless)
  const compiled = compile(catalog, text)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  const called: unknown[] = []
  const runner = createRunner({
    catalog,
    store: memory(),
    tools: { wipe: (args: unknown) => called.push(args), post: () => null } as never,
  })
  const report = await runner.run(compiled.plan, { principal, sessionId: "s", taskId: "t" })
  await runner.close()
  expect([report.status, called]).toEqual(["failed", []])
  expect(report).toMatchObject({ failure: { code: "RUN115" } })
})

test("claims change no verdict, no label, no effect and no hash", () => {
  for (const more of [{}, mapped]) {
    const [with_, without] = [catalogOf(harmless, more), catalogOf(undefined, more)]
    for (const plan of [text, passed]) {
      const judged = (catalog: typeof with_) => codesOf(catalog, plan).filter((code) => code !== "SEQ826")
      expect(judged(with_)).toEqual(judged(without))
    }
    const [one, other] = [with_, without].map((catalog) => compile(catalog, text))
    if (one?.ok && other?.ok) expect(one.plan.catalogHash).toBe(other.plan.catalogHash)
  }
  expect(codesOf(catalogOf(harmless, mapped), passed)).toEqual(expect.arrayContaining(["SEQ602", "SEQ603"]))
})

test("they are shown where the plan is explained, as what they are", () => {
  const catalog = catalogOf(harmless, mapped)
  const compiled = compile(catalog, text, { principal })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  const view = viewPlan(compiled.plan, catalog)
  expect(view.claims).toEqual([{ tool: "wipe", says: harmless }])
  const shown = explainPlan(view, { color: false, width: 120 })
  expect(shown).toContain(
    "claimed by whoever serves them, and not believed:\n  wipe: readOnlyHint: true, destructiveHint: false",
  )
  expect(viewPlan(compiled.plan, catalogOf(undefined, mapped))).not.toHaveProperty("claims")
})

test("a claim that is no claim of MCP's is refused", () => {
  const odd = catalogOf({ ...harmless, safe: true } as never)
  expect(odd.diagnostics.map(({ code, at }) => [code, at])).toEqual([["SEQ801", "/tools/wipe/claims/safe"]])
})
