/** The way through that a host can declare: a tool that shows a person the exact value, and gives it back when they agree. */
import { type Catalog, defineCatalog, type ToolSpec } from "sequitur"
import type { Json } from "../../src/text/json.ts"
import { saidOf } from "./attack.ts"
import type { Call } from "./host.ts"
import type { Round } from "./session.ts"
import type { Suite } from "./suite.ts"

const confirming = (type: "string" | "number"): ToolSpec => ({
  description: "Shows its user a value, and gives it back when they agree.",
  effect: "read",
  params: { type: "object", properties: { value: { type } }, required: ["value"], additionalProperties: false },
  result: { type },
  endorse: ["trusted", "public"],
  authority: { approval: "always" },
})

const tools = { confirm_text: confirming("string"), confirm_number: confirming("number") }

export const confirmingCatalog = ({ catalog }: Suite): Catalog =>
  defineCatalog({ ...catalog.spec, tools: { ...catalog.spec.tools, ...tools } }) as Catalog

/** Each argument that is refused goes by a person first, until none is: what is refused of one step hides what is of the next. */
export function confirmed(rounds: readonly Round[], suite: Suite): readonly Round[] {
  const catalog = confirmingCatalog(suite)
  let asking = rounds
  for (let told = saidOf(catalog, asking); told.length > 0; ) {
    asking = confirm(asking, told, suite)
    const left = saidOf(catalog, asking)
    // What a person cannot mend is left as it is.
    if (left.some((one) => told.includes(one))) return asking
    told = left
  }
  return asking
}

/** `told` of as `CODE step.argument`. */
function confirm(rounds: readonly Round[], told: readonly string[], { catalog }: Suite): readonly Round[] {
  const refused = new Set(told.map((one) => one.split(" ")[1]))
  const confirmStep = (call: Call): readonly Call[] => {
    const asked = Object.entries(call.args).filter(([argument]) => refused.has(`${call.id}.${argument}`))
    const idOf = (argument: string): string => `confirm-${call.id}-${argument}`
    const asking = asked.map(([argument, value]) => ({
      id: idOf(argument),
      tool: takesNumbers(catalog, call.tool, argument) ? "confirm_number" : "confirm_text",
      args: { value },
    }))
    const given = asked.map(([argument]) => [argument, { $from: idOf(argument) }] as const)
    return [...asking, { ...call, args: { ...call.args, ...Object.fromEntries(given) } }]
  }
  return rounds.map(({ calls, literals }) => ({ calls: calls.flatMap(confirmStep), literals }))
}

function takesNumbers({ spec }: Catalog, tool: string, argument: string): boolean {
  const params = spec.tools[tool]?.params as { readonly properties?: { readonly [key: string]: Json } } | undefined
  return JSON.stringify(params?.properties?.[argument] ?? {}).includes('"number"')
}

export const confirmingIds = (rounds: readonly Round[]): readonly string[] =>
  rounds.flatMap(({ calls }) => calls.filter(({ tool }) => tool in tools).map(({ id }) => id))
