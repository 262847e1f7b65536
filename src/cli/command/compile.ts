/** `sequitur compile`: what the compiler says of each plan, offline. */
import { writeFile } from "node:fs/promises"
import { marksOf } from "../../catalog/sensitive.ts"
import type { Compiled } from "../../compile.ts"
import { codes } from "../../diagnostic/codes.ts"
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import type { JsonPatch } from "../../diagnostic/patch.ts"
import { explainDiagnostic } from "../../explain/diagnostic.ts"
import type { Look } from "../../explain/look.ts"
import { explainVerdict, plural, sayVerdict, type VerdictView, viewVerdict } from "../../explain/verdict.ts"
import { Written } from "../../plan/sensitive.ts"
import { feedback } from "../../planner/feedback.ts"
import { serialize } from "../../stored.ts"
import { escapeHiddenJson } from "../../text/escape.ts"
import type { Json } from "../../text/json.ts"
import type { Mended } from "../mend.ts"
import { nameOf } from "../modules.ts"
import { isFaulty, mask, openPlan, type PlanFile, type PlanOptions } from "../plan-file.ts"
import { isSameFile, lookForPlace, unusable } from "../read-file.ts"
import { complain, exit, type Format, lookOf, print, printJson, secrets, UsageError } from "../terminal.ts"

export interface CompileOptions extends PlanOptions {
  readonly format: Format | "feedback"
  readonly fix?: boolean
  readonly write?: boolean
  readonly out?: string
}

/** A plan that could not be read or written, or whose catalog could not be loaded: why. */
interface Unread {
  readonly file: string
  readonly accepted: false
  readonly trouble: string
}

/** Of a plan as its file now holds it. */
interface PlanView extends VerdictView {
  /** With `--for`: the plan itself. Ranges are in this text. */
  readonly decoded?: string
  /** With `--fix`: null where nothing could be mended. */
  readonly fixed?: FixedView | null
}

interface FixedView extends Omit<VerdictView, "file"> {
  readonly rounds: number
  readonly written: boolean
  readonly mended: readonly Diagnostic[]
  readonly patch: JsonPatch
  readonly document: Json
}

export async function compilePlans(files: readonly string[], options: CompileOptions): Promise<number> {
  const { format, out } = options
  checkOptions(files, options)
  if (out !== undefined) await lookForPlace(out)
  const told = new Set<string>()
  const views: (PlanView | Unread)[] = []
  const catalogs = new Map<string, readonly Diagnostic[]>()
  for (const file of files) {
    const done = await tryToCompile(file, options)
    if (done instanceof UsageError) {
      views.push({ file, accepted: false, trouble: done.message })
      // One catalog may fail many plans: once is enough.
      if (!told.has(done.message)) complain(`error: ${done.message}`)
      told.add(done.message)
      continue
    }
    const { plan, compiled } = done
    views.push(view(file, done, options))
    if (plan.catalog.diagnostics.length > 0) catalogs.set(nameOf(plan.catalogPath), plan.catalog.diagnostics)
    if (format === "feedback") {
      print(compiled.ok ? "accepted" : feedback(compiled.diagnostics, { more: compiled.more }))
    } else if (format === "pretty") {
      if (views.length > 1) print("")
      await tell(done, told, options)
    }
    if (out !== undefined && compiled.ok) await keep(out, serialize(compiled.plan))
  }
  const accepted = views.filter((view) => view.accepted).length
  const unread = views.filter((view) => "trouble" in view).length
  const refused = views.length - accepted - unread
  if (format === "json") {
    printJson({ plans: views, catalogs: Object.fromEntries(catalogs), accepted, refused, unread })
  } else if (format === "pretty") {
    for (const line of notices(catalogs)) speakerOf(files[0], options).say(line)
    if (files.length > 1) print(`\n${summary({ accepted, refused, unread })}`)
  }
  return unread > 0 ? exit.usage : refused > 0 ? exit.refused : exit.fine
}

function checkOptions(files: readonly string[], { format, fix, write, out, ...options }: CompileOptions): void {
  const refuse = (message: string): never => {
    throw new UsageError(message)
  }
  const input = files.filter((file) => file === "-").length
  if (out !== undefined && files.length > 1) refuse("--out takes one plan")
  if (input > 1) refuse("standard input can be read once only")
  if (write && !fix) refuse("--write writes what --fix mends: give both")
  if (!fix) return
  if (options.for !== undefined)
    refuse("--fix mends plans as they stand, not in the form of --for: leave out one of the two")
  if (format === "feedback")
    refuse("--format feedback is for the model that wrote the plan as it stands: leave out --fix")
  if (out !== undefined && !write) refuse("--out keeps the plan as it stands: with --fix, give --write too")
  if (write && input > 0 && (files.length > 1 || format === "json")) {
    refuse("--write puts the plan of standard input on standard output: it takes no other plan, and no --format json")
  }
}

/** What came of a file. */
interface Done {
  readonly plan: PlanFile
  readonly mended: Mended | undefined
  /** Of the plan as its file now holds it: of the mended one only if that was written. */
  readonly compiled: Compiled
}

async function tryToCompile(file: string, options: CompileOptions): Promise<Done | UsageError> {
  try {
    const plan = await openPlan(file, options)
    if (options.out !== undefined) await refuseToReplace(options.out, plan)
    if (!options.fix) return { plan, mended: undefined, compiled: plan.compiled }
    if (plan.source === "stored") {
      throw new UsageError(`${plan.name} is a compiled plan: --fix mends plans before they are compiled`)
    }
    // Loaded when they are needed: most plans are only looked at.
    const [{ mend }, { replaceFile }] = await Promise.all([import("../mend.ts"), import("../replace-file.ts")])
    const mended = mend(plan)
    if (options.write && file === "-") passOn(plan, mended)
    else if (options.write && mended !== undefined) await replaceFile(file, plan.bytes, mended.text)
    return { plan, mended, compiled: options.write && mended !== undefined ? mended.compiled : plan.compiled }
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}

/** Standard input's plan, mended or to the byte as it came; nothing where there was too much of it to read it all. */
function passOn({ text, bytes, catalog }: PlanFile, mended: Mended | undefined): void {
  if (bytes.length > catalog.bounds.textBytes) return
  // On a terminal nothing in it may hide.
  if (process.stdout.isTTY) process.stdout.write(escapeHiddenJson(mended?.text ?? text))
  else process.stdout.write(mended?.text ?? bytes)
}

function view(file: string, { plan, mended, compiled }: Done, { fix, write = false }: CompileOptions): PlanView {
  const seen = viewVerdict(file, compiled)
  if (plan.source === "decoded") return { ...seen, decoded: plan.shown }
  if (!fix) return seen
  if (mended === undefined) return { ...seen, fixed: null }
  const { rounds, diagnostics, patch } = mended
  const document = new Written(mended.document, marksOf(plan.catalog)).hide(secrets)
  const { file: _, ...verdict } = viewVerdict(file, mended.compiled)
  return { ...seen, fixed: { rounds, written: write, mended: diagnostics, patch, document, ...verdict } }
}

/** Where standard output is the mended plan's, all else is told on standard error. */
function speakerOf(file: string | undefined, { write }: CompileOptions): Speaker {
  const [say, stream] = write && file === "-" ? [complain, process.stderr] : [print, process.stdout]
  return { say, look: lookOf(stream) }
}

interface Speaker {
  readonly say: (text: string) => void
  readonly look: Look
}

/** A catalog's own faults are told once, not with each of its plans. */
async function tell({ plan, mended, compiled }: Done, told: Set<string>, options: CompileOptions): Promise<void> {
  const { name, shown: text, catalog, catalogPath, file } = plan
  const { say, look } = speakerOf(file, options)
  if (mended !== undefined) {
    const { explainMended } = await import("../../explain/mended.ts")
    const { diagnostics } = mended
    const after = mask(mended.text, catalog)
    const writtenTo = options.write ? (file === "-" ? "standard output" : name) : undefined
    say(explainMended({ name, before: text, after, diagnostics, compiled: mended.compiled, writtenTo }, look))
    return
  }
  if (!isFaulty(catalog)) {
    say(explainVerdict(compiled, { name, text }, look))
    if (options.fix && !compiled.ok) say("nothing here can be mended for sure: the hints say what to do")
    return
  }
  if (!told.has(catalogPath)) {
    for (const fault of compiled.diagnostics) say(`${explainDiagnostic(fault, { name: nameOf(catalogPath) }, look)}\n`)
    told.add(catalogPath)
  }
  say(sayVerdict(compiled, name, look))
}

/** What a catalog may want to know of itself is counted, not told in full: it is there with every plan. */
function notices(catalogs: ReadonlyMap<string, readonly Diagnostic[]>): readonly string[] {
  return [...catalogs].flatMap(([name, diagnostics]) => {
    const mild = Map.groupBy(
      diagnostics.filter(({ severity }) => severity !== "error"),
      ({ code }) => code,
    )
    return [...mild].map(([code, { length }]) => {
      const { severity, title } = codes[code]
      return `${severity} ${code} ${name}: ${title}, ${plural(length, "time")}; \`sequitur explain ${code}\` says why`
    })
  })
}

function summary(counts: { readonly accepted: number; readonly refused: number; readonly unread: number }): string {
  const { accepted, refused, unread } = counts
  const parts = [
    [accepted, "accepted"],
    [refused, "refused"],
    [unread, "not read"],
  ] as const
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return `${plural(accepted + refused + unread, "plan")}: ${told.join(", ")}`
}

/** What is compiled would stand in the place of what it was compiled from. */
async function refuseToReplace(out: string, { file, name, catalogPath }: PlanFile): Promise<void> {
  if (file !== "-" && (await isSameFile(out, file)))
    throw new UsageError(`--out ${nameOf(out)} is the plan ${name} itself: give another file`)
  if (await isSameFile(out, catalogPath)) throw new UsageError(`--out ${nameOf(out)} is the catalog: give another file`)
}

async function keep(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, `${text}\n`)
  } catch (error) {
    throw unusable(file, error)
  }
}
