/** What tsc says of plans: many modules, one program. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Pointer } from "../../src/text/pointer.ts"
import { emitValue } from "./emit.ts"

/** One module: the text before its plans, which must make `catalog` and `definePlan`, and the plans. */
export interface Module {
  readonly head: string
  readonly plans: readonly unknown[]
}

export interface Said {
  readonly at: Pointer
  /** The code of a PlanError; undefined where TypeScript speaks for itself. */
  readonly code: string | undefined
  /** The text of a PlanError after its code; else TypeScript's own. */
  readonly message: string
}

/** By module and plan, what is said. Throws where tsc complains of anything but the plans. */
export function judgeByTypes(modules: readonly Module[]): readonly (readonly (readonly Said[])[])[] {
  const cache = resolve("node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "sequitur-types-"))
  try {
    const places = modules.map(({ head, plans }, index) => {
      const lines = head.split("\n")
      const owners: ({ readonly plan: number; readonly at: Pointer } | undefined)[] = lines.map(() => undefined)
      plans.forEach((plan, number) => {
        const emitted = emitValue(plan)
        emitted.lines.forEach((line, at) => {
          const last = at === emitted.lines.length - 1
          lines.push(`${at === 0 ? "definePlan(catalog, " : ""}${line}${last ? ")" : ""}`)
          owners.push({ plan: number, at: emitted.places[at] ?? ("" as Pointer) })
        })
      })
      writeFileSync(join(folder, `m${index}.ts`), `${lines.join("\n")}\n`)
      return owners
    })
    return read(run(folder), modules, places)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(folder: string): string {
  const options = { paths: { sequitur: [resolve("src/index.ts")] }, rewriteRelativeImportExtensions: false }
  const config = { extends: resolve("tsconfig.json"), include: ["*.ts"], exclude: [], compilerOptions: options }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  const tsc = resolve("node_modules/typescript/bin/tsc")
  const given = ["-p", folder, "--pretty", "false", "--noErrorTruncation"]
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, ...given], { encoding: "utf8", maxBuffer: 2 ** 29 })
  if (stderr !== "") throw new Error(stderr)
  return stdout
}

type Owners = readonly ({ readonly plan: number; readonly at: Pointer } | undefined)[]

function read(output: string, modules: readonly Module[], places: readonly Owners[]) {
  const said: Said[][][] = modules.map(({ plans }) => plans.map(() => []))
  // The lines that go on with a message begin with a space.
  for (const told of output.split(/\n(?! )/)) {
    if (told.trim() === "") continue
    const found = /m(\d+)\.ts\((\d+),\d+\): error (TS\d+): ([\s\S]*)$/.exec(told)
    const owner = found === null ? undefined : places[Number(found[1])]?.[Number(found[2]) - 1]
    if (found === null || owner === undefined) throw new Error(told)
    const message = found[4] ?? ""
    const error = /PlanError<"((?:[^"\\]|\\.)*)">/.exec(message)?.[1]
    const text = error === undefined ? undefined : (JSON.parse(`"${error}"`) as string)
    said[Number(found[1])]?.[owner.plan]?.push({
      at: owner.at,
      code: text?.slice(0, 6),
      message: text?.slice(8) ?? message,
    })
  }
  return said
}
