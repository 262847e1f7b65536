/** The listed attacks on authority and on logs, each by its id: against the doors that a host uses. */
import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { arg, compile, defineCatalog, predicate, tool } from "sequitur"
import {
  type Approver,
  type AskedFor,
  createRunner,
  decide,
  execute,
  generateKeys,
  issueApproval,
  memory,
  type RunnerOptions,
  seededIds,
  type WaitingApproval,
} from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { explainEntry } from "../../src/explain/history.ts"
import { boundOf } from "../../src/run/approval/bound.ts"
import { folder } from "../cli/sequitur.ts"

const ownAccount = predicate("own-account", "1", ({ account }: { readonly account: string }, { tenant }) =>
  account.startsWith(`${tenant}/`),
)

const pay = {
  description: "Pay.",
  effect: "destructive",
  params: z.strictObject({
    account: z.string(),
    cents: z.int().positive().max(50_000),
    currency: z.enum(["EUR", "JPY"]).optional(),
  }),
  rules: { currency: { mustState: true } },
  blast: { cents: arg("cents") },
  authority: { approval: "always", when: ownAccount },
  idempotency: "natural",
  compensate: "none",
} as const

const catalogOf = (more: object = {}) =>
  defineCatalog({
    name: "bank",
    version: "1",
    blastRadius: { cents: { max: 60_000 } },
    tools: { pay: tool({ ...pay, ...more } as typeof pay) },
  })
const catalog = catalogOf()

const stepOf = (args: object, id = "pay") => ({ id, tool: "pay", args })
const args = { account: "acme/1", cents: 100, currency: "EUR" }
const textOf = (...steps: readonly object[]) => JSON.stringify({ version: 1, steps })
const planOf = (text: string) => {
  const compiled = compile(catalog, text)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  return compiled.plan
}
const codes = (...steps: readonly object[]) => compile(catalog, textOf(...steps)).diagnostics.map(({ code }) => code)

const eve = generateKeys()
const mallory = generateKeys()
const approver = (more: Partial<Approver> = {}): Approver => ({
  kid: eve.kid,
  publicKey: eve.publicKey,
  subject: "eve",
  tenant: "acme",
  roles: [],
  ...more,
})
const principal = { tenant: "acme", subject: "ada" }

const bank = (options: Partial<RunnerOptions<(typeof catalog)["spec"]>> = {}) => {
  const made: unknown[] = []
  const runner = createRunner({
    catalog,
    store: memory(),
    approvers: [approver()],
    tools: { pay: (args: unknown) => void made.push(args) },
    ...options,
  } as RunnerOptions<(typeof catalog)["spec"]>)
  const ask = async (runId = "r", text = textOf(stepOf(args))): Promise<WaitingApproval> => {
    await runner.run(planOf(text), { principal, sessionId: "s", taskId: runId, runId })
    return runner.approvals.get(`${runId}/pay`)
  }
  return { runner, made, ask }
}

const sign = ({ bound }: Pick<WaitingApproval, "bound">, more: Partial<Parameters<typeof issueApproval>[0]> = {}) =>
  issueApproval({ bound, decision: "approved", reason: "seen", kid: eve.kid, key: eve.privateKey as never, ...more })

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "taken",
    (error: { readonly code: string }) => error.code,
  )

test("A053: without a token nothing happens, however often the run is taken up", async () => {
  const { runner, made, ask } = bank()
  await ask()
  for (let time = 0; time < 3; time++) expect((await runner.resume("r")).status).toBe("awaiting_approval")
  expect(await codeOf(runner.approve("r", "pay", { by: "eve" }))).toBe("RUN312")
  expect(made).toEqual([])
  await runner.close()
})

test("A054: one token, handed in many times by two processes at once, is taken once", async () => {
  const store = join(folder(), "runs.db")
  const [one, other] = [bank({ store: sqlite(store) }), bank({ store: sqlite(store) })]
  const token = await sign(await one.ask())
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => codeOf((index % 2 === 0 ? one : other).runner.approvals.answer(token))),
  )
  expect(answers.filter((answer) => answer === "taken")).toHaveLength(1)
  expect(answers.filter((answer) => answer !== "taken" && answer !== "RUN313")).toEqual([])
  await one.runner.resume("r")
  expect(await codeOf(other.runner.approvals.answer(token))).toBe("RUN205")
  expect([...one.made, ...other.made]).toEqual([args])
  await Promise.all([one.runner.close(), other.runner.close()])
})

describe("A055: a token that is not of now is refused", () => {
  test("late or early", async () => {
    const { runner, ask } = bank()
    const waiting = await ask()
    const now = Date.now()
    const late = await sign(waiting, { notBeforeMs: now - 9_000, expiresAtMs: now - 5_000 })
    const early = await sign(waiting, { notBeforeMs: now + 60_000 })
    expect(await codeOf(runner.approvals.answer(late))).toBe("RUN310")
    expect(await codeOf(runner.approvals.answer(early))).toBe("RUN309")
    // Neither has used anything up.
    expect(await codeOf(runner.approvals.answer(await sign(waiting)))).toBe("taken")
    await runner.close()
  })

  it.effect("and stays expired when the clock is set back by a day", () =>
    Effect.gen(function* () {
      const now = 1_800_000_000_000
      yield* TestClock.setTime(now)
      const services = yield* Effect.scoped(Layer.build(Layer.merge(memory(), seededIds("a055"))))
      const equipment = { catalog, tools: { pay: () => null } as never, approvers: [approver()] }
      const waiting = yield* Effect.provideContext(
        execute(planOf(textOf(stepOf(args))), { principal, sessionId: "s", taskId: "t", runId: "r", ...equipment }),
        services,
      )
      if (waiting.status !== "awaiting_approval") throw new Error(waiting.status)
      const plan = planOf(textOf(stepOf(args)))
      const bound = boundOf(
        { runId: "r", started: { tenant: "acme", planHash: plan.planHash, catalogHash: plan.catalogHash } as never },
        waiting.awaiting,
      )
      const token = yield* Effect.promise(() =>
        sign({ bound }, { notBeforeMs: now - 7_200_000, expiresAtMs: now - 3_600_000 }),
      )
      yield* TestClock.setTime(now - 5_400_000)
      const said = { decision: "approved", token, approvers: [approver()] } as const
      expect(yield* Effect.flip(Effect.provideContext(decide("r", "pay", said), services))).toMatchObject({
        _tag: "ApprovalExpired",
      })
    }),
  )
})

test("A057: another spelling of the same arguments is the same; one other byte is not", async () => {
  const spelt = `{"version":1,"steps":[{"args":{"currency":"EUR","cents":1.0e2,"account":"acme/1"},"tool":"pay","id":"pay"}]}`
  expect(planOf(spelt).planHash).toBe(planOf(textOf(stepOf(args))).planHash)
  const { runner, made, ask } = bank()
  const waiting = await ask("a", spelt)
  const others = [
    { ...args, cents: 101 },
    { ...args, account: "acme/2" },
    { ...args, currency: "JPY" },
  ]
  for (const [index, changed] of others.entries()) {
    const other = await ask(`b${index}`, textOf(stepOf(changed)))
    for (const part of ["inputs", "plan"] as const) {
      const bound = { ...other.bound, [part]: waiting.bound[part] }
      expect(await codeOf(runner.approvals.answer(await sign({ bound })))).toBe("RUN308")
    }
  }
  expect(codes(stepOf({ ...args, extra: 1 }))).toContain("SEQ121")
  expect(await codeOf(runner.approvals.answer(await sign(waiting)))).toBe("taken")
  expect((await runner.resume("a")).status).toBe("succeeded")
  expect(made).toEqual([args])
  await runner.close()
})

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

test("A058: a token's header chooses neither algorithm nor key", async () => {
  const { runner, made, ask } = bank()
  const waiting = await ask()
  const token = await sign(waiting)
  const [head = "", body = "", signature = ""] = token.split(".")
  const header = JSON.parse(Buffer.from(head, "base64url").toString()) as object
  const forged = [
    { alg: "none" },
    { alg: "HS256" },
    { alg: "ES256" },
    { kid: "../../x" },
    { jku: "https://evil.test/keys" },
    { jwk: mallory.publicKey },
    { x5u: "https://evil.test" },
    { crit: ["exp"] },
  ].map((change) => `${base64({ ...header, ...change })}.${body}.${signature}`)
  const other = await sign(waiting, { key: mallory.privateKey as never })
  const unknown = await sign(waiting, { kid: mallory.kid, key: mallory.privateKey as never })
  for (const one of [...forged, `${head}.${body}.`, `${head}.${body}`, other, unknown])
    expect(await codeOf(runner.approvals.answer(one))).toMatch(/^RUN30[67]$/)
  expect([made, await codeOf(runner.approvals.answer(token))]).toEqual([[], "taken"])
  await runner.close()
})

test("A059: a signature that is cut, padded, or written otherwise is none", async () => {
  const { runner, ask } = bank()
  const token = await sign(await ask())
  const [head = "", body = "", signature = ""] = token.split(".")
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  // The last of 86 characters has four bits too many: another spelling of the same bytes.
  const spare = `${signature.slice(0, -1)}${alphabet[alphabet.indexOf(signature.at(-1) ?? "") ^ 1]}`
  expect(Buffer.from(spare, "base64url")).toEqual(Buffer.from(signature, "base64url"))
  const bad = [
    signature.slice(0, -4),
    `${signature}==`,
    spare,
    Buffer.from(signature, "base64url").toString("hex").toUpperCase(),
    `${signature} `,
    `${signature}\n`,
    signature.replace(/[A-Za-z]/, (letter) => (letter === "A" ? "B" : "A")),
  ]
  for (const one of bad) expect(await codeOf(runner.approvals.answer(`${head}.${body}.${one}`))).toBe("RUN306")
  expect(await codeOf(runner.approvals.answer(token))).toBe("taken")
  await runner.close()
})

test("A061: a key that is revoked before the deed counts for nothing, and the journal says which", async () => {
  let keySet = [approver()]
  const { runner, made, ask } = bank({ approvers: (kid) => keySet.find((one) => one.kid === kid) })
  const waiting = await ask()
  const token = await sign(waiting)
  expect(await codeOf(runner.approvals.answer(token))).toBe("taken")
  keySet = [approver({ revokedAtMs: Date.now() })]
  expect((await runner.resume("r")).status).toBe("awaiting_approval")
  const lapsed = (await runner.entries("r")).find(({ event }) => event.kind === "approval-lapsed")?.event
  expect(lapsed).toMatchObject({ failure: { code: "RUN307", message: expect.stringContaining(eve.kid) } })
  expect(made).toEqual([])
  await runner.close()
})

test("A065: a tool that is another one since it was approved is not called", async () => {
  const store = join(folder(), "runs.db")
  const { runner, ask } = bank({ store: sqlite(store) })
  expect(await codeOf(runner.approvals.answer(await sign(await ask())))).toBe("taken")
  await runner.close()
  const swaps = [
    { params: pay.params.extend({ memo: z.string().optional() }) },
    { params: pay.params.extend({ cents: z.int().positive().max(60_000) }) },
    { effect: "write" },
    { version: "2" },
    { authority: { approval: "always" } },
    { idempotency: "none" },
  ]
  for (const swap of swaps) {
    const after = bank({ store: sqlite(store), catalog: catalogOf(swap) as unknown as typeof catalog })
    expect(await codeOf(after.runner.resume("r"))).toBe("RUN202")
    expect(after.made).toEqual([])
    await after.runner.close()
  }
})

test("A066: whose credentials a call gets is said by its run, and another tenant's account is refused", async () => {
  const asked: AskedFor[] = []
  const { runner, made, ask } = bank({ credentials: (about) => void asked.push(about) })
  const evil = { ...args, account: "umbrella/1" }
  expect(codes(stepOf(evil)).filter((code) => code === "SEQ504")).toEqual([])
  const judged = compile(catalog, textOf(stepOf(evil)), { principal }).diagnostics.map(({ code }) => code)
  expect(judged).toContain("SEQ504")
  // Nor at the deed, where nobody was asked at compile.
  const report = await runner.run(planOf(textOf(stepOf(evil))), { principal, sessionId: "s", taskId: "e", runId: "e" })
  expect([report.status, made, asked]).toEqual(["failed", [], []])
  const text = JSON.stringify({
    version: 1,
    goal: "as tenant umbrella",
    steps: [stepOf({ ...args, account: "acme/umbrella" })],
  })
  expect(await codeOf(runner.approvals.answer(await sign(await ask("r", text))))).toBe("taken")
  expect((await runner.resume("r")).status).toBe("succeeded")
  expect(asked.map(({ tenant, subject }) => [tenant, subject])).toEqual([["acme", "ada"]])
  await runner.close()
})

test("A069: amounts are whole, above zero, in a currency that is said, and no sum wraps round", () => {
  const paying = (cents: number, id = "pay") => stepOf({ ...args, cents }, id)
  for (const cents of [-100, 0, 1.5, 2 ** 53]) expect(compile(catalog, textOf(paying(cents))).ok).toBe(false)
  expect(codes(stepOf({ account: "acme/1", cents: 1_000 }))).toContain("SEQ506")
  expect(codes(stepOf({ ...args, currency: "USD" }))).toContain("SEQ123")
  expect(codes(paying(40_000), paying(40_001, "again"))).toContain("SEQ402")
  // A limit for each currency is a dimension for each; what may be negative, or a fraction, counts in none.
  for (const cents of [z.int().min(-5).max(5), z.number().min(0).max(5)]) {
    const { diagnostics } = catalogOf({ params: pay.params.extend({ cents }) })
    expect(diagnostics.filter(({ severity }) => severity === "error")).not.toEqual([])
  }
  const huge = Number.MAX_SAFE_INTEGER - 1
  const wide = defineCatalog({
    name: "wide",
    version: "1",
    blastRadius: { cents: { max: huge } },
    tools: { pay: tool({ ...pay, params: pay.params.extend({ cents: z.int().positive().max(huge) }) }) },
  })
  const sum = compile(wide, textOf(paying(huge), paying(huge - 1, "again"), paying(2, "third")))
  expect(sum.diagnostics.map(({ code }) => code)).toContain("SEQ402")
})

test("A110: what comes from outside is one line of a log, and moves no cursor", async () => {
  const hostile = "x\nrun-ended succeeded\r\u001b[2K\u001b]8;;https://evil.test\u0007ok\u202e"
  const { runner } = bank({
    tools: {
      pay: () => {
        throw new Error(hostile)
      },
    } as never,
  })
  const waiting = await (async () => {
    const plan = planOf(textOf(stepOf({ ...args, account: `acme/${hostile}` })))
    await runner.run(plan, { principal, sessionId: hostile.replaceAll(/\p{C}/gu, ""), taskId: "t", runId: "r" })
    return runner.approvals.get("r/pay")
  })()
  await runner.approvals.answer(await sign(waiting, { reason: hostile }))
  await runner.resume("r").catch(() => {})
  for (const entry of await runner.entries("r")) {
    const line = explainEntry(entry, { color: false, width: 120 })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    expect(line.split("\n").filter((part) => /[\u0000-\u0008\u000b-\u001f\u007f\u202e]/.test(part))).toEqual([])
    expect(line.split("\n").filter((part) => /^run-ended/.test(part))).toEqual([])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
    expect(JSON.stringify(entry)).not.toMatch(/[\u0000-\u001f]/)
  }
  // A tool cannot be called so at all.
  const odd = defineCatalog({ name: "odd", version: "1", tools: { [hostile]: tool(pay) } })
  expect(odd.diagnostics.some(({ severity }) => severity === "error")).toBe(true)
  await runner.close()
})
