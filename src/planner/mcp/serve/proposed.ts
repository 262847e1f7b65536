/** What a client is told of the call that it has proposed. */
import type { Catalog } from "../../../catalog/catalog.ts"
import { gather, hide, marksOf } from "../../../catalog/sensitive.ts"
import { Secrets } from "../../../text/secrets.ts"
import type { Verdict } from "../../gate/verdict.ts"
import { verdictText } from "../../gate/verdict-text.ts"
import { type Answer, answer, answerLength, refuse } from "./answer.ts"

export function tellVerdict(verdict: Verdict, catalog: Catalog): Answer {
  const { kind, callId } = verdict
  const text = verdictText(verdict, { catalog, maxLength: answerLength })
  const structure = { callId, kind }
  switch (verdict.kind) {
    case "accepted": {
      const paths = marksOf(catalog).of(verdict.tool).result
      const secrets = new Secrets()
      gather(verdict.result, paths, secrets)
      const result = hide(verdict.result, paths)
      return answer(text, secrets, { ...structure, replayed: verdict.replayed, result })
    }
    case "waiting": {
      const { requestId } = verdict
      return answer(`${text} Ask by the same callId what has become of it.`, undefined, { ...structure, requestId })
    }
    default:
      return refuse(text, undefined, structure)
  }
}
