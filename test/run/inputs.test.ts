/** What a run is handed is typed by the catalog: a misspelt input is told in the editor, not by the first run. */
import { type Catalog, type CatalogSpec, defineCatalog, tool } from "sequitur"
import { createRunner, execute, type InputsOf, memory, type Runner, type RunOptions } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import { type Equal, expectTypes } from "../typed/equal.ts"
import { catalog, countCalls, handlersOf, planOf, principal, calls as steps } from "./desk.ts"

const look = tool({ description: "Look.", effect: "read", params: z.strictObject({}) })
const none = defineCatalog({ name: "none", version: "1", tools: { look } })
const listed = defineCatalog({
  name: "listed",
  version: "1",
  inputs: z.strictObject({ ids: z.array(z.string()), from: z.enum(["web", "desk"]).optional() }),
  tools: { look },
})
const asJson = defineCatalog({
  name: "json",
  version: "1",
  inputs: { type: "object", properties: { id: { type: "string" } } },
  tools: { look },
})

test("the types themselves", () => {
  expectTypes<
    [
      Equal<InputsOf<(typeof catalog)["spec"]>, { accountId: string }>,
      Equal<InputsOf<(typeof listed)["spec"]>, { ids: string[]; from?: "web" | "desk" | undefined }>,
      Equal<InputsOf<(typeof none)["spec"]>, unknown>,
      Equal<InputsOf<CatalogSpec>, unknown>,
      Equal<RunOptions["inputs"], unknown>,
    ]
  >()
})

const of = { principal, sessionId: "s", taskId: "t" } as const
const plan = planOf([steps.find])

test("inputs are held to the catalog's by tsc, and by the run for whoever has no tsc", async () => {
  const tools = handlersOf(countCalls())
  const runner = createRunner({ catalog, tools, store: memory() })
  expect(await runner.run(plan, { ...of, inputs: { accountId: "acc_1" } })).toMatchObject({ status: "succeeded" })
  // @ts-expect-error a misspelt name
  await expect(runner.run(plan, { ...of, inputs: { acountId: "acc_1" } })).rejects.toMatchObject({ code: "RUN201" })
  // @ts-expect-error a wrong type
  await expect(runner.run(plan, { ...of, inputs: { accountId: 1 } })).rejects.toMatchObject({ code: "RUN201" })
  // @ts-expect-error the same as an Effect
  expect(execute(plan, { ...of, catalog, tools, inputs: { acountId: "acc_1" } })).toBeDefined()
  expect(execute(plan, { ...of, catalog, tools, inputs: { accountId: "acc_1" } })).toBeDefined()
  await runner.close()
})

test("where nobody knows the catalog's type, anything may be given, and a runner of one is a runner", async () => {
  const wide: Catalog = catalog
  const runner: Runner = createRunner({ catalog: wide, tools: handlersOf(countCalls()) as never, store: memory() })
  const given: unknown = JSON.parse('{ "accountId": "acc_1" }')
  expect(await runner.run(plan, { ...of, inputs: given })).toMatchObject({ status: "succeeded" })
  await runner.close()
  const narrow: Runner = createRunner({ catalog, tools: handlersOf(countCalls()), store: memory() })
  expect(await narrow.run(plan, { ...of, inputs: given })).toMatchObject({ status: "succeeded" })
  await narrow.close()
  const json = createRunner({ catalog: asJson, tools: { look: () => null }, store: memory() })
  await expect(json.run(plan, { ...of, inputs: { id: "x" } })).rejects.toMatchObject({ code: "RUN202" })
  await json.close()
})
