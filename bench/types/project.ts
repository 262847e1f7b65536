/** A TypeScript project of its own for what is generated, outside of the clone, with all that the clone has. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

/** `source` is the folder of what is imported as `sequitur`. */
export function withProject<A>(use: (folder: string) => A, source = "src"): A {
  const folder = makeProject(source)
  try {
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** For whoever removes it. */
export function makeProject(source = "src"): string {
  const folder = mkdtempSync(join(tmpdir(), "sequitur-types-"))
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  const compilerOptions = {
    paths: { sequitur: [resolve(source, "index.ts")] },
    rewriteRelativeImportExtensions: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  }
  const config = { extends: resolve("tsconfig.json"), compilerOptions, include: ["*.ts"], exclude: [] }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  return folder
}

/** Each TypeScript that plans in code are checked with. */
export const versions = ["7", "6", "5.9"] as const

export type Version = (typeof versions)[number]

export const compilers: { readonly [_ in Version]: string } = {
  "7": resolve("node_modules/typescript/bin/tsc"),
  "6": resolve("node_modules/typescript-6/bin/tsc"),
  "5.9": resolve("node_modules/typescript-5/bin/tsc"),
}

export const tsc = compilers["7"]
