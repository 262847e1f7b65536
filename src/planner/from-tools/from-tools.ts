/**
 * The door sequitur/from-tools: a catalog and a toolbox from tools that a host has already. Nothing is believed of a tool until the host's policy says it: each has
 * an effect, may be neither repeated nor undone, and what it gives is untrusted and private. A tool whose schema the catalog cannot
 * hold exactly is left out, and told with the reasons.
 */
import type { Catalog, CatalogSpec } from "../../catalog/catalog.ts"
import { defineCatalog } from "../../catalog/define.ts"
import { lowerSchema } from "../../catalog/schema/lower.ts"
import type { AnySchema, SchemaFault } from "../../catalog/schema/schema.ts"
import type { ToolSpec } from "../../catalog/tool.ts"
import { type CallContext, type Toolbox, toolbox } from "../../run/toolbox.ts"
import { demand } from "../../text/demand.ts"
import { isObject } from "../../text/json.ts"
import { type Existing, type Run, readExisting } from "./existing.ts"

/** What a host says of one tool: any field of the catalog's own declaration. Its schema is the tool's. */
export interface ToolPolicy extends Partial<Omit<ToolSpec, "params">> {
  /** Of a tool whose library asks a person first (`needsApproval` of the AI SDK): `false` lets its calls go without. */
  readonly needsApproval?: false
}

export interface ToolsPolicy extends Partial<Omit<CatalogSpec, "tools">> {
  readonly name: string
  readonly version: string
  readonly tools?: { readonly [name: string]: ToolPolicy }
  /** What does the work of tools that are definitions only, or should be done otherwise. */
  readonly handlers?: { readonly [name: string]: Run }
}

/** A tool that is not in the catalog. */
export interface LeftOut {
  readonly name: string
  readonly why: readonly string[]
}

export interface FromTools {
  /** Carries its own faults and notices, as `defineCatalog` does: what was closed is among them. */
  readonly catalog: Catalog
  readonly tools: Toolbox
  readonly refused: readonly LeftOut[]
  /** Tools of which the policy says nothing yet. */
  readonly unmapped: readonly string[]
  /** What was made of a tool that neither it nor the policy says in these words. */
  readonly notices: readonly ToolNotice[]
}

export interface ToolNotice {
  readonly name: string
  readonly notice: string
}

/** Throws a `TypeError` for what are no tools, where none is left, and for a policy or handler of a tool that is not there. */
export function fromTools(existing: object, policy: ToolsPolicy): FromTools {
  demand(typeof existing === "object" && existing !== null, "`existing` must be a list of tools, or an object of them")
  demand(isObject(policy), "the policy must be an object with a `name` and a `version`")
  const { tools: policies = {}, handlers = {}, ...spec } = policy
  const found = readExisting(existing, handlers)
  const names = new Set(found.map(({ name }) => name))
  for (const [what, table] of Object.entries({ policy: policies, handler: handlers }))
    for (const name of Object.keys(table))
      demand(names.has(name), `there is a ${what} for \`${name}\`, which is no tool`)
  const seen = new Set<string>()
  const judged = found.map((tool) => {
    const why = reasonsAgainst(tool, seen.has(tool.name))
    seen.add(tool.name)
    return { tool, why }
  })
  const kept = judged.filter(({ why }) => why.length === 0).map(({ tool }) => tool)
  const refused = judged.filter(({ why }) => why.length > 0).map(({ tool: { name }, why }) => ({ name, why }))
  demand(kept.length > 0, sayNoneLeft(refused))
  const asking = kept.filter(({ name, asksFirst }) => asksFirst && own(policies, name)?.needsApproval !== false)
  const catalog = defineCatalog({
    ...spec,
    tools: Object.fromEntries(kept.map((tool) => [tool.name, specOf(tool, own(policies, tool.name))])),
  })
  const work = kept.map(({ name, run }) => [name, (args: unknown, context: CallContext) => run?.(args, context)])
  return {
    catalog,
    tools: toolbox(catalog, Object.fromEntries(work) as never),
    refused,
    unmapped: kept.map(({ name }) => name).filter((name) => !Object.hasOwn(policies, name)),
    notices: asking.map(({ name }) => ({ name, notice: asksNotice })),
  }
}

const asksNotice =
  "it has `needsApproval`: every call waits for a person (`authority.approval`), also where it would ask for some calls only. A gate that only observes asks nobody: name it in `enforce` there"

function sayNoneLeft(refused: readonly LeftOut[]): string {
  if (refused.length === 0) return "`existing` holds no tools"
  const told = refused.slice(0, 5).map(({ name, why }) => `\`${name}\`: ${why.join(", ")}`)
  const more = refused.length - told.length
  return `none of these tools can be in a catalog. ${told.join("; ")}${more > 0 ? `; and ${more} more` : ""}`
}

const own = <A>(table: { readonly [name: string]: A }, name: string): A | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

function specOf(
  { description, schema, name, asksFirst }: Existing,
  {
    needsApproval = asksFirst,
    ...policy
  }: Omit<ToolPolicy, "needsApproval"> & { readonly needsApproval?: boolean } = {},
): ToolSpec {
  const { effect = "write" } = policy
  return {
    description: description === "" ? `The tool ${name}.` : description,
    untrusted: true,
    private: true,
    ...(effect === "read" ? {} : ({ idempotency: "none", compensate: "none" } as const)),
    ...policy,
    ...(needsApproval ? { authority: { ...policy.authority, approval: "always" } as const } : {}),
    effect,
    params: schema as AnySchema,
  }
}

function reasonsAgainst({ name, schema, run }: Existing, again: boolean): readonly string[] {
  const lowered = schema === undefined ? undefined : lowerSchema(schema, "params")
  return [
    ...(again ? ["another tool has its name"] : []),
    ...(wellNamed.test(name) && name !== "input" ? [] : ["its name has characters that no catalog takes"]),
    ...(run === undefined ? ["nothing does its work: give it in `handlers`"] : []),
    ...(lowered === undefined
      ? ["it has no schema: give it `inputSchema`, `input_schema`, `parameters` or `schema`"]
      : lowered.ok
        ? []
        : lowered.faults.map(sayFault)),
  ]
}

/** As the catalog asks for it (SEQ807). */
const wellNamed = /^(?:[A-Za-z0-9_.-]{1,128}\/)?[A-Za-z0-9_.-]{1,128}$/

const words: { readonly [Kind in SchemaFault["kind"]]: string } = {
  coerces: "changes a value's type",
  transforms: "changes values",
  defaults: "fills in what is not there",
  asynchronous: "asks asynchronously",
  "unnamed-function": "is a function without a name and version",
  "not-json": "is not JSON",
  "not-a-schema": "is no schema that can be read",
  unsupported: "cannot be held exactly",
  "unsafe-pattern": "is a pattern that may be slow",
}

const sayFault = ({ kind, at, what, problem }: SchemaFault): string =>
  `${at === "" ? "its schema" : at}: ${what} ${problem ?? words[kind]}`
