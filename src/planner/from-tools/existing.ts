/** Tools as other libraries declare them: a name, words, a schema, and what does the work. Told by their shapes; none is loaded. */
import { NotApplied } from "../../run/call/not-applied.ts"
import { field, isSomething, textIn } from "../adapters/read.ts"

/** What runs a tool today: its arguments, and the signal that ends it. */
export type Run = (args: unknown, context: { readonly signal: AbortSignal; readonly stepId: string }) => unknown

export interface Existing {
  readonly name: string
  readonly description: string
  readonly schema: unknown
  readonly run: Run | undefined
  /** Its library asks a person before a call, of some calls at least. */
  readonly asksFirst: boolean
}

/** A list (LangChain tools, definitions as providers take them), or an object by name (AI SDK tools, zod objects). */
export function readExisting(tools: unknown, handlers: object): readonly Existing[] {
  return namedIn(tools).map(([key, one], index) => {
    const read = readOne(one)
    const name = key ?? read.name ?? `(${index})`
    const handler = Object.hasOwn(handlers, name) ? field(handlers, name) : undefined
    const run = typeof handler === "function" ? (handler as Run) : read.run
    return { name, description: read.description ?? "", schema: read.schema, run, asksFirst: read.asksFirst === true }
  })
}

type Named = readonly [name: string | undefined, tool: unknown]

function namedIn(tools: unknown): readonly Named[] {
  if (Array.isArray(tools)) return tools.flatMap(partsIn)
  if (!isSomething(tools)) return []
  // The answer of an MCP server, and Bedrock's `toolConfig`.
  const listed = field(tools, "tools")
  return Array.isArray(listed) ? listed.flatMap(partsIn) : isGemini(tools) ? partsIn(tools) : Object.entries(tools)
}

/** Gemini's tool is a list of functions. */
function partsIn(one: unknown): readonly Named[] {
  const declared = isGemini(one) ? field(one, "functionDeclarations") : undefined
  return (Array.isArray(declared) ? declared : [one]).map((part) => [undefined, part])
}

const isGemini = (one: unknown): boolean => Array.isArray(field(one, "functionDeclarations"))

interface Read {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly schema: unknown
  readonly run?: Run | undefined
  readonly asksFirst?: boolean
}

function readOne(one: unknown): Read {
  if (isSchema(one)) return { schema: one, description: textIn(one, "description") }
  if (field(one, "type") === "function") return readDefinition(field(one, "function") ?? one)
  const name = textIn(one, "name")
  const description = textIn(one, "description")
  const invoke = methodOf(one, "invoke")
  if (invoke !== undefined && field(one, "schema") !== undefined)
    return { name, description, schema: field(one, "schema"), run: (args, { signal }) => invoke(args, { signal }) }
  const specified = field(one, "toolSpec")
  if (specified !== undefined) return readSpecified(specified)
  const input = field(one, "input_schema")
  if (input !== undefined) return { name, description, schema: input, run: runnerOf(one) }
  const declared = field(one, "parametersJsonSchema") ?? field(one, "parameters")
  if (declared !== undefined) return { name, description, schema: lowerTypes(declared) }
  const execute = methodOf(one, "execute")
  const schema = field(one, "inputSchema") ?? field(one, "schema")
  const needsApproval = field(one, "needsApproval")
  return {
    name,
    description,
    schema: unwrap(schema),
    run: execute && (async (args, context) => callExecute(execute, await parse(schema, args), context)),
    asksFirst: typeof needsApproval === "function" || needsApproval === true,
  }
}

/** Bedrock's. */
const readSpecified = (spec: unknown): Read => ({
  name: textIn(spec, "name"),
  description: textIn(spec, "description"),
  schema: field(field(spec, "inputSchema"), "json"),
})

/** Of Anthropic's SDK, whose own loop parses first, too. */
function runnerOf(one: unknown): Run | undefined {
  const [run, parse] = [methodOf(one, "run"), methodOf(one, "parse")]
  return run && ((args) => run(parse === undefined ? args : held(() => parse(args))))
}

/** Gemini writes the names of types large. */
function lowerTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lowerTypes)
  if (!isSomething(schema) || isSchema(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "type" && typeof value === "string" && geminiTypes.test(value) ? value.toLowerCase() : lowerTypes(value),
    ]),
  )
}

const geminiTypes = /^(?:STRING|NUMBER|INTEGER|BOOLEAN|ARRAY|OBJECT|NULL)$/

/** OpenAI's: `null` and none are no parameters. */
function readDefinition(definition: unknown): Read {
  const none = { type: "object", properties: {}, additionalProperties: false }
  const schema = field(definition, "parameters") ?? none
  return { name: textIn(definition, "name"), description: textIn(definition, "description"), schema }
}

const isSchema = (one: unknown): boolean => isSomething(one) && "_zod" in one

/** `jsonSchema(…)` of the AI SDK holds one; a zod schema is itself. */
function unwrap(schema: unknown): unknown {
  if (!isSomething(schema) || isSchema(schema)) return schema
  return field(schema, "jsonSchema") ?? schema
}

type Method = (...given: readonly unknown[]) => unknown

function methodOf(one: unknown, key: string): Method | undefined {
  const found = field(one, key)
  return typeof found === "function" ? (...given) => Reflect.apply(found, one, given) : undefined
}

/**
 * As the library that calls `execute` does before: what its schema does not take never comes to it, and what it strips does not
 * either. It is done here again, for a gate that only watches holds nothing back.
 */
async function parse(schema: unknown, args: unknown): Promise<unknown> {
  const standard = methodOf(field(schema, "~standard"), "validate")
  if (standard !== undefined) {
    const judged = await standard(args)
    if (!isSomething(judged) || field(judged, "issues") !== undefined) throw refusal()
    return field(judged, "value")
  }
  const validate = methodOf(schema, "validate")
  if (validate === undefined) return args
  const judged = await validate(args)
  if (field(judged, "success") !== true) throw refusal()
  return field(judged, "value")
}

function held<A>(act: () => A): A {
  try {
    return act()
  } catch {
    throw refusal()
  }
}

const refusal = (): NotApplied =>
  new NotApplied("the tool was not called: its own schema does not take these arguments", {})

/** Of a tool that tells how far it is, the last word is its result. */
async function callExecute(execute: Method, args: unknown, { signal, stepId }: Parameters<Run>[1]): Promise<unknown> {
  const result = await execute(args, { toolCallId: stepId, messages: [], abortSignal: signal })
  if (!isSomething(result) || !(Symbol.asyncIterator in result)) return result
  let last: unknown
  for await (const said of result as AsyncIterable<unknown>) last = said
  return last
}
