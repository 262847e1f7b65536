/**
 * The accounts-payable service and the tools that reach it. It keeps its records in the SQLite file that `file` names,
 * or the environment variable `INVOICES_DB`, or `invoices.db` beside this file; delete it to begin again.
 */
import { fileURLToPath } from "node:url"
import { reconciled, toolbox } from "sequitur/run"
import { openRecords, orNotApplied, Refused } from "../records.ts"
import catalog from "./catalog.ts"

interface Invoice {
  readonly invoiceId: string
  readonly vendor: string
  readonly amountInCents: number
  readonly status: "received" | "approved" | "paid"
}

interface Payment {
  readonly paymentId: string
  readonly invoiceIds: string
  readonly totalInCents: number
}

interface Booking {
  readonly bookingId: string
  readonly paymentId: string
  readonly account: string
  readonly memo: string
}

const seed = `
  CREATE TABLE invoices (
    invoiceId TEXT PRIMARY KEY, vendor TEXT NOT NULL, amountInCents INTEGER NOT NULL, status TEXT NOT NULL,
    purchaseOrder TEXT
  ) STRICT;
  CREATE TABLE lines (
    invoiceId TEXT NOT NULL REFERENCES invoices, text TEXT NOT NULL, amountInCents INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE payments (paymentId TEXT PRIMARY KEY, invoiceIds TEXT NOT NULL, totalInCents INTEGER NOT NULL) STRICT;
  CREATE TABLE bookings (
    bookingId TEXT PRIMARY KEY, paymentId TEXT NOT NULL REFERENCES payments, account TEXT NOT NULL, memo TEXT NOT NULL
  ) STRICT;
  INSERT INTO invoices VALUES
    ('INV-2041', 'Hetzner Online GmbH', 184250, 'received', 'PO-881'),
    ('INV-2042', 'Papeterie Zumstein AG', 12480, 'received', NULL),
    ('INV-2043', 'Café Grüezi', 8900, 'paid', NULL);
  INSERT INTO lines VALUES
    ('INV-2041', 'dedicated servers, June', 172250), ('INV-2041', 'backup space, June', 12000),
    ('INV-2042', 'paper, 40 reams', 12480), ('INV-2043', 'team lunch', 8900);
`

export function service(file: string) {
  const { sql, number, once, answered, close } = openRecords(file, seed)

  const find = (invoiceId: string) => {
    const [found] = sql<Invoice & { purchaseOrder: string | null }>(
      "SELECT * FROM invoices WHERE invoiceId = ?",
      invoiceId,
    )
    if (found === undefined) throw new Refused(`there is no invoice ${invoiceId}`)
    return found
  }

  return {
    close,
    answered,
    invoice: (invoiceId: string) => {
      const { purchaseOrder, ...invoice } = find(invoiceId)
      const lines = sql<{ text: string; amountInCents: number }>(
        "SELECT text, amountInCents FROM lines WHERE invoiceId = ? ORDER BY rowid",
        invoiceId,
      )
      return { ...invoice, lines, ...(purchaseOrder === null ? {} : { purchaseOrder }) }
    },

    approve: (key: string | undefined, request: { readonly invoiceId: string; readonly amountInCents: number }) =>
      once(key, { approve: request }, () => {
        const { invoiceId, amountInCents, status } = find(request.invoiceId)
        if (status === "paid") throw new Refused(`${invoiceId} is paid already`)
        if (amountInCents !== request.amountInCents) throw new Refused(`${invoiceId} is over ${amountInCents} cents`)
        sql("UPDATE invoices SET status = 'approved' WHERE invoiceId = ?", invoiceId)
        return { invoiceId, amountInCents }
      }),

    pay: (
      key: string | undefined,
      request: { readonly invoiceIds: readonly string[]; readonly totalInCents: number },
    ) =>
      once(key, { pay: request }, () => {
        const invoices = request.invoiceIds.map(find)
        const unapproved = invoices.find((invoice) => invoice.status !== "approved")
        if (unapproved !== undefined) throw new Refused(`${unapproved.invoiceId} is ${unapproved.status}, not approved`)
        const total = invoices.reduce((sum, invoice) => sum + invoice.amountInCents, 0)
        if (total !== request.totalInCents) throw new Refused(`the invoices add up to ${total} cents`)
        const paymentId = `pay_${number("payments")}`
        for (const { invoiceId } of invoices) sql("UPDATE invoices SET status = 'paid' WHERE invoiceId = ?", invoiceId)
        sql("INSERT INTO payments VALUES (?, ?, ?)", paymentId, request.invoiceIds.join(" "), total)
        return { paymentId, totalInCents: total }
      }),

    book: (
      key: string | undefined,
      request: { readonly paymentId: string; readonly account: string; readonly memo: string },
    ) =>
      once(key, { book: request }, () => {
        const { paymentId, account, memo } = request
        const [payment] = sql("SELECT 1 FROM payments WHERE paymentId = ?", paymentId)
        if (payment === undefined) throw new Refused(`there is no payment ${paymentId}`)
        const bookingId = `bk_${number("bookings")}`
        sql("INSERT INTO bookings VALUES (?, ?, ?, ?)", bookingId, paymentId, account, memo)
        return { bookingId }
      }),

    /** Everything the service knows, for tests and for people. */
    records: () => ({
      invoices: sql<Invoice>("SELECT invoiceId, vendor, amountInCents, status FROM invoices ORDER BY invoiceId"),
      payments: sql<Payment>("SELECT * FROM payments ORDER BY paymentId"),
      bookings: sql<Booking>("SELECT * FROM bookings ORDER BY bookingId"),
    }),
  }
}

const ownFile = () => process.env.INVOICES_DB ?? fileURLToPath(new URL("invoices.db", import.meta.url))

export default function tools(options: { readonly file?: string } = {}) {
  const invoices = service(options.file ?? ownFile())
  return toolbox(catalog, {
    get_invoice: ({ invoiceId }) => invoices.invoice(invoiceId),
    approve_invoice: (args, { idempotencyKey }) => orNotApplied(() => invoices.approve(idempotencyKey, args)),
    pay_invoices: {
      call: (args, { idempotencyKey }) => orNotApplied(() => invoices.pay(idempotencyKey, args)),
      reconcile: (key) => {
        const payment = invoices.answered<{ paymentId: string; totalInCents: number }>(key)
        return payment === undefined ? reconciled.notApplied() : reconciled.applied(payment)
      },
    },
    record_payment: (args, { idempotencyKey }) => orNotApplied(() => invoices.book(idempotencyKey, args)),
  })
}
