/** Idempotency keys with a secret of the tenant: nobody learns arguments by trying, and no process makes other keys for the same run. */
import { mkdirSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { compile, defineCatalog, tool } from "sequitur"
import { createRunner, createWorker, type KeySecret, keys, toolbox } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { expect, test } from "vitest"
import { z } from "zod"
import { idempotencyKey } from "../../src/run/next/key.ts"
import { folder, sequitur } from "../cli/sequitur.ts"

const catalog = defineCatalog({
  name: "cards",
  version: "1",
  approvals: "unsigned",
  machine: { initial: "A", transitions: { A: { B: { guard: "approval" } }, B: {} } },
  tools: {
    block: tool({
      description: "Block a card.",
      effect: "write",
      params: z.strictObject({ pin: z.string().regex(/^\d{3}$/) }),
      result: z.object({ ok: z.boolean() }),
      states: ["A", "B"],
      idempotency: "natural",
      compensate: "none",
    }),
  },
})

const planOf = (steps: readonly object[]) => {
  const compiled = compile(catalog, JSON.stringify({ version: 1, steps }))
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  return compiled.plan
}
const block = { id: "block", tool: "block", args: { pin: "471" } }
const plain = planOf([block])
const guarded = planOf([{ id: "open", transition: "B" }, block])

const secrets = { acme: "a secret of acme's, long enough", umbrella: "a secret of umbrella's, as long" } as const
const keySecret: KeySecret = (tenant) => secrets[tenant as keyof typeof secrets]
const scopeOf = (tenant: string, taskId = "t1") => ({
  principal: { tenant, subject: "ann", roles: [] },
  sessionId: "s1",
  taskId,
})

/** A process of its own: it has nothing but the store. */
const office = (store: string) => {
  const sent: string[] = []
  const tools = {
    block: (_: object, { idempotencyKey = "" }: { readonly idempotencyKey: string | undefined }) => {
      sent.push(idempotencyKey)
      return { ok: true }
    },
  }
  const open = (secret?: KeySecret) =>
    createRunner({ catalog, tools, store: sqlite(store), ...(secret === undefined ? {} : { keySecret: secret }) })
  return { sent, tools, open }
}

const path = () => join(folder(), "runs.db")

test("A107: a PIN is found by trying all of them against a bare key, and not against one that is made with a secret", async () => {
  const { sent, open } = office(path())
  const [bare, keyed] = [open(), open(keySecret)]
  await bare.run(plain, scopeOf("acme"))
  await keyed.run(plain, scopeOf("acme", "t2"))
  await keyed.run(plain, scopeOf("umbrella", "t2"))
  const entries = await keyed.entries((await keyed.runs())[1]?.runId ?? "")
  await Promise.all([bare.close(), keyed.close()])
  const guess = (tenant: string, taskId: string, key: string | undefined): string | undefined => {
    for (let pin = 0; pin < 1_000; pin++) {
      const args = { pin: `${pin}`.padStart(3, "0") }
      const scope = { tenant, subject: "ann", sessionId: "s1", taskId }
      if (idempotencyKey(scope, { tool: "block", toolVersion: "1", occurrence: 1, args }) === key) return args.pin
    }
    return undefined
  }
  expect([guess("acme", "t1", sent[0]), guess("acme", "t2", sent[1]), guess("umbrella", "t2", sent[2])]).toEqual([
    "471",
    undefined,
    undefined,
  ])
  expect(sent.every((key) => /^k1:[0-9a-f]{64}$/.test(key))).toBe(true)
  expect(JSON.stringify(entries)).not.toContain("long enough")
})

test("a key with a secret is an HMAC over the very text that a key without is a hash of; each tenant has its own", () => {
  const call = { tool: "block", toolVersion: "1", occurrence: 1, args: { pin: "471" } }
  const scope = { tenant: "acme", subject: "ann", sessionId: "s1", taskId: "t1" }
  const made = [0, 1].flatMap((generation) =>
    [undefined, "one secret of sixteen bytes", "other secret of sixteen bytes"].map((secret) =>
      idempotencyKey(scope, call, generation, secret === undefined ? undefined : Buffer.from(secret)),
    ),
  )
  expect(new Set(made).size).toBe(6)
  // By another implementation of HMAC: `printf … | openssl dgst -sha256 -hmac "one secret of sixteen bytes"`.
  expect(made[1]).toBe("k1:e002264acd18e66f9534d2bf4df58f64833b9749bfebe79922f3c3f073a66963")
})

test("the keys that are known before a run are those that it sends; the same call again is the same effect", async () => {
  const { sent, open } = office(path())
  const runner = open(keySecret)
  const scope = { tenant: "acme", subject: "ann", sessionId: "s1", taskId: "t1", keySecret }
  const before = keys(plain, catalog, scope)
  if (before instanceof Error) throw before
  const first = await runner.run(plain, scopeOf("acme"))
  const second = await runner.run(plain, scopeOf("acme"))
  await runner.close()
  expect([first.status, second.status]).toEqual(["succeeded", "succeeded"])
  expect(sent).toEqual([before.get("block")])
})

test.each<readonly [string, KeySecret | undefined, string]>([
  ["none", undefined, "this process has no `keySecret`"],
  ["none for its tenant", () => undefined, "`keySecret` has none for its tenant"],
  ["another one", () => secrets.umbrella, "`keySecret` gives another one for its tenant"],
  ["one that is too short", () => "short", "`keySecret` gave fewer than 16 bytes"],
  [
    "one that throws",
    () => {
      throw new Error(secrets.acme)
    },
    "`keySecret` threw",
  ],
])("a process with %s is refused before it does anything", async (_, other, problem) => {
  const { sent, tools, open } = office(path())
  const [mine, theirs] = [open(keySecret), open(other)]
  const { runId } = await mine.run(guarded, scopeOf("acme"))
  const before = await mine.entries(runId)
  const refused = expect.objectContaining({
    _tag: "KeySecretRefused",
    code: "RUN221",
    message: expect.stringContaining(problem),
  })
  await expect(theirs.approve(runId, "open", { by: "eve" })).rejects.toEqual(refused)
  expect(await mine.entries(runId)).toEqual(before)
  await mine.decide(runId, "open", { decision: "approved", by: "eve" })
  await expect(theirs.resume(runId)).rejects.toEqual(refused)
  expect([sent, (await mine.entries(runId)).length]).toEqual([[], before.length + 1])
  // It is there to be read all the same, and whoever has the secret goes on.
  expect((await theirs.status(runId)).status).toBe("running")
  expect(await mine.resume(runId)).toMatchObject({ status: "succeeded" })
  expect(sent).toHaveLength(1)
  await Promise.all([mine.close(), theirs.close()])
  expect(toolbox(catalog, tools).fault).toBeUndefined()
})

test("a worker without it says so, and one with it goes on", async () => {
  const store = path()
  const { sent, tools, open } = office(store)
  const runner = open(keySecret)
  const { runId } = await runner.run(guarded, scopeOf("acme"))
  await runner.decide(runId, "open", { decision: "approved", by: "eve" })
  const errors: unknown[] = []
  const work = (more: { readonly keySecret?: KeySecret }) =>
    createWorker({
      store: sqlite(store),
      tools: toolbox(catalog, tools),
      everyMs: 5,
      untilIdle: true,
      onError: (error) => errors.push(error),
      ...more,
    }).stopped
  await work({})
  expect([errors.map((error) => (error as { readonly code?: string }).code), sent]).toEqual([["RUN221"], []])
  await work({ keySecret })
  expect((await runner.status(runId)).status).toBe("succeeded")
  await runner.close()
})

test("a run that began without one goes on without, whoever has one by now", async () => {
  const { sent, open } = office(path())
  const [before, after] = [open(), open(keySecret)]
  const { runId } = await before.run(guarded, scopeOf("acme"))
  expect((await after.approve(runId, "open", { by: "eve" })).status).toBe("succeeded")
  const found = keys(plain, catalog, { tenant: "acme", subject: "ann", sessionId: "s1", taskId: "t1" })
  expect(found instanceof Error ? found : [...found.values()]).toEqual(sent)
  await Promise.all([before.close(), after.close()])
})

test.each<readonly [string, unknown]>([
  ["gave fewer than 16 bytes", () => "fifteen bytes.."],
  ["gave neither bytes nor a text", () => 17],
  [
    "threw",
    () => {
      throw new Error(secrets.acme)
    },
  ],
  ["must be a function", secrets.acme],
])("a secret that cannot be used begins no run: it %s", async (problem, secret) => {
  const { sent, open } = office(path())
  const runner = open(secret as KeySecret)
  const error: unknown = await runner.run(plain, scopeOf("acme")).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    _tag: "InputsRefused",
    message: expect.stringContaining(`\`keySecret\` of this run ${problem}`),
  })
  expect(String(error)).not.toContain(secrets.acme)
  expect([sent, await runner.runs()]).toEqual([[], []])
  await runner.close()
})

test("the command line takes it, and credentials, from the module of the tools; `replay` says where it cannot do without", async () => {
  const at = folder({
    "catalog.ts": `import { defineCatalog, tool } from "sequitur"
import { z } from "zod"
export default defineCatalog({ name: "c", version: "1", tools: { set: tool({ description: "Set it.", effect: "write",
  params: z.strictObject({ pin: z.string() }), result: z.object({ by: z.string() }), idempotency: "natural", compensate: "none" }) } })
`,
    "tools.ts": `import { toolbox } from "sequitur/run"
import catalog from "./catalog.ts"
export default toolbox(catalog, { set: (_, { credentials }) => ({ by: \`\${(credentials as { of: string }).of.length}\` }) })
export const credentials = () => ({ of: "credentials of sixteen" })
export const keySecret = () => process.env.KEY_SECRET
`,
    "plan.json": JSON.stringify({ version: 1, steps: [{ id: "set", tool: "set", args: { pin: "471" } }] }),
  })
  mkdirSync(join(at, "node_modules"))
  symlinkSync(process.cwd(), join(at, "node_modules/sequitur"))
  symlinkSync(resolve("node_modules/zod"), join(at, "node_modules/zod"))
  const store = join(at, "runs.db")
  const call = (args: readonly string[], secret?: string) =>
    sequitur([...args, "--store", store], { cwd: at, env: secret === undefined ? {} : { KEY_SECRET: secret } })
  const run = await call(["run", "plan.json"], secrets.acme)
  expect([run.code, run.err]).toEqual([0, ""])
  const runId = /run_[0-9a-f]{32}/.exec(run.out)?.[0] ?? "none"
  expect((await call(["replay", runId], secrets.acme)).out).toContain("each as it follows")
  for (const secret of [undefined, secrets.umbrella]) {
    const replayed = await call(["replay", runId], secret)
    expect([replayed.code, replayed.err]).toEqual([1, expect.stringContaining("RUN221")])
    expect(replayed.err).toContain("makes its idempotency keys with a secret")
  }
}, 60_000)
