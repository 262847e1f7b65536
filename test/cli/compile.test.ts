/** `compile`, `explain` and `codes`: what needs no runner. */
import { spawnSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { makeProgram } from "../../src/cli/program.ts"
import { folder, main, sequitur, settled, shop } from "./sequitur.ts"

const catalog = join(shop, "catalog.ts")
const plan = (step: object): string =>
  JSON.stringify({ version: 1, steps: [{ id: "a", tool: "find_order", args: { orderId: "o_1" }, ...step }] })

describe.concurrent("compile", () => {
  test("tells each plan's faults in its own text, then the verdict, then the sum", async () => {
    const { code, out, err } = await sequitur(["compile", "refund.json", "look.json", "wrong.json"])
    expect([code, err]).toEqual([1, ""])
    await expect(settled(out)).toMatchFileSnapshot("golden/compile.txt")
  })

  test("says the same to programs", async () => {
    const { code, out } = await sequitur(["compile", "refund.json", "wrong.json", "nowhere.json", "--format", "json"])
    expect(code).toBe(2)
    const said = JSON.parse(out)
    expect(said).toMatchObject({ accepted: 1, refused: 1, unread: 1 })
    expect(said.plans.map(({ file, accepted }: { file: string; accepted: boolean }) => [file, accepted])).toEqual([
      ["refund.json", true],
      ["wrong.json", false],
      ["nowhere.json", false],
    ])
    expect(said.plans[0].planHash).toMatch(/^[0-9a-f]{64}$/)
    expect(said.plans[1].diagnostics[0]).toMatchObject({
      code: "SEQ108",
      at: "/steps/0/tool",
      range: { start: { line: 4 } },
    })
    expect(said.plans[2].trouble).toBe("nowhere.json: there is no such file")
  })

  test("asks who the plan is for, and what its literals are taken for", async () => {
    const invalid = (path: string): string => resolve("plans/invalid", path)
    const plan = invalid("SEQ502/clerk-pays.json")
    expect((await sequitur(["compile", plan])).code).toBe(0)
    const clerk = JSON.stringify({ tenant: "acme", subject: "ada", roles: ["clerk"] })
    const file = join(folder(), "principal.json")
    writeFileSync(file, clerk)
    for (const principal of [clerk, file]) {
      for (const command of ["compile", "explain"]) {
        const { code, out } = await sequitur([command, plan, "--principal", principal])
        expect([code, out]).toEqual([1, expect.stringContaining("error SEQ502 at ")])
      }
    }
    const literal = invalid("SEQ602/literal-after-mail.json")
    expect((await sequitur(["compile", literal, "--literals", "trusted"])).code).toBe(0)
    const untrusted = await sequitur(["compile", literal, "--literals", "untrusted", "--fix"])
    expect([untrusted.code, untrusted.out]).toEqual([1, expect.stringContaining("error SEQ602 at ")])
  })

  test("a principal that is none is wrong usage", async () => {
    const plan = resolve("plans/invalid/SEQ502/clerk-pays.json")
    for (const principal of [
      "[]",
      '{"tenant":"acme"}',
      '{"tenant":"acme","subject":"ada","roles":"clerk"}',
      "nowhere.json",
      "{",
    ]) {
      const { code, err } = await sequitur(["compile", plan, "--principal", principal])
      expect([code, err], principal).toEqual([2, expect.stringMatching(/^error: .*(principal|nowhere)/)])
    }
  })

  test("reads standard input, and takes off a fence only when asked to", async () => {
    const input = `\`\`\`json\n${plan({})}\n\`\`\`\n`
    const bare = await sequitur(["compile", "-"], { input })
    expect(bare.code).toBe(1)
    expect(bare.out).toContain("error SEQ013 at standard input:1:1")
    expect(bare.out).toContain("or allow one fence with `--unwrap fence`.")
    const json = await sequitur(["compile", "-", "--format", "json"], { input })
    expect(JSON.parse(json.out).plans[0].diagnostics[0].hint).toContain("`--unwrap fence`")
    const unwrapped = await sequitur(["compile", "-", "--unwrap", "fence"], { input })
    expect(unwrapped.code).toBe(0)
    expect(unwrapped.out).toMatch(/^accepted standard input: 1 step, plan [0-9a-f]{12}\n$/)
  })

  test("A027: a hostile plan cannot speak to the terminal", async () => {
    const evil = "\u202e\u001b[2J\u001b]0;pwned\u0007\u200b"
    const input = `{"version":1,"steps":[{"id":"${evil}","tool":"${evil}","args":{}}],"${evil}\\u001b":1}`
    const { code, out, err } = await sequitur(["compile", "-"], { input, env: { FORCE_COLOR: "0" } })
    expect(code).toBe(1)
    expect((out + err).replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v)
    expect(out).toContain("\\u202e\\u001b[2J")
  })

  test("nothing hides in what is printed for programs, and it is the same JSON", async () => {
    const evil = "\u202e\u009b2J\u200b\u2066\ufeff\u{e0041}"
    const input = plan({ [evil]: 1 })
    const { out } = await sequitur(["compile", "-", "--format", "json"], { input })
    expect(out.trimEnd()).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v)
    expect(JSON.parse(out).plans[0].diagnostics[0].at).toBe(`/steps/0/${evil}`)
  })

  test("finds the catalog beside a plan, or above it", async () => {
    const path = folder({
      "catalog.ts": readFileSync(catalog)
        .toString()
        .replaceAll('"sequitur"', `"${join(shop, "../../../src/index.ts")}"`)
        .replaceAll('"zod"', `"${join(shop, "../../../node_modules/zod/index.js")}"`),
    })
    mkdirSync(join(path, "deep/er"), { recursive: true })
    writeFileSync(join(path, "deep/er/plan.json"), plan({}))
    expect((await sequitur(["compile", "deep/er/plan.json"], { cwd: path })).code).toBe(0)
    // Not above where we stand.
    const { code, err } = await sequitur(["compile", "er/plan.json"], { cwd: join(path, "deep") })
    expect(code).toBe(2)
    expect(err).toBe(
      "error: there is no catalog.ts, .mts, .js or .mjs beside er/plan.json or above it; name one with --catalog\n",
    )
    const bare = await sequitur(["compile", "-"], { cwd: join(path, "deep"), input: plan({}) })
    expect(bare.err).toBe("error: there is no catalog.ts, .mts, .js or .mjs in this folder; name one with --catalog\n")
  })

  test("writes the compiled plan, which then is as good as the plan, until it is altered", async () => {
    const path = folder()
    const out = join(path, "refund.compiled.json")
    expect((await sequitur(["compile", "refund.json", "--out", out])).code).toBe(0)
    const kept = await sequitur(["compile", out, "--catalog", catalog])
    expect(kept.code).toBe(0)
    expect(kept.out).toContain("accepted")
    writeFileSync(out, readFileSync(out, "utf8").replace('"max": 5000', '"max": 50'))
    const altered = await sequitur(["compile", out, "--catalog", catalog])
    expect(altered.code).toBe(1)
    expect(altered.out).toContain("SEQ141")
  })
})

describe.concurrent("files that cannot be used", () => {
  test("each is told in one line, and the others are compiled all the same", async () => {
    const path = folder()
    const files = [path, "nowhere.json", "look.json/x", "look.json"]
    const { code, out, err } = await sequitur(["compile", ...files, "--catalog", catalog])
    expect(err.split("\n")).toEqual([
      `error: ${path} is a directory`,
      "error: nowhere.json: there is no such file",
      "error: look.json/x: there is no such file",
      "",
    ])
    expect(out).toContain("accepted look.json: 1 step")
    expect(out).toContain("4 plans: 1 accepted, 3 not read")
    expect(code).toBe(2)
  })

  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["standard input twice", ["-", "-"], /^error: standard input can be read once only\n$/],
    ["--out for two plans", ["look.json", "refund.json", "--out", "x"], /^error: --out takes one plan\n$/],
    [
      "--out into nowhere",
      ["look.json", "--out", "no/where.json"],
      /^error: no\/where\.json: the folder no does not exist\n$/,
    ],
    [
      "a catalog that is not there",
      ["look.json", "--catalog", "none.ts"],
      /^error: there is no file none\.ts \(--catalog\)\n$/,
    ],
    [
      "an unknown option",
      ["look.json", "--fromat", "json"],
      /^error: unknown option '--fromat'\n\(Did you mean --format\?\)/,
    ],
    [
      "an unknown format",
      ["look.json", "--format", "xml"],
      /^error: .*'xml' is invalid\. Allowed choices are pretty, json/,
    ],
  ]
  test.each(cases)("%s", async (_, args, says) => {
    const { code, err } = await sequitur(["compile", ...args])
    expect(err).toMatch(says)
    expect(code).toBe(2)
  })

  test("for programs, also what is wrong with the call is JSON, in the last line", async () => {
    const calls = [
      ["compile", "look.json", "--out", "no/where.json", "--format", "json"],
      ["compile", "look.json", "--fromat", "--format=json"],
      ["explain", "nowhere.json", "--format", "json"],
      ["explain", "SEQ9999", "--format", "json"],
    ]
    const said = await Promise.all(calls.map((args) => sequitur(args)))
    const errors = said.map(({ out }) => JSON.parse(out).error)
    expect(errors).toEqual([
      { code: "usage", message: "no/where.json: the folder no does not exist", hint: null },
      { code: "usage", message: expect.stringMatching(/^unknown option '--fromat'/), hint: null },
      { code: "usage", message: "nowhere.json: there is no such file", hint: null },
      { code: "usage", message: expect.stringMatching(/^there is no code SEQ9999/), hint: null },
    ])
    for (const { code, err } of said) {
      expect(code).toBe(2)
      expect(err).toMatch(/^error: /)
    }
  })

  test("catalogs that are none: each says why, in one line, however many plans it fails", async () => {
    const modules: readonly (readonly [string, string, RegExp])[] = [
      ["throws", "throw new Error('no\\nluck')", /could not be loaded: no luck \(throws\/catalog\.mjs:1\)$/],
      ["unreadable", "export default {", /could not be loaded: Unexpected end of input$/],
      ["alone", "import 'not-installed'", /could not be loaded: Cannot find package 'not-installed'/],
      ["nameless", "export const catalog = 1", /has no default export: it should be the catalog$/],
      ["bare", "export default { name: 'x', version: '1', tools: {} }", /is not a catalog: wrap it in `defineCatalog/],
      ["foreign", "export default { diagnostics: [], spec: {} }", /was made by another copy of sequitur/],
      ["odd", "throw null", /could not be loaded: null$/],
      [
        "biting",
        `const bite = () => { throw new Error("bitten") }
export default new Proxy({}, { get: bite, has: bite, ownKeys: bite, getPrototypeOf: bite, getOwnPropertyDescriptor: bite })`,
        /is not a catalog: wrap it in `defineCatalog/,
      ],
      [
        "waiting",
        "export default { then() { throw new Error('bitten') } }",
        /is not a catalog: wrap it in `defineCatalog/,
      ],
    ]
    const path = folder()
    for (const [name, text] of modules) {
      mkdirSync(join(path, name))
      writeFileSync(join(path, name, "catalog.mjs"), text)
      writeFileSync(join(path, name, "plan.json"), "{}")
    }
    const files = modules.flatMap(([name]) => [`${name}/plan.json`, `${name}/plan.json`])
    const { code, err } = await sequitur(["compile", ...files], { cwd: path })
    const lines = err.trimEnd().split("\n")
    expect(lines).toHaveLength(modules.length)
    for (const [index, [, , says]] of modules.entries()) expect(lines[index]).toMatch(says)
    expect(code).toBe(2)
  })

  test("host code that ends the process, or never ends, is no command that went well", async () => {
    for (const text of ["process.exit(0)", "await new Promise(() => {}); export default 1"]) {
      const path = folder({ "catalog.mjs": text, "plan.json": "{}" })
      const { code, out, err } = await sequitur(["compile", "plan.json"], { cwd: path })
      expect([code, out]).toEqual([1, ""])
      expect(err).toMatch(/^sequitur was ended by the code it had loaded \(exit code \d+\), before it was done\n$/)
    }
  })

  test("what cannot be written is no success", () => {
    const full = openSync("/dev/full", "w")
    const { status, stderr } = spawnSync(process.execPath, ["--conditions=@sequitur/source", main, "codes"], {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    })
    closeSync(full)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^standard output could not be written: ENOSPC/)
  })

  test("a catalog with faults of its own: told once, with its pointer", async () => {
    const index = join(shop, "../../../src/index.ts")
    const path = folder({
      "catalog.mjs": `import { defineCatalog } from "${index}"\nexport default defineCatalog({ name: "x", version: "1", tools: { a: { description: "", effect: "reed", params: 1 } } })`,
      "plan.json": "{}",
    })
    const { code, out } = await sequitur(["compile", "plan.json", "plan.json"], { cwd: path })
    expect(code).toBe(1)
    expect(out.match(/error SEQ801 at catalog\.mjs \/tools\/a\/effect/g)).toHaveLength(1)
    expect(out).toContain("2 plans: 2 refused")
  })

  test("a catalog that is closed where it was open: counted, and in full for programs", async () => {
    const root = join(shop, "../../..")
    const path = folder({
      "catalog.mjs": `import { defineCatalog } from "${root}/src/index.ts"\nimport { z } from "${root}/node_modules/zod/index.js"\nconst params = z.object({})\nexport default defineCatalog({ name: "x", version: "1", tools: { a: { description: "x", effect: "read", params }, b: { description: "x", effect: "read", params } } })`,
      "plan.json": '{"version":1,"steps":[{"id":"a","tool":"a","args":{}}]}',
    })
    const [pretty, json] = await Promise.all([
      sequitur(["compile", "plan.json"], { cwd: path }),
      sequitur(["compile", "plan.json", "--format", "json"], { cwd: path }),
    ])
    expect(pretty.code).toBe(0)
    expect(pretty.out).toMatch(
      /^accepted .*\nnotice SEQ803 catalog\.mjs: object closed, 2 times; `sequitur explain SEQ803` says why\n$/,
    )
    expect(JSON.parse(json.out).catalogs["catalog.mjs"]).toMatchObject([
      { code: "SEQ803", at: "/tools/a/params" },
      { code: "SEQ803" },
    ])
  })

  test("what is too large, or not text, is a diagnostic", async () => {
    const path = folder({
      "large.json": "[".repeat(1_048_577),
      "binary.json": new Uint8Array([0xff, 0xfe, 0x00, 0x80]),
      "empty.json": "",
    })
    symlinkSync("/dev/zero", join(path, "endless.json"))
    const files = ["large.json", "binary.json", "empty.json", "endless.json"]
    const { code, out } = await sequitur(["compile", ...files, "--catalog", catalog], { cwd: path })
    expect(code).toBe(1)
    expect(out).toContain("error SEQ010 at large.json")
    expect(out).toContain("error SEQ014")
    expect(out).toContain("error SEQ002")
    expect(out).toContain("error SEQ010 at endless.json")
    expect(out).toContain("4 plans: 4 refused")
  })
})

describe.concurrent("explain", () => {
  test("shows a plan as a table", async () => {
    const { code, out, err } = await sequitur(["explain", "refund.json"])
    expect([code, err]).toEqual([0, ""])
    await expect(settled(out)).toMatchFileSnapshot("golden/explain.txt")
  })

  test("says the same to programs", async () => {
    const { code, out } = await sequitur(["explain", "refund.json", "--format", "json"])
    expect(code).toBe(0)
    const { accepted, plan } = JSON.parse(out)
    expect(accepted).toBe(true)
    expect(
      plan.steps.map(({ id, effect, before, after, waitsOn }: Record<string, unknown>) => [
        id,
        effect,
        before,
        after,
        waitsOn,
      ]),
    ).toEqual([
      ["find", "read", "LOOKING", "LOOKING", []],
      ["open", undefined, "LOOKING", "PAYING", []],
      ["pay", "destructive", "PAYING", "PAYING", ["find"]],
    ])
    expect(plan.totals).toEqual([{ dimension: "cents", min: 1, max: 5000, limit: 5000 }])
    expect(plan.approvals).toEqual([
      { kind: "transition", step: "open", from: "LOOKING", to: "PAYING", opens: ["pay"] },
    ])
  })

  test("has only the diagnostics of a plan that is refused", async () => {
    const { code, out } = await sequitur(["explain", "wrong.json"])
    expect(code).toBe(1)
    expect(out).toContain("error SEQ108")
    expect(out).not.toContain("waits on")
  })

  test("explains codes of plans and of runs, in any case of letters", async () => {
    const seq = await sequitur(["explain", "seq003"])
    expect([seq.code, seq.out]).toEqual([0, expect.stringMatching(/^error SEQ003 {2}key written twice\n {2}what/)])
    const run = await sequitur(["explain", "RUN106", "--format", "json"])
    expect(JSON.parse(run.out)).toMatchObject({ code: "RUN106", title: "runtime check failed", again: false })
    const none = await sequitur(["explain", "SEQ9999"])
    expect([none.code, none.err]).toEqual([2, expect.stringMatching(/^error: there is no code SEQ9999/)])
  })
})

describe.concurrent("the command line itself", () => {
  test("lists every code, once", async () => {
    const { code, out } = await sequitur(["codes", "--format", "json"])
    const codes = JSON.parse(out).codes.map(({ code }: { code: string }) => code)
    expect(code).toBe(0)
    expect(codes).toContain("SEQ001")
    expect(codes).toContain("RUN505")
    expect(new Set(codes).size).toBe(codes.length)
  })

  test("stays quiet when nobody reads on", async () => {
    const { code, err } = await sequitur(["compile", ...Array.from({ length: 100 }, () => "wrong.json")], {
      head: true,
    })
    expect([code, err]).toEqual([1, ""])
  })

  test("colours only when a terminal, or somebody, asks for it", async () => {
    const colour = "\u001b["
    const [piped, forced, refused] = await Promise.all([
      sequitur(["compile", "wrong.json"]),
      sequitur(["compile", "wrong.json"], { env: { FORCE_COLOR: "1" } }),
      sequitur(["compile", "wrong.json"], { env: { NO_COLOR: "1" } }),
    ])
    expect(piped.out).not.toContain(colour)
    expect(forced.out).toContain(colour)
    expect(refused.out).toBe(piped.out)
  })

  test("knows its version, helps with each command, and with a slip", async () => {
    const { version } = JSON.parse(readFileSync(join(shop, "../../../package.json"), "utf8"))
    expect(await sequitur(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" })
    const help = await sequitur(["compile", "--help"])
    expect(help.out).toMatch(/^Usage: sequitur compile /)
    for (const command of makeProgram(() => {}).commands) {
      let said = ""
      command
        .configureOutput({
          writeOut: (text) => {
            said += text
          },
        })
        .outputHelp()
      expect(said).toMatch(/Examples:\n {2}\$ sequitur /)
    }
    const slip = await sequitur(["complie", "x"])
    expect([slip.code, slip.err]).toEqual([2, expect.stringContaining("(Did you mean compile?)")])
    expect((await sequitur([])).code).toBe(2)
  })

  test("loads no runner where nothing runs", async () => {
    const trace = `data:text/javascript,import { registerHooks } from "node:module"; registerHooks({ resolve(s, c, next) { const r = next(s, c); if (r.url.includes("/node_modules/effect/")) { console.error(r.url) } return r } })`
    const env = {
      NODE_OPTIONS: `--import=${JSON.stringify(trace).slice(1, -1).replaceAll(" ", "%20").replaceAll('\\"', "%22")}`,
    }
    for (const args of [["compile", "look.json"], ["explain", "look.json"], ["codes"]]) {
      const { code, err } = await sequitur(args, { env })
      expect([code, err]).toEqual([0, ""])
    }
    const runs = await sequitur(["runs", "--store", "catalog.ts"], { env })
    expect(runs.err).toContain("/node_modules/effect/")
  })
})
