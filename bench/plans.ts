/** Plans as a model might write them, drawn by a seed: right by construction, four arguments in ten taken from earlier steps. */
import type { JsonObject } from "sequitur"
import type { tools } from "./catalog.ts"
import { alphanumeric, type Draw, digits, drawBy, upper } from "./draw.ts"

export interface PlanDocument {
  readonly version: 1
  readonly goal: string
  readonly steps: readonly StepDocument[]
}

export interface StepDocument {
  readonly id: string
  readonly tool?: ToolName
  readonly args?: JsonObject
  readonly transition?: string
  readonly after?: readonly string[]
  readonly why?: string
}

export type ToolName = keyof typeof tools

/** What later steps can ask of earlier ones. */
type Noun = "customerId" | "email" | "orderId" | "cents" | "text" | "path" | "ticketId"

const yields: Partial<Record<ToolName, readonly (readonly [noun: Noun, rest: JsonObject])[]>> = {
  find_customer: [
    ["customerId", { path: "/customerId" }],
    ["email", { path: "/email" }],
  ],
  list_orders: [
    ["orderId", { path: "/orders", where: { "/status": "paid" }, pick: "/orderId" }],
    ["orderId", { path: "/orders/0/orderId" }],
    ["cents", { path: "/orders/0/cents" }],
  ],
  get_order: [
    ["orderId", { path: "/orderId" }],
    ["cents", { path: "/cents" }],
    ["email", { path: "/placedBy" }],
  ],
  search_articles: [["path", { path: "/articles/0/path" }]],
  read_file: [["text", { path: "/text" }]],
  open_ticket: [["ticketId", { path: "/ticketId" }]],
  update_ticket: [["ticketId", { path: "/ticketId" }]],
}

/** A reference to what an earlier step yields, or what `otherwise` makes. */
type Take = (noun: Noun, otherwise: () => JsonObject[string]) => JsonObject[string]

/** A plan of so many steps (5 at least): it looks about, enters ACTING, then looks and acts as it likes. */
export function makePlan(length: number, seed: number): PlanDocument {
  const draw = drawBy(seed)
  const steps: StepDocument[] = []
  const pool: (readonly [noun: Noun, reference: JsonObject])[] = []
  const orders: JsonObject[string][] = []
  const take: Take = (noun, otherwise) => {
    if (!draw.chance(0.6)) return otherwise()
    const found = pool.filter(([known]) => known === noun).slice(-20)
    return found.length === 0 ? otherwise() : draw.one(found)[1]
  }
  const call = (tool: ToolName): void => {
    const id = `${tool.slice(0, tool.indexOf("_"))}_${steps.length + 1}`
    const args = writers[tool](draw, take, orders)
    const earlier = steps.slice(-20).filter((step) => step.tool !== undefined)
    const after = draw.chance(0.2) && earlier.length > 0 ? { after: [draw.one(earlier).id] } : {}
    steps.push({ id, tool, args, ...after })
    for (const [noun, rest] of yields[tool] ?? []) pool.push([noun, { $from: id, ...rest }])
    // A refund must follow a look at the very order.
    if (tool === "get_order") orders.push(args.orderId ?? null)
  }
  for (const tool of ["find_customer", "list_orders", "get_order"] as const) call(tool)
  steps.push({ id: "act", transition: "ACTING", why: draw.words(6) })
  while (steps.length < length) call(draw.one(Object.keys(writers) as ToolName[]))
  return { version: 1, goal: draw.words(12), steps }
}

/** Leaves a key in or out. */
const perhaps = (draw: Draw, key: string, make: () => JsonObject[string]): JsonObject =>
  draw.chance(0.4) ? { [key]: make() } : {}

const email = (draw: Draw): string => `${draw.letters(6)}@${draw.letters(7)}.com`
const orderId = (draw: Draw): string => `ord_${draw.letters(10, alphanumeric)}`
const ticketId = (draw: Draw): string => `TCK-${draw.letters(6, digits)}`
const currencies = ["USD", "EUR", "GBP", "JPY"]

/** The arguments of each tool. Each effect says something of its own, so that no effect is made twice. */
const writers: Record<ToolName, (draw: Draw, take: Take, orders: readonly JsonObject[string][]) => JsonObject> = {
  find_customer: (draw, take) => ({
    email: take("email", () => email(draw)),
    ...perhaps(draw, "include", () => draw.some(["orders", "tickets", "address"])),
  }),
  list_orders: (draw, take) => ({
    customerId: take("customerId", draw.uuid),
    ...perhaps(draw, "status", () => draw.one(["open", "paid", "shipped", "cancelled"])),
    limit: draw.integer(1, 100),
    ...perhaps(draw, "since", () => `20${draw.integer(20, 26)}-0${draw.integer(1, 9)}-1${draw.integer(0, 9)}`),
  }),
  get_order: (draw, take) => ({
    orderId: take("orderId", () => orderId(draw)),
    ...perhaps(draw, "expand", () => draw.some(["lines", "payments", "shipments"])),
  }),
  search_articles: (draw) => ({
    query: draw.words(draw.integer(3, 8)),
    ...perhaps(draw, "tags", () => draw.many(0, 3, () => draw.letters(6))),
  }),
  read_file: (draw, take) => ({
    path: take("path", () => `/data/${draw.letters(8)}/${draw.letters(6)}.txt`),
    encoding: draw.one(["utf8", "latin1"]),
    ...perhaps(draw, "offset", () => draw.integer(0, 1_000_000)),
    ...perhaps(draw, "length", () => draw.integer(1, 1_048_576)),
  }),
  query_table: (draw, take) => ({
    table: draw.one(["customers", "orders", "tickets", "audit"]),
    columns: draw.many(1, 5, () => draw.letters(6)),
    where: draw.many(0, 2, () => ({
      column: draw.letters(6),
      operator: draw.one(["eq", "ne", "lt", "gt"]),
      value: take("ticketId", () => draw.letters(8)),
    })),
    limit: draw.integer(1, 1000),
  }),
  issue_refund: (draw, take, orders) => ({
    orderId: draw.one(orders),
    cents: take("cents", () => draw.integer(1, 100_000)),
    currency: draw.one(currencies),
    reason: draw.words(draw.integer(4, 10)),
    lines: draw.many(1, 3, () => ({
      sku: `${draw.letters(3, upper)}-${draw.letters(4, digits)}`,
      quantity: draw.integer(1, 99),
    })),
  }),
  send_email: (draw, take) => ({
    to: [take("email", () => email(draw)), ...draw.many(0, 2, () => email(draw))],
    subject: draw.chance(0.5)
      ? { $concat: ["about ", take("ticketId", () => ticketId(draw)), ": ", draw.words(2)] }
      : draw.words(5),
    body: draw.words(draw.integer(10, 30)),
    ...perhaps(draw, "priority", () => draw.one(["low", "normal", "high"])),
    ...perhaps(draw, "replyTo", () => take("email", () => email(draw))),
  }),
  open_ticket: (draw) => ({
    title: draw.words(5),
    body: draw.words(draw.integer(8, 20)),
    severity: draw.integer(1, 5),
    tags: draw.many(0, 4, () => draw.letters(6)),
    ...perhaps(draw, "assignee", draw.uuid),
  }),
  update_ticket: (draw, take) => ({
    ticketId: take("ticketId", () => ticketId(draw)),
    note: draw.words(draw.integer(6, 16)),
    patch: {
      ...perhaps(draw, "status", () => draw.one(["open", "pending", "closed"])),
      ...perhaps(draw, "severity", () => draw.integer(1, 5)),
      ...perhaps(draw, "assignee", () => take("customerId", draw.uuid)),
    },
  }),
  write_file: (draw, take) => ({
    path: `/out/${draw.letters(12)}.txt`,
    content: take("text", () => draw.words(draw.integer(5, 20))),
    mode: draw.one(["create", "append", "replace"]),
    ...perhaps(draw, "owner", () => ({ user: draw.letters(5), group: draw.letters(5), bits: draw.integer(0, 511) })),
  }),
  roll_out: (draw) => ({
    service: `svc-${draw.letters(8)}`,
    version: `v${draw.integer(0, 9)}.${draw.integer(0, 20)}.${draw.integer(0, 99)}`,
    strategy: {
      kind: draw.one(["rolling", "blue-green", "canary"]),
      batch: draw.integer(1, 50),
      pauseSeconds: draw.integer(0, 7200) / 2,
    },
    regions: draw.some(["us-east", "us-west", "eu", "ap"]),
    ...perhaps(draw, "dryRun", () => draw.chance(0.5)),
  }),
}

/** One fault that a schema can see, in each of its kinds. */
export const faults: Readonly<Record<string, (step: { tool?: string; args: Record<string, unknown> }) => void>> = {
  "unknown tool": (step) => {
    step.tool = "find_costumer"
  },
  "missing argument": ({ args }) => {
    delete args.email
  },
  "unknown argument": ({ args }) => {
    args.force = true
  },
  "wrong type": ({ args }) => {
    args.email = 12.5
  },
  "broken pattern": ({ args }) => {
    args.email = "nobody"
  },
  "unknown choice": ({ args }) => {
    args.include = ["orders", "everything"]
  },
  "too many items": ({ args }) => {
    args.include = ["orders", "orders", "orders", "orders"]
  },
}

/** A plan whose first step, a `find_customer`, has one fault. */
export function breakPlan(plan: PlanDocument, fault: string): JsonObject {
  const broken = structuredClone(plan) as unknown as { steps: [{ tool?: string; args: Record<string, unknown> }] }
  faults[fault]?.(broken.steps[0])
  return broken as unknown as JsonObject
}
