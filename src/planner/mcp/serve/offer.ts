/** What a catalog offers to MCP clients, and what they must say to be understood: nothing is coerced, filled in or passed over. */
import type { Catalog } from "../../../catalog/catalog.ts"
import { judgeWhole } from "../../../catalog/schema/judge.ts"
import { lowerSchema } from "../../../catalog/schema/lower.ts"
import type { JsonSchema, Schema } from "../../../catalog/schema/schema.ts"
import { copyJson } from "../../../text/copy-json.ts"
import { isObject, type JsonObject } from "../../../text/json.ts"
import { planPrompt } from "../../prompt.ts"

export const offered = ["compile_plan", "explain_plan", "run_plan", "run_status", "propose_call"] as const
export type OfferedName = (typeof offered)[number]

export interface OfferedTool {
  readonly name: OfferedName
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean }
}

const plan = { type: "string", description: "The whole plan, as JSON text." }
const strict = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: "object",
  properties,
  required: [...required],
  additionalProperties: false,
})

const schemas: { readonly [Name in OfferedName]: JsonObject } = {
  compile_plan: strict({ plan }, ["plan"]),
  explain_plan: strict({ plan }, ["plan"]),
  run_plan: strict({ plan, inputs: { description: "What the plan refers to as `input`." } }, ["plan"]),
  run_status: strict({ runId: { type: "string", minLength: 1, maxLength: 128 } }, ["runId"]),
  propose_call: strict(
    {
      callId: {
        type: "string",
        minLength: 1,
        maxLength: 128,
        description: "Of your choice: a new one for each new call.",
      },
      tool: { type: "string", minLength: 1, maxLength: 257 },
      args: { type: "object", additionalProperties: true },
    },
    ["callId", "tool", "args"],
  ),
}

/** The plan language and the catalog stand where every client shows them to its model. */
const promptLength = 16_000

const descriptions: { readonly [Name in OfferedName]: (catalog: Catalog) => string } = {
  compile_plan: (catalog) =>
    `Says whether a plan would be accepted, and what is wrong with it. Nothing is done.\n\n${planPrompt(catalog, { maxLength: promptLength })}`,
  explain_plan: () =>
    "Shows what a plan would do at worst, step by step, and where a person will be asked. Nothing is done. Plans are written as `compile_plan` says.",
  run_plan: () =>
    "Compiles a plan and runs it until it ends or waits for a person. Written as `compile_plan` says. The same call made again in one session is not made twice.",
  run_status: () =>
    "Says how a run stands, and what came of its steps. Where it waits for a person, they answer elsewhere.",
  propose_call: (catalog) =>
    `Proposes one call of one tool. It is checked as a plan's step is, and made if it is accepted. Tools: ${[...catalog.tools.keys()].join(", ").slice(0, 4_000)}. Their parameters are told by \`compile_plan\`.`,
}

const titles: { readonly [Name in OfferedName]: string } = {
  compile_plan: "Check a plan",
  explain_plan: "Explain a plan",
  run_plan: "Run a plan",
  run_status: "How a run stands",
  propose_call: "Propose a call",
}

export const describeOffer = (names: readonly OfferedName[], catalog: Catalog): readonly OfferedTool[] =>
  names.map((name) => {
    const acts = name === "run_plan" || name === "propose_call"
    const annotations = { readOnlyHint: !acts, destructiveHint: acts }
    const [title, description] = [titles[name], descriptions[name](catalog)]
    return { name, title, description, inputSchema: schemas[name], annotations }
  })

const judges = new Map<OfferedName, Schema>()

function judgeOf(name: OfferedName): Schema {
  const known = judges.get(name)
  if (known !== undefined) return known
  const lowered = lowerSchema(schemas[name] as JsonSchema, "params")
  if (!lowered.ok) throw new Error(`the schema of ${name} is no schema`)
  judges.set(name, lowered.schema)
  return lowered.schema
}

/** Arguments of a call, copied and held to their schema; or what is wrong with them. */
export function admitArguments(name: OfferedName, given: unknown, { bounds }: Catalog): JsonObject | string {
  const copied = copyJson(given ?? {}, { depth: bounds.depth, nodes: bounds.nodes, bytes: bounds.textBytes * 2 })
  if (!copied.ok) return `the arguments cannot be taken: ${copied.problem} at ${copied.at || "their top"}`
  if (!isObject(copied.value)) return "the arguments must be an object"
  const [issue] = judgeWhole(judgeOf(name), copied.value)
  return issue === undefined
    ? (copied.value as JsonObject)
    : `the arguments are wrong at ${issue.at || "their top"}: ${issue.message}`
}
