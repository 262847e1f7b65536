/** Undoing what a run has done, last first, before it ends in anything but success. It goes by the journal alone. */
import { mayUse, sayNotAllowed } from "../../catalog/authority.ts"
import type { Tool } from "../../catalog/catalog.ts"
import { judgeWhole } from "../../catalog/schema/judge.ts"
import type { Failure, RunEnded, ToolPolicy } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { Called as Answered, RunState } from "../../journal/state.ts"
import type { Json, JsonObject } from "../../text/json.ts"
import { setMember } from "../../text/json.ts"
import { parsePointer } from "../../text/pointer.ts"
import type { CalledTool } from "../call/call.ts"
import { UndoFailed } from "../failure.ts"
import { tellIssues } from "../misfits.ts"
import { undoKey } from "./key.ts"
import type { Action } from "./next.ts"
import { walk } from "./resolve.ts"

/** The end of a run, with the undoing before it where there is something to undo. */
export function stop(state: RunState, status: Exclude<RunEnded["status"], "succeeded">, failure: Failure): Action {
  return lastToUndo(state) === undefined ? { kind: "end", status, failure } : { kind: "wind-down", status, failure }
}

/** An effect of this run that is still to be undone. */
interface Undoable {
  readonly stepId: string
  readonly made: string
  readonly undo: NonNullable<ToolPolicy["undo"]>
  readonly call: Answered & { readonly idempotencyKey: string }
}

function lastToUndo({ started, done, calls, undone }: RunState): Undoable | undefined {
  for (const { id: stepId, tool: made = "" } of started.document.steps.slice(0, done).reverse()) {
    const call = calls.get(stepId)
    const undo = started.tools[made]?.undo
    if (undo === undefined || call?.idempotencyKey === undefined || call.replayed || undone.has(stepId)) continue
    return { stepId, made, undo, call: call as Undoable["call"] }
  }
  return undefined
}

/** The next effect to undo; the end where none is left. */
export function compensate(
  state: RunState,
  toolOf: (name: string) => CalledTool,
  declared: (name: string) => Tool | undefined,
): Action {
  const { ending, step } = state
  if (ending === undefined) return { kind: "nothing" }
  const next = lastToUndo(state)
  if (next === undefined) return { kind: "end", status: ending.status, failure: ending.failure }
  const { stepId, undo, call } = next
  const args = argsOf(next)
  if (typeof args === "string") return refuse(stepId, undo.tool, args)
  const tool = declared(undo.tool)
  const issues = tool === undefined ? [] : judgeWhole(tool.params, args)
  if (issues.length > 0) return refuse(stepId, undo.tool, `its arguments are refused ${tellIssues(issues)}`)
  // A plan that is made to fail must not do by an undo what its principal may not do.
  const refused = tool && mayUse(tool, state.started, args)
  if (refused !== undefined) return refuse(stepId, undo.tool, sayNotAllowed(refused))
  const again = step.failed?.again
  return {
    kind: "call",
    stepId,
    tool: toolOf(undo.tool),
    attempt: step.attempts + 1,
    args,
    undoes: true,
    pause: again,
    effect: {
      identity: undoKey(undo.tool, call.idempotencyKey),
      keyAt: (generation) => undoKey(undo.tool, call.idempotencyKey, generation),
      once: undefined,
      reserves: [],
    },
    microUsd: 0,
    // Undoing waits for nobody.
    ask: undefined,
    asked: undefined,
    asks: undefined,
    notAfterMs: undefined,
    workLeftMs: undefined,
  }
}

function refuse(stepId: string, tool: string, said: string): Action {
  return { kind: "refuse", stepId, undoes: true, failure: record(new UndoFailed({ stepId, tool, said })) }
}

/** The arguments of an undo; where one of them is not there, why. */
function argsOf({ stepId, undo, call }: Undoable): JsonObject | string {
  const args: Record<string, Json> = {}
  for (const { name, source } of undo.args) {
    if (source.kind === "literal") {
      setMember(args, name, source.value)
      continue
    }
    const from = source.kind === "from-args" ? call.args : call.result
    const value = from === undefined ? undefined : walk(from, parsePointer(source.path) ?? [])
    if (value === undefined) {
      const owner = source.kind === "from-args" ? "the arguments" : "the result"
      return `its \`${name}\` cannot be filled in: ${owner} of \`${stepId}\` has nothing at \`${source.path}\``
    }
    setMember(args, name, value)
  }
  return args
}
