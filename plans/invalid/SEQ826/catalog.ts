import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

const any = { params: z.strictObject({ id: z.string() }) } as const
const effect = { ...any, idempotency: "none", compensate: "none" } as const
const reconcile = { finalAfterMs: 60_000 } as const

/** What servers say of their tools, and what the operator has found out. */
export default defineCatalog({
  name: "claims",
  version: "1",
  tools: {
    // It says that it only looks, and deletes.
    wipe: tool({ ...effect, description: "Wipe.", effect: "destructive", reconcile, claims: { readOnlyHint: true } }),
    look: tool({
      ...any,
      description: "Look.",
      effect: "read",
      claims: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    }),
    note: tool({
      ...effect,
      description: "Write a note.",
      effect: "write",
      reconcile,
      claims: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    }),
    again: tool({
      ...effect,
      description: "Set it.",
      effect: "write",
      idempotency: "natural",
      claims: { destructiveHint: false, idempotentHint: false },
    }),
    // Nothing is wrong with what agrees, nor with what nobody has said.
    right: tool({
      ...any,
      description: "Look, out there.",
      effect: "read",
      untrusted: true,
      claims: { readOnlyHint: true, idempotentHint: false, openWorldHint: true },
    }),
    silent: tool({ ...any, description: "Look.", effect: "read" }),
  },
})
