/** A result, held to what its tool declares. */
import { judgeWhole } from "../../catalog/schema/judge.ts"
import type { Failure } from "../../journal/entry.ts"
import { record } from "../../journal/failure.ts"
import type { Copied } from "../../text/copy-json.ts"
import type { Json } from "../../text/json.ts"
import { ResultMismatch, ResultNotPlain, ResultTooLarge } from "../failure.ts"
import { tellIssues } from "../misfits.ts"
import type { Calling } from "./call.ts"

/** As it is written down: what cannot be used is kept as far as it could be copied, and `failure` says why. */
export interface Admitted {
  readonly result?: Json
  readonly failure?: Failure
}

export function admitResult(
  copied: Copied,
  { stepId, tool: { name: tool, result: schema } }: Pick<Calling, "stepId" | "tool">,
): Admitted {
  if (!copied.ok) {
    const { at, problem } = copied
    const tooLarge = problem.startsWith("more than ")
    const reason = tooLarge
      ? new ResultTooLarge({ stepId, tool, problem })
      : new ResultNotPlain({ stepId, tool, at: at || "/", problem })
    return { failure: record(reason) }
  }
  const result = copied.value
  const issues = schema === undefined ? [] : judgeWhole(schema, result)
  if (issues.length === 0) return { result }
  return { result, failure: record(new ResultMismatch({ stepId, tool, misfits: tellIssues(issues) })) }
}
