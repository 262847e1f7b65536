/**
 * The limits that a plan passes by what is written in it: constants of the catalog, numbers, lists. What is read when it
 * runs counts as nothing, for its bounds are in no type.
 */
import { formatPointer, type Pointer } from "../../src/text/pointer.ts"
import type { BlastDeclaration, Declaration } from "../naive/declaration.ts"

export interface Passed {
  readonly code: "SEQ401" | "SEQ402"
  readonly at: Pointer
}

interface Cost {
  readonly amount: number
  readonly at: Pointer
}

export function passedLimits({ limits, tools }: Declaration, steps: readonly unknown[]): readonly Passed[] {
  return Object.entries(limits).flatMap(([dimension, max]) => {
    const costs = steps.map((step, index) => {
      const { tool, args } = step as { readonly tool?: string; readonly args?: Readonly<Record<string, unknown>> }
      const blast = tool === undefined ? undefined : tools[tool]?.blast?.[dimension]
      return blast === undefined ? { amount: 0, at: "" as Pointer } : costOf(blast, args ?? {}, index)
    })
    const alone = costs.filter(({ amount }) => amount > max).map(({ at }): Passed => ({ code: "SEQ401", at }))
    const others = costs.filter(({ amount }) => amount <= max)
    const crossing = others.find((_, index) => sum(others.slice(0, index + 1)) > max)
    return crossing === undefined ? alone : [...alone, { code: "SEQ402", at: crossing.at }]
  })
}

function costOf(blast: BlastDeclaration, args: Readonly<Record<string, unknown>>, step: number): Cost {
  if (blast.kind === "constant") return { amount: blast.value, at: formatPointer(["steps", step, "tool"]) }
  const value = args[blast.parameter]
  const written = blast.kind === "argument" ? value : Array.isArray(value) ? value.length : 0
  const amount = typeof written === "number" && Number.isSafeInteger(written) ? written : 0
  return { amount, at: formatPointer(["steps", step, "args", blast.parameter]) }
}

const sum = (costs: readonly Cost[]): number => costs.reduce((total, { amount }) => total + amount, 0)
