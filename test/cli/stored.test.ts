/** What is done with runs that are there: cancel, resolve, replay, the worker, and the store as a whole. */
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { decide, requestCancel } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { describe, expect, test } from "vitest"
import { folder, type Said, sequitur, settled, shop } from "./sequitur.ts"

const inputs = '{"orderId":"o_1"}'

const runIn = ({ out }: Said): string => /run_[0-9a-f]{32}/.exec(out)?.[0] ?? "none"

function desk() {
  const path = folder()
  const [store, records] = [join(path, "runs.db"), join(path, "shop.log")]
  const at = (fault: string | undefined, args: readonly string[]): Promise<Said> => {
    const env = { SHOP_LOG: records, ...(fault === undefined ? {} : { SHOP_FAULT: fault }) }
    return sequitur([...args, "--store", store], { env })
  }
  return {
    path,
    store,
    call: (...args: readonly string[]) => at(undefined, args),
    broken: (fault: string, ...args: readonly string[]) => at(fault, args),
    records: () => (existsSync(records) ? readFileSync(records, "utf8").trim().split("\n") : []),
  }
}

/** A store with one run in it, begun once and copied for each test. */
const kept = new Map<string, Promise<{ readonly from: string; readonly runId: string }>>()

async function begun(what: "waiting" | "in-doubt") {
  const making =
    kept.get(what) ??
    (async () => {
      const made = desk()
      const runId = runIn(await made.call("run", "hold.json", "--inputs", inputs, "--subject", "ada", "--task", "t1"))
      if (what === "in-doubt") await made.broken("effect", "approve", runId, "open", "--by", "eve")
      return { from: made.store, runId }
    })()
  kept.set(what, making)
  const { from, runId } = await making
  const made = desk()
  copyFileSync(from, made.store)
  return { ...made, runId }
}

const linesOf = ({ out }: Said) =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

describe.concurrent("cancel", () => {
  test("undoes what was done, says so, and ends 5", async () => {
    const { call, runId, records } = await begun("waiting")
    const said = await call("cancel", runId, "--by", "eve", "--reason", "ordered twice")
    expect([said.code, said.err]).toEqual([5, ""])
    expect(said.out).toContain("to be cancelled by eve: ordered twice")
    expect(said.out).toContain("undoes what was done, to end cancelled")
    expect(said.out).toContain("undid     keep (hold)")
    expect(records()).toEqual(["let go o_1"])
    const again = await call("cancel", runId)
    expect([again.code, again.err]).toEqual([1, expect.stringMatching(/^error RUN205/)])
  })

  test("is taken without the run's modules too, and left to a worker that has them", async () => {
    const { call, runId, store, records } = await begun("waiting")
    const away = folder()
    const named = await sequitur(["cancel", runId, "--store", store, "--catalog", join(away, "catalog.ts")])
    expect([named.code, named.err]).toEqual([2, expect.stringMatching(/^error: there is no tools\.ts/)])
    // As from a program that has none.
    const asked = Effect.provide(requestCancel(runId, { by: "eve" }), sqlite(store, { create: false }))
    expect((await Effect.runPromise(asked)).status).toBe("running")
    expect(records()).toEqual([])
    const worked = await call("worker", "--once")
    expect([worked.code, worked.err]).toEqual([0, ""])
    expect(worked.out).toContain("run cancelled")
    expect(records()).toEqual(["let go o_1"])
  })

  test("a denial undoes too", async () => {
    const { call, runId, records } = await begun("waiting")
    const said = await call("deny", runId, "open", "--by", "eve")
    expect(said.code).toBe(0)
    expect(said.out).toContain("undid     keep (hold)")
    expect(records()).toEqual(["let go o_1"])
  })
})

describe.concurrent("resolve", () => {
  test("what to do is typed out where a run comes to be in doubt", async () => {
    const { broken, runId, store } = await begun("waiting")
    const said = await broken("effect", "approve", runId, "open", "--by", "eve")
    expect(said.code).toBe(4)
    const masked = settled(said.out)
      .replaceAll(store, "<store>")
      .replace(/k1:[0-9a-f]{64}/g, "<key>")
    await expect(masked.replace(/k1:[0-9a-f]{12}…/g, "<key>…")).toMatchFileSnapshot("golden/in-doubt.txt")
  })

  test("of an undo is asked as such, beside why the run ends; to say that it was not applied calls it again", async () => {
    const { broken, call, runId, records } = await begun("waiting")
    const denied = await broken("undo", "deny", runId, "open", "--by", "eve", "--reason", "too much")
    expect([denied.code, denied.err]).toEqual([4, ""])
    expect(denied.out).toContain(" to end    failed, RUN301: `eve` denied step `open`: too much\n")
    expect(denied.out).toContain(" because   RUN109: whether `let_go` of step `keep` took effect is not known")
    expect(denied.out).toContain("\n  did       keep (hold)\n")
    expect(denied.out).toContain("\nkeep did take effect; whether let_go has undone it is not known.\n")
    expect(denied.out).toContain(`\nif it was not:     sequitur resolve ${runId} keep --not-applied`)
    const before = records().length
    const settled = await call("resolve", runId, "keep", "--not-applied", "--reason", "seen")
    expect([settled.code, settled.out]).toEqual([1, expect.stringContaining("\n  undid     keep (hold)\n")])
    expect(records()).toHaveLength(before + 1)
  })

  test("--retry: it is called by its recorded key once more, and the run goes on", async () => {
    const { call, broken, runId, records } = await begun("in-doubt")
    const before = await call("log", runId, "--format", "json")
    const keysOf = (said: Said) =>
      new Set(
        linesOf(said).flatMap(({ event }) =>
          event.kind === "intent" && event.tool === "refund" ? [event.idempotencyKey] : [],
        ),
      )
    const word = ["--retry", "--by", "eve", "--reason", "the line is back"]
    const still = await broken("effect", "resolve", runId, "pay", ...word)
    expect([still.code, still.err]).toEqual([4, ""])
    const said = await call("resolve", runId, "pay", ...word)
    expect([said.code, said.err]).toEqual([0, ""])
    expect(said.out).toContain("resolved: to be tried again by eve: the line is back")
    expect(said.out).toMatch(/\(attempt \d, its key is still good\)/)
    const after = await call("log", runId, "--format", "json")
    expect([keysOf(after), keysOf(after).size]).toEqual([keysOf(before), 1])
    expect(records().filter((line) => line.startsWith("refund")).length).toBeLessThanOrEqual(1)
    const replayed = await call("replay", runId)
    expect([replayed.code, replayed.err]).toEqual([0, ""])
  })

  test("--give-up: an undo is left, told as one that failed, and the run ends; what is no undo is not given up", async () => {
    const { broken, call, runId } = await begun("waiting")
    expect((await broken("undo", "deny", runId, "open", "--by", "eve", "--reason", "too much")).code).toBe(4)
    const both = await call("resolve", runId, "keep", "--give-up", "--retry", "--reason", "seen")
    expect([both.code, both.err]).toEqual([2, expect.stringContaining("cannot be used with")])
    const said = await call("resolve", runId, "keep", "--give-up", "--by", "eve", "--reason", "gone for good")
    expect([said.code, said.err]).toEqual([1, ""])
    expect(said.out).toContain("resolved: left undone by eve: gone for good")
    expect(said.out).toMatch(/not undone keep \(hold\): RUN113: .*`eve` gave it up: gone for good\n/)
    const other = await begun("in-doubt")
    const refused = await other.call("resolve", other.runId, "pay", "--give-up", "--reason", "seen")
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/^error RUN211: step `pay` of run `run_\w+` cannot be given up: .*\nhint: Say --applied/),
    ])
  })

  test("--applied: the result is held to the tool's, and the run goes on with it", async () => {
    const { call, runId, records, store } = await begun("in-doubt")
    const [wrong, neither, both] = await Promise.all([
      call("resolve", runId, "pay", "--applied", '{"refundId":3}', "--reason", "seen"),
      call("resolve", runId, "pay", "--reason", "seen"),
      call("resolve", runId, "pay", "--applied", "{}", "--not-applied", "--reason", "seen"),
    ])
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringMatching(/^error RUN210: the result given for step `pay`/),
    ])
    expect([neither.code, neither.err]).toEqual([
      2,
      expect.stringContaining("--applied with its result, or --not-applied"),
    ])
    expect(both.code).toBe(2)
    const word = ["--not-applied", "--reason", "seen"]
    const [other, earlier, none] = [
      await call("resolve", runId, "keep", ...word),
      await call("resolve", runId, "pay", ...word, "--attempt", "7"),
      await call("resolve", runId, "pay", ...word, "--attempt", "0"),
    ]
    expect([other.code, other.err]).toEqual([1, expect.stringMatching(/^error RUN209/)])
    expect([earlier.code, earlier.err]).toEqual([1, expect.stringMatching(/^error RUN209/)])
    expect(none.code).toBe(2)
    const resumed = await call("resume", runId)
    expect([resumed.code, resumed.err]).toEqual([
      4,
      expect.stringContaining(`sequitur resolve ${runId} pay --not-applied --reason '<how you know>' --store ${store}`),
    ])
    const said = await call(
      "resolve",
      runId,
      "pay",
      "--applied",
      '{"refundId":"r_7"}',
      "--by",
      "eve",
      "--reason",
      "seen",
    )
    expect([said.code, said.err]).toEqual([0, ""])
    expect(said.out).toContain('resolved: applied {"refundId":"r_7"} by eve: seen')
    expect(records()).toEqual([])
  })

  test("--not-applied: it is called again, under a new key", async () => {
    const { call, runId, records } = await begun("in-doubt")
    const said = await call("resolve", runId, "pay", "--not-applied", "--reason", "no such refund", "--format", "json")
    expect(said.code).toBe(0)
    expect(linesOf(said).at(-1).run).toMatchObject({ status: "succeeded", doubt: null })
    expect(records()).toEqual(["refund o_1 2450"])
    const keys = linesOf(await call("log", runId, "--format", "json"))
      .filter(({ event }) => event.kind === "intent" && event.stepId === "pay")
      .map(({ event }) => event.idempotencyKey)
    expect(new Set(keys).size).toBe(2)
  })
})

/** Approved, and left to whoever takes it up. */
const decideOnly = (store: string, runId: string): Promise<unknown> => {
  const decision = decide(runId, "open", { decision: "approved", by: "eve" })
  return Effect.runPromise(Effect.provide(decision, sqlite(store, { create: false })))
}

/** Of a catalog that none of the runs goes by. */
const otherTools = `
import { defineCatalog, tool } from "${resolve("src/index.ts")}"
import { toolbox } from "${resolve("src/run/index.ts")}"
import { z } from "${resolve("node_modules/zod/index.js")}"
const catalog = defineCatalog({ name: "other", version: "1", tools: { look: tool({ description: "Look.", effect: "read", params: z.strictObject({}) }) } })
export default toolbox(catalog, { look: () => null })
`

describe.concurrent("worker", () => {
  test("takes up what was decided elsewhere, and ends when nothing is due", async () => {
    const { call, runId, store, records } = await begun("waiting")
    await decideOnly(store, runId)
    const listed = await call("runs")
    expect(listed.out).toContain("running, due")
    expect(listed.out).toContain("  1 due (`worker`, or `resume`)")
    const [due, doubtful, unknown] = await Promise.all([
      call("runs", "--status", "due", "--limit", "1"),
      call("runs", "--status", "in_doubt"),
      call("runs", "--status", "lost"),
    ])
    expect([due.out, doubtful.out, unknown.code]).toEqual([listed.out, "no runs\n", 2])
    const { code, out, err } = await call("worker", "--once")
    expect([code, err]).toEqual([0, ""])
    expect(out).toContain(`${runId}    9`)
    expect(out).toMatch(/run succeeded\n$/)
    expect(records()).toEqual(["refund o_1 2450"])
  })

  test("stops when it is told to", async () => {
    const { store, call, runId } = await begun("waiting")
    await decideOnly(store, runId)
    const stopped = await sequitur(["worker", "--store", store], { stopAt: "run succeeded", signal: "SIGTERM" })
    expect([stopped.code, stopped.err]).toEqual([
      0,
      "stopping: calls under way are waited for; again to stop at once\n",
    ])
    expect((await call("worker", "--once", "--concurrency", "0")).code).toBe(2)
  })

  test("a second signal stops it at once, and programs are told", async () => {
    const { store, call, runId } = await begun("waiting")
    await decideOnly(store, runId)
    const stopped = await sequitur(["worker", "--store", store, "--format", "json"], {
      env: { SHOP_FAULT: "stuck" },
      stopAt: '"tool":"refund"',
      signal: "SIGTERM",
      again: true,
    })
    expect([stopped.code, stopped.err]).toEqual([
      143,
      "stopping: calls under way are waited for; again to stop at once\nstopped at once\n",
    ])
    expect(linesOf(stopped).at(-1)).toEqual({ error: { code: "stopped", message: "stopped at once", hint: null } })
    const held = await call("worker", "--once")
    expect([held.code, held.out]).toEqual([0, "nothing is due\n"])
  })

  test("goes on with runs of more than one catalog, each by the tools of its own", async () => {
    const { store, call, runId } = await begun("waiting")
    await decideOnly(store, runId)
    const other = folder({ "tools.ts": otherTools })
    const { code, out } = await call("worker", "--once", "--tools", join(other, "tools.ts"), join(shop, "tools.ts"))
    expect([code, out]).toEqual([0, expect.stringMatching(/run succeeded\n$/)])
  })

  test("has no store to make", async () => {
    const { code, err } = await sequitur(["worker", "--store", "none.db"])
    expect([code, err]).toEqual([2, "error: there is no store none.db; name one with --store\n"])
  })
})

describe.concurrent("a whole store", () => {
  test("is verified, its head kept, and what was altered or cut off since is found", async () => {
    const { call, path, store, runId } = await begun("in-doubt")
    const head = await call("log", "--head")
    const file = join(path, "head.json")
    writeFileSync(file, head.out)
    const [verified, expected] = await Promise.all([call("log", "--verify"), call("log", "--expect", file)])
    expect([verified.code, verified.out]).toEqual([
      0,
      expect.stringMatching(/^verified: 1 run, \d+ entries, each chained to the one before it\n$/),
    ])
    expect([expected.code, expected.out]).toEqual([0, expect.stringContaining("of the head are among them")])
    const db = new DatabaseSync(store)
    db.exec("DROP TRIGGER entry_is_kept; DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)")
    db.close()
    const cut = await call("log", "--expect", file)
    expect([cut.code, cut.err]).toEqual([1, expect.stringContaining(`run \`${runId}\` had`)])
    const json = await call("log", "--expect", file, "--format", "json")
    expect(linesOf(json)[0].verify.findings).toContainEqual(expect.objectContaining({ kind: "tail-lost", runId }))
    appendFileSync(file, "x")
    expect((await call("log", "--expect", file)).code).toBe(2)
    expect((await call("log")).code).toBe(2)
  })

  test("is exported, redacted, imported, recovered", async () => {
    const { call, path, runId } = await begun("in-doubt")
    const whole = await call("export")
    const redacted = await call("export", runId, "--redact")
    expect(whole.out).toContain("o_1")
    expect(redacted.out).not.toContain("o_1")
    expect((await call("export", "run_none")).err).toBe("error: there is no run run_none in this store\n")
    const [file, other] = [join(path, "whole.jsonl"), join(path, "redacted.jsonl")]
    writeFileSync(file, whole.out)
    writeFileSync(other, redacted.out)
    const copy = join(path, "copy.db")
    const taken = await sequitur(["import", file, "--store", copy])
    expect([taken.code, taken.out]).toEqual([
      0,
      expect.stringMatching(/^verified: 1 run, \d+ entries; taken over into /),
    ])
    const twice = await sequitur(["import", file, "--store", copy])
    expect([twice.code, twice.err]).toEqual([
      1,
      expect.stringMatching(/^error RUN207: .*\nhint: Nothing was taken over/),
    ])
    const resolved = ["resolve", runId, "pay", "--not-applied", "--reason", "seen", "--store", copy, "--take-over"]
    expect((await sequitur(resolved)).code).toBe(0)
    const looked = await sequitur(["import", other, "--store", join(path, "none.db")])
    expect([looked.code, looked.out]).toEqual([
      0,
      expect.stringContaining("redacted, so that they cannot be taken over"),
    ])
    expect(existsSync(join(path, "none.db"))).toBe(false)
    writeFileSync(file, whole.out.replace("o_1", "o_2"))
    const forged = await sequitur(["import", file, "--store", join(path, "none.db"), "--format", "json"])
    expect([forged.code, linesOf(forged)[0].import.verified]).toEqual([1, false])
    expect(forged.err).toMatch(/line \d+: entry 0 of run `run_\w+` is not what was written/)

    const recovered = await sequitur(["recover", join(path, "runs.db"), join(path, "new.db")])
    expect([recovered.code, recovered.out]).toEqual([0, expect.stringMatching(/^recovered 1 whole run: /)])
    const again = await sequitur(["recover", join(path, "runs.db"), join(path, "new.db")])
    expect([again.code, again.err]).toEqual([
      2,
      expect.stringMatching(/^error RUN501: .* is there already.*\nhint: Name a new file/),
    ])
    const noise = join(path, "noise.db")
    writeFileSync(noise, "no database at all".repeat(100))
    const lost = await sequitur(["recover", noise, join(path, "newer.db")])
    expect([lost.code, lost.err]).toEqual([
      2,
      expect.stringMatching(/^error RUN501: .*\nhint: Nothing of it can be read/),
    ])
  })

  test("a run that has not ended goes on in one store alone: where it was imported, it must be taken over", async () => {
    const { call, path, runId, records } = await begun("waiting")
    const file = join(path, "whole.jsonl")
    const copy = join(path, "copy.db")
    writeFileSync(file, (await call("export")).out)
    const env = { SHOP_LOG: join(path, "shop.log") }
    const there = (...args: readonly string[]) => sequitur([...args, "--store", copy], { env })
    const taken = await there("import", file)
    expect(taken.out).toContain("1 run has not ended: it goes on here only when it is taken over")
    expect(taken.out).toContain(`resume ${runId} --take-over --store ${copy}`)
    const approved = await there("approve", runId, "open", "--by", "eve")
    expect([approved.code, approved.err]).toEqual([
      expect.any(Number),
      expect.stringMatching(
        /^error RUN208: .* was imported before it had ended.*\nhint: `sequitur resume .* --take-over .*` goes on with it here/,
      ),
    ])
    expect((await there("worker", "--once")).code).toBe(0)
    expect(records()).toEqual([])
    const resumed = await there("resume", runId, "--take-over")
    expect([resumed.code, resumed.err, records()]).toEqual([3, "", []])
    expect((await there("approve", runId, "open", "--by", "eve")).code).toBe(0)
    expect(records()).toEqual(["refund o_1 2450"])
  })

  test("a run that had not ended goes on in a recovered store only when it is taken over", async () => {
    const { path, store, runId } = await begun("waiting")
    const copy = join(path, "recovered.db")
    const recovered = await sequitur(["recover", store, copy])
    expect([recovered.code, recovered.err]).toEqual([0, ""])
    expect(recovered.out).toContain("1 run has not ended: it goes on here only when it is taken over")
    expect(recovered.out).toContain(`resume ${runId} --take-over --store ${copy}`)
    const approved = await sequitur(["approve", runId, "open", "--by", "eve", "--store", copy])
    expect([approved.code, approved.err]).toEqual([
      1,
      expect.stringMatching(/^error RUN208: .* was recovered before it had ended.*\nhint: Find out what it has done/),
    ])
  })

  test("a run is derived anew; what does not follow is named by its entry", async () => {
    const { call, runId } = await begun("in-doubt")
    const said = await call("replay", runId)
    expect([said.code, said.err]).toEqual([0, ""])
    expect(said.out).toMatch(/^replayed: \d+ entries, each as it follows from those before it; in doubt\n$/)
    const other = folder({ "catalog.ts": tighter })
    const partly = await call("replay", runId, "--catalog", join(other, "catalog.ts"))
    expect([partly.code, partly.err]).toEqual([0, expect.stringMatching(/^note: the catalog has changed .*budgets/)])
  })

  test("says which runs a new catalog would strand", async () => {
    const { runId, store } = await begun("waiting")
    const other = join(folder({ "catalog.ts": tighter }), "catalog.ts")
    const [same, stranding] = await Promise.all([
      sequitur(["catalog", "diff", "catalog.ts", "catalog.ts", "--store", store]),
      sequitur(["catalog", "diff", "catalog.ts", other, "--store", store]),
    ])
    expect([same.code, same.out]).toEqual([0, "no difference\n\nno run is stranded: 1 run not ended\n"])
    expect(stranding.code).toBe(1)
    expect(stranding.out).toMatch(new RegExp(`${runId} +awaiting approval +budgets\n`))
  })
})

/** The shop's catalog, with another budget. */
const tighter = readFileSync(join(shop, "catalog.ts"), "utf8")
  .replace("retries: 1", "retries: 2")
  .replaceAll('"sequitur"', `"${join(shop, "../../../src/index.ts")}"`)
  .replaceAll('"zod"', `"${join(shop, "../../../node_modules/zod/index.js")}"`)

describe.concurrent("a run that comes from another store", () => {
  test("in doubt, it is held like the others; what is typed out goes on with it", async () => {
    const { call, path, runId, records } = await begun("in-doubt")
    const [file, copy] = [join(path, "whole.jsonl"), join(path, "copy.db")]
    writeFileSync(file, (await call("export")).out)
    const env = { SHOP_LOG: join(path, "shop.log") }
    const there = (...args: readonly string[]) => sequitur([...args, "--store", copy], { env })
    const taken = await there("import", file)
    const start = `resolve ${runId} pay --applied '<its result.json>' --reason '<how you know>' --take-over`
    expect(taken.out).toContain(`1 run has not ended: it goes on here only when it is taken over`)
    expect(taken.out).toContain(`${start} --store ${copy}`)
    const word = ["resolve", runId, "pay", "--not-applied", "--reason", "seen"]
    const before = records().length
    const refused = await there(...word)
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(
        /^error RUN208: .* was imported before it had ended.*\nhint: Say it again with --take-over/,
      ),
    ])
    expect(records()).toHaveLength(before)
    const said = await there(...word, "--take-over")
    expect([said.code, said.err]).toEqual([0, ""])
    expect(records()).toHaveLength(before + 1)
  })

  test("recovered, it is held too, also out of a store that is whole and in use", async () => {
    const { call, path, store, runId, records } = await begun("waiting")
    const to = join(path, "new.db")
    const recovered = await sequitur(["recover", store, to])
    expect(recovered.code).toBe(0)
    expect(recovered.out).toContain("1 run has not ended: it goes on here only when it is taken over")
    expect(recovered.out).toContain(`resume ${runId} --take-over --store ${to}`)
    const env = { SHOP_LOG: join(path, "shop.log") }
    const there = (...args: readonly string[]) => sequitur([...args, "--store", to], { env })
    const approved = await there("approve", runId, "open", "--by", "eve")
    expect(approved.err).toMatch(/^error RUN208: .* was recovered before it had ended: its last entries may be lost/)
    expect((await there("worker", "--once")).code).toBe(0)
    expect(records()).toEqual([])
    expect((await call("approve", runId, "open", "--by", "eve")).code).toBe(0)
    expect(records()).toEqual(["refund o_1 2450"])
    const told = await sequitur(["recover", store, join(path, "newer.db"), "--format", "json"])
    expect(linesOf(told)[0].recover.unended).toEqual([])
  })
})
