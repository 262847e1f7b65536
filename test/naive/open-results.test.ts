/**
 * "Results are open by default: undeclared fields are kept out of reach, not refused." What that means where the whole of
 * such a result goes into a parameter: nothing is cut off, so the run looks at what came, before any later effect.
 */
import { compile, defineCatalog, tool } from "sequitur"
import { createRunner, memory } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { z } from "zod"

const person = { name: z.string() }
const catalog = defineCatalog({
  name: "people",
  version: "1",
  tools: {
    find: tool({ description: "Finds.", effect: "read", params: z.strictObject({}), result: z.object(person) }),
    closed: tool({ description: "Takes.", effect: "read", params: z.strictObject({ who: z.strictObject(person) }) }),
    anything: tool({ description: "Takes.", effect: "read", params: z.strictObject({ who: z.unknown() }) }),
  },
})

const compileTo = (name: string, path?: string) => {
  const who = path === undefined ? { $from: "f" } : { $from: "f", path }
  const steps = [
    { id: "f", tool: "find", args: {} },
    { id: "t", tool: name, args: { who } },
  ]
  return compile(catalog, JSON.stringify({ version: 1, steps }))
}

async function run(name: string, answer: object) {
  const compiled = compileTo(name)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  const taken: unknown[] = []
  const take = async ({ who }: { readonly who: unknown }) => void taken.push(who)
  const tools = { find: async () => answer, closed: take, anything: take }
  const runner = createRunner({ catalog, tools: tools as never, store: memory() })
  const principal = { tenant: "t", subject: "s" }
  const report = await runner.run(compiled.plan, { principal, sessionId: "s", taskId: "t" })
  await runner.close()
  return { status: report.status, code: report.status === "failed" ? report.failure.code : "", taken }
}

describe("an undeclared field of an open result", () => {
  test("is reached by no path", () => {
    expect(compileTo("anything", "/secret").diagnostics.map(({ code, at }) => `${code} ${at}`)).toEqual([
      "SEQ205 /steps/1/args/who/path",
    ])
  })

  test("leaves to the run whether the whole fits a closed parameter", () => {
    const compiled = compileTo("closed")
    const checks = compiled.ok
      ? compiled.plan.steps.flatMap((step) => step.checks.map(({ kind, at }) => `${kind} ${at}`))
      : []
    expect(checks).toEqual(["fits /steps/1/args/who"])
  })

  test("never gets into a closed parameter", async () => {
    expect(await run("closed", { name: "Ada" })).toMatchObject({ status: "succeeded", taken: [{ name: "Ada" }] })
    expect(await run("closed", { name: "Ada", secret: 1 })).toMatchObject({
      status: "failed",
      code: "RUN106",
      taken: [],
    })
  })

  test("goes along with the whole where the parameter takes anything", async () => {
    expect(await run("anything", { name: "Ada", more: 1 })).toMatchObject({ taken: [{ name: "Ada", more: 1 }] })
  })
})
