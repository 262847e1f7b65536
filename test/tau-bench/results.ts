/** The same tools with the results that the recorded conversations show. The shop answers a fault with a text. */
import { type TSchema, Type } from "@sinclair/typebox"
import { defineCatalog } from "sequitur"
import { recordedTools } from "./schemas.ts"

const text = Type.String()
const texts = Type.Array(text)
const address = Type.Object({ address1: text, address2: text, city: text, country: text, state: text, zip: text })

const order = {
  order_id: text,
  user_id: text,
  address,
  items: Type.Array(Type.Object({ name: text, product_id: text, item_id: text, price: Type.Number() })),
  status: text,
  payment_history: Type.Array(Type.Object({ payment_method_id: text, amount: Type.Number() })),
}

const user = Type.Object({
  name: Type.Object({ first_name: text, last_name: text }),
  address,
  email: text,
  payment_methods: Type.Record(text, Type.Object({ id: text, source: text })),
  orders: texts,
})

const results: { readonly [tool: string]: TSchema } = {
  cancel_pending_order: Type.Object({ ...order, cancel_reason: text }),
  exchange_delivered_order_items: Type.Object({
    ...order,
    exchange_items: texts,
    exchange_new_items: texts,
    exchange_payment_method_id: text,
    exchange_price_difference: Type.Number(),
  }),
  get_order_details: Type.Object(order),
  get_product_details: Type.Object({
    name: text,
    product_id: text,
    variants: Type.Record(text, Type.Object({ item_id: text, available: Type.Boolean(), price: Type.Number() })),
  }),
  get_user_details: user,
  list_all_product_types: Type.Record(text, text),
  modify_pending_order_address: Type.Object(order),
  modify_pending_order_items: Type.Object(order),
  modify_pending_order_payment: Type.Object(order),
  modify_user_address: user,
  return_delivered_order_items: Type.Object({ ...order, return_items: texts, return_payment_method_id: text }),
}

const shown = (name: string): TSchema => {
  const result = results[name]
  return name === "calculate" ? Type.Number() : result === undefined ? text : Type.Union([result, text])
}

export const resultsCatalog = () =>
  defineCatalog({
    name: "retail-results",
    version: "1",
    tools: Object.fromEntries(
      Object.entries(recordedTools()).map(([name, recorded]) => [name, { ...recorded, result: shown(name) }]),
    ),
  })
