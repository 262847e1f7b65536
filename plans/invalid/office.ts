/** The catalog of the plans that are refused for who asks, or for where their data comes from: a small accounts office. */
import { arg, defineCatalog, fromResult, predicate, tool } from "sequitur"
import { z } from "zod"

const everybody = { roles: ["clerk", "treasurer"] } as const
const effect = { idempotency: "natural", compensate: "none" } as const

const smallRefunds = predicate(
  "small-refunds",
  "1",
  ({ cents }: { readonly cents: number }, { roles = [] }) => cents <= 5_000 || roles.includes("treasurer"),
)

export default defineCatalog({
  name: "office",
  version: "1",
  authority: { default: "deny" },
  inputs: z.strictObject({ payeeId: z.string(), note: z.string() }),
  inputLabels: { untrusted: ["/note"] },
  blastRadius: { cents: { max: 50_000, approveAbove: 10_000, per: "session" } },
  tools: {
    read_mail: tool({
      description: "Read the messages of a mailbox.",
      effect: "read",
      params: z.strictObject({ folder: z.string() }),
      result: z.strictObject({
        messages: z.array(z.strictObject({ id: z.string(), from: z.string(), body: z.string() })),
      }),
      untrusted: ["/messages/*/from", "/messages/*/body"],
      private: ["/messages/*/body"],
      authority: everybody,
    }),
    list_payees: tool({
      description: "List whom the office pays.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ payees: z.array(z.strictObject({ id: z.string(), name: z.string() })) }),
      authority: everybody,
    }),
    translate: tool({
      description: "Translate a text.",
      effect: "read",
      params: z.strictObject({ text: z.string() }),
      result: z.strictObject({ text: z.string() }),
      authority: everybody,
    }),
    redact: tool({
      description: "Take out of a text what is not for everybody.",
      effect: "read",
      params: z.strictObject({ text: z.string() }),
      result: z.strictObject({ text: z.string() }),
      endorse: ["public"],
      authority: everybody,
    }),
    pay: tool({
      description: "Pay somebody.",
      effect: "destructive",
      params: z.strictObject({
        payeeId: z.string(),
        cents: z.int().min(1).max(20_000),
        currency: z.enum(["EUR", "USD"]).optional(),
        memo: z.string().optional(),
      }),
      result: z.strictObject({ paymentId: z.string() }),
      rules: {
        payeeId: { from: ["list_payees#/payees/*/id", "input#/payeeId"], trusted: true },
        currency: { mustState: true },
        memo: { trusted: true },
      },
      blast: { cents: arg("cents") },
      authority: { roles: ["treasurer"] },
      idempotency: { key: { retentionMs: 86_400_000 } },
      compensate: { tool: "recall", args: { paymentId: fromResult("/paymentId") } },
    }),
    recall: tool({
      description: "Take a payment back.",
      effect: "write",
      params: z.strictObject({ paymentId: z.string() }),
      authority: everybody,
      ...effect,
    }),
    refund: tool({
      description: "Refund a customer.",
      effect: "destructive",
      params: z.strictObject({ cents: z.int().min(1).max(20_000) }),
      blast: { cents: arg("cents") },
      authority: { when: smallRefunds },
      ...effect,
    }),
    post: tool({
      description: "Post a text on the notice board.",
      effect: "write",
      params: z.strictObject({ text: z.string() }),
      rules: { text: { public: true } },
      authority: everybody,
      ...effect,
    }),
    close_books: tool({
      description: "Close the books of a year.",
      effect: "destructive",
      params: z.strictObject({ year: z.int() }),
      authority: { tenants: ["acme"], approval: "always", approvers: 2 },
      ...effect,
    }),
    wipe: tool({
      description: "Delete everything.",
      effect: "destructive",
      params: z.strictObject({}),
      ...effect,
    }),
  },
})
