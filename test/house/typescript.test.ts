/** The project's own `tsc` is TypeScript 7: the older ones beside it, under names of their own, must not take its place. */
import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"

test("`tsc` is TypeScript 7", () => {
  expect(execFileSync("node_modules/.bin/tsc", ["-v"], { encoding: "utf8" })).toMatch(/^Version 7\./)
})
