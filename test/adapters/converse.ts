/** Bedrock's own SDK against the server named on the command line: two turns with the catalog's tools, then a plan. */
import { BedrockRuntimeClient, ConverseCommand, type Message } from "@aws-sdk/client-bedrock-runtime"
import * as bedrock from "../../src/planner/adapters/bedrock.ts"
import { planSchema } from "../../src/planner/index.ts"
import { desk, office } from "./desk.ts"

const client = new BedrockRuntimeClient({
  region: "us-east-1",
  endpoint: process.argv[2] ?? "",
  credentials: { accessKeyId: "a", secretAccessKey: "s" },
  maxAttempts: 1,
})
const { gate, made } = desk()
const messages: Message[] = [{ role: "user", content: [{ text: "Write to Ada." }] }]
for (let done = false; !done; ) {
  const toolConfig = { tools: bedrock.toolsFor(office) }
  const response = await client.send(new ConverseCommand({ modelId: "m", messages, toolConfig }))
  const end = await bedrock.handle(gate, response)
  messages.push(...end.messages)
  done = end.done
}
const plan = bedrock.planner({
  send: (request, { signal: abortSignal }) => client.send(new ConverseCommand(request), { abortSignal }),
  model: "m",
})
const { signal } = new AbortController()
const asked = [{ role: "user", content: "Plan." }] as const
const plans = [(await plan(asked, { signal })).text]
for (const schemaBy of ["output", "tool"] as const) {
  const held = bedrock.planner({
    send: (request, { signal: abortSignal }) => client.send(new ConverseCommand(request), { abortSignal }),
    model: "m",
    schema: planSchema(office, { for: "anthropic" }),
    schemaBy,
  })
  plans.push((await held(asked, { signal })).text)
}
process.stdout.write(`${JSON.stringify({ made: made.length, plans })}\n`)
