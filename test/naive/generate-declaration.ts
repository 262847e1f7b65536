/** Declarations of catalogs: small, with every feature that the compiler asks questions about. */
import type {
  BlastDeclaration,
  Declaration,
  Field,
  Front,
  Guarded,
  MachineDeclaration,
  ObjectShape,
  Shape,
  ToolDeclaration,
} from "./declaration.ts"
import type { Random } from "./random.ts"

const toolNames = ["find", "load/order", "cancel", "pay.out", "tag-items", "Note_1"]
const fieldNames = ["id", "ref", "amount", "items", "label", "flag", "owner", "a/b", "m~n", "0", "length", "é"]
const words = ["open", "sent", "a", "bb", "", "ok 😀", "USD", "é"]

export function generateDeclaration(random: Random): Declaration {
  const { int, chance, pick } = random
  const dimensions = ["cents", "records"].slice(0, int(0, 2))
  const machine = chance(0.6) ? generateMachine(random) : undefined
  const states = machine && Object.keys(machine.transitions)
  const tools: Record<string, ToolDeclaration> = {}
  for (const name of toolNames.slice(0, int(2, toolNames.length))) {
    const tool = generateTool(random, dimensions, Object.entries(tools))
    // Only reads may leave out the states where there is a machine.
    const placed = states !== undefined && (tool.effect !== "read" || chance(0.3))
    tools[name] = placed
      ? { ...tool, states: states.filter((_, i) => i === 0 || chance(0.6)).slice(chance(0.4) ? 1 : 0) }
      : tool
    if (placed && tools[name]?.states?.length === 0) tools[name] = { ...tool, states: [pick(states)] }
  }
  const front = pick<Front>(["zod", "typebox"])
  return {
    front,
    ...(chance(0.5) ? { inputs: generateObject(random, front, 2) } : {}),
    ...(machine === undefined ? {} : { machine }),
    // Set to what plans need once there are plans.
    limits: Object.fromEntries(dimensions.map((dimension) => [dimension, Number.MAX_SAFE_INTEGER])),
    budgets: {},
    bounds: { steps: 100, concatParts: int(2, 4), goalLength: int(5, 12) },
    tools,
  }
}

function generateMachine({ int, chance }: Random): MachineDeclaration {
  const states = ["A", "B", "C", "done"].slice(0, int(2, 4))
  const transitions: Record<string, Record<string, Guarded>> = {}
  states.forEach((from, i) => {
    const targets: Record<string, Guarded> = {}
    states.forEach((to, k) => {
      // A way through all of them, so that each can be reached, and some ways back.
      if (k === i + 1 || chance(0.35)) targets[to] = chance(0.3) ? "guarded" : chance(0.15) ? "ruled" : "free"
    })
    transitions[from] = targets
  })
  return { initial: "A", transitions }
}

function generateTool(
  random: Random,
  dimensions: readonly string[],
  earlier: readonly (readonly [string, ToolDeclaration])[],
): ToolDeclaration {
  const { int, chance, pick } = random
  const front = pick<Front>(["zod", "typebox"])
  const fields: Record<string, Field> = { ...generateObject(random, front, 2).fields }
  const results = earlier.flatMap(([, { result }]) => (result?.kind === "object" ? [result] : []))
  // So that whole results, and objects in them, may fit.
  if (results.length > 0 && chance(0.3)) fields.owner = { shape: inFront(vary(pick(results), random), front) }
  const blast: Record<string, BlastDeclaration> = {}
  for (const dimension of dimensions)
    if (chance(0.6)) blast[dimension] = generateBlast(random, front, fields, dimension)
  const requires = earlier
    .filter(() => chance(0.3))
    .map(([tool, { params }]) => {
      const same = Object.keys(params.fields).filter(
        (name) => chance(0.6) && share(fields, name, params.fields[name] as Field, front),
      )
      return { tool, ...(same.length > 0 || chance(0.2) ? { same } : {}) }
    })
  const effect = pick(["read", "read", "write", "destructive"] as const)
  // What happens once is told by values that are always there and can be compared.
  const told = Object.keys(fields).filter((name) => isComparable(fields[name] as Field))
  const once = effect !== "read" && told.length > 0 && chance(0.3) ? [pick(told)] : undefined
  return {
    front,
    effect,
    params: { kind: "object", fields, ...(chance(0.2) ? { open: true } : {}) },
    ...(chance(0.85)
      ? { result: chance(0.85) ? generateObject(random, front, 3) : generateShape(random, front, 2) }
      : {}),
    ...(requires.length > 0 ? { requires } : {}),
    ...(Object.keys(blast).length > 0 ? { blast } : {}),
    ...(once === undefined ? {} : { once }),
    ...(chance(0.3) ? { microUsd: int(0, 5) * 100 } : {}),
  }
}

const isComparable = ({ shape, optional = false }: Field): boolean =>
  !optional && !["nullable", "array", "object", "unknown"].includes(shape.kind)

/** Gives a tool the parameter of another, for both to be about the same thing, unless it has another of that name. */
function share(fields: Record<string, Field>, name: string, field: Field, front: Front): boolean {
  const same = { ...field, shape: inFront(field.shape, front) }
  fields[name] ??= same
  return JSON.stringify(fields[name]) === JSON.stringify(same)
}

/** The same object, or one with a field more, a field less, or one that may be left out. */
function vary({ fields }: ObjectShape, { pick }: Random): ObjectShape {
  const names = Object.keys(fields)
  const name = pick(names)
  const { [name]: field, ...rest } = fields
  const varied = pick<() => Record<string, Field>>([
    () => fields,
    () => rest,
    () => ({ ...fields, extra: { shape: { kind: "boolean" } } }),
    () => (field === undefined ? fields : { ...fields, [name]: { shape: field.shape, optional: true } }),
    () => (field === undefined ? fields : { ...fields, [name]: { shape: field.shape } }),
  ])
  return { kind: "object", fields: varied() }
}

/** The same shape said in another schema language. */
function inFront(shape: Shape, front: Front): Shape {
  switch (shape.kind) {
    case "string": {
      const { refined = false, ...rest } = shape
      return { ...rest, front, ...(refined && front === "zod" ? { refined } : {}) }
    }
    case "nullable":
    case "array":
      return { ...shape, of: inFront(shape.of, front) }
    case "object": {
      const fields = Object.entries(shape.fields).map(([name, field]) => [
        name,
        { ...field, shape: inFront(field.shape, front) },
      ])
      return { ...shape, fields: Object.fromEntries(fields) }
    }
    default:
      return shape
  }
}

function generateBlast(
  { int, chance, pick }: Random,
  front: Front,
  fields: Record<string, Field>,
  dimension: string,
): BlastDeclaration {
  const kind = pick(["constant", "argument", "argument", "count"] as const)
  if (kind === "constant") return { kind, value: int(0, 3) }
  const parameter = dimension === "cents" ? "amount" : "items"
  const max = int(1, 9)
  const bounded = chance(0.8)
  const limit = bounded ? { max } : {}
  fields[parameter] = {
    shape:
      kind === "argument"
        ? { kind: "integer", min: int(0, 1), ...limit }
        : { kind: "array", of: { kind: "string", front, ...(chance(0.5) ? { max: 4 } : {}) }, ...limit },
  }
  return bounded && chance(0.7) ? { kind, parameter } : { kind, parameter, max: max + int(0, 2) }
}

function generateObject(random: Random, front: Front, depth: number): ObjectShape {
  const { int, chance, pick } = random
  const fields: Record<string, Field> = {}
  for (let i = int(1, 4); i > 0; i -= 1) {
    fields[pick(fieldNames)] = {
      shape: generateShape(random, front, depth - 1),
      ...(chance(0.2) ? { optional: true } : {}),
    }
  }
  return { kind: "object", fields, ...(chance(0.3) ? { open: true } : {}) }
}

export function generateShape(random: Random, front: Front, depth: number): Shape {
  const { int, chance, pick } = random
  if (chance(0.12)) return { kind: "nullable", of: generateInner(random, front, depth) }
  if (depth > 0 && chance(0.45)) {
    const max = chance(0.7) ? { max: int(1, 3) } : {}
    const min = chance(0.2) ? { min: 1 } : {}
    return chance(0.5)
      ? { kind: "array", of: generateShape(random, front, depth - 1), ...min, ...max }
      : generateObject(random, front, depth)
  }
  return pick<() => Shape>([
    () => generateString(random, front),
    () => generateString(random, front),
    () => generateNumber(random),
    () => generateNumber(random),
    () => ({ kind: "boolean" }),
    () => ({ kind: "enum", values: [...new Set([pick(words), pick(words), pick(words)])] }),
    () => ({ kind: "constant", value: pick<string | number | boolean>(["a", "USD", 0, 3, -2, true, false]) }),
    () => (chance(0.3) ? { kind: "unknown" } : generateString(random, front)),
  ])()
}

/** No null within null, which would be the same shape said twice. */
function generateInner(random: Random, front: Front, depth: number): Shape {
  const shape = generateShape(random, front, depth)
  return shape.kind === "nullable" || shape.kind === "unknown" ? { kind: "boolean" } : shape
}

function generateString({ int, chance }: Random, front: Front): Shape {
  const min = chance(0.4) ? int(0, 3) : undefined
  return {
    kind: "string",
    front,
    ...(min === undefined ? {} : { min }),
    ...(chance(0.6) ? { max: (min ?? 0) + int(0, 4) } : {}),
    ...(front === "zod" && chance(0.2) ? { refined: true } : {}),
  }
}

function generateNumber({ int, chance, pick }: Random): Shape {
  const min = chance(0.6) ? int(-3, 3) : undefined
  const half = pick([0, 0, 0.5])
  const kind = pick(["integer", "integer", "number"] as const)
  return {
    kind,
    ...(min === undefined ? {} : { min: kind === "number" ? min + half : min }),
    ...(chance(0.7) ? { max: (min ?? 0) + int(0, 6) + (kind === "number" ? half : 0) } : {}),
  }
}
