/** What the bench's plans may do: a support desk of twelve tools, six of them reads, written as a host would write it. */
import { arg, type CatalogSpec, count, defineCatalog, tool } from "sequitur"
import { z } from "zod"

const Uuid = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
const Email = z.string().regex(/^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$/)
const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
const OrderId = z.string().regex(/^ord_[0-9A-Za-z]{10}$/)
const TicketId = z.string().regex(/^TCK-[0-9]{6}$/)
const Path = z.string().regex(/^\/[A-Za-z0-9._/-]{1,200}$/)
const Column = z.string().regex(/^[a-z_]{1,32}$/)
const User = z.string().regex(/^[a-z]{1,16}$/)
const Currency = z.enum(["USD", "EUR", "GBP", "JPY"])
const OrderStatus = z.enum(["open", "paid", "shipped", "cancelled"])
const Cents = z.int().min(1).max(100_000)
const Severity = z.int().min(1).max(5)
const Tags = z.array(z.string().min(1).max(24)).max(10)

const reads = {
  find_customer: tool({
    description: "Find a customer by e-mail address.",
    effect: "read",
    params: z.strictObject({
      email: Email,
      include: z
        .array(z.enum(["orders", "tickets", "address"]))
        .max(3)
        .optional(),
    }),
    result: z.strictObject({ customerId: Uuid, name: z.string(), email: Email, city: z.string() }),
  }),
  list_orders: tool({
    description: "List a customer's orders.",
    effect: "read",
    params: z.strictObject({
      customerId: Uuid,
      status: OrderStatus.optional(),
      limit: z.int().min(1).max(100),
      since: Day.optional(),
    }),
    result: z.strictObject({
      orders: z.array(z.strictObject({ orderId: OrderId, status: OrderStatus, cents: Cents })),
      total: z.int().min(0),
    }),
  }),
  get_order: tool({
    description: "Read one order.",
    effect: "read",
    params: z.strictObject({
      orderId: OrderId,
      expand: z
        .array(z.enum(["lines", "payments", "shipments"]))
        .max(3)
        .optional(),
    }),
    result: z.strictObject({ orderId: OrderId, cents: Cents, currency: Currency, placedBy: Email }),
  }),
  search_articles: tool({
    description: "Search the help pages.",
    effect: "read",
    params: z.strictObject({ query: z.string().min(1).max(200), tags: Tags.optional() }),
    result: z.strictObject({ articles: z.array(z.strictObject({ path: Path, title: z.string().max(200) })) }),
  }),
  read_file: tool({
    description: "Read a text file.",
    effect: "read",
    params: z.strictObject({
      path: Path,
      encoding: z.enum(["utf8", "latin1"]),
      offset: z.int().min(0).max(1_000_000_000).optional(),
      length: z.int().min(1).max(1_048_576).optional(),
    }),
    result: z.strictObject({ text: z.string().max(2000), size: z.int().min(0) }),
  }),
  query_table: tool({
    description: "Read rows of a table.",
    effect: "read",
    params: z.strictObject({
      table: z.enum(["customers", "orders", "tickets", "audit"]),
      columns: z.array(Column).min(1).max(20),
      where: z
        .array(
          z.strictObject({ column: Column, operator: z.enum(["eq", "ne", "lt", "gt"]), value: z.string().max(128) }),
        )
        .max(10),
      limit: z.int().min(1).max(1000),
    }),
    result: z.strictObject({ rows: z.array(z.record(z.string(), z.string())), count: z.int().min(0) }),
  }),
} satisfies CatalogSpec["tools"]

/** How long the services behind the tools remember an idempotency key: a day. */
const idempotency = { key: { retentionMs: 86_400_000 } } as const
const states = ["ACTING"] as const

const effects = {
  issue_refund: tool({
    description: "Refund an order.",
    effect: "destructive",
    params: z.strictObject({
      orderId: OrderId,
      cents: Cents,
      currency: Currency,
      reason: z.string().min(1).max(200),
      lines: z
        .array(z.strictObject({ sku: z.string().regex(/^[A-Z]{3}-[0-9]{4}$/), quantity: z.int().min(1).max(99) }))
        .min(1)
        .max(20),
    }),
    result: z.strictObject({ refundId: z.string(), cents: Cents }),
    states,
    requires: [{ tool: "get_order", same: ["orderId"] }],
    blast: { cents: arg("cents"), records: 1 },
    idempotency,
    compensate: "none",
  }),
  send_email: tool({
    description: "Send an e-mail.",
    effect: "destructive",
    params: z.strictObject({
      to: z.array(Email).min(1).max(50),
      subject: z.string().min(1).max(200),
      body: z.string().max(4000),
      priority: z.enum(["low", "normal", "high"]).optional(),
      replyTo: Email.optional(),
    }),
    result: z.strictObject({ messageId: z.string() }),
    states,
    blast: { messages: count("to") },
    idempotency,
    compensate: "none",
  }),
  open_ticket: tool({
    description: "Open a ticket.",
    effect: "write",
    params: z.strictObject({
      title: z.string().min(1).max(120),
      body: z.string().max(2000),
      severity: Severity,
      tags: Tags,
      assignee: Uuid.optional(),
    }),
    result: z.strictObject({ ticketId: TicketId, url: z.string() }),
    states,
    blast: { records: 1 },
    idempotency,
    compensate: "none",
  }),
  update_ticket: tool({
    description: "Change a ticket.",
    effect: "write",
    params: z.strictObject({
      ticketId: TicketId,
      note: z.string().min(1).max(500),
      patch: z.strictObject({
        status: z.enum(["open", "pending", "closed"]).optional(),
        severity: Severity.optional(),
        assignee: Uuid.optional(),
      }),
    }),
    result: z.strictObject({ ticketId: TicketId }),
    states,
    blast: { records: 1 },
    idempotency,
    compensate: "none",
  }),
  write_file: tool({
    description: "Write a text file.",
    effect: "write",
    params: z.strictObject({
      path: Path,
      content: z.string().max(4000),
      mode: z.enum(["create", "append", "replace"]),
      owner: z.strictObject({ user: User, group: User, bits: z.int().min(0).max(511) }).optional(),
    }),
    result: z.strictObject({ size: z.int().min(0) }),
    states,
    blast: { records: 1 },
    idempotency,
    compensate: "none",
  }),
  roll_out: tool({
    description: "Roll a version of a service out.",
    effect: "destructive",
    params: z.strictObject({
      service: z.string().regex(/^[a-z][a-z0-9-]{1,30}$/),
      version: z.string().regex(/^v[0-9]+\.[0-9]+\.[0-9]+$/),
      strategy: z.strictObject({
        kind: z.enum(["rolling", "blue-green", "canary"]),
        batch: z.int().min(1).max(50),
        pauseSeconds: z.number().min(0).max(3600),
      }),
      regions: z
        .array(z.enum(["us-east", "us-west", "eu", "ap"]))
        .min(1)
        .max(4),
      dryRun: z.boolean().optional(),
    }),
    result: z.strictObject({ rolloutId: z.string(), healthy: z.boolean() }),
    states,
    blast: { records: 1 },
    idempotency,
    compensate: "none",
  }),
} satisfies CatalogSpec["tools"]

export const tools = { ...reads, ...effects }

/** More than the default of 256 steps; all else are the defaults. Limits that a plan of this length keeps. */
export const maxSteps = 1000

const spec = {
  name: "bench-desk",
  version: "1",
  blastRadius: { cents: { max: 1_000_000_000 }, records: { max: 10_000 }, messages: { max: 100_000 } },
  budgets: { steps: maxSteps, sideEffects: maxSteps },
  bounds: { steps: maxSteps },
  tools,
} satisfies CatalogSpec

export const catalog = defineCatalog({
  ...spec,
  machine: { initial: "LOOKING", transitions: { LOOKING: { ACTING: {} }, ACTING: { LOOKING: {} } } },
})

/** The same, but a person must approve first: then each plan has something to tell, with its place in the text. */
export const guarded = defineCatalog({
  ...spec,
  machine: { initial: "LOOKING", transitions: { LOOKING: { ACTING: { guard: "approval" } }, ACTING: { LOOKING: {} } } },
})
