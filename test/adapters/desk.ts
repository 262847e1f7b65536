/** A small gate for tests, true to its contract: compiles each call as a plan of one step, and calls a handler. */
import { type Catalog, compile, type Diagnostic, defineCatalog, type Json, tool } from "sequitur"
import { z } from "zod"
import type { CallGate } from "../../src/planner/adapters/turn.ts"
import type { ProposedCall, Verdict } from "../../src/planner/gate/verdict.ts"
import { copyJson } from "../../src/text/copy-json.ts"
import { readJson } from "../../src/text/read-json.ts"

const effect = { idempotency: "none", compensate: "none" } as const

/** Names that no provider takes are among them. */
export const office = defineCatalog({
  name: "office",
  version: "1",
  tools: {
    find: tool({
      description: "Find a person by name.",
      effect: "read",
      params: z.strictObject({
        name: z.string().describe("as it is written"),
        limit: z.int().min(1).max(9).optional(),
      }),
    }),
    "mail/send.now": tool({
      description: "Send a mail.",
      effect: "write",
      params: z.strictObject({ to: z.email(), text: z.string() }),
      ...effect,
    }),
  },
})

export interface Desk {
  readonly gate: CallGate
  /** As the gate was given them. */
  readonly proposed: ProposedCall[]
  /** What handlers were called with. */
  readonly made: { readonly tool: string; readonly args: Json }[]
}

export type Work = (tool: string, args: Json) => Json

const done: Work = (tool, args) => ({ tool, args })

export function desk(catalog: Catalog = office, work: Work = done): Desk {
  const proposed: ProposedCall[] = []
  const made: Desk["made"] = []
  const known = new Map<string, { readonly call: string; readonly verdict: Verdict }>()
  const judge = ({ callId, tool, args }: ProposedCall): Verdict => {
    const refused = (diagnostics: readonly Diagnostic[]): Verdict => ({ kind: "refused", callId, tool, diagnostics })
    const read = typeof args === "string" ? readJson(args, catalog.bounds) : copyJson(args, catalog.bounds)
    if (!read.ok) return refused(diagnosticsOf(compile(catalog, typeof args === "string" ? args : "?")))
    const call = JSON.stringify([tool, read.value])
    const before = known.get(callId)
    if (before !== undefined) {
      if (before.call !== call) return { kind: "call-id-reused", callId, tool }
      return before.verdict.kind === "accepted" ? { ...before.verdict, replayed: true } : before.verdict
    }
    const compiled = compile(catalog, JSON.stringify({ version: 1, steps: [{ id: "s", tool, args: read.value }] }))
    if (!compiled.ok) return refused(compiled.diagnostics)
    made.push({ tool, args: read.value })
    const result = work(tool, read.value)
    const verdict: Verdict = { kind: "accepted", callId, tool, stepId: `s${made.length}`, result, replayed: false }
    known.set(callId, { call, verdict })
    return verdict
  }
  return {
    proposed,
    made,
    gate: {
      catalog,
      turn: async (calls) => {
        proposed.push(...calls)
        return calls.map(judge)
      },
    },
  }
}

const diagnosticsOf = (compiled: { readonly diagnostics: readonly Diagnostic[] }) => compiled.diagnostics

/** A gate that lets everything through, and says which call it answers. */
export function yes(): Pick<Desk, "gate" | "proposed"> {
  const proposed: ProposedCall[] = []
  const turn: CallGate["turn"] = async (calls) => {
    proposed.push(...calls)
    return calls.map(({ callId, tool }) => {
      return { kind: "accepted", callId, tool, stepId: "s", result: `result of ${callId}`, replayed: false }
    })
  }
  return { proposed, gate: { catalog: office, turn } }
}
