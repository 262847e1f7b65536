/** What a person may have put before their model: the plan language and the catalog whole, for whoever asks, and their goal. */
import type { Catalog } from "../../../catalog/catalog.ts"
import type { Principal } from "../../../run/toolbox.ts"
import { isObject } from "../../../text/json.ts"
import { planPrompt } from "../../prompt.ts"

/** UTF-16 units. */
const goalMax = 8_000

export const offeredPrompt = {
  name: "write_plan",
  title: "Write a plan",
  description: "How plans are written here, what you may use, and what you want done.",
  arguments: [{ name: "goal", description: "What is to be done, in your words.", required: true }],
}

/** A text, or what is wrong with what was asked for. */
export function writePrompt(
  catalog: Catalog,
  caller: Principal,
  { name, arguments: given }: { readonly name: string; readonly arguments?: unknown },
): { readonly text: string } | { readonly problem: string } {
  if (name !== offeredPrompt.name) return { problem: `there is no such prompt; there is ${offeredPrompt.name}` }
  const goal = isObject(given) && Object.keys(given).length === 1 ? given.goal : undefined
  if (typeof goal !== "string" || goal.trim() === "" || goal.length > goalMax)
    return { problem: `it takes one argument, \`goal\`: a text of at most ${goalMax} characters` }
  const how =
    "Write the whole plan, have it checked with `compile_plan`, mend what is told, and run it with `run_plan`."
  return { text: [planPrompt(catalog, { principal: caller }), `The goal: ${goal.toWellFormed()}`, how].join("\n\n") }
}
