/** Any plan that was approved as a whole does unasked what was there to be seen, up to what was agreed to, and nothing else. */
import fc from "fast-check"
import { arg, type Compiled, compile, defineCatalog, tool } from "sequitur"
import { createRunner, memory, planRequest } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import { prepare } from "../../../src/run/next/prepare.ts"
import { rederive } from "../../../src/run/rederive.ts"
import { accepted } from "../desk.ts"
import { everybody, say } from "./people.ts"

const effect = {
  effect: "write",
  params: z.strictObject({ to: z.string(), cents: z.int().min(0).max(50), tags: z.array(z.string()).optional() }),
  blast: { cents: arg("cents", { max: 50 }) },
  idempotency: "natural",
  compensate: "none",
} as const

const catalog = defineCatalog({
  name: "bank",
  version: "1",
  inputs: z.strictObject({ to: z.string(), cents: z.int().min(0).max(50) }),
  blastRadius: { cents: { max: 1_000, approveAbove: 60 } },
  tools: {
    look: tool({
      description: "Look.",
      effect: "read",
      params: z.strictObject({}),
      result: z.object({ to: z.string(), cents: z.int().min(0).max(50) }),
    }),
    pay: tool({ description: "Pay.", ...effect }),
    order: tool({ description: "Order.", ...effect, authority: { approval: "always" } }),
  },
})

const known = { input: { to: "shop", cents: 7 }, look: { to: "bob", cents: 11 } } as const

type Source = keyof typeof known
interface Written {
  readonly tool: "pay" | "order"
  readonly to: Source | "literal"
  readonly tag: Source | "literal" | "none"
  readonly cents: Source | number
}

const source = fc.constantFrom<Source>("input", "look")
const written: fc.Arbitrary<Written> = fc.record({
  tool: fc.constantFrom("pay", "order"),
  to: fc.oneof({ weight: 3, arbitrary: fc.constant("literal" as const) }, source),
  tag: fc.oneof({ weight: 5, arbitrary: fc.constantFrom("literal" as const, "none" as const) }, source),
  cents: fc.oneof(source, fc.integer({ min: 0, max: 50 })),
})

const from = ($from: Source, path: string) => ({ $from, path })
const stepOf = ({ tool, to, tag, cents }: Written, index: number) => ({
  id: `s${index}`,
  tool,
  args: {
    to: to === "literal" ? `t${index}` : { $concat: [`t${index}-`, from(to, "/to")] },
    cents: typeof cents === "number" ? cents : from(cents, "/cents"),
    ...(tag === "none" ? {} : { tags: [tag === "literal" ? "x" : from(tag, "/to")] }),
  },
})

/** As somebody would say it who has never seen the code: how many effects happen before somebody is asked. */
function unaskedOf(steps: readonly Written[], bound: number): number {
  let sum = 0
  for (const [index, { tool, to, tag, cents }] of steps.entries()) {
    sum += typeof cents === "number" ? cents : known[cents].cents
    const own = typeof cents === "number" ? cents : known[cents].cents
    const seen = to !== "look" && tag !== "look"
    const asked = tool === "order" || (own > 0 && sum > 60)
    if ((asked && !seen) || (own > 0 && sum > bound)) return index
  }
  return steps.length
}

test("as a naive reader says it", async () => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(written, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 150 }),
      async (steps, most) => {
        const made: string[] = []
        const call = ({ to }: { readonly to: string }): null => {
          made.push(to)
          return null
        }
        const runner = createRunner({
          catalog,
          store: memory(),
          approvers: everybody(),
          tools: { look: () => known.look, pay: call, order: call },
        })
        const text = JSON.stringify({
          version: 1,
          steps: [{ id: "look", tool: "look", args: {} }, ...steps.map(stepOf)],
        })
        const plan = accepted(compile(catalog, text) as Compiled)
        // More than the plan can come to is not agreed to.
        const cents = Math.min(most, plan.blast.find(({ dimension }) => dimension === "cents")?.max ?? 0)
        const runId = `run${++count}`
        const scope = { principal: { tenant: "acme", subject: "ada" }, inputs: known.input, runId }
        const approval = await say(await planRequest(plan, { catalog, ...scope, blast: { cents } }))
        const { status } = await runner.run(plan, { ...scope, approval, sessionId: "s", taskId: runId })
        const expected = unaskedOf(steps, cents)
        expect(made).toHaveLength(expected)
        expect(status).toBe(expected === steps.length ? "succeeded" : "awaiting_approval")
        const ready = prepare(plan, catalog)
        if (ready instanceof Error) throw ready
        expect(rederive(ready, runId, await runner.entries(runId))).toMatchObject({ status })
        await runner.close()
      },
    ),
    { numRuns: 200 },
  )
}, 60_000)
