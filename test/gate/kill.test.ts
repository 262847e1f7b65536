/** A gate's process killed at any moment of its calls, and a new one that asks the same again: no effect is made twice. */
import { type ExecFileException, execFile } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createRunner, type Entry } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, describe, expect, test } from "vitest"
import { replay } from "../../src/journal/state.ts"
import { rederive } from "../../src/run/rederive.ts"
import { footingFor } from "../../src/run/run.ts"
import { makeWorld, shop } from "./shop.ts"

const folder = mkdtempSync(join(tmpdir(), "sequitur-gate-"))
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

const all = ["accepted", "accepted", "accepted", "refused", "accepted", "accepted"]
const doubt = ["accepted", "accepted", "accepted", "refused", "accepted", "in-doubt"]

describe.concurrent("a gate that is killed", () => {
  // By where it dies: what a new process is told of the same calls. The last effect has no key that could be sent again.
  const deaths = {
    "before-append:1": all,
    "after-append:3": all,
    "before-work:0": all,
    "after-work:0": all,
    "after-work:2": doubt,
  } as const
  for (const [death, verdicts] of Object.entries(deaths)) {
    test(death, async () => {
      const [store, outside] = [join(folder, `${death}.db`), join(folder, `${death}.outside`)]
      expect(await spawn(store, outside, death)).toBe("SIGKILL")
      expect(JSON.parse(await spawn(store, outside, ""))).toEqual(verdicts)
      // Asked once more, nothing is made, whatever is known by then.
      const made = linesOf(outside)
      if (verdicts === doubt) expect(JSON.parse(await spawn(store, outside, ""))).toEqual(verdicts)
      expect(linesOf(outside)).toEqual(made)
      // By its key each effect happened once: what was sent again was sent by the same one.
      expect(new Set(made).size).toBe(3)
      const runner = createRunner({ catalog: shop, tools: makeWorld().tools, store: sqlite(store) })
      const entries = (await runner.entries("run")) as readonly Entry[]
      const state = replay("run", entries)
      const ready = footingFor(state as never, { catalog: shop as never, handlers: new Map(), fault: undefined })
      expect(rederive(ready as never, "run", entries)).toMatchObject({
        status: verdicts === doubt ? "in_doubt" : "succeeded",
      })
      await runner.close()
    }, 120_000)
  }
})
