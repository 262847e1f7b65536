/** Credentials: asked for right before each call, given to its handler, and found nowhere else, whatever the handler does with them. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { arg, compile, defineCatalog, fromResult, tool } from "sequitur"
import { otlp } from "sequitur/otel"
import {
  type AskedFor,
  type CallContext,
  createRunner,
  createWorker,
  type Entry,
  isolated,
  memory,
  notApplied,
  type RunnerOptions,
  reconciled,
  toolbox,
} from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { perform } from "../../src/run/call/perform.ts"
import { folder } from "../cli/sequitur.ts"
import { apiKey, everyWay, holds } from "../leak/canary.ts"
import { call, makeStation, pause } from "./calling.ts"
import { scope } from "./desk.ts"

const wide = z.record(z.string(), z.string())

const catalog = defineCatalog({
  name: "bank",
  version: "1",
  blastRadius: { cents: { max: 500 } },
  tools: {
    look: tool({
      description: "Look.",
      effect: "read",
      params: z.strictObject({}),
      result: wide,
      timeoutMs: 300,
      retry: { times: 2, backoffMs: 1 },
    }),
    pay: tool({
      description: "Pay.",
      effect: "destructive",
      params: z.strictObject({ cents: z.int().positive().max(500) }),
      result: z.object({ id: z.string() }),
      blast: { cents: arg("cents") },
      idempotency: "none",
      reconcile: { finalAfterMs: 0 },
      compensate: { tool: "unpay", args: { id: fromResult("/id") } },
      timeoutMs: 300,
    }),
    unpay: tool({
      description: "Take it back.",
      effect: "write",
      params: z.strictObject({ id: z.string() }),
      idempotency: "natural",
      compensate: "none",
    }),
  },
})

type Tools = RunnerOptions<(typeof catalog)["spec"]>["tools"]

const planOf = (...steps: readonly object[]) => {
  const compiled = compile(catalog, JSON.stringify({ version: 1, steps }))
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
  return compiled.plan
}
const look = { id: "look", tool: "look", args: {} }
const pay = { id: "pay", tool: "pay", args: { cents: 100 } }
const again = { id: "again", tool: "look", args: {} }

const tokenOf = ({ credentials }: CallContext): string => (credentials as { readonly token: string }).token

/** Each token is another one: for this call alone. */
const vault = (refuse: (asked: AskedFor, count: number) => unknown = () => undefined) => {
  const asked: AskedFor[] = []
  const credentials = async (about: AskedFor) => {
    asked.push(about)
    const refused = refuse(about, asked.length)
    if (refused !== undefined) return refused
    return { token: `${apiKey} ${about.tool} ${asked.length}`, port: 100 }
  }
  return { asked, credentials }
}

/** `seen`: which tokens the handlers were given. */
const bank = (instead: Partial<Tools> = {}) => {
  const seen: string[] = []
  const note = (context: CallContext) => void seen.push(tokenOf(context).slice(apiKey.length + 1))
  const tools: Tools = {
    look: (_, context) => {
      note(context)
      return { found: "it" }
    },
    pay: {
      call: (_, context) => {
        note(context)
        return { id: "p1" }
      },
      reconcile: (_, __, context) => {
        note(context)
        return reconciled.applied({ id: "p1" })
      },
    },
    unpay: (_, context) => {
      note(context)
      return null
    },
    ...instead,
  }
  return { seen, tools }
}

describe("a handler is given", () => {
  test("what was asked for right before its call: with what came before written down, and without an intent", async () => {
    const { seen, tools } = bank()
    const kinds: string[][] = []
    const { asked, credentials } = vault()
    const runner = createRunner({
      catalog,
      tools,
      store: memory(),
      credentials: async (about) => {
        kinds.push((await runner.entries("r")).map(({ event }) => event.kind).slice(-2))
        return credentials(about)
      },
    })
    const report = await runner.run(planOf(look, pay), { ...scope, runId: "r", inputs: undefined })
    expect(report.status).toBe("succeeded")
    expect(seen).toEqual(["look 1", "pay 2"])
    expect(kinds).toEqual([["run-started"], ["intent", "outcome"]])
    const { tenant, subject, roles } = { ...scope.principal, roles: ["agent"] }
    const of = { tenant, subject, roles, runId: "r", attempt: 1, for: "call" }
    expect(asked).toEqual([
      { ...of, tool: "look", stepId: "look" },
      { ...of, tool: "pay", stepId: "pay" },
    ])
    await runner.close()
  })

  test("others for each further call: of a read, of what takes an effect back, and of the question what became of it", async () => {
    let looks = 0
    const { seen, tools } = bank({
      look: (_, context) => {
        seen.push(tokenOf(context).slice(apiKey.length + 1))
        looks++
        if (looks < 3) throw new Error("not now")
        return { found: "it" }
      },
      pay: {
        call: () => {
          throw new Error("lost")
        },
        reconcile: (_, __, context) => {
          seen.push(tokenOf(context).slice(apiKey.length + 1))
          return reconciled.applied({ id: "p1" })
        },
      },
    })
    const { asked, credentials } = vault()
    const runner = createRunner({ catalog, tools, store: memory(), credentials })
    const report = await runner.run(planOf(pay, look), { ...scope, inputs: undefined })
    expect(report.status).toBe("failed")
    expect(asked.map((about) => [about.for, about.tool, about.stepId, about.attempt])).toEqual([
      ["call", "pay", "pay", 1],
      ["reconcile", "pay", "pay", 1],
      ["call", "look", "look", 1],
      ["call", "look", "look", 2],
      ["undo", "unpay", "pay", 1],
    ])
    expect(seen).toEqual(["pay 2", "look 3", "look 4", "unpay 5"])
    await runner.close()
  })

  test("nothing, where nobody was asked, or the tool needs none", async () => {
    const given: unknown[] = []
    const { tools } = bank({
      look: (_, { credentials }) => {
        given.push(credentials)
        return {}
      },
    })
    for (const credentials of [undefined, () => undefined]) {
      const runner = createRunner({ catalog, tools, store: memory(), credentials })
      expect((await runner.run(planOf(look), { ...scope, inputs: undefined })).status).toBe("succeeded")
      await runner.close()
    }
    expect(given).toEqual([undefined, undefined])
  })

  it.live("them in a process of its own too, and not by its command or environment", () =>
    Effect.gen(function* () {
      const handler = isolated(new URL("./isolated-handlers.ts", import.meta.url), "credentials")
      const { worker } = yield* makeStation({ any: { call: handler } })
      const calling = call("any", { credentials: { token: apiKey } })
      const fiber = yield* Effect.forkChild(perform(worker, calling, { ms: 30_000 }))
      yield* pause(0)
      const event = yield* Fiber.join(fiber)
      expect(event).toMatchObject({ kind: "outcome", result: { n: apiKey.length, told: "[redacted]" } })
      expect(holds(JSON.stringify(event), apiKey)).toBe(false)
    }),
  )
})

describe("where there are none, nothing is called and no intent is written:", () => {
  const leaky = new Error(`vault says: ${apiKey} has expired`)
  test.each([
    [
      "threw",
      () => {
        throw leaky
      },
      "`credentials` threw",
    ],
    ["rejected", () => Promise.reject(leaky), "`credentials` threw"],
    ["did not answer", () => new Promise(() => {}), "`credentials` did not answer within 300 ms"],
    ["no plain JSON", () => ({ token: () => apiKey }), "what `credentials` gave is no plain JSON: a function"],
  ] as const)("%s", async (_, refuse, problem) => {
    const { seen, tools } = bank()
    const { credentials } = vault((about, count) => (about.tool === "pay" && count === 2 ? refuse() : undefined))
    const runner = createRunner({ catalog, tools, store: memory(), credentials })
    const ran = runner.run(planOf(look, pay, again), { ...scope, runId: "r", inputs: undefined })
    const error: unknown = await ran.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      _tag: "CredentialsUnavailable",
      code: "RUN220",
      again: true,
      message: expect.stringContaining(problem),
    })
    expect(holds(String(error), apiKey)).toBe(false)
    const entries = await runner.entries("r")
    expect(entries.map(({ event }) => event.kind)).toEqual(["run-started", "intent", "outcome"])
    expect(seen).toEqual(["look 1"])
    // Nothing has happened: it goes on once there are some.
    expect(await runner.resume("r")).toMatchObject({ status: "succeeded" })
    expect(seen).toEqual(["look 1", "pay 3", "look 4"])
    await runner.close()
  })

  test("a worker tries again", async () => {
    const store = sqlite(join(folder(), "runs.db"))
    const { seen, tools } = bank()
    const { credentials } = vault((_, count) => (count < 3 ? Promise.reject(leaky) : undefined))
    const runner = createRunner({ catalog, tools, store, credentials })
    await expect(runner.run(planOf(pay), { ...scope, runId: "r", inputs: undefined })).rejects.toThrow(
      "there are no credentials",
    )
    const errors: unknown[] = []
    const worker = createWorker({
      store,
      tools: toolbox(catalog, tools),
      credentials,
      everyMs: 5,
      onError: (error) => errors.push(error),
    })
    await expect.poll(async () => (await runner.status("r")).status, { timeout: 5_000 }).toBe("succeeded")
    expect(seen).toEqual(["pay 3"])
    expect(errors.map(String).join()).toContain("there are no credentials")
    await worker.stop()
    await runner.close()
  })
})

/** In a result, an error, a URL, a header and a key, in every way of writing. */
const said = (context: CallContext): string => everyWay(tokenOf(context)).join("\n")
const echoes = {
  "a result": {
    look: (_: object, context: CallContext) => ({
      ...Object.fromEntries(everyWay(tokenOf(context)).map((way, index) => [`x-${index}`, way])),
      [tokenOf(context)]: said(context),
    }),
  },
  "an error": {
    look: (_: object, context: CallContext) => {
      throw new Error(`401 of https://x.test/?key=${encodeURIComponent(tokenOf(context))} ${said(context)}`)
    },
  },
  "no plain result": { look: (_: object, context: CallContext) => ({ [tokenOf(context)]: new Date() }) as never },
  "an effect's error": {
    pay: {
      call: (_: object, context: CallContext) => {
        throw new Error(said(context))
      },
      reconcile: (_: string, __: object, context: CallContext) => reconciled.applied({ id: said(context) }),
    },
  },
  "an effect that was not applied, and what asks after it": {
    pay: {
      call: (_: object, context: CallContext) => {
        throw notApplied(said(context))
      },
      reconcile: () => reconciled.barred,
    },
  },
  "a late answer": {
    pay: {
      call: async (_: object, context: CallContext) => {
        await new Promise((done) => setTimeout(done, 350))
        return { id: said(context) }
      },
      reconcile: (_: string, __: object, context: CallContext) => reconciled.unknown(said(context)),
    },
  },
} as const

test.each(Object.entries(echoes))(
  "A106: credentials that come back in %s are in no file, entry, error or trace",
  async (_, instead) => {
    const at = folder()
    const sent: string[] = []
    const server = createServer((request, response) => {
      request.on("data", (chunk: Buffer) => sent.push(`${chunk}`))
      request.on("end", () => response.setHeader("content-type", "application/json").end("{}"))
      sent.push(request.url ?? "", JSON.stringify(request.headers))
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { tools } = bank(instead as unknown as Partial<Tools>)
    const told: string[] = []
    const runner = createRunner({
      catalog,
      tools,
      store: sqlite(join(at, "runs.db")),
      telemetry: otlp({ url }),
      credentials: vault().credentials,
      onEvent: (entry) => void told.push(JSON.stringify(entry)),
    })
    const ran = runner.run(planOf(look, pay), { ...scope, runId: "r", inputs: undefined })
    told.push(JSON.stringify(await ran.catch(String)))
    await new Promise((done) => setTimeout(done, 200))
    const entries: readonly Entry[] = await runner.entries("r")
    await runner.close()
    server.closeAllConnections()
    server.close()
    const kept = readdirSync(at).map((file) => readFileSync(join(at, file), "latin1"))
    const everything = [...kept, ...told, JSON.stringify(entries), ...sent]
    expect(everything.filter((text) => holds(text, apiKey)).map((text) => text.slice(0, 200))).toEqual([])
    expect(JSON.stringify(entries)).toContain("[redacted]")
    // A number in them is no secret: an amount may be equal to it.
    expect(JSON.stringify(entries)).toContain('"cents":100')
  },
  20_000,
)

describe("what another call of the run was trusted with is hidden too:", () => {
  const first = `${apiKey} look 1`
  let count = 0
  const others = {
    "by the next attempt": [
      {
        look: () => {
          throw new Error(count++ === 0 ? "flaky" : `replaced: ${first}`)
        },
      },
      [look],
    ],
    "by the next step": [{ look: () => (count++ === 0 ? {} : { told: everyWay(first).join("\n") }) }, [look, again]],
    "by an effect that asks after itself": [
      {
        pay: {
          call: () => {
            throw new Error("lost")
          },
          reconcile: () => reconciled.applied({ id: first }),
        },
      },
      [look, pay],
    ],
    "by a late answer, of what was given since": [
      {
        look: () =>
          count++ === 0 ? new Promise((done) => setTimeout(done, 350, { told: first })) : { told: `${apiKey} look 2` },
      },
      [look],
    ],
  } as const

  test.each(Object.entries(others))("%s", async (name, [instead, steps]) => {
    count = 0
    const { tools } = bank(instead as unknown as Partial<Tools>)
    const told: string[] = []
    const runner = createRunner({
      catalog,
      tools,
      store: memory(),
      credentials: vault().credentials,
      onEvent: (entry) => void told.push(JSON.stringify(entry)),
    })
    const ran = runner.run(planOf(...steps), { ...scope, runId: name.replaceAll(/\W/g, "-"), inputs: undefined })
    const { steps: found, failure } = (await ran) as { readonly steps: unknown; readonly failure?: unknown }
    await runner.close()
    const everything = JSON.stringify([told, found, failure])
    expect(everything).toContain("[redacted]")
    expect(holds(everything, apiKey)).toBe(false)
  })
})

test("their type is named once, and every handler knows it", () => {
  const at = folder()
  mkdirSync(join(at, "node_modules"))
  symlinkSync(process.cwd(), join(at, "node_modules/sequitur"))
  const options = {
    strict: true,
    module: "nodenext",
    target: "esnext",
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ["node"],
    typeRoots: [join(process.cwd(), "node_modules/@types")],
    customConditions: ["@sequitur/source"],
  }
  writeFileSync(join(at, "package.json"), '{"type":"module"}')
  writeFileSync(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["host.ts"] }))
  writeFileSync(
    join(at, "host.ts"),
    `import type { CallContext, CredentialsProvider } from "sequitur/run"
declare module "sequitur/run" { interface Provided { readonly credentials: { readonly token: string } } }
export const read = ({ credentials }: CallContext): string => credentials.token
export const good: CredentialsProvider = async ({ tenant, tool }) => ({ token: tenant + tool })
// @ts-expect-error no number
export const bad: CredentialsProvider = async () => ({ token: 1 })
`,
  )
  const checked = () => execFileSync("node_modules/.bin/tsc", ["-p", at], { encoding: "utf8", stdio: "pipe" })
  expect(checked()).toBe("")
}, 30_000)
