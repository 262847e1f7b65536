/** `types`: what the project's own tsc says of plans in JSON files, at their own places. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { runInNewContext } from "node:vm"
import fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { writeLiteral } from "../../src/cli/shadow/literal.ts"
import { valueAt } from "../../src/diagnostic/patch.ts"
import type { Json } from "../../src/text/json.ts"
import type { Pointer } from "../../src/text/pointer.ts"
import { folder, main, sequitur, shop } from "./sequitur.ts"

const root = resolve(import.meta.dirname, "../..")
const shopCatalog = readFileSync(join(shop, "catalog.ts"), "utf8").replace('"sequitur"', `"${root}/src/index.ts"`)

/** A project with the shop's catalog, and this clone's TypeScript. */
function project(files: { readonly [name: string]: string } = {}): string {
  const path = folder()
  symlinkSync(join(root, "node_modules"), join(path, "node_modules"))
  const given = {
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({ extends: join(root, "tsconfig.json"), include: ["."] }),
    "catalog.ts": shopCatalog,
    "plan.json": plan({}),
    ...files,
  }
  for (const [name, text] of Object.entries(given)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return path
}

/** One whose TypeScript does as this says. */
function projectWith(tsc: string, version = "7.0.2"): string {
  const path = folder({ "package.json": '{ "type": "module" }', "catalog.ts": shopCatalog, "plan.json": plan({}) })
  const modules = join(path, "node_modules")
  mkdirSync(join(modules, "typescript"), { recursive: true })
  symlinkSync(join(root, "node_modules/zod"), join(modules, "zod"))
  const manifest = { name: "typescript", version, bin: { tsc: "./tsc.cjs" } }
  writeFileSync(join(modules, "typescript/package.json"), JSON.stringify(manifest))
  writeFileSync(join(modules, "typescript/tsc.cjs"), tsc)
  return path
}

const plan = (step: object, ...others: readonly object[]): string =>
  JSON.stringify({
    version: 1,
    steps: [{ id: "a", tool: "find_order", args: { orderId: "o_1" }, ...step }, ...others],
  })

/** Each asks a tsc or two, beside what else the machine has to do. */
const patient = { timeout: 240_000 }

const types = async (cwd: string, ...args: readonly string[]) => {
  const { code, out, err } = await sequitur(["types", ...args, "--format", "json"], { cwd })
  return { code, err, said: JSON.parse(out) }
}

describe.concurrent("types", patient, () => {
  test("tells each plan's faults in its own text, then the verdict, then the sum", async ({ expect }) => {
    const { code, out, err } = await sequitur(["types", "refund.json", "look.json", "wrong.json", "nowhere.json"])
    expect([code, err]).toEqual([2, "error: nowhere.json: there is no such file\n"])
    await expect(out).toMatchFileSnapshot("golden/types.txt")
  })

  test("who is accepted by types is told what the compiler still refuses", async () => {
    const path = projectWith("")
    writeFileSync(join(path, "order.json"), plan({ args: { orderId: "7" } }))
    const { code, out } = await sequitur(["types", "order.json"], { cwd: path })
    expect(out).toBe(
      "accepted order.json: 1 step, by its types, but `sequitur compile` refuses it for what no type sees (SEQ123)\n",
    )
    expect(code).toBe(0)
    expect((await types(path, "order.json")).said.plans[0]).toMatchObject({ accepted: true, compiles: false })
  })

  test("a catalog's own faults, found when it is loaded, are told once", async () => {
    const path = project({ "catalog.ts": shopCatalog.replace('states: ["PAYING"]', 'states: ["PAYNG"]') })
    const { code, out } = await sequitur(["types", "plan.json", "plan.json"], { cwd: path })
    expect(code).toBe(1)
    expect(out.match(/error SEQ8/g)).toHaveLength(1)
    expect(out).toContain("2 plans: 2 refused")
  })

  test("reads standard input", async () => {
    const { code, out } = await sequitur(["types", "-"], { cwd: projectWith(""), input: plan({}) })
    expect([code, out]).toEqual([0, "accepted standard input: 1 step, by its types\n"])
  })
})

describe("types of many plans", patient, () => {
  const odd = `it's (1,2) "x" ü.json`
  const files = {
    "faulty.json": `\n\n  ${plan(
      { args: { orderId: "o_1", "of\u2028 two\u2029 lines": true } },
      { id: "a", transition: "PAYING" },
      {
        id: "b",
        tool: "refund",
        args: { orderId: { $from: "c", path: "" }, cents: { $from: "find", path: "/order" } },
        x: 1,
      },
      { id: "find", tool: "find_order", args: { orderId: "o_1" } },
    )}`,
    "top.json": '{\n  "version": 1,\n  "step": 2, "steps": [] }',
    "list.json": "[]",
    "missing.json": plan({ args: {} }),
    "cut.json": '{"version":1,',
    "twice.json": '{"a":1,"a":2}',
    "long.json": plan({}, ...Array.from({ length: 300 }, (_, at) => ({ id: `s${at}`, transition: "PAYING" }))),
    "good.json": plan(
      {},
      { id: "b", transition: "PAYING" },
      { id: "c", tool: "refund", args: { orderId: "o_1", cents: 5 } },
    ),
    "bad.json": plan({ args: { orderId: 1 } }),
    [odd]: plan({ tool: "find" }),
  }
  type Told = { readonly code: string; readonly at: string }
  let path: string
  let code: number | null
  let plans: ReadonlyMap<string, { readonly accepted: boolean; readonly diagnostics: readonly Told[] }>
  let compiled: typeof plans

  beforeAll(async () => {
    path = project({
      ...files,
      // What the project declares for all of its files.
      "of/all.d.ts": "declare const shopName: string | undefined\n",
      "catalog.ts": `${shopCatalog}\nexport const name = typeof shopName === "undefined" ? "" : shopName\n`,
    })
    const names = Object.keys(files)
    const said = await types(path, ...names, "--emit")
    code = said.code
    plans = new Map(said.said.plans.map((one: { file: string }) => [one.file, one]))
    const { out } = await sequitur(["compile", ...names, "--format", "json"], { cwd: path })
    compiled = new Map(JSON.parse(out).plans.map((one: { file: string }) => [one.file, one]))
  }, patient.timeout)

  const toldOf = (file: string): readonly Told[] => plans.get(file)?.diagnostics ?? []

  test("the right ones are accepted, the exit code is that of the worst", () => {
    expect(code).toBe(1)
    expect([...plans].filter(([, { accepted }]) => accepted).map(([file]) => file)).toEqual(["good.json"])
  })

  test("where tsc has the compiler's code, all that is said of it is what the compiler says", () => {
    expect(toldOf("faulty.json").map(({ code, at }) => `${code} ${at}`)).toEqual([
      "SEQ121 /steps/0/args/of\u2028 two\u2029 lines",
      "SEQ106 /steps/1/id",
      "SEQ201 /steps/2/args/orderId/$from",
      "SEQ202 /steps/2/args/cents/$from",
      "SEQ103 /steps/2/x",
    ])
    for (const one of toldOf("faulty.json")) expect(compiled.get("faulty.json")?.diagnostics).toContainEqual(one)
  })

  test("what tsc says itself is told at the place in the JSON, a name's at the name", () => {
    expect(toldOf("top.json")).toMatchObject([
      { code: "SEQ103", at: "/step", range: { start: { line: 3, column: 3 }, end: { line: 3, column: 9 } } },
    ])
    expect(toldOf("list.json")).toMatchObject([
      matching({ code: /^TS/, at: "", hint: /^The compiler says SEQ101: the plan must be an object/ }),
    ])
    expect(toldOf("missing.json")).toMatchObject([
      matching({ code: "TS2741", at: "/steps/0/args", message: /^Property 'orderId' is missing/, hint: /SEQ120/ }),
    ])
    expect(toldOf(odd)).toMatchObject([{ at: "/steps/0/tool" }])
  })

  test("texts that are no plan, and plans beyond their bounds, are refused as `compile` refuses them", () => {
    for (const [file, code] of [
      ["cut.json", "SEQ002"],
      ["twice.json", "SEQ003"],
      ["long.json", "SEQ109"],
    ] as const) {
      expect(toldOf(file)).toEqual(compiled.get(file)?.diagnostics)
      expect(toldOf(file)[0]?.code).toBe(code)
    }
  })

  test("a plan that is imported is typed", async () => {
    const use = `import { definePlan, type StepResult } from "${root}/src/index.ts"
import bad from "./bad.json" with { type: "json" }
import catalog from "./catalog.ts"
import good from "./good.json" with { type: "json" }

const written = definePlan(catalog, good)
if (!written.ok) throw new Error()
export const refund: StepResult<typeof written, "c">["refundId"] = "r"
export const id: "c" = good.steps[2].id
// @ts-expect-error the order's id is no number
definePlan(catalog, bad)
`
    const options = { rewriteRelativeImportExtensions: false, allowArbitraryExtensions: true }
    const config = { extends: join(root, "tsconfig.json"), compilerOptions: options, include: ["use.ts", "of"] }
    writeFileSync(join(path, "use.ts"), use)
    writeFileSync(join(path, "use.json"), JSON.stringify(config))
    const tsc = spawn(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "use.json"], {
      cwd: path,
    })
    expect(await text(tsc.stdout)).toBe("")
    expect(existsSync(join(path, "cut.d.json.ts"))).toBe(false)
  })
})

/** In place of each pattern, a string that it matches. */
const matching = (of: { readonly [key: string]: string | RegExp }): object =>
  Object.fromEntries(
    Object.entries(of).map(([key, value]) => [key, value instanceof RegExp ? expect.stringMatching(value) : value]),
  )

describe.concurrent("what tsc cannot be asked", patient, () => {
  test("catalogs that tsc could not be trusted about: each says why, once, however many plans it fails", async () => {
    const catalogs: readonly (readonly [string, string, RegExp])[] = [
      [
        "wrong",
        `${shopCatalog}\nexport const wrong: number = "x"\nexport const other: number = "y"\n`,
        /^error: tsc finds faults outside of the plans, and could not be trusted about them: TS2322 at wrong\/catalog\.ts:\d+: Type 'string' is not assignable to type 'number'\., and 1 more$/,
      ],
      [
        "wide",
        `import type { Catalog } from "${root}/src/index.ts"\n${shopCatalog.replace("export default", "const shop: Catalog =")}\nexport default shop\n`,
        /^error: the types of wide\/catalog\.ts do not say which tools there are, so tsc sees nothing of a plan: .*$/,
      ],
      [
        "any",
        `${shopCatalog.replace("export default", "const shop: any =")}\nexport default shop\n`,
        /^error: the types of any\/catalog\.ts do not say which tools there are/,
      ],
      ["none", "export default 1\n", /^error: the default export of none\/catalog\.ts is not a catalog/],
    ]
    const path = project()
    for (const [name, text] of catalogs) {
      mkdirSync(join(path, name))
      writeFileSync(join(path, name, "catalog.ts"), text)
      for (const file of ["a.json", "b.json"]) writeFileSync(join(path, name, file), plan({}))
    }
    const files = catalogs.flatMap(([name]) => [`${name}/a.json`, `${name}/b.json`])
    const { code, err, said } = await types(path, ...files)
    expect([code, said.unread]).toEqual([2, 8])
    const lines = err.trimEnd().split("\n")
    expect(lines).toHaveLength(catalogs.length)
    for (const [index, [, , says]] of catalogs.entries()) expect(lines[index]).toMatch(says)
  })

  test("a tsconfig.json that is none, or another than is meant", async () => {
    const path = project({ "other.json": '{ "compilerOptions": { "modul": "x" } }' })
    const given = await types(path, "plan.json", "--project", "other.json")
    expect([given.code, given.err]).toEqual([
      2,
      expect.stringMatching(/TS5023 at other\.json:1: Unknown compiler option 'modul'/),
    ])
    const none = await sequitur(["types", "plan.json", "--project", "none.json"], { cwd: path })
    expect([none.code, none.err]).toEqual([2, "error: none.json: there is no such file\n"])
  })

  test("a project without TypeScript, or with an old one: told with the remedy", async () => {
    const path = projectWith("", "5.4.5")
    const old = await types(path, "plan.json")
    expect(old.err).toBe(
      "error: catalog.ts finds typescript 5.4.5, which is too old: install one there: `npm install --save-dev typescript` (5.9, 6 or 7)\n",
    )
    const none = folder({ "package.json": '{ "type": "module" }', "catalog.ts": shopCatalog, "plan.json": plan({}) })
    mkdirSync(join(none, "node_modules"))
    symlinkSync(join(root, "node_modules/zod"), join(none, "node_modules/zod"))
    const missing = await types(none, "plan.json")
    expect(missing.err).toMatch(
      /^error: types are checked by the tsc of the project, and catalog\.ts finds no typescript: install one/,
    )
    expect([old.code, missing.code]).toEqual([2, 2])
  })

  test("a tsc that breaks", async () => {
    const broken = await types(projectWith('console.error("out of memory\\n  at x"); process.exit(134)'), "plan.json")
    expect([broken.code, broken.err]).toEqual([2, "error: tsc 7.0.2 could not do its work: out of memory at x\n"])
    const silent = await types(projectWith("process.exit(3)"), "plan.json")
    expect(silent.err).toBe("error: tsc 7.0.2 could not do its work: it ended by 3\n")
    const strange = await types(projectWith('console.log("what?"); process.exit(1)'), "plan.json")
    expect([strange.code, strange.err]).toEqual([2, "error: tsc 7.0.2 could not do its work: what?\n"])
  })

  test("a plan that is too much for it: the others are judged", async () => {
    const tsc =
      'console.log("plan1.ts(4,1): error TS2589: Type instantiation is excessively deep and possibly infinite.")'
    const path = projectWith(`${tsc}; process.exit(1)`)
    writeFileSync(join(path, "deep.json"), plan({}))
    const { code, err, said } = await types(path, "plan.json", "deep.json")
    expect(err).toBe(
      "error: deep.json is too much for tsc, which gives up on it: `sequitur compile` judges it all the same\n",
    )
    expect([code, said.accepted, said.unread]).toEqual([2, 1, 1])
  })

  test("directories, compiled plans, standard input twice", async () => {
    const path = projectWith("")
    mkdirSync(join(path, "dir"))
    await sequitur(["compile", "plan.json", "--out", "kept.json"], { cwd: path })
    const { code, out, err } = await sequitur(["types", "dir", "kept.json", "plan.json"], { cwd: path })
    expect([code, err]).toEqual([
      2,
      "error: dir is a directory\nerror: kept.json is a compiled plan: types are of plans before they are compiled\n",
    ])
    expect(out).toContain("3 plans: 1 accepted, 2 not checked")
    const twice = await sequitur(["types", "-", "-"], { cwd: path })
    expect([twice.code, twice.err]).toEqual([2, "error: standard input can be read once only\n"])
  })
})

describe.concurrent("--emit", patient, () => {
  test("writes only what it wrote before, and only where something is new", async () => {
    const path = projectWith("")
    writeFileSync(join(path, "hand.json"), plan({}))
    writeFileSync(join(path, "hand.d.json.ts"), "declare const hand: 1\nexport default hand\n")
    const first = await types(path, "plan.json", "hand.json", "--emit")
    expect(first.err).toBe(
      "error: hand.d.json.ts was not written by `sequitur types --emit`: move it away, or leave out --emit\n",
    )
    expect(first.code).toBe(2)
    expect(readFileSync(join(path, "hand.d.json.ts"), "utf8")).toContain("const hand: 1")
    const file = join(path, "plan.d.json.ts")
    utimesSync(file, 1, 1)
    await types(path, "plan.json", "--emit")
    expect(statSync(file).mtimeMs).toBe(1_000)
    writeFileSync(join(path, "plan.json"), plan({ why: "asked" }))
    await types(path, "plan.json", "--emit")
    expect(readFileSync(file, "utf8")).toContain('readonly "why": "asked"')
  })

  test("takes files that TypeScript imports as JSON", async () => {
    const path = projectWith("")
    writeFileSync(join(path, "plan.txt"), plan({}))
    for (const [file, name] of [
      ["plan.txt", "plan.txt"],
      ["-", "standard input"],
    ] as const) {
      const { code, err } = await sequitur(["types", file, "--emit"], { cwd: path, input: plan({}) })
      expect([code, err]).toEqual([
        2,
        `error: --emit writes beside each plan.json its plan.d.json.ts: ${name} is no file that ends in .json\n`,
      ])
    }
  })
})

describe.concurrent("what is made outside", patient, () => {
  test("many plans are one call of tsc", async () => {
    const path = projectWith(
      'require("node:fs").appendFileSync(__dirname + "/calls", process.argv.slice(2).join(" ") + "\\n")',
    )
    const files = Array.from({ length: 50 }, (_, index) => `p${index}.json`)
    for (const file of files) writeFileSync(join(path, file), plan({}))
    const { code, said } = await types(path, ...files)
    expect([code, said.accepted]).toEqual([0, 50])
    expect(readFileSync(join(path, "node_modules/typescript/calls"), "utf8").trim().split("\n")).toHaveLength(1)
  })

  test("nothing is left behind, whether it went well, badly, or was stopped", async ({ expect }) => {
    const temporary = folder()
    const env = { TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: "1" }
    const path = projectWith("")
    const before = readdirSync(path)
    await sequitur(["types", "plan.json"], { cwd: path, env })
    await sequitur(["types", "plan.json"], { cwd: projectWith("process.exit(9)"), env })
    expect(readdirSync(temporary)).toEqual([])
    expect(readdirSync(path)).toEqual(before)

    const waits =
      'require("node:fs").writeFileSync(__dirname + "/pid", String(process.pid)); setInterval(() => {}, 1000)'
    const stopped = projectWith(waits)
    const pid = join(stopped, "node_modules/typescript/pid")
    const args = ["--conditions=@sequitur/source", main, "types", "plan.json", "--format", "json"]
    const child = spawn(process.execPath, args, { cwd: stopped, env: { ...process.env, ...env } })
    let out = ""
    child.stdout.on("data", (chunk) => {
      out += chunk
    })
    while (!existsSync(pid) || readFileSync(pid, "utf8") === "") await setTimeout(20)
    expect(readdirSync(temporary)).toHaveLength(1)
    child.kill("SIGINT")
    const [code] = await once(child, "close")
    expect(code).toBe(130)
    expect(JSON.parse(out)).toEqual({ error: { code: "stopped", message: "stopped", hint: null } })
    expect(readdirSync(temporary)).toEqual([])
    // So is the tsc that it had asked.
    const asked = Number(readFileSync(pid, "utf8"))
    await expect.poll(() => isRunning(asked)).toBe(false)
  })
})

/** Not ended, nor ended and still waited for. */
const isRunning = (pid: number): boolean =>
  /^[^Z\s]/.test(spawnSync("ps", ["-o", "stat=", "-p", `${pid}`]).stdout.toString())

test("a literal is the same value, one to a line, and no text in it ends one", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, word) => {
      const json = { value, [`x${word}`]: [word, `${word}\u2028\u2029\r\n`] } as unknown as Json
      const written = JSON.stringify(json)
      // The reader takes no such key.
      fc.pre(!written.includes("__proto__"))
      const { lines, places } = writeLiteral(json)
      expect(JSON.stringify(runInNewContext(`(${lines.join("\n")})`))).toBe(written)
      lines.forEach((line, index) => {
        expect(line).not.toMatch(/[\r\n\u2028\u2029]/)
        const at = valueAt(json, places[index] ?? ("" as Pointer))
        const last = typeof at !== "object" || at === null ? JSON.stringify(at) : Array.isArray(at) ? "[]" : "{}"
        const ending = last.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")
        const bare = line.replace(/,$/, "")
        expect(bare.endsWith(ending) || bare.endsWith(ending.slice(0, 1)) || bare === ending.slice(1)).toBe(true)
      })
    }),
    { numRuns: 500 },
  )
})
