/** `node --conditions=@sequitur/source plans/adapters/openai-chat.ts`: OpenAI's chat completions, by a scripted model. */
import { handle } from "sequitur/adapters/openai-chat"
import { account, converse, right, wrong } from "./desk.ts"

const call = (id: string, name: string, args: object) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
})
const say = (message: object, finish_reason: string) => ({
  id: `chatcmpl-${finish_reason}`,
  choices: [{ index: 0, finish_reason, message: { role: "assistant", content: null, ...message } }],
})

await converse("openai-chat", handle, [
  say({ tool_calls: [call("c1", "find_customer", account), call("c2", "mail_send", wrong)] }, "tool_calls"),
  say({ tool_calls: [call("c3", "mail_send", right)] }, "tool_calls"),
  say({ content: "Ada has been told." }, "stop"),
])
