/** Calls whose id a model has left empty, or written as no id can be: each is answered as any other, and none is lost. */
import { type Diagnostic, diagnose } from "../../diagnostic/diagnostic.ts"
import { admitName } from "../../run/admit.ts"
import { isObject } from "../../text/json.ts"
import type { Pointer } from "../../text/pointer.ts"
import type { Gatekeeper } from "./turn.ts"
import type { ProposedCall, Verdict } from "./verdict.ts"

/** `take` is given the others; and, by ids of our own, those that are only watched: their tools are called as ever. */
export async function withUnnamed(
  keeper: Gatekeeper,
  calls: readonly ProposedCall[],
  take: (named: readonly ProposedCall[]) => Promise<readonly Verdict[]>,
): Promise<readonly Verdict[]> {
  if (!Array.isArray(calls) || !calls.some(isUnnamed)) return take(calls)
  const all = calls as readonly ProposedCall[]
  const isWatched = (call: ProposedCall): boolean => isUnnamed(call) && keeper.observes(call.tool)
  const named = all.filter((call) => !isUnnamed(call) || isWatched(call))
  const taken = named.map((call) =>
    isWatched(call) ? { ...call, callId: `unnamed-${globalThis.crypto.randomUUID()}` } : call,
  )
  const verdicts = taken.length === 0 ? [] : [...(await take(taken))]
  return all.map((call) => {
    const verdict = named.includes(call) ? verdicts.shift() : undefined
    if (verdict === undefined) return refuse(keeper, call)
    return verdict.callId === call.callId ? verdict : { ...verdict, callId: call.callId }
  })
}

/** What is no text at all is a mistake of the host's. */
const isUnnamed = (call: unknown): call is ProposedCall =>
  isObject(call) &&
  typeof call.callId === "string" &&
  typeof call.tool === "string" &&
  admitName("callId", call.callId) !== undefined

function refuse({ watch }: Gatekeeper, call: ProposedCall): Verdict {
  const found = call.callId === "" ? "empty" : "none that can be kept"
  const expected = "a string that is not empty, of well-formed Unicode, without U+0000 and not over long"
  const fault: Diagnostic = diagnose("SEQ101", "/callId" as Pointer, { field: "`callId`", expected, found })
  const verdict: Verdict = { kind: "refused", callId: call.callId, tool: call.tool, diagnostics: [fault] }
  const untimed = { foreseen: undefined, replayed: false, beganMs: Date.now(), tookMs: 0 }
  watch.told(watch.proposed(call, false), verdict, untimed)
  return verdict
}
