/** Billing: what a support agent may do about workspaces and refunds. Schemas in zod. */
import { arg, defineCatalog, tool } from "sequitur"
import { z } from "zod"

const AccountId = z.string().regex(/^acc_[0-9]{4}$/)
const Currency = z.enum(["USD", "EUR"])
const Reason = z.enum(["USER_CANCELLATION", "SERVICE_OUTAGE", "DUPLICATE_CHARGE"])

const Workspace = z.object({
  id: z.uuid(),
  name: z.string(),
  role: z.enum(["primary", "secondary"]),
  status: z.enum(["active", "cancelled"]),
})

const Refund = z.object({ refundId: z.string(), amountInCents: z.int().positive(), currency: Currency })

/** How long the billing service remembers an idempotency key: a day. */
const retentionMs = 86_400_000

export default defineCatalog({
  name: "billing",
  version: "3",
  inputs: z.strictObject({ accountId: AccountId }),
  approvals: "unsigned",
  machine: {
    initial: "INVESTIGATING",
    transitions: { INVESTIGATING: { MUTATING: { guard: "approval" } }, MUTATING: { INVESTIGATING: {} } },
  },
  blastRadius: { cents: { max: 50_000 }, records: { max: 10 }, webhooks: { max: 5 } },
  budgets: {
    steps: 30,
    sideEffects: 5,
    retries: 10,
    microUsd: 1_000_000,
    wallMs: 600_000,
    deadlineMs: 604_800_000,
  },
  tools: {
    list_workspaces: tool({
      description: "List the workspaces of an account.",
      effect: "read",
      params: z.strictObject({ accountId: AccountId }),
      result: z.object({ workspaces: z.array(Workspace) }),
      timeoutMs: 5_000,
    }),
    list_refunds: tool({
      description: "List the refunds made for a workspace.",
      effect: "read",
      params: z.strictObject({ workspaceId: z.uuid() }),
      result: z.object({ refunds: z.array(Refund) }),
      timeoutMs: 5_000,
    }),
    cancel_workspace: tool({
      description: "Cancel a secondary workspace and say what is left of its prepaid month, in cents.",
      effect: "destructive",
      params: z.strictObject({ workspaceId: z.uuid() }),
      result: z.object({ workspaceId: z.uuid(), proratedCents: z.int().min(0).max(50_000) }),
      states: ["MUTATING"],
      // An id that was looked up for this account, never one that somebody wrote.
      rules: { workspaceId: { from: ["list_workspaces#/workspaces/*/id"], trusted: true } },
      blast: { records: 1, webhooks: 1 },
      idempotency: { key: { retentionMs } },
      compensate: "none",
      timeoutMs: 10_000,
    }),
    execute_refund: tool({
      description: "Refund an amount to the card that paid for a cancelled workspace.",
      version: "2",
      effect: "destructive",
      params: z.strictObject({
        workspaceId: z.uuid(),
        amountInCents: z.int().positive().max(50_000),
        currency: Currency,
        reasonCode: Reason,
      }),
      result: z.object({ refundId: z.string() }),
      states: ["MUTATING"],
      requires: [{ tool: "cancel_workspace", same: ["workspaceId"] }],
      rules: {
        workspaceId: { from: ["list_workspaces#/workspaces/*/id", "cancel_workspace#/workspaceId"], trusted: true },
      },
      blast: { cents: arg("amountInCents", { max: 50_000 }), records: 1, webhooks: 1 },
      idempotency: { key: { retentionMs } },
      compensate: "none",
      cost: { microUsd: 300 },
      timeoutMs: 10_000,
    }),
    notify_customer: tool({
      description: "Send the owner of an account a message.",
      effect: "write",
      params: z.strictObject({ accountId: AccountId, message: z.string().min(1).max(500) }),
      result: z.object({ messageId: z.string() }),
      states: ["MUTATING"],
      blast: { webhooks: 1 },
      idempotency: { key: { retentionMs } },
      compensate: "none",
      cost: { microUsd: 50 },
      timeoutMs: 10_000,
    }),
  },
})
