/** Declaration to catalog. Never throws: what is wrong is carried by the catalog, and `compile` returns it. */
import { type Diagnostic, diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import { suggest } from "../diagnostic/nearest.ts"
import { defaultBounds } from "../text/bounds.ts"
import { copyJson } from "../text/copy-json.ts"
import type { Json, JsonObject } from "../text/json.ts"
import { child, type Pointer, parsePointer, root } from "../text/pointer.ts"
import type { Blast, Catalog, CatalogSpec, Idempotency, Limit, Machine, Tool } from "./catalog.ts"
import { CatalogEnvelope } from "./envelope.ts"
import { lint } from "./lint.ts"
import { countOf, intervalOf } from "./schema/interval.ts"
import { lowerSchema } from "./schema/lower.ts"
import { judgePattern } from "./schema/pattern.ts"
import { anything, type Notice, type Role, type Schema, type SchemaFault } from "./schema/schema.ts"
import { propertyOf } from "./schema/shape.ts"
import type { ToolSpec } from "./tool.ts"

/** Catalogs made by `defineCatalog`: what else looks like one is not taken for one. */
const made = new WeakSet<object>()

export const isCatalog = (value: unknown): value is Catalog =>
  typeof value === "object" && value !== null && made.has(value)

/**
 * Declares what a host allows. The result carries the catalog's own faults (SEQ8xx) in `diagnostics`; with an error
 * among them no plan compiles.
 */
export function defineCatalog<const Spec extends CatalogSpec>(spec: Spec): Catalog<Spec> {
  const faults: Unplaced[] = []
  const catalog = buildSafely(spec, faults) ?? emptyCatalog
  const finished = { ...catalog, diagnostics: Object.freeze([...faults]) as readonly Diagnostic[], spec }
  made.add(finished)
  return Object.freeze(finished)
}

type Built = Omit<Catalog, "diagnostics" | "spec">

const emptyCatalog: Built = {
  name: "",
  version: "",
  tools: new Map(),
  inputs: undefined,
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
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    const problem = `could not be read: ${why.slice(0, 200)}`
    faults.push(diagnose("SEQ801", root, { field: "the declaration", problem, expected: "Write plain data." }))
    return undefined
  }
}

function build(spec: CatalogSpec, faults: Unplaced[]): Built | undefined {
  const plain = admitSpec(spec, faults)
  if (plain === undefined) return undefined
  const inputs =
    plain.inputs === undefined ? undefined : readSchema(plain.inputs, "inputs", child(root, "inputs"), "params", faults)
  const tools = new Map<string, Tool>()
  for (const [name, toolSpec] of Object.entries(plain.tools)) tools.set(name, buildTool(name, toolSpec, faults))
  const built: Built = {
    name: plain.name,
    version: plain.version,
    tools,
    inputs,
    machine: plain.machine === undefined ? undefined : buildMachine(plain.machine),
    limits: new Map(
      Object.entries(plain.blastRadius ?? {}).map(([dimension, { max }]): [string, Limit] => [
        dimension,
        { dimension, max },
      ]),
    ),
    budgets: plain.budgets ?? {},
    bounds: { ...defaultBounds, ...plain.bounds },
  }
  faults.push(...lint(built, plain))
  return built
}

/** Takes a plain copy of the declaration, schemas by reference, and holds it against the envelope. */
function admitSpec(spec: unknown, faults: Unplaced[]): CatalogSpec | undefined {
  const schemas = new Map<string, unknown>()
  const bare = takeSchemas(spec, schemas)
  const copied = copyJson(bare, { depth: 64, nodes: 1_000_000 })
  if (!copied.ok) {
    faults.push(
      diagnose("SEQ801", copied.at, {
        field: copied.at || "the declaration",
        problem: `holds ${copied.problem}`,
        expected: "Write plain data.",
      }),
    )
    return undefined
  }
  const misfits = judgePattern<never>(
    CatalogEnvelope,
    { kind: "literal", at: root, value: copied.value },
    () => undefined,
  )
  for (const { at, kind, expected, found, key, known } of misfits) {
    const field = key ?? parsePointer(at)?.at(-1) ?? "the declaration"
    if (kind === "missing")
      faults.push(
        diagnose("SEQ801", child(at, field), { field, problem: "is missing", expected: `Write ${expected}.` }),
      )
    else if (kind === "unknown")
      faults.push(
        diagnose("SEQ801", at, {
          field,
          problem: "is not known here",
          expected: suggest(field, known ?? [], "fields"),
        }),
      )
    else
      faults.push(
        diagnose("SEQ801", at, {
          field,
          problem: `must be ${expected}, but is ${found}`,
          expected: `Write ${expected}.`,
        }),
      )
  }
  if (misfits.length > 0) return undefined
  const plain = copied.value as unknown as CatalogSpec
  return putSchemas(plain, schemas)
}

/** Schemas are objects with methods: they are set aside while the rest is copied and checked. */
function takeSchemas(spec: unknown, schemas: Map<string, unknown>): unknown {
  const { inputs, tools, ...rest } = own(spec)
  if (inputs !== undefined) schemas.set("inputs", inputs)
  if (tools === undefined) return typeof spec === "object" && spec !== null ? rest : spec
  if (typeof tools !== "object" || tools === null) return { ...rest, tools }
  const bareTools: Record<string, unknown> = {}
  for (const [name, spec] of Object.entries(own(tools))) {
    if (typeof spec !== "object" || spec === null) {
      bareTools[name] = spec
      continue
    }
    const { params, result, ...bare } = own(spec)
    schemas.set(`params ${name}`, params)
    if (result !== undefined) schemas.set(`result ${name}`, result)
    bareTools[name] = withoutUndefined(bare)
  }
  return { ...withoutUndefined(rest), tools: bareTools }
}

/** `exactOptionalPropertyTypes` is not everybody's: an option given as undefined is an option left out. */
const withoutUndefined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const own = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...(value as Record<string, unknown>) } : {}

function putSchemas(plain: CatalogSpec, schemas: ReadonlyMap<string, unknown>): CatalogSpec {
  const tools: Record<string, ToolSpec> = {}
  for (const [name, spec] of Object.entries(plain.tools)) {
    const result = schemas.get(`result ${name}`)
    tools[name] = {
      ...spec,
      params: schemas.get(`params ${name}`),
      ...(result === undefined ? {} : { result }),
    } as ToolSpec
  }
  const inputs = schemas.get("inputs")
  return { ...plain, tools, ...(inputs === undefined ? {} : { inputs }) } as CatalogSpec
}

function buildTool(name: string, spec: ToolSpec, faults: Unplaced[]): Tool {
  const at = child(child(root, "tools"), name)
  const params = readSchema(spec.params, name, child(at, "params"), "params", faults)
  const result =
    spec.result === undefined ? undefined : readSchema(spec.result, name, child(at, "result"), "result", faults)
  const blast = Object.entries(spec.blast ?? {}).map(([dimension, cost]) => buildBlast(dimension, cost, params))
  const idempotency = buildIdempotency(spec.idempotency)
  const version = spec.version ?? "1"
  const states = spec.states === undefined ? undefined : new Set(spec.states)
  const requires = spec.requires ?? []
  const timeoutMs = spec.timeoutMs ?? 30_000
  const costMicroUsd = spec.cost?.microUsd ?? 0
  const slice = {
    params: sliceOf(params),
    result: result === undefined ? null : sliceOf(result),
    version,
    effect: spec.effect,
    timeoutMs,
    states: states === undefined ? null : [...states].sort(),
    requires: requires.map((one) => ({ tool: one.tool, same: [...(one.same ?? [])] })),
    blast: blast.map((one) => ({ ...one })),
    idempotency: { ...idempotency },
    costMicroUsd,
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
    idempotency,
    costMicroUsd,
    slice,
  }
}

/** Symbols say the kinds of a shape, but its keywords say them too. */
export const sliceOf = (schema: Schema): JsonObject => ({
  shape: plain(schema.shape),
  functions: [...schema.functions],
})

/** As data to be hashed. The order in which keys are declared is no part of what a schema means. */
function plain(value: unknown, key?: string): Json {
  if (typeof value !== "object" || value === null) return value as Json
  if (Array.isArray(value)) {
    const items = value.map((item) => plain(item))
    return key === "required" ? items.toSorted() : items
  }
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.fromEntries(entries.map(([name, part]) => [name, plain(part, name)]))
}

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
    max: Math.min(cost.max ?? Number.POSITIVE_INFINITY, interval?.max ?? Number.POSITIVE_INFINITY),
  }
}

function buildIdempotency(spec: ToolSpec["idempotency"]): Idempotency {
  if (spec === undefined || spec === "none") return { kind: "none" }
  return spec === "natural" ? { kind: "natural" } : { kind: "key", retentionMs: spec.key.retentionMs }
}

function buildMachine({ initial, transitions }: NonNullable<CatalogSpec["machine"]>): Machine {
  const rules = Object.entries(transitions).map(
    ([from, targets]) => [from, new Map(Object.entries(targets).map(([to, { guard }]) => [to, { guard }]))] as const,
  )
  return {
    initial,
    states: new Set([initial, ...rules.flatMap(([from, targets]) => [from, ...targets.keys()])]),
    transitions: new Map(rules),
  }
}

function readSchema(schema: unknown, tool: string, at: Pointer, role: Role, faults: Unplaced[]): Schema {
  const said = at === "/inputs" ? "inputs" : role
  const lowered = lowerSchema(schema, role)
  if (!lowered.ok) {
    for (const fault of lowered.faults) faults.push(diagnoseSchema(fault, tool, at, said))
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

function diagnoseSchema(
  { kind, at: where, what, problem }: SchemaFault,
  tool: string,
  at: Pointer,
  role: string,
): Unplaced {
  const place = { role, tool, what, where: where || "/" }
  switch (kind) {
    case "unnamed-function":
      return diagnose("SEQ805", at, place)
    case "not-json":
    case "not-a-schema":
    case "unsupported":
      return diagnose("SEQ804", at, { ...place, problem: problem ?? problems[kind] })
    case "unsafe-pattern":
      return diagnose("SEQ814", at, { ...place, problem: problem ?? "may be slow" })
    default:
      return diagnose("SEQ802", at, { ...place, problem: problems[kind] })
  }
}
