/** What tsc says of plans: many modules, one program. */
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { compilers, type Version, withProject } from "../../bench/types/project.ts"
import { type Pointer, root } from "../../src/text/pointer.ts"
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

/** By module and plan, what is said by the types in a source folder. Throws where tsc complains of anything but the plans. */
export function judgeByTypes(
  modules: readonly Module[],
  { source, version = "7" }: { readonly source?: string | undefined; readonly version?: Version } = {},
): readonly (readonly (readonly Said[])[])[] {
  const output = (folder: string): readonly [string, readonly Owners[]] => {
    const places = modules.map(({ head, plans }, index) => {
      const lines = head.split("\n")
      const owners: Owner[] = lines.map(() => undefined)
      plans.forEach((plan, number) => {
        const emitted = emitValue(plan)
        emitted.lines.forEach((line, at) => {
          const last = at === emitted.lines.length - 1
          lines.push(`${at === 0 ? "definePlan(catalog, " : ""}${line}${last ? ")" : ""}`)
          owners.push({ plan: number, at: emitted.places[at] ?? root })
        })
      })
      writeFileSync(join(folder, `m${index}.ts`), `${lines.join("\n")}\n`)
      return owners
    })
    return [run(folder, version), places]
  }
  return read(modules, ...withProject(output, source))
}

function run(folder: string, version: Version): string {
  const given = ["-p", folder, "--pretty", "false", "--noErrorTruncation"]
  const { stdout, stderr } = spawnSync(process.execPath, [compilers[version], ...given], {
    encoding: "utf8",
    maxBuffer: 2 ** 29,
  })
  if (stderr !== "") throw new Error(stderr)
  return stdout
}

type Owner = { readonly plan: number; readonly at: Pointer } | undefined
type Owners = readonly Owner[]

function read(modules: readonly Module[], output: string, places: readonly Owners[]) {
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
