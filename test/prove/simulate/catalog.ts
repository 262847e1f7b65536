/**
 * What is simulated: one tool for each way in which an effect can be settled, or not; and plans over them. What the catalog
 * promises for the outside world holds there with some time to spare, for clocks are set back and forth: see `outside.ts`.
 */
import { type TSchema, Type } from "@sinclair/typebox"
import { arg, type Catalog, type CompiledPlan, compile, defineCatalog, fromResult, type ToolSpec, tool } from "sequitur"
import { Draw } from "./draw.ts"

/** Milliseconds. */
export const timeoutMs = 2_000
export const finalAfterMs = 12_000
/** Longer than it takes until "not applied" is final: an answer may be on its way so long. */
export const patienceMs = 20_000
export const retentionMs = 15_000
const dayMs = 86_400_000

const object = (members: Record<string, TSchema>) => Type.Object(members, { additionalProperties: false }) as TSchema

const number = Type.Integer({ minimum: 0, maximum: 1_000 })
const receipt = Type.String({ maxLength: 40 })
const done = {
  description: "Do it.",
  effect: "write",
  states: ["SHUT", "OPEN"],
  result: object({ receipt }),
  timeoutMs,
} as const
const made = { ...done, params: object({ n: number }) }
const undone = { ...done, description: "Undo it.", params: object({ receipt }), compensate: "none" } as const
const undoneBy = (name: string) => ({ tool: name, args: { receipt: fromResult("/receipt") } })
const asked = { idempotency: "none", reconcile: { finalAfterMs } } as const
const patient = { ...asked, timeoutMs: patienceMs } as const
const always = { idempotency: { key: { retentionMs: dayMs } } } as const

const tools: { readonly [name: string]: ToolSpec } = {
  get: tool({
    description: "Look it up.",
    effect: "read",
    params: object({ n: number }),
    result: object({ n: number }),
    timeoutMs,
  }),
  put: tool({ ...made, idempotency: "natural", compensate: undoneBy("unput") }),
  unput: tool({ ...undone, idempotency: "natural" }),
  pay: tool({ ...made, ...always, compensate: undoneBy("refund") }),
  refund: tool({ ...undone, ...always }),
  book: tool({ ...made, ...patient, compensate: undoneBy("unbook") }),
  unbook: tool({ ...undone, ...patient }),
  bar: tool({ ...made, ...asked, compensate: "none" }),
  mail: tool({ ...made, states: ["OPEN"], idempotency: "none", compensate: "none" }),
  wire: tool({
    ...done,
    params: object({ n: number, cents: Type.Integer({ minimum: 1, maximum: 60 }) }),
    idempotency: { key: { retentionMs } },
    reconcile: { finalAfterMs },
    once: { by: ["n"], scope: "session" },
    blast: { cents: arg("cents", { max: 60 }) },
    compensate: undoneBy("unwire"),
  }),
  unwire: tool({ ...undone, idempotency: "none" }),
}

/** Of one session, in cents. */
export const sessionMax = 100

const spec = {
  name: "zoo",
  version: "1",
  blastRadius: { cents: { max: sessionMax, per: "session" } },
  approvals: "unsigned",
  machine: { initial: "SHUT", transitions: { SHUT: { OPEN: { guard: "approval" } }, OPEN: {} } },
  tools,
} as const

const plain = defineCatalog(spec)

export const catalog = plain as Catalog
export const retriesMax = 3
const tight = defineCatalog({ ...spec, budgets: { retries: retriesMax, wallMs: 15_000, deadlineMs: 45_000 } })

export interface Planned {
  readonly catalog: Catalog
  readonly plan: CompiledPlan
}

const effects = ["put", "pay", "book", "bar", "wire"]

/** The same plans in every process: they are drawn from a seed of their own. */
export const plans: readonly Planned[] = Array.from({ length: 200 }, (_, index) => drawPlan(new Draw(1, index)))

function drawPlan(draw: Draw): Planned {
  const catalog = (draw.below(4) === 0 ? tight : plain) as Catalog
  const length = draw.between(2, 6)
  const steps: object[] = []
  const calls = new Set<string>()
  let open = false
  let found: string | undefined
  for (let index = 0; index < length; index++) {
    const id = `s${index}`
    if (!open && draw.below(4) === 0) {
      open = true
      steps.push({ id, transition: "OPEN" })
      continue
    }
    const name = draw.below(5) === 0 ? "get" : open && draw.below(3) === 0 ? "mail" : draw.of(effects)
    // Twice the same effect would have to say that it is meant.
    const n = draw.between(1, 3) + (calls.has(`${name}`) ? 10 * (index + 1) : 0)
    calls.add(name)
    const refers = found !== undefined && draw.below(3) === 0
    const args = {
      n: refers ? { $from: found, path: "/n" } : n,
      ...(name === "wire" ? { cents: draw.between(10, 60) } : {}),
    }
    if (name === "get") found = id
    steps.push({ id, tool: name, args })
  }
  const compiled = compile(catalog, JSON.stringify({ version: 1, steps }))
  if (compiled.ok) return { catalog, plan: compiled.plan }
  // More than a session may wire, for instance: another one.
  return drawPlan(draw)
}
