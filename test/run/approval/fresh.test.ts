/** Stale worlds: what an effect rests on is read again right before it, where it is older than the catalog lets it be. */
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Compiled, compile, defineCatalog, tool } from "sequitur"
import { approve, createRunner, execute, type Handlers, type Ids, Journal, memory, seededIds } from "sequitur/run"
import { describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { awaitedBy } from "../../../src/journal/asked.ts"
import { replay } from "../../../src/journal/state.ts"
import { boundOf } from "../../../src/run/approval/bound.ts"
import { prepare } from "../../../src/run/next/prepare.ts"
import { rederive } from "../../../src/run/rederive.ts"
import { accepted } from "../desk.ts"
import { everybody, say } from "./people.ts"

const account = z.object({ owner: z.string(), iban: z.string(), cents: z.int().min(0).max(90_000), seen: z.int() })

const catalogOf = (pointers: readonly string[], approval?: "always") =>
  defineCatalog({
    name: "bank",
    version: "1",
    inputs: z.strictObject({ id: z.string() }),
    tools: {
      look: tool({
        description: "Look at an account.",
        effect: "read",
        params: z.strictObject({ id: z.string() }),
        result: account,
        retry: { times: 2, backoffMs: 10 },
        timeoutMs: 120_000,
      }),
      list: tool({
        description: "List accounts.",
        effect: "read",
        params: z.strictObject({}),
        result: z.object({ accounts: z.array(account) }),
      }),
      slow: tool({
        description: "Wait.",
        effect: "read",
        params: z.strictObject({}),
        result: z.object({}),
        timeoutMs: 3_600_000,
      }),
      pay: tool({
        description: "Pay.",
        effect: "write",
        params: z.strictObject({ iban: z.string(), owner: z.string().optional(), cents: z.int() }),
        idempotency: "natural",
        compensate: "none",
        authority: {
          freshness: { pointers, maxAgeMs: 60_000 },
          ...(approval === undefined ? {} : { approval }),
        },
      }),
    },
  })

type Spec = ReturnType<typeof catalogOf>["spec"]
const look = { id: "look", tool: "look", args: { id: { $from: "input", path: "/id" } } }
const list = { id: "list", tool: "list", args: {} }
const wait = { id: "wait", tool: "slow", args: {} }
const from = (path: string, id = "look") => ({ $from: id, path })
const pay = { id: "pay", tool: "pay", args: { iban: from("/iban"), cents: 5 } }
const chosen = { $from: "list", path: "/accounts", where: { "/owner": "bob" }, pick: "/iban" }

interface World {
  readonly made: string[]
  /** How the world is now; and what becomes of it while the run waits. */
  readonly world: { iban: string; owner: string; down: number; readMs: number; later: () => void }
  readonly run: (...steps: readonly object[]) => Effect.Effect<Reported, unknown>
  readonly agree: (afterMs: number) => Effect.Effect<Reported, unknown>
  readonly kinds: Effect.Effect<readonly string[], unknown>
  readonly derived: Effect.Effect<unknown, unknown>
}

interface Reported {
  readonly status: string
}

const open = (
  pointers: readonly string[],
  { approval, waitMs = 60_001 }: { readonly approval?: "always"; readonly waitMs?: number } = {},
): Effect.Effect<World> =>
  Effect.gen(function* () {
    const catalog = catalogOf(pointers, approval)
    const made: string[] = []
    const world = { iban: "DE1", owner: "bob", down: 0, readMs: 0, later: () => {} }
    let seen = 0
    const now = () => ({ owner: world.owner, iban: world.iban, cents: 5, seen: ++seen })
    const tools: Handlers<Spec> = {
      look: ({ id }) => {
        made.push(`look ${id}`)
        if (world.down-- > 0) throw new Error("down")
        return world.readMs === 0 ? now() : Effect.map(Effect.sleep(world.readMs), now)
      },
      list: () => {
        made.push("list")
        return { accounts: [now(), { owner: "eve", iban: "DE9", cents: 1, seen: 0 }] }
      },
      slow: () =>
        Effect.map(Effect.sleep(waitMs), () => {
          world.later()
          return {}
        }),
      pay: ({ iban }) => {
        made.push(`pay ${iban}`)
        return null
      },
    }
    const services = yield* Effect.scoped(Layer.build(Layer.merge(memory(), seededIds("fresh"))))
    const inIt = <A, E>(effect: Effect.Effect<A, E, Ids | Journal>) => Effect.provideContext(effect, services)
    const entries = inIt(Journal.use((journal) => journal.read("run")))
    let steps: readonly object[] = []
    const plan = () => accepted(compile(catalog, JSON.stringify({ version: 1, steps })) as Compiled)
    const options = { catalog, tools, approvers: everybody() }
    const driven = <A, E>(effect: Effect.Effect<A, E, Ids | Journal>) =>
      Effect.gen(function* () {
        const running = yield* Effect.forkChild(inIt(effect))
        yield* TestClock.adjust(waitMs)
        for (let times = 0; times < 5; times++) yield* TestClock.adjust(Math.max(20, world.readMs))
        return yield* Fiber.join(running)
      })
    const scope = { principal: { tenant: "acme", subject: "ada" }, sessionId: "s", taskId: "t", inputs: { id: "a1" } }
    return {
      made,
      world,
      run: (...given) =>
        Effect.suspend(() => {
          steps = given
          return driven(execute(plan(), { ...scope, runId: "run", ...options }))
        }),
      agree: (afterMs) =>
        Effect.gen(function* () {
          const state = replay("run", yield* entries)
          const request = state instanceof Error ? undefined : awaitedBy(state)
          if (state instanceof Error || request === undefined) throw new Error("nothing waits")
          yield* TestClock.adjust(afterMs)
          const valid = { notBeforeMs: 0, expiresAtMs: 1e12 }
          const token = yield* Effect.promise(() => say({ bound: boundOf(state, request) }, "eve", valid))
          return yield* driven(approve("run", "pay", { token, ...options }))
        }),
      kinds: Effect.map(entries, (all) => all.map(({ event }) => event.kind)),
      derived: Effect.map(entries, (all) => {
        const ready = prepare(plan(), catalog)
        return ready instanceof Error ? ready : rederive(ready, "run", all)
      }),
    }
  })

describe("what an effect rests on", () => {
  it.effect("is not read again while it is fresh", () =>
    Effect.gen(function* () {
      const { run, made } = yield* open(["/iban"], { waitMs: 60_000 })
      expect(yield* run(look, wait, pay)).toMatchObject({ status: "succeeded" })
      expect(made).toEqual(["look a1", "pay DE1"])
    }),
  )

  it.effect("is read again where it is older; what still says the same there is good enough", () =>
    Effect.gen(function* () {
      const { run, made, world, kinds, derived } = yield* open(["/iban"])
      // `seen` is another each time, and so is the owner: nothing that is named is taken from there.
      world.later = () => {
        world.owner = "another"
      }
      expect(yield* run(look, wait, pay)).toMatchObject({ status: "succeeded" })
      expect(made).toEqual(["look a1", "look a1", "pay DE1"])
      expect((yield* kinds).filter((kind) => kind === "reread")).toHaveLength(1)
      expect(yield* derived).toMatchObject({ status: "succeeded" })
    }),
  )

  it.effect("that says otherwise by then ends the run before the effect", () =>
    Effect.gen(function* () {
      const { run, made, world, kinds, derived } = yield* open(["/iban"])
      world.later = () => {
        world.iban = "DE2"
      }
      expect(yield* run(look, wait, pay)).toMatchObject({
        status: "failed",
        failure: {
          code: "RUN315",
          message:
            "step `pay` was not called: read once more, `look` says otherwise of `/steps/2/args/iban`: it is another value now",
        },
      })
      expect(made).toEqual(["look a1", "look a1"])
      expect((yield* kinds).slice(-3)).toEqual(["outcome", "reread", "run-ended"])
      expect(yield* derived).toMatchObject({ status: "failed" })
    }),
  )

  it.effect("only at the places named: others may have changed", () =>
    Effect.gen(function* () {
      const { run, made, world } = yield* open(["/owner"])
      world.later = () => {
        world.iban = "DE2"
      }
      const args = { iban: from("/iban"), owner: from("/owner"), cents: 5 }
      expect(yield* run(look, wait, { ...pay, args })).toMatchObject({ status: "succeeded" })
      expect(made).toEqual(["look a1", "look a1", "pay DE1"])
    }),
  )

  it.effect("is chosen again, too: another element, or none, is another world", () =>
    Effect.gen(function* () {
      const args = { iban: chosen, cents: 5 }
      for (const [later, said] of [
        [{ iban: "DE2" }, "it is another value now"],
        [{ owner: "carl" }, "no element of `/accounts` of `list` (2 in all) match `where`; it takes exactly one"],
        [{ owner: "eve" }, "no element of `/accounts` of `list` (2 in all) match `where`; it takes exactly one"],
      ] as const) {
        const { run, made, world } = yield* open(["/iban"])
        world.later = () => Object.assign(world, later)
        const report = yield* run(list, wait, { ...pay, args })
        expect(report).toMatchObject({ status: "failed", failure: { code: "RUN315" } })
        expect(JSON.stringify(report)).toContain(JSON.stringify(said).slice(1, -1))
        expect(made).toEqual(["list", "list"])
      }
    }),
  )

  it.effect("that cannot be read again ends the run too, after as many tries as its tool allows", () =>
    Effect.gen(function* () {
      const { run, made, world } = yield* open(["/iban"])
      world.later = () => {
        world.down = 1
      }
      expect(yield* run(look, wait, pay)).toMatchObject({ status: "succeeded" })
      expect(made).toEqual(["look a1", "look a1", "look a1", "pay DE1"])
      const other = yield* open(["/iban"])
      other.world.later = () => {
        other.world.down = 9
      }
      expect(yield* other.run(look, wait, pay)).toMatchObject({ status: "failed", failure: { code: "RUN101" } })
      expect(other.made).toEqual(["look a1", "look a1", "look a1"])
      expect(yield* other.derived).toMatchObject({ status: "failed" })
    }),
  )

  it.effect("is read again once, where reading takes longer than its answer may stand", () =>
    Effect.gen(function* () {
      const { run, made, world } = yield* open(["/iban", "/owner"])
      world.later = () => {
        world.readMs = 61_000
      }
      const args = { iban: from("/iban"), owner: from("/owner", "two"), cents: 5 }
      expect(yield* run(look, { ...look, id: "two" }, wait, { ...pay, args })).toMatchObject({ status: "succeeded" })
      // By the time that the second was read again, the first is too old: but no reading would ever be fresh enough then.
      expect(made).toEqual(["look a1", "look a1", "look a1", "look a1", "pay DE1"])
    }),
  )

  it.effect("is read again after people have thought it over: what they have agreed to must still be so", () =>
    Effect.gen(function* () {
      const same = yield* open(["/iban"], { approval: "always", waitMs: 1 })
      expect(yield* same.run(look, pay)).toMatchObject({ status: "awaiting_approval" })
      expect(yield* same.agree(86_400_000)).toMatchObject({ status: "succeeded" })
      expect(same.made).toEqual(["look a1", "look a1", "pay DE1"])
      const other = yield* open(["/iban"], { approval: "always", waitMs: 1 })
      yield* other.run(look, pay)
      other.world.iban = "DE2"
      expect(yield* other.agree(86_400_000)).toMatchObject({ status: "failed", failure: { code: "RUN315" } })
      expect(other.made).toEqual(["look a1", "look a1"])
      expect(yield* other.derived).toMatchObject({ status: "failed" })
    }),
  )
})

test.each([
  ["the clock is set back behind it", "clock"],
  ["the credentials of the call took so long", "credentials"],
] as const)("what an effect rests on is read again where %s", async (_, what) => {
  const catalog = catalogOf(["/iban"])
  const made: string[] = []
  let offMs = 0
  const { now } = Date
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + offMs)
  const runner = createRunner({
    catalog,
    store: memory(),
    tools: {
      look: () => {
        made.push("look")
        return { owner: "bob", iban: `DE${made.length}`, cents: 5, seen: 1 }
      },
      list: () => ({ accounts: [] }),
      slow: () => {
        if (what === "clock") offMs = -3_600_000
        return {}
      },
      pay: () => {
        made.push("pay")
        return null
      },
    },
    credentials: ({ tool }: { readonly tool: string }) => {
      if (what === "credentials" && tool === "pay") offMs = 60_001
      return undefined
    },
  })
  const plan = accepted(compile(catalog, JSON.stringify({ version: 1, steps: [look, wait, pay] })) as Compiled)
  const scope = { principal: { tenant: "acme", subject: "ada" }, sessionId: "s", taskId: "t", inputs: { id: "a1" } }
  const report = await runner.run(plan, scope).finally(() => clock.mockRestore())
  expect(report).toMatchObject({ status: "failed", failure: { code: "RUN315" } })
  expect(made).toEqual(["look", "look"])
  await runner.close()
})

describe("in the catalog", () => {
  test("it names arguments that are there, and is part of what a plan depends on", () => {
    const codes = ({ diagnostics }: ReturnType<typeof catalogOf>): readonly string[] =>
      diagnostics.filter(({ severity }) => severity === "error").map(({ code, message }) => `${code} ${message}`)
    expect(codes(catalogOf(["/iban", "/cents"]))).toEqual([])
    expect(codes(catalogOf(["/ibam"]))).toEqual([
      "SEQ808 `freshness` of `pay` names the place `/ibam`, which does not exist",
    ])
    const text = JSON.stringify({ version: 1, steps: [look, pay] })
    const planned = accepted(compile(catalogOf(["/iban"]), text) as Compiled)
    expect(prepare(planned, catalogOf(["/iban"]))).not.toBeInstanceOf(Error)
    expect(prepare(planned, catalogOf(["/cents"]))).toMatchObject({ code: "RUN202" })
  })
})
