/** Which of the listed attacks and reports have a test that is named for them. */
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { readData } from "../data.ts"
import { type Case, hasFile, type Row, rowOf } from "./suite.ts"

const areas = ["parse", "names", "schema", "dataflow"]
const inWords: { readonly [area: string]: string } = {
  parse: "parsing",
  schema: "schemas",
  dataflow: "the flow of data",
}
/** Of reports: about schemas, parsing, names and references. */
const tags = ["schema", "json", "unicode", "dataflow", "compile", "shadowing"]

interface Listed {
  readonly id: string
  readonly area?: string
  readonly tags?: readonly string[]
}

const readListed = (path: string): readonly Listed[] =>
  hasFile(path)
    ? readData(path)
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Listed)
    : []

const ofArea = (area: string): readonly string[] =>
  readListed("attacks.jsonl")
    .filter((attack) => attack.area === area)
    .map(({ id }) => id)

const ofReports = (): readonly string[] =>
  readListed("reports.jsonl")
    .filter((report) => report.tags?.some((tag) => tags.includes(tag)))
    .map(({ id }) => id)

export const listedIds = (): readonly string[] => [...areas.flatMap(ofArea), ...ofReports()]

/** What stands first in `test("…`, `describe.skipIf(…)("…`, or as a key or first cell of a table of tests. */
const titles = [
  /\b(?:test|it|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*(?:\[\s*\[\s*)?["'`]([^"'`]*)/g,
  /^\s+\[\s*"((?:[AD]\d{2,3})\b[^"]*)"/gm,
  /^ {2}(A\d{3}): \[/gm,
]

export function namedIds(folder = resolve(import.meta.dirname, "..")): ReadonlySet<string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"))
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8"))
  const named = texts.flatMap((text) =>
    titles.flatMap((title) => [...text.matchAll(title)].map(([, name = ""]) => name)),
  )
  return new Set(named.flatMap((name) => name.match(/\b(?:A\d{3}|D\d{2})\b/g) ?? []))
}

export function idRows(): readonly Row[] {
  const named = namedIds()
  const rowFor = (suite: string, ids: readonly string[]): readonly Row[] => {
    const cases = ids.map((id): Case => {
      const ok = named.has(id)
      return { ok, verdict: ok ? "as-expected" : { unexplained: `${id}: no test is named for it` } }
    })
    return cases.length === 0 ? [] : [rowOf(suite, cases)]
  }
  return [
    ...areas.flatMap((area) => rowFor(`attacks on ${inWords[area] ?? area}`, ofArea(area))),
    ...rowFor("reports of schemas, parsing, references", ofReports()),
  ]
}
