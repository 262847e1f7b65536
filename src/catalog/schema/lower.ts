/** From an author's schema, of whatever library, to what the catalog knows of it. */

import type { Json } from "../../text/json.ts"
import { root } from "../../text/pointer.ts"
import { type Findings, startFindings } from "./front-end/findings.ts"
import { isTypeBox, lowerTypeBox, validateByTypeBox } from "./front-end/typebox.ts"
import { isZod, lowerZod, validateByZod } from "./front-end/zod.ts"
import { type Answer, judgeBy } from "./judge.ts"
import { isExact, unknown } from "./make.ts"
import type { Lowered, Role, SchemaFault } from "./schema.ts"
import type { Shape } from "./shape.ts"

/** Never throws: a schema that cannot be read is a fault like any other. All faults are told at once. */
export function lowerSchema(schema: unknown, role: Role): Lowered {
  try {
    return lower(schema, role)
  } catch (thrown) {
    const why = thrown instanceof Error ? `: ${thrown.message.slice(0, 200)}` : ""
    return refuse("not-a-schema", `a schema that fails when it is read${why}`)
  }
}

const refuse = (kind: SchemaFault["kind"], what: string): Lowered => ({ ok: false, faults: [{ kind, at: root, what }] })

interface Read {
  readonly shape: Shape
  readonly validate: (copy: Json) => Answer
}

function lower(schema: unknown, role: Role): Lowered {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) {
    return refuse("not-a-schema", "something else than a zod or TypeBox schema")
  }
  const findings = startFindings(role)
  const read = readBy(schema, findings)
  if (read === undefined) {
    return looksLikeJsonSchema(schema)
      ? refuse("not-built", "a JSON Schema")
      : refuse("not-a-schema", "something else than a zod or TypeBox schema")
  }
  const { faults, closed, functions } = findings
  if (faults.length > 0) return { ok: false, faults }
  const { shape, validate } = read
  return {
    ok: true,
    schema: { shape, exact: isExact(shape), judge: judgeBy(validate, role), functions: [...functions].sort() },
    closed: [...new Map(closed.map((one) => [one.at, one])).values()],
  }
}

function readBy(schema: object, findings: Findings): Read | undefined {
  if (isZod(schema)) {
    const { major, minor, patch } = schema._zod.version
    if (major !== 4 || minor < oldestZod) {
      const what = `a schema of zod ${major}.${minor}.${patch}, where 4.${oldestZod} or a later 4 is needed,`
      findings.faults.push({ kind: "not-a-schema", at: root, what })
      return { shape: unknown, validate: () => ({ ok: true, output: null }) }
    }
    if (!("safeParse" in schema)) findings.faults.push({ kind: "not-a-schema", at: root, what: bareZod })
    return { shape: lowerZod(schema, findings, root), validate: validateByZod(schema) }
  }
  if (isTypeBox(schema)) {
    return { shape: lowerTypeBox(schema, findings, root), validate: validateByTypeBox(schema) }
  }
  return undefined
}

/** Of zod 4: earlier ones keep their checks in other places. */
const oldestZod = 6

const bareZod = "a bare schema of `zod/v4/core`, which has no `safeParse`"

const looksLikeJsonSchema = (schema: object): boolean =>
  ["$schema", "type", "properties", "$ref", "anyOf", "enum"].some((keyword) => Object.hasOwn(schema, keyword))
