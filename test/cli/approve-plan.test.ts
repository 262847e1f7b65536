/** `approve --plan` and `run --approval`: a whole plan is shown and signed, and runs once, without asking anybody. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { folder, sequitur } from "./sequitur.ts"

const catalog = `
import { arg, defineCatalog, tool } from "${resolve("src/index.ts")}"
import { z } from "${resolve("node_modules/zod/index.js")}"
export default defineCatalog({
  name: "doors", version: "1",
  inputs: z.strictObject({ door: z.string(), code: z.string().meta({ sensitive: true }) }),
  blastRadius: { doors: { max: 10, approveAbove: 0 } },
  tools: {
    unlock: tool({
      description: "Unlock doors.", effect: "write",
      params: z.strictObject({ door: z.string(), code: z.string().meta({ sensitive: true }), doors: z.int().min(0).max(5) }),
      blast: { doors: arg("doors") }, idempotency: "natural", compensate: "none",
    }),
  },
})
`
const tools = `
import { appendFileSync } from "node:fs"
import { toolbox } from "${resolve("src/run/index.ts")}"
import catalog from "./catalog.ts"
export default toolbox(catalog, { unlock: ({ door }) => { appendFileSync(new URL("doors.log", import.meta.url), door + "\\n"); return null } })
`
const from = (path: string) => ({ $from: "input", path })
const plan = JSON.stringify({
  version: 1,
  goal: "Let them in.",
  steps: [{ id: "in", tool: "unlock", args: { door: from("/door"), code: from("/code"), doors: 2 } }],
})
const inputs = JSON.stringify({ door: "front", code: "code-4711-0815" })

test("is shown without its secrets, signed for one run, and runs unasked; anything else is refused", async () => {
  const path = folder({ "catalog.ts": catalog, "tools.ts": tools, "plan.json": plan, "inputs.json": inputs })
  const call = (...args: readonly string[]) => sequitur(args, { cwd: path })
  const keys = await call("keygen", "--out", "eve.key.json", "--subject", "eve")
  writeFileSync(join(path, "approvers.json"), JSON.stringify([JSON.parse(keys.out)]))
  const approve = (...more: readonly string[]) =>
    call(
      "approve",
      "--plan",
      "plan.json",
      "--inputs",
      "inputs.json",
      "--subject",
      "ada",
      "--key",
      "eve.key.json",
      ...more,
    )
  const signed = await approve("--run", "in-81", "--reason", "expected")
  expect(signed.code).toBe(0)
  expect(signed.out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  expect(signed.err).toContain("approval of the whole plan, for one run by ada of local:")
  expect(signed.err).toContain('"door": "front"')
  expect(signed.err).toContain("at most, in all: doors 2; what would pass it is asked about")
  expect(signed.err).not.toContain("4711")
  writeFileSync(join(path, "token"), signed.out)
  const run = (...more: readonly string[]) =>
    call("run", "plan.json", "--inputs", "inputs.json", "--store", "runs.db", "--approval", "@token", ...more)
  const [other, somebody, both, unsigned, odd] = await Promise.all([
    run("--run", "in-82", "--subject", "ada"),
    run("--run", "in-81", "--subject", "mallory"),
    call("approve", "in-81", "in", "--plan", "plan.json"),
    approve(),
    approve("--run", "in-83", "--blast", "doors"),
  ])
  expect([other.code, other.err]).toEqual([1, expect.stringMatching(/^error RUN308/)])
  expect([somebody.code, somebody.err]).toEqual([1, expect.stringMatching(/^error RUN308/)])
  expect(somebody.err).toContain("signed for the subject `ada`, you run as `mallory`")
  expect(somebody.err).toMatch(/hint: Run it as it was signed for, with the --inputs, --tenant/)
  expect([both.code, unsigned.code, odd.code]).toEqual([2, 2, 2])
  expect(existsSync(join(path, "doors.log"))).toBe(false)
  // The token names its run.
  const done = await run("--subject", "ada")
  expect([done.code, done.err]).toEqual([0, ""])
  expect(readFileSync(join(path, "doors.log"), "utf8")).toBe("front\n")
  const again = await run("--run", "in-81", "--subject", "ada")
  expect([again.code, again.err]).toEqual([1, expect.stringMatching(/^error RUN207/)])
  expect(again.err).toMatch(
    /hint: What was signed for a whole plan counts for one run, .*log in-81 --store runs.db.*approve --plan/,
  )
  expect(again.err).not.toContain("export")
  const unsigned207 = await call("run", "plan.json", "--inputs", "inputs.json", "--store", "runs.db", "--run", "in-81")
  expect(unsigned207.err).toMatch(/^error RUN207.*\nhint: .*log in-81 --store runs.db.* Or choose another --run/)
  const log = await call("log", "in-81", "--store", "runs.db", "--format", "json")
  expect(log.out).toContain('"approved":{"blast":{"doors":2}')
  const json = JSON.parse((await approve("--run", "in-84", "--blast", "doors=1", "--format", "json")).out)
  expect(json.approval).toMatchObject({ blast: { doors: 1 }, asks: [], bound: { run: "in-84", step: "*" } })
  const nothing = await call("approve")
  expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining("--plan")])
}, 120_000)

const counter = `
import { arg, defineCatalog, tool } from "${resolve("src/index.ts")}"
import { z } from "${resolve("node_modules/zod/index.js")}"
const about = { effect: "write", idempotency: "natural", compensate: "none" }
export default defineCatalog({
  name: "counter", version: "1",
  tools: {
    look: tool({ description: "Look.", effect: "read", params: z.strictObject({}), result: z.object({ id: z.string() }) }),
    pay: tool({
      ...about, description: "Pay.", params: z.strictObject({ to: z.string() }),
      authority: { roles: ["clerk"], approval: "always", approvers: 2, approverRoles: ["lead"] },
    }),
    send: tool({ ...about, description: "Send.", params: z.strictObject({ id: z.string() }), authority: { approval: "always" } }),
  },
})
`
const counterTools = `
import { toolbox } from "${resolve("src/run/index.ts")}"
import catalog from "./catalog.ts"
export default toolbox(catalog, { look: () => ({ id: "x" }), pay: () => null, send: () => null })
`

test("says of each step that one word on the plan does not do for why; and it is so", async () => {
  const steps = {
    two: [{ id: "pay", tool: "pay", args: { to: "shop" } }],
    unseen: [
      { id: "look", tool: "look", args: {} },
      { id: "send", tool: "send", args: { id: { $from: "look", path: "/id" } } },
    ],
  }
  const files = Object.entries(steps).map(([name, steps]) => [`${name}.json`, JSON.stringify({ version: 1, steps })])
  const path = folder({ "catalog.ts": counter, "tools.ts": counterTools, ...Object.fromEntries(files) })
  const call = (...args: readonly string[]) => sequitur(args, { cwd: path })
  const who = ["--tenant", "acme", "--subject", "ada"]
  const keys = await Promise.all(
    ["eve", "bob"].map((name) =>
      call("keygen", "--out", `${name}.key`, "--subject", name, "--tenant", "acme", "--roles", "lead"),
    ),
  )
  writeFileSync(join(path, "approvers.json"), `[${keys.map(({ out }) => out).join(",")}]`)
  const approve = async (plan: string, id: string, key: string, ...more: readonly string[]) => {
    const said = await call("approve", "--plan", plan, "--run", id, "--key", key, ...who, ...more)
    writeFileSync(join(path, `${id}-${key}.jws`), said.out)
    return said
  }
  const clerk = ["--roles", "clerk"]
  const [byEve, byBob, unseen] = await Promise.all([
    approve("two.json", "r-1", "eve.key", ...clerk),
    approve("two.json", "r-1", "bob.key", ...clerk),
    approve("unseen.json", "r-2", "eve.key"),
  ])
  const takes =
    "`pay` takes 2 people with the role lead, none of them whose run it is: they are asked about it, unless so many sign"
  expect(byEve.err).toContain(takes)
  expect(byBob.err).toContain(takes)
  expect(unseen.err).toContain(
    "`send` is asked about all the same: `id` is known only once earlier steps have answered",
  )
  const run = (plan: string, ...more: readonly string[]) => call("run", plan, "--store", "r.db", ...who, ...more)
  const roleless = await run("unseen.json", ...clerk, "--approval", "@r-2-eve.key.jws")
  expect([roleless.code, roleless.err]).toEqual([1, expect.stringContaining("signed for roles [], you run as [clerk]")])
  const both = await run("two.json", ...clerk, "--approval", "@r-1-eve.key.jws", "@r-1-bob.key.jws")
  expect([both.code, both.err]).toEqual([0, ""])
  expect((await run("unseen.json", "--approval", "@r-2-eve.key.jws")).code).toBe(3)
  await approve("two.json", "r-3", "eve.key", ...clerk)
  const one = await run("two.json", ...clerk, "--approval", "@r-3-eve.key.jws")
  expect([one.code, one.out]).toEqual([3, expect.stringContaining("never called unasked, by 2 people")])
  expect(one.out).toContain("for people with the role lead")
}, 120_000)

test("what was signed for one plan stands for another with less of the same, where the catalog lets it", async () => {
  const letting = catalog.replace('version: "1",', 'version: "1", carryOver: true,')
  const withDoors = (doors: number): string => plan.replace('"doors":2', `"doors":${doors}`)
  const files = { "catalog.ts": letting, "tools.ts": tools, "plan.json": plan, "inputs.json": inputs }
  const path = folder({ ...files, "less.json": withDoors(1), "more.json": withDoors(3), "odd.json": "{}" })
  const call = (...args: readonly string[]) => sequitur(args, { cwd: path })
  const keys = await call("keygen", "--out", "eve.key.json", "--subject", "eve")
  writeFileSync(join(path, "approvers.json"), JSON.stringify([JSON.parse(keys.out)]))
  const about = ["--inputs", "inputs.json", "--subject", "ada"]
  const signed = await call("approve", "--plan", "plan.json", "--run", "in-9", "--key", "eve.key.json", ...about)
  writeFileSync(join(path, "token"), signed.out)
  const run = (file: string, ...more: readonly string[]) =>
    call("run", file, ...about, "--store", "runs.db", "--approval", "@token", ...more)
  const [silent, more, odd] = await Promise.all([
    run("less.json"),
    run("more.json", "--approved-plan", "plan.json"),
    run("less.json", "--approved-plan", "odd.json"),
  ])
  expect([silent.code, silent.err]).toEqual([1, expect.stringContaining("the plan is not the one that was signed")])
  expect([more.code, more.err]).toEqual([1, expect.stringContaining("3 doors instead of 2")])
  expect([odd.code, odd.err]).toEqual([2, expect.stringContaining("--approved-plan odd.json: it does not compile")])
  expect(existsSync(join(path, "doors.log"))).toBe(false)
  const less = await run("less.json", "--approved-plan", "plan.json")
  expect([less.code, less.err]).toEqual([0, ""])
  expect(readFileSync(join(path, "doors.log"), "utf8")).toBe("front\n")
})

test("a list of approvers of which one is none is refused, saying which and why", async () => {
  const path = folder({ "catalog.ts": catalog, "tools.ts": tools, "plan.json": plan, "inputs.json": inputs })
  const call = (...args: readonly string[]) => sequitur(args, { cwd: path })
  const eve = JSON.parse((await call("keygen", "--out", "eve.key.json", "--subject", "eve")).out)
  const lists: readonly (readonly [readonly object[], string])[] = [
    [[eve, { ...eve, kid: "b", revoked: true }], "entry 1 at `/revoked`"],
    [[{ ...eve, revokedAtMs: "2026-01-01" }], "entry 0 at `/revokedAtMs`"],
    [[{ kid: "x" }], "entry 0 at `/publicKey`"],
    [[eve, eve], "stands there twice"],
    [[eve, { ...eve, kid: "b", subject: "bob" }], "is the key of two people"],
  ]
  for (const [list, told] of lists) {
    writeFileSync(join(path, "approvers.json"), JSON.stringify(list))
    const { code, err } = await call("run", "plan.json", "--inputs", "inputs.json", "--store", "runs.db")
    expect([code, err]).toEqual([2, expect.stringContaining(told)])
  }
})
