/** Plans as a planner might write them for the desk of plans/invalid: whole stories, with up to three slips in them. */
import fc from "fast-check"
import type { Json } from "sequitur"

type Mutable = null | boolean | number | string | Mutable[] | { [key: string]: Mutable }

const orderId = fc.constantFrom("A-1", "A-2", "B-77")
const way = fc.constantFrom("written", "literal", "joined", "read")

/** One value in one of the ways to say it. `read` is a place in `find` that holds it. */
function said(value: string | number, how: "written" | "literal" | "joined" | "read", read: object): Json {
  if (how === "literal") return { $literal: value }
  if (how === "joined" && typeof value === "string") return { $concat: [value.slice(0, 1), value.slice(1)] }
  return how === "read" ? ({ ...read } as Json) : value
}

const tagging = fc.record({
  how: way,
  skus: fc.array(fc.constantFrom("x", "y"), { maxLength: 2 }),
  tag: fc.constantFrom("new", "old"),
})

/** Look an order up, change it, perhaps pay back, perhaps tag: all of it right, or nearly. */
export const rightPlan: fc.Arbitrary<Json> = fc
  .record({
    id: orderId,
    goal: fc.option(fc.string({ maxLength: 20 }), { nil: undefined }),
    tags: fc.array(tagging, { maxLength: 2 }),
    cancel: fc.option(fc.record({ how: way, reason: fc.constantFrom("changed_mind", "too_late") }), { nil: undefined }),
    refund: fc.option(fc.record({ how: way, cents: fc.integer({ min: 1, max: 50_000 }), after: fc.boolean() }), {
      nil: undefined,
    }),
  })
  .map(({ id, goal, tags, cancel, refund }) => {
    const order = { $from: "find", path: "/orderId" }
    const sku = {
      $from: "find",
      path: "/items",
      where: { "/kind": "book", "/sku": { $from: "find", path: "/status" } },
      pick: "/sku",
    }
    const tagSteps = tags.map(({ how, skus, tag }, index) => ({
      id: `tag${index}`,
      tool: "tag_items",
      args: { skus: [...skus, ...(how === "read" ? [sku] : [])], tag: said(tag, how === "read" ? "written" : how, {}) },
      occurrence: index + 1,
    }))
    const cancelSteps = cancel && [
      { id: "open", transition: "CHANGING", why: "asked for" },
      { id: "cancel", tool: "cancel_order", args: { reason: cancel.reason, orderId: said(id, cancel.how, order) } },
    ]
    const refundSteps = cancel &&
      refund && [
        {
          id: "pay",
          tool: "refund",
          args: {
            orderId: said(id, cancel.how, order),
            cents: said(refund.cents, refund.how, { $from: "cancel", path: "/refundCents" }),
          },
          ...(refund.after ? { after: ["find", "cancel"] } : {}),
        },
      ]
    const steps = [
      { id: "find", tool: "find_order", args: { orderId: id } },
      ...tagSteps,
      ...(cancelSteps ?? []),
      ...(refundSteps ?? []),
    ]
    return { version: 1, ...(goal === undefined ? {} : { goal }), steps } as unknown as Json
  })

const odd: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    0,
    -1,
    1.5,
    60_001,
    "",
    "A-2",
    "find",
    "CHANGING",
    "LOOKING",
    "/orderId",
    "/items/0/sku",
    "/nothing",
    [],
    {},
  ),
  fc.constantFrom<Json>(
    { $from: "find", path: "/orderId" },
    { $from: "find", path: "/totalCents" },
    { $from: "find", path: "/items/0/note" },
    { $from: "pay", path: "/refundId" },
    { $from: "input" },
    { $from: "find", paths: "/orderId", pat: 1 },
    { $ref: "find", $from: "find" },
    { $concat: ["x", { $from: "find", path: "/items" }, null] },
    { $literal: { $from: "find" }, $concat: [], more: 1 },
    { $from: "find", path: "/items", where: { "/sku": 1, "/no": 1, bad: 2 }, pick: "/sku" },
  ),
  fc.string({ unit: "binary", maxLength: 8 }).filter((text) => text.isWellFormed()),
)

const slip = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom("change", "drop", "add", "repeat", "swap"),
  value: odd,
  key: fc.constantFrom("extra", "orderId", "$ref", "after", "occurrence", "path", "toString"),
})

const makeAll = (slips: readonly Slip[], plan: Json): Json =>
  slips.reduce((document, one) => make(one, document), structuredClone(plan) as Mutable) as Json

/** `rightPlan` with none to three slips. */
export const anyPlan: fc.Arbitrary<Json> = fc
  .tuple(rightPlan, fc.array(slip, { maxLength: 3 }))
  .map(([plan, slips]) => makeAll(slips, plan))

/** `rightPlan`, and the same with one slip. */
export const slippedPlan: fc.Arbitrary<readonly [right: Json, slipped: Json]> = fc
  .tuple(rightPlan, slip)
  .map(([plan, one]) => [plan, makeAll([one], plan)])

interface Slip {
  readonly place: number
  readonly kind: "change" | "drop" | "add" | "repeat" | "swap"
  readonly value: Json
  readonly key: string
}

interface Spot {
  readonly inside: Mutable[] | { [key: string]: Mutable }
  readonly key: string | number
}

function make({ place, kind, value, key }: Slip, document: Mutable): Mutable {
  const spots = spotsIn(document)
  const spot = spots[place % Math.max(1, spots.length)]
  if (spot === undefined) return document
  const { inside } = spot
  const given = structuredClone(value) as Mutable
  if (Array.isArray(inside)) {
    const index = Number(spot.key)
    if (kind === "change") inside[index] = given
    if (kind === "drop") inside.splice(index, 1)
    if (kind === "add") inside.splice(index, 0, given)
    if (kind === "repeat") inside.push(structuredClone(inside[index] as Mutable))
    if (kind === "swap") inside.unshift(...inside.splice(index, 1))
    return document
  }
  if (kind === "drop") delete inside[spot.key]
  else inside[kind === "change" ? spot.key : key] = given
  return document
}

function spotsIn(value: Mutable): readonly Spot[] {
  if (typeof value !== "object" || value === null) return []
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  return [...keys].flatMap((key) => [
    { inside: value, key },
    ...spotsIn((value as { [key: string]: Mutable })[key] as Mutable),
  ])
}
