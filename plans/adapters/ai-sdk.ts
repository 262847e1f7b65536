/** `node --conditions=@sequitur/source plans/adapters/ai-sdk.ts`: results of the AI SDK's `generateText`, by a scripted model. */
import { handle } from "sequitur/adapters/ai-sdk"
import { account, converse, right, wrong } from "./desk.ts"

const call = (toolCallId: string, toolName: string, input: object) => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
})
const say = (finishReason: string, text: string, ...content: object[]) => ({
  finishReason,
  text,
  responseMessages: [{ role: "assistant", content }],
})

await converse("ai-sdk", handle, [
  say("tool-calls", "", call("c1", "find_customer", account), call("c2", "mail_send", wrong)),
  say("tool-calls", "", call("c3", "mail_send", right)),
  say("stop", "Ada has been told.", { type: "text", text: "Ada has been told." }),
])
