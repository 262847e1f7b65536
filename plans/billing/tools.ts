/**
 * The billing service and the tools that reach it. The service keeps its records in the SQLite file that `file` names,
 * or the environment variable `BILLING_DB`, or `billing.db` beside this file, so that each process sees the same ones.
 * Delete the file to begin again.
 */
import { fileURLToPath } from "node:url"
import { toolbox } from "sequitur/run"
import { openRecords, orNotApplied, Refused } from "../records.ts"
import catalog from "./catalog.ts"

interface Workspace {
  readonly id: string
  readonly name: string
  readonly role: "primary" | "secondary"
  readonly status: "active" | "cancelled"
}

interface Refund {
  readonly refundId: string
  readonly amountInCents: number
  readonly currency: "USD" | "EUR"
}

interface RefundRequest {
  readonly workspaceId: string
  readonly amountInCents: number
  readonly currency: "USD" | "EUR"
  readonly reasonCode: string
}

const seed = `
  CREATE TABLE workspaces (
    id TEXT PRIMARY KEY, accountId TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, status TEXT NOT NULL,
    currency TEXT NOT NULL, paidCents INTEGER NOT NULL, days INTEGER NOT NULL, daysLeft INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE refunds (
    refundId TEXT PRIMARY KEY, workspaceId TEXT NOT NULL REFERENCES workspaces, amountInCents INTEGER NOT NULL,
    currency TEXT NOT NULL, reasonCode TEXT NOT NULL
  ) STRICT;
  CREATE TABLE messages (messageId TEXT PRIMARY KEY, accountId TEXT NOT NULL, message TEXT NOT NULL) STRICT;
  INSERT INTO workspaces VALUES
    ('4f0c2c52-8a53-4d0c-9c0e-0d6a4d2f7b11', 'acc_1001', 'Northwind', 'primary', 'active', 'USD', 19900, 30, 15),
    ('9b1d7e0a-52a4-4c3b-8f6e-6f0b7a1c2d33', 'acc_1001', 'Northwind Sandbox', 'secondary', 'active', 'USD', 4900, 30, 15),
    ('c7a9e6d4-1b3f-4e58-9d27-3e5f8a6b4c55', 'acc_1002', 'Contoso', 'primary', 'active', 'EUR', 9900, 30, 3),
    ('e2f4b8c6-7d1a-4b95-8a3c-1c9d5e7f0a77', 'acc_1002', 'Contoso Archive', 'secondary', 'cancelled', 'EUR', 2900, 30, 9);
`

/** What is left of the month that was paid in advance. */
const prorated = "paidCents * daysLeft / days"

export function service(file: string) {
  const { sql, number, once, close } = openRecords(file, seed)

  const find = (workspaceId: string) => {
    const [found] = sql<Workspace & { proratedCents: number; currency: string }>(
      `SELECT *, ${prorated} AS proratedCents FROM workspaces WHERE id = ?`,
      workspaceId,
    )
    if (found === undefined) throw new Refused(`there is no workspace ${workspaceId}`)
    return found
  }

  const refunds = (workspaceId: string): Refund[] =>
    sql("SELECT refundId, amountInCents, currency FROM refunds WHERE workspaceId = ? ORDER BY refundId", workspaceId)

  return {
    close,
    refunds,
    workspaces: (accountId: string): Workspace[] =>
      sql("SELECT id, name, role, status FROM workspaces WHERE accountId = ? ORDER BY role", accountId),

    cancel: (key: string | undefined, request: { readonly workspaceId: string }) =>
      once(key, { cancel: request }, () => {
        const workspace = find(request.workspaceId)
        if (workspace.role === "primary") throw new Refused(`${workspace.name} is the account's primary workspace`)
        if (workspace.status === "cancelled") throw new Refused(`${workspace.name} is cancelled already`)
        sql("UPDATE workspaces SET status = 'cancelled' WHERE id = ?", workspace.id)
        return { workspaceId: workspace.id, proratedCents: workspace.proratedCents }
      }),

    refund: (key: string | undefined, request: RefundRequest) =>
      once(key, { refund: request }, () => {
        const { workspaceId, amountInCents, currency, reasonCode } = request
        const workspace = find(workspaceId)
        if (workspace.status !== "cancelled") throw new Refused(`${workspace.name} is not cancelled`)
        if (workspace.currency !== currency)
          throw new Refused(`${workspace.name} was paid for in ${workspace.currency}`)
        const refunded = refunds(workspaceId).reduce((sum, each) => sum + each.amountInCents, 0)
        const left = workspace.proratedCents - refunded
        if (amountInCents > left) throw new Refused(`only ${left} cents are left to refund for ${workspace.name}`)
        const refundId = `ref_${number("refunds")}`
        sql("INSERT INTO refunds VALUES (?, ?, ?, ?, ?)", refundId, workspaceId, amountInCents, currency, reasonCode)
        return { refundId }
      }),

    notify: (key: string | undefined, request: { readonly accountId: string; readonly message: string }) =>
      once(key, { notify: request }, () => {
        const messageId = `msg_${number("messages")}`
        sql("INSERT INTO messages VALUES (?, ?, ?)", messageId, request.accountId, request.message)
        return { messageId }
      }),

    /** Everything the service knows, for tests and for people. */
    records: () => ({
      workspaces: sql<Workspace>("SELECT id, name, role, status FROM workspaces ORDER BY accountId, role"),
      refunds: sql<RefundRequest & Refund>("SELECT * FROM refunds ORDER BY refundId"),
      messages: sql<{ readonly messageId: string; readonly message: string }>("SELECT * FROM messages"),
    }),
  }
}

const ownFile = () => process.env.BILLING_DB ?? fileURLToPath(new URL("billing.db", import.meta.url))

export default function tools(options: { readonly file?: string } = {}) {
  const billing = service(options.file ?? ownFile())
  return toolbox(catalog, {
    list_workspaces: ({ accountId }) => ({ workspaces: billing.workspaces(accountId) }),
    list_refunds: ({ workspaceId }) => ({ refunds: billing.refunds(workspaceId) }),
    cancel_workspace: (args, { idempotencyKey }) => orNotApplied(() => billing.cancel(idempotencyKey, args)),
    execute_refund: (args, { idempotencyKey }) => orNotApplied(() => billing.refund(idempotencyKey, args)),
    notify_customer: (args, { idempotencyKey }) => orNotApplied(() => billing.notify(idempotencyKey, args)),
  })
}
