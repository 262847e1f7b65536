/** The host's own mistakes, found before any plan is. Codes: SEQ806 … SEQ813. */
import { diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import { suggest } from "../diagnostic/nearest.ts"
import { child, type Pointer, root } from "../text/pointer.ts"
import type { Catalog, CatalogSpec, Tool } from "./catalog.ts"
import { countOf, intervalOf } from "./schema/interval.ts"
import { propertiesOf, propertyOf } from "./schema/shape.ts"
import type { Argument, Count, ToolSpec } from "./tool.ts"

type Built = Omit<Catalog, "diagnostics" | "spec">

export function lint(catalog: Built, spec: CatalogSpec): Unplaced[] {
  const said: Unplaced[] = [...lintMachine(catalog), ...lintPolicies(spec)]
  for (const tool of catalog.tools.values()) {
    const toolSpec = spec.tools[tool.name]
    if (toolSpec === undefined) continue
    const at = child(child(root, "tools"), tool.name)
    said.push(...lintName(tool, at), ...lintStates(tool, catalog, at), ...lintRequires(tool, catalog, at))
    said.push(
      ...lintAnswers(tool, toolSpec, at),
      ...lintBlast(tool, toolSpec, catalog, at),
      ...lintToolPolicies(tool, toolSpec, at),
    )
  }
  return said
}

/** Declared policies whose gates this version lacks: refused by name, never ignored. */
function lintPolicies(spec: CatalogSpec): Unplaced[] {
  const said: Unplaced[] = []
  for (const [dimension, limit] of Object.entries(spec.blastRadius ?? {})) {
    const at = child(child(root, "blastRadius"), dimension)
    const where = `limit \`${dimension}\``
    if (limit.approveAbove !== undefined) said.push(notBuilt(child(at, "approveAbove"), where, "approveAbove"))
    if (limit.per !== undefined && limit.per !== "run")
      said.push(notBuilt(child(at, "per"), where, `per: "${limit.per}"`))
  }
  if (spec.budgets?.tokens !== undefined)
    said.push(notBuilt(child(child(root, "budgets"), "tokens"), "the catalog", "budgets.tokens"))
  return said
}

function lintToolPolicies(tool: Tool, spec: ToolSpec, at: Pointer): Unplaced[] {
  const where = `tool \`${tool.name}\``
  const declared: (keyof ToolSpec)[] = (["rules", "once", "reconcile", "authority", "isolate"] as const).filter(
    (policy) => spec[policy] !== undefined,
  )
  if (spec.compensate !== undefined && spec.compensate !== "none") declared.push("compensate")
  return declared.map((policy) => notBuilt(child(at, policy), where, policy))
}

const notBuilt = (at: Pointer, where: string, policy: string): Unplaced => diagnose("SEQ806", at, { where, policy })

const wellNamed = /^(?:[A-Za-z0-9_.-]{1,128}\/)?[A-Za-z0-9_.-]{1,128}$/

function lintName({ name }: Tool, at: Pointer): Unplaced[] {
  return wellNamed.test(name) ? [] : [diagnose("SEQ807", at, { tool: name })]
}

function lintMachine({ machine }: Built): Unplaced[] {
  if (machine === undefined) return []
  const reached = new Set([machine.initial])
  for (const state of reached) for (const to of machine.transitions.get(state)?.keys() ?? []) reached.add(to)
  return [...machine.states]
    .filter((state) => !reached.has(state))
    .map((state) =>
      diagnose("SEQ809", child(child(child(root, "machine"), "transitions"), state), {
        initial: machine.initial,
        state,
      }),
    )
}

function lintStates(tool: Tool, { machine }: Built, at: Pointer): Unplaced[] {
  if (tool.states === undefined) {
    return machine !== undefined && tool.mutates ? [diagnose("SEQ810", at, { tool: tool.name })] : []
  }
  const where = `\`states\` of \`${tool.name}\``
  return [...tool.states]
    .filter((state) => !machine?.states.has(state))
    .map((state) =>
      diagnose("SEQ808", child(at, "states"), {
        where,
        kind: "state",
        name: state,
        nearest: suggest(state, machine?.states ?? [], "states"),
      }),
    )
}

function lintRequires(tool: Tool, { tools }: Built, at: Pointer): Unplaced[] {
  const where = `\`requires\` of \`${tool.name}\``
  return tool.requires.flatMap((requirement, index) => {
    const place = child(child(at, "requires"), index)
    const required = tools.get(requirement.tool)
    if (required === undefined) {
      return [
        diagnose("SEQ808", place, {
          where,
          kind: "tool",
          name: requirement.tool,
          nearest: suggest(requirement.tool, tools.keys(), "tools"),
        }),
      ]
    }
    return (requirement.same ?? []).flatMap((parameter) =>
      [...new Set([tool, required])]
        .filter((side) => propertyOf(side.params.shape, parameter) === undefined)
        .map((side) =>
          diagnose("SEQ808", place, {
            where,
            kind: `parameter of \`${side.name}\``,
            name: parameter,
            nearest: suggest(parameter, propertiesOf(side.params.shape).keys(), "parameters"),
          }),
        ),
    )
  })
}

/** After a crash somebody must know what may be repeated; after a failure, what can be undone. */
function lintAnswers(tool: Tool, spec: ToolSpec, at: Pointer): Unplaced[] {
  if (!tool.mutates) return []
  const said: Unplaced[] = []
  if (spec.idempotency === undefined) {
    const remedy = 'Say `idempotency: { key: { retentionMs } }`, `"natural"` (safe to repeat) or `"none"`.'
    said.push(diagnose("SEQ812", at, { tool: tool.name, what: "idempotency", remedy }))
  }
  if (spec.compensate === undefined) {
    said.push(
      diagnose("SEQ812", at, {
        tool: tool.name,
        what: "compensation",
        remedy: 'Say `compensate: "none"` if it cannot be undone.',
      }),
    )
  }
  return said
}

function lintBlast(tool: Tool, spec: ToolSpec, catalog: Built, at: Pointer): Unplaced[] {
  return Object.entries(spec.blast ?? {}).flatMap(([dimension, cost]) => {
    const place = child(child(at, "blast"), dimension)
    const said: Unplaced[] = []
    if (!catalog.limits.has(dimension)) said.push(diagnose("SEQ813", place, { tool: tool.name, dimension }))
    const fault = typeof cost === "number" ? undefined : blastFault(tool, cost)
    if (fault !== undefined) said.push(diagnose("SEQ811", place, { dimension, tool: tool.name, ...fault }))
    return said
  })
}

/** What is counted must be there, whole, not negative, and bounded. */
function blastFault(
  tool: Tool,
  { kind, parameter, max }: Argument | Count,
): { problem: string; remedy: string } | undefined {
  const property = propertyOf(tool.params.shape, parameter)
  if (property === undefined) {
    return {
      problem: `counts \`${parameter}\`, which is no parameter`,
      remedy: suggest(parameter, propertiesOf(tool.params.shape).keys(), "parameters"),
    }
  }
  if (property.optional)
    return {
      problem: `counts \`${parameter}\`, which may be left out`,
      remedy: `Make \`${parameter}\` required, or count a constant.`,
    }
  const interval = kind === "count" ? countOf(property.shape) : intervalOf(property.shape)
  if (interval === null) {
    const wanted = kind === "count" ? "an array" : "a number"
    return {
      problem: `counts \`${parameter}\`, which is not always ${wanted}`,
      remedy: `Make \`${parameter}\` ${wanted}.`,
    }
  }
  if ("integer" in interval && !interval.integer) {
    return {
      problem: `counts \`${parameter}\`, which may be a fraction`,
      remedy: `Make \`${parameter}\` an integer, in the smallest unit.`,
    }
  }
  if (interval.min < 0)
    return {
      problem: `counts \`${parameter}\`, which may be negative`,
      remedy: `Give \`${parameter}\` a minimum of 0 or more.`,
    }
  if (max === undefined && interval.max > Number.MAX_SAFE_INTEGER - 1) {
    const remedy =
      kind === "count"
        ? `Give \`${parameter}\` a maximum number of items, or say \`count("${parameter}", { max: … })\`.`
        : `Give \`${parameter}\` a maximum, or say \`arg("${parameter}", { max: … })\`.`
    return { problem: `counts \`${parameter}\`, which has no upper bound`, remedy }
  }
  if (
    max !== undefined &&
    Number.isFinite(interval.max) &&
    interval.max < Number.MAX_SAFE_INTEGER &&
    max < interval.max
  ) {
    return {
      problem: `has a \`max\` of ${max}, below the schema's own ${interval.max}`,
      remedy: `Raise \`max\`, or lower the maximum of \`${parameter}\`.`,
    }
  }
  return undefined
}
