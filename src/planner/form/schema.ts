/** The schema of a plan for a catalog, for anyone or for one provider, and the form in which plans then come back. */
import type { Catalog } from "../../catalog/catalog.ts"
import { demandCatalog } from "../../catalog/define.ts"
import { orList } from "../../diagnostic/nearest.ts"
import { demand } from "../../text/demand.ts"
import type { JsonObject } from "../../text/json.ts"
import type { Form } from "./form.ts"
import { type Count, measure, type Size } from "./measure.ts"
import { type Provider, type ProviderName, providers } from "./provider.ts"
import { envelopeSchema, structuredSchema } from "./structured.ts"
import { writtenSchema } from "./written.ts"

export interface PlanSchema {
  readonly schema: JsonObject
  /** What `decodePlan` needs to take a plan back. */
  readonly form: Form
  /** For people: which form was chosen and why, and what else they should know. */
  readonly notes: readonly string[]
}

export interface PlanSchemaOptions {
  readonly for?: ProviderName
}

/** Throws a `TypeError` for what is no catalog, and for a provider that is not known. */
export function planSchema(catalog: Catalog, options: PlanSchemaOptions = {}): PlanSchema {
  demandCatalog(catalog)
  const name = options?.for
  demand(
    name === undefined || Object.hasOwn(providers, name),
    `\`for\` must be ${orList(Object.keys(providers))}, or left out`,
  )
  const made = name === undefined ? written(catalog) : provided(catalog, providers[name])
  const faults = catalog.diagnostics.filter(({ severity }) => severity === "error").length
  if (faults === 0) return made
  return {
    ...made,
    notes: [`The catalog has faults (${faults}): until they are mended no plan compiles.`, ...made.notes],
  }
}

const written = (catalog: Catalog): PlanSchema => ({
  schema: writtenSchema(catalog),
  form: { kind: "plan" },
  notes: ["Plans are written as they are: JSON Schema 2020-12."],
})

function provided(catalog: Catalog, provider: Provider): PlanSchema {
  const { title, absent } = provider
  const structured = structuredSchema(catalog, provider)
  const passed = structured && excess(structured, provider)
  if (structured !== undefined && passed === undefined) {
    return {
      schema: structured,
      form: { kind: "structured", absent },
      notes: [`${title}: each tool's arguments are spelt out (${standing(structured, provider)}).`],
    }
  }
  const why = passed ?? "a tool's name cannot be a key there"
  const all = envelopeSchema(catalog, provider, true)
  const named = excess(all, provider) === undefined
  return {
    schema: named ? all : envelopeSchema(catalog, provider, false),
    form: { kind: "envelope", absent },
    notes: [
      `${title}: the arguments are asked for as JSON text, because ${why}.`,
      ...(named
        ? []
        : ["There are more tools than can be listed: any name is taken, and the compiler refuses unknown ones."]),
    ],
  }
}

const words: { readonly [C in Count]: string } = {
  properties: "properties",
  depth: "levels of objects",
  enumValues: "listed values",
  longEnum: "characters in one long list of values",
  characters: "characters of names and listed values",
  optional: "parameters that may be left out",
  unions: "parameters with a union",
}

const limitsOf = ({ limits }: Provider): readonly (readonly [Count, number])[] =>
  Object.entries(limits) as unknown as readonly (readonly [Count, number])[]

/** The first limit that a schema exceeds. */
function excess(schema: JsonObject, provider: Provider): string | undefined {
  const size: Size = measure(schema)
  const over = limitsOf(provider).find(([count, max]) => size[count] > max)
  if (over === undefined) return undefined
  const [count, max] = over
  const whose = provider.limitsBy === "provider" ? `${provider.title} takes` : "we send"
  return `spelling them out needs ${size[count]} ${words[count]} and ${whose} ${max} at most`
}

function standing(schema: JsonObject, provider: Provider): string {
  const size = measure(schema)
  const whose = provider.limitsBy === "provider" ? "" : "; the limits are ours, none are published"
  return `${limitsOf(provider)
    .map(([count, max]) => `${size[count]} of ${max} ${words[count]}`)
    .join(", ")}${whose}`
}
