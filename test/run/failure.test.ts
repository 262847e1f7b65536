/** The typed errors: each code has one class, each class one code, and none shows a trace. */
import { expect, test } from "vitest"
import { runCodes } from "../../src/journal/codes.ts"
import * as journal from "../../src/journal/failure.ts"
import * as run from "../../src/run/failure.ts"

const classes = Object.entries({ ...journal, ...run }).filter(
  ([name]) => /^[A-Z]/.test(name) && name !== "Taken",
) as unknown as readonly [string, new (fields: object) => journal.Refusal & Error][]

test("every code has its class, and every class its code", () => {
  const tags = Object.values(runCodes).map(({ tag }) => tag)
  expect(classes.map(([name]) => name).sort()).toEqual([...tags].sort())
  expect(new Set(tags).size).toBe(tags.length)
  for (const [name, Class] of classes) {
    const error = new Class({})
    expect(error._tag).toBe(name)
    expect(runCodes[error.code].tag).toBe(name)
    expect(error.again).toBe(runCodes[error.code].again)
  }
})

test("messages are the table's, with every hole filled, and what fills a hole is not looked at again", () => {
  const error = new run.ApprovalDenied({ stepId: "open", by: "{reason}", reason: "{by} $& \\1" })
  expect(error.message).toBe("`{reason}` denied step `open`: {by} $& \\1")
  for (const [code, { message, hint, title }] of Object.entries(runCodes)) {
    expect(message, code).toMatch(/^[^.]*[^.]$/)
    expect(hint, code).toMatch(/^[A-Z{`].*[.?}]$/)
    expect(title.split(" ").length, code).toBeLessThanOrEqual(6)
  }
})

test("as JSON, and as text, there is no trace", () => {
  for (const [, Class] of classes) {
    const error = new Class({ stepId: "open", runId: "run", seq: 1 })
    expect(JSON.stringify(error)).not.toMatch(/failure\.ts|node_modules|\n/)
    expect(String(error)).not.toMatch(/\.ts:/)
    const { trouble: _, ...told } = JSON.parse(JSON.stringify(error))
    expect(Object.keys(told).sort()).toEqual(["_tag", "again", "code", "fields", "hint", "message"])
  }
})

test("as it is written down, it has its tag, its code, its message and its step", () => {
  const error = new run.StepTimedOut({ stepId: "look", tool: "look", timeoutMs: 1_000 })
  expect(journal.record(error)).toEqual({
    tag: "StepTimedOut",
    code: "RUN102",
    message: "step `look` did not answer within 1000 ms",
    stepId: "look",
  })
  // Half a character has no canonical form, and would make the entry unwritable.
  const cut = new run.StepFailed({ stepId: "look", tool: "look", said: "\ud83d" })
  expect(journal.record(cut).message.isWellFormed()).toBe(true)
})
