/** What is read again, looked at by a rule or refused right before a call holds the same secrets as any other entry, and shows as few. */
import { type Compiled, compile, defineCatalog, predicate, tool } from "sequitur"
import { createRunner, memory, RunSecrets } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"
import { explainApproval } from "../../../src/explain/approval.ts"
import { explainEntry } from "../../../src/explain/history.ts"
import { plain } from "../../../src/explain/look.ts"
import { accepted } from "../desk.ts"
import { everybody, say } from "./people.ts"

const token = "tok/98765+secret=="
const Secret = z.string().meta({ sensitive: true })

const catalog = defineCatalog({
  name: "vault",
  version: "1",
  machine: {
    initial: "LOOKING",
    transitions: { LOOKING: { PAYING: { guard: predicate("known", "1", () => true) } }, PAYING: {} },
  },
  tools: {
    login: tool({
      description: "Open a session.",
      effect: "read",
      params: z.strictObject({}),
      result: z.object({ token: Secret, note: z.string(), pin: z.int().meta({ sensitive: true }) }),
    }),
    pay: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ session: z.string(), pin: z.int() }),
      states: ["PAYING"],
      validate: true,
      idempotency: "natural",
      compensate: "none",
      authority: { freshness: { pointers: ["/session"], maxAgeMs: 1 } },
    }),
  },
})

const from = (path: string) => ({ $from: "in", path })
const plan = accepted(
  compile(
    catalog,
    JSON.stringify({
      version: 1,
      steps: [
        { id: "in", tool: "login", args: {} },
        { id: "open", transition: "PAYING" },
        { id: "pay", tool: "pay", args: { session: from("/token"), pin: from("/pin") } },
      ],
    }),
  ) as Compiled,
)

test("in entries as they are shown, in words and as data", async () => {
  const runner = createRunner({
    catalog,
    store: memory(),
    tools: {
      login: async () => {
        await new Promise((done) => setTimeout(done, 5))
        return { token, note: `for ${encodeURIComponent(token)}`, pin: 471_108 }
      },
      pay: {
        call: () => null,
        validate: ({ session, pin }) =>
          `${session} (${Buffer.from(session).toString("base64")}) with ${pin} is not known`,
      },
    },
  })
  const scope = { principal: { tenant: "acme", subject: "ada" }, sessionId: "s", taskId: "t", runId: "run" }
  // The rule's entry, and what was read again, take longer than what it rests on may be old.
  const report = await runner.run(plan, scope)
  const entries = await runner.entries("run")
  const kinds = entries.map(({ event }) => event.kind)
  expect([report.status, kinds.includes("rule-evaluated"), kinds.at(-2)]).toEqual(["failed", true, "step-refused"])
  for (const failure of [report.failure, (await runner.status("run")).failure]) {
    expect(failure).toMatchObject({ code: "RUN116", message: expect.stringContaining("[redacted]") })
    expect(JSON.stringify(failure)).not.toMatch(/98765|471108/)
  }
  const secrets = RunSecrets.of(entries)
  const shown = entries.map((entry) => secrets.redact(entry))
  for (const text of [JSON.stringify(shown), ...shown.map((entry) => explainEntry(entry, plain))])
    for (const way of [token, encodeURIComponent(token), Buffer.from(token).toString("base64"), "471108"])
      expect(text).not.toContain(way)
  expect(JSON.stringify(entries)).toContain("471108")
})

test("in what was read again, wherever that stands", () => {
  const started = { kind: "reread", stepId: "in", before: "pay", tool: "login", tookMs: 1 } as const
  const secrets = new RunSecrets()
  secrets.note({
    kind: "run-started",
    document: { version: 1, steps: plan.plan.document.steps },
    inputs: null,
    tools: { login: { sensitive: { result: ["/token", "/pin"] } }, pay: {} },
  } as never)
  const event = { ...started, result: { token, note: `for ${token}`, pin: 471_108 } }
  secrets.note(event)
  const text = JSON.stringify(secrets.redactEvent(event))
  expect(text).not.toContain(token)
  expect(text).not.toContain("471108")
  expect(text).toContain('"before":"pay"')
})

const effect = {
  effect: "write",
  params: z.strictObject({ code: Secret }),
  idempotency: "natural",
  compensate: "none",
} as const

const desk = defineCatalog({
  name: "desk",
  version: "1",
  tools: {
    find: tool({
      description: "Find it.",
      effect: "read",
      params: z.strictObject({}),
      result: z.object({ code: z.string() }),
    }),
    open: tool({ ...effect, description: "Open it.", authority: { approval: "always" } }),
    shut: tool({ description: "Look for it.", effect: "read", params: effect.params }),
  },
})

test("in what a report says of a failure: thrown by a tool, said by whoever denies, or by the key set", async () => {
  const planOf = (tool: string) => {
    const steps = [
      { id: "find", tool: "find", args: {} },
      { id: tool, tool, args: { code: { $from: "find", path: "/code" } } },
    ]
    return accepted(compile(desk, JSON.stringify({ version: 1, steps })) as Compiled)
  }
  let isDown = true
  const runner = createRunner({
    catalog: desk,
    store: memory(),
    approvers: (kid) => {
      if (isDown) throw new Error(`no answer for ${token}`)
      return everybody().find((one) => one.kid === kid)
    },
    tools: {
      find: () => ({ code: token }),
      open: ({ code }) => Promise.reject(new Error(`${code} opens nothing`)),
      shut: ({ code }) => Promise.reject(new Error(`${code} shuts nothing`)),
    },
  })
  const scope = { principal: { tenant: "acme", subject: "carl" }, sessionId: "s", taskId: "t" }
  for (const decision of ["approved", "denied"] as const) {
    const runId = decision
    isDown = true
    await runner.run(planOf("open"), { ...scope, sessionId: runId, runId })
    const said = await say(await runner.approvals.get(`${runId}/open`), "eve", { decision, reason: `for ${token}` })
    const answer = () => runner[decision === "approved" ? "approve" : "deny"](runId, "open", { token: said })
    await expect(answer()).rejects.toMatchObject({
      code: "RUN314",
      message: expect.stringContaining("no answer for [redacted]"),
    })
    isDown = false
    const report = await answer()
    expect(report).toMatchObject({
      status: decision === "approved" ? "in_doubt" : "failed",
      failure: { message: expect.stringContaining("[redacted]") },
      steps: { find: { code: token } },
    })
    expect(JSON.stringify([report.failure, (await runner.status(runId)).failure])).not.toContain(token)
  }
  const failed = await runner.run(planOf("shut"), scope)
  expect(failed).toMatchObject({ failure: { message: expect.stringContaining("[redacted] shuts nothing") } })
  await runner.close()
})

test("what an answer marks as its secret hides no word of the catalog, and an argument that is hidden by it is named", async () => {
  const S = z.string()
  const post = defineCatalog({
    name: "post",
    version: "1",
    tools: {
      mail: tool({
        description: "Read the mail.",
        effect: "read",
        params: z.strictObject({}),
        result: z.strictObject({ iban: S, otp: Secret, more: z.array(Secret) }),
        untrusted: true,
      }),
      transfer: tool({
        description: "Pay money to an account.",
        effect: "destructive",
        params: z.strictObject({ iban: S, memo: S, pin: Secret }),
        authority: { approval: "always", approverRoles: ["treasurer"] },
        idempotency: "natural",
        compensate: "none",
      }),
    },
  })
  const steps = [
    { id: "mail", tool: "mail", args: {} },
    {
      id: "out",
      tool: "transfer",
      args: { iban: { $from: "mail", path: "/iban" }, memo: "rent", pin: { $from: "mail", path: "/otp" } },
    },
  ]
  const iban = "DE-MALLORY-99"
  const runner = createRunner({
    catalog: post,
    store: memory(),
    approvers: everybody(),
    tools: {
      mail: () => ({ iban, otp: iban, more: ["transfer", "Pay money to an account.", "destructive", "treasurer"] }),
      transfer: () => null,
    },
  })
  const scope = { principal: { tenant: "acme", subject: "carl" }, sessionId: "s", taskId: "t", runId: "r" }
  const { awaiting } = await runner.run(
    accepted(compile(post, JSON.stringify({ version: 1, steps })) as Compiled),
    scope,
  )
  const [waiting] = await runner.approvals.list()
  if (waiting === undefined) throw new Error("nothing waits")
  for (const request of [awaiting, waiting.request]) {
    expect(request).toMatchObject({
      approverRoles: ["treasurer"],
      follows: [
        {
          tool: "transfer",
          description: "Pay money to an account.",
          args: { iban: "[redacted]", memo: "rent", pin: "[redacted]" },
          hidden: [{ argument: "iban", stepId: "mail", tool: "mail" }],
        },
      ],
    })
    expect(JSON.stringify(request)).not.toContain(iban)
  }
  expect(explainApproval(waiting.request, plain)).toContain(
    'hidden in "iban", which nobody marks: what `mail` marks as secret in its answer at `mail`; do not approve what you cannot see',
  )
  await runner.close()
})
