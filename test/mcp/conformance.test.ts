/**
 * The official conformance suite against the service over HTTP, on this machine only. Its scenarios are all run: those about what
 * is not offered are named below, with the reason, and must fail; were one to pass, or another to fail, this test would.
 *
 * `tools-call-simple-text` and `tools-call-error` ask for tools of the suite's own; what they are held to is the form of our refusal.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { folder } from "../cli/sequitur.ts"
import { serveGreetings } from "./conformance-server.ts"

const noResources = "resources are not offered: a run is looked at with `run_status`"
const noPrompts = "it asks for a prompt of the suite's own; the one that is offered is `write_plan`"
const noAsking = "the server asks nothing of its client: approvals stay on the host's side"
const textOnly = "answers are text and structure, never other media"
const noStream = "a call is one request and one answer: nothing is sent while it lasts, and nothing is resumed"

const notOffered: { readonly [scenario: string]: string } = {
  "logging-set-level": "logging is not offered: it is deprecated by 2026-07-28, and runs have their journal",
  "completion-complete": "completion is not offered: what somebody wants done is nothing to guess",
  "tools-call-image": textOnly,
  "tools-call-audio": textOnly,
  "tools-call-embedded-resource": textOnly,
  "tools-call-mixed-content": textOnly,
  "tools-call-with-logging": noStream,
  "tools-call-with-progress": noStream,
  "tools-call-sampling": noAsking,
  "tools-call-elicitation": noAsking,
  "elicitation-sep1034-defaults": noAsking,
  "elicitation-sep1330-enums": noAsking,
  "json-schema-2020-12": "it looks for a tool of the suite's own, with keywords that none of ours needs",
  "server-sse-polling": noStream,
  // It passes nothing and fails nothing: without a session it has nothing to look at.
  "server-sse-multiple-streams": "there are no sessions: each request is served by itself",
  "resources-list": noResources,
  "resources-read-text": noResources,
  "resources-read-binary": noResources,
  "resources-templates-read": noResources,
  "resources-subscribe": noResources,
  "resources-unsubscribe": noResources,
  "prompts-get-simple": noPrompts,
  "prompts-get-with-args": noPrompts,
  "prompts-get-embedded-resource": noPrompts,
  "prompts-get-with-image": noPrompts,
}

const suite = resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js")

function ask(args: readonly string[], cwd: string): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn(process.execPath, [suite, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] })
  let out = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      out += chunk
    })
  return new Promise((done) => child.on("close", (code) => done({ code, out })))
}

test("every scenario passes, or is about what is not offered", async () => {
  const serving = await serveGreetings()
  try {
    const baseline = `server:\n${Object.keys(notOffered)
      .map((scenario) => `  - ${scenario}\n`)
      .join("")}`
    const cwd = folder({ "baseline.yml": baseline })
    const { code, out } = await ask(
      ["server", "--url", serving.url, "--suite", "all", "--expected-failures", join(cwd, "baseline.yml")],
      cwd,
    )
    const summary = [...out.matchAll(/^([✓✗]) ([a-z0-9-]+): \d+ passed, \d+ failed/gm)].map(([, , name]) => name ?? "")
    const passed = [...out.matchAll(/^✓ ([a-z0-9-]+): [1-9]/gm)].map(([, name]) => name)
    expect(passed).toEqual([
      "server-initialize",
      "ping",
      "tools-list",
      "tools-call-simple-text",
      "tools-call-error",
      "prompts-list",
      "dns-rebinding-protection",
    ])
    expect(summary.filter((name) => !passed.includes(name)).sort()).toEqual(Object.keys(notOffered).sort())
    expect(code, out.slice(-2_000)).toBe(0)
  } finally {
    await serving.close()
  }
}, 120_000)

test("the suite is the one that was looked at", () => {
  const manifest = resolve("node_modules/@modelcontextprotocol/conformance/package.json")
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }
  expect(version).toBe("0.1.16")
})
