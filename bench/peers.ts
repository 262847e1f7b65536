/**
 * What a host would do without a plan compiler: hold the plan against a schema, and no more. Both peers are made from the
 * tools' own zod schemas, where any value inside the arguments may be an expression instead.
 */
import { Ajv } from "ajv"
import { z } from "zod"
import { tools } from "./catalog.ts"

export type Accepts = (plan: unknown) => boolean

const Expression = z.union([
  z.strictObject({
    $from: z.string(),
    path: z.string().optional(),
    where: z.record(z.string(), z.unknown()).optional(),
    pick: z.string().optional(),
  }),
  z.strictObject({ $concat: z.array(z.unknown()).max(32) }),
  z.strictObject({ $literal: z.unknown() }),
])

/** The same schema, round expressions. */
function withExpressions(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape).map(([key, property]) => [key, orExpression(property)] as const)
    return z.strictObject(Object.fromEntries(shape))
  }
  if (schema instanceof z.ZodArray) return schema.clone({ ...schema.def, element: orExpression(schema.element) })
  return schema
}

/** What is more often meant comes first. */
function orExpression(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) return z.optional(orExpression(schema.unwrap()))
  return z.union([withExpressions(schema), Expression])
}

const Id = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
const common = { id: Id, after: z.array(Id).optional(), why: z.string().optional() }
const Transition = z.strictObject({ ...common, transition: z.string() })
const params = Object.entries(tools).map(([name, { params }]) => [name, withExpressions(params)] as const)

export function zodPeer(): Accepts {
  const calls = params.map(([name, args]) =>
    z.strictObject({ ...common, tool: z.literal(name), args, occurrence: z.int().min(1).optional() }),
  )
  const [first, ...rest] = calls
  if (first === undefined) throw new Error("the bench catalog has no tool")
  const Plan = z.strictObject({
    version: z.literal(1),
    goal: z.string().max(2000).optional(),
    steps: z.array(z.union([z.discriminatedUnion("tool", [first, ...rest]), Transition])),
  })
  return (plan) => Plan.safeParse(plan).success
}

/** One compiled function for each tool: that is faster than Ajv's own discriminator. */
export function ajvPeer(): Accepts {
  const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false })
  const compile = <A>(schema: z.core.$ZodType) => ajv.compile<A>(z.toJSONSchema(schema, { target: "draft-7" }))
  const Step = z.strictObject({
    ...common,
    tool: z.string().optional(),
    args: z.record(z.string(), z.unknown()).optional(),
    occurrence: z.int().min(1).optional(),
    transition: z.string().optional(),
  })
  const Plan = z.strictObject({ version: z.literal(1), goal: z.string().max(2000).optional(), steps: z.array(Step) })
  const isPlan = compile<z.infer<typeof Plan>>(Plan)
  const argsOf = new Map(params.map(([name, args]) => [name, compile(args)]))
  return (plan) => {
    if (!isPlan(plan)) return false
    for (const { tool, args, transition } of plan.steps) {
      if (tool === undefined ? transition === undefined : argsOf.get(tool)?.(args) !== true) return false
    }
    return true
  }
}
