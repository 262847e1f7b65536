/** A store room, small enough to be remembered: what the tests in this folder are held against. */
import { defineCatalog, named, tool } from "sequitur"
import { z } from "zod"

const effect = { idempotency: "natural", compensate: "none" } as const

export const stock = defineCatalog({
  name: "stock",
  version: "1",
  inputs: z.strictObject({ sku: z.string(), amount: z.int().min(0).max(9), note: z.string().optional() }),
  tools: {
    look: tool({
      description: "Look at one article.",
      effect: "read",
      params: z.strictObject({ sku: z.string() }),
      result: z.strictObject({
        sku: z.string(),
        left: z.int().min(0).max(100),
        price: z.number(),
        place: z.string().nullable(),
        label: z.string().optional(),
        places: z.array(
          z.strictObject({
            id: z.string(),
            row: z.int().min(1).max(40),
            kind: z.enum(["dry", "cold"]),
            owner: z.string().optional(),
            marks: z.array(z.string()),
          }),
        ),
        pair: z.tuple([z.string(), z.int()]),
        sizes: z.record(z.string(), z.int()),
      }),
    }),
    untold: tool({
      description: "Declares no result.",
      effect: "read",
      params: z.strictObject({ sku: z.string().optional() }),
    }),
    move: tool({
      description: "Move an article.",
      effect: "write",
      params: z.strictObject({
        sku: z.string(),
        amount: z.int().min(1).max(50),
        to: z.enum(["dry", "cold"]).optional(),
        tags: z.array(z.string()).max(3).optional(),
        data: z.unknown().optional(),
      }),
      result: z.strictObject({ sku: z.string(), moved: z.int() }),
      requires: [{ tool: "look", same: ["sku"] }],
      ...effect,
    }),
    note: tool({
      description: "Write a note.",
      effect: "write",
      params: z.strictObject({
        text: z.string().refine(
          named("shout", "1", (text: string) => text === text.toUpperCase()),
          "must shout",
        ),
        row: z.int().optional(),
      }),
      ...effect,
    }),
  },
})
