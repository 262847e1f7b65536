/** What an open run has come to beside its steps: a part of its fold. Its plan grows, and a step that fails does not end it. */
import type { JsonObject } from "../text/json.ts"
import type { CallObserved, CallRefused, Failure, RunStarted, StepAdded, StepGivenUp } from "./entry.ts"
import { Growing } from "./growing.ts"

export interface OpenRun {
  /** Steps that came to nothing. */
  readonly nothing: Growing<string, Failure>
  /** Of each step, which one it is. */
  readonly index: Growing<string, number>
  /** By step index: how many steps were behind when it was written. */
  readonly seen: readonly number[]
  /** By call id: the step that the call became, or what was said of it. */
  readonly calls: Growing<string, string | CallRefused | CallObserved>
  /** Tools whose answers were shown though no step came of them; and by step index how many had been when it was written. */
  readonly aside: {
    readonly tools: readonly string[]
    readonly by: readonly number[]
    readonly shown: readonly (StepAdded["shown"] | undefined)[]
    /** What is shown to whoever writes the next: never a part of the journal's fold. */
    readonly now?: NonNullable<StepAdded["shown"]>
  }
  /** It takes no further step. */
  readonly closed: boolean
}

export const openedBy = ({ open }: RunStarted): OpenRun | undefined =>
  open && {
    nothing: Growing.empty(),
    index: Growing.empty(),
    seen: [],
    calls: Growing.empty(),
    aside: { tools: [], by: [], shown: [] },
    closed: false,
  }

/** The run's own beginning goes along: what it is a run of is what has been added since, too. */
export function addStep(
  open: OpenRun,
  started: RunStarted,
  { callId, step, seen, shown, planHash }: Omit<StepAdded, "kind">,
): { readonly open: OpenRun; readonly started: RunStarted } {
  const { document } = started
  return {
    open: {
      ...open,
      index: open.index.with(step.id, document.steps.length),
      seen: [...open.seen, seen],
      aside: {
        tools: open.aside.tools,
        by: [...open.aside.by, open.aside.tools.length],
        shown: [...open.aside.shown, shown],
      },
      calls: callId === undefined ? open.calls : open.calls.with(callId, step.id),
    },
    started: { ...started, planHash, document: { ...document, steps: [...document.steps, step] } },
  }
}

export const giveUp = (open: OpenRun, { stepId, failure }: StepGivenUp): OpenRun => ({
  ...open,
  nothing: open.nothing.with(stepId, failure),
})

export const noteCall = (open: OpenRun, said: CallRefused | CallObserved): OpenRun => ({
  ...open,
  calls: open.calls.with(said.callId, said),
  aside: said.kind === "call-observed" && said.made === undefined ? showAside(open.aside, said.tool) : open.aside,
})

const showAside = (aside: OpenRun["aside"], tool: string): OpenRun["aside"] =>
  aside.tools.includes(tool) ? aside : { ...aside, tools: [...aside.tools, tool] }

/** What was done past the gates is no effect of the run: it neither settles nor undoes it. */
export const observedCall = ({ result }: CallObserved, { args = {} }: { readonly args?: JsonObject }) => ({
  args,
  result,
  failure: undefined,
  idempotencyKey: undefined,
  attempt: 0,
  replayed: true,
})

interface Open {
  readonly open: OpenRun | undefined
  readonly started: RunStarted
  readonly done: number
}

/** Why a step cannot be added; undefined where it can. */
export function refuseAdded(
  { open, started, done }: Open,
  { callId, step, seen }: Pick<StepAdded, "callId" | "step" | "seen">,
): string | undefined {
  if (open === undefined) return "its plan is whole"
  if (open.closed) return "the run was closed"
  const { steps } = started.document
  if (done !== steps.length) return "a step is left"
  if (seen > done) return "nobody has seen what is still to come"
  if (open.index.has(step.id)) return `there is a step \`${step.id}\` already`
  if (callId !== undefined && open.calls.has(callId)) return `call \`${callId}\` was made before`
  const { tool, transition, args } = step
  if ((tool === undefined) === (transition === undefined)) return "it is neither a call nor a transition"
  return tool !== undefined && (args === undefined || !Object.hasOwn(started.tools, tool))
    ? `it calls \`${tool}\`, of which the run says nothing`
    : undefined
}
