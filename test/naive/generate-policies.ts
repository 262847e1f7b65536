/** Rules, labels and authority for a catalog and the plans against it: most of what the plans do is allowed by them. */
import { formatPointer } from "../../src/text/pointer.ts"
import type { Declaration, RuleDeclaration, Shape, ToolDeclaration } from "./declaration.ts"
import type { Mutable, MutableObject } from "./generate-value.ts"
import { endsOf, type Occasion } from "./policies.ts"
import type { Random } from "./random.ts"
import { isObject } from "./site.ts"

export function addPolicies(declaration: Declaration, plans: readonly MutableObject[], random: Random): Declaration {
  const { chance, int } = random
  const labelled = chance(0.7)
  const tools = Object.entries(declaration.tools).map(([name, tool]) => {
    const labels = labelled && chance(0.5) ? labelsOf(tool.result, random) : {}
    return [name, { ...tool, ...labels, ...rulesOf(name, tool, plans, random), ...authorityOf(tool, random) }] as const
  })
  const above = Object.entries(declaration.limits).filter(() => chance(0.4))
  return {
    ...declaration,
    tools: Object.fromEntries(tools),
    ...(declaration.inputs !== undefined && labelled && chance(0.5)
      ? { inputLabels: labelsOf(declaration.inputs, random) }
      : {}),
    ...(chance(0.08) ? { denies: true } : {}),
    approveAbove: Object.fromEntries(above.map(([dimension, max]) => [dimension, int(0, max)])),
  }
}

export const generateOccasion = ({ chance, pick }: Random): Occasion => ({
  ...(chance(0.5)
    ? {
        principal: {
          tenant: pick(["acme", "acme", "globex"]),
          subject: "ada",
          roles: pick([["clerk", "lead"], ["clerk"], ["lead", "x"], []]),
        },
      }
    : {}),
  ...(chance(0.1) ? { literals: pick(["trusted", "untrusted"]) } : {}),
})

function labelsOf(shape: Shape | undefined, { chance, pick }: Random) {
  const ends = shape === undefined ? [[]] : endsOf(shape)
  const place = (): string => {
    const end = pick(ends)
    return formatPointer(chance(0.3) ? end.slice(0, Math.ceil(end.length / 2)) : end)
  }
  return {
    ...(chance(0.6) ? { untrusted: [place()] } : {}),
    ...(chance(0.6) ? { private: [place()] } : {}),
  }
}

function rulesOf(name: string, { params }: ToolDeclaration, plans: readonly MutableObject[], random: Random) {
  const { chance, pick } = random
  const rules: Record<string, RuleDeclaration> = {}
  for (const end of endsOf(params)) {
    if (end.length === 0 || !chance(0.2)) continue
    const path = chance(0.2) ? end.slice(0, 1) : end
    const optional = !path.includes("*") && params.fields[path[0] as string]?.optional === true
    const from = origins(name, path, plans)
    const rule: RuleDeclaration = {
      ...(chance(0.6) ? { trusted: true } : {}),
      ...(chance(0.6) ? { public: true } : {}),
      ...(from.length > 0 && chance(0.25) ? { from: from.slice(0, pick([1, 9])) } : {}),
      ...(optional && chance(0.4) ? { mustState: true } : {}),
    }
    if (Object.keys(rule).length > 0)
      rules[path.length === 1 && chance(0.5) ? (path[0] as string) : formatPointer(path)] = rule
  }
  return Object.keys(rules).length === 0 ? {} : { rules }
}

/** Where the plans take an argument from. */
function origins(tool: string, path: readonly string[], plans: readonly MutableObject[]): readonly string[] {
  const found = plans.flatMap(({ steps }) => {
    const calls = (steps as Mutable[]).filter(isObject).filter(({ tool }) => typeof tool === "string")
    return calls
      .filter((step) => step.tool === tool)
      .flatMap(({ args }) => at(args, path))
      .flatMap((value) => {
        if (!isObject(value) || typeof value.$from !== "string") return []
        const source = value.$from === "input" ? "input" : calls.find(({ id }) => id === value.$from)?.tool
        const pick = value.where === undefined ? "" : `/*${String(value.pick ?? "")}`
        return [`${String(source)}#${String(value.path ?? "")}${pick}`.replaceAll(/\/\d+(?=\/|$)/g, "/*")]
      })
  })
  return [...new Set(found)]
}

function at(value: Mutable | undefined, [token, ...rest]: readonly string[]): readonly Mutable[] {
  if (value === undefined) return []
  if (token === undefined) return [value]
  if (Array.isArray(value)) return token === "*" ? value.flatMap((item) => at(item, rest)) : []
  return isObject(value) && Object.hasOwn(value, token) ? at(value[token], rest) : []
}

const authorityOf = ({ params }: ToolDeclaration, { chance, pick, int }: Random) => ({
  ...(chance(0.2) ? { roles: pick([["lead"], ["clerk", "lead"]]) } : {}),
  ...(chance(0.1) ? { tenants: pick([["acme"], ["acme", "globex"]]) } : {}),
  ...(Object.keys(params.fields).length > 0 && chance(0.1) ? { most: int(0, 4) } : {}),
  ...(chance(0.1) ? { always: true } : {}),
  ...(chance(0.15)
    ? { endorse: pick<readonly ("trusted" | "public")[]>([["trusted"], ["public"], ["trusted", "public"]]) }
    : {}),
})
