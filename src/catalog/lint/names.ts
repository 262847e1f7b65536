/** Names that a planner, a provider or a person could take for one another. Codes: SEQ801, SEQ807, SEQ817. */
import { diagnose, type Unplaced } from "../../diagnostic/diagnostic.ts"
import { child, type Pointer, root } from "../../text/pointer.ts"
import type { Built, Tool } from "../catalog.ts"

export function lintNames({ tools, machine, limits }: Built): Unplaced[] {
  const toTool = (name: string): Pointer => child(child(root, "tools"), name)
  const toState = (name: string): Pointer => child(child(child(root, "machine"), "transitions"), name)
  const toLimit = (name: string): Pointer => child(child(root, "blastRadius"), name)
  return [
    ...[...tools.keys()]
      // `input` names what a run is given, in plans and in rules.
      .filter((name) => !wellNamed.test(name) || name === "input")
      .map((name) => diagnose("SEQ807", toTool(name), { tool: name })),
    ...collisions("tools", tools.keys(), byProvider, toTool),
    ...collisions("states", machine?.states ?? [], ignoringCase, toState),
    ...collisions("limits", limits.keys(), ignoringCase, toLimit),
  ]
}

/** What begins with `$` is an expression at the top of `args`: no plan and no call could give it. */
export function lintParameterNames({ name, params }: Tool, at: Pointer): Unplaced[] {
  const { required = [] } = params.shape as { readonly required?: readonly string[] }
  return required
    .filter((parameter) => parameter.startsWith("$"))
    .map((parameter) => {
      const what = `the parameter \`${parameter}\` of \`${name}\``
      const remedy = "Give it another name, and put the `$` there in the handler; or leave it optional."
      const problem = "begins with `$`, so that no plan can give it, and must be given"
      return diagnose("SEQ801", child(at, "params"), { what, problem, remedy })
    })
}

const wellNamed = /^(?:[A-Za-z0-9_.-]{1,128}\/)?[A-Za-z0-9_.-]{1,128}$/

const ignoringCase = (name: string): string => name.toLowerCase()

/** Providers let names of functions have letters, digits, `_` and `-` only; who calls them puts `_` for the rest. */
const byProvider = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, "_")

/** Each name that comes to the same as an earlier one. */
function collisions(
  kind: string,
  names: Iterable<string>,
  comesTo: (name: string) => string,
  place: (name: string) => Pointer,
): Unplaced[] {
  const taken = new Map<string, string>()
  return [...names].flatMap((name) => {
    const short = comesTo(name)
    const first = taken.get(short)
    if (first === undefined) {
      taken.set(short, name)
      return []
    }
    const problem =
      ignoringCase(first) === ignoringCase(name)
        ? "differ only by case"
        : "are the same to a provider, which knows letters, digits, `_` and `-` only"
    const related = [{ at: place(first), message: `\`${first}\` is here` }]
    return [diagnose("SEQ817", place(name), { kind, first, second: name, problem }, { related })]
  })
}
