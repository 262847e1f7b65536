/**
 * JSON-Schema-Test-Suite, draft 2020-12: for every required case the right answer, or a refusal by name. Each value is
 * judged by both validators, and by the verdict that counts (the shape's, and where that is looser the validator's).
 */
import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import { startFindings } from "../../src/catalog/schema/front-end/findings.ts"
import { type Formats, formats } from "../../src/catalog/schema/front-end/formats.ts"
import { readJsonSchema } from "../../src/catalog/schema/front-end/read-json-schema.ts"
import { generate, walk } from "../../src/catalog/schema/front-end/validate.ts"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import type { JsonSchema } from "../../src/catalog/schema/schema.ts"
import type { Json } from "../../src/text/json.ts"
import { root } from "../../src/text/pointer.ts"
import { dataFolder, readData } from "../data.ts"

interface Case {
  readonly description: string
  readonly schema: JsonSchema
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[]
}

export const folder = "json-schema-test-suite/tests/draft2020-12"
export const casesIn = (path: string): readonly (readonly [file: string, one: Case])[] =>
  readdirSync(resolve(dataFolder, path))
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => (JSON.parse(readData(`${path}/${file}`)) as Case[]).map((one) => [file, one] as const))

/** The standard's default: a format is a note. */
export const notes: Formats = new Map(
  [...formats.keys(), "idn-email", "idn-hostname", "iri", "iri-reference", "regex"].map((name) => [name, {}]),
)

export interface Count {
  right: number
  exact: number
  readonly refused: Map<string, number>
  readonly wrong: string[]
}

export function judge(cases: ReturnType<typeof casesIn>, formats: Formats): Count {
  const count: Count = { right: 0, exact: 0, refused: new Map(), wrong: [] }
  for (const [file, { description, schema, tests }] of cases) {
    const lowered = lowerSchema(schema, "result", formats)
    if (!lowered.ok) {
      const [fault] = lowered.faults
      const why = `${fault?.what.replace(/".*"/, "…")} ${fault?.problem ?? ""}`
      count.refused.set(why, (count.refused.get(why) ?? 0) + tests.length)
      continue
    }
    if (lowered.schema.exact) count.exact += tests.length
    const normal = readJsonSchema(schema, startFindings("result", formats), root)
    if (normal === undefined) throw new Error("read once, but not twice")
    const validators = { Ajv: generate(normal, formats), walker: walk(normal, formats) }
    for (const { description: what, data, valid } of tests) {
      const said: string[] = []
      const whole = judgeWhole(lowered.schema, data).length === 0
      if (whole !== valid) said.push("verdict")
      if ((lowered.schema.judge(data).length === 0) !== valid) said.push("judge")
      const walked = validators.walker(data).ok
      if (walked !== valid) said.push("walker")
      if (!JSON.stringify(schema).includes("unevaluated") && validators.Ajv(data).ok !== valid) said.push("Ajv")
      if (said.length === 0) count.right++
      else count.wrong.push(`${file}: ${description}: ${what}: ${said.join(", ")} should say ${valid}`)
    }
  }
  return count
}

export const refusedIn = ({ refused }: Count): number => [...refused.values()].reduce((one, other) => one + other, 0)

/** Of the optional formats: leap seconds are taken in UTC only, mailboxes without quotes only; Punycode is not decoded. */
export const known =
  /leap second|quoted string|hostname\.json: validation of A-label|hostname\.json: .*: (?:invalid Punycode|.*xn--)/
