/** The TypeScript of the project that a catalog is part of: found, asked, and its answer read. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { nameOf } from "../modules.ts"
import { reasonOf, UsageError } from "../terminal.ts"

export interface TypeScript {
  readonly version: string
  /** The module that is `tsc`. */
  readonly tsc: string
}

/** Older ones were never tried. */
const oldest = [5, 9] as const

const remedy = "install one there: `npm install --save-dev typescript` (5.9, 6 or 7)"

export function findTypeScript(catalogPath: string): TypeScript {
  let path: string
  try {
    path = createRequire(catalogPath).resolve("typescript/package.json")
  } catch {
    throw new UsageError(
      `types are checked by the tsc of the project, and ${nameOf(catalogPath)} finds no typescript: ${remedy}`,
    )
  }
  const { version, bin } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly version: string
    readonly bin?: { readonly tsc?: string }
  }
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (bin?.tsc === undefined || major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    throw new UsageError(`${nameOf(catalogPath)} finds typescript ${version}, which is too old: ${remedy}`)
  }
  return { version, tsc: join(dirname(path), bin.tsc) }
}

/** What tsc prints. It ends by itself, or with this process. */
export function askTsc({ tsc, version }: TypeScript, args: readonly string[], folder: string): Promise<string> {
  const child = spawn(process.execPath, [tsc, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
  // TypeScript 7 hears nothing less.
  const kill = (): void => void child.kill("SIGKILL")
  process.once("exit", kill)
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
  return new Promise((done, fail) => {
    const end = (why: string): void => fail(new UsageError(`tsc ${version} could not do its work: ${why}`))
    child.once("error", (error) => end(reasonOf(error)))
    child.once("close", (code, signal) => {
      process.off("exit", kill)
      const [said, complaint] = [Buffer.concat(out).toString(), Buffer.concat(err).toString()]
      // 1 and 2 are its words for "there are errors": those it prints.
      if (complaint === "" && (code === 0 || ((code === 1 || code === 2) && readErrors(said).length > 0))) done(said)
      else end(reasonOf(complaint || said || `it ended by ${signal ?? code}`))
    })
  })
}

/** One error as tsc prints it. */
export interface TscError {
  /** Undefined where it is about no file: about an option, say. */
  readonly file: string | undefined
  /** Counts from 1; 0 where there is no file. */
  readonly line: number
  readonly code: `TS${number}`
  readonly message: string
}

export function readErrors(output: string): readonly TscError[] {
  // The lines that go on with a message begin with a space.
  return output.split(/\r?\n(?! )/).flatMap((told) => {
    const found = /^(?:(?<file>.+?)\((?<line>\d+),\d+\): )?error (?<code>TS\d+): (?<message>[\s\S]*)$/.exec(told)
    const { file, line = 0, code, message = "" } = found?.groups ?? {}
    return code === undefined ? [] : [{ file, line: Number(line), code: code as `TS${number}`, message }]
  })
}
