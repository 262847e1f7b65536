/** A refund that waits for Eve: the chat is asked, she answers, and the run ends. `NODE_ENV=development node … webhook.ts`. */
import { compile } from "sequitur"
import { generateKeys, memory } from "sequitur/run"
import catalog from "./catalog.ts"
import { openChat } from "./chat.ts"
import { openDesk } from "./desk.ts"

const plan = `{
  "version": 1,
  "goal": "Refund the lost parcel.",
  "steps": [
    { "id": "order", "tool": "find_order", "args": { "orderId": "O-7" } },
    { "id": "refund", "tool": "refund",
      "args": { "orderId": "O-7", "cents": { "$from": "order", "path": "/paidCents" },
                "tell": { "$from": "order", "path": "/email" } } }
  ]
}`

const compiled = compile(catalog, plan)
if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ message }) => message).join("\n"))

// A key for development: its signatures count only where NODE_ENV is `development` or `test`.
const eve = generateKeys()
const { kid, publicKey } = eve
const approver = { kid, publicKey, subject: "eve", tenant: "acme", roles: ["support-lead"], development: true }

const chat = await openChat(eve, (line) => console.log(`  [chat] ${line}`))
const desk = await openDesk({
  store: memory(),
  webhook: chat.url,
  approvers: [approver],
  print: (line) => console.log(line),
})

const principal = { tenant: "acme", subject: "ada" }
const { runId, status } = await desk.runner.run(compiled.plan, { principal, sessionId: "s-1", taskId: "t-1" })
console.log(status)
await chat.answered
console.log((await desk.runner.status(runId)).status)
await chat.again()
await desk.close()
chat.close()
