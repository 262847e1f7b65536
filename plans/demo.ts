/**
 * `npm run demo`: a refund plan is explained, run, stopped for a person, approved from another process and finished; then
 * bad plans are refused. Every command is the real one, in a process of its own, on a fresh temporary folder.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { isDeepStrictEqual, styleText } from "node:util"
import { service } from "./billing/tools.ts"

const root = resolve(import.meta.dirname, "..")
const folder = mkdtempSync(join(tmpdir(), "sequitur-demo-"))
const store = join(folder, "runs.db")
const billing = join(folder, "billing.db")
const plan = "plans/billing/cancel-and-refund.json"
const scope = ["--inputs", "plans/billing/inputs.json", "--tenant", "acme", "--subject", "ada", "--session", "s-1"]

const colored = styleText("cyan", "-") !== "-"

/** What did not go as it should. */
const troubles: string[] = []

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const heading = (text: string): void => say(`\n${styleText(["bold", "underline"], text)}\n`)

function expect(what: string, holds: boolean): void {
  if (!holds) troubles.push(what)
}

/** Prints a command as a user would type it, runs it, and prints what it said. */
function sequitur(args: readonly string[], expected: { readonly exit: number; readonly says?: string }): string {
  const typed = `sequitur ${args.map((part) => (/^[\w./=-]+$/.test(part) ? part : `"${part}"`)).join(" ")}`
  say(styleText("cyan", `$ ${typed}`))
  const child = spawnSync(process.execPath, ["--conditions=@sequitur/source", "src/cli/main.ts", ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, BILLING_DB: billing, ...(colored ? { FORCE_COLOR: "1" } : {}) },
  })
  const output = `${child.stdout}${child.stderr}`
  say(output.trimEnd())
  say(styleText("dim", `(exit code ${child.status ?? child.signal})`))
  say("")
  expect(
    `\`${typed}\` should exit with ${expected.exit}, not ${child.status ?? child.signal}`,
    child.status === expected.exit,
  )
  const { says = "" } = expected
  expect(`\`${typed}\` should say ${says}`, output.includes(says))
  return output
}

/** What the billing service itself has on record. */
function readRecords() {
  const opened = service(billing)
  const records = opened.records()
  opened.close()
  return records
}

function showRecords(): void {
  const { workspaces, refunds } = readRecords()
  say("The billing service has on record:")
  for (const { name, role, status } of workspaces) say(`  ${name.padEnd(18)} ${role.padEnd(10)} ${status}`)
  for (const { refundId, amountInCents, currency } of refunds)
    say(`  ${refundId}: ${amountInCents} cents (${currency})`)
  if (refunds.length === 0) say("  no refund")
  say("")
}

function showGoodPlan(): void {
  heading("A plan that follows")
  showRecords()
  sequitur(["explain", plan], { exit: 0 })
  const started = sequitur(["run", plan, "--store", store, ...scope, "--task", "t-1"], {
    exit: 3,
    says: "approval needed",
  })
  const [run = ""] = /run_[\w-]+/.exec(started) ?? []
  const waiting = readRecords()
  expect("nothing should have happened before the approval", waiting.refunds.length === 0)

  heading("A person approves, in another process")
  const decision = ["--by", "eve", "--reason", "seen in writing"]
  sequitur(["approve", run, "open", "--store", store, ...decision], { exit: 0, says: "succeeded" })
  sequitur(["runs", "--store", store], { exit: 0, says: run })
  sequitur(["log", run, "--store", store, "--verify"], { exit: 0, says: "verified" })
  showRecords()
  const { workspaces, refunds } = readRecords()
  const sandbox = workspaces.find(({ name }) => name === "Northwind Sandbox")
  expect("the secondary workspace should be cancelled", sandbox?.status === "cancelled")
  expect("there should be one refund, of 2450 cents", refunds.length === 1 && refunds[0]?.amountInCents === 2450)
}

function showRefusals(): void {
  heading("Plans that do not follow")
  const before = readRecords()
  sequitur(["compile", "plans/billing/faults/id-from-the-conversation.json"], { exit: 1, says: "SEQ601" })
  sequitur(["compile", "plans/billing/faults/dollars-for-cents.json"], { exit: 1, says: "SEQ122" })
  sequitur(["compile", "plans/billing/faults/refund-before-cancel.json"], { exit: 1, says: "SEQ208" })
  sequitur(["compile", "plans/billing/faults/invented-field.json"], { exit: 1, says: "SEQ205" })

  heading("A guess that only the run can refuse: before any effect, before anyone is asked")
  const guess = "plans/billing/faults/guessed-index.json"
  sequitur(["explain", guess], { exit: 0 })
  sequitur(["run", guess, "--store", store, ...scope, "--task", "t-2"], { exit: 1, says: "RUN106" })
  expect("no refused plan should have changed the service's records", isDeepStrictEqual(readRecords(), before))
  say("Proof that none of these plans did anything, after the one refund that was approved:")
  showRecords()
}

try {
  say(`Journal and records are in ${folder} until the demo ends; each command has BILLING_DB=${billing}.`)
  say("From a clone, `sequitur` is `npm run sequitur --`.")
  showGoodPlan()
  showRefusals()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

if (troubles.length > 0) {
  say(styleText("red", "\nThe demo did not go as it should:"))
  for (const trouble of troubles) say(`  ${trouble}`)
  process.exitCode = 1
}
