/**
 * The same tools with `retail_policy.md` on top, as far as it can be declared today.
 *
 * - *Authenticate first*: everything about users, orders and products needs the state AUTHENTICATED, and only a
 *   transition leads there. It is guarded, because finding a user may fail: whoever hosts the conversation looks at
 *   what was found. (`requires` cannot say it: either of two tools will do.)
 * - *List the action, obtain an explicit yes*: what changes the shop needs CHANGING, behind a guard as well.
 * - *Check its status first*: what changes an order requires `get_order_details` of the same order.
 * - *Exchange or modify only once*: means once for each order, which is business identity (`once`) and not built yet.
 *   Until then a limit on a whole plan stands in for it, at the most that any recorded plan does; it is looser.
 */
import { defineCatalog, type ToolSpec } from "sequitur"
import { recordedTools } from "./schemas.ts"

export const changesOfItems = 3

const anywhere = ["find_user_id_by_email", "find_user_id_by_name_zip", "calculate", "think"]
const changesOfOrder = [
  "cancel_pending_order",
  "exchange_delivered_order_items",
  "modify_pending_order_address",
  "modify_pending_order_items",
  "modify_pending_order_payment",
  "return_delivered_order_items",
]
const once = ["exchange_delivered_order_items", "modify_pending_order_items"]

/** Needs an explicit yes. */
export const isChange = (tool: string): boolean => tool === "modify_user_address" || changesOfOrder.includes(tool)

export const isAuthentication = (tool: string): boolean => tool.startsWith("find_user_id_")

/** The policy is about these: of other tools it says nothing. */
export function hasPolicy(): boolean {
  const tools = recordedTools()
  return [...anywhere, ...changesOfOrder, "modify_user_address", "get_order_details"].every((name) => name in tools)
}

function policyFor(name: string): Partial<ToolSpec> {
  if (anywhere.includes(name)) return {}
  if (!isChange(name)) return { states: ["AUTHENTICATED", "CHANGING"] }
  return {
    states: ["CHANGING"],
    ...(changesOfOrder.includes(name) ? { requires: [{ tool: "get_order_details", same: ["order_id"] }] } : {}),
    ...(once.includes(name) ? { blast: { itemChanges: 1 } } : {}),
  }
}

export const policyCatalog = (also: { readonly [tool: string]: Partial<ToolSpec> } = {}) =>
  defineCatalog({
    name: "retail-policy",
    version: "1",
    approvals: "unsigned",
    machine: {
      initial: "ANONYMOUS",
      transitions: {
        ANONYMOUS: { AUTHENTICATED: { guard: "approval" } },
        AUTHENTICATED: { CHANGING: { guard: "approval" } },
      },
    },
    blastRadius: { itemChanges: { max: changesOfItems } },
    tools: Object.fromEntries(
      Object.entries(recordedTools()).map(([name, recorded]) => [
        name,
        { ...recorded, ...policyFor(name), ...also[name] },
      ]),
    ),
  })
