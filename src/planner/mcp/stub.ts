/**
 * A server's tools as a catalog in TypeScript, for the operator to read and to map. What the server says stands in it as JSON or in
 * line comments, with nothing in it that could end either: no code of the server's is ever written, or run.
 */
import { defineCatalog } from "../../catalog/define.ts"
import type { ClaimSpec, ToolSpec } from "../../catalog/tool.ts"
import { escapeHiddenJson, escapeNonAscii } from "../../text/escape.ts"
import { isObject, type Json, type JsonObject } from "../../text/json.ts"
import { contentSchema } from "./content.ts"
import type { Listed, ListedTool, RefusedTool } from "./listed.ts"

export interface StubSource {
  /** The operator's name of the server: it stands before each tool's. */
  readonly server: string
  readonly listed: Listed
  /** As the server calls itself. */
  readonly calls: { readonly name: string; readonly version: string }
  readonly protocol: string
}

export interface Stub {
  readonly text: string
  readonly taken: readonly string[]
  readonly refused: readonly RefusedTool[]
}

/** The catalog's name of a server's tool. */
const localName = (server: string, name: string): string => `${server}/${name}`

export function writeStub({ server, listed, calls, protocol }: StubSource): Stub {
  const { taken, refused } = judgeListed(server, listed)
  const content = taken.some(({ outputSchema }) => outputSchema === undefined)
  const text = [
    ...head,
    comment(`The server calls itself ${quote(calls.name)} ${quote(calls.version)}, and speaks ${quote(protocol)}.`),
    'import { defineCatalog, tool } from "sequitur"',
    `import { type McpPins${content ? ", mcpContent" : ""} } from "sequitur/mcp"`,
    "",
    "/** What each tool was when it was imported. `mcpToolbox` refuses a call of one that has changed since. */",
    "export const pins = {",
    `  server: ${json(server)},`,
    "  tools: {",
    ...taken.map(({ name, pin }) => `    ${json(localName(server, name))}: ${json(pin)},`),
    "  },",
    "} as const satisfies McpPins",
    "",
    "export const tools = {",
    ...taken.flatMap((tool) => writeTool(server, tool)),
    "}",
    "",
    "export default defineCatalog({",
    `  name: ${json(server)},`,
    '  version: "1",',
    "  // Nobody may use a tool whose `authority` names neither roles, tenants nor `when`.",
    '  authority: { default: "deny" },',
    "  tools,",
    "})",
    ...(refused.length === 0 ? [] : ["", comment("Refused, and not in this catalog:")]),
    ...refused.map(({ name, at, why }) => comment(`- ${name === "" ? `the tool at ${at}` : quote(name)}: ${why}`)),
    "",
  ].join("\n")
  return { text, taken: taken.map(({ name }) => localName(server, name)), refused }
}

/** Which of the tools a catalog can hold. */
export function judgeListed(
  server: string,
  listed: Listed,
): { readonly taken: readonly ListedTool[]; readonly refused: readonly RefusedTool[] } {
  const judged = listed.tools.map((tool) => ({ tool, why: findSchemaFault(server, tool) }))
  const taken = judged.flatMap(({ tool, why }) => (why === undefined ? [tool] : []))
  const bad = judged.flatMap(({ tool: { name }, why }): RefusedTool[] =>
    why === undefined ? [] : [{ name, at: listed.tools.findIndex((one) => one.name === name), kind: "schema", why }],
  )
  return { taken, refused: [...listed.refused, ...bad] }
}

const head = [
  "// Tools of an MCP server, as `sequitur mcp import` found them. Descriptions are the server's words, and a planner reads them.",
  "// To map a tool: read it; say its `effect`; say who may use it, with `authority: { roles: [...] }`; take `approval` away where",
  "// no person needs to look; and say what of its result is neither `untrusted` nor `private`. `claims` is what the server says of",
  "// it, which nobody believes: where it contradicts your words, the compiler warns, for one of you is mistaken.",
]

function writeTool(server: string, { name, title, description, inputSchema, outputSchema, annotations }: ListedTool) {
  const claims = claimsOf(annotations)
  return [
    `  ${json(localName(server, name))}: tool({`,
    `    description: ${json(describe({ name, title, description }))},`,
    '    effect: "write",',
    `    params: ${json(inputSchema, 4)},`,
    `    result: ${outputSchema === undefined ? "mcpContent" : json(outputSchema, 4)},`,
    "    untrusted: true,",
    "    private: true,",
    '    idempotency: "none",',
    '    compensate: "none",',
    '    authority: { approval: "always" },',
    ...(claims.length === 0 ? [] : [`    claims: { ${claims.map(([hint, said]) => `${hint}: ${said}`).join(", ")} },`]),
    "  }),",
  ]
}

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const

/** What is neither true nor false claims nothing; the pin has it all the same. */
const claimsOf = (annotations: JsonObject | undefined): readonly (readonly [keyof ClaimSpec, boolean])[] =>
  hints.flatMap((hint) => {
    const said = annotations?.[hint]
    return typeof said === "boolean" ? [[hint, said] as const] : []
  })

const describe = ({ name, title, description }: Pick<ListedTool, "name" | "title" | "description">): string =>
  [description, title].find((text) => text !== undefined && text.trim() !== "") ?? name

/** What this catalog's own front-end says of it: the judge must be able to hold calls to these very schemas. */
function findSchemaFault(
  server: string,
  { name, title, description, inputSchema, outputSchema }: ListedTool,
): string | undefined {
  if (mentions(inputSchema, "x-mcp-header")) return "it wants arguments in HTTP headers (`x-mcp-header`)"
  const spec: ToolSpec = {
    description: describe({ name, title, description }),
    effect: "write",
    params: inputSchema,
    result: outputSchema ?? contentSchema,
    untrusted: true,
    private: true,
    idempotency: "none",
    compensate: "none",
    authority: { approval: "always" },
  }
  const { diagnostics } = defineCatalog({
    name: server,
    version: "1",
    authority: { default: "deny" },
    tools: { [localName(server, name)]: spec },
  })
  const fault = diagnostics.find(({ severity }) => severity === "error")
  return fault === undefined ? undefined : `${fault.code} at ${fault.at}: ${fault.message}`
}

function mentions(value: Json, key: string): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, key))
  return (
    isObject(value) && (Object.hasOwn(value, key) || Object.values(value).some((inner) => mentions(inner as Json, key)))
  )
}

/** One line, printable ASCII: nothing ends it. */
const comment = (text: string): string => `// ${escapeNonAscii(text.slice(0, 4_000))}`

const quote = (text: string): string => JSON.stringify(text.slice(0, 200))

/** JSON is TypeScript, but for `__proto__`, which no tool that was taken has. */
function json(value: unknown, indent = 0): string {
  const text = escapeHiddenJson(JSON.stringify(value, null, indent === 0 ? undefined : 2))
  return text.replaceAll("\n", `\n${" ".repeat(indent)}`)
}
