/** `SEQUITUR_DATA` names a folder of somebody else's: what it holds is counted, what it lacks named, and ours explains nothing of it. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import type { Json } from "../../src/text/json.ts"
import { hasData, readData } from "../data.ts"

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function folderOf(files: { readonly [path: string]: Json | string }): string {
  const folder = mkdtempSync(join(tmpdir(), "sequitur-data-"))
  folders.push(folder)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content))
  }
  return folder
}

const node = [process.execPath, "--conditions=@sequitur/source", "test/conformance/main.ts"] as const

function conformance(folder: string, sizes = ["--mutants", "1", "--pairs", "75", "--plans", "50"]) {
  const [command, ...args] = [...node, ...sizes]
  const env = { ...process.env, SEQUITUR_DATA: folder, SEQUITUR_DATA_REQUIRED: "" }
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env })
  const line = (what: string): string | undefined => stdout.split("\n").find((one) => one.startsWith(`${what} `))
  const counts = (what: string): readonly string[] => line(what)?.slice(42).trim().split(/\s+/) ?? []
  const list = (title: string): readonly string[] =>
    (stdout.split(`\n${title}`)[1] ?? "")
      .split("\n\n", 1)
      .flatMap((one) => one.split("\n"))
      .filter((one) => one.startsWith("- "))
  return { status, stdout, stderr, counts, absent: list("Absent in"), unexplained: list("Unexplained:") }
}

describe.skipIf(!hasData)("another folder of data", () => {
  const rowsOf = (path: string): readonly Json[] => JSON.parse(readData(path)) as readonly Json[]
  const retail = {
    "tau-bench/retail_tools.json": readData("tau-bench/retail_tools.json"),
    "tau-bench/retail_test_plans.json": rowsOf("tau-bench/retail_test_plans.json").slice(0, 12),
    "tau-bench/retail_test_replay.json": rowsOf("tau-bench/retail_test_replay.json").slice(0, 12),
    "tau-bench/retail_test_refplans.json": rowsOf("tau-bench/retail_test_refplans.json").slice(0, 12),
  }
  const nested = rowsOf("nestful/executable-data.json")
  const specs = { "nestful/executable-spec.json": readData("nestful/executable-spec.json") }
  const findings = JSON.parse(readData("nestful/expected_findings.json")) as { readonly [id: string]: Json }

  test("fewer plans, in another order: all is right, and what is not there is named", () => {
    // Number 21 is judged; here it stands first.
    const order = [21, 0, 1, 2]
    const moved = order.map((index) => nested[index] as Json)
    const found = Object.fromEntries(
      order.map((index, place) => [`executable#${place}`, findings[`executable#${index}`] ?? []]),
    )
    const folder = folderOf({
      ...retail,
      ...specs,
      "nestful/executable-data.json": moved,
      "nestful/expected_findings.json": found,
    })
    const { status, stderr, counts, absent, unexplained } = conformance(folder)
    expect(unexplained).toEqual([])
    expect(stderr).toBe("")
    expect(status).toBe(0)
    expect(counts("test plans, schemas alone")).toEqual(["12", "12", "0", "12", "0", "0"])
    expect(counts("plans with typed references")).toEqual(["12", "12", "0", "12", "0", "0"])
    expect(counts("unknown tool").at(-1)).toBe("0")
    expect(counts("executable plans")).toEqual(["4", "2", "2", "3", "1", "0"])
    expect(absent).toContain("- tau-bench/retail_train_plans.json")
    expect(absent).toContain("- bfcl/multi_turn_base_replay.json")
    expect(absent).not.toContain("- tau-bench/retail_test_plans.json")
  })

  test("other plans: what is refused and was not to be is named, with its place; no judgement of ours hides it", () => {
    const plans = [
      { id: "mine_1", actions: [{ name: "get_user_details", arguments: { user_id: "ada_1" } }] },
      { id: "mine_2", actions: [{ name: "get_user_detials", arguments: { user_id: "ada_1" } }] },
      { id: "mine_3", actions: [{ name: "get_user_details", arguments: { user_id: 7 } }] },
    ]
    const other = JSON.parse(
      JSON.stringify(nested[21]).replaceAll('"var1"', '"var0"').replaceAll("$var1.", "$var0."),
    ) as Json
    const glaive = JSON.parse(readData("nestful/non-executable-glaive-data.json")) as readonly Json[]
    const { status, stdout, stderr, counts, unexplained } = conformance(
      folderOf({
        ...retail,
        "tau-bench/retail_test_plans.json": plans,
        "tau-bench/retail_dev_plans.json": [],
        ...specs,
        // In the place of the one that was judged, and with the same verdict.
        "nestful/executable-data.json": [...nested.slice(0, 20), nested[0] as Json, other],
        "nestful/expected_findings.json": { "executable#21": findings["executable#21"] as Json },
        "nestful/non-executable-glaive-spec.json": readData("nestful/non-executable-glaive-spec.json"),
        "nestful/non-executable-glaive-data.json": glaive.slice(0, 40),
        "bfcl/multi_turn_base_replay.json": "[{",
        "bfcl/multi_turn_func_doc/none.json": "",
      }),
    )
    expect(status).toBe(1)
    expect(counts("test plans, schemas alone")).toEqual(["3", "1", "2", "1", "0", "2"])
    expect(unexplained).toContain(
      "- tau-bench retail, test plans, schemas alone: mine_2: said [SEQ108 /steps/0/tool], to be said []",
    )
    expect(unexplained).toContain(
      "- tau-bench retail, test plans, schemas alone: mine_3: said [SEQ122 /steps/0/args/user_id], to be said []",
    )
    expect(unexplained.filter((one) => /executable#21 \([0-9a-f]{12}\): we say \[/.test(one))).toHaveLength(1)
    // Of these nothing is expected, so each refusal that was not judged is named.
    const [cases, accepted, refused, right, judged, unknown] = counts("glaive plans").map(Number)
    expect([cases, right, unknown]).toEqual([40, accepted, (refused ?? 0) - (judged ?? 0)])
    expect(unexplained.filter((one) => one.includes("glaive#"))).toHaveLength(unknown ?? -1)
    expect(unexplained.filter((one) => /^- BFCL, could not be read: .*JSON/.test(one))).toHaveLength(1)
    expect(stdout + stderr).not.toMatch(/\n +at /)
  })
})

describe("tools of one's own", () => {
  const toolOf = (name: string, properties: Json, required: readonly string[]): Json => ({
    type: "function",
    function: { name, parameters: { type: "object", properties, required } },
  })
  const id = { type: "string" }
  const own = {
    "tau-bench/retail_tools.json": [
      toolOf("get_order", { id, tags: { type: "array", items: { type: "integer" } } }, ["id"]),
      toolOf("pay", { id, cents: { type: "integer", minimum: 1 } }, ["id", "cents"]),
    ],
    "tau-bench/retail_test_plans.json": [
      {
        id: "once",
        actions: [
          { name: "get_order", arguments: { id: "a", tags: [1, 2] } },
          { name: "pay", arguments: { id: "a", cents: 5 } },
        ],
      },
      {
        id: "twice",
        actions: [
          { name: "get_order", arguments: { id: "a" } },
          { name: "get_order", arguments: { id: "a" } },
        ],
      },
    ],
    "tau-bench/retail_test_replay.json": [
      { id: "once", actions: [{ name: "get_order", arguments: { id: "a" }, result: '{"total":5}' }] },
    ],
    "tau-bench/retail_test_refplans.json": [
      {
        id: "once",
        steps: [
          { id: "s0", tool: "get_order", args: { id: "a" } },
          { id: "s1", tool: "pay", args: { id: "a", cents: { $from: "s0", path: "/total" } } },
        ],
      },
    ],
  }

  test("count as writes where nothing is said of them", () => {
    const { status, counts, unexplained, stdout } = conformance(folderOf(own))
    expect(unexplained).toEqual([
      "- tau-bench retail, test plans, schemas alone: twice: said [SEQ701 /steps/1/tool], to be said []",
    ])
    expect(status).toBe(1)
    expect(counts("plans with typed references")).toEqual(["1", "1", "0", "1", "0", "0"])
    // The shop's policy is about the shop's tools.
    expect(stdout).not.toContain("policy")
  })

  test("have the effects that the folder says, and a wrong one is named", () => {
    const said = conformance(folderOf({ ...own, "tau-bench/effects.json": { get_order: "read" } }))
    expect([said.status, said.unexplained]).toEqual([0, []])
    expect(Number(said.counts("all kinds that do harm")[0])).toBeGreaterThan(20)
    const wrong = conformance(folderOf({ ...own, "tau-bench/effects.json": { get_order: "reads" } }))
    expect(wrong.status).toBe(1)
    expect(wrong.unexplained).toContain(
      '- tau-bench retail, could not be read: tau-bench/effects.json says "reads" of get_order: it takes "read", "write" or "destructive"',
    )
  })
})

test("as many pairs as were asked for, and no judgement on the share of a few", () => {
  const small = conformance(folderOf({ "attacks.jsonl": "" }), ["--pairs", "30", "--plans", "50"])
  expect(small.stdout).toMatch(/^zod, \d+ % by exact shapes +10 /m)
  expect(small.unexplained.filter((one) => one.includes("accepted"))).toEqual([])
})

test("a folder that is not there, a wrong option: one clear line", () => {
  const none = conformance("/nowhere/at/all")
  expect([none.status, none.stderr.trim()]).toEqual([
    1,
    "nothing to compile in /nowhere/at/all: set SEQUITUR_DATA to a folder that holds plans",
  ])
  const [command, ...args] = [...node, "--plans", "many"]
  const wrong = spawnSync(command, args, { encoding: "utf8" })
  expect([wrong.status, wrong.stderr.split("\n", 1)]).toEqual([2, ["--plans takes a whole number from 1"]])
})
