/**
 * BFCL: multi-turn plans over stateful functions, whose response schemas are spelt in Python's words. Each function
 * counts as having an effect, as nobody says which only read.
 */
import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import { type Catalog, compile, defineCatalog, type ToolSpec } from "sequitur"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import type { JsonSchema } from "../../src/catalog/schema/schema.ts"
import { isObject, type Json, type JsonObject } from "../../src/text/json.ts"
import { child, type Pointer, root } from "../../src/text/pointer.ts"
import { dataFolder, readData } from "../data.ts"
import { explain } from "./judged.ts"
import { fromPython, type PythonSchema } from "./python-schema.ts"
import { type Case, hasFile, held, type Row, rowOf, saidOf } from "./suite.ts"
import { stepAt, type Written, type WrittenStep, write } from "./written.ts"

export interface Documented {
  readonly name: string
  readonly description: string
  readonly parameters: PythonSchema
  readonly response: PythonSchema
}

export interface Recorded {
  readonly id: string
  readonly turns: readonly (readonly RecordedCall[])[]
}

export interface RecordedCall {
  readonly tool: string
  readonly args: JsonObject
  readonly result: Json
}

const folder = "bfcl/multi_turn_func_doc"

export const readFunctions = (): readonly Documented[] =>
  readdirSync(resolve(dataFolder, folder))
    .filter((file) => !/^(memory_|web_search)/.test(file))
    .flatMap((file) => readData(`${folder}/${file}`).trim().split("\n"))
    .map((line) => JSON.parse(line) as Documented)

export const readPlans = (): readonly Recorded[] =>
  JSON.parse(readData("bfcl/multi_turn_base_replay.json")) as readonly Recorded[]

/** The environment that recorded these lacked a library: its one result is a fault of that environment. */
export const isBroken = ({ tool }: RecordedCall): boolean => tool === "logarithm"

export function bfclRows(): readonly Row[] {
  if (!hasFile(folder) || !hasFile("bfcl/multi_turn_base_replay.json")) return []
  const functions = readFunctions()
  const plans = readPlans()
  const catalog = catalogOf(functions, plans)
  const faults = catalog.diagnostics.filter(({ severity }) => severity === "error")
  const lowered = functions.map(({ name }): Case => {
    const own = faults.filter(({ at }) => at.startsWith(child(child(root, "tools"), name)))
    return { ok: own.length === 0, verdict: own.length === 0 ? "as-expected" : { unexplained: JSON.stringify(own) } }
  })
  return [
    rowOf("functions with response schemas", lowered),
    rowOf(
      "plans",
      plans.map((plan) => held(plan.id, catalog, write(meant(asWritten(plan))), [])),
    ),
    rowOf(
      "calls made again that do not say so",
      plans.flatMap((plan) => unmeant(plan, catalog)),
    ),
    rowOf(
      "recorded results",
      plans.flatMap((plan) => resultsOf(plan, functions, catalog)),
    ),
    rowOf(
      "plans with typed references",
      plans.flatMap((plan) => referring(plan, catalog)),
    ),
  ]
}

export function catalogOf(functions: readonly Documented[], plans: readonly Recorded[]): Catalog {
  const results = Map.groupBy(
    plans.flatMap(({ turns }) => turns.flat()),
    ({ tool }) => tool,
  )
  const tools = functions.map(({ name, description, parameters, response }): [string, ToolSpec] => {
    const seen = (results.get(name) ?? []).filter((call) => !isBroken(call)).map(({ result }) => result)
    return [
      name,
      {
        description,
        effect: "write",
        idempotency: "none",
        compensate: "none",
        params: fromPython(parameters),
        result: withRequired(fromPython(response), seen),
      },
    ]
  })
  return defineCatalog({ name: "bfcl", version: "1", tools: Object.fromEntries(tools) })
}

/** No response says which of its fields are always there: those that every recorded result has, at any depth. */
function withRequired(schema: JsonSchema, seen: readonly Json[]): JsonSchema {
  if (typeof schema === "boolean" || !isObject(schema.properties)) return schema
  const objects = seen.filter(isObject)
  const properties = Object.entries(schema.properties as { readonly [key: string]: JsonSchema }).map(([key, inner]) => {
    const values = objects.flatMap((one) => (one[key] === undefined ? [] : [one[key]]))
    return [key, withRequired(inner, values)] as const
  })
  const required = properties.map(([key]) => key).filter((key) => objects.every((one) => Object.hasOwn(one, key)))
  return { ...schema, properties: Object.fromEntries(properties), required }
}

export const callsOf = ({ turns }: Recorded): readonly RecordedCall[] => turns.flat()

export const asWritten = (plan: Recorded): readonly WrittenStep[] =>
  callsOf(plan).map(({ tool, args }, index) => ({ id: `s${index}`, tool, args }))

/** The same call again is meant: it says so. */
export function meant(steps: readonly WrittenStep[]): Written {
  const times = new Map<string, number>()
  return {
    version: 1,
    steps: steps.map((step) => {
      const occurrence = (times.get(callIn(step)) ?? 0) + 1
      times.set(callIn(step), occurrence)
      return occurrence === 1 ? step : { ...step, occurrence }
    }),
  }
}

const callIn = ({ tool, args }: WrittenStep): string => JSON.stringify([tool, Object.entries(args ?? {}).sort()])

function unmeant(plan: Recorded, catalog: Catalog): readonly Case[] {
  const steps = asWritten(plan)
  const calls = steps.map(callIn)
  const expected = calls.flatMap((call, index) => (calls.indexOf(call) < index ? [`SEQ701 ${stepAt(index)}/tool`] : []))
  return expected.length === 0 ? [] : [held(plan.id, catalog, write({ version: 1, steps }), expected)]
}

function resultsOf(plan: Recorded, functions: readonly Documented[], catalog: Catalog): readonly Case[] {
  return callsOf(plan).flatMap((call): Case[] => {
    const schema = catalog.tools.get(call.tool)?.result
    if (isBroken(call) || schema === undefined) return []
    const issues = judgeWhole(schema, call.result).map(({ at, message }) => `${at || "/"} ${message}`)
    const ok = issues.length === 0
    const text = JSON.stringify(functions.find(({ name }) => name === call.tool)?.response)
    return [{ ok, verdict: ok ? "as-expected" : explain("BFCL results", { id: call.tool, text }, issues, []) }]
  })
}

/** Each argument that an earlier result already held, taken from there; compiled, and typed. */
function referring(plan: Recorded, catalog: Catalog): readonly Case[] {
  const calls = callsOf(plan)
  let taken = 0
  const steps = asWritten(plan).map((step, index) => {
    const refer = (value: Json): Json => {
      const found = isTelling(value) ? findEarlier(calls.slice(0, index), value) : undefined
      if (found !== undefined) {
        taken++
        return { $from: `s${found.index}`, path: found.path }
      }
      return Array.isArray(value) ? value.map(refer) : value
    }
    return {
      ...step,
      args: Object.fromEntries(Object.entries(step.args ?? {}).map(([key, value]) => [key, refer(value)])),
    }
  })
  if (taken === 0) return []
  const compiled = compile(catalog, write(meant(steps)))
  return [
    {
      ok: compiled.ok,
      verdict: compiled.ok
        ? "as-expected"
        : explain("BFCL references", { id: plan.id, text: JSON.stringify(plan) }, saidOf(compiled), []),
    },
  ]
}

/** Equal by more than chance. */
const isTelling = (value: Json): boolean =>
  (typeof value === "string" && value.length > 3) || (typeof value === "number" && Math.abs(value) > 20)

function findEarlier(calls: readonly RecordedCall[], wanted: Json): { index: number; path: Pointer } | undefined {
  for (const [index, call] of calls.entries()) {
    const path = isBroken(call) ? undefined : findIn(call.result, wanted, root)
    if (path !== undefined) return { index, path }
  }
  return undefined
}

function findIn(value: Json, wanted: Json, at: Pointer): Pointer | undefined {
  if (value === wanted) return at
  const inner: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? [...value.entries()]
    : isObject(value)
      ? Object.entries(value)
      : []
  for (const [key, one] of inner) {
    const found = findIn(one, wanted, child(at, key))
    if (found !== undefined) return found
  }
  return undefined
}
