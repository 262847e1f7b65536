/** `node --conditions=@sequitur/source plans/adapters/gemini.ts`: Gemini's generateContent, by a scripted model. */
import { handle } from "sequitur/adapters/gemini"
import { account, converse, right, wrong } from "./desk.ts"

const call = (name: string, args: object) => ({ functionCall: { name, args } })
const say = (responseId: string, ...parts: object[]) => ({
  responseId,
  candidates: [{ finishReason: "STOP", content: { role: "model", parts } }],
})

await converse("gemini", handle, [
  say("r1", { ...call("find_customer", account), thoughtSignature: "c2ln" }, call("mail_send", wrong)),
  say("r2", call("mail_send", right)),
  say("r3", { text: "Ada has been told." }),
])
