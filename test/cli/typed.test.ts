import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { typed } from "../../src/cli/typed.ts"
import { folder, main, sequitur } from "./sequitur.ts"

/** What is printed in a process that was started like this. */
function typedBy(env: Readonly<Record<string, string>>, started = "/usr/local/bin/sequitur"): string {
  const { env: before, argv } = process
  const { npm_lifecycle_event: _1, npm_package_name: _2, ...others } = before
  process.env = { ...others, ...env }
  process.argv = [process.execPath, started]
  try {
    return typed("log", ["run_1"])
  } finally {
    process.env = before
    process.argv = argv
  }
}

test.each([
  ["installed for all", {}, "/usr/local/bin/sequitur", "sequitur log run_1"],
  ["installed in a project", {}, "/home/ada/shop/node_modules/.bin/sequitur", "npx sequitur log run_1"],
  ["installed in a project, on Windows", {}, "C:\\shop\\node_modules\\.bin\\sequitur", "npx sequitur log run_1"],
  ["by npx", { npm_lifecycle_event: "npx" }, undefined, "npx sequitur log run_1"],
  [
    "in a clone",
    { npm_lifecycle_event: "sequitur", npm_package_name: "sequitur" },
    undefined,
    "npm run sequitur -- log run_1",
  ],
  [
    "by a project's own script of this name",
    { npm_lifecycle_event: "sequitur", npm_package_name: "shop" },
    "/home/ada/shop/node_modules/.bin/sequitur",
    "npx sequitur log run_1",
  ],
] as const)("a command is printed as it is typed: %s", (_, env, started, says) => {
  expect(typedBy(env, started)).toBe(says)
})

test("the link that npm makes is seen as it was called", async () => {
  const bin = join(folder(), "node_modules/.bin")
  mkdirSync(bin, { recursive: true })
  symlinkSync(main, join(bin, "sequitur"))
  const store = join(folder(), "none.db")
  const options = { as: join(bin, "sequitur"), env: { NODE_OPTIONS: "--no-warnings" } }
  await sequitur(["run", "look.json", "--inputs", '{"orderId":"o_1"}', "--store", store], options)
  const { err } = await sequitur(["log", "run_none", "--store", store], options)
  expect(err).toContain(`hint: \`npx sequitur runs --store ${store}\` lists the runs there are.`)
})

test("what a shell would take apart is quoted", () => {
  expect(typed("deny", ["run_1", "open"], "my runs.db")).toMatch(/ deny run_1 open --store 'my runs.db'$/)
  expect(typed("log", ["it's; rm -rf ~"])).toMatch(/ log 'it'\\''s; rm -rf ~'$/)
})
