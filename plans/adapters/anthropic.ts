/** `node --conditions=@sequitur/source plans/adapters/anthropic.ts`: Anthropic's messages, by a scripted model. */
import { handle } from "sequitur/adapters/anthropic"
import { account, converse, right, wrong } from "./desk.ts"

const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input })
const say = (id: string, stop_reason: string, ...content: object[]) => ({ id, role: "assistant", stop_reason, content })

await converse("anthropic", handle, [
  say("m1", "tool_use", call("c1", "find_customer", account), call("c2", "mail_send", wrong)),
  say("m2", "tool_use", call("c3", "mail_send", right)),
  say("m3", "end_turn", { type: "text", text: "Ada has been told." }),
])
