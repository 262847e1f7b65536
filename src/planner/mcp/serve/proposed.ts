/** What a client is told of the call that it has proposed. */
import type { Catalog } from "../../../catalog/catalog.ts"
import type { Verdict } from "../../gate/verdict.ts"
import { resultShown, verdictText } from "../../gate/verdict-text.ts"
import { type Answer, answer, answerLength, refuse } from "./answer.ts"

export function tellVerdict(verdict: Verdict, catalog: Catalog): Answer {
  const { kind, callId } = verdict
  const text = verdictText(verdict, { catalog, maxLength: answerLength })
  const structure = { callId, kind }
  switch (verdict.kind) {
    case "accepted": {
      const result = resultShown(verdict, catalog)
      return answer(text, undefined, { ...structure, replayed: verdict.replayed, result })
    }
    case "waiting": {
      const { requestId } = verdict
      return answer(`${text} Ask by the same callId what has become of it.`, undefined, { ...structure, requestId })
    }
    default:
      return refuse(text, undefined, structure)
  }
}
