/** The shape beside the author's validator: never stricter, and as strict where it says so. On random schemas. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { accepts } from "../../src/catalog/schema/accept.ts"
import { judgeWhole } from "../../src/catalog/schema/judge.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import type { Role, Schema } from "../../src/catalog/schema/schema.ts"
import type { Json } from "../../src/text/json.ts"
import { check, sample, typeBoxOf, zodOf } from "./arbitrary.ts"

const numRuns = 1_500
const role = fc.constantFrom<Role[]>("params", "result")

function lowered(schema: unknown, role: Role): Schema {
  const lowered = lowerSchema(schema, role)
  if (!lowered.ok) throw new Error(JSON.stringify(lowered.faults))
  return lowered.schema
}

/** Counts what the generator makes: a property that refuses everything proves nothing. */
function share(): { note: (yes: boolean) => void; of: () => number } {
  let all = 0
  let yes = 0
  return {
    note: (one) => {
      all++
      if (one) yes++
    },
    of: () => Math.round((100 * yes) / all),
  }
}

function hold({ shape, exact, judge, functions }: Schema, value: Json, isRight: boolean): void {
  const schema = { shape, exact, judge, functions }
  const before = JSON.stringify(value)
  const judged = judge(value).length === 0
  const shaped = accepts(shape, value)
  if (isRight) expect(shaped, "the shape is stricter than the validator").toBe(true)
  if (exact && shaped) expect(judged, "the shape is looser than the validator, and says that it is not").toBe(true)
  expect(judgeWhole(schema, value).length === 0).toBe(shaped && judged)
  expect(JSON.stringify(value), "judging changed the value").toBe(before)
}

describe("a lowered schema accepts what its validator accepts", () => {
  it("zod", () => {
    const right = share()
    const exact = share()
    fc.assert(
      fc.property(sample, role, ({ node, value }, role) => {
        const schema = lowered(zodOf(node), role)
        const isRight = schema.judge(value).length === 0
        hold(schema, value, isRight)
        right.note(isRight)
        exact.note(schema.exact)
      }),
      { numRuns },
    )
    console.log(`zod: ${right.of()} % of the values accepted, ${exact.of()} % of the shapes exact`)
    expect(right.of()).toBeGreaterThanOrEqual(40)
    expect(exact.of()).toBeGreaterThanOrEqual(60)
  })

  it("TypeBox, whose open objects are closed in params", () => {
    const right = share()
    const exact = share()
    fc.assert(
      fc.property(sample, role, ({ node, value }, role) => {
        const schema = lowered(typeBoxOf(node, "written"), role)
        const isRight = check(typeBoxOf(node, role === "params" ? "closed" : "read"), value)
        hold(schema, value, isRight)
        right.note(isRight)
        exact.note(schema.exact)
      }),
      { numRuns },
    )
    console.log(`TypeBox: ${right.of()} % of the values accepted, ${exact.of()} % of the shapes exact`)
    expect(right.of()).toBeGreaterThanOrEqual(40)
    expect(exact.of()).toBeGreaterThanOrEqual(60)
  })
})
