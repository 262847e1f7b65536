/** A catalog in words, with the plan language on half a page: for a system prompt. The same catalog gives the same text. */
import { mayUse } from "../catalog/authority.ts"
import type { Blast, Catalog, Tool } from "../catalog/catalog.ts"
import { demandCatalog } from "../catalog/define.ts"
import type { Principal } from "../catalog/predicate.ts"
import type { Schema } from "../catalog/schema/schema.ts"
import { copyPrincipal } from "../compile.ts"
import { orList } from "../diagnostic/nearest.ts"
import { demand } from "../text/demand.ts"
import { demandForm, type Form } from "./form/form.ts"
import { line, placesOf } from "./places.ts"
import { hasRules, labelsIn, rulesOf, standingOf, wordsOfLabels } from "./terms.ts"

export interface PromptOptions {
  /** The form that `planSchema` chose, where plans are not written as they are. */
  readonly form?: Form
  /** Who the plan is for: of tools that they may not use no more is told than that. */
  readonly principal?: Principal
  /** UTF-16 units of the whole text, 4,000 at least. Default 60,000. A large catalog is told in fewer words, and says so. */
  readonly maxLength?: number
}

const least = 4_000

/** Throws a `TypeError` for what is no catalog, and for a form that `planSchema` does not give. */
export function planPrompt(catalog: Catalog, options: PromptOptions = {}): string {
  demandCatalog(catalog)
  const form = options?.form ?? { kind: "plan" }
  const maxLength = options?.maxLength ?? 60_000
  demandForm(form)
  demand(typeof maxLength === "number", "`maxLength` must be a number")
  const principal = options?.principal === undefined ? undefined : copyPrincipal(options.principal)
  demand(
    principal !== undefined || options?.principal === undefined,
    "`principal` must be `{ tenant, subject, roles }`",
  )
  const [usable, closed] = split(catalog, principal)
  const room = Math.max(least, maxLength)
  const all = sayAll(principal !== undefined)
  const few = sayArguments(principal !== undefined)
  const texts = [all, withoutWords(all), withoutWords(few), sayNames].map((say) => {
    const told = say === all ? [] : ["The tools are told in fewer words than there are: the catalog is large."]
    const acting = standingOf(principal, closed)
    return [language, ...wordsOf(form), ...rules(catalog), ...acting, ...told, ...tools(usable, say)].join("\n\n")
  })
  const fitting = texts.find((text) => text.length <= room)
  if (fitting !== undefined) return fitting
  const end = "\n(there is more, not shown)"
  const cut = (texts.at(-1) ?? "").slice(0, room - end.length)
  return `${cut.slice(0, cut.lastIndexOf("\n"))}${end}`
}

/** Tools that may be called, and the names of those that may not. What a predicate says hangs on the arguments. */
function split({ tools }: Catalog, principal: Principal | undefined): readonly [readonly Tool[], readonly string[]] {
  const isClosed = (tool: Tool): boolean =>
    tool.authority.nobody || (principal !== undefined && mayUse(tool, principal) !== undefined)
  const all = [...tools.values()]
  return [all.filter((tool) => !isClosed(tool)), all.filter(isClosed).map(({ name }) => name)]
}

const language = `# How to write a plan

Write the whole plan at once, as one JSON object and nothing around it. It is checked before anything happens; if it is refused you are told why, and write it again.

{"version": 1, "goal": "why, in a sentence", "steps": [
  {"id": "find", "tool": "a_tool", "args": {"accountId": {"$from": "input", "path": "/accountId"}}},
  {"id": "open", "transition": "A_STATE", "why": "asked for in writing"},
  {"id": "act", "tool": "another_tool", "args": {"itemId": {"$from": "find", "path": "/items", "where": {"/role": "spare"}, "pick": "/id"}, "cents": 500}}
]}

- A step calls a tool (\`tool\`, \`args\`) or goes to a state (\`transition\`). Steps run in the order of the list. Each has an \`id\` of its own: letters, digits, \`_\` and \`-\`, 64 at most, not beginning with a digit or \`-\`.
- \`{"$from": id, "path": pointer}\` is a value of an earlier step's result, or of \`input\`. The pointer is a JSON Pointer: \`/items/0/id\`, no dots, no brackets. Without \`path\` it is the whole.
- Where you cannot know an index, select: \`where\` compares values inside each element of the array at \`path\`, and \`pick\` points into the one element that matches. None or several stop the run.
- \`{"$concat": ["text", {"$from": …}]}\` joins strings, integers and booleans into a string. \`{"$literal": …}\` is data whose keys begin with \`$\`.
- Expressions stand anywhere inside \`args\`. Nothing is converted or filled in, and no other fields are allowed: "5" is not 5, and what may be left out is left out, not null.
- \`after\`: ids of earlier calls to wait for, where no reference says so. \`occurrence\`: 2 where the same effect is meant to happen a second time. \`why\`: for the people who approve.
- Only what a result declares can be pointed to. What *may be absent* cannot, except in \`where\`. An index, and what is marked *if it is there*, is looked up when the run comes to it; where there is nothing, the run stops.`

function wordsOf(form: Form): readonly string[] {
  if (form.kind === "plan") return []
  const head = "# How to spell it here\n\nThe output has a schema, which spells the plan language so:"
  const absent = form.absent === "null" ? ["- What is left out is null."] : []
  const lines =
    form.kind === "envelope"
      ? ["- `args` is a string: the JSON text of the arguments, in the plan language."]
      : [
          '- A step\'s deed stands in `do`: `{"a_tool": {its arguments}}` or `{"transition": "A_STATE"}`.',
          '- `{"_from": id, "path": pointer}` for `$from`; the path `""` is the whole.',
          '- `{"_select": id, "path": pointer, "where": [{"at": pointer, "is": value}], "pick": pointer}` for `$from` with `where`.',
          '- `{"_concat": [parts]}` for `$concat`.',
          '- `{"_json": "text"}` for a value that the schema has no place for: JSON text, in the plan language.',
          "- What you are told of a plan is told in the plan language: `/steps/0/args` is what you wrote in `do`.",
        ]
  return [[head, "", ...lines, ...absent].join("\n")]
}

/** What a limit may be shared with: plans that went before have used some of it. */
const sharers = {
  task: "all plans of the task together",
  session: "all plans of the session together",
  tenant: "all plans of the tenant together",
} as const

/** What holds for the whole plan. */
function rules(catalog: Catalog): readonly string[] {
  const { inputs, inputLabels, machine, limits, budgets, bounds } = catalog
  const lines = [`- ${Math.min(bounds.steps, budgets.steps ?? bounds.steps)} steps at most.`]
  if (budgets.sideEffects !== undefined) lines.push(`- ${budgets.sideEffects} calls with an effect at most.`)
  if (budgets.microUsd !== undefined)
    lines.push(`- Calls may cost ${budgets.microUsd} millionths of a US dollar at most.`)
  for (const { dimension, max, approveAbove, per } of limits.values()) {
    const asked = approveAbove === undefined ? "" : ` Above ${approveAbove} a person is asked.`
    lines.push(`- ${line(dimension)}: ${max} at most, in ${per === "run" ? "the whole plan" : sharers[per]}.${asked}`)
  }
  if (machine !== undefined) {
    lines.push(`- The plan begins in the state \`${line(machine.initial)}\`. Transitions:`)
    for (const [from, targets] of machine.transitions)
      for (const [to, { guard }] of targets)
        lines.push(
          `  - \`${line(from)}\` to \`${line(to)}\`${guard === undefined ? "" : guard === "approval" ? ", when a person has approved" : ", if a rule holds then"}`,
        )
  }
  if (hasRules(catalog)) lines.push(...wordsOfLabels)
  const given =
    inputs === undefined ? ["There is no `input`."] : ["`input` has:", ...placesOf(inputs), ...labelsIn(inputLabels)]
  return [["# Rules", "", ...lines].join("\n"), ["# Input", "", ...given].join("\n")]
}

type SayTool = (tool: Tool) => readonly string[]

function tools(tools: readonly Tool[], say: SayTool): readonly string[] {
  if (tools.length === 0) return ["# Tools\n\nThere are no tools."]
  return ["# Tools", ...tools.map((tool) => say(tool).join("\n"))]
}

const sayNames: SayTool = ({ name, description }) => [`## ${line(name)}\n${line(description, 120)}`]

const sayArguments =
  (known: boolean): SayTool =>
  (tool) => {
    const args = placesOf(tool.params, "arguments")
    return [
      `## ${line(tool.name)}`,
      line(tool.description, 1_000),
      ...termsOf(tool),
      ...(args.length === 0 ? ["No arguments."] : ["Arguments:", ...args]),
      ...rulesOf(tool, known),
    ]
  }

const sayAll =
  (known: boolean): SayTool =>
  (tool) => {
    const result = tool.result === undefined ? ["Result: not declared; only the whole value can be used."] : []
    const places = tool.result === undefined ? [] : placesOf(tool.result)
    const labels = labelsIn(tool.labels)
    return [...sayArguments(known)(tool), ...result, ...(places.length === 0 ? [] : ["Result:", ...places]), ...labels]
  }

/** Without what authors say of arguments and results. */
const withoutWords =
  (say: SayTool): SayTool =>
  (tool) => {
    const bare = (schema: Schema): Schema => ({ ...schema, descriptions: new Map() })
    return say({ ...tool, params: bare(tool.params), result: tool.result && bare(tool.result) })
  }

/** When and at what price it may be called. */
function termsOf({ effect, states, requires, blast }: Tool): readonly string[] {
  const when = states === undefined ? [] : [`Only in ${orList([...states].map((state) => line(state)))}.`]
  const first = requires.map(({ tool, same = [] }) => {
    const about = same.length === 0 ? "" : ` with the same ${same.map((name) => `\`${line(name)}\``).join(", ")}`
    return `Only after a call of \`${line(tool)}\`${about}.`
  })
  const counts = blast.length === 0 ? [] : [`Counts: ${blast.map(countOf).join(", ")}.`]
  return [[effect === "read" ? "No effect." : `Effect: ${effect}.`, ...when, ...first, ...counts].join(" ")]
}

function countOf(blast: Blast): string {
  const dimension = line(blast.dimension)
  if (blast.kind === "constant") return `${blast.value} ${dimension}`
  const parameter = `\`${line(blast.parameter)}\``
  return blast.kind === "count" ? `${dimension} by the items of ${parameter}` : `${dimension} by ${parameter}`
}
