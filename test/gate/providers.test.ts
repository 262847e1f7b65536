/** What a host gives beside the handlers, through a gate as through a runner: credentials, the secret of keys, and whom to tell of requests. */
import { Effect } from "effect"
import { type CallContext, createRunner, type Entry, type Journal, seededIds, type WaitingApproval } from "sequitur/run"
import { describe, expect, test } from "vitest"
import { makeWorld, openShop, sharedStore, shop, who } from "./shop.ts"

const token = "a token of sixteen"
const secret = "a secret of the tenant"

const entriesOf = (journal: Journal["Service"], runId: string): Promise<readonly Entry[]> =>
  Effect.runPromise(journal.read(runId))

/** Its `post` and `grant` keep what they are told. */
function told(answer: (context: CallContext) => unknown = () => ({})) {
  const contexts: CallContext[] = []
  const { tools } = makeWorld()
  const keep = (_: unknown, context: CallContext): unknown => {
    contexts.push(context)
    return answer(context)
  }
  return { contexts, tools: { ...(tools as object), post: keep, grant: keep, mail: keep } as never }
}

describe.each(["enforce", "observe"] as const)("a gate that is to %s", (mode) => {
  test("asks for credentials right before a call, shows them to its handler, and keeps them nowhere", async () => {
    const { store, journal } = await sharedStore()
    const { contexts, tools } = told(({ credentials }) => ({
      text: `with ${(credentials as { token: string }).token}`,
    }))
    const asked: unknown[] = []
    const credentials = (about: object) => {
      asked.push(about)
      return { token }
    }
    const gate = await openShop({ tools }, { store, mode, credentials })
    const call = await gate.call("mail", {}, { callId: "m" })
    expect(call).toMatchObject({ kind: "accepted", result: { text: "with [redacted]" } })
    expect(contexts.map((context) => context.credentials)).toEqual([{ token }])
    expect(asked).toEqual([{ ...who.principal, tool: "mail", runId: gate.runId, stepId: "m", attempt: 1, for: "call" }])
    expect(JSON.stringify(await entriesOf(journal, gate.runId))).not.toContain(token)
    await gate.close()
  })

  test("without credentials to be had calls nothing, and goes on by the same id when there are some", async () => {
    const { contexts, tools } = told()
    let given: (() => object) | undefined
    const credentials = () => {
      if (given === undefined) throw new Error(token)
      return given()
    }
    const gate = await openShop({ tools }, { mode, credentials })
    const asked = gate.call("post", { text: "x" }, { callId: "p" })
    const error: unknown = await asked.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ _tag: "CredentialsUnavailable" })
    expect([String(error).includes(token), contexts.length]).toEqual([false, 0])
    given = () => ({ token })
    expect(await gate.call("post", { text: "x" }, { callId: "p" })).toMatchObject({ kind: "accepted" })
    expect(contexts).toHaveLength(1)
    await gate.close()
  })

  test("makes the keys of effects with the secret of the tenant", async () => {
    const keys = async (keySecret?: () => string) => {
      const { contexts, tools } = told()
      const gate = await openShop({ tools }, { mode, ...(keySecret && { keySecret }) })
      await gate.call("post", { text: "x" }, { callId: "p" })
      await gate.close()
      return contexts.map(({ idempotencyKey }) => idempotencyKey)
    }
    const [bare, keyed, again] = [await keys(), await keys(() => secret), await keys(() => secret)]
    expect([bare, keyed]).toEqual([[expect.stringMatching(/^k1:/)], [expect.stringMatching(/^k1:/)]])
    expect(keyed).toEqual(again)
    expect(keyed).not.toEqual(bare)
  })
})

test("a run that was begun with a secret is taken up with it alone", async () => {
  const { store, journal } = await sharedStore()
  const { tools } = told()
  const keySecret = () => secret
  const first = await openShop({ tools }, { store, keySecret })
  await first.call("post", { text: "x" }, { callId: "p" })
  await first.leave()
  const { runId } = first
  expect((await entriesOf(journal, runId))[0]?.event).toMatchObject({ keyed: expect.stringMatching(/^[0-9a-f]{64}$/) })
  for (const other of [undefined, () => "another secret of it"]) {
    const opened = openShop({ tools }, { store, runId, ...(other && { keySecret: other }) })
    await expect(opened).rejects.toMatchObject({ _tag: "KeySecretRefused" })
  }
  const again = await openShop({ tools }, { store, runId, keySecret })
  expect(await again.call("post", { text: "y" }, { callId: "q" })).toMatchObject({ kind: "accepted" })
  // The worker makes the same keys: the run derives as it was written.
  await again.close()
  const runner = createRunner({ catalog: shop, tools, store, keySecret })
  expect(await runner.status(runId)).toMatchObject({ status: "succeeded" })
  await runner.close()
})

test("what a secret must not be is refused before anything is written", async () => {
  const { store, journal } = await sharedStore()
  for (const keySecret of ["text" as never, () => "short"])
    await expect(openShop(told(), { store, keySecret })).rejects.toMatchObject({ _tag: "InputsRefused" })
  expect(await Effect.runPromise(journal.list())).toEqual([])
})

describe("whoever is to be told of requests", () => {
  test("is told of each of its run, at once and once, and it is written down", async () => {
    const { store, journal } = await sharedStore()
    const heard: WaitingApproval[] = []
    const onRequested = (waiting: WaitingApproval): void => void heard.push(waiting)
    const { tools } = told()
    const other = await openShop({ tools }, { store, task: "other", ids: seededIds("other") })
    await other.call("grant", { right: "of another run" }, { callId: "o" })
    const gate = await openShop({ tools }, { store, onRequested })
    expect(await gate.call("grant", { right: "read" }, { callId: "g" })).toMatchObject({ kind: "waiting" })
    await expect
      .poll(async () => (await entriesOf(journal, gate.runId)).map(({ event }) => event.kind))
      .toContain("request-delivered")
    expect(heard).toMatchObject([{ runId: gate.runId, request: { stepId: "g" } }])
    expect(await gate.call("grant", { right: "read" }, { callId: "g" })).toMatchObject({ kind: "waiting" })
    await gate.close()
    await other.leave()
    expect(heard).toHaveLength(1)
  })

  test("is told by the gate that takes the run up, where the first could not", async () => {
    const { store } = await sharedStore()
    const { tools } = told()
    const first = await openShop({ tools }, { store })
    await first.call("grant", { right: "read" }, { callId: "g" })
    await first.leave()
    const heard: string[] = []
    const onRequested = ({ runId }: WaitingApproval): void => void heard.push(runId)
    const again = await openShop({ tools }, { store, runId: first.runId, onRequested })
    await expect.poll(() => heard).toEqual([first.runId])
    await again.leave()
  })
})
