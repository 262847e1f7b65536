/** `compile --fix`: what it shows, what it writes and what it leaves alone; and `compile --for`. */
import { spawnSync } from "node:child_process"
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { applyPatch, compile } from "sequitur"
import { encodePlan, type ProviderName, planSchema } from "sequitur/planner"
import { describe, expect, test } from "vitest"
import billing from "../../plans/billing/catalog.ts"
import { replaceFile } from "../../src/cli/replace-file.ts"
import type { Document } from "../../src/document/document.ts"
import { folder, main, sequitur, shop } from "./sequitur.ts"

const catalog = ["--catalog", join(shop, "catalog.ts")]
/** Two slips, the second to be seen only when the first is mended; and a spelling of its own all over. */
const slipped = `{ "version" : 1,
   "steps": [
      {"id": "find", "tool": "find_ordr",
         "args": {"orderID" : "o_\\u0031"} , "occurrence": 1.0 } ]}
`
const right = slipped.replace("find_ordr", "find_order").replace("orderID", "orderId")
const hopeless = '{"version":1,"steps":[{"id":"a","tool":"launch_rocket","args":{}}]}'
/** Mended in part. */
const half = '{"version":1,"steps":[{"id":"a","tool":"find_ordr","args":{"orderId":7}}]}'

describe.concurrent("compile --fix", () => {
  test("shows what it mends as a diff of the text, then the verdict of that, and writes nothing", async () => {
    const path = folder({ "plan.json": slipped })
    const { code, out, err } = await sequitur(["compile", "plan.json", "--fix", ...catalog], { cwd: path })
    expect([code, err]).toEqual([1, ""])
    expect(
      out.replace(/plan [0-9a-f]{12}/, "plan <hash>"),
    ).toBe(`mended SEQ108 plan.json /steps/0/tool: there is no tool \`find_ordr\`
mended SEQ121 plan.json /steps/0/args/orderID: \`find_order\` has no parameter \`orderID\`
--- plan.json
+++ plan.json
@@ -1,4 +1,4 @@
 { "version" : 1,
    "steps": [
-      {"id": "find", "tool": "find_ordr",
-         "args": {"orderID" : "o_\\u0031"} , "occurrence": 1.0 } ]}
+      {"id": "find", "tool": "find_order",
+         "args": {"orderId" : "o_\\u0031"} , "occurrence": 1.0 } ]}

accepted plan.json (mended): 1 step, plan <hash>
nothing was written: plan.json is refused as it stands; --write writes what is mended
`)
    expect(readFileSync(join(path, "plan.json"), "utf8")).toBe(slipped)
  })

  test("what it prints is a patch for `patch`", async () => {
    const path = folder({ "plan.json": slipped })
    const { out } = await sequitur(["compile", "plan.json", "--fix", ...catalog], { cwd: path })
    const { status, stderr, error } = spawnSync("git", ["apply", "-p0", "-"], {
      cwd: path,
      input: out,
      encoding: "utf8",
    })
    expect([status, stderr, error]).toEqual([0, "", undefined])
    expect(readFileSync(join(path, "plan.json"), "utf8")).toBe(right)
  })

  test("--write puts it in the file's place, with the file's mode, and its exit code is the mended plan's", async () => {
    const path = folder({ "plan.json": slipped, "half.json": half })
    chmodSync(join(path, "plan.json"), 0o640)
    symlinkSync("plan.json", join(path, "link.json"))
    const whole = await sequitur(["compile", "link.json", "--fix", "--write", "--out", "out.json", ...catalog], {
      cwd: path,
    })
    expect([whole.code, whole.err]).toEqual([0, ""])
    expect(whole.out).toMatch(/\naccepted link\.json: 1 step, plan [0-9a-f]{12}\nwritten {2}link\.json\n$/)
    expect(readFileSync(join(path, "plan.json"), "utf8")).toBe(right)
    expect(statSync(join(path, "plan.json")).mode & 0o777).toBe(0o640)
    expect(lstatSync(join(path, "link.json")).isSymbolicLink()).toBe(true)
    expect((await sequitur(["compile", "out.json", ...catalog], { cwd: path })).code).toBe(0)
    const partly = await sequitur(["compile", "half.json", "--fix", "--write", ...catalog], { cwd: path })
    expect(partly.code).toBe(1)
    expect(partly.out).toContain("error SEQ122 at half.json:1:")
    expect(readFileSync(join(path, "half.json"), "utf8")).toBe(half.replace("find_ordr", "find_order"))
    expect(readdirSync(path).sort()).toEqual(["half.json", "link.json", "out.json", "plan.json"])
  })

  test("a file that changed since it was read is left alone; so is what is no file, and what may not be written", async () => {
    const path = folder({ "plan.json": right })
    const file = join(path, "plan.json")
    const [before, after] = [Buffer.from(slipped), right]
    await expect(replaceFile(file, before, after)).rejects.toThrow("was changed in the meantime: nothing was written")
    await expect(replaceFile("/dev/null", before, after)).rejects.toThrow("is no regular file: nothing was written")
    await expect(replaceFile(join(path, "gone.json"), before, after)).rejects.toThrow("there is no such file")
    expect(readdirSync(path)).toEqual(["plan.json"])
    expect(readFileSync(file, "utf8")).toBe(right)
    // The owner stays too: nobody loses a file by having it mended.
    const { uid, gid } = statSync(file)
    await replaceFile(file, Buffer.from(right), slipped)
    expect(statSync(file)).toMatchObject({ uid, gid })
    expect(readFileSync(file, "utf8")).toBe(slipped)
  })

  test("what comes by a pipe can be shown, not written", async () => {
    const path = folder({ "plan.json": slipped })
    const command = `"$0" --conditions=@sequitur/source "$1" compile <(cat plan.json) --fix --write --catalog "$2"`
    const { status, stderr } = spawnSync("bash", ["-c", command, process.execPath, main, catalog[1] ?? ""], {
      cwd: path,
      encoding: "utf8",
    })
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: \/dev\/fd\/\d+ is no regular file: nothing was written\n$/),
    ])
  })

  test("standard input: the diff on standard output; with --write the mended plan there, and all else on standard error", async () => {
    const [shown, written, same, hopeless1] = await Promise.all([
      sequitur(["compile", "-", "--fix", ...catalog], { input: slipped }),
      sequitur(["compile", "-", "--fix", "--write", ...catalog], { input: slipped }),
      sequitur(["compile", "-", "--fix", "--write", ...catalog], { input: right }),
      sequitur(["compile", "-", "--fix", "--write", ...catalog], { input: hopeless }),
    ])
    expect([shown.code, shown.err]).toEqual([1, ""])
    expect(shown.out).toContain("+++ standard input\n")
    expect([written.code, written.out]).toEqual([0, right])
    expect(written.err).toMatch(/^mended SEQ108 .*\naccepted standard output: 1 step.*\nwritten {2}standard output\n$/s)
    expect([same.code, same.out]).toEqual([0, right])
    expect([hopeless1.code, hopeless1.out]).toEqual([1, hopeless])
    expect(hopeless1.err).toContain("nothing here can be mended for sure")
  })

  test("what cannot be read comes out of --write as it went in; of what is too large nothing does", async () => {
    const binary = Buffer.from([0x7b, 0xff, 0xfe, 0x0a])
    const command = `"$0" --conditions=@sequitur/source "$1" compile - --fix --write --catalog "$2" 2>/dev/null | od -An -tx1`
    const passed = spawnSync("bash", ["-c", command, process.execPath, main, catalog[1] ?? ""], {
      input: binary,
      encoding: "utf8",
    })
    expect(passed.stdout.trim()).toBe("7b ff fe 0a")
    const large = await sequitur(["compile", "-", "--fix", "--write", ...catalog], { input: " ".repeat(2_000_000) })
    expect([large.code, large.out, large.err]).toEqual([1, "", expect.stringContaining("error SEQ010")])
  })

  test("inside a fence the plan is mended, and the fence stays", async () => {
    const fenced = (text: string): string => `\n\`\`\`json\r\n${text}\`\`\`  \n`
    const { code, out } = await sequitur(["compile", "-", "--unwrap", "fence", "--fix", "--write", ...catalog], {
      input: fenced(slipped),
    })
    expect([code, out]).toEqual([0, fenced(right)])
  })

  test("for programs: the patch of all rounds, the mended document, and its own verdict beside that of the file", async () => {
    const path = folder({ "plan.json": slipped, "right.json": right, "hopeless.json": hopeless })
    const args = ["compile", "plan.json", "right.json", "hopeless.json", "--fix", "--format", "json", ...catalog]
    const { code, out } = await sequitur(args, { cwd: path })
    expect(code).toBe(1)
    const { plans, ...counts } = JSON.parse(out)
    expect(counts).toMatchObject({ accepted: 1, refused: 2 })
    const [{ fixed, ...asItIs }, fine, none] = plans
    expect(asItIs).toMatchObject({ accepted: false, planHash: null, diagnostics: [{ code: "SEQ108" }] })
    expect(fixed).toMatchObject({
      rounds: 2,
      written: false,
      accepted: true,
      mended: [{ code: "SEQ108" }, { code: "SEQ121" }],
    })
    expect(applyPatch(JSON.parse(slipped), fixed.patch)).toEqual(JSON.parse(right))
    expect(fixed.document).toEqual(JSON.parse(right))
    expect(fixed.planHash).toBe(fine.planHash)
    expect([fine.fixed, none.fixed]).toEqual([null, null])
    const written = JSON.parse((await sequitur([...args, "--write"], { cwd: path })).out)
    expect(written).toMatchObject({
      accepted: 2,
      refused: 1,
      plans: [{ accepted: true, fixed: { written: true } }, {}, {}],
    })
  })

  const calls: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["--write alone", ["look.json", "--write"], /^error: --write writes what --fix mends: give both\n$/],
    [
      "a provider's form",
      ["look.json", "--fix", "--for", "openai"],
      /^error: --fix mends plans as they stand, not in the form/,
    ],
    ["feedback", ["look.json", "--fix", "--format", "feedback"], /^error: --format feedback is for the model/],
    [
      "--out of what is not written",
      ["look.json", "--fix", "--out", "x.json"],
      /^error: --out keeps the plan as it stands/,
    ],
    [
      "standard input and a file",
      ["-", "look.json", "--fix", "--write"],
      /^error: --write puts the plan of standard input/,
    ],
    [
      "standard input as JSON",
      ["-", "--fix", "--write", "--format", "json"],
      /^error: --write puts the plan of standard/,
    ],
  ]
  test.each(calls)("does not go with: %s", async (_, args, says) => {
    const { code, err } = await sequitur(["compile", ...args])
    expect(err).toMatch(says)
    expect(code).toBe(2)
  })

  test("a compiled plan is not mended, nor one that cannot be read, nor one whose catalog has faults", async () => {
    const path = folder({ "cut.json": '{"version":1,"stpes":[', "plan.json": slipped })
    await sequitur(["compile", join(shop, "look.json"), "--out", "out.json", ...catalog], { cwd: path })
    const stored = await sequitur(["compile", "out.json", "--fix", "--write", ...catalog], { cwd: path })
    expect([stored.code, stored.err]).toEqual([
      2,
      "error: out.json is a compiled plan: --fix mends plans before they are compiled\n",
    ])
    const cut = await sequitur(["compile", "cut.json", "--fix", "--write", ...catalog], { cwd: path })
    expect([cut.code, cut.out]).toEqual([1, expect.stringContaining("error SEQ002")])
    const broken = resolve("plans/invalid/SEQ812/catalog.ts")
    const faulty = await sequitur(["compile", "plan.json", "--fix", "--write", "--catalog", broken], { cwd: path })
    expect([faulty.code, faulty.out]).toEqual([1, expect.stringContaining("error SEQ812")])
    expect(readFileSync(join(path, "plan.json"), "utf8")).toBe(slipped)
  })

  test("a hostile plan cannot speak to the terminal through its diff", async () => {
    const evil = "\u202e\u009b2J\u200b\u2066"
    const input = slipped.replace("1.0", `1, "why": "${evil}"`)
    const { out, err } = await sequitur(["compile", "-", "--fix", ...catalog], { input })
    expect((out + err).replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v)
    expect(out).toContain("\\u202e\\u009b2J")
  })
})

describe.concurrent("compile --for", () => {
  const plan = JSON.parse(readFileSync("plans/billing/cancel-and-refund.json", "utf8"))
  const args = ["--catalog", resolve("plans/billing/catalog.ts")]
  const written = (provider: ProviderName, document: object): string => {
    return encodePlan(billing, document as Document, planSchema(billing, { for: provider }).form)
  }

  test.each<ProviderName>(["openai", "anthropic", "gemini"])("takes the form of %s back", async (provider) => {
    const { code, out } = await sequitur(["compile", "-", "--for", provider, "--format", "json", ...args], {
      input: written(provider, plan),
    })
    expect(code).toBe(0)
    const [{ planHash, decoded }] = JSON.parse(out).plans
    const compiled = compile(billing, JSON.stringify(plan))
    expect(planHash).toBe(compiled.ok && compiled.plan.planHash)
    expect(JSON.parse(decoded)).toEqual(plan)
  })

  test("what is of such a form is told of --for, where it was left out", async () => {
    const note = "note: standard input looks like the structured output of a provider: `sequitur compile --for openai`"
    const inputs = [
      written("openai", plan),
      `\`\`\`json\n${written("anthropic", plan)}\n\`\`\``,
      '{"version":1,"steps":[{"id":"a","tool":"list_workspaces","args":"{}"}]}',
    ]
    for (const [index, input] of inputs.entries()) {
      const fence = index === 1 ? ["--unwrap", "fence"] : []
      const { code, out, err } = await sequitur(["compile", "-", ...fence, ...args], { input })
      expect([code, out]).toEqual([1, expect.stringContaining("SEQ10")])
      expect(err).toContain(note)
    }
    const others = [JSON.stringify(plan), JSON.stringify({ ...plan, steps: [{ id: "a", do: "it" }] }), "[1", "{}"]
    for (const input of others) expect((await sequitur(["compile", "-", ...args], { input })).err).toBe("")
  })

  test("what the compiler refuses is told in what was decoded", async () => {
    const { steps } = plan
    const wrong = {
      ...plan,
      steps: steps.with(3, { ...steps[3], args: { ...steps[3].args, amountInCents: "$24.50" } }),
    }
    const input = `\`\`\`json\n${written("openai", wrong)}\n\`\`\`\n`
    const { code, out } = await sequitur(["compile", "-", "--unwrap", "fence", "--for", "openai", ...args], { input })
    expect(code).toBe(1)
    expect(out).toMatch(/error SEQ122 at standard input \(decoded\):\d+:\d+ \/steps\/3\/args\/amountInCents\n/)
    expect(out).toMatch(/> +\d+ \| +"amountInCents": "\$24\.50"/)
  })

  test("what is not of the form is told in the text as it was given, also inside a fence", async () => {
    const input =
      '```json\n{"version":1,"goal":null,"steps":[{"id":"a","do":{"list_workspaces":{"accountId":{"_from":7,"pth":""}}}}]}\n```'
    const { code, out } = await sequitur(["compile", "-", "--unwrap", "fence", "--for", "openai", ...args], { input })
    expect(code).toBe(1)
    expect(out).toMatch(/^error SEQ1\d\d at standard input:2:\d+ /)
    expect(out).toContain(`| {"version":1,"goal":null`)
  })

  test("feedback says what is wrong; a compiled plan has no such form; a catalog's faults come first", async () => {
    const path = folder()
    const [fed, faulty] = await Promise.all([
      sequitur(["compile", "-", "--for", "gemini", "--format", "feedback", ...args], {
        input: '{"version":1,"steps":[{"id":"a","do":{"fly":{}}}]}',
      }),
      sequitur(["compile", "-", "--for", "openai", "--catalog", resolve("plans/invalid/SEQ812/catalog.ts")], {
        input: "{}",
      }),
      sequitur(["compile", join(shop, "look.json"), "--out", join(path, "out.json"), ...catalog]),
    ])
    expect([fed.code, fed.out]).toEqual([1, expect.stringContaining("- SEQ108")])
    expect([faulty.code, faulty.out]).toEqual([1, expect.stringContaining("error SEQ812")])
    const stored = await sequitur(["compile", "out.json", "--for", "openai", ...catalog], { cwd: path })
    expect([stored.code, stored.err]).toEqual([2, "error: out.json is a compiled plan: leave out --for\n"])
  })
})

describe.concurrent("--out onto what is compiled", () => {
  test.each(["plan.json", "./plan.json", "link.json"])("is refused, and nothing is written: %s", async (out) => {
    const path = folder({ "plan.json": slipped })
    symlinkSync(join(path, "plan.json"), join(path, "link.json"))
    const { code, err } = await sequitur(["compile", "plan.json", "--fix", "--write", "--out", out, ...catalog], {
      cwd: path,
    })
    expect(code).toBe(2)
    expect(err).toContain("is the plan plan.json itself: give another file")
    expect(readFileSync(join(path, "plan.json"), "utf8")).toBe(slipped)
  })

  test("so is the catalog", async () => {
    const path = folder({ "plan.json": right, "catalog.ts": readFileSync(join(shop, "catalog.ts"), "utf8") })
    const { code, err } = await sequitur(
      ["compile", "plan.json", "--out", join(shop, "catalog.ts"), "--catalog", join(shop, "catalog.ts")],
      { cwd: path },
    )
    expect([code, err]).toEqual([2, expect.stringContaining("is the catalog: give another file")])
  })
})

describe.concurrent("rounds of --fix", () => {
  test("what changes nothing is not mended again and again", async () => {
    const steps = [
      { id: "a", tool: "find_order", args: { orderId: "o_1" } },
      { id: "a", tool: "find_order", args: { orderId: "o_2" } },
      { id: "b", tool: "find_order", args: { orderId: { $from: "b", path: "/orderId" } } },
    ]
    const path = folder({ "plan.json": JSON.stringify({ version: 1, steps }) })
    const { code, out } = await sequitur(["compile", "plan.json", "--fix", ...catalog], { cwd: path })
    expect(code).toBe(1)
    const told = out.split("\n").filter((line) => line.startsWith("mended"))
    expect(new Set(told).size).toBe(told.length)
    expect(told.length).toBeLessThan(3)
  })
})
