/** A plan in a file or on standard input, read within its catalog's bounds, and compiled. */
import { isUtf8 } from "node:buffer"
import { resolve } from "node:path"
import type { Catalog } from "../catalog/catalog.ts"
import type { Principal } from "../catalog/predicate.ts"
import { hasMarks } from "../catalog/sensitive.ts"
import type { Literals } from "../check/marks.ts"
import { type Compiled, type CompileOptions, compile, copyPrincipal } from "../compile.ts"
import { maskText } from "../plan/mask.ts"
import type { ProviderName } from "../planner/form/provider.ts"
import { load } from "../stored.ts"
import type { Bounds } from "../text/bounds.ts"
import { byteLength } from "../text/byte-length.ts"
import { findFence } from "../text/fence.ts"
import { isObject, type Json } from "../text/json.ts"
import { readJson } from "../text/read-json.ts"
import { restoreJson } from "../text/restore-json.ts"
import { findCatalog, loadCatalog, nameOf } from "./modules.ts"
import { lookFor, readBytes } from "./read-file.ts"
import { readValue } from "./read-value.ts"
import { complain, secrets, UsageError } from "./terminal.ts"

export interface PlanOptions {
  /** The catalog's module. By default the one that is found beside the plan or above it. */
  readonly catalog?: string
  readonly unwrap?: "fence"
  /** Who the plan is for; on the command line as JSON or a file of it. */
  readonly principal?: string | Principal
  readonly literals?: Literals
  /** The plan is in the form that this provider's structured output takes. */
  readonly for?: ProviderName
}

/** A plan's text, as far as it was read, and what came of it under its catalog. */
export interface PlanFile {
  readonly file: string
  readonly name: string
  /** What places are in: the file's text, or what it was decoded to. */
  readonly text: string
  /** The same with secrets covered: what is shown. */
  readonly shown: string
  readonly bytes: Uint8Array
  /** As the plan stands there, as `--out` wrote it, or taken back from a provider's form. */
  readonly source: "plan" | "stored" | "decoded"
  readonly catalogPath: string
  readonly catalog: Catalog
  /** As it was compiled, and is to be compiled again. */
  readonly options: CompileOptions
  readonly compiled: Compiled
}

export async function openPlan(file: string, options: PlanOptions): Promise<PlanFile> {
  await lookFor(file)
  const catalogPath = resolve(options.catalog ?? findCatalog(file))
  const catalog = await loadCatalog(catalogPath)
  const { bytes, text, stored } = await readPlan(file, catalog.bounds.textBytes)
  const name = nameOf(file)
  const compileOptions = await readOptions(options, catalog.bounds)
  const shown = mask(text, catalog)
  const opened = {
    file,
    name,
    text,
    shown,
    bytes,
    catalogPath,
    catalog,
    options: compileOptions,
    source: "plan",
  } as const
  if (stored) {
    if (options.for !== undefined) throw new UsageError(`${name} is a compiled plan: leave out --for`)
    return { ...opened, source: "stored", compiled: withFlags(load(catalog, bytes, compileOptions)) }
  }
  if (options.for !== undefined && !isFaulty(catalog)) return { ...opened, ...(await decode(opened, options)) }
  const compiled = compile(catalog, bytes, compileOptions)
  if (!compiled.ok && isOfForm(bytes, catalog.bounds, options))
    complain(
      `note: ${name} looks like the structured output of a provider: \`sequitur compile --for openai\` (or anthropic, gemini) takes that form`,
    )
  return { ...opened, compiled: withFlags(compiled) }
}

/** Whatever is said of it from now on, its secrets are none of that. */
export const mask = (text: string, catalog: Catalog): string =>
  hasMarks(catalog) ? maskText(text, catalog, secrets).text : text

async function readOptions({ unwrap, principal, literals }: PlanOptions, bounds: Bounds): Promise<CompileOptions> {
  const given = typeof principal === "string" ? await readValue("the principal", principal, bounds) : principal
  const known = isObject(given as Json | undefined) ? copyPrincipal(given as unknown as Principal) : undefined
  if (typeof principal === "string" && known === undefined) {
    throw new UsageError('--principal must be {"tenant": "acme", "subject": "ada", "roles": ["support"]}')
  }
  return {
    ...(unwrap === undefined ? {} : { unwrap }),
    ...(literals === undefined ? {} : { literals }),
    ...(known === undefined ? {} : { principal: known }),
  }
}

/** A plan, or what `--out` wrote of one: its bytes, and some more than there may be where it is too large. */
export async function readPlan(
  file: string,
  textBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly text: string; readonly stored: boolean }> {
  const bytes = await readBytes(file, (head) => (isStored(head) ? textBytes * storedFactor : textBytes))
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  return { bytes, text, stored: isStored(text) }
}

/** A text that is not of the form is told in its own places; all else is told of what was decoded, laid out to be read. */
async function decode(
  { name, text, bytes, catalog, options: compileOptions }: Omit<PlanFile, "compiled">,
  options: PlanOptions,
): Promise<Pick<PlanFile, "compiled"> & Partial<PlanFile>> {
  const [{ decodePlan }, { planSchema }] = await Promise.all([
    import("../planner/form/decode.ts"),
    import("../planner/form/schema.ts"),
  ])
  const { form } = planSchema(catalog, options.for === undefined ? {} : { for: options.for })
  const decoded = decodePlan(catalog, options.unwrap === "fence" ? blankFence(text, bytes) : bytes, form)
  if (!decoded.ok) return { compiled: withFlags({ ...decoded, more: 0 }) }
  const laidOut = JSON.stringify(restoreJson(decoded.text), null, 2)
  const plan = byteLength(laidOut) > catalog.bounds.textBytes ? decoded.text : laidOut
  return {
    name: `${name} (decoded)`,
    text: plan,
    shown: mask(plan, catalog),
    source: "decoded",
    compiled: withFlags(compile(catalog, plan, compileOptions)),
  }
}

/** Space where the fence was: every place in the text stays. */
function blankFence(text: string, bytes: Uint8Array): string | Uint8Array {
  const fence = findFence(text)
  return fence?.kind === "whole" && isUtf8(bytes)
    ? text.slice(0, fence.start).replace(/[^\r\n]/g, " ") + text.slice(fence.start, fence.end)
    : bytes
}

/** A step's deed in `do`, or its arguments as text: no plan is written so, and every form of a provider is. */
function isOfForm(bytes: Uint8Array, bounds: Bounds, { unwrap }: PlanOptions): boolean {
  const read = readJson(bytes, bounds, unwrap === undefined ? {} : { unwrap })
  if (!read.ok || !isObject(read.value) || !Array.isArray(read.value.steps)) return false
  return read.value.steps.some(
    (step: Json) => isObject(step) && (isObject(step.do ?? null) || typeof step.args === "string"),
  )
}

/** What is an option in code is a flag here. */
export const withFlags = (compiled: Compiled): Compiled => ({
  ...compiled,
  diagnostics: compiled.diagnostics.map((one) =>
    one.code === "SEQ013" ? { ...one, hint: one.hint.replace('`unwrap: "fence"`', "`--unwrap fence`") } : one,
  ),
})

/** What `--out` wrote, and no plan: a plan has no such field. */
const isStored = (text: string): boolean => /^\s*\{\s*"sequitur"\s*:/.test(text)

/** A stored plan is a few times the size of its document. */
const storedFactor = 16

/** Whether the catalog has faults of its own, which are then all that compiling has to say. */
/** What a verdict is about: of a catalog with faults of its own nothing else is said. */
export const spokenOf = ({ name, shown, catalog, catalogPath }: PlanFile): { name: string; text?: string } =>
  isFaulty(catalog) ? { name: nameOf(catalogPath) } : { name, text: shown }

export const isFaulty = ({ diagnostics }: Catalog): boolean => diagnostics.some(({ severity }) => severity === "error")
