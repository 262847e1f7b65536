/**
 * Plans as small models wrote them (TaskBench): nodes with arguments in a list, `<node-2>` for what another node
 * gives. A tool takes and gives media: a text is a string, anything else an object that says which medium it is; a file
 * name stands for whatever medium the tool takes there.
 */
import { type Catalog, compile, defineCatalog, type ToolSpec } from "sequitur"
import type { JsonSchema } from "../../src/catalog/schema/schema.ts"
import type { Json, JsonObject } from "../../src/text/json.ts"
import { readData } from "../data.ts"
import { codeOf, explain } from "./judged.ts"
import { type Case, hasFile, type Row, readExpected, rowOf, saidOf } from "./suite.ts"
import { write } from "./written.ts"

interface Node {
  readonly id: string
  readonly desc: string
  readonly "input-type": readonly string[]
  readonly "output-type": readonly string[]
}

interface Plan {
  readonly task_nodes: readonly { readonly task: string; readonly arguments?: readonly Json[] }[]
}

const sets = ["huggingface", "multimedia"] as const

export function writtenRows(): readonly Row[] {
  const expected = readExpected("llm-written-plans/expected_findings.json")
  return sets
    .filter((set) =>
      [`${set}-codellama13b.jsonl`, `${set}-tools.json`].every((file) => hasFile(`llm-written-plans/${file}`)),
    )
    .map((set) => {
      const { nodes } = JSON.parse(readData(`llm-written-plans/${set}-tools.json`)) as {
        readonly nodes: readonly Node[]
      }
      const catalog = catalogOf(set, nodes)
      const plans = readData(`llm-written-plans/${set}-codellama13b.jsonl`).trim().split("\n")
      return rowOf(
        set,
        plans.map((line, index) => {
          const id = `${set}/CodeLlama-13b#${index}`
          return judge(id, JSON.parse(line) as Plan, nodes, catalog, expected[id])
        }),
      )
    })
}

/** Tool names are ASCII without blanks. */
const nameOf = (task: string): string => task.replaceAll(/[^A-Za-z0-9_.-]/g, "_")

function catalogOf(name: string, nodes: readonly Node[]): Catalog {
  const tools = nodes.map((node): [string, ToolSpec] => {
    const inputs = node["input-type"].map((medium, index) => [`input${index}`, schemaOf(medium)] as const)
    const [output] = node["output-type"]
    return [
      nameOf(node.id),
      {
        description: node.desc,
        effect: "read",
        params: {
          type: "object",
          properties: Object.fromEntries(inputs),
          required: inputs.map(([key]) => key),
          additionalProperties: false,
        },
        ...(output === undefined ? {} : { result: schemaOf(output) }),
      },
    ]
  })
  const catalog = defineCatalog({ name, version: "1", tools: Object.fromEntries(tools) })
  const faults = catalog.diagnostics.filter(({ severity }) => severity === "error")
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  return catalog
}

const isText = (medium: string): boolean => medium === "text" || medium === "url"

const schemaOf = (medium: string): JsonSchema =>
  isText(medium)
    ? { type: "string" }
    : {
        type: "object",
        properties: { medium: { const: medium.toLowerCase() }, name: { type: "string" } },
        required: ["medium", "name"],
        additionalProperties: false,
      }

const mention = /<node-(\d+)>/g

function asWritten({ task_nodes: nodes }: Plan, known: readonly Node[]) {
  const nodeOf = (task = ""): Node | undefined => known.find(({ id }) => nameOf(id) === nameOf(task))
  const gives = (value: Json): string | undefined => {
    const [only] = referredIn(value)
    return only === undefined ? undefined : nodeOf(nodes[only]?.task)?.["output-type"][0]
  }
  const steps = nodes.map(({ task, arguments: given = [] }, index) => {
    const inputs = nodeOf(task)?.["input-type"] ?? []
    const places = placesOf(given.map(gives), inputs)
    const args = given.map((value, at) => {
      const place = places[at] ?? at
      return [`input${place}`, convert(value, inputs[place] ?? "text")] as const
    })
    return { id: `node-${index}`, tool: nameOf(task), args: Object.fromEntries(args) as JsonObject }
  })
  return { version: 1, steps }
}

/** Arguments have no names, and nobody kept to the order of a tool's inputs: each goes where its medium is taken. */
function placesOf(given: readonly (string | undefined)[], inputs: readonly string[]): readonly number[] {
  const free = new Set(Array.from({ length: Math.max(given.length, inputs.length) }, (_, place) => place))
  const take = (place: number | undefined): number | undefined => {
    if (place !== undefined) free.delete(place)
    return place
  }
  const right = given.map((medium) =>
    medium === undefined ? undefined : take([...free].find((place) => inputs[place] === medium)),
  )
  return right.map((place) => place ?? take([...free][0]) ?? 0)
}

const referredIn = (value: Json): readonly number[] =>
  [...JSON.stringify(value).matchAll(mention)].map(([, index]) => Number(index))

/** Some write `{"name": …, "value": …}` instead of the value: what it holds is looked at as text. */
function convert(value: Json, medium: string): Json {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  const found = [...text.matchAll(mention)]
  const [first] = found
  if (first !== undefined && (first[0] === text || typeof value !== "string")) return { $from: `node-${first[1]}` }
  if (first === undefined || !isText(medium)) return isText(medium) ? text : { medium, name: text }
  let end = 0
  const parts = found.flatMap((match) => {
    const before = text.slice(end, match.index)
    end = match.index + match[0].length
    return [before, { $from: `node-${match[1]}` }]
  })
  return { $concat: [...parts, text.slice(end)] }
}

/** Our codes in the data's words. */
const inTheirWords: { readonly [code: string]: string } = {
  SEQ108: "UNKNOWN_TOOL",
  SEQ120: "ARITY",
  SEQ121: "ARITY",
  SEQ201: "REF_OUT_OF_RANGE",
  SEQ202: "FORWARD_REF",
  SEQ203: "SELF_REF",
  SEQ207: "EDGE_TYPE",
}

function judge(
  id: string,
  plan: Plan,
  known: readonly Node[],
  catalog: Catalog,
  expected: readonly string[] = [],
): Case {
  const compiled = compile(catalog, write(asWritten(plan, known)))
  const ours = saidOf(compiled).map(codeOf)
  const same =
    ours.every((code) => expected.includes(inTheirWords[code] ?? code)) &&
    expected.every((finding) => ours.some((code) => inTheirWords[code] === finding))
  return {
    ok: compiled.ok,
    verdict: same
      ? "as-expected"
      : explain("written plans", { id, text: JSON.stringify(plan) }, saidOf(compiled), expected),
  }
}
