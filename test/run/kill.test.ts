/** The same with real processes, SIGKILL and an SQLite file: what is in the file is all that is left. */
import { type ExecFileException, execFile } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createRunner, type Entry } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, describe, expect, test } from "vitest"
import { catalog, countCalls, guarded, handlersOf } from "./desk.ts"

const folder = mkdtempSync(join(tmpdir(), "sequitur-kill-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const node = join(process.cwd(), "node_modules/.bin/node")
const script = join(import.meta.dirname, "process.ts")

/** What a process said before it ended, or the signal that ended it. */
const spawn = (...args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const flags = ["--conditions=@sequitur/source", "--no-warnings", script]
    execFile(node, [...flags, ...args], (error: ExecFileException | null, said, complaint) =>
      resolve(error === null ? said.trim() : (error.signal ?? complaint)),
    )
  })

const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []

const kindsOf = (entries: readonly Entry[]): readonly string[] => entries.map(({ event }) => event.kind)

describe.concurrent("a process that is killed", () => {
  // By where it dies: how the run stands when it is taken up, and how often the first effect was made.
  const deaths = {
    "before-append:0": { status: "RunNotFound", made: 0 },
    "after-append:0": { status: "succeeded", made: 0 },
    "before-append:1": { status: "succeeded", made: 0 },
    "after-append:1": { status: "in_doubt", made: 0 },
    "before-work:0": { status: "in_doubt", made: 0 },
    "after-work:0": { status: "in_doubt", made: 1 },
    "before-append:2": { status: "in_doubt", made: 1 },
    "after-append:3": { status: "in_doubt", made: 2 },
    "after-append:4": { status: "RunEnded", made: 3 },
  } as const
  for (const [death, { status, made }] of Object.entries(deaths)) {
    test(death, async () => {
      const [store, outside] = [join(folder, `${death}.db`), join(folder, `${death}.outside`)]
      expect(await spawn(store, outside, death, "run")).toBe("SIGKILL")
      expect(linesOf(outside)).toHaveLength(made)
      const calls = countCalls()
      const runner = createRunner({ catalog, tools: handlersOf(calls), store: sqlite(store) })
      const take = (takeOver: boolean): Promise<string> =>
        runner.resume("run", { takeOver }).then(
          (report) => report.status,
          (error: { readonly _tag: string }) => error._tag,
        )
      // As long as the call that it left could still be under way, nobody knows that its process is dead.
      const before = status === "RunNotFound" ? [] : kindsOf(await runner.entries("run"))
      if (before.at(-1) === "intent") expect(await take(false)).toBe("RunUnderWay")
      const taken = await take(true)
      expect(taken).toBe(status)
      const keys = [...linesOf(outside), ...calls.made.flatMap(({ context }) => context.idempotencyKey ?? [])]
      expect(new Set(keys).size).toBe(keys.length)
      if (status === "succeeded") expect(keys).toHaveLength(3)
      if (status === "in_doubt") expect(kindsOf(await runner.entries("run")).at(-1)).toBe("in-doubt")
      await runner.close()
    })
  }
})

test("processes that approve at once: exactly one is heard, and another process finishes the run", async () => {
  const [store, outside] = [join(folder, "approve.db"), join(folder, "approve.outside")]
  expect(await spawn(store, outside, "", "guarded")).toBe("awaiting_approval")
  const people = ["ann", "bob", "cid", "dot"]
  const said = await Promise.all(people.map((by) => spawn(store, outside, "", "decide", by)))
  expect(said.toSorted()).toEqual([
    "ApprovalAlreadyDecided",
    "ApprovalAlreadyDecided",
    "ApprovalAlreadyDecided",
    "decided",
  ])
  const runner = createRunner({ catalog: guarded, tools: handlersOf(countCalls()), store: sqlite(store) })
  expect((await runner.resume("run")).status).toBe("succeeded")
  const entries = await runner.entries("run")
  const decided = entries.flatMap(({ event }) => (event.kind === "approval-decided" ? [event.by] : []))
  expect(decided).toEqual([people[said.indexOf("decided")]])
  await runner.close()
})
