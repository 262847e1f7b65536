/** `run`, `approve`, `deny`, `resume`, `runs` and `log`: each its own process, with the journal between them. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { compile } from "sequitur"
import { createRunner, toolbox } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { describe, expect, test } from "vitest"
import { folder, type Said, sequitur, settled, shop } from "./sequitur.ts"
import catalog from "./shop/catalog.ts"

const inputs = '{"orderId":"o_1"}'

/** A store and the shop's own records, in a folder of their own. */
function desk(fault?: string) {
  const path = folder()
  const store = join(path, "runs.db")
  const records = join(path, "shop.log")
  const env = { SHOP_LOG: records, ...(fault === undefined ? {} : { SHOP_FAULT: fault }) }
  return {
    store,
    env,
    call: (...args: readonly string[]): Promise<Said> => sequitur([...args, "--store", store], { env }),
    mended: (...args: readonly string[]): Promise<Said> =>
      sequitur([...args, "--store", store], { env: { SHOP_LOG: records } }),
    records: () => (existsSync(records) ? readFileSync(records, "utf8").trim().split("\n") : []),
  }
}

/** The same, with a run in it that waits at `open`: begun once, and copied for each test. */
let begun: Promise<{ readonly said: Said; readonly from: string }> | undefined
async function waitingDesk(fault?: string) {
  begun ??= (async () => {
    const { call, store } = desk()
    const said = await call("run", "refund.json", "--inputs", inputs, "--subject", "ada", "--task", "t1")
    return { said, from: store }
  })()
  const { said, from } = await begun
  const made = desk(fault)
  copyFileSync(from, made.store)
  return { ...made, runId: runIn(said) }
}

const runIn = ({ out }: Said): string => /run_[0-9a-f]{32}/.exec(out)?.[0] ?? "none"
const masked = ({ out }: Said, store: string): string => settled(out).replaceAll(store, "<store>")

describe.concurrent("a run that waits for a person", () => {
  test("stops, says exactly what would follow, is approved from another process and ends; the log has it all", async () => {
    const { store, call, records } = desk()
    const run = await call("run", "refund.json", "--inputs", inputs, "--subject", "ada", "--task", "t1")
    expect([run.code, run.err]).toEqual([3, ""])
    await expect(masked(run, store)).toMatchFileSnapshot("golden/run-waits.txt")
    expect(records()).toEqual(["find o_1"])

    const runId = runIn(run)
    // As it was printed.
    expect(run.out).toContain(`sequitur approve ${runId} open --store ${store}\n`)
    const approved = await call("approve", runId, "open", "--by", "eve", "--reason", "seen")
    expect([approved.code, approved.err]).toEqual([0, ""])
    await expect(masked(approved, store)).toMatchFileSnapshot("golden/approve.txt")
    expect(records()).toEqual(["find o_1", "refund o_1 2450"])

    const log = await call("log", runId, "--verify")
    expect(log.code).toBe(0)
    await expect(masked(log, store)).toMatchFileSnapshot("golden/log.txt")

    const again = await call("approve", runId, "open")
    expect([again.code, again.err]).toEqual([1, expect.stringMatching(/^error RUN205: run `run_/)])
    expect(records()).toHaveLength(2)
  })

  test("is denied, and nothing is done", async () => {
    const { store, call, records, runId } = await waitingDesk()
    const denied = await call("deny", runId, "open", "--by", "eve", "--reason", "too much")
    expect(denied.code).toBe(0)
    await expect(masked(denied, store)).toMatchFileSnapshot("golden/deny.txt")
    expect(records()).toEqual([])
  })

  test("is not moved by a decision about another step, or another run", async () => {
    const { call, records, runId, store } = await waitingDesk()
    for (const command of ["approve", "deny"]) {
      const [step, run] = await Promise.all([call(command, runId, "pay"), call(command, "run_none", "open")])
      expect([step.code, step.err]).toEqual([
        1,
        `error RUN302: run \`${runId}\` does not wait for \`pay\`\nhint: It waits at \`open\` now: \`sequitur approve ${runId} open --store ${store}\`, or \`deny\`.\n`,
      ])
      expect([run.code, run.err]).toEqual([
        2,
        `error RUN204: there is no run \`run_none\`\nhint: \`sequitur runs --store ${store}\` lists the runs there are.\n`,
      ])
    }
    expect(records()).toEqual([])
  })

  test("is approved by two at once: one is heard, the refund is made once", async () => {
    const { call, records, runId } = await waitingDesk()
    const both = await Promise.all([
      call("approve", runId, "open", "--by", "eve"),
      call("approve", runId, "open", "--by", "bob"),
    ])
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
    expect(both.find(({ code }) => code === 1)?.err).toMatch(/^error RUN(303|205)/)
    expect(records()).toEqual(["refund o_1 2450"])
  })

  test("speaks JSON, a line each: the plan, the entries, the run", async () => {
    const { call } = desk()
    const { code, out } = await call(
      "run",
      "refund.json",
      "--inputs",
      inputs,
      "--format",
      "json",
      "--roles",
      "support, lead",
    )
    expect(code).toBe(3)
    const [plan, ...lines] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const { run } = lines.pop()
    expect(plan.plan).toMatchObject({ file: "refund.json", accepted: true })
    expect(lines.map(({ event }) => event.kind)).toEqual(["run-started", "intent", "outcome", "approval-requested"])
    expect(lines[0].event).toMatchObject({
      tenant: "local",
      roles: ["support", "lead"],
      origin: { catalog: join(shop, "catalog.ts") },
    })
    expect(run).toMatchObject({
      status: "awaiting_approval",
      awaiting: { stepId: "open", follows: [{ stepId: "pay", args: { orderId: "o_1", cents: 2_450 } }] },
      results: { find: { cents: 2_450 } },
    })
    const denied = await call("deny", run.runId, "open", "--format", "json")
    const decided = denied.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(decided.map((line) => line.event?.kind ?? line.run.status)).toEqual([
      "approval-decided",
      "run-ended",
      "failed",
    ])
    // Entry by entry as the log has it, which knows the hashes too.
    const log = await call("log", run.runId, "--format", "json")
    const told = [...out.trim().split("\n").slice(1, -1), ...denied.out.trim().split("\n").slice(0, -1)]
    const logged = log.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(logged.map(({ hash: _, ...entry }) => entry)).toEqual(told.map((line) => JSON.parse(line)))
    for (const { hash } of logged) expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test("speaks JSON also of what goes wrong: one object, in the last line", async () => {
    const { call, runId, store } = await waitingDesk()
    const calls = [
      ["run", "refund.json", "--inputs", "{}", "--format", "json"],
      ["run", "refund.json", "--inputs", "{", "--format", "json"],
      ["approve", runId, "pay", "--format", "json"],
      ["log", "run_none", "--format", "json"],
    ]
    const said = await Promise.all(calls.map((args) => call(...args)))
    const errors = said.map(({ out }) =>
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    )
    expect(errors.map((lines) => lines.map(({ error }) => error.code))).toEqual([
      ["RUN201"],
      ["usage"],
      ["RUN302"],
      ["RUN204"],
    ])
    expect(errors[3]?.[0].error).toEqual({
      code: "RUN204",
      message: "there is no run `run_none`",
      hint: `\`sequitur runs --store ${store}\` lists the runs there are.`,
    })
    expect(said.map(({ code }) => code)).toEqual([2, 2, 1, 2])
  })
})

const stopping = "stopping: a call under way is waited for; again to stop at once\n"

describe.concurrent("a run that is cut off", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("by %s, twice: says how to go on, and does", async (signal, code) => {
    const { store, env, mended, records } = desk("slow")
    const args = ["run", "refund.json", "--inputs", inputs, "--store", store]
    const stopped = await sequitur(args, { env, stopAt: "calls find_order", signal, again: true })
    const runId = runIn(stopped)
    expect(runId).toMatch(/^run_/)
    expect([stopped.code, stopped.err]).toEqual([
      code,
      `${stopping}stopped; to go on: sequitur resume ${runId} --store ${store}\n`,
    ])
    const resumed = await mended("resume", runId)
    expect(resumed.code).toBe(3)
    expect(resumed.out).toContain("(attempt 2)")
    // A read may be called again.
    expect(records()).toEqual(["find o_1", "find o_1"])
  })

  test("by one signal: what the call under way answers is written down, and nothing more is begun", async () => {
    const { store, env, call, records } = desk("answers-late")
    const args = ["run", "refund.json", "--inputs", inputs, "--store", store]
    const stopped = await sequitur(args, { env, stopAt: "calls find_order", signal: "SIGTERM" })
    const runId = runIn(stopped)
    expect([stopped.code, stopped.err]).toEqual([
      143,
      `${stopping}stopped; to go on: sequitur resume ${runId} --store ${store}\n`,
    ])
    expect(stopped.out).toMatch(/answered \{[^\n]*\}\n$/)
    const resumed = await call("resume", runId)
    expect(resumed.code).toBe(3)
    expect(records()).toEqual(["find o_1"])
  })

  test("while another process holds it, is not taken up; and a cancellation is left to that one", async () => {
    const { store, env, call, mended, records } = desk("slow")
    const args = ["run", "refund.json", "--inputs", inputs, "--store", store]
    const bare = folder()
    const running = sequitur(args, { env })
    await expect.poll(records, { timeout: 20_000 }).toEqual(["find o_1"])
    const runId = runIn(await call("runs"))
    const early = await mended("resume", runId)
    expect([early.code, early.err]).toEqual([1, expect.stringMatching(/^error RUN208: .*\nhint: .* --take-over, if/)])
    const cancelled = await sequitur(["cancel", runId, "--store", store], { cwd: bare, env })
    expect([cancelled.code, cancelled.err]).toEqual([0, ""])
    expect(cancelled.out).toMatch(
      / running\n {2}to end {4}cancelled: \S+ asked for it\n.*\n {2}left to {3}the process/s,
    )
    expect(cancelled.out).not.toContain("to go on")
    const whole = await running
    expect([whole.code, whole.out]).toEqual([5, expect.stringContaining(" cancelled\n")])
    expect(whole.out).toContain("failed    find (find_order)\n  not begun pay (refund)")
  })

  test("by an error that a tool let fall: one line, no trace", async () => {
    const { call, mended } = desk("stray")
    const fallen = await call("run", "refund.json", "--inputs", inputs)
    expect([fallen.code, fallen.err]).toEqual([
      1,
      "error: nobody caught this, and it ended sequitur: nobody waits for this\n",
    ])
    const { out } = await mended("runs", "--format", "json")
    expect(JSON.parse(out).runs).toMatchObject([{ status: "running" }])
  })

  test("in either way, programs are told so in the last line", async () => {
    const [slow, stray] = [desk("slow"), desk("stray")]
    const args = ["run", "refund.json", "--inputs", inputs, "--format", "json"]
    const [stopped, fallen] = await Promise.all([
      sequitur([...args, "--store", slow.store], { env: slow.env, stopAt: '"intent"', again: true }),
      stray.call(...args),
    ])
    const lastOf = ({ out }: Said) => JSON.parse(out.trim().split("\n").at(-1) ?? "")
    expect(lastOf(stopped)).toEqual({
      error: {
        code: "stopped",
        message: "stopped",
        hint: `to go on: sequitur resume ${runIn(stopped)} --store ${slow.store}`,
      },
    })
    expect(lastOf(fallen).error).toMatchObject({ code: "uncaught", hint: null })
  })
})

describe.concurrent("exit codes", () => {
  test("0: a run that succeeds", async () => {
    const { call } = desk()
    const { code, out } = await call("run", "look.json", "--inputs", inputs)
    expect(code).toBe(0)
    expect(out).toMatch(/run run_\w+ succeeded\n {2}read {6}find \(find_order\)\n$/)
  })

  test("1: a plan that is refused: nothing is begun", async () => {
    const { call, store } = desk()
    const { code, out } = await call("run", "wrong.json", "--inputs", inputs)
    expect(code).toBe(1)
    expect(out).toContain("refused  wrong.json: 2 errors")
    expect(existsSync(store)).toBe(false)
  })

  test("2: inputs that are missing, or not what the catalog asks for: the hint names the flag, and what it asks for", async () => {
    const { call, records, store } = desk()
    const hint = "hint: Give --inputs, a JSON file or JSON itself; the catalog declares `orderId`.\n"
    for (const [args, says] of [
      [[], "missing"],
      [["--inputs", '{"orderId":7}'], "refused at `/orderId`"],
    ] as const) {
      const { code, out, err } = await call("run", "refund.json", ...args)
      // Nothing is accepted before everything is.
      expect([code, out]).toEqual([2, ""])
      expect(err).toContain(`error RUN201: \`inputs\` of this run are ${says}`)
      expect(err).toContain(hint)
    }
    expect(records()).toEqual([])
    const runs = await sequitur(["runs", "--store", store])
    expect(runs.out).not.toContain("run_")
  })

  test.each(["tenant", "task"])("2: an empty --%s", async (option) => {
    const { call } = desk()
    const { code, out, err } = await call("run", "refund.json", "--inputs", inputs, `--${option}`, "")
    expect([code, out]).toEqual([2, ""])
    expect(err).toMatch(new RegExp(`^error RUN201: .* empty\nhint: .*--${option}\\.\n$`))
  })

  test("2: an empty --by", async () => {
    const { call, runId, records } = await waitingDesk()
    const said = await Promise.all([
      call("approve", runId, "open", "--by", ""),
      call("deny", runId, "open", "--by", ""),
    ])
    for (const { code, err } of said) {
      expect(code).toBe(2)
      expect(err).toMatch(/^error RUN201: .* empty\nhint: .*--by\.\n$/)
    }
    expect(records()).toEqual([])
  })

  test("1: a step that fails, with nothing done", async () => {
    const { call, records, runId } = await waitingDesk("not-applied")
    const { code, out } = await call("approve", runId, "open")
    expect(code).toBe(1)
    expect(out).toContain("because   RUN101: step `pay` failed: `refund` said: the card is blocked")
    expect(out).toContain("failed    pay (refund)")
    expect(out).toContain("more      sequitur explain RUN101")
    expect(records()).toEqual([])
  })

  test("4: an effect whose outcome is not known; it is not done again", async () => {
    const { call, mended, records, runId } = await waitingDesk("effect")
    const { code, out } = await call("approve", runId, "open")
    expect(code).toBe(4)
    expect(out).toContain("in doubt  pay (refund)")
    const resumed = await mended("resume", runId)
    expect([resumed.code, resumed.err]).toEqual([4, expect.stringMatching(/^error RUN206/)])
    expect(records()).toEqual(["refund o_1 2450"])
  })

  test("0: a process that was killed in the middle of an effect with a key, and taken up by another", async () => {
    const { call, mended, records, runId } = await waitingDesk("crash")
    expect((await call("approve", runId, "open")).code).toBeNull()
    const resumed = await mended("resume", runId, "--take-over")
    expect(resumed.code).toBe(0)
    expect(resumed.out).toContain("attempt 2, its key is still good")
    expect(records()).toEqual(["refund o_1 2450"])
  })

  test("6: a budget that is used up", async () => {
    const { call } = desk("read")
    const { code, out } = await call("run", "look.json", "--inputs", inputs)
    expect(code).toBe(6)
    expect(out).toMatch(/because {3}RUN401: `retries` is used up.*: 1 of 1/)
  })
})

describe.concurrent("what cannot be used", () => {
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      "inputs that are no JSON",
      ["run", "refund.json", "--inputs", "{orderId:1}"],
      /^error: the inputs at 1:2: not JSON/,
    ],
    [
      "inputs with a key twice",
      ["run", "refund.json", "--inputs", '{"a":1,"a":2}'],
      /^error: the inputs at 1:8: key `a` is written twice/,
    ],
    [
      "inputs that are not there",
      ["run", "refund.json", "--inputs", "none.json"],
      /^error: none\.json: there is no such file/,
    ],
    [
      "inputs and plan from one standard input",
      ["run", "-", "--inputs", "-"],
      /^error: standard input can be read once only/,
    ],
    [
      "tools that are not there",
      ["run", "look.json", "--inputs", inputs, "--tools", "none.ts"],
      /^error: there is no file none\.ts \(--tools\)/,
    ],
    [
      "tools that are no toolbox",
      ["run", "look.json", "--inputs", inputs, "--tools", "catalog.ts"],
      /^error: the default export of catalog\.ts is neither a toolbox/,
    ],
    [
      "a store in no folder",
      ["run", "look.json", "--inputs", inputs, "--store", "no/where.db"],
      /^error RUN501: the journal cannot be used: no\/where\.db: the folder .* does not exist/,
    ],
    [
      "a store that is no database",
      ["run", "look.json", "--inputs", inputs, "--store", "refund.json"],
      /^error RUN501: .* the file is not a SQLite database/,
    ],
    ["a store that is not there", ["runs", "--store", "none.db"], /^error: there is no store none\.db/],
    [
      "a decision in no store",
      ["approve", "run_1", "open", "--store", "none.db"],
      /^error: there is no store none\.db/,
    ],
  ]
  test.each(cases)("%s", async (_, args, says) => {
    const before = statSync(join(shop, "refund.json")).mtimeMs
    const { code, out, err } = await sequitur(args)
    expect(err).toMatch(says)
    expect(out).toBe("")
    // No run was begun, so that there is none to resume.
    expect(err).not.toContain("resume")
    expect(err).not.toMatch(/\n {4}at /)
    expect(code).toBe(2)
    expect(existsSync(join(shop, "none.db"))).toBe(false)
    expect(statSync(join(shop, "refund.json")).mtimeMs).toBe(before)
  })
})

describe.concurrent("a run that a program started", () => {
  test("is approved with the catalog and tools of this folder, or those that are named", async () => {
    const { store, call, records, runId } = await programmed()
    const elsewhere = await sequitur(["approve", runId, "open", "--store", store], { cwd: folder() })
    expect([elsewhere.code, elsewhere.err]).toEqual([
      2,
      "error: the run names no catalog that is there, and there is no catalog.ts, .mts, .js or .mjs in this folder; name it with --catalog (and its tools with --tools, unless they are beside it)\n",
    ])
    const bare = folder({ "catalog.mjs": "export default 1" })
    const toolless = await sequitur(["approve", runId, "open", "--store", store], { cwd: bare })
    expect([toolless.code, toolless.err]).toEqual([
      2,
      "error: there is no tools.ts, .mts, .js or .mjs beside catalog.mjs; name one with --tools\n",
    ])
    expect(records()).toEqual([])
    const approved = await call("approve", runId, "open")
    expect([approved.code, approved.err]).toEqual([0, ""])
    expect(records()).toEqual(["refund o_1 2450"])
  })

  test("is approved from anywhere with the catalog named, and the tools beside it", async () => {
    const { store, env, records, runId } = await programmed()
    const args = ["approve", runId, "open", "--store", store, "--catalog", join(shop, "catalog.ts")]
    expect(await sequitur(args, { env, cwd: folder() })).toMatchObject({ code: 0, err: "" })
    expect(records()).toEqual(["refund o_1 2450"])
  })

  test("is denied from anywhere: for that nothing is loaded", async () => {
    const { store, runId, records } = await programmed()
    const denied = await sequitur(["deny", runId, "open", "--store", store], { cwd: folder() })
    expect([denied.code, denied.err]).toEqual([0, ""])
    expect(denied.out).toContain("because   RUN301")
    const again = await sequitur(["deny", runId, "open", "--store", store], { cwd: folder() })
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringMatching(/^error RUN205: .*\nhint: .*`sequitur log run_\w+ --store \S+` shows how it went\.\n$/),
    ])
    expect(records()).toEqual([])
  })

  async function programmed() {
    const made = desk()
    const compiled = compile(catalog, readFileSync(join(shop, "refund.json")))
    if (!compiled.ok) throw new Error("it is a good plan")
    const tools = toolbox(catalog, {
      find_order: ({ orderId }) => ({ orderId, cents: 2_450 }),
      refund: () => ({ refundId: "never" }),
      hold: () => null,
      let_go: () => null,
    })
    const runner = createRunner({ catalog, tools, store: sqlite(made.store) })
    const principal = { tenant: "acme", subject: "ada" }
    const { runId } = await runner.run(compiled.plan, {
      principal,
      sessionId: "s",
      taskId: "t",
      inputs: { orderId: "o_1" },
    })
    await runner.close()
    return { ...made, runId }
  }
})

describe.concurrent("paths", () => {
  test("of a run whose catalog has moved is approved where it is now", async () => {
    const { store, env } = desk()
    const path = moved()
    const old = join(path, "old")
    const run = await sequitur(["run", "refund.json", "--inputs", inputs, "--store", store], { env, cwd: old })
    expect([run.code, run.err]).toEqual([3, ""])
    renameSync(old, join(path, "new"))
    const approved = await sequitur(["approve", runIn(run), "open", "--store", store], { env, cwd: join(path, "new") })
    expect([approved.code, approved.err]).toEqual([0, ""])
  })

  /** The shop in a folder that can be moved. */
  function moved(): string {
    const root = join(shop, "../../..")
    const path = folder()
    mkdirSync(join(path, "old"))
    symlinkSync(join(root, "node_modules"), join(path, "node_modules"))
    for (const name of ["catalog.ts", "tools.ts", "refund.json"]) {
      const text = readFileSync(join(shop, name), "utf8")
        .replaceAll('"sequitur/run"', `"${root}/src/run/index.ts"`)
        .replaceAll('"sequitur"', `"${root}/src/index.ts"`)
      writeFileSync(join(path, "old", name), text)
    }
    return path
  }

  test("from a clone, paths are meant from where they were typed", async () => {
    const env = { npm_lifecycle_event: "sequitur", npm_package_name: "sequitur", INIT_CWD: shop }
    const clone = join(shop, "../../..")
    const compiled = await sequitur(["compile", "look.json"], { cwd: clone, env })
    expect([compiled.code, compiled.err]).toEqual([0, ""])
    const other = await sequitur(["compile", "look.json"], { cwd: clone, env: { ...env, npm_package_name: "shop" } })
    expect([other.code, other.err]).toEqual([2, "error: look.json: there is no such file\n"])
  })
})

describe.concurrent("runs and log", () => {
  test("list what a store holds, by tenant", async () => {
    const { call } = desk()
    await call("run", "look.json", "--inputs", inputs, "--tenant", "acme")
    await call("run", "refund.json", "--inputs", inputs, "--tenant", "evil\u001b[2J")
    const [all, some, none] = await Promise.all([
      call("runs"),
      call("runs", "--tenant", "acme", "--format", "json"),
      call("runs", "--tenant", "zzz"),
    ])
    expect(all.out.split("\n").slice(2)).toEqual([
      expect.stringMatching(/^run_\w{32} {2}succeeded {10}\S+ {2}acme {11}\S+$/),
      expect.stringMatching(/^run_\w{32} {2}awaiting approval {2}\S+ {2}evil\\u001b\[2J .* Refund the order\.$/),
      "",
      "  1 awaiting approval (`approve` or `deny`)",
      "",
    ])
    expect(JSON.parse(some.out).runs).toMatchObject([{ tenant: "acme", status: "succeeded", entries: 4 }])
    expect(none.out).toBe("no runs\n")
  })

  test("say at which entry a journal was altered", async () => {
    const { call, store } = desk()
    const runId = runIn(await call("run", "look.json", "--inputs", inputs))
    const db = new DatabaseSync(store)
    db.exec("DROP TRIGGER entry_stays; UPDATE entry SET payload = replace(payload, 'o_', 'o-') WHERE seq = 1")
    db.close()
    const { code, err } = await call("log", runId, "--verify")
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^error RUN503: entry 1 of run `run_\w+` is not what was written/),
    ])
  })

  test("a reader that goes away does not stop a run between two effects", async () => {
    const { store, env, records, runId } = await waitingDesk()
    const { code, err } = await sequitur(["approve", runId, "open", "--store", store], { env, head: true })
    expect([code, err]).toEqual([0, ""])
    expect(records()).toEqual(["refund o_1 2450"])
  })
})
