/**
 * Two judges asked of the same plans: tsc, and the compiler. Types refuse nothing that the compiler accepts; what they
 * refuse, it refuses at the same place for the same reason; and what types claim to see, they see.
 */
import { compile } from "sequitur"
import { valueAt } from "../../src/diagnostic/patch.ts"
import type { Json } from "../../src/text/json.ts"
import type { Pointer } from "../../src/text/pointer.ts"
import { build } from "../naive/build.ts"
import type { Declaration } from "../naive/declaration.ts"
import { type Case, generateCase, withPolicies } from "../naive/generate.ts"
import { canBeWritten, emitCatalog, imports } from "./emit.ts"
import { judgeByTypes, type Said } from "./judge.ts"
import { passedLimits } from "./written-blast.ts"

export interface Differences {
  readonly cases: number
  readonly accepted: number
  /** How many times each code was told by types. */
  readonly codes: ReadonlyMap<string, number>
  /** How many of those the compiler told with the same code at the same place. */
  readonly exact: number
  readonly differences: readonly Difference[]
}

export interface Difference {
  /** `refused`: accepted by the compiler. `missed`: the other way round. `misplaced`: told by types alone. */
  readonly kind: "refused" | "missed" | "misplaced"
  readonly plan: unknown
  readonly types: readonly Said[]
  readonly compiler: readonly string[]
  readonly declaration: Declaration
}

/** Types see every one of these, and some of the others, as README tells: see `isClaimed`. */
export const seen = [
  "SEQ101",
  "SEQ102",
  "SEQ103",
  "SEQ105",
  "SEQ106",
  "SEQ107",
  "SEQ108",
  "SEQ120",
  "SEQ121",
  "SEQ130",
  "SEQ131",
  "SEQ132",
  "SEQ201",
  "SEQ202",
  "SEQ203",
  "SEQ204",
  "SEQ206",
  "SEQ208",
  "SEQ210",
  "SEQ211",
  "SEQ213",
  "SEQ301",
  "SEQ302",
  "SEQ303",
  "SEQ304",
  "SEQ506",
  "SEQ601",
]

const plansPerCatalog = 25

/** `source` is the folder of the types that are asked: a mutant's, to see that it is noticed. */
export function differ(cases: number, seed: number, source?: string): Differences {
  const codes = new Map<string, number>()
  const differences: Difference[] = []
  let [accepted, exact] = [0, 0]
  const asked = Array.from({ length: Math.ceil(cases / plansPerCatalog) }, (_, batch) => {
    const { declaration, plans } = generate(seed * 1_000_003 + batch)
    return { declaration, plans: plans.map(({ text }) => text).filter(canBeWritten) }
  })
  const said = judgeByTypes(
    asked.map(({ declaration, plans }) => ({
      head: `${imports}\n${emitCatalog(declaration)}`,
      plans: plans.map((text) => JSON.parse(text) as unknown),
    })),
    { source },
  )
  asked.forEach(({ declaration, plans }, batch) => {
    const catalog = build(declaration)
    plans.forEach((text, index) => {
      const types = said[batch]?.[index] ?? []
      const verdict = compile(catalog, text)
      // Of another version, or longer than the bounds allow: the compiler does not look at the steps.
      if (verdict.diagnostics.some(({ code }) => code === "SEQ104" || code === "SEQ109")) return
      const errors = verdict.diagnostics.filter(({ severity }) => severity === "error")
      if (verdict.ok) accepted += 1
      for (const { code } of types) if (code !== undefined) codes.set(code, (codes.get(code) ?? 0) + 1)
      exact += types.filter((one) => errors.some(({ code, at }) => code === one.code && at === one.at)).length
      const kind = compare(declaration, JSON.parse(text), types, verdict.ok, errors)
      if (kind === undefined) return
      const compiler = errors.map(({ code, at, message }) => `${code} ${at} ${message}`)
      differences.push({ kind, plan: JSON.parse(text), types, compiler, declaration })
    })
  })
  return { cases: asked.reduce((sum, { plans }) => sum + plans.length, 0), accepted, codes, exact, differences }
}

/** Every third catalog has rules and labels, unless they could not hold. Who may do what is in no type. */
function generate(seed: number): Pick<Case, "plans" | "declaration"> {
  const plain = generateCase(seed, plansPerCatalog)
  if (seed % 3 !== 0) return plain
  const { declaration, plans } = withPolicies(plain, seed)
  const { denies, approveAbove, ...open } = declaration
  const tools = Object.entries(declaration.tools).map(
    ([name, { roles, tenants, most, always, ...tool }]) => [name, tool] as const,
  )
  const held = { ...open, tools: Object.fromEntries(tools) }
  try {
    build(held)
    return { plans, declaration: held }
  } catch {
    return plain
  }
}

interface Told {
  readonly code: string
  readonly at: Pointer
  readonly message: string
}

function compare(
  declaration: Declaration,
  plan: { readonly steps?: unknown },
  types: readonly Said[],
  accepted: boolean,
  errors: readonly Told[],
): Difference["kind"] | undefined {
  if (accepted) return types.length > 0 ? "refused" : undefined
  // A step that is at fault counts for nothing in a blast radius to the compiler; to types, as it is written.
  if (errors.every(({ code }) => code.startsWith("SEQ4"))) return compareBlast(declaration, plan.steps, types)
  // One fault is told once: of a step that is at fault, or that depends on one, the compiler says no more. Types do.
  const faulty = withDependants(new Set(errors.map(({ at }) => stepOf(at))), plan.steps)
  const sure = types.filter(({ code }) => code !== "SEQ401" && code !== "SEQ402")
  if (sure.some(({ at }) => !faulty.has(stepOf(at)))) return "misplaced"
  // What is missing may have been meant where a tool is misspelt: the compiler says so by how near the names are.
  const unsure = errors.some(({ code }) => code === "SEQ108")
  // An id that is used twice is the first step to the compiler, either to types.
  const twice = errors.some(({ code }) => code === "SEQ106")
  const claimed = errors.filter(
    (error) =>
      !(twice && /^SEQ[26]/.test(error.code)) &&
      !(unsure && error.code === "SEQ208") &&
      isClaimed(error, plan as Json) &&
      !isQuoted(error.at, plan as Json),
  )
  // Of what is missing TypeScript speaks where nothing else in the same object is at fault.
  const told = ({ at }: { readonly at: Pointer }): boolean =>
    types.some((one) => stepOf(one.at) === stepOf(at) || one.at.startsWith(at))
  return claimed.every(told) ? undefined : "missed"
}

/** A limit that is passed by what is written is told where it is passed, and nothing else is. */
function compareBlast(
  declaration: Declaration,
  steps: unknown,
  types: readonly Said[],
): Difference["kind"] | undefined {
  const passed = passedLimits(declaration, Array.isArray(steps) ? steps : [])
  if (types.some((one) => !passed.some(({ at }) => at === one.at))) return "misplaced"
  if (types.some((one) => !passed.some(({ code }) => code === one.code))) return "misplaced"
  return passed.every(({ at }) => types.some((one) => one.at === at)) ? undefined : "missed"
}

function isClaimed({ code, at, message }: Told, plan: Json): boolean {
  if (seen.includes(code)) return true
  const value = valueAt(plan, at)
  // Which indices an array has is in no type; nor are ranges.
  if (code === "SEQ205") return typeof value === "string" && !/\/\d+(\/|$)/.test(value)
  // Labels that come through tools are left to the compiler.
  if (code === "SEQ602" || code === "SEQ603") return isAtFirstHand(message)
  // A name with `/` could be a path.
  if (code !== "SEQ123" || at.includes("~1") || typeof value !== "number") return false
  return !Number.isInteger(value) && message.includes("an integer")
}

/** `to ← mail /body (untrusted: read_mail)`, joined to a text or as what decides a choice. */
const isAtFirstHand = (message: string): boolean => /: [^←]+(?:← \S+\.(?:\$concat|where) )?← [^←]*$/.test(message)

/** Inside of `$literal` types see kinds alone. */
const isQuoted = (at: Pointer, plan: Json): boolean =>
  at.includes("/$literal") || "$literal" in Object(valueAt(plan, at) ?? {})

function withDependants(faulty: Set<string>, steps: unknown): ReadonlySet<string> {
  if (!Array.isArray(steps)) return faulty
  steps.forEach((step: unknown, index) => {
    const text = JSON.stringify(step)
    const names = steps.flatMap((other: { readonly id?: unknown } | null, at) =>
      faulty.has(`/steps/${at}`) && typeof other?.id === "string" ? [JSON.stringify(other.id)] : [],
    )
    if (names.some((name) => text.includes(`"$from":${name}`) || text.includes(name, text.indexOf('"after"')))) {
      faulty.add(`/steps/${index}`)
    }
  })
  return faulty
}

/** `/steps/2/args/id` is of `/steps/2`. */
const stepOf = (at: Pointer): string => at.split("/").slice(0, 3).join("/")
