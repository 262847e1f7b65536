/** `node --conditions=@sequitur/source plans/adapters/langchain.ts`: messages of LangChain's chat models, by a scripted model. */
import { handle } from "sequitur/adapters/langchain"
import { account, converse, right, wrong } from "./desk.ts"

const call = (id: string, name: string, args: object) => ({ type: "tool_call", id, name, args })
const say = (content: string, ...tool_calls: object[]) => ({ role: "assistant", content, tool_calls })

await converse("langchain", handle, [
  say("", call("c1", "find_customer", account), call("c2", "mail_send", wrong)),
  say("", call("c3", "mail_send", right)),
  say("Ada has been told."),
])
