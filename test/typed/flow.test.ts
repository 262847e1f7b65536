/**
 * Rules for data, as tsc sees them: what must be stated, where a value may come from, and what is labelled. The words are
 * held to the compiler's by the plans of `plans/invalid`; here is where rules point, and what is no literal.
 */
import { Type } from "@sinclair/typebox"
import { type Compiled, defineCatalog, definePlan, plan, tool } from "sequitur"
import { describe, expect, test } from "vitest"
import { z } from "zod"

const catalog = defineCatalog({
  name: "flow",
  version: "1",
  inputs: z.strictObject({ id: z.string(), note: z.string() }),
  inputLabels: { untrusted: ["/note"] },
  tools: {
    list: tool({
      description: "Lists.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({
        "a/b": z.string(),
        items: z.array(z.strictObject({ id: z.string(), text: z.string() })),
      }),
      untrusted: ["/items/*/text"],
      private: ["/a~1b"],
    }),
    others: tool({
      description: "Lists others.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ items: z.array(z.strictObject({ id: z.string() })) }),
    }),
    send: tool({
      description: "Sends.",
      effect: "read",
      params: z.strictObject({
        to: z.array(z.strictObject({ id: z.string(), name: z.string().optional() })).optional(),
        "cc/bcc": z.string().optional(),
        text: z.string().optional(),
        shown: z.union([z.string(), z.array(z.string())]).optional(),
      }),
      rules: {
        "/to/*/id": { from: ["list#/items/*/id", "input#/id"] },
        "/to/*/name": { mustState: true },
        "cc/bcc": { mustState: true },
        text: { trusted: true },
        shown: { public: true },
      },
    }),
    mark: tool({
      description: "Marks.",
      effect: "read",
      params: Type.Object({ id: Type.String(), how: Type.Optional(Type.String()) }, { additionalProperties: false }),
      rules: { id: { from: ["list#/items/*/id"] }, how: { mustState: true } },
    }),
    label: tool({
      description: "Labels.",
      effect: "read",
      params: z.strictObject({
        by: z.strictObject({ name: z.strictObject({ last: z.string().optional() }).optional() }).optional(),
        all: z.record(z.string(), z.strictObject({ id: z.string().optional() })).optional(),
      }),
      rules: { "/by/name/last": { mustState: true }, "/all/*/id": { mustState: true } },
    }),
  },
})

const list = { id: "list", tool: "list", args: {} } as const
const others = { ...list, tool: "others" } as const
const sent = { "cc/bcc": "x" } as const
const id = { $from: "list", path: "/items/0/id" } as const
const text = { $from: "list", path: "/items/0/text" } as const
const other = { $from: "list", path: "/a~1b" } as const
const codesOf = ({ diagnostics }: Compiled<unknown>) =>
  diagnostics.filter(({ severity }) => severity === "error").map(({ code, at }) => `${code} ${at}`)

test("what comes from where it may is right", () => {
  const to = [
    { id, name: "n" },
    { id: { $from: "input", path: "/id" }, name: "" },
    { id: { $from: "list", path: "/items", where: { "/text": "x" }, pick: "/id" }, name: "" },
  ] as const
  const verdict = definePlan(catalog, {
    version: 1,
    steps: [
      list,
      { id: "a", tool: "send", args: { ...sent, to, text: "x", shown: ["x", text] } },
      { id: "b", tool: "mark", args: { id, how: "" } },
      { id: "c", tool: "label", args: { by: { name: { last: "" } } } },
      { id: "d", tool: "label", args: { by: { name: { last: "" } }, all: { x: { id: "" } } } },
    ],
  })
  expect(codesOf(verdict)).toEqual([])
  const built = plan(catalog).call("list", "list", {}).call("b", "mark", { id, how: "" }).done()
  expect(codesOf(built)).toEqual([])
})

describe("what does not is refused", () => {
  const wrong: { readonly [what: string]: readonly [fault: string, verdict: Compiled<unknown>] } = {
    "a parameter with `/` in its name, not stated": [
      "SEQ506 /steps/0/args",
      // @ts-expect-error `cc/bcc` is missing
      definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "send", args: { text: "x" } }] }),
    ],
    "a member of an item, not stated": [
      "SEQ506 /steps/1/args/to/0",
      definePlan(catalog, {
        version: 1,
        // @ts-expect-error `name` is missing
        steps: [list, { id: "a", tool: "send", args: { ...sent, to: [{ id }] } }],
      }),
    ],
    "an object in which something must be stated, left out": [
      "SEQ506 /steps/0/args",
      // @ts-expect-error `by` is missing
      definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "label", args: {} }] }),
    ],
    "an object in such an object, left out": [
      "SEQ506 /steps/0/args/by",
      // @ts-expect-error `name` is missing
      definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "label", args: { by: {} } }] }),
    ],
    "what must be stated in it": [
      "SEQ506 /steps/0/args/by/name",
      // @ts-expect-error `last` is missing
      definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "label", args: { by: { name: {} } } }] }),
    ],
    "what must be stated under any name": [
      "SEQ506 /steps/0/args/all/x",
      definePlan(catalog, {
        version: 1,
        // @ts-expect-error `id` is missing
        steps: [{ id: "a", tool: "label", args: { by: { name: { last: "" } }, all: { x: {} } } }],
      }),
    ],
    "a literal in an item": [
      "SEQ601 /steps/0/args/to/0/id",
      definePlan(catalog, {
        version: 1,
        // @ts-expect-error SEQ601: comes from a place that it does not accept: to/0/id ← a literal
        steps: [{ id: "a", tool: "send", args: { ...sent, to: [{ id: "x", name: "" }] } }],
      }),
    ],
    "another place of the same result": [
      "SEQ601 /steps/1/args/to/0/id",
      definePlan(catalog, {
        version: 1,
        // @ts-expect-error SEQ601: to/0/id ← list /a~1b (list)
        steps: [list, { id: "a", tool: "send", args: { ...sent, to: [{ id: other, name: "" }] } }],
      }),
    ],
    "the same place of another result": [
      "SEQ601 /steps/1/args/id",
      // @ts-expect-error SEQ601: id ← list /items/0/id (others)
      definePlan(catalog, { version: 1, steps: [others, { id: "a", tool: "mark", args: { id, how: "" } }] }),
    ],
    "all items at once, from a place that has no such items": [
      "SEQ207 /steps/1/args/to",
      definePlan(catalog, {
        version: 1,
        // @ts-expect-error SEQ207: a text is no list, which is told alone
        steps: [list, { id: "a", tool: "send", args: { ...sent, to: text } }],
      }),
    ],
    "private data under a name with `/`": [
      "SEQ603 /steps/1/args/shown",
      definePlan(catalog, {
        version: 1,
        // @ts-expect-error SEQ603: shown ← list /a~1b (private: list)
        steps: [list, { id: "a", tool: "send", args: { ...sent, shown: other } }],
      }),
    ],
    "private data in an array that is made here": [
      "SEQ603 /steps/1/args/shown",
      definePlan(catalog, {
        version: 1,
        // @ts-expect-error SEQ603
        steps: [list, { id: "a", tool: "send", args: { ...sent, shown: ["x", other] } }],
      }),
    ],
    "untrusted inputs": [
      "SEQ602 /steps/0/args/text",
      definePlan(catalog, {
        version: 1,
        // @ts-expect-error SEQ602: text ← input /note (untrusted: the inputs)
        steps: [{ id: "a", tool: "send", args: { ...sent, text: { $from: "input", path: "/note" } } }],
      }),
    ],
    "what is chosen by untrusted data": [
      "SEQ602 /steps/1/args/text",
      definePlan(catalog, {
        version: 1,
        steps: [
          list,
          {
            id: "a",
            tool: "send",
            // @ts-expect-error SEQ602: text ← a.where ← list /items/*/text (untrusted: list)
            args: { ...sent, text: { $from: "list", path: "/items", where: { "/text": "x" }, pick: "/id" } },
          },
        ],
      }),
    ],
    "a text that is known only when it runs": [
      "SEQ601 /steps/0/args/id",
      // @ts-expect-error whatever it is, it is a literal
      definePlan(catalog, { version: 1, steps: [{ id: "a", tool: "mark", args: { id: String(1), how: "" } }] }),
    ],
    "by TypeBox": [
      "SEQ506 /steps/1/args",
      // @ts-expect-error `how` is missing
      definePlan(catalog, { version: 1, steps: [list, { id: "a", tool: "mark", args: { id } }] }),
    ],
    "in a builder": [
      "SEQ601 /steps/0/args/id",
      // @ts-expect-error SEQ601: id ← a literal
      plan(catalog).call("a", "mark", { id: "x", how: "" }).done(),
    ],
    "in a builder, not stated": [
      "SEQ506 /steps/1/args",
      // @ts-expect-error `how` is missing
      plan(catalog).call("list", "list", {}).call("a", "mark", { id }).done(),
    ],
  }
  test.each(Object.entries(wrong))("%s", (_, [fault, verdict]) => expect(codesOf(verdict)).toContain(fault))
})
