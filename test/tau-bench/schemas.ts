/**
 * The sixteen tools of tau-bench retail as a catalog: their own JSON Schemas and effect classes, and no policy. Of the
 * tools of another folder an `effects.json` beside them says what they may do; what it leaves out counts as a write.
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { defineCatalog, type ToolSpec, tool } from "sequitur"
import { dataFolder, readData } from "../data.ts"

interface RecordedTool {
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: object }
}

type Effect = Pick<ToolSpec, "effect" | "idempotency" | "compensate">

const read: Effect = { effect: "read" }
/** The shop knows no keys, and nothing that it does is undone by another of its tools. */
const write: Effect = { effect: "write", idempotency: "none", compensate: "none" }
/** To set an address again changes nothing. */
const setting: Effect = { ...write, idempotency: "natural" }
const destructive: Effect = { ...write, effect: "destructive" }

const known: { readonly [tool: string]: Effect } = {
  calculate: read,
  find_user_id_by_email: read,
  find_user_id_by_name_zip: read,
  get_order_details: read,
  get_product_details: read,
  get_user_details: read,
  list_all_product_types: read,
  think: read,
  cancel_pending_order: destructive,
  exchange_delivered_order_items: destructive,
  modify_pending_order_address: setting,
  modify_pending_order_items: destructive,
  modify_pending_order_payment: write,
  modify_user_address: setting,
  return_delivered_order_items: destructive,
  transfer_to_human_agents: write,
}

const classes: { readonly [effect: string]: Effect } = { read, write, destructive }

/** Those that the folder names, before those that are known. */
function effectsHere(): ReadonlyMap<string, Effect> {
  const file = "tau-bench/effects.json"
  if (!existsSync(resolve(dataFolder, file))) return new Map(Object.entries(known))
  const named = Object.entries(JSON.parse(readData(file)) as { readonly [tool: string]: unknown }).map(
    ([name, effect]) => {
      const found = typeof effect === "string" && Object.hasOwn(classes, effect) ? classes[effect] : undefined
      if (found !== undefined) return [name, found] as const
      throw new Error(`${file} says ${JSON.stringify(effect)} of ${name}: it takes "read", "write" or "destructive"`)
    },
  )
  return new Map([...Object.entries(known), ...named])
}

/** Every tool as it was recorded, with what the host adds of its effect. */
export function recordedTools(): { readonly [name: string]: ToolSpec } {
  const effects = effectsHere()
  return Object.fromEntries(
    (JSON.parse(readData("tau-bench/retail_tools.json")) as readonly RecordedTool[]).map(
      ({ function: { name, description = name, parameters } }) => [
        name,
        tool({ description, params: { ...parameters }, ...(effects.get(name) ?? write) }),
      ],
    ),
  )
}

export const schemasCatalog = () => defineCatalog({ name: "retail", version: "1", tools: recordedTools() })
