/** `node --conditions=@sequitur/source plans/adapters/openai-responses.ts`: OpenAI's Responses API, by a scripted model. */
import { handle } from "sequitur/adapters/openai-responses"
import { account, converse, right, wrong } from "./desk.ts"

const call = (call_id: string, name: string, args: object) => ({
  type: "function_call",
  call_id,
  name,
  arguments: JSON.stringify(args),
  status: "completed",
})
const say = (id: string, ...output: object[]) => ({ id, status: "completed", output })
const text = (text: string) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] })

await converse("openai-responses", handle, [
  say(
    "r1",
    { type: "reasoning", id: "rs_1", summary: [] },
    call("c1", "find_customer", account),
    call("c2", "mail_send", wrong),
  ),
  say("r2", call("c3", "mail_send", right)),
  say("r3", text("Ada has been told.")),
])
