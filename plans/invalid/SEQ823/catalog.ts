import { defineCatalog, fromArgs, fromResult, tool } from "sequitur"
import { z } from "zod"

const params = z.strictObject({ orderId: z.string(), cents: z.int().min(0).max(900), note: z.string().optional() })
const result = z.strictObject({ paid: z.strictObject({ id: z.string(), memo: z.string().optional() }), fee: z.int() })
const pay = { description: "Pay.", effect: "write", idempotency: "natural", params, result } as const
const voidArgs = { id: fromResult("/paid/id"), cents: fromArgs("/cents") }

export default defineCatalog({
  name: "bare",
  version: "1",
  tools: {
    right: tool({ ...pay, compensate: { tool: "void", args: voidArgs } }),
    of_a_read: tool({
      description: "Look.",
      effect: "read",
      params,
      compensate: { tool: "void", args: { id: fromArgs("/orderId"), cents: 1 } },
    }),
    by_a_read: tool({ ...pay, compensate: { tool: "look", args: {} } }),
    by_itself: tool({ ...pay, compensate: { tool: "by_itself", args: { orderId: "x", cents: 1 } } }),
    by_a_person: tool({ ...pay, compensate: { tool: "ask", args: {} } }),
    // @ts-expect-error `cents` is missing: types see it too.
    too_little: tool({ ...pay, compensate: { tool: "void", args: { id: fromResult("/paid/id") } } }),
    // @ts-expect-error there is no such place: types see it too.
    no_such_place: tool({ ...pay, compensate: { tool: "void", args: { ...voidArgs, id: fromResult("/paid/ids") } } }),
    // @ts-expect-error it is no pointer: types see it too.
    no_pointer: tool({ ...pay, compensate: { tool: "void", args: { ...voidArgs, id: fromResult("paid.id") } } }),
    // @ts-expect-error it may be absent: types see it too.
    may_be_absent: tool({ ...pay, compensate: { tool: "void", args: { ...voidArgs, id: fromResult("/paid/memo") } } }),
    of_another_kind: tool({ ...pay, compensate: { tool: "void", args: { ...voidArgs, id: fromResult("/fee") } } }),
    wrong_literal: tool({ ...pay, compensate: { tool: "void", args: { id: fromArgs("/orderId"), cents: 901 } } }),
    // @ts-expect-error inside a literal: types see it too.
    inside_a_literal: tool({ ...pay, compensate: { tool: "note", args: { about: { id: fromResult("/paid/id") } } } }),
    look: tool({ description: "Look.", effect: "read", params: z.strictObject({}) }),
    void: tool({
      description: "Void a payment.",
      effect: "write",
      idempotency: "natural",
      params: z.strictObject({ id: z.string(), cents: z.int().min(0).max(900) }),
      compensate: "none",
    }),
    note: tool({
      description: "Note.",
      effect: "write",
      idempotency: "natural",
      params: z.strictObject({ about: z.record(z.string(), z.unknown()) }),
      compensate: "none",
    }),
    ask: tool({
      description: "Ask.",
      effect: "write",
      idempotency: "natural",
      params: z.strictObject({}),
      compensate: "none",
      authority: { approval: "always" },
    }),
  },
})
