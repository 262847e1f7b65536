/** What people were asked in a run, and what they have said: a part of its fold. */
import type { ApprovalDecided, ApprovalLapsed, ApprovalRequested, RequestDelivered } from "./entry.ts"

/** What people were asked at a step last, and what they have said. */
export interface Asked {
  readonly request: ApprovalRequested
  readonly sinceMs: number
  /** Whether the host was told of it. */
  readonly delivered: boolean
  /** Who has agreed, in order. */
  readonly agreed: readonly ApprovalDecided[]
  /** The decision that settled it. */
  readonly decided: ApprovalDecided | undefined
  /** Decisions of this step that did not count any more when it came to the deed. */
  readonly lapsed: readonly ApprovalLapsed[]
}

/** By step, in the order in which they were asked. */
export type AskedBySteps = ReadonlyMap<string, Asked>

/** Whether nobody else need say anything. */
export const isSettling = ({ decision, left }: ApprovalDecided): boolean => decision === "denied" || left === undefined

export function ask(asked: AskedBySteps, request: ApprovalRequested, sinceMs: number): AskedBySteps {
  const lapsed = asked.get(request.stepId)?.lapsed ?? []
  return new Map(asked).set(request.stepId, {
    request,
    sinceMs,
    delivered: false,
    agreed: [],
    decided: undefined,
    lapsed,
  })
}

export function decideAsked(asked: AskedBySteps, event: ApprovalDecided): AskedBySteps {
  const about = asked.get(event.stepId)
  if (about === undefined) return asked
  const agreed = event.decision === "approved" ? [...about.agreed, event] : about.agreed
  return new Map(asked).set(event.stepId, { ...about, agreed, decided: isSettling(event) ? event : undefined })
}

export function deliver(asked: AskedBySteps, { stepId }: RequestDelivered): AskedBySteps {
  const about = asked.get(stepId)
  return about === undefined ? asked : new Map(asked).set(stepId, { ...about, delivered: true })
}

export function lapse(asked: AskedBySteps, event: ApprovalLapsed): AskedBySteps {
  const about = asked.get(event.stepId)
  return about === undefined ? asked : new Map(asked).set(event.stepId, { ...about, lapsed: [...about.lapsed, event] })
}

interface WithAsked {
  readonly asked: AskedBySteps
}

/** What stands of a step: undefined where nobody was asked, or what was said does not count any more. */
export function standing({ asked }: WithAsked, stepId: string): Asked | undefined {
  const about = asked.get(stepId)
  return about?.lapsed.at(-1)?.requestId === about?.request.requestId ? undefined : about
}

/** What a run waits for a person to decide. */
export const awaitedBy = ({ asked }: WithAsked): ApprovalRequested | undefined =>
  [...asked.values()].find(({ decided }) => decided === undefined)?.request

/** Whether two names are of one person: in Unicode the same text may be written in more than one way (UAX #15). */
export const isSamePerson = (one: string, other: string): boolean => one.normalize("NFC") === other.normalize("NFC")
