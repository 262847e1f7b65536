/** JSON-Schema-Test-Suite, draft 2020-12: for every required case the right answer, or a refusal by name. */
import { describe, expect, it } from "vitest"
import { formats } from "../../src/catalog/schema/front-end/formats.ts"
import { hasData } from "../data.ts"
import { type Count, casesIn, folder, judge, known, notes, refusedIn } from "./json-schema-suite.ts"

function print(title: string, count: Count): void {
  const { right, exact, refused, wrong } = count
  const named = [...refused].map(([why, times]) => `  ${String(times).padStart(4)} ${why}`).join("\n")
  console.log(
    `${title}: ${right} right (${exact} of schemas whose shape is exact), ${wrong.length} wrong, ${refusedIn(count)} refused by name:\n${named}`,
  )
}

describe.skipIf(!hasData)("JSON-Schema-Test-Suite, draft 2020-12", () => {
  it("gives the right answer to every required case, or refuses the schema by name", () => {
    const count = judge(casesIn(folder), notes)
    print("required", count)
    expect(count.wrong).toEqual([])
    expect(count.right).toBeGreaterThan(1_000)
  })

  it("differs from it, where formats are judged, in nothing but that a format is more than a note", () => {
    const { wrong } = judge(casesIn(folder), formats)
    const others = wrong.filter(
      (one) => !/^format\.json: .* is only an annotation by default: .* should say true$/.test(one),
    )
    expect(others).toEqual([])
  })

  it("judges formats as the optional cases do", () => {
    const count = judge(casesIn(`${folder}/optional/format`), formats)
    print("formats", count)
    expect(count.wrong.filter((one) => !known.test(one))).toEqual([])
  })
})
