/**
 * From a goal to a compiled plan: the planner is asked, what it wrote is compiled, all that is wrong is told, and it is asked again,
 * within limits. Whatever a planner does comes back as a value; only a host's own mistake (no function, no goal) rejects.
 */
import type { Catalog, CatalogSpec } from "../../catalog/catalog.ts"
import { demandCatalog } from "../../catalog/define.ts"
import type { Principal } from "../../catalog/predicate.ts"
import type { Spent } from "../../check/blast.ts"
import type { CompiledPlan } from "../../check/compiled.ts"
import { type Compiled, type CompileOptions, compile } from "../../compile.ts"
import type { Diagnostic } from "../../diagnostic/diagnostic.ts"
import { demand } from "../../text/demand.ts"
import { isObject } from "../../text/json.ts"
import { feedback } from "../feedback.ts"
import { decodePlan } from "../form/decode.ts"
import { demandForm, type Form } from "../form/form.ts"
import { planSchema } from "../form/schema.ts"
import { planPrompt } from "../prompt.ts"
import { ask } from "./ask.ts"
import { type Attempt, type Exchange, kept, messagesOf } from "./exchange.ts"
import { type Allowed, add, costOf, type Limits, readLimits, readUsed, tokensOf, type Used } from "./limits.ts"
import type { Message, Planner } from "./planner.ts"
import { type Round, sayLeft, tellRounds } from "./rounds.ts"

export interface Session {
  /** Runs that went before: the planner is told what came of them, and its plan may refer to their results. */
  readonly rounds?: readonly Round[]
  /** What is committed or in doubt of the limits that reach beyond one run: `await runner.spent(…)`. */
  readonly spent?: Spent
  /** What proposals of the session have used before: `used` of the last one. */
  readonly used?: Used
  /** The planner has seen untrusted data otherwise. Where a round shows some, that is known. */
  readonly literals?: "untrusted"
}

/** The host's own text round ours. */
export interface Around {
  readonly before?: string
  readonly after?: string
  /** UTF-16 units of the catalog in words: see `planPrompt`. */
  readonly maxLength?: number
  /** Whether the schema of plans is told too. Default: where plans are written as they are, and it has 8,000 characters at most. */
  readonly schema?: boolean
}

export interface ProposeOptions<Spec extends CatalogSpec = CatalogSpec> {
  readonly catalog: Catalog<Spec>
  readonly planner: Planner
  readonly goal: string
  readonly session?: Session
  readonly principal?: Principal
  readonly limits?: Limits
  readonly prompt?: Around
  /** The form of `planSchema`, where the planner is held to a provider's structured output. */
  readonly form?: Form
  /** Take off one code fence that encloses the whole text. */
  readonly unwrap?: "fence"
  /** The host's: it ends the proposal, and interrupts the planner. */
  readonly signal?: AbortSignal
  /** Milliseconds of a clock that only goes on. */
  readonly now?: () => number
}

interface Common {
  readonly exchange: Exchange
  /** By this and what went before in the session. */
  readonly used: Used
}

export interface ProposedPlan extends Common {
  readonly kind: "plan"
  readonly plan: CompiledPlan
  /** Warnings, and what will need approval. */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Why there is no plan. `no-progress`: the same diagnostics came again, at once or after others. `host-fault`: the catalog, or what
 * was said of the session, is refused itself: `diagnostics` says why, and no planner can mend it.
 */
export interface NoPlan extends Common {
  readonly kind: "attempts" | "tokens" | "money" | "time" | "no-progress" | "planner-failed" | "aborted" | "host-fault"
  /** In words, for people. */
  readonly message: string
  /** Of the last plan that was written. */
  readonly diagnostics: readonly Diagnostic[]
  /** What a planner threw, as it is: it may hold what is not for everybody. */
  readonly error?: unknown
}

export type Proposed = ProposedPlan | NoPlan

export async function propose<Spec extends CatalogSpec>(options: ProposeOptions<Spec>): Promise<Proposed> {
  const given = readOptions(options)
  const { catalog, planner, session, limits, now } = given
  const { earlier, untrusted, words } = tellRounds(session.rounds ?? [], catalog)
  const compiling: CompileOptions = {
    ...(session.spent === undefined ? {} : { spent: session.spent }),
    ...(options.principal === undefined ? {} : { principal: options.principal }),
    ...(options.unwrap === undefined ? {} : { unwrap: options.unwrap }),
    literals: untrusted ? "untrusted" : (session.literals ?? "trusted"),
    earlier,
  }
  const attempts: Attempt[] = []
  let used = readUsed(session.used)
  const end = (kind: NoPlan["kind"], message: string, more: Partial<NoPlan> = {}): NoPlan => {
    const { diagnostics = [] } = attempts.at(-1) ?? {}
    return { kind, message, diagnostics, exchange, used, ...more }
  }
  const faults = faultsOfHost(compile(catalog, idle, compiling))
  if (faults.length > 0) {
    const exchange = { opening: [], attempts }
    return { kind: "host-fault", message: sayFirst(faults), diagnostics: faults, exchange, used }
  }
  const exchange: Exchange = { opening: openingOf(given, words), attempts }
  const seen = new Set<string>()
  const startMs = now()
  for (;;) {
    const next = nextAsking(exchange, used, limits)
    if (next.kind !== "ask") return end(next.kind, next.message)
    const askedMs = now()
    const leftMs = limits.wallMs - (askedMs - startMs)
    const heard = leftMs > 0 ? await ask(planner, next.messages, leftMs, options.signal) : ({ kind: "time" } as const)
    if (heard.kind === "time") return end("time", `no plan within ${limits.wallMs} ms`)
    if (heard.kind === "aborted") return end("aborted", "the host has ended it")
    if (heard.kind === "planner-failed")
      return end("planner-failed", heard.problem, "error" in heard ? { error: heard.error } : {})
    const { text, usage } = heard
    const cost = costOf(usage, next.messages, text)
    used = add(used, cost)
    const compiled = compileAnswer(catalog, text, given.form, compiling)
    const { diagnostics } = compiled
    const { summarised } = next
    const said = { text: kept(text), length: text.length, diagnostics, cost, summarised, tookMs: now() - askedMs }
    if (compiled.ok) {
      attempts.push({ ...said, more: 0, feedback: "" })
      return { kind: "plan", plan: compiled.plan, diagnostics, exchange, used }
    }
    const { more } = compiled
    attempts.push({ ...said, more, feedback: feedback(diagnostics, { maxLength: limits.feedbackLength, more }) })
    const own = faultsOfHost(compiled)
    if (own.length > 0) return end("host-fault", sayFirst(own), { diagnostics: own })
    const found = signatureOf(diagnostics, more)
    if (seen.has(found)) return end("no-progress", "the same faults came again")
    seen.add(found)
  }
}

interface Read {
  readonly catalog: Catalog
  readonly planner: Planner
  readonly goal: string
  readonly session: Session
  readonly principal: Principal | undefined
  readonly limits: Allowed
  readonly prompt: Around
  readonly form: Form
  readonly now: () => number
}

function readOptions(options: ProposeOptions<CatalogSpec>): Read {
  demand(isObject(options), "`propose` takes `{ catalog, planner, goal }`")
  const { catalog, planner, goal, session = {}, principal, prompt = {}, form = { kind: "plan" }, now } = options
  demandCatalog(catalog)
  demand(typeof planner === "function", "`planner` must be a function of messages")
  demand(typeof goal === "string" && goal.trim() !== "", "`goal` must be a text that is not empty")
  demand(isObject(session), "`session` must be an object")
  demand(isObject(prompt), "`prompt` must be an object")
  for (const text of [prompt.before, prompt.after])
    demand(text === undefined || typeof text === "string", "`prompt.before` and `prompt.after` must be texts")
  demandForm(form)
  const { rounds = [] } = session
  demand(Array.isArray(rounds), "`session.rounds` must be a list of `{ plan, report }`")
  return {
    catalog,
    planner,
    goal,
    session,
    principal,
    limits: readLimits(options.limits, catalog),
    prompt,
    form,
    now: now ?? (() => performance.now()),
  }
}

/** A plan that does nothing: what is refused of it is the host's. */
const idle = '{"version":1,"steps":[]}'

/** Codes of what no planner can mend. */
const isOfHost = ({ code, severity }: Diagnostic): boolean =>
  severity === "error" && (code.startsWith("SEQ8") || code.startsWith("SEQ9") || code === "SEQ404")

const faultsOfHost = ({ ok, diagnostics }: Compiled): readonly Diagnostic[] => (ok ? [] : diagnostics.filter(isOfHost))

const sayFirst = ([first]: readonly Diagnostic[]): string => first?.message ?? ""

function openingOf(read: Read, words: string): readonly Message[] {
  const { catalog, goal, session, principal, prompt, form } = read
  const { before, after, maxLength } = prompt
  const told = planPrompt(catalog, {
    form,
    ...(principal === undefined ? {} : { principal }),
    ...(maxLength === undefined ? {} : { maxLength }),
  })
  const parts = [before, told, schemaFor(catalog, form, prompt.schema), after]
  const asked = [`# Goal\n\n${goal.trim()}`, words, sayLeft(session.spent, catalog)]
  const join = (texts: readonly (string | undefined)[]): string => texts.filter((one) => one).join("\n\n")
  return [
    { role: "system", content: join(parts) },
    { role: "user", content: join(asked) },
  ]
}

const schemaLength = 8_000

function schemaFor(catalog: Catalog, form: Form, wanted: boolean | undefined): string | undefined {
  if (wanted === false || form.kind !== "plan") return undefined
  const text = JSON.stringify(planSchema(catalog).schema)
  return wanted === true || text.length <= schemaLength ? `# Schema of the plan\n\n${text}` : undefined
}

type Next =
  | { readonly kind: "ask"; readonly messages: readonly Message[]; readonly summarised: number }
  | { readonly kind: "attempts" | "tokens" | "money"; readonly message: string }

/** Whether the planner may be asked once more, and how. */
function nextAsking(exchange: Exchange, used: Used, limits: Allowed): Next {
  const { attempts } = exchange
  const { length } = attempts
  if (length >= limits.attempts) return { kind: "attempts", message: `no plan in ${length} attempts` }
  if (limits.costsTold && attempts.some(({ cost }) => cost.microUsd === undefined))
    return { kind: "money", message: "an answer did not say what it cost, and `limits.microUsd` holds its costs" }
  const dearest = Math.max(0, ...attempts.map(({ cost }) => cost.microUsd ?? 0))
  if (used.microUsd + dearest > limits.microUsd || used.microUsd >= limits.microUsd)
    return { kind: "money", message: `${used.microUsd} of ${limits.microUsd} millionths of a US dollar are used` }
  const longest = Math.max(0, ...attempts.map(({ cost }) => cost.outputTokens))
  // All as it was said; else the last attempt; else what was wrong with it alone.
  for (const summarised of limits.summarise ? new Set([0, Math.max(0, length - 1), length]) : [0]) {
    const messages = messagesOf(exchange, summarised)
    if (used.tokens + tokensOf(messages) + longest <= limits.tokens) return { kind: "ask", messages, summarised }
  }
  return { kind: "tokens", message: `${used.tokens} of ${limits.tokens} tokens are used` }
}

function compileAnswer(catalog: Catalog, text: string, form: Form, options: CompileOptions): Compiled {
  const decoded = decodePlan(catalog, text, form)
  return decoded.ok ? compile(catalog, decoded.text, options) : { ...decoded, more: 0 }
}

/** Two plans with one signature have the same faults in the same places. */
const signatureOf = (diagnostics: readonly Diagnostic[], more: number): string =>
  JSON.stringify([
    more,
    diagnostics.filter(({ severity }) => severity === "error").map(({ code, at, message }) => [code, at, message]),
  ])
