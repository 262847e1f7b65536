/** Faults put into plans: each kind that a planner makes, and some that only a hostile one would. */
import { formatPointer } from "../../src/text/pointer.ts"
import type { Declaration } from "./declaration.ts"
import { placesIn } from "./generate-plan.ts"
import { generateAnything, generateValue, type Mutable, type MutableObject } from "./generate-value.ts"
import type { Random } from "./random.ts"
import {
  type Fault,
  isCall,
  isObject,
  onCall,
  onExpression,
  onSlot,
  onStep,
  type Site,
  someStep,
  toolOf,
} from "./site.ts"

export function mutate(plan: MutableObject, declaration: Declaration, random: Random): MutableObject {
  const copy = structuredClone(plan)
  for (let i = random.pick([1, 1, 1, 2, 2, 3]); i > 0; i -= 1) {
    const steps = copy.steps
    if (!Array.isArray(steps) || !steps.every(isObject)) return copy
    for (let tries = 0; tries < 10; tries += 1) {
      const group = random.chance(0.12) ? envelopeFaults : faults
      if (random.pick(group)({ plan: copy, steps, declaration, random })) break
    }
  }
  return copy
}

const anyName = ({ steps, random }: Site): string =>
  random.pick([...steps.map(({ id }) => (typeof id === "string" ? id : "x")), "input", "nowhere", "s0/x", "toString"])

const anyTool = ({ declaration, random }: Site): string => random.pick(Object.keys(declaration.tools))

const tokens = [
  "0",
  "1",
  "2",
  "3",
  "00",
  "-",
  "id",
  "items",
  "a~1b",
  "m~0n",
  "length",
  "toString",
  "x",
  "",
  "1e0",
  "+1",
]

function changePath(path: string, { random: { pick, chance } }: Site): Mutable {
  if (chance(0.08)) return pick<Mutable>(["items[0]", "id", "/a~2b", 0, null, ["id"], "$.id", "#/id", "~"])
  const parts = path.split("/").slice(1)
  const i = Math.floor(parts.length / 2)
  return pick([
    () => `${path}/${pick(tokens)}`,
    () => `/${[...parts.slice(0, i), pick(tokens), ...parts.slice(i + 1)].join("/")}`,
    () =>
      parts
        .slice(0, -1)
        .map((part) => `/${part}`)
        .join(""),
    () => `/${[...parts.slice(0, -1), pick(tokens)].join("/")}`,
    () => `/${pick(tokens)}`,
    () => "",
  ])()
}

function someReference(site: Site): MutableObject {
  const { pick, chance } = site.random
  return {
    $from: anyName(site),
    ...(chance(0.8) ? { path: changePath(pick(["", "/id", "/items/0", "/ref/0/id"]), site) } : {}),
    ...(chance(0.15) ? { where: { [`/${pick(tokens)}`]: generateAnything(site.random) } } : {}),
  }
}

/** A reference to a value that some step does give, of whatever type, perhaps one that may be left out. */
function someRealReference(site: Site): MutableObject {
  const { steps, declaration, random } = site
  const sources = steps.flatMap((step) => {
    const result = toolOf(site, step)?.result
    return result === undefined ? [] : [{ id: step.id as Mutable, result }]
  })
  if (declaration.inputs !== undefined) sources.push({ id: "input", result: declaration.inputs })
  if (sources.length === 0) return someReference(site)
  const { id, result } = random.pick(sources)
  return { $from: id, path: formatPointer(random.pick(placesIn(result, random, true)).path) }
}

const faults: readonly Fault[] = [
  // Tools, and arguments by name.
  onCall((step, _, site) => {
    // A name is misspelt once at most, so that by any measure it is near the one that was meant, or far from all.
    const misspelt = toolOf(site, step) === undefined ? "toString" : `${String(step.tool)}s`
    step.tool = site.random.pick([misspelt, "toString", "fnd", "find ", "", anyTool(site), anyTool(site)])
  }),
  onCall((_, args, { random }) => {
    const names = Object.keys(args)
    if (names.length > 0) delete args[random.pick(names)]
  }),
  onCall((_, args, { random }) => {
    args[random.pick([...tokens, "$x", "$from", "label", "note"])] = generateAnything(random)
  }),
  onCall((_, args, { random }) => {
    const names = Object.keys(args)
    if (names.length === 0) return
    const name = random.pick(names)
    args[`${name}x`] = args[name] as Mutable
    delete args[name]
  }),
  onCall((step, args, site) => {
    const fields = Object.entries(toolOf(site, step)?.params.fields ?? {})
    if (fields.length === 0) return
    const [name, { shape }] = site.random.pick(fields)
    args[name] = generateValue(shape, site.random)
  }),
  // Values.
  onSlot(
    () => true,
    (_, { random }) => generateAnything(random),
  ),
  onSlot(
    () => true,
    (_, { random }) => generateAnything(random),
  ),
  onSlot(
    (value) => typeof value === "number",
    (value, { random: { pick } }) => (value as number) + pick([1, -1, 0.5, 10]),
  ),
  onSlot(
    (value) => typeof value === "number",
    (value) => String(value),
  ),
  onSlot(
    (value) => typeof value === "string",
    (value, { random: { pick } }) =>
      pick([`${String(value)}a`, `${String(value)}😀`, String(value).slice(0, 0), [value]]),
  ),
  onSlot(
    (value) => Array.isArray(value),
    (value, { random: { pick } }) => (value as Mutable[]).concat([pick(value as Mutable[]) ?? "a"]),
  ),
  onSlot(
    (value) => Array.isArray(value),
    (value) => (value as Mutable[]).slice(1),
  ),
  onSlot(
    () => true,
    (value) => ({ $literal: value }),
  ),
  onSlot(
    () => true,
    (value) => ({ $concat: [value] }),
  ),
  onSlot(
    () => true,
    (value) => [value],
  ),
  onSlot(
    (value) => isObject(value),
    (value, { random }) => {
      const names = Object.keys(value as MutableObject)
      const { [random.pick(names) ?? ""]: _, ...rest } = value as MutableObject
      return random.chance(0.5) ? rest : { ...(value as MutableObject), [random.pick(tokens)]: 1 }
    },
  ),
  // References.
  onSlot(
    () => true,
    (_, site) => someReference(site),
  ),
  onSlot(
    () => true,
    (_, site) => someReference(site),
  ),
  onExpression("$from", (expression, site) => {
    expression.$from = anyName(site)
  }),
  onExpression("$from", (expression, site) => {
    expression.path = changePath(typeof expression.path === "string" ? expression.path : "", site)
  }),
  onExpression("$from", (expression, site) => {
    expression.path = changePath(typeof expression.path === "string" ? expression.path : "", site)
  }),
  onSlot(
    () => true,
    (_, site) => someRealReference(site),
  ),
  onSlot(
    (value) => typeof value === "string",
    () => " ",
  ),
  onSlot(
    (value) => typeof value === "string",
    (value, site) => {
      const { pick } = site.random
      const way = pick(["", ".id", "[0].id", "/id", "..", ".items.0", " "])
      const inside = `${pick(["", "", "$", "steps."])}${anyName(site)}${way}`
      return pick([`{{${inside}}}`, `\${ ${inside}}`, `<${inside}>`, `$${inside}`, `${String(value)} {{ ${inside} }}`])
    },
  ),
  onExpression("$from", (expression, { random: { pick } }) => {
    const field = pick(["path", "where", "pick", "default", "$ref", "$concat", "$literal"])
    expression[field] = pick<Mutable>(["/id", "", 1, {}, { "/id": "a" }, null])
  }),
  onExpression("$from", (expression, { random: { pick } }) => {
    delete expression[pick(["path", "where", "pick"])]
  }),
  onExpression("where", (expression, site) => {
    const { pick } = site.random
    const where = isObject(expression.where) ? expression.where : {}
    const names = Object.keys(where)
    const name = names.length > 0 && site.random.chance(0.6) ? pick(names) : `/${pick(tokens)}`
    expression.where = {
      ...where,
      [name]: pick([() => generateAnything(site.random), () => someReference(site), () => ["open", 1, { "/": 2 }]])(),
    }
  }),
  onExpression("where", (expression, site) => {
    expression.pick = changePath(typeof expression.pick === "string" ? expression.pick : "", site)
  }),
  onExpression("where", (expression, { random: { pick } }) => {
    expression.where = pick<Mutable>([{}, [], null, { id: 1 }, { "/a~": 1 }, { "": "a" }, "x"])
  }),
  // Joins.
  onExpression("$concat", (expression, site) => {
    const parts = Array.isArray(expression.$concat) ? expression.$concat : []
    const { pick, chance } = site.random
    expression.$concat = chance(0.3)
      ? pick<Mutable>([[], [...parts, ...parts, ...parts], "a", {}])
      : [
          ...parts,
          pick([() => generateAnything(site.random), () => someReference(site), () => someRealReference(site)])(),
        ]
  }),
  // Order.
  ({ steps, random: { int } }) => {
    if (steps.length < 2) return false
    const [i, k] = [int(0, steps.length - 1), int(0, steps.length - 1)]
    const moved = steps.splice(i, 1)
    steps.splice(k, 0, ...moved)
    return i !== k
  },
  ({ steps, random: { int } }) => {
    if (steps.length < 2) return false
    steps.splice(int(0, steps.length - 1), 1)
    return true
  },
  (site) => {
    const step = someStep(site)
    if (step === undefined) return false
    const { int, chance } = site.random
    const copy: MutableObject = { ...structuredClone(step), id: `${String(step.id)}${chance(0.95) ? "b" : ""}` }
    if (chance(0.3) && isCall(copy)) copy.occurrence = int(1, 3)
    if (chance(0.2) && isCall(copy))
      copy.args = Object.fromEntries(Object.entries(copy.args as MutableObject).reverse())
    site.steps.splice(int(0, site.steps.length), 0, copy)
    return true
  },
  onStep((step, site) => {
    const { int, pick, chance } = site.random
    step.after = Array.from({ length: int(0, 2) }, () =>
      chance(0.9) ? anyName(site) : pick<Mutable>([1, null, "input"]),
    )
  }),
  // The machine.
  ({ steps, declaration: { machine }, random: { int, pick } }) => {
    const states = [...Object.keys(machine?.transitions ?? {}), "Nowhere", "toString"]
    const at = int(0, steps.length)
    steps.splice(at, 0, { id: `t${steps.length}x${at}`, transition: pick(states) })
    return true
  },
  (site) => {
    const step = someStep(site, ({ transition }) => transition !== undefined)
    if (step === undefined) return false
    step.transition = site.random.pick([...Object.keys(site.declaration.machine?.transitions ?? {}), "Nowhere"])
    return true
  },
  (site) => {
    const step = someStep(site, ({ transition }) => transition !== undefined)
    if (step !== undefined) site.steps.splice(site.steps.indexOf(step), 1)
    return step !== undefined
  },
  onCall((step, _, { random: { pick } }) => {
    step.occurrence = pick<Mutable>([1, 2, 2, 3])
  }),
]

const fields = [
  "version",
  "goal",
  "steps",
  "id",
  "tool",
  "args",
  "transition",
  "after",
  "occurrence",
  "why",
  "onError",
  "Id",
  "arg",
  "tools",
]

const envelopeFaults: readonly Fault[] = [
  onStep((step, { random: { pick } }) => {
    delete step[pick(fields)]
  }),
  onStep((step, { random }) => {
    step[random.pick(fields)] = generateAnything(random)
  }),
  onStep((step, { random: { pick } }) => {
    step.id = pick<Mutable>([
      "input",
      "1a",
      "",
      "a b",
      "then",
      "valueOf",
      "é",
      `a${"b".repeat(63)}`,
      `a${"b".repeat(64)}`,
      1,
      null,
    ])
  }),
  onStep((step, site) => {
    step.id = anyName(site)
  }),
  onStep((step, { random: { pick } }) => {
    step.occurrence = pick<Mutable>([0, -1, 1.5, "2", null, 1, 2])
  }),
  ({ plan, random: { pick, chance } }) => {
    if (chance(0.5)) delete plan[pick(["version", "goal", "steps"])]
    else plan[pick(["version", "goal", "steps", "step"])] = pick<Mutable>([0, 1, 2, "1", null, [], {}, ["a"], "goal"])
    return true
  },
  ({ plan, declaration: { bounds }, random: { pick } }) => {
    const { goalLength } = bounds
    plan.goal = pick([
      "x".repeat(goalLength),
      "x".repeat(goalLength + 1),
      "😀".repeat(goalLength),
      "😀".repeat(goalLength + 1),
    ])
    return true
  },
  ({ plan, steps, random }) => {
    steps.push(generateAnything(random) as MutableObject)
    plan.steps = steps
    return true
  },
]
