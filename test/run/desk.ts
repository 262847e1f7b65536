/** A small service desk for the tests of the run half: two reads, three effects, with and without a machine. */
import { arg, type Compiled, type CompiledPlan, compile, defineCatalog, definePlan, tool } from "sequitur"
import type { CallContext, Handlers, Principal } from "sequitur/run"
import { z } from "zod"

/** Nothing of it may be repeated, and nobody can be asked: what is lost is in doubt. */
const anywhere = { idempotency: "none", compensate: "none" } as const

const find = {
  description: "Find the workspaces of an account.",
  effect: "read",
  params: z.strictObject({ accountId: z.string() }),
  result: z.object({
    workspaces: z.array(z.object({ id: z.string(), role: z.string(), cents: z.int().min(0).max(90_000) })),
  }),
} as const

const look = {
  description: "Look at a workspace.",
  effect: "read",
  params: z.strictObject({ id: z.string() }),
  result: z.object({ name: z.string() }),
  timeoutMs: 1_000,
} as const

const cancel = {
  description: "Cancel a workspace.",
  effect: "destructive",
  params: z.strictObject({ id: z.string() }),
  result: z.object({ id: z.string(), proratedCents: z.int().min(0).max(90_000) }),
  ...anywhere,
  timeoutMs: 1_000,
} as const

const refund = {
  description: "Refund an amount.",
  version: "2",
  effect: "destructive",
  params: z.strictObject({ id: z.string(), cents: z.int().positive().max(90_000) }),
  result: z.object({ refundId: z.string() }),
  ...anywhere,
  requires: [{ tool: "cancel", same: ["id"] }],
  blast: { cents: arg("cents", { max: 90_000 }) },
  timeoutMs: 1_000,
} as const

const note = {
  description: "Write a note.",
  effect: "write",
  params: z.strictObject({ text: z.string() }),
  ...anywhere,
  timeoutMs: 1_000,
} as const

const spec = {
  name: "desk",
  version: "1",
  inputs: z.strictObject({ accountId: z.string() }),
  blastRadius: { cents: { max: 100_000 } },
} as const

export const catalog = defineCatalog({
  ...spec,
  tools: { find: tool(find), look: tool(look), cancel: tool(cancel), refund: tool(refund), note: tool(note) },
})

/** The same, behind a guard. */
export const guarded = defineCatalog({
  ...spec,
  approvals: "unsigned",
  machine: {
    initial: "LOOKING",
    transitions: { LOOKING: { CHANGING: { guard: "approval" } }, CHANGING: { LOOKING: {} } },
  },
  tools: {
    find: tool(find),
    look: tool(look),
    cancel: tool({ ...cancel, states: ["CHANGING"] }),
    refund: tool({ ...refund, states: ["CHANGING"] }),
    note: tool({ ...note, states: ["CHANGING"] }),
  },
})

export type Desk = (typeof catalog)["spec"]

const secondary = { $from: "find", path: "/workspaces", where: { "/role": "secondary" }, pick: "/id" }
const cents = { $from: "cancel", path: "/proratedCents" }

export const calls = {
  find: { id: "find", tool: "find", args: { accountId: { $from: "input", path: "/accountId" } } },
  look: { id: "look", tool: "look", args: { id: secondary } },
  cancel: { id: "cancel", tool: "cancel", args: { id: secondary } },
  refund: { id: "refund", tool: "refund", args: { id: { $from: "cancel", path: "/id" }, cents } },
  note: { id: "note", tool: "note", args: { text: "done" } },
} as const

export const goal = "Cancel the secondary workspace and refund its balance."

/** Read, cancel, refund, tell: the plan of most tests. */
export const refundPlan = accepted(
  definePlan(catalog, { version: 1, goal, steps: [calls.find, calls.cancel, calls.refund, calls.note] }),
)

export const guardedPlan = accepted(
  definePlan(guarded, {
    version: 1,
    goal,
    steps: [
      calls.find,
      { id: "open", transition: "CHANGING" },
      calls.cancel,
      calls.refund,
      { id: "close", transition: "LOOKING" },
      calls.look,
    ],
  }),
)

export function accepted<Results>(compiled: Compiled<Results>): CompiledPlan<Results> {
  if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"))
  return compiled.plan
}

/** A plan from its steps, as text. */
export const planOf = (steps: readonly unknown[], of: Parameters<typeof compile>[0] = catalog): CompiledPlan =>
  accepted(compile(of, JSON.stringify({ version: 1, steps })))

export const principal: Principal = { tenant: "acme", subject: "ann", roles: ["agent"] }

export const scope = { principal, sessionId: "s1", taskId: "t1", inputs: { accountId: "acc_1" } }

export const workspaces = [
  { id: "w1", role: "primary", cents: 9_000 },
  { id: "w2", role: "secondary", cents: 2_450 },
]

/** Every call that was made, in order. */
export interface Calls {
  readonly made: { readonly tool: string; readonly args: unknown; readonly context: CallContext }[]
  readonly count: (tool: string) => number
}

export const countCalls = (): Calls => {
  const made: Calls["made"] = []
  return { made, count: (name) => made.filter((one) => one.tool === name).length }
}

/** Handlers that work, each call written down; `instead` replaces some. */
export function handlersOf(calls: Calls, instead: Partial<Handlers<Desk>> = {}): Handlers<Desk> {
  const working: Handlers<Desk> = {
    find: () => ({ workspaces }),
    look: async ({ id }) => ({ name: `workspace ${id}` }),
    cancel: async ({ id }) => ({ id, proratedCents: 2_450 }),
    refund: async () => ({ refundId: "r1" }),
    note: async () => null,
  }
  const counted = Object.entries({ ...working, ...instead }).map(([name, handler]) => [
    name,
    (args: unknown, context: CallContext) => {
      calls.made.push({ tool: name, args: structuredClone(args), context })
      return (handler as (args: unknown, context: CallContext) => unknown)(args, context)
    },
  ])
  return Object.fromEntries(counted) as Handlers<Desk>
}
