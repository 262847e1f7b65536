/** NESTFUL: nested plans, their `$var.field$` references as `$from`, through what `output_parser` says of results. */
import { type Catalog, compile, defineCatalog, type ToolSpec } from "sequitur"
import type { JsonSchema } from "../../src/catalog/schema/schema.ts"
import type { Json, JsonObject } from "../../src/text/json.ts"
import { formatPointer } from "../../src/text/pointer.ts"
import { readData } from "../data.ts"
import { codeOf, explain } from "./judged.ts"
import { fromProperties, type PythonSchema } from "./python-schema.ts"
import { type Case, hasFile, type Row, readExpected, rowOf, saidOf } from "./suite.ts"
import { write } from "./written.ts"

interface Specified {
  readonly name: string
  readonly description: string
  readonly query_parameters?: Properties
  readonly path_parameters?: Properties
  readonly parameters?: Properties
  readonly output_parameters: Properties
  /** Where a field stands in what the tool really answers: `result.data[0].{param}`. */
  readonly output_parser?: string
}

interface Properties {
  readonly [name: string]: PythonSchema
}

interface Nested {
  readonly output: readonly { readonly name: string; readonly arguments: JsonObject; readonly label?: string }[]
}

const sets = [
  { name: "executable", plans: "executable-data.json", specs: "executable-spec.json" },
  { name: "glaive", plans: "non-executable-glaive-data.json", specs: "non-executable-glaive-spec.json" },
] as const

export function nestfulRows(): readonly Row[] {
  const expected = readExpected("nestful/expected_findings.json")
  return sets
    .filter(({ plans, specs }) => hasFile(`nestful/${plans}`) && hasFile(`nestful/${specs}`))
    .map(({ name, plans, specs }) => {
      const tools = toolsOf(JSON.parse(readData(`nestful/${specs}`)) as readonly Specified[])
      const catalog = catalogOf(name, tools)
      const nested = JSON.parse(readData(`nestful/${plans}`)) as readonly Nested[]
      return rowOf(
        `${name} plans`,
        nested.map((plan, index) => judge(`${name}#${index}`, plan, tools, catalog, expected[`${name}#${index}`])),
      )
    })
}

/** Some are listed twice, in the same words. */
const toolsOf = (specs: readonly Specified[]): ReadonlyMap<string, Specified> =>
  new Map(specs.map((spec) => [spec.name, spec]))

/** What the plan's reader gets at the end is written as a call too: of anything, by any name. */
const answer: ToolSpec = {
  description: "What the plan gives.",
  effect: "read",
  params: { type: "object", additionalProperties: true },
}

function catalogOf(name: string, tools: ReadonlyMap<string, Specified>): Catalog {
  const specs = [...tools.values()].map((spec): [string, ToolSpec] => [
    spec.name,
    { description: spec.description, effect: "read", params: paramsOf(spec), result: resultOf(spec) },
  ])
  const catalog = defineCatalog({ name, version: "1", tools: Object.fromEntries([...specs, ["var_result", answer]]) })
  const faults = catalog.diagnostics.filter(({ severity }) => severity === "error")
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  return catalog
}

function paramsOf({ query_parameters, path_parameters, parameters }: Specified): JsonSchema {
  const all = { ...query_parameters, ...path_parameters, ...parameters }
  const required = Object.entries(all).flatMap(([name, property]) => (property.required === true ? [name] : []))
  return { type: "object", properties: fromProperties(all), required, additionalProperties: false }
}

/** What is declared counts as always there: nothing says otherwise. */
function resultOf({ output_parameters: output, output_parser: parser }: Specified): JsonSchema {
  const fields = alwaysThere({ type: "object", properties: fromProperties(output) })
  return wayTo(parser).reduceRight<JsonSchema>(
    (inner, token) =>
      typeof token === "number"
        ? { type: "array", items: inner }
        : { type: "object", properties: { [token]: inner }, required: [token] },
    fields,
  )
}

function alwaysThere(schema: JsonSchema): JsonSchema {
  if (typeof schema === "boolean") return schema
  const { items, properties } = schema as {
    readonly items?: JsonSchema
    readonly properties?: { readonly [key: string]: JsonSchema }
  }
  return {
    ...schema,
    ...(items === undefined ? {} : { items: alwaysThere(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, alwaysThere(inner)])),
          required: Object.keys(properties),
        }),
  }
}

/** `result.data[0].{param}` leads through `data` and 0. `{}` names nothing: such fields stand directly in the result. */
const wayTo = (parser = "result.{param}"): readonly (string | number)[] =>
  tokensOf(
    parser
      .replace(/^result/, "")
      .replace(".{}", "")
      .replace(/\.\{param\}$/, ""),
  )

const tokensOf = (written: string): readonly (string | number)[] =>
  [...written.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) =>
    index === undefined ? (key ?? "") : Number(index),
  )

/** `$var1.author[0].id$`, alone or within a text. */
const reference = /\$(var\d+)((?:\.|\[)[^$]*)?\$/g

function asWritten({ output }: Nested, tools: ReadonlyMap<string, Specified>) {
  const called = new Map(output.map(({ name, label }) => [label, name]))
  const refer = (label: string, way = ""): Json => {
    const { output_parser: parser } = tools.get(called.get(label) ?? "") ?? {}
    return { $from: label, path: formatPointer([...wayTo(parser), ...tokensOf(way)]) }
  }
  const convert = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(convert)
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(inner)]))
    return typeof value === "string" ? joinText(value, refer) : value
  }
  const steps = output.map(({ name, arguments: given, label = name }) => ({
    id: label,
    tool: name,
    args: convert(given) as JsonObject,
  }))
  return { version: 1, steps }
}

function joinText(text: string, refer: (label: string, way?: string) => Json): Json {
  const found = [...text.matchAll(reference)]
  if (found.length === 0) return text
  const [first] = found
  if (first?.[0] === text) return refer(first[1] ?? "", first[2])
  let end = 0
  const parts = found.flatMap((match) => {
    const before = text.slice(end, match.index)
    end = match.index + match[0].length
    return [...(before === "" ? [] : [before]), refer(match[1] ?? "", match[2])]
  })
  return { $concat: end === text.length ? parts : [...parts, text.slice(end)] }
}

/** Our codes in the data's words. The data does not hold it against a plan that an incomplete list lacks a field. */
const inTheirWords: { readonly [code: string]: string } = {
  SEQ106: "E_DUP_LABEL",
  SEQ108: "E_UNKNOWN_TOOL",
  SEQ120: "E_MISSING_ARG",
  SEQ121: "E_UNKNOWN_ARG",
  SEQ122: "E_TYPE",
  SEQ123: "E_TYPE",
  SEQ201: "E_REF_UNDEFINED",
  SEQ202: "E_REF_UNDEFINED",
  SEQ203: "E_REF_UNDEFINED",
  SEQ205: "E_REF_FIELD",
  SEQ207: "E_TYPE",
}

function judge(
  id: string,
  plan: Nested,
  tools: ReadonlyMap<string, Specified>,
  catalog: Catalog,
  expected: readonly string[] = [],
): Case {
  const compiled = compile(catalog, write(asWritten(plan, tools)))
  const ours = saidOf(compiled).map(codeOf)
  const theirs = new Set(expected.map((finding) => finding.replace(/_MAYBE$/, "")))
  const same =
    ours.every((code) => theirs.has(inTheirWords[code] ?? code)) &&
    [...theirs].every((finding) => ours.some((code) => inTheirWords[code] === finding))
  return {
    ok: compiled.ok,
    verdict: same ? "as-expected" : explain("NESTFUL", { id, text: JSON.stringify(plan) }, saidOf(compiled), expected),
  }
}
