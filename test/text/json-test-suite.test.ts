/** All of JSONTestSuite, each file as it or our rulings have it. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { defaultBounds } from "../../src/text/bounds.ts"
import { readJson } from "../../src/text/read-json.ts"
import { hasData } from "../data.ts"
import { folder, open, rulings, stricter, transforms } from "./json-test-suite.ts"

describe.skipIf(!hasData)("JSONTestSuite", () => {
  test("test_parsing, each file as the suite or our table has it", () => {
    const ruled = rulings("test_parsing")
    const files = [...ruled.keys()]
    const of = (prefix: string) => [...ruled].filter(([file]) => file.startsWith(prefix))
    expect(Object.fromEntries(of("i_"))).toEqual(
      Object.fromEntries(Object.entries(open).map(([file, [kind]]) => [file, kind])),
    )
    const refused = of("y_").filter(([, kind]) => kind !== "taken")
    expect(Object.fromEntries(refused)).toEqual(
      Object.fromEntries(Object.entries(stricter).map(([file, [kind]]) => [file, kind])),
    )
    expect(of("n_").filter(([, kind]) => kind === "taken")).toEqual([])
    expect(files).toHaveLength(318)
    const taken = [...ruled.values()].filter((kind) => kind === "taken").length
    console.log(
      `JSONTestSuite: ${files.length} files: ${taken} taken, ${files.length - taken} refused ` +
        `(${of("n_").length} n_, ${of("i_").length} i_ by ruling, ${refused.length} y_ by a stricter rule)`,
    )
  })

  test("files taken have the values that JSON.parse gives them", () => {
    for (const file of readdirSync(join(folder, "test_parsing"))) {
      const bytes = readFileSync(join(folder, "test_parsing", file))
      const read = readJson(bytes, defaultBounds)
      if (read.ok) expect(read.value).toEqual(JSON.parse(bytes.toString(), (_, value) => (value === 0 ? 0 : value)))
    }
  })

  test("test_transform", () => {
    expect(Object.fromEntries(rulings("test_transform"))).toEqual(transforms)
  })
})
