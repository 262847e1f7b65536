import { defineCatalog, tool } from "sequitur"
import { type Message, type Planner, propose, type Round, type Used } from "sequitur/planner"
import { createRunner, memory } from "sequitur/run"
import { z } from "zod"

const catalog = defineCatalog({
  name: "payables",
  version: "1",
  blastRadius: { cents: { max: 50_000, per: "session" } },
  tools: {
    read_invoice: tool({
      description: "Read an invoice from the inbox.",
      effect: "read",
      params: z.strictObject({ number: z.string() }),
      result: z.strictObject({ from: z.string(), cents: z.int().min(1).max(20_000), account: z.string() }),
      untrusted: ["/from", "/account"], // whoever wrote the mail wrote these
    }),
    list_payees: tool({
      description: "List whom we pay.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ payees: z.array(z.strictObject({ name: z.string(), account: z.string() })) }),
    }),
    pay: tool({
      description: "Pay an account.",
      effect: "destructive",
      params: z.strictObject({ account: z.string(), cents: z.int().min(1).max(20_000) }),
      result: z.strictObject({ paymentId: z.string() }),
      rules: { account: { from: ["list_payees#/payees/*/account"], trusted: true } },
      blast: { cents: { kind: "argument", parameter: "cents" } },
      idempotency: { key: { retentionMs: 86_400_000 } },
      compensate: "none",
    }),
  },
})

const tools = {
  read_invoice: () => ({ from: "Northwind", cents: 2_450, account: "EVIL-1" }),
  list_payees: () => ({ payees: [{ name: "Northwind", account: "NW-7" }] }),
  pay: ({ account, cents }: { account: string; cents: number }) => {
    console.log(`  paid ${cents} cents to ${account}`)
    return { paymentId: "P-1" }
  },
}

// Where a model would be: any function from messages to text. This one says what it was given to say.
const answers = [
  {
    steps: [
      { id: "bill", tool: "read_invoice", args: { number: "7" } },
      { id: "who", tool: "list_payee", args: {} },
    ],
  },
  {
    steps: [
      { id: "bill", tool: "read_invoice", args: { number: "7" } },
      { id: "who", tool: "list_payees", args: {} },
    ],
  },
  { steps: [payBy({ $from: "r1/bill", path: "/account" })] },
  { steps: [payBy({ $from: "r1/who", path: "/payees/0/account" })] },
]
function payBy(account: object) {
  return { id: "pay", tool: "pay", args: { account, cents: { $from: "r1/bill", path: "/cents" } } }
}
const model: Planner = async (messages: readonly Message[]) => {
  const told = messages
    .at(-1)
    ?.content.split("\n")
    .find((line) => line.startsWith("- SEQ"))
  if (told !== undefined) console.log(`  told ${told}`)
  return { text: JSON.stringify({ version: 1, ...answers.shift() }), usage: { inputTokens: 900, outputTokens: 60 } }
}

const principal = { tenant: "acme", subject: "ada" }
const scope = { sessionId: "s-1", taskId: "t-1" }
const runner = createRunner({ catalog, tools, store: memory() })
const rounds: Round[] = []
let used: Used | undefined
for (const goal of ["Read invoice 7, and find whom we know by its name.", "Pay invoice 7."]) {
  console.log(goal)
  const spent = await runner.spent({ tenant: principal.tenant, ...scope })
  const session = { rounds, spent, ...(used === undefined ? {} : { used }) }
  const proposed = await propose({ catalog, planner: model, goal, principal, session, limits: { tokens: 20_000 } })
  used = proposed.used
  if (proposed.kind !== "plan") {
    console.log(proposed.kind, proposed.message) // attempts, tokens, money, time, no-progress, planner-failed, …
    break
  }
  const runId = `r${rounds.length + 1}`
  const report = await runner.run(proposed.plan, { principal, ...scope, runId, spent: { tokens: used.tokens } })
  rounds.push({ plan: proposed.plan, report })
  console.log(`  ${report.status} after ${proposed.exchange.attempts.length} attempts, ${used.tokens} tokens`)
}
await runner.close()
