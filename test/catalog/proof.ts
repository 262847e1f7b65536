/** The shape beside the author's validator, on random schemas and values: never stricter, and as strict where it says so. */
import fc from "fast-check"
import { accepts } from "../../src/catalog/schema/accept.ts"
import { startFindings } from "../../src/catalog/schema/front-end/findings.ts"
import { formats } from "../../src/catalog/schema/front-end/formats.ts"
import { readJsonSchema } from "../../src/catalog/schema/front-end/read-json-schema.ts"
import { generate, walk } from "../../src/catalog/schema/front-end/validate.ts"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import type { Role, Schema } from "../../src/catalog/schema/schema.ts"
import type { Json } from "../../src/text/json.ts"
import { root } from "../../src/text/pointer.ts"
import { check, fails, jsonSchemaOf, type Node, sampleOf, typeBoxOf, zodOf } from "./arbitrary.ts"

export interface Count {
  pairs: number
  right: number
  exact: number
}

/** Throws where the schema and its validator differ; `say` gets words for what must hold. */
type Hold = (holds: boolean, what: string) => void

/** What is asked of one schema, for all its values. */
type Language = (node: Node, role: Role, choices: readonly number[]) => Asked

interface Asked {
  readonly schema: Schema
  /** Is it right, as this language counts? Where two readings bracket the verdict, the stricter. */
  readonly isRight: (value: Json) => boolean
  /** What no verdict may let through. */
  readonly isPossible: (value: Json) => boolean
}

function lowered(schema: unknown, role: Role): Schema {
  const lowered = lowerSchema(schema, role)
  if (!lowered.ok) throw new Error(JSON.stringify(lowered.faults))
  return lowered.schema
}

export const languages: { readonly [name: string]: Language } = {
  zod: (node, role) => {
    const schema = lowered(zodOf(node), role)
    const isRight = (value: Json): boolean => schema.judge(value).length === 0
    return { schema, isRight, isPossible: isRight }
  },
  /** Whose open objects are closed in params. */
  TypeBox: (node, role) => {
    const schema = lowered(typeBoxOf(node, "written"), role)
    const read = typeBoxOf(node, role === "params" ? "closed" : "read")
    const isRight = (value: Json): boolean => check(read, value)
    // Of keys that every object inherits TypeBox judges what is inherited: no reading of ours does.
    return { schema, isRight, isPossible: (value) => !schema.exact || isRight(value) || fails(read, value) }
  },
  /** In params between what a schema lets through that says `unevaluatedProperties: false`, and what it lets through as it is. */
  "JSON Schema": (node, role, choices) => {
    const draft = (choices[0] ?? 0) % 3 === 0 ? "7" : "2020-12"
    const written = jsonSchemaOf(node, draft, false, choices)
    const schema = lowered(written, role)
    const normalOf = (one: object): ReturnType<typeof readJsonSchema> =>
      readJsonSchema(one as never, startFindings(role), root)
    const normal = normalOf(written)
    const closed = role === "params" ? normalOf(jsonSchemaOf(node, "2020-12", true, choices)) : normal
    if (normal === undefined || closed === undefined) throw new Error("read once, but not twice")
    const [ajv, walker, strict] = [generate(normal, formats), walk(normal, formats), walk(closed, formats)]
    // What an array must contain says nothing of its items.
    const isShut = role === "params" && isClosed(node) && !JSON.stringify(written).includes('"contains"')
    return {
      schema,
      isRight: (value) => strict(value).ok,
      isPossible: (value) => {
        const said = ajv(value).ok
        if (said !== walker(value).ok) throw new Error(`Ajv and the walker differ: ${JSON.stringify(value)}`)
        return said && !(isShut && mentions(value, "extra"))
      },
    }
  },
}

/** No part of it takes keys that it does not name. */
const isClosed = (node: Node): boolean => !/"kind":"(?:any|record)"|"others":(?:"loose"|\{)/.test(JSON.stringify(node))

const mentions = (value: Json, key: string): boolean => JSON.stringify(value).includes(`"${key}":`)

function hold({ schema, isRight, isPossible }: Asked, value: Json, say: Hold): boolean {
  const before = JSON.stringify(value)
  const judged = schema.judge(value).length === 0
  const shaped = accepts(schema.shape, value)
  const verdict = judgeWhole(schema, value).length === 0
  say(!isRight(value) || shaped, "the shape is stricter than the validator")
  say(!(schema.exact && shaped) || judged, "the shape is looser than the validator, and says that it is not")
  say(verdict === (shaped && judged), "the verdict is not both of them")
  say(!isRight(value) || verdict, "what is right is refused")
  say(!verdict || isPossible(value), "what is wrong is let through")
  say(JSON.stringify(value) === before, "judging changed the value")
  return verdict
}

/** Throws with the seed and the smallest case at the first pair that does not hold. */
export function prove(language: string, options: { readonly pairs: number; readonly seed?: number }): Count {
  const count: Count = { pairs: 0, right: 0, exact: 0 }
  const ask = languages[language]
  if (ask === undefined) throw new Error(`no language ${language}`)
  const schemas = Math.ceil(options.pairs / 25)
  const perSchema = Math.ceil(options.pairs / schemas)
  const role = fc.constantFrom<Role[]>("params", "result")
  fc.assert(
    fc.property(sampleOf(perSchema), role, fc.array(fc.nat(), { maxLength: 12 }), ({ node, values }, role, choices) => {
      const asked = ask(node, role, choices)
      for (const value of values) {
        const right = hold(asked, value, (holds, what) => {
          if (!holds) throw new Error(`${what}: ${JSON.stringify(value)} in ${role}`)
        })
        count.pairs++
        if (right) count.right++
        if (asked.schema.exact) count.exact++
      }
    }),
    { numRuns: schemas, ...(options.seed === undefined ? {} : { seed: options.seed }) },
  )
  return count
}

export const told = (language: string, { pairs, right, exact }: Count): string =>
  `${language}: ${pairs} pairs, ${Math.round((100 * right) / pairs)} % of the values accepted, ${Math.round((100 * exact) / pairs)} % of the shapes exact`
