/** The catalogs of `plans/invalid`, declared a second time by hand. */
import type { Declaration, Shape, ToolDeclaration } from "./declaration.ts"

const string = (min?: number, max?: number): Shape => ({
  kind: "string",
  front: "zod",
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
})
const integer = (min: number, max: number): Shape => ({ kind: "integer", min, max })
const required = (fields: Record<string, Shape>) =>
  Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, { shape }]))

const orderId = string(1, 20)
const cents = integer(0, 40_000)

const tools: Record<string, ToolDeclaration> = {
  find_order: {
    front: "zod",
    effect: "read",
    params: { kind: "object", fields: required({ orderId }) },
    result: {
      kind: "object",
      fields: {
        ...required({
          orderId,
          status: { kind: "enum", values: ["open", "sent"] },
          totalCents: cents,
          items: {
            kind: "array",
            max: 20,
            of: {
              kind: "object",
              fields: {
                ...required({ sku: string(), kind: { kind: "enum", values: ["book", "toy"] } }),
                note: { shape: string(), optional: true },
              },
            },
          },
          customer: {
            kind: "object",
            fields: required({ email: string(), address: { kind: "object", fields: required({ city: string() }) } }),
          },
        }),
        coupon: { shape: string(), optional: true },
      },
    },
  },
  cancel_order: {
    front: "zod",
    effect: "destructive",
    params: {
      kind: "object",
      fields: required({ orderId, reason: { kind: "enum", values: ["changed_mind", "too_late"] } }),
    },
    result: { kind: "object", fields: required({ orderId, refundCents: cents }) },
    states: ["CHANGING"],
    requires: [{ tool: "find_order", same: ["orderId"] }],
    blast: { records: { kind: "constant", value: 1 } },
  },
  refund: {
    front: "zod",
    effect: "destructive",
    params: {
      kind: "object",
      fields: {
        ...required({ orderId, cents: integer(1, 50_000) }),
        memo: { shape: string(undefined, 40), optional: true },
      },
    },
    result: { kind: "object", fields: required({ refundId: string() }) },
    states: ["CHANGING"],
    requires: [{ tool: "cancel_order", same: ["orderId"] }],
    blast: { cents: { kind: "argument", parameter: "cents" }, records: { kind: "constant", value: 1 } },
    microUsd: 800,
  },
  tag_items: {
    front: "zod",
    effect: "write",
    params: {
      kind: "object",
      fields: required({
        skus: { kind: "array", of: string(), max: 10 },
        tag: { kind: "string", front: "zod", refined: true },
      }),
    },
    states: ["LOOKING", "CHANGING"],
    blast: { records: { kind: "count", parameter: "skus" } },
  },
}

const thank: ToolDeclaration = {
  front: "zod",
  effect: "write",
  params: { kind: "object", fields: required({ orderId: string(), words: string() }) },
  states: ["LOOKING"],
  once: ["orderId"],
}

const bounds = { steps: 256, concatParts: 32, goalLength: 2_000 }

const desk: Declaration = {
  front: "zod",
  machine: {
    initial: "LOOKING",
    transitions: {
      LOOKING: { CHANGING: "guarded" },
      CHANGING: { LOOKING: "free", CLOSED: "free" },
      CLOSED: {},
    },
  },
  limits: { cents: 60_000, records: 4 },
  budgets: { steps: 10, sideEffects: 4, microUsd: 2_000 },
  bounds,
  tools,
}

const bare: Declaration = {
  front: "zod",
  limits: {},
  budgets: {},
  bounds,
  tools: { look: { front: "zod", effect: "read", params: { kind: "object", fields: required({ id: string() }) } } },
}

const text = (name: string): ToolDeclaration => ({
  front: "zod",
  effect: "read",
  params: { kind: "object", fields: required({ [name]: string() }) },
  roles: ["clerk", "treasurer"],
})
const textOut: Shape = { kind: "object", fields: required({ text: string() }) }
const listOf = (fields: Record<string, Shape>): Shape => ({
  kind: "array",
  of: { kind: "object", fields: required(fields) },
})
const amount = { kind: "argument", parameter: "cents" } as const

/** The catalog of `office.ts`. */
const office: Declaration = {
  front: "zod",
  inputs: { kind: "object", fields: required({ payeeId: string(), note: string() }) },
  inputLabels: { untrusted: ["/note"] },
  denies: true,
  limits: { cents: 50_000 },
  approveAbove: { cents: 10_000 },
  budgets: {},
  bounds,
  tools: {
    read_mail: {
      ...text("folder"),
      result: {
        kind: "object",
        fields: required({ messages: listOf({ id: string(), from: string(), body: string() }) }),
      },
      untrusted: ["/messages/*/from", "/messages/*/body"],
      private: ["/messages/*/body"],
    },
    list_payees: {
      ...text("x"),
      params: { kind: "object", fields: {} },
      result: { kind: "object", fields: required({ payees: listOf({ id: string(), name: string() }) }) },
    },
    translate: { ...text("text"), result: textOut },
    redact: { ...text("text"), result: textOut, endorse: ["public"] },
    pay: {
      front: "zod",
      effect: "destructive",
      params: {
        kind: "object",
        fields: {
          ...required({ payeeId: string(), cents: integer(1, 20_000) }),
          currency: { shape: { kind: "enum", values: ["EUR", "USD"] }, optional: true },
          memo: { shape: string(), optional: true },
        },
      },
      result: { kind: "object", fields: required({ paymentId: string() }) },
      rules: {
        payeeId: { from: ["list_payees#/payees/*/id", "input#/payeeId"], trusted: true },
        currency: { mustState: true },
        memo: { trusted: true },
      },
      blast: { cents: amount },
      roles: ["treasurer"],
    },
    refund: {
      front: "zod",
      effect: "destructive",
      params: { kind: "object", fields: required({ cents: integer(1, 20_000) }) },
      blast: { cents: amount },
      // Whoever has no role that lets them refund more.
      most: 5_000,
    },
    post: { ...text("text"), effect: "write", rules: { text: { public: true } } },
    close_books: {
      front: "zod",
      effect: "destructive",
      params: { kind: "object", fields: required({ year: { kind: "integer" } }) },
      tenants: ["acme"],
      always: true,
    },
    wipe: { front: "zod", effect: "destructive", params: { kind: "object", fields: {} } },
  },
}

/** By the code whose folder has a catalog of its own; every other folder is held against the desk. */
/** Of `plans/invalid/SEQ305`. */
const till: Declaration = {
  front: "zod",
  machine: { initial: "LOOKING", transitions: { LOOKING: { PAYING: "ruled" }, PAYING: { LOOKING: "free" } } },
  limits: {},
  budgets: {},
  bounds,
  tools: {
    pay: {
      front: "zod",
      effect: "write",
      params: { kind: "object", fields: required({ cents: { kind: "integer" } }) },
      states: ["PAYING"],
    },
  },
}

export const deskFor = (code: string): Declaration => {
  if (code === "SEQ304") return bare
  if (code === "SEQ305") return till
  if (code >= "SEQ502" && code < "SEQ7") return office
  if (code === "SEQ701") return { ...desk, tools: { ...tools, thank } }
  if (code === "SEQ109") return { ...desk, bounds: { ...bounds, steps: 1 } }
  if (code === "SEQ110") return { ...desk, bounds: { ...bounds, goalLength: 20 } }
  return desk
}
