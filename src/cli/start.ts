/** Runs one command in this process, and ends the process with its exit code. */
import { makeProgram } from "./program.ts"
import { complain, exit, reasonOf } from "./terminal.ts"
import { tellTrouble } from "./trouble.ts"

export async function start(argv: readonly string[]): Promise<void> {
  hushWarnings()
  ignoreClosedPipes()
  process.once("uncaughtException", (error) => {
    complain(`error: nobody caught this, and it ended sequitur: ${reasonOf(error)}`)
    process.exit(exit.refused)
  })
  let code: number = exit.fine
  try {
    await makeProgram((result) => {
      code = result
    }).parseAsync(argv)
  } catch (error) {
    code = tellTrouble(error)
  }
  // The host's modules may hold the process open (a pool, a timer): what was written is let out first.
  process.stdout.write("", () => process.exit(code))
}

/** `| head` closes the pipe when it has seen enough. A run goes on all the same: it must not stop between two effects. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") return
      throw error
    })
  }
}

/** Node 22 says that SQLite and type stripping are experimental, and any Node that a folder without a package.json is slow to
 *  load from: neither is for the reader of a plan. */
function hushWarnings(): void {
  process.removeAllListeners("warning")
  process.on("warning", (warning: Error & { readonly code?: string }) => {
    if (warning.name === "ExperimentalWarning" || warning.code === "MODULE_TYPELESS_PACKAGE_JSON") return
    complain(`${warning.name}: ${reasonOf(warning)}`)
  })
}
