/** A run that was altered in the store hides nobody else's request. */
import { DatabaseSync } from "node:sqlite"
import { type Compiled, compile, defineCatalog, tool } from "sequitur"
import { createRunner } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { expect, test } from "vitest"
import { z } from "zod"
import { newFile } from "../../journal/stores.ts"
import { accepted } from "../desk.ts"
import { codeOf, everybody } from "./people.ts"

const catalog = defineCatalog({
  name: "bank",
  version: "1",
  tools: {
    pay: tool({
      description: "Pay.",
      effect: "write",
      params: z.strictObject({ to: z.string() }),
      idempotency: "natural",
      compensate: "none",
      authority: { approval: "always" },
    }),
  },
})

test("one altered run, of whatever tenant", async () => {
  const file = newFile()
  const steps = [{ id: "p", tool: "pay", args: { to: "x" } }]
  const plan = accepted(compile(catalog, JSON.stringify({ version: 1, steps })) as Compiled)
  const open = () => createRunner({ catalog, tools: { pay: () => null }, store: sqlite(file), approvers: everybody() })
  const before = open()
  for (const [runId, tenant] of [
    ["bad", "other"],
    ["good", "acme"],
  ] as const)
    await before.run(plan, { principal: { tenant, subject: "ada" }, runId, sessionId: "s", taskId: "t" })
  await before.close()
  const db = new DatabaseSync(file)
  for (const { name } of db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all())
    db.exec(`DROP TRIGGER ${name}`)
  db.exec("UPDATE entry SET payload = replace(payload, 'other', 'otter') WHERE run = 'bad' AND seq = 0")
  db.close()
  const runner = open()
  for (const tenant of [undefined, "acme"]) {
    expect((await runner.approvals.list({ tenant })).map(({ runId }) => runId)).toEqual(["good"])
    expect(await runner.approvals.get("good/p", { tenant })).toMatchObject({ runId: "good" })
  }
  expect(await codeOf(runner.status("bad"))).toBe("RUN503")
  await runner.close()
})
