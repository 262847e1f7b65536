/** Handlers that answer at once, always the same, and right: what is left is what running a plan itself costs. */
import type { ResultOf } from "sequitur"
import { toolbox } from "sequitur/run"
import { catalog, type tools } from "./catalog.ts"

type Answers = { readonly [Name in keyof typeof tools]: ResultOf<(typeof tools)[Name]> }

const orderId = "ord_7fK2mQ9xLc"
const path = "/help/refunds.txt"

const answers: Answers = {
  find_customer: {
    customerId: "4f0c2c52-8a53-4d0c-9c0e-0d6a4d2f7b11",
    name: "Zoë",
    email: "zoe@example.com",
    city: "Kraków",
  },
  list_orders: {
    orders: [
      { orderId, status: "paid", cents: 4_900 },
      { orderId: "ord_1aB3cD5eF7", status: "open", cents: 1_250 },
    ],
    total: 2,
  },
  get_order: { orderId, cents: 4_900, currency: "EUR", placedBy: "zoe@example.com" },
  search_articles: { articles: [{ path, title: "“How refunds work”" }] },
  read_file: { text: "Refunds take five days.\nThe café is closed on Mondays.", size: 54 },
  query_table: { rows: [{ id: "1", state: "open" }], count: 1 },
  issue_refund: { refundId: "ref_0001", cents: 4_900 },
  send_email: { messageId: "msg_0001" },
  open_ticket: { ticketId: "TCK-004711", url: "https://desk.example/TCK-004711" },
  update_ticket: { ticketId: "TCK-004711" },
  write_file: { size: 54 },
  roll_out: { rolloutId: "roll_0001", healthy: true },
}

export type Handler = (args: unknown) => Promise<unknown>

export const handlers: ReadonlyMap<string, Handler> = new Map(
  Object.entries(answers).map(([name, answer]) => [name, async () => answer]),
)

/** The same in a toolbox. `onCall` is told of each call. */
export const box = (onCall?: (tool: string, args: unknown) => void) =>
  toolbox(
    catalog,
    Object.fromEntries(
      [...handlers].map(([name, handle]) => [
        name,
        (args: unknown) => {
          onCall?.(name, args)
          return handle(args)
        },
      ]),
    ) as unknown as Parameters<typeof toolbox<typeof catalog.spec>>[1],
  )
