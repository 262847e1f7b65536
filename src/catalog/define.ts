/** Declaration to catalog. Never throws: what is wrong is carried by the catalog, and `compile` returns it. */
import { Kind } from "@sinclair/typebox"
import { type Diagnostic, diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import { defaultBounds } from "../text/bounds.ts"
import { demand } from "../text/demand.ts"
import { child, type Pointer, root } from "../text/pointer.ts"
import { admitSpec } from "./admit.ts"
import { authoritySlice, readAuthority } from "./authority.ts"
import type { Blast, Built, Catalog, CatalogSpec, Limit, Tool } from "./catalog.ts"
import { readFormats } from "./format.ts"
import { lint } from "./lint.ts"
import { buildMachine } from "./machine.ts"
import { policySlice, readPolicy } from "./policy.ts"
import { flowSlice, readFlowing, readInputLabels, unlabelled } from "./rule.ts"
import { type Effort, startEffort } from "./schema/effort.ts"
import type { Formats } from "./schema/front-end/formats.ts"
import { countOf, intervalOf } from "./schema/interval.ts"
import { lowerSchema } from "./schema/lower.ts"
import { anything, type Notice, type Role, type Schema, type SchemaFault } from "./schema/schema.ts"
import { describe, propertyOf, typesOf } from "./schema/shape.ts"
import { sliceOf } from "./slice.ts"
import type { ToolSpec } from "./tool.ts"

/** Catalogs made by `defineCatalog`: what else looks like one is not taken for one. */
const made = new WeakSet<object>()

export const isCatalog = (value: unknown): value is Catalog =>
  typeof value === "object" && value !== null && made.has(value)

/** For doors that give a value and no diagnostics. */
export const demandCatalog = (value: unknown): void =>
  demand(isCatalog(value), "the catalog must be what `defineCatalog` makes")

/** The result carries the catalog's own faults (SEQ8xx) in `diagnostics`. */
export function defineCatalog<Spec extends CatalogSpec>(spec: Spec): Catalog<Spec> {
  const faults: Unplaced[] = []
  const catalog = buildSafely(spec, faults) ?? emptyCatalog
  const finished = fix({ ...catalog, diagnostics: [...faults] as readonly Diagnostic[] })
  const whole = Object.freeze({ ...finished, spec })
  made.add(whole)
  return whole
}

/** A catalog that changed after it was hashed would accept what it has refused. Schemas are their library's own. */
function fix<A>(value: A): A {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || Kind in value) return value
  if (value instanceof Map || value instanceof Set) {
    for (const part of value.values()) fix(part)
    for (const method of ["set", "add", "delete", "clear"]) {
      if (method in value) Object.defineProperty(value, method, { value: refuseChange })
    }
  }
  for (const part of Object.values(value)) fix(part)
  return Object.freeze(value)
}

function refuseChange(): never {
  throw new TypeError("a catalog does not change: define another")
}

const emptyCatalog: Built = {
  name: "",
  version: "",
  tools: new Map(),
  inputs: undefined,
  inputLabels: unlabelled,
  approvals: "signed",
  carryOver: false,
  machine: undefined,
  limits: new Map(),
  budgets: {},
  bounds: defaultBounds,
}

/** A getter or a proxy in the declaration may throw when it is read. */
function buildSafely(spec: CatalogSpec, faults: Unplaced[]): Built | undefined {
  try {
    return build(spec, faults)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : "it throws when it is read"
    const problem = `could not be read: ${why.slice(0, 200)}`
    faults.push(diagnose("SEQ801", root, { what: "the declaration", problem, remedy: "Write plain data." }))
    return undefined
  }
}

function build(spec: CatalogSpec, faults: Unplaced[]): Built | undefined {
  const plain = admitSpec(spec, faults)
  if (plain === undefined) return readOnly(spec, faults)
  const formats = readFormats(plain.formats ?? {}, faults)
  const effort = startEffort()
  const read: Read = (schema, tool, at, role) => readSchema(schema, tool, at, role, { formats, effort }, faults)
  const inputs = plain.inputs === undefined ? undefined : read(plain.inputs, "inputs", child(root, "inputs"), "params")
  const tools = new Map<string, Tool>()
  const byDefault = plain.authority?.default ?? "allow"
  for (const [name, toolSpec] of Object.entries(plain.tools))
    tools.set(name, buildTool(name, toolSpec, byDefault, read))
  const built: Built = {
    name: plain.name,
    version: plain.version,
    tools,
    inputs,
    inputLabels: readInputLabels(plain),
    approvals: plain.approvals ?? "signed",
    carryOver: plain.carryOver ?? false,
    machine: plain.machine === undefined ? undefined : buildMachine(plain.machine),
    limits: new Map(
      byName(plain.blastRadius).map(([dimension, { max, approveAbove, per = "run" }]): [string, Limit] => [
        dimension,
        { dimension, max, approveAbove, per },
      ]),
    ),
    budgets: plain.budgets ?? {},
    bounds: { ...defaultBounds, ...plain.bounds },
  }
  faults.push(...lint(built, plain))
  return built
}

/** Of a declaration that is no catalog the schemas are asked about all the same: what is wrong with them is told at once. */
function readOnly({ tools, formats }: Partial<CatalogSpec>, faults: Unplaced[]): undefined {
  const isTable = (value: unknown): value is object => typeof value === "object" && value !== null
  const known = { formats: readFormats(isTable(formats) ? formats : {}, faults), effort: startEffort() }
  for (const [name, tool] of Object.entries(isTable(tools) ? tools : {})) {
    if (!isTable(tool)) continue
    for (const role of ["params", "result"] as const) {
      const at = child(child(child(root, "tools"), name), role)
      if (tool[role] !== undefined) readSchema(tool[role], name, at, role, known, faults)
    }
  }
  return undefined
}

type Read = (schema: unknown, tool: string, at: Pointer, role: Role) => Schema

function buildTool(name: string, spec: ToolSpec, byDefault: "allow" | "deny", read: Read): Tool {
  const at = child(child(root, "tools"), name)
  const params = read(spec.params, name, child(at, "params"), "params")
  const result = spec.result === undefined ? undefined : read(spec.result, name, child(at, "result"), "result")
  const blast = byName(spec.blast).map(([dimension, cost]) => buildBlast(dimension, cost, params))
  const policy = readPolicy(spec)
  const authority = readAuthority(spec, byDefault)
  const flowing = readFlowing(spec)
  const version = spec.version ?? "1"
  const states = spec.states === undefined ? undefined : new Set(spec.states)
  const requires = spec.requires ?? []
  const timeoutMs = spec.timeoutMs ?? 30_000
  const costMicroUsd = spec.cost?.microUsd ?? 0
  const said = authoritySlice(authority)
  const slice = {
    params: sliceOf(params),
    result: result === undefined ? null : sliceOf(result),
    version,
    effect: spec.effect,
    timeoutMs,
    states: states === undefined ? null : [...states].sort(),
    requires: requires.map((one) => ({ tool: one.tool, same: [...(one.same ?? [])] })),
    blast: blast.map((one) => ({ ...one })),
    ...policySlice(policy),
    costMicroUsd,
    ...(Object.keys(said).length === 0 ? {} : { authority: said }),
    ...flowSlice(flowing),
  }
  return {
    name,
    description: spec.description,
    version,
    effect: spec.effect,
    mutates: spec.effect !== "read",
    params,
    result,
    timeoutMs,
    states,
    requires,
    blast,
    ...policy,
    ...flowing,
    costMicroUsd,
    authority,
    slice,
  }
}

/** In one order, however they were declared: what a plan costs is kept with it. */
const byName = <A>(declared: { readonly [name: string]: A } | undefined): readonly (readonly [string, A])[] =>
  Object.entries(declared ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))

function buildBlast(dimension: string, cost: NonNullable<ToolSpec["blast"]>[string], params: Schema): Blast {
  if (typeof cost === "number") return { kind: "constant", dimension, value: cost }
  const { kind, parameter } = cost
  const property = propertyOf(params.shape, parameter)
  const interval =
    property === undefined ? null : kind === "count" ? countOf(property.shape) : intervalOf(property.shape)
  // The lesser of what the schema and the host say; lint has refused what neither bounds.
  return {
    kind,
    dimension,
    parameter,
    min: Math.max(0, interval?.min ?? 0),
    max: Math.min(cost.max ?? Number.POSITIVE_INFINITY, interval?.max ?? Number.POSITIVE_INFINITY),
  }
}

function readSchema(
  schema: unknown,
  tool: string,
  at: Pointer,
  role: Role,
  { formats, effort }: { readonly formats: Formats; readonly effort: Effort },
  faults: Unplaced[],
): Schema {
  const said = at === "/inputs" ? "inputs" : role
  const lowered = lowerSchema(schema, role, formats, effort)
  if (!lowered.ok) {
    for (const fault of lowered.faults) faults.push(diagnoseSchema(fault, tool, at, said))
    return anything
  }
  if (said === "params" && !typesOf(lowered.schema.shape).has("object")) {
    const what = describe(lowered.schema.shape)
    const problem = "is no object, as the arguments of every call are"
    const remedy = "Declare an object with a property for each parameter."
    faults.push(diagnose("SEQ804", at, { role: said, tool, what, where: "/", problem, remedy }))
    return anything
  }
  for (const { at: where } of lowered.closed)
    faults.push(diagnose("SEQ803", at, { role: said, tool, where: where || "/" }))
  for (const notice of lowered.notices) faults.push(diagnoseNotice(notice, tool, at, said))
  return lowered.schema
}

function diagnoseNotice(notice: Notice, tool: string, at: Pointer, role: string): Unplaced {
  const place = { role, tool, where: notice.at || "/" }
  return notice.kind === "default"
    ? diagnose("SEQ815", at, place)
    : diagnose("SEQ816", at, { ...place, what: notice.what, max: notice.maxLength })
}

const problems = {
  coerces: "converts its value",
  transforms: "changes its value",
  defaults: "fills in a value",
  asynchronous: "waits, and compiling cannot wait",
  "not-json": "is no JSON value",
  "not-a-schema": "is no schema",
  unsupported: "cannot be honoured",
} as const

const remedies = {
  "not-json": "Use a schema of JSON values: strings, numbers, booleans, null, arrays and objects.",
  "not-a-schema": "Use a zod 4, a TypeBox or a JSON Schema (2020-12 or 7).",
  unsupported: "Say it otherwise, or leave it to the tool: what cannot be honoured is refused, never ignored.",
} as const

function diagnoseSchema(
  { kind, at: where, what, problem, remedy }: SchemaFault,
  tool: string,
  at: Pointer,
  role: string,
): Unplaced {
  const place = { role, tool, what, where: where || "/" }
  switch (kind) {
    case "unnamed-function": {
      // zod wraps these functions, and hides them from whoever reads the schema.
      const hidden = /superRefine|custom|instanceof/.test(what)
      const form = '`.refine(named("is-iban", "1", fn))`'
      const name = what.includes("kind")
        ? 'Name it where it is registered: `TypeRegistry.Set("Even", named("even", "1", fn))`.'
        : hidden
          ? `Use ${form} or \`.check(named(…))\` instead: ${what} hides its function.`
          : `Name it: ${form}.`
      return diagnose("SEQ805", at, { ...place, remedy: name })
    }
    case "not-json":
    case "not-a-schema":
    case "unsupported":
      return diagnose("SEQ804", at, { ...place, problem: problem ?? problems[kind], remedy: remedy ?? remedies[kind] })
    case "unsafe-pattern":
      return diagnose("SEQ814", at, { ...place, problem: problem ?? "may be slow" })
    case "asynchronous":
      return diagnose("SEQ802", at, {
        ...place,
        problem: problems[kind],
        remedy: "Ask it in the handler, or with a tool of its own.",
      })
    default:
      return diagnose("SEQ802", at, {
        ...place,
        problem: problems[kind],
        remedy: `Remove ${what}; what a plan says is what the tool gets.`,
      })
  }
}
