/** Invoices: what an accounts-payable agent may approve, pay and book. Schemas in zod; the machine goes one way. */
import { arg, count, defineCatalog, tool } from "sequitur"
import { z } from "zod"

const InvoiceId = z.string().regex(/^INV-[0-9]{4}$/)
const Cents = z.int().positive().max(500_000)

/** How long the service remembers an idempotency key: a week. */
const retentionMs = 604_800_000

export default defineCatalog({
  name: "invoices",
  version: "1",
  inputs: z.strictObject({ invoiceId: InvoiceId }),
  approvals: "unsigned",
  machine: {
    initial: "REVIEWING",
    transitions: { REVIEWING: { PAYING: { guard: "approval" } }, PAYING: { BOOKING: {} }, BOOKING: {} },
  },
  blastRadius: { cents: { max: 500_000 }, invoices: { max: 3 }, approvals: { max: 3 }, bookings: { max: 3 } },
  budgets: { steps: 20, sideEffects: 8, retries: 5, microUsd: 50_000, wallMs: 120_000, deadlineMs: 259_200_000 },
  tools: {
    get_invoice: tool({
      description: "Read one invoice.",
      effect: "read",
      params: z.strictObject({ invoiceId: InvoiceId }),
      result: z.object({
        invoiceId: InvoiceId,
        vendor: z.string(),
        amountInCents: Cents,
        status: z.enum(["received", "approved", "paid"]),
        lines: z.array(z.object({ text: z.string(), amountInCents: Cents })),
        purchaseOrder: z.string().optional(),
      }),
      timeoutMs: 5_000,
    }),
    approve_invoice: tool({
      description: "Approve an invoice for payment, at the amount that was read.",
      effect: "write",
      params: z.strictObject({ invoiceId: InvoiceId, amountInCents: Cents }),
      result: z.object({ invoiceId: InvoiceId, amountInCents: Cents }),
      states: ["PAYING"],
      requires: [{ tool: "get_invoice", same: ["invoiceId"] }],
      blast: { approvals: 1 },
      idempotency: "natural",
      compensate: "none",
      timeoutMs: 10_000,
    }),
    pay_invoices: tool({
      description: "Pay approved invoices in one bank transfer; the total must be what they add up to.",
      effect: "destructive",
      params: z.strictObject({ invoiceIds: z.array(InvoiceId).min(1).max(10), totalInCents: Cents }),
      result: z.object({ paymentId: z.string(), totalInCents: Cents }),
      states: ["PAYING"],
      requires: [{ tool: "approve_invoice" }],
      blast: { cents: arg("totalInCents", { max: 500_000 }), invoices: count("invoiceIds", { max: 10 }) },
      idempotency: { key: { retentionMs } },
      // Later than that the bank's own list is asked; a transfer that it does not know after a minute was never made.
      reconcile: { finalAfterMs: 60_000 },
      compensate: "none",
      cost: { microUsd: 2_000 },
      timeoutMs: 30_000,
    }),
    record_payment: tool({
      description: "Book a payment under an account of the ledger, with a memo.",
      effect: "write",
      params: z.strictObject({
        paymentId: z.string(),
        account: z.enum(["HOSTING", "OFFICE", "TRAVEL"]),
        memo: z.string().min(1).max(400),
      }),
      result: z.object({ bookingId: z.string() }),
      states: ["BOOKING"],
      requires: [{ tool: "pay_invoices" }],
      blast: { bookings: 1 },
      idempotency: { key: { retentionMs } },
      // A payment is booked once, whatever run asks for it, and under whatever memo.
      once: { by: ["/paymentId"], scope: "tenant" },
      compensate: "none",
      timeoutMs: 10_000,
    }),
  },
})
