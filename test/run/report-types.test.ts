/** What a report's type tells: why it failed can be asked of any report, and its status says which parts are there. */
import type { CredentialsProvider, Failure, KeySecret, OnRequested, RunnerOptions, RunReport } from "sequitur/run"
import { expectTypeOf, test } from "vitest"

declare const report: RunReport

test("a report's failure and request can be asked for before its status is known", () => {
  expectTypeOf<RunReport["failure"]>().toEqualTypeOf<Failure | undefined>()
  expectTypeOf<RunReport["awaiting"]>().not.toBeNever()
  const told = (one: typeof report): string => {
    if (one.status === "succeeded") {
      expectTypeOf(one.failure).toEqualTypeOf<undefined>()
      return "done"
    }
    if (one.status === "awaiting_approval") return one.awaiting.stepId
    // Still there for certain where the status says so.
    return one.status === "running" ? "" : one.failure.message
  }
  expectTypeOf(told).returns.toBeString()
})

test("what a tools' module exports beside its toolbox has types with names", () => {
  expectTypeOf<CredentialsProvider>().toExtend<NonNullable<RunnerOptions["credentials"]>>()
  expectTypeOf<KeySecret>().toExtend<NonNullable<RunnerOptions["keySecret"]>>()
  expectTypeOf<OnRequested>().toExtend<NonNullable<RunnerOptions["onRequested"]>>()
})
