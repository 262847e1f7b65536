/** What a planner is given of a catalog, and what it is told of its plans; and a catalog's own faults. */
import { join, resolve } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { expect, test } from "vitest"
import { folder, sequitur, shop } from "./sequitur.ts"

const billing = resolve("plans/billing/catalog.ts")
const broken = resolve("plans/invalid/SEQ812/catalog.ts")

test("schema: standard output is a JSON Schema that good plans validate against, notes go to standard error", async () => {
  const { code, out } = await sequitur(["schema", "--catalog", billing])
  expect(code).toBe(0)
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(out))
  const { default: plan } = await import(resolve("plans/billing/cancel-and-refund.json"), { with: { type: "json" } })
  expect(validate(plan)).toBe(true)
  expect(validate({ ...plan, onError: "continue" })).toBe(false)
  const openai = await sequitur(["schema", "--catalog", billing, "--for", "openai"])
  expect(openai.err).toMatch(/^note: OpenAI: /)
  expect(JSON.parse(openai.out)).toMatchObject({ type: "object", additionalProperties: false })
})

test("prompt: the plan language and every tool, in words", async () => {
  const { code, out } = await sequitur(["prompt"], { cwd: resolve("plans/billing") })
  expect(code).toBe(0)
  for (const word of ["$from", "$concat", "where", "execute_refund", "MUTATING"]) expect(out).toContain(word)
})

test("a catalog with faults is told, by lint and to a planner's commands", async () => {
  for (const command of [
    ["lint", broken],
    ["schema", "--catalog", broken],
    ["prompt", "--catalog", broken],
  ]) {
    const { code, out } = await sequitur(command)
    expect(code).toBe(1)
    expect(out).toContain("`drop` has an effect, but says nothing of idempotency")
  }
})

test("lint: a good catalog, as words and as JSON; the nearest where none is named; a file that is none", async () => {
  const named = await sequitur(["lint", billing])
  expect([named.code, named.out]).toEqual([
    0,
    expect.stringMatching(/accepted .*plans\/billing\/catalog\.ts: 5 tools\n$/),
  ])
  const nearest = await sequitur(["lint", "--format", "json"], { cwd: shop })
  expect(JSON.parse(nearest.out)).toMatchObject({ catalog: "catalog.ts", accepted: true })
  const [none, nowhere] = await Promise.all([
    sequitur(["lint", "nope.ts"], { cwd: folder() }),
    sequitur(["lint"], { cwd: folder() }),
  ])
  expect([none.code, none.err]).toEqual([2, "error: there is no file nope.ts\n"])
  expect([nowhere.code, nowhere.err]).toEqual([
    2,
    "error: there is no catalog.ts, .mts, .js or .mjs in this folder; name one: `sequitur lint shop/catalog.ts`\n",
  ])
})

test("compile --format feedback: short, one line a fault, for a model to read", async () => {
  const faulty = resolve("plans/billing/faults/invented-field.json")
  const { code, out } = await sequitur([
    "compile",
    faulty,
    join(faulty, "../../cancel-and-refund.json"),
    "--format",
    "feedback",
  ])
  const [first, ...rest] = out.trimEnd().split("\n")
  expect(code).toBe(1)
  expect(first).toMatch(/^The plan does not compile: 2 errors\./)
  expect(rest.map((line) => line.slice(0, 8))).toEqual(["- SEQ205", "- SEQ121", "accepted"])
})
