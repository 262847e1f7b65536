/** `node --conditions=@sequitur/source plans/adapters/bedrock.ts`: Bedrock's Converse, by a scripted model. */
import { handle } from "sequitur/adapters/bedrock"
import { account, converse, right, wrong } from "./desk.ts"

const call = (toolUseId: string, name: string, input: object) => ({ toolUse: { toolUseId, name, input } })
const say = (stopReason: string, ...content: object[]) => ({
  stopReason,
  output: { message: { role: "assistant", content } },
})

await converse("bedrock", handle, [
  say("tool_use", call("c1", "find_customer", account), call("c2", "mail_send", wrong)),
  say("tool_use", call("c3", "mail_send", right)),
  say("end_turn", { text: "Ada has been told." }),
])
