/** A vault, for the test of what leaks: a key from the host opens a session, and the session pays. */
import { arg, defineCatalog, fromArgs, tool } from "sequitur"
import { z } from "zod"

const Secret = z.string().min(6).meta({ sensitive: true })

export default defineCatalog({
  name: "vault",
  version: "1",
  approvals: "unsigned",
  inputs: z.strictObject({ apiKey: Secret, host: z.string() }),
  machine: { initial: "LOOKING", transitions: { LOOKING: { PAYING: { guard: "approval" } }, PAYING: {} } },
  blastRadius: { cents: { max: 5_000 } },
  tools: {
    login: tool({
      description: "Open a session.",
      effect: "read",
      params: z.strictObject({
        apiKey: Secret,
        host: z.string(),
        pin: z.int().max(999).meta({ sensitive: true }).optional(),
      }),
      result: z.object({
        token: Secret,
        // Nobody has marked these, and the handler puts the secrets into all of them.
        url: z.string(),
        headers: z.record(z.string(), z.string()),
        note: z.string(),
      }),
    }),
    // Its parameters are not marked: what they take is.
    pay: tool({
      description: "Pay.",
      effect: "destructive",
      params: z.strictObject({
        session: z.string(),
        header: z.string(),
        url: z.string(),
        cents: z.int().positive().max(5_000),
      }),
      result: z.object({ receipt: z.string() }),
      states: ["PAYING"],
      blast: { cents: arg("cents") },
      idempotency: { key: { retentionMs: 1 } },
      compensate: { tool: "unpay", args: { session: fromArgs("/session") } },
    }),
    unpay: tool({
      description: "Take a payment back.",
      effect: "write",
      params: z.strictObject({ session: z.string() }),
      states: ["PAYING"],
      idempotency: "natural",
      compensate: "none",
    }),
    tell: tool({
      description: "Tell somebody.",
      effect: "write",
      params: z.strictObject({ text: z.string().max(9_999) }),
      states: ["PAYING"],
      idempotency: "natural",
      compensate: "none",
    }),
  },
})
