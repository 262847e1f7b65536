/** The real command line, as a child process, in a folder of its own. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll } from "vitest"

const root = resolve(import.meta.dirname, "../..")
export const main = join(root, "src/cli/main.ts")

export const shop = join(root, "test/cli/shop")

export interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface CallOptions {
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Close standard output after the first bytes, as `| head` does. */
  readonly head?: boolean
  /** Send the signal when this has been said; a second time when it has been said that it stops. */
  readonly stopAt?: string
  readonly again?: boolean
  readonly signal?: "SIGINT" | "SIGTERM"
  /** The first file as it is named on the command line: a link to it, say. */
  readonly as?: string
}

export function sequitur(
  args: readonly string[],
  { input, env = {}, cwd = shop, head, stopAt, again = false, signal = "SIGINT", as = main }: CallOptions = {},
): Promise<Said> {
  const { NO_COLOR: _1, FORCE_COLOR: _2, npm_lifecycle_event: _3, ...inherited } = process.env
  const child = spawn(process.execPath, ["--conditions=@sequitur/source", as, ...args], {
    cwd,
    env: { ...inherited, ...env },
  })
  let out = ""
  let err = ""
  let signals = 0
  child.stdout.on("data", (chunk) => {
    out += chunk
    if (head) child.stdout.destroy()
    if (stopAt !== undefined && signals === 0 && out.includes(stopAt)) {
      signals += 1
      child.kill(signal)
    }
  })
  child.stderr.on("data", (chunk) => {
    err += chunk
    if (again && signals === 1 && err.includes("stopping:")) {
      signals += 1
      child.kill(signal)
    }
  })
  // A command that does not read its input may be gone before it is written.
  child.stdin.on("error", () => {})
  child.stdin.end(input ?? "")
  return new Promise((done, fail) => {
    child.on("error", fail)
    child.on("close", (code) => done({ code, out, err }))
  })
}

const folders: string[] = []

// With the file, not with the test: several run at once.
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true })
})

/** A folder with these files in it, gone when the tests of this file are over. */
export function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), "sequitur-cli-"))
  folders.push(path)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content)
  return path
}

/** What differs from run to run, made the same. */
export const settled = (text: string): string =>
  text
    .replace(/run_[0-9a-f]{32}/g, "run_<id>")
    .replace(/apr_[0-9a-f]{32}/g, "apr_<id>")
    .replace(/task_[0-9a-f-]{36}/g, "task_<id>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]{12}Z/g, "<time>")
    .replace(/^( *\d+) [0-9a-f]{8} /gm, "$1 <hash> ")
    .replace(/plan [0-9a-f]{12}/g, "plan <hash>")
