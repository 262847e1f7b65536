/** From an author's schema, of whatever library, to what the catalog knows of it. */

import type { Json } from "../../text/json.ts"
import { root } from "../../text/pointer.ts"
import type { Effort } from "./effort.ts"
import { type Findings, sensitiveIn, startFindings } from "./front-end/findings.ts"
import { type Formats, formats as fixed } from "./front-end/formats.ts"
import { lowerJsonSchema } from "./front-end/json-schema.ts"
import { copyTypeBox, validateByTypeBox } from "./front-end/own-typebox.ts"
import { isJsonSchema, readJsonSchema } from "./front-end/read-json-schema.ts"
import { isTypeBox, lowerTypeBox } from "./front-end/typebox.ts"
import { validateNormal } from "./front-end/validate.ts"
import { isZod, lowerZod, validateByZod } from "./front-end/zod.ts"
import { guardPatterns } from "./guard.ts"
import { type Answer, judgeBy } from "./judge.ts"
import { isExact, unknown } from "./make.ts"
import type { Lowered, Role, SchemaFault } from "./schema.ts"
import type { Shape } from "./shape.ts"

/**
 * Never throws: a schema that cannot be read is a fault like any other. All faults are told at once. `formats` are those
 * of JSON Schema and TypeBox; zod has its own. `effort` is what is left of it for all schemas of one catalog.
 */
export function lowerSchema(schema: unknown, role: Role, formats: Formats = fixed, effort?: Effort): Lowered {
  try {
    return lower(schema, startFindings(role, formats, effort))
  } catch (thrown) {
    const why = thrown instanceof Error ? `: ${thrown.message.slice(0, 200)}` : ""
    return refuse("not-a-schema", `a schema that fails when it is read${why}`)
  }
}

const refuse = (kind: SchemaFault["kind"], what: string): Lowered => ({ ok: false, faults: [{ kind, at: root, what }] })

interface Read {
  readonly shape: Shape
  /** Made once it is known that nothing is at fault. */
  readonly validator: (exact: boolean) => (copy: Json) => Answer
}

function lower(schema: unknown, findings: Findings): Lowered {
  const read = readBy(schema, findings)
  if (read === undefined) return refuse("not-a-schema", "something else than a zod 4, TypeBox or JSON Schema")
  const shape = guardPatterns(read.shape, findings)
  const { faults, closed, notices, functions, descriptions } = findings
  if (faults.length > 0) return { ok: false, faults }
  const exact = isExact(shape)
  return {
    ok: true,
    schema: {
      shape,
      exact,
      judge: judgeBy(read.validator(exact), findings.role),
      functions: [...functions].sort(),
      // Of several about one place the outermost counts.
      descriptions: new Map(descriptions.toReversed().map(({ at, text }) => [at, text])),
      sensitive: sensitiveIn(findings),
    },
    closed: distinct(closed),
    notices: distinct(notices),
  }
}

const distinct = <Said extends object>(all: readonly Said[]): readonly Said[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
]

function readBy(schema: unknown, findings: Findings): Read | undefined {
  if (isHeld(schema) && isZod(schema)) {
    const { major, minor, patch } = schema._zod.version
    if (major !== 4 || minor < oldestZod) {
      const what = `a schema of zod ${major}.${minor}.${patch}, where 4.${oldestZod} or a later 4 is needed,`
      findings.faults.push({ kind: "not-a-schema", at: root, what })
      return { shape: unknown, validator: () => (output) => ({ ok: true, output }) }
    }
    if (!("safeParse" in schema)) findings.faults.push({ kind: "not-a-schema", at: root, what: bareZod })
    return { shape: lowerZod(schema, findings, root), validator: () => validateByZod(schema, findings) }
  }
  if (isHeld(schema) && isTypeBox(schema)) {
    const own = copyTypeBox(schema)
    return { shape: lowerTypeBox(own, findings, root), validator: () => validateByTypeBox(own, findings) }
  }
  if (!isJsonSchema(schema)) return undefined
  const normal = readJsonSchema(schema, findings, root)
  if (normal === undefined) return { shape: unknown, validator: () => (output) => ({ ok: true, output }) }
  const shape = lowerJsonSchema(normal, findings, root)
  return { shape, validator: (exact) => validateNormal(normal, findings, exact) }
}

/** Of zod 4: earlier ones keep their checks in other places. */
const oldestZod = 6

const isHeld = (schema: unknown): schema is object =>
  (typeof schema === "object" || typeof schema === "function") && schema !== null

const bareZod = "a bare schema of `zod/v4/core`, which has no `safeParse`"
