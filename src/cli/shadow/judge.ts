/** What tsc says of plans that are JSON: each is written as the module that it would be in code, and all are one program. */
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, extname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { escapeHidden } from "../../text/escape.ts"
import type { Json } from "../../text/json.ts"
import { type Pointer, root } from "../../text/pointer.ts"
import { nameOf } from "../modules.ts"
import { reasonOf, UsageError } from "../terminal.ts"
import { askTsc, findTypeScript, readErrors, type TscError } from "./compiler.ts"
import { fileAbove, withFolder } from "./folder.ts"
import { writeLiteral } from "./literal.ts"
import { configFor, openProject } from "./project.ts"

/** What is wrong with a plan, by its types. */
export interface Fault {
  readonly at: Pointer
  /** Of a `PlanError`, the compiler's; else tsc's own. */
  readonly code: string
  readonly message: string
}

/** By plan. Undefined where tsc gives up on it. Whatever stands in the way of all of them is thrown. */
export async function judge(
  catalogPath: string,
  plans: readonly Json[],
  project: string | undefined,
): Promise<readonly (readonly Fault[] | undefined)[]> {
  const typescript = findTypeScript(catalogPath)
  const config = project ?? fileAbove(dirname(catalogPath), "tsconfig.json")
  return withFolder(dirname(config ?? catalogPath), async (folder) => {
    const ending = endingOf(catalogPath)
    const places = plans.map((plan, index) => {
      const { lines, places } = writeLiteral(plan)
      writeFileSync(join(folder, `plan${index}${ending}`), [...headOf(catalogPath), ...lines, ")", ""].join("\n"))
      return places
    })
    writeFileSync(join(folder, `known${ending}`), known(catalogPath))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: formatOf(catalogPath) }))
    const opened = config === undefined ? undefined : await openProject(typescript, config)
    const files = [`known${ending}`, ...plans.map((_, index) => `plan${index}${ending}`)]
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(configFor(catalogPath, opened, files)))
    const output = await askTsc(typescript, ["-p", folder, "--pretty", "false", "--noErrorTruncation"], folder)
    return read(readErrors(output), places, catalogPath, folder)
  })
}

/** A module of the same kind as the catalog's: only so is its default export the default export. */
function endingOf(catalogPath: string): string {
  const ending = extname(catalogPath)
  return /^\.[mc]/.test(ending) ? `${ending.slice(0, 2)}ts` : ".ts"
}

function formatOf(catalogPath: string): string {
  const file = fileAbove(dirname(catalogPath), "package.json")
  try {
    const { type } = JSON.parse(readFileSync(file ?? "", "utf8")) as { readonly type?: unknown }
    return type === "module" ? type : "commonjs"
  } catch {
    return "commonjs"
  }
}

const headOf = (catalogPath: string): readonly string[] => [
  `import { definePlan } from ${specifier(door)}`,
  `import catalog from ${specifier(catalogPath)}`,
  "definePlan(catalog,",
]
const headLines = 3

/** Types that do not say which tools there are would let every plan pass. */
const known = (catalogPath: string): string => `import type { Catalog } from ${specifier(door)}
import catalog from ${specifier(catalogPath)}
type Tools = typeof catalog extends Catalog<infer Spec> ? keyof Spec["tools"] : string
export const known: 0 extends 1 & typeof catalog ? "no" : string extends Tools ? "no" : "yes" = "yes"
`

const specifier = (path: string): string => JSON.stringify(path.replaceAll("\\", "/"))

/** This copy of the package: the catalog was made by it, or it would not have been loaded. */
const door = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../index.ts" : "../../index.js", import.meta.url),
)

function read(
  errors: readonly TscError[],
  places: readonly (readonly Pointer[])[],
  catalogPath: string,
  folder: string,
): readonly (readonly Fault[] | undefined)[] {
  const said: (Fault[] | undefined)[] = places.map(() => [])
  const others: TscError[] = []
  let unknown = false
  for (const error of errors) {
    const { file, line, code, message } = error
    const index = Number(/^plan(\d+)\.[mc]?ts$/.exec(file ?? "")?.[1])
    const at = places[index]?.[line - 1 - headLines]
    if (/^known\.[mc]?ts$/.test(file ?? "") && code === "TS2322") unknown = true
    else if (places[index] === undefined || line < headLines) others.push(error)
    else if (tooMuch.includes(code)) said[index] = undefined
    else said[index]?.push({ at: at ?? root, ...wordsOf(code, message) })
  }
  // What is wrong with the options may be why the rest is.
  const first = others.find(({ file }) => file === undefined || file.endsWith(".json")) ?? others[0]
  if (first !== undefined) throw new UsageError(explain(first, others.length - 1, folder))
  if (!unknown) return said
  throw new UsageError(
    `the types of ${nameOf(catalogPath)} do not say which tools there are, so tsc sees nothing of a plan: export what \`defineCatalog({ … })\` gives back, with its tools written there; or use \`sequitur compile\``,
  )
}

/** Too deep, too complex: after these it says nothing more of the plan. */
const tooMuch: readonly string[] = ["TS2589", "TS2590"]

function explain({ file, line, code, message }: TscError, more: number, folder: string): string {
  const place = file === undefined ? "" : ` at ${nameOf(resolve(folder, file))}:${line}`
  const others = more === 0 ? "" : `, and ${more} more`
  return `tsc finds faults outside of the plans, and could not be trusted about them: ${code}${place}: ${reasonOf(message)}${others}`
}

/** A `PlanError` speaks for itself; else tsc does, in one line. */
function wordsOf(code: string, message: string): Pick<Fault, "code" | "message"> {
  const [, written] = /PlanError<"((?:[^"\\]|\\.)*)">/.exec(message) ?? []
  if (written === undefined) return { code, message: reasonOf(message) }
  const text = readText(written)
  const [, own] = /^(SEQ\d{3}): /.exec(text) ?? []
  return own === undefined
    ? { code, message: escapeHidden(text) }
    : { code: own, message: escapeHidden(text.slice(own.length + 2)) }
}

/** The text of a literal, as tsc prints it. */
const readText = (text: string): string =>
  text.replace(
    /\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g,
    (_, long, short, byte, one) => {
      const digits: string | undefined = long ?? short ?? byte
      return digits === undefined ? (escapes[one] ?? one) : String.fromCodePoint(Number.parseInt(digits, 16))
    },
  )

const escapes: { readonly [letter: string]: string } = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", 0: "\0" }
