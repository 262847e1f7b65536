/**
 * What was lost of a run may have been done. Found by somebody who cut the end off a run that had mailed, recovered the store, and
 * saw the mail sent again.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { compile } from "sequitur"
import { createRunner, createWorker } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterAll, expect, test } from "vitest"
import { recover } from "../../src/journal/sqlite/recover.ts"
import { boxOn, catalog, makeOutside } from "./counter.ts"
import { accepted, principal } from "./desk.ts"

const folder = mkdtempSync(join(tmpdir(), "sequitur-recovered-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const plan = accepted(
  compile(catalog, JSON.stringify({ version: 1, steps: [{ id: "pay", tool: "bare", args: { invoice: "i1" } }] })),
)

for (const lost of [true, false]) {
  test(`a run that has not ended goes on in a recovered store only when it is taken over (${lost ? "its end was lost" : "nothing was lost"})`, async () => {
    const [from, to] = [join(folder, `from-${lost}.db`), join(folder, `to-${lost}.db`)]
    const outside = makeOutside()
    const equipment = { catalog, tools: boxOn(outside) }
    const scope = { principal, sessionId: "s", taskId: "t" }
    const first = createRunner({ ...equipment, store: sqlite(from) })
    await first.run(plan, { ...scope, runId: "ended" })
    expect(outside.calls).toHaveLength(1)
    await first.close()
    const db = new DatabaseSync(from)
    db.exec("DROP TRIGGER entry_is_kept")
    db.exec(lost ? "DELETE FROM entry WHERE seq >= 1" : "DELETE FROM entry WHERE seq >= 1; UPDATE run SET seq = 0")
    db.close()
    const { runs, unended } = await Effect.runPromise(recover(from, to))
    expect(runs).toMatchObject([{ runId: "ended", kept: 1, lost: lost ? expect.any(Number) : 0 }])
    expect(unended).toEqual([{ runId: "ended", doubt: undefined }])

    const second = createRunner({ ...equipment, store: sqlite(to) })
    await expect(second.resume("ended")).rejects.toMatchObject({
      code: "RUN208",
      message: expect.stringContaining("run `ended` was recovered before it had ended: its last entries may be lost"),
      hint: expect.stringContaining("--take-over"),
    })
    await createWorker({ store: sqlite(to), tools: equipment.tools, untilIdle: true }).stopped
    expect(outside.calls).toHaveLength(1)
    expect(await second.resume("ended", { takeOver: true })).toMatchObject({ status: "succeeded" })
    await second.close()
  })
}
