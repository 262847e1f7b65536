/** Catalogs and plans as TypeScript text, of any size: every step refers to two steps before it, and every tool has states, a limit and, often, a predecessor. */

/** Two states that lead into each other; the tools of a row stay in one. */
export function generateCatalog(tools: number, front: "zod" | "typebox" = "zod"): string {
  const lines = Array.from({ length: tools }, (_, t) => {
    const state = stateOf(t)
    const requires = t >= 2 && t % 5 === 0 ? `, requires: [{ tool: "t${t - 2}" }]` : ""
    return `    t${t}: tool({ description: "Tool ${t}.", effect: "write", idempotency: "none", compensate: "none", ${schemas[front](t)}, states: ["${state}"]${requires}, blast: { cents: arg("cents", { max: 100_000 }), records: ${t % 7}, webhooks: ${t % 3 === 0 ? 1 : 0} } }),`
  })
  return `import { arg, defineCatalog, tool } from "sequitur"
import { Type } from "@sinclair/typebox"
import { z } from "zod"

export default defineCatalog({
  name: "big",
  version: "1",
  machine: { initial: "A", transitions: { A: { B: {} }, B: { A: {} } } },
  blastRadius: { cents: { max: 1_000_000_000 }, records: { max: 1_000_000 }, webhooks: { max: 1_000_000 } },
  bounds: { steps: 10_000, nodes: 1_000_000, textBytes: 16_777_216 },
  tools: {
${lines.join("\n")}
  },
})

export const schemas = [z, Type]
`
}

const schemas = {
  zod: (t: number) =>
    `params: z.strictObject({ name: z.string(), n: z.number(), cents: z.int().min(0).max(100_000), tag: z.enum(["x${t}", "y"]).optional(), opt: z.strictObject({ a: z.string(), b: z.boolean() }).optional() }), result: z.object({ id: z.string(), n: z.number(), nested: z.object({ k${t}: z.string(), list: z.array(z.object({ v: z.number() })) }) })`,
  typebox: (t: number) =>
    `params: Type.Object({ name: Type.String(), n: Type.Number(), cents: Type.Integer({ minimum: 0, maximum: 100_000 }), tag: Type.Optional(Type.Union([Type.Literal("x${t}"), Type.Literal("y")])), opt: Type.Optional(Type.Object({ a: Type.String(), b: Type.Boolean() }, { additionalProperties: false })) }, { additionalProperties: false }), result: Type.Object({ id: Type.String(), n: Type.Number(), nested: Type.Object({ k${t}: Type.String(), list: Type.Array(Type.Object({ v: Type.Number() })) }) })`,
}

/** Ten tools in the one state, ten in the other. */
const stateOf = (tool: number): "A" | "B" => (Math.floor(tool / 10) % 2 === 0 ? "A" : "B")

/** `steps` steps, with a transition wherever the next tool is of the other state. `fault` misspells one step in so many. */
export function generatePlan(steps: number, tools: number, fault = 0): string {
  const lines: string[] = []
  const calls: { readonly id: string; readonly tool: number }[] = []
  let state = "A"
  for (let i = 0; i < steps; i++) {
    const t = calls.length % tools
    if (stateOf(t) !== state) {
      state = stateOf(t)
      lines.push(`    { id: "s${i}", transition: "${state}" },`)
      continue
    }
    const last = calls.at(-1)
    const middle = calls[Math.floor(calls.length / 2)]
    const args =
      last === undefined || middle === undefined
        ? `{ name: "n", n: 1, cents: 10 }`
        : `{ name: { $from: "${last.id}", path: "/nested/k${last.tool}${fault > 0 && i % fault === 0 ? "x" : ""}" }, n: { $from: "${middle.id}", path: "/n" }, cents: ${1000 + i}${i % 2 === 1 ? `, tag: "y"` : ""}${i % 3 === 0 ? `, opt: { a: "a", b: true }` : ""} }`
    lines.push(`    { id: "s${i}", tool: "t${t}", args: ${args} },`)
    calls.push({ id: `s${i}`, tool: t })
  }
  const first = calls[0]?.id ?? "s0"
  return `import { definePlan, type StepResult } from "sequitur"
import catalog from "./catalog.ts"

export const plan = definePlan(catalog, {
  version: 1,
  steps: [
${lines.join("\n")}
  ],
})
export const told: StepResult<Extract<typeof plan, { ok: true }>, "${first}">["id"] = "one"
`
}
