/** The handlers that do the work, typed by the catalog. */
import type { Effect } from "effect/Effect"
import type { Catalog, CatalogSpec } from "../catalog/catalog.ts"
import type { ArgsOf, ResultOf } from "../catalog/tool.ts"
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
}

/** A value, a promise of one, or an Effect that needs nothing. */
export type Handled<Result> = Result | PromiseLike<Result> | Effect<Result, unknown>

export type Handler<Args, Result> = (args: Args, context: CallContext) => Handled<Result>

export type Handlers<Spec extends CatalogSpec> = {
  readonly [Name in keyof Spec["tools"]]: Handler<ArgsOf<Spec["tools"][Name]>, ResultOf<Spec["tools"][Name]>>
}

/** Handlers as the executor calls them: their arguments and results are held to the schemas there. */
export type AnyHandler = Handler<unknown, unknown>

export interface Toolbox<Spec extends CatalogSpec = CatalogSpec> {
  readonly catalog: Catalog<Spec>
  readonly handlers: ReadonlyMap<string, AnyHandler>
  /** Where handlers and catalog do not fit: no run is started then. */
  readonly fault: HandlerMissing | undefined
}

const made = new WeakSet<object>()

export const isToolbox = (value: unknown): value is Toolbox =>
  typeof value === "object" && value !== null && made.has(value)

/** Brings handlers together with the catalog whose tools they do. */
export function toolbox<Spec extends CatalogSpec>(
  catalog: Catalog<Spec>,
  handlers: Handlers<NoInfer<Spec>>,
): Toolbox<Spec> {
  const given = new Map(Object.entries<unknown>(handlers))
  const missing = [...catalog.tools.keys()].filter((name) => typeof given.get(name) !== "function")
  const unknown = [...given.keys()].filter((name) => !catalog.tools.has(name))
  const problems = [
    missing.length > 0 ? `no handler for ${list(missing)}` : [],
    unknown.length > 0 ? `handlers for ${list(unknown)}, which the catalog does not have` : [],
  ].flat()
  const box: Toolbox<Spec> = {
    catalog,
    handlers: given as ReadonlyMap<string, AnyHandler>,
    fault: problems.length === 0 ? undefined : new HandlerMissing({ problem: problems.join("; ") }),
  }
  made.add(box)
  return box
}

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ")

/** Says of an effect: nothing has happened outside. Thrown by a handler, it fails the step instead of leaving it in doubt. */
export const notApplied = (message: string): Error => new NotApplied(message)

export class NotApplied extends Error {
  override readonly name = "NotApplied"
}
