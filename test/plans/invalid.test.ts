/** Every code has a plan that earns it, and beside it lies what is then said. `vitest -u` rewrites; read the diff. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import {
  type Catalog,
  type CompileOptions,
  codes,
  compile,
  type Diagnostic,
  definePlan,
  load,
  serialize,
} from "sequitur"
import { describe, expect, test } from "vitest"

const folder = resolve("plans/invalid")
const folders = readdirSync(folder).filter((name) => name.startsWith("SEQ"))

const moduleAt = async (path: string): Promise<unknown> => (await import(path)).default

async function catalogFor(code: string): Promise<Catalog> {
  const own = `${folder}/${code}/catalog.ts`
  return (await moduleAt(existsSync(own) ? own : `${folder}/catalog.ts`)) as Catalog
}

const good =
  '{ "version": 1, "steps": [{ "id": "find", "tool": "find_order", "args": { "orderId": "A-1" } }, { "id": "tag", "tool": "tag_items", "args": { "skus": ["X"], "tag": "x" } }] }'

/** Who the plan is for, and what its writer had seen, where that is what it is refused for. */
function optionsFor(path: string): CompileOptions {
  const file = path.replace(/\.json$/, ".options.json")
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as CompileOptions) : {}
}

async function say(code: string, file: string): Promise<readonly Diagnostic[]> {
  const catalog = await catalogFor(code)
  const path = `${folder}/${code}/${file}`
  if (file === "catalog.ts") return catalog.diagnostics
  if (file.endsWith(".json")) return compile(catalog, readFileSync(path), optionsFor(path)).diagnostics
  const given = await moduleAt(path)
  if (file.startsWith("compile")) return compile(catalog, given as string).diagnostics
  if (file.startsWith("define")) return definePlan(catalog, given as never).diagnostics
  if (file.startsWith("spent")) return compile(catalog, good, { spent: given as Record<string, number> }).diagnostics
  const compiled = compile(catalog, good)
  if (!compiled.ok) throw new Error("the good plan is refused")
  return load(catalog, (given as (stored: string) => string)(serialize(compiled.plan))).diagnostics
}

describe("plans/invalid says what stands beside it", () => {
  for (const code of folders) {
    const files = readdirSync(`${folder}/${code}`).filter((file) => !/\.(?:expected|options)\.json$/.test(file))
    for (const file of files.filter((name) => name !== "catalog.ts" || (code >= "SEQ8" && files.length === 1))) {
      test(`${code}/${file}`, async () => {
        const diagnostics = await say(code, file)
        expect(diagnostics.map((one) => one.code)).toContain(code)
        const expected = `${folder}/${code}/${file.replace(/\.\w+$/, ".expected.json")}`
        await expect(`${JSON.stringify(diagnostics, null, 2)}\n`).toMatchFileSnapshot(expected)
      })
    }
  }
})

test("every code has a plan that earns it, and every plan a code", () => {
  expect(folders).toEqual(Object.keys(codes))
})

test("every message and hint is filled in", async () => {
  for (const code of folders) {
    for (const file of readdirSync(`${folder}/${code}`).filter((name) => name.endsWith(".expected.json"))) {
      const text = readFileSync(`${folder}/${code}/${file}`, "utf8")
      expect(text, `${code}/${file}`).not.toMatch(/(?<!u)\{\w+\}|undefined|\[object/)
    }
  }
})

test("messages are facts: lower case or a name first, no full stop, one line", () => {
  for (const [code, { message, hint, title, why }] of Object.entries(codes)) {
    expect(message, code).not.toMatch(/\.$|\n|^[A-Z][a-z]/)
    expect(hint, code).not.toMatch(/\n/)
    expect(title.split(" ").length, code).toBeLessThanOrEqual(7)
    expect(why, code).toMatch(/\.$/)
  }
})
