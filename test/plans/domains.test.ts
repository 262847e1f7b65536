/** The three sample domains: what their plans come to with the real services, and what is said of the faulty ones. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { type Catalog, compile } from "sequitur"
import { createRunner, type Handler, memory, type Toolbox } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import billing from "../../plans/billing/catalog.ts"
import billingTools, { service as billingService } from "../../plans/billing/tools.ts"
import invoices from "../../plans/invoices/catalog.ts"
import invoiceTools, { service as invoiceService } from "../../plans/invoices/tools.ts"
import servers from "../../plans/servers/catalog.ts"
import serverTools, { service as serverService } from "../../plans/servers/tools.ts"

const domains = {
  billing: { catalog: billing, tools: billingTools, service: billingService },
  servers: { catalog: servers, tools: serverTools, service: serverService },
  invoices: { catalog: invoices, tools: invoiceTools, service: invoiceService },
} as const

type Domain = keyof typeof domains

const names = Object.keys(domains) as readonly Domain[]
const plans = resolve(import.meta.dirname, "../../plans")
const jsonIn = (folder: string): readonly string[] =>
  readdirSync(join(plans, folder)).filter((name) => name.endsWith(".json") && !name.endsWith(".expected.json"))
const read = (path: string): string => readFileSync(join(plans, path), "utf8")

const goodPlans = names.flatMap((domain) =>
  jsonIn(domain)
    .filter((name) => name !== "inputs.json")
    .map((name) => `${domain}/${name}`),
)
const faults = names.flatMap((domain) => jsonIn(`${domain}/faults`).map((name) => `${domain}/faults/${name}`))
const domainOf = (path: string): Domain => path.split("/")[0] as Domain

/** What each plan must leave in the service's records. */
const effects: Readonly<Record<string, object>> = {
  "billing/cancel-and-refund.json": {
    workspaces: [
      { name: "Northwind", status: "active" },
      { name: "Northwind Sandbox", status: "cancelled" },
      { name: "Contoso", status: "active" },
      { name: "Contoso Archive", status: "cancelled" },
    ],
    refunds: [{ refundId: "ref_0001", amountInCents: 2450, currency: "USD", reasonCode: "USER_CANCELLATION" }],
    messages: [],
  },
  "billing/cancel-refund-and-tell.json": {
    refunds: [{ refundId: "ref_0001", amountInCents: 2450 }],
    messages: [{ message: "Your workspace is cancelled and 2450 cents are on their way; the refund is ref_0001." }],
  },
  "servers/look-around.json": {
    instances: [{ boots: 3 }, { boots: 7 }, { boots: 1 }, { boots: 1 }],
  },
  "servers/restart-after-drain.json": {
    instances: [
      { name: "web-1", boots: 3, connections: 214 },
      { name: "web-2", boots: 8, healthy: 1, state: "serving", connections: 0 },
      { name: "web-1", boots: 1, connections: 92 },
      { name: "ledger-1", boots: 1, connections: 4 },
    ],
  },
  "invoices/pay-and-book.json": {
    invoices: [{ status: "paid" }, { status: "received" }, { status: "paid" }],
    payments: [{ paymentId: "pay_0001", invoiceIds: "INV-2041", totalInCents: 184250 }],
    bookings: [{ account: "HOSTING", memo: "Hetzner Online GmbH, INV-2041: dedicated servers, June (184250 cents)" }],
  },
  "invoices/pay-two.json": {
    invoices: [{ status: "paid" }, { status: "paid" }, { status: "paid" }],
    payments: [{ invoiceIds: "INV-2041 INV-2042", totalInCents: 196730 }],
    bookings: [],
  },
}

/** The codes that each faulty plan must earn, as errors. */
const earned: Readonly<Record<string, readonly string[]>> = {
  "billing/faults/dollars-for-cents.json": ["SEQ122"],
  "billing/faults/id-from-the-conversation.json": ["SEQ601"],
  "billing/faults/invented-field.json": ["SEQ205", "SEQ121"],
  "billing/faults/refund-before-cancel.json": ["SEQ208"],
  "billing/faults/guessed-index.json": [],
  "servers/faults/another-instance.json": ["SEQ209"],
  "servers/faults/drain-while-observing.json": ["SEQ301"],
  "servers/faults/region-not-allowed.json": ["SEQ123", "SEQ123"],
  "servers/faults/restart-before-drain.json": ["SEQ208"],
  "invoices/faults/back-to-paying.json": ["SEQ302"],
  "invoices/faults/memo-of-lines.json": ["SEQ213", "SEQ206"],
  "invoices/faults/pay-twice.json": ["SEQ701"],
  "invoices/faults/too-many-invoices.json": ["SEQ401"],
}

const headquarters = "4f0c2c52-8a53-4d0c-9c0e-0d6a4d2f7b11"
const sandbox = "9b1d7e0a-52a4-4c3b-8f6e-6f0b7a1c2d33"

const refundOf = (amountInCents: number) => ({
  workspaceId: sandbox,
  amountInCents,
  currency: "USD",
  reasonCode: "USER_CANCELLATION",
})
const target = (instanceId: string) => ({ region: "eu-central-1", instanceId })
const approvalOf = (invoiceId: string, amountInCents: number) => ({ invoiceId, amountInCents })
const bookingOf = (memo: string) => ({ paymentId: "pay_0001", account: "OFFICE", memo })

const reversed = (args: object): object => Object.fromEntries(Object.entries(args).reverse())

/** Calls handlers as the executor would, each effect under a key of its own. */
const callers =
  ({ handlers }: Toolbox, key: string | undefined) =>
  async (tool: string, args: object): Promise<unknown> =>
    (handlers.get(tool)?.call as Handler<object, unknown> | undefined)?.(args, {
      signal: new AbortController().signal,
      idempotencyKey: key === undefined ? undefined : `${key}:${tool}`,
      attempt: 1,
      principal: { tenant: "acme", subject: "ada", roles: [] },
      runId: "run_1",
      stepId: "step",
      credentials: undefined,
    })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sequitur-domains-"))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const compileFile = (path: string) => compile<Catalog["spec"]>(domains[domainOf(path)].catalog, read(path))

describe("the catalogs", () => {
  it.each(names)("%s has nothing to say of itself", (domain) => {
    expect(domains[domain].catalog.diagnostics).toEqual([])
  })
})

/** Runs a plan with its domain's real service, approving where it waits, and gives what came of it. */
async function run(path: string, store: "memory" | "sqlite") {
  const domain = domainOf(path)
  const file = join(folder, "service.db")
  const { catalog, tools, service } = domains[domain]
  const runner = createRunner<Catalog["spec"]>({
    catalog,
    tools: tools({ file }),
    store: store === "memory" ? memory() : sqlite(join(folder, "runs.db")),
  })
  const compiled = compileFile(path)
  if (!compiled.ok) throw new Error(`${path} is refused: ${compiled.diagnostics.map(({ code }) => code).join(", ")}`)
  const opened = service(file)
  const before = opened.records()
  const asked: string[] = []
  let report = await runner.run(compiled.plan, {
    principal: { tenant: "acme", subject: "ada" },
    sessionId: "s-1",
    taskId: "t-1",
    inputs: JSON.parse(read(`${domain}/inputs.json`)),
  })
  while (report.status === "awaiting_approval") {
    expect(opened.records(), "nothing happens before a person has decided").toEqual(before)
    const { stepId } = report.awaiting
    asked.push(stepId)
    report = await runner.approve(report.runId, stepId, { by: "eve", reason: "seen in writing" })
  }
  const entries = await runner.entries(report.runId)
  const after = opened.records()
  opened.close()
  await runner.close()
  return { report, asked, entries, before, after }
}

describe("good plans", () => {
  it("are all accounted for", () => {
    expect(Object.keys(effects).sort()).toEqual([...goodPlans].sort())
  })

  describe.each(["memory", "sqlite"] as const)("on a %s journal", (store) => {
    it.each(goodPlans)("%s", async (path) => {
      const { report, asked, after } = await run(path, store)
      expect(report.status).toBe("succeeded")
      expect(asked).toHaveLength(path === "servers/look-around.json" ? 0 : 1)
      expect(after).toMatchObject(effects[path] ?? {})
    })
  })
})

describe("faulty plans", () => {
  it("are all accounted for", () => {
    expect(Object.keys(earned).sort()).toEqual([...faults].sort())
  })

  it.each(faults)("%s", async (path) => {
    const { diagnostics } = compileFile(path)
    const errors = diagnostics.filter(({ severity }) => severity === "error")
    expect(errors.map(({ code }) => code)).toEqual(earned[path])
    const expected = join(plans, path.replace(/\.json$/, ".expected.json"))
    await expect(`${JSON.stringify(diagnostics, undefined, 2)}\n`).toMatchFileSnapshot(expected)
  })
})

describe("a guessed index", () => {
  it("compiles, with a check to be made when the run gets there", () => {
    const compiled = compileFile("billing/faults/guessed-index.json")
    const checks = compiled.ok ? compiled.plan.steps.flatMap((step) => step.checks) : []
    expect(checks).toContainEqual(expect.objectContaining({ kind: "present", at: "/steps/2/args/workspaceId/path" }))
  })

  it.each(["memory", "sqlite"] as const)("fails before any effect, on a %s journal", async (store) => {
    const { report, asked, entries, before, after } = await run("billing/faults/guessed-index.json", store)
    expect(report).toMatchObject({ status: "failed", failure: { code: "RUN106", stepId: "cancel" } })
    expect(asked).toEqual([])
    expect(entries.flatMap(({ event }) => (event.kind === "intent" ? [event.stepId] : []))).toEqual(["find"])
    expect(after).toEqual(before)
  })
})

/** Effects in an order that each service accepts, with another request under the same key, which it must not. */
const calls: Readonly<Record<Domain, readonly (readonly [tool: string, args: object, other: object])[]>> = {
  billing: [
    ["cancel_workspace", { workspaceId: sandbox }, { workspaceId: headquarters }],
    ["execute_refund", refundOf(1000), refundOf(1001)],
    ["notify_customer", { accountId: "acc_1001", message: "done" }, { accountId: "acc_1002", message: "done" }],
  ],
  servers: [
    ["drain_instance", target("i-1b2c3d4e"), target("i-0a1b2c3d")],
    ["restart_instance", target("i-1b2c3d4e"), target("i-0a1b2c3d")],
    ["return_to_service", target("i-1b2c3d4e"), target("i-0a1b2c3d")],
  ],
  invoices: [
    ["approve_invoice", approvalOf("INV-2042", 12480), approvalOf("INV-2041", 184250)],
    [
      "pay_invoices",
      { invoiceIds: ["INV-2042"], totalInCents: 12480 },
      { invoiceIds: ["INV-2041"], totalInCents: 184250 },
    ],
    ["record_payment", bookingOf("paper"), bookingOf("pens")],
  ],
}

describe.each(names)("the %s service", (domain) => {
  const { catalog, tools, service } = domains[domain]

  it("does what a key asks for once, whatever it is asked again", async () => {
    const file = join(folder, "service.db")
    const opened = service(file)
    // Two toolboxes: a retry may come from another process.
    const call = callers(tools({ file }), "k1")
    const again = callers(tools({ file }), "k1")
    for (const [tool, args, other] of calls[domain]) {
      const before = opened.records()
      const answer = await call(tool, args)
      const after = opened.records()
      expect(after, `${tool} has an effect`).not.toEqual(before)
      expect(await again(tool, reversed(args)), "the order of keys says nothing").toEqual(answer)
      await expect(again(tool, other)).rejects.toThrow("this key was used for another request")
      expect(opened.records()).toEqual(after)
    }
    opened.close()
  })

  it("covers every effect of its catalog here", () => {
    const mutating = [...catalog.tools.values()].filter(({ mutates }) => mutates).map(({ name }) => name)
    expect(calls[domain].map(([tool]) => tool)).toEqual(mutating)
  })

  it("does nothing without a key", async () => {
    const file = join(folder, "service.db")
    const opened = service(file)
    const before = opened.records()
    const call = callers(tools({ file }), undefined)
    for (const [tool, args] of calls[domain]) {
      await expect(call(tool, args)).rejects.toThrow("an effect needs an idempotency key")
    }
    expect(opened.records()).toEqual(before)
    opened.close()
  })
})

describe("a service that refuses", () => {
  it.each([
    ["billing", "cancel_workspace", { workspaceId: headquarters }, "Northwind is the account's primary workspace"],
    ["billing", "execute_refund", refundOf(1000), "Northwind Sandbox is not cancelled"],
    ["servers", "restart_instance", target("i-1b2c3d4e"), "web-2 is still serving"],
    ["servers", "drain_instance", target("i-3d4e5f60"), "there is no instance i-3d4e5f60 in eu-central-1"],
    [
      "invoices",
      "pay_invoices",
      { invoiceIds: ["INV-2042"], totalInCents: 12480 },
      "INV-2042 is received, not approved",
    ],
    ["invoices", "approve_invoice", approvalOf("INV-2042", 1248), "INV-2042 is over 12480 cents"],
    ["invoices", "record_payment", bookingOf("paper"), "there is no payment pay_0001"],
  ] as const)("%s: %s changes nothing, says so, and leaves the key free", async (domain, tool, args, reason) => {
    const file = join(folder, "service.db")
    const opened = domains[domain].service(file)
    const before = opened.records()
    const call = callers(domains[domain].tools({ file }), "k1")
    await expect(call(tool, args)).rejects.toMatchObject({ name: "NotApplied", message: reason })
    await expect(call(tool, args)).rejects.toMatchObject({ name: "NotApplied", message: reason })
    expect(opened.records()).toEqual(before)
    opened.close()
  })
})

it("npm run demo ends well", { timeout: 60_000 }, () => {
  const demo = spawnSync(process.execPath, ["--conditions=@sequitur/source", join(plans, "demo.ts")], {
    encoding: "utf8",
  })
  expect(demo.stdout).not.toContain("did not go as it should")
  expect(demo.stderr).toBe("")
  expect(demo.status).toBe(0)
})
