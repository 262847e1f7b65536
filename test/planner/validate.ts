/** Ajv as the judge of exported schemas: 2020-12, own properties only, and patterns with the flag `u`, as JSON Schema has them. */
import { Ajv2020 } from "ajv/dist/2020.js"
import type { Json, JsonObject } from "sequitur"

export type Validates = (value: Json) => boolean

const ajv = new Ajv2020({
  strict: true,
  strictTuples: false,
  strictTypes: false,
  allowUnionTypes: true,
  ownProperties: true,
})

export function validatorOf(schema: JsonObject): Validates {
  const validate = ajv.compile<Json>(schema) as Validates
  // Else it would keep every schema it has seen.
  ajv.removeSchema(schema)
  return validate
}

/** What a document's shape is, as the compiler's gates have it: envelope, ids, tools, arguments, expressions. */
export const structural = new Set([
  ...["SEQ101", "SEQ102", "SEQ103", "SEQ104", "SEQ105", "SEQ107", "SEQ108", "SEQ109"],
  ...["SEQ120", "SEQ121", "SEQ122", "SEQ123", "SEQ130", "SEQ131", "SEQ132", "SEQ133"],
])
