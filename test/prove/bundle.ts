/**
 * The victim in one file, with what counts its points in the place of `node:sqlite`, as a snapshot of the process that has loaded
 * it: starting is most of what a life costs, and it starts in half the time.
 */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { resolve } from "node:path"
import { build } from "vite"
import { makeFolder } from "./files.ts"

const root = resolve(import.meta.dirname, "../..")
const conditions = ["@sequitur/source", "node", "module", "default"]

export interface Bundle {
  /** For Node, that starts the victim with them. */
  readonly flags: readonly string[]
  readonly drop: () => void
}

export async function bundle(): Promise<Bundle> {
  const outDir = makeFolder()
  const mortal = resolve(import.meta.dirname, "mortal-sqlite.ts")
  await build({
    root,
    configFile: false,
    logLevel: "error",
    publicDir: false,
    plugins: [
      {
        name: "mortal-sqlite",
        enforce: "pre",
        resolveId: (id) => (id === "node:sqlite" ? mortal : undefined),
      },
    ],
    resolve: {
      conditions,
      alias: [
        { find: /^sequitur$/, replacement: `${root}/src/index.ts` },
        { find: /^sequitur\/run$/, replacement: `${root}/src/run/index.ts` },
        { find: /^sequitur\/sqlite$/, replacement: `${root}/src/journal/sqlite.ts` },
      ],
    },
    ssr: { noExternal: true, resolve: { conditions } },
    build: {
      ssr: resolve(import.meta.dirname, "victim-process.ts"),
      outDir,
      minify: true,
      // A script that is run for its snapshot has no `exports`.
      rolldownOptions: {
        output: { entryFileNames: "victim.cjs", format: "cjs", codeSplitting: false, banner: "var exports = {};" },
      },
    },
  })
  const [script, blob] = [resolve(outDir, "victim.cjs"), resolve(outDir, "victim.blob")]
  execFileSync(process.execPath, ["--no-warnings", "--snapshot-blob", blob, "--build-snapshot", script])
  return {
    flags: ["--no-warnings", "--snapshot-blob", blob],
    drop: () => rmSync(outDir, { recursive: true, force: true }),
  }
}
