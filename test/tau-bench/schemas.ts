/** The sixteen tools of tau-bench retail as a catalog: their own JSON Schemas and effect classes, and no policy. */
import { defineCatalog, type ToolSpec, tool } from "sequitur"
import { readData } from "../data.ts"

interface RecordedTool {
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

type Effect = Pick<ToolSpec, "effect" | "idempotency" | "compensate">

const read: Effect = { effect: "read" }
/** The shop knows no keys, and nothing that it does is undone by another of its tools. */
const write: Effect = { effect: "write", idempotency: "none", compensate: "none" }
/** To set an address again changes nothing. */
const setting: Effect = { ...write, idempotency: "natural" }
const destructive: Effect = { ...write, effect: "destructive" }

const effects: { readonly [tool: string]: Effect } = {
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

/** Every tool as it was recorded, with what the host adds of its effect. */
export const recordedTools = (): { readonly [name: string]: ToolSpec } =>
  Object.fromEntries(
    (JSON.parse(readData("tau-bench/retail_tools.json")) as readonly RecordedTool[]).map(
      ({ function: { name, description, parameters } }) => [
        name,
        tool({ description, params: { ...parameters }, ...(effects[name] ?? missing(`effect for ${name}`)) }),
      ],
    ),
  )

export const schemasCatalog = () => defineCatalog({ name: "retail", version: "1", tools: recordedTools() })

function missing(what: string): never {
  throw new Error(`there is no ${what}`)
}
