/** An office that pays invoices by `counter.ts`: a store, an outside and a toolbox of one test, and plans for them. */
import { Effect } from "effect"
import { type CompiledPlan, compile } from "sequitur"
import { execute, notApplied } from "sequitur/run"
import { boxOn, catalog, type Instead, makeOutside, openStore } from "./counter.ts"
import { accepted, principal } from "./desk.ts"

/** Of calls, each of a tool with an invoice. */
export const planOf = (...steps: readonly (readonly [string, string])[]): CompiledPlan =>
  accepted(
    compile(
      catalog,
      JSON.stringify({
        version: 1,
        steps: steps.map(([tool, invoice], index) => ({ id: `s${index}`, tool, args: { invoice } })),
      }),
    ),
  )

export const office = (instead: Instead = {}, of: typeof catalog = catalog) =>
  Effect.gen(function* () {
    const { provide, journal } = yield* openStore
    const outside = makeOutside()
    const box = { catalog: of, tools: boxOn(outside, instead, of) }
    const run = (runId: string, plan: CompiledPlan, tools = box.tools) =>
      provide(execute(plan, { principal, sessionId: "s", taskId: "t", runId, ...box, tools }))
    return { provide, journal, outside, box, run }
  })

export const refuse = () => {
  throw notApplied("no funds")
}
