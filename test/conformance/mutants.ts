/**
 * One fault put into a plan that was right, and where it is to be told. Each kind says itself what the compiler must
 * say, as `code place`; what the faults of order are is asked naively, of the mutant.
 */
import type { JsonSchema } from "../../src/catalog/schema/schema.ts"
import type { Json } from "../../src/text/json.ts"
import { child } from "../../src/text/pointer.ts"
import { keysAt, optionalIn } from "./infer-schema.ts"
import type { Random } from "./random.ts"
import {
  argumentAt,
  orderFaults,
  referencesIn,
  stepAt,
  type Written,
  type WrittenReference,
  type WrittenStep,
  withValue,
  write,
} from "./written.ts"

/** What a kind may know of a tool: its own JSON Schema, and whether it has an effect. */
export interface ToolNote {
  readonly mutates: boolean
  readonly required: readonly string[]
  readonly properties: {
    readonly [name: string]: {
      readonly type: string
      readonly enum?: readonly string[]
      readonly items?: { readonly type?: string }
    }
  }
}

export interface Mutant {
  readonly text: string
  readonly expected: readonly string[]
}

export interface Material {
  readonly plan: Written
  readonly tools: ReadonlyMap<string, ToolNote>
  readonly results: ReadonlyMap<string, JsonSchema>
  readonly random: Random
}

/** Undefined where the plan has nothing to put such a fault into. */
type Mutate = (material: Material) => Mutant | undefined

/** A call with at least one argument, and one of its arguments. */
function pickArgument({ plan, tools, random }: Material, fits: (type: string, given: Json) => boolean = () => true) {
  const all = plan.steps.flatMap((step, index) =>
    Object.entries(step.args ?? {}).flatMap(([name, given]) => {
      const property = tools.get(step.tool ?? "")?.properties[name]
      return property !== undefined && fits(property.type, given) ? [{ step, index, name, given, property }] : []
    }),
  )
  return random.one(all)
}

const pickCall = ({ plan, random }: Material) => {
  const index = random.below(Math.max(1, plan.steps.length))
  const step = plan.steps[index]
  return step === undefined ? undefined : { step, index }
}

const mutant = (plan: Written, ...expected: readonly string[]): Mutant => ({ text: write(plan), expected })

/** Only order is at fault. */
const disordered = (plan: Written): Mutant | undefined => {
  const expected = orderFaults(plan)
  return expected.length === 0 ? undefined : { text: write(plan), expected }
}

const misspell = (name: string, random: Random): string => {
  const at = 1 + random.below(name.length - 1)
  return random.below(2) === 0 ? `${name.slice(0, at)}${name.slice(at + 1)}x` : `${name.slice(0, at)}q${name.slice(at)}`
}

const wrongFor: { readonly [type: string]: readonly Json[] } = {
  string: [7, 1.5, true, null, ["a"], {}, { value: "a" }],
  array: ["a", 7, false, null, {}, { 0: "a" }, '["a"]'],
}

/** Only steps after this one have arguments to pick. */
const after = (material: Material, index: number): Material => ({
  ...material,
  plan: {
    ...material.plan,
    steps: material.plan.steps.map((step, at) => (at > index ? step : { id: step.id })),
  },
})

const hasEffect = (tools: Material["tools"], step: WrittenStep): boolean => tools.get(step.tool ?? "")?.mutates === true

function replaceReference(
  material: Material,
  change: (reference: WrittenReference) => { readonly path: string; readonly fault: string } | undefined,
): Mutant | undefined {
  const { plan, random } = material
  const reference = random.one(referencesIn(plan))
  const changed = reference && change(reference)
  if (reference === undefined || changed === undefined) return undefined
  return mutant(withValue(plan, child(reference.at, "path"), changed.path), changed.fault)
}

const refer = (material: Material, source: string): Mutant | undefined => {
  const chosen = pickArgument(material)
  if (chosen === undefined) return undefined
  const { plan } = material
  const name = source === "own" ? chosen.step.id : source
  return disordered(withValue(plan, argumentAt(chosen.index, chosen.name), { $from: name, path: "/order_id" }))
}

export const kinds: { readonly [kind: string]: Mutate } = {
  "unknown tool": (material) => {
    const chosen = pickCall(material)
    if (chosen === undefined) return undefined
    const { plan, random, tools } = material
    const made = ["purge_everything", "get_order_detailz", chosen.step.tool?.toUpperCase() ?? "", "toString"]
    const name = random.below(2) === 0 ? misspell(chosen.step.tool ?? "", random) : (random.one(made) ?? "")
    if (tools.has(name)) return undefined
    const at = child(stepAt(chosen.index), "tool")
    return mutant(withValue(plan, at, name), `SEQ108 ${at}`)
  },
  "missing argument": (material) => {
    const chosen = pickArgument(material)
    if (chosen === undefined) return undefined
    const { plan, tools } = material
    if (!tools.get(chosen.step.tool ?? "")?.required.includes(chosen.name)) return undefined
    return mutant(
      withValue(plan, argumentAt(chosen.index, chosen.name), undefined),
      `SEQ120 ${argumentAt(chosen.index)}`,
    )
  },
  "unknown argument": (material) => {
    const chosen = pickCall(material)
    if (chosen === undefined) return undefined
    const { plan, random } = material
    const name = random.one(["force", "Order_id", "order_id ", "user", "dry_run", "0"]) ?? ""
    const at = argumentAt(chosen.index, name)
    return mutant(withValue(plan, at, random.one<Json>([true, "a", null, 0, []]) ?? null), `SEQ121 ${at}`)
  },
  "misspelt argument": (material) => {
    const chosen = pickArgument(material)
    if (chosen === undefined) return undefined
    const { plan, random, tools } = material
    if (!tools.get(chosen.step.tool ?? "")?.required.includes(chosen.name)) return undefined
    const at = argumentAt(chosen.index, misspell(chosen.name, random))
    const without = withValue(plan, argumentAt(chosen.index, chosen.name), undefined)
    return mutant(withValue(without, at, chosen.given), `SEQ120 ${argumentAt(chosen.index)}`, `SEQ121 ${at}`)
  },
  "argument of the wrong type": (material) => {
    const chosen = pickArgument(material, (type) => type in wrongFor)
    if (chosen === undefined || chosen.property.enum !== undefined) return undefined
    const { plan, random } = material
    const at = argumentAt(chosen.index, chosen.name)
    return mutant(withValue(plan, at, random.one(wrongFor[chosen.property.type] ?? []) ?? null), `SEQ122 ${at}`)
  },
  "item of the wrong type": (material) => {
    const chosen = pickArgument(material, (_, given) => Array.isArray(given) && given.length > 0)
    if (chosen?.property.items?.type !== "string") return undefined
    const { plan, random } = material
    const at = argumentAt(chosen.index, chosen.name, random.below((chosen.given as readonly Json[]).length))
    return mutant(withValue(plan, at, random.one(wrongFor.string ?? []) ?? null), `SEQ122 ${at}`)
  },
  "value outside the enum": (material) => {
    const { plan, tools, random } = material
    const chosen = random.one(
      plan.steps.flatMap((step, index) =>
        Object.entries(tools.get(step.tool ?? "")?.properties ?? {}).flatMap(([name, property]) =>
          property.enum?.every((value) => typeof value === "string") ? [{ index, name, values: property.enum }] : [],
        ),
      ),
    )
    if (chosen === undefined) return undefined
    const right = random.one(chosen.values) ?? ""
    const at = argumentAt(chosen.index, chosen.name)
    const wrong = random.one([right.toUpperCase(), `${right} `, misspell(right, random), "", "other"]) ?? ""
    return mutant(withValue(plan, at, wrong), `SEQ123 ${at}`)
  },
  "reference to its own step": (material) => refer(material, "own"),
  "reference to a later step": (material) => {
    const { plan, random } = material
    const chosen = pickArgument(material)
    const later = chosen && random.one(plan.steps.slice(chosen.index + 1))
    if (chosen === undefined || later === undefined) return undefined
    const at = argumentAt(chosen.index, chosen.name)
    return disordered(withValue(plan, at, { $from: later.id, path: "/order_id" }))
  },
  "reference to no step": (material) => refer(material, material.random.one(["s99", "S0", "s", "result", "s0x"]) ?? ""),
  "reference to undeclared inputs": (material) => {
    const chosen = pickArgument(material)
    if (chosen === undefined) return undefined
    const at = argumentAt(chosen.index, chosen.name)
    return mutant(withValue(material.plan, at, { $from: "input", path: "/a" }), `SEQ210 ${at}`)
  },
  "path to no such field": (material) =>
    replaceReference(material, ({ at, source, path }) => {
      const end = path.lastIndexOf("/")
      const key = path.slice(end + 1)
      const owner = material.plan.steps.find(({ id }) => id === source)?.tool ?? ""
      const keys = keysAt(material.results.get(owner) ?? {}, path.slice(0, end).split("/").slice(1))
      const wrong = end === -1 || /^\d+$/.test(key) ? key : misspell(key, material.random)
      if (keys === undefined || keys.has(wrong) || !keys.has(key)) return undefined
      return { path: `${path.slice(0, end)}/${wrong}`, fault: `SEQ205 ${at}/path` }
    }),
  "path to what may be absent": (material) => {
    const { plan, results, random } = material
    const optional = plan.steps.flatMap(({ id, tool = "" }, index) =>
      optionalIn(results.get(tool) ?? {}).map((key) => ({ id, index, key })),
    )
    const source = random.one(optional)
    const chosen = source && pickArgument(after(material, source.index))
    if (source === undefined || chosen === undefined) return undefined
    const at = argumentAt(chosen.index, chosen.name)
    return mutant(withValue(plan, at, { $from: source.id, path: `/${source.key}` }), `SEQ206 ${at}/path`)
  },
  "path beyond a value": (material) =>
    replaceReference(material, ({ at, path }) =>
      path === "" ? undefined : { path: `${path}/id`, fault: `SEQ205 ${at}/path` },
    ),
  "array asked by a name": (material) =>
    replaceReference(material, ({ at, path }) => {
      const asked = path.replace(/\/\d+(?=\/|$)/, `/${material.random.one(["first", "-", "01", "last", "-1"])}`)
      return asked === path || /variants/.test(path) ? undefined : { path: asked, fault: `SEQ205 ${at}/path` }
    }),
  "path that is no pointer": (material) =>
    replaceReference(material, ({ at, path }) =>
      path === ""
        ? undefined
        : {
            path:
              material.random.one([
                path.slice(1),
                path.slice(1).replaceAll("/", "."),
                `$${path.replaceAll("/", ".")}`,
              ]) ?? "",
            fault: `SEQ132 ${at}/path`,
          },
    ),
  "reference of the wrong type": (material) => {
    const { plan, random, results } = material
    const sources = plan.steps.flatMap(({ tool, id }, index) =>
      tool === "get_order_details" || tool === "get_user_details" ? [{ id, index }] : [],
    )
    const source = random.one(sources)
    if (source === undefined) return undefined
    const chosen = pickArgument(after(material, source.index), (type) => type === "string")
    if (chosen === undefined) return undefined
    const isOrder = plan.steps[source.index]?.tool === "get_order_details"
    const known = keysAt(results.get(plan.steps[source.index]?.tool ?? "") ?? {}, [])
    const path = random.one(
      isOrder ? ["/items/0/price", "/items", "/address", "/payment_history"] : ["/name", "/orders", "/address"],
    )
    if (!known?.has(path?.split("/")[1] ?? "")) return undefined
    const at = argumentAt(chosen.index, chosen.name)
    return mutant(withValue(plan, at, { $from: source.id, path: path ?? "" }), `SEQ207 ${at}`)
  },
  "expression that is none": (material) => {
    const chosen = pickArgument(material)
    if (chosen === undefined) return undefined
    const key = material.random.one(["$ref", "$FROM", "$var", "$"]) ?? ""
    const at = argumentAt(chosen.index, chosen.name)
    return mutant(withValue(material.plan, at, { [key]: "s0.id" }), `SEQ130 ${child(at, key)}`)
  },
  "predecessor dropped": ({ plan, random }) => {
    const reference = random.one(referencesIn(plan))
    if (reference === undefined) return undefined
    return disordered({ ...plan, steps: plan.steps.filter(({ id }) => id !== reference.source) })
  },
  "order swapped": ({ plan, random }) => {
    const reference = random.one(referencesIn(plan))
    if (reference === undefined) return undefined
    const [one, other] = [plan.steps.findIndex(({ id }) => id === reference.source), reference.step]
    const at = (index: number): number => (index === one ? other : index === other ? one : index)
    return disordered({ ...plan, steps: plan.steps.map((step, index) => plan.steps[at(index)] ?? step) })
  },
  "effect made twice": ({ plan, tools, random }) => {
    const step = random.one(plan.steps.filter((one) => hasEffect(tools, one)))
    if (step === undefined) return undefined
    const steps = [...plan.steps, { ...step, id: "again" }]
    return mutant({ ...plan, steps }, `SEQ701 ${stepAt(plan.steps.length)}/tool`)
  },
  "id used twice": ({ plan, tools, random }) => {
    const step = random.one(plan.steps)
    if (step === undefined || !tools.has("think")) return undefined
    const again = { id: step.id, tool: "think", args: { thought: "" } }
    return mutant({ ...plan, steps: [...plan.steps, again] }, `SEQ106 ${stepAt(plan.steps.length)}/id`)
  },
  "field that no step has": (material) => {
    const chosen = pickCall(material)
    if (chosen === undefined) return undefined
    const at = child(stepAt(chosen.index), material.random.one(["arguments", "Tool", "depends_on", "Args"]) ?? "")
    return mutant(withValue(material.plan, at, {}), `SEQ103 ${at}`)
  },
  "key written twice": (material) => {
    const chosen = pickCall(material)
    if (chosen === undefined) return undefined
    const { plan } = material
    const steps = plan.steps.map((step, index) =>
      index === chosen.index
        ? `{"id":${JSON.stringify(step.id)},"tool":"think",${write(step as never).slice(1)}`
        : write(step as never),
    )
    return { text: `{"version":1,"steps":[${steps.join(",")}]}`, expected: [`SEQ003 ${stepAt(chosen.index)}/id`] }
  },
  "text cut short": (material) => {
    const chosen = pickCall(material)
    if (chosen === undefined) return undefined
    const { plan, random } = material
    const written = write(plan)
    const name = JSON.stringify(chosen.step.tool)
    const step = written.indexOf(`{"id":${JSON.stringify(chosen.step.id)},`)
    const end = written.indexOf(`"tool":${name}`, step) + '"tool":'.length + 1 + random.below(name.length - 1)
    return { text: written.slice(0, end), expected: [`SEQ002 ${stepAt(chosen.index)}/tool`] }
  },
}
