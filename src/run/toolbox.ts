/** The handlers that do the work, typed by the catalog. */
import type { Effect } from "effect/Effect"
import type { Catalog, CatalogSpec, Tool } from "../catalog/catalog.ts"
import { isCatalog } from "../catalog/define.ts"
import type { ArgsOf, ResultOf, ToolSpec } from "../catalog/tool.ts"
import { isObject } from "../text/json.ts"
import { sayFound } from "./admit.ts"
import type { Credentials } from "./call/credentials.ts"
import { Isolated } from "./call/isolated/isolated.ts"
import type { Reconciliation } from "./call/reconciliation.ts"
import { HandlerMissing } from "./failure.ts"

/** Who acts, authenticated by the host. */
export interface Principal {
  readonly tenant: string
  readonly subject: string
  readonly roles?: readonly string[]
}

/** What a handler is told besides its arguments. */
export interface CallContext {
  /** Aborted when the call has taken too long, or the process is asked to stop. */
  readonly signal: AbortSignal
  /** Of an effect: hand it on to the outside system. The same for every call of the same effect. */
  readonly idempotencyKey: string | undefined
  /** 1 for the first call of the step. */
  readonly attempt: number
  readonly principal: Required<Principal>
  readonly runId: string
  readonly stepId: string
  /**
   * What the option `credentials` gave for this call. Kept and shown nowhere. `unknown` until `Provided` names its type; whoever
   * names it there says that every runner, worker and gate is given the option: in one without it is undefined all the same.
   */
  readonly credentials: Credentials
}

/** A value, a promise of one, or an Effect that needs nothing. */
export type Handled<Result> = Result | PromiseLike<Result> | Effect<Result, unknown>

export type Handler<Args, Result> = (args: Args, context: CallContext) => Handled<Result>

/** Asks the outside what became of an effect whose answer was lost, by its idempotency key: see `reconciled`. */
export type Reconcile<Args, Result> = (key: string, args: Args, context: CallContext) => Handled<Reconciliation<Result>>

/**
 * Looks at a call right before it is made: whether what it is about is there, say. `true`; or why it must not be made, or `false`. It may be
 * asked more than once, and does nothing itself.
 */
export type Validate<Args> = (args: Args, context: CallContext) => Handled<boolean | string>

/** What a tool needs: its handler; and `reconcile` and `validate` beside it where the catalog declares them. */
export type ToolHandler<T extends ToolSpec> = T extends { readonly reconcile: object } | { readonly validate: true }
  ? Accompanied<T>
  : Extract<"reconcile" | "validate", keyof T> extends never
    ? HandlerOf<T>
    : HandlerOf<T> | Accompanied<T>

type Accompanied<T extends ToolSpec> = { readonly call: HandlerOf<T> } & Beside<
  T,
  "reconcile",
  MayBeIsolated<Reconcile<ArgsOf<T>, ResultOf<T>>>
> &
  Beside<T, "validate", MayBeIsolated<Validate<ArgsOf<T>>>>

/** There where it is declared; where nobody knows whether it is, it may be. */
type Beside<T, Part extends "reconcile" | "validate", Written> = T extends { readonly [_ in Part]: object | true }
  ? { readonly [_ in Part]: Written }
  : Part extends keyof T
    ? { readonly [_ in Part]?: Written }
    : unknown

type HandlerOf<T extends ToolSpec> = T extends { readonly isolate: true }
  ? Isolated<Handler<ArgsOf<T>, ResultOf<T>>>
  : MayBeIsolated<Handler<ArgsOf<T>, ResultOf<T>>>

type MayBeIsolated<Written> = Written | Isolated<Written>

export type Handlers<Spec extends CatalogSpec> = {
  readonly [Name in keyof Spec["tools"]]: ToolHandler<Spec["tools"][Name]>
}

/** Handlers as the executor calls them: their arguments and results are held to the schemas there. */
export interface ToolHandlers {
  readonly call: AnyHandler | Isolated
  readonly reconcile: AnyHandler | Isolated | undefined
  readonly validate: AnyHandler | Isolated | undefined
}

export type AnyHandler = (...given: readonly never[]) => unknown

export interface Toolbox<Spec extends CatalogSpec = CatalogSpec> {
  readonly catalog: Catalog<Spec>
  readonly handlers: ReadonlyMap<string, ToolHandlers>
  /** Where handlers and catalog do not fit: no run is started then. */
  readonly fault: HandlerMissing | undefined
}

/** What a door takes as `tools`. */
export type Tools<Spec extends CatalogSpec> = Handlers<Spec> | Toolbox<Spec>

/**
 * Handlers as they are written, each held to its tool, and none that the catalog does not have. (Inferred with `const`, so that
 * the `"in"` that a handler returns is no mere string.)
 */
export type Fitting<Spec extends CatalogSpec, Written> = Written & {
  readonly [Name in Exclude<keyof Written, keyof Spec["tools"] | keyof Toolbox>]: never
}

/** What does the work of a run, at every door. */
export interface Equipment<Spec extends CatalogSpec = CatalogSpec, Written extends Tools<Spec> = Tools<Spec>> {
  readonly catalog: Catalog<Spec>
  /**
   * The handlers, or a toolbox made of them. (`toolbox(catalog, { … })` knows the catalog before it looks at the handlers. Here
   * tsc meets both at once, and takes the `"in"` that a handler without parameters returns for any string.)
   */
  readonly tools: Fitting<NoInfer<Spec>, Written>
}

const made = new WeakSet<object>()

export const isToolbox = (value: unknown): value is Toolbox =>
  typeof value === "object" && value !== null && made.has(value)

/** Brings handlers together with the catalog whose tools they do. Where they do not fit, no run is started: see `fault`. */
export function toolbox<
  Spec extends CatalogSpec,
  const Written extends Handlers<NoInfer<Spec>> = Handlers<NoInfer<Spec>>,
>(catalog: Catalog<Spec>, handlers: Fitting<NoInfer<Spec>, Written>): Toolbox<Spec> {
  const given = readHandlers(handlers)
  const problem = given === undefined ? unreadable : findProblem(catalog, handlers, given)
  const box: Toolbox<Spec> = {
    catalog,
    handlers: (given ?? new Map()) as ReadonlyMap<string, ToolHandlers>,
    fault: problem === undefined ? undefined : new HandlerMissing({ problem }),
  }
  made.add(box)
  return box
}

const unreadable = "`tools` cannot be read: a getter in it throws"

/** As it was handed over, whatever that is. */
interface Given {
  readonly call: unknown
  readonly reconcile: unknown
  readonly validate: unknown
}

/** Each read once. Undefined where they cannot be read. */
function readHandlers(handlers: unknown): ReadonlyMap<string, Given> | undefined {
  try {
    return new Map(isObject(handlers) ? Object.entries<unknown>(handlers).map(([name, one]) => [name, read(one)]) : [])
  } catch {
    return undefined
  }
}

const read = (one: unknown): Given => {
  if (!isObject(one) || one instanceof Isolated) return { call: one, reconcile: undefined, validate: undefined }
  const { call, reconcile, validate } = one as Partial<Given>
  return { call, reconcile, validate }
}

function findProblem(catalog: unknown, handlers: unknown, given: ReadonlyMap<string, Given>): string | undefined {
  if (!isCatalog(catalog)) return `\`catalog\` must be what \`defineCatalog\` makes, but ${sayFound(catalog)}`
  if (!isObject(handlers)) return `\`tools\` must be an object of handlers, but ${sayFound(handlers)}`
  const there = [...catalog.tools.values()].filter(({ name }) => isHandler(given.get(name)?.call))
  const missing = [...catalog.tools.keys()].filter((name) => !isHandler(given.get(name)?.call))
  const unknown = [...given.keys()].filter((name) => !catalog.tools.has(name))
  const problems = [
    missing.length > 0 ? `no handler for ${list(missing)}` : [],
    unknown.length > 0 ? `handlers for ${list(unknown)}, which the catalog does not have` : [],
    there.flatMap((tool) => findMisfit(tool, given.get(tool.name))),
  ].flat()
  return problems.length === 0 ? undefined : problems.join("; ")
}

const isHandler = (value: unknown): boolean => typeof value === "function" || value instanceof Isolated

/** A handler that is there, but not as its tool wants it. */
function findMisfit({ name, isolate, ...declared }: Tool, given: Given | undefined): readonly string[] {
  const problems: string[] = []
  if (isolate && !(given?.call instanceof Isolated))
    problems.push(`\`${name}\` is declared with \`isolate\`: its handler must be what \`isolated\` makes`)
  for (const part of ["reconcile", "validate"] as const) {
    const wanted = declared[part] !== undefined && declared[part] !== false
    if (wanted && !isHandler(given?.[part]))
      problems.push(`\`${name}\` is declared with \`${part}\`: it needs \`{ call, ${part} }\``)
    if (!wanted && given?.[part] !== undefined)
      problems.push(`a \`${part}\` for \`${name}\`, which is declared without`)
  }
  for (const one of [given?.call, given?.reconcile, given?.validate]) {
    if (one instanceof Isolated && one.fault !== undefined)
      problems.push(`the isolated handler of \`${name}\`: ${one.fault}`)
  }
  return problems
}

/** The toolbox of what a host has handed over, whatever that is. */
export function equip<Spec extends CatalogSpec>({
  catalog,
  tools,
}: {
  readonly catalog?: Catalog<Spec>
  readonly tools?: unknown
} = {}): Toolbox<Spec> {
  if (!isToolbox(tools)) return toolbox(catalog as Catalog<Spec>, tools as never)
  const box = tools as unknown as Toolbox<Spec>
  if ((box.catalog as unknown) === catalog) return box
  const problem = catalog === undefined ? findProblem(catalog, tools, box.handlers) : "it was made for another catalog"
  const unfit = { ...box, fault: new HandlerMissing({ problem: problem ?? "" }) }
  made.add(unfit)
  return unfit
}

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ")
