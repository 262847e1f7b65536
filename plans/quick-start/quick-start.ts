import { compile, defineCatalog, tool } from "sequitur"
import { createRunner, memory, toolbox } from "sequitur/run"
import { z } from "zod"

// What the host allows: two tools, no handlers in sight.
const catalog = defineCatalog({
  name: "post-office",
  version: "1",
  tools: {
    find_customer: tool({
      description: "Look up a customer by account number.",
      effect: "read",
      params: z.strictObject({ account: z.string().regex(/^A-\d{4}$/) }),
      result: z.strictObject({ name: z.string(), email: z.email() }),
    }),
    send_letter: tool({
      description: "Send a letter.",
      effect: "write",
      params: z.strictObject({ to: z.email(), text: z.string().max(500) }),
      result: z.strictObject({ letterId: z.string() }),
      idempotency: "none",
      compensate: "none",
    }),
  },
})

// What the model wrote, as text.
const good = `{
  "version": 1,
  "steps": [
    { "id": "who", "tool": "find_customer", "args": { "account": "A-1042" } },
    { "id": "tell", "tool": "send_letter",
      "args": { "to": { "$from": "who", "path": "/email" },
                "text": { "$concat": ["Dear ", { "$from": "who", "path": "/name" }, ", it is done."] } } }
  ]
}`
const bad = good.replace('"path": "/name"', '"path": "/nmae"').replace("A-1042", "1042")

// The work itself.
const tools = toolbox(catalog, {
  find_customer: async ({ account }) => ({ name: `Ada (${account})`, email: "ada@example.org" }),
  send_letter: async ({ to, text }) => {
    console.log(`to ${to}: ${text}`)
    return { letterId: "L-1" }
  },
})
const runner = createRunner({ catalog, tools, store: memory() })

for (const text of [good, bad]) {
  const compiled = compile(catalog, text)
  if (!compiled.ok) {
    for (const { code, range, message, hint } of compiled.diagnostics) {
      console.log(`${code} ${range?.start.line}:${range?.start.column} ${message}. ${hint}`)
    }
    continue
  }
  const principal = { tenant: "acme", subject: "ada" }
  const result = await runner.run(compiled.plan, { principal, sessionId: "s-1", taskId: "t-1" })
  console.log(result.status, result.of("tell", "send_letter"))
}
await runner.close()
