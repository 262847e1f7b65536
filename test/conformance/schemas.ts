/** The gates of text and schemas, against the suites of others and their own validators. */
import { formats } from "../../src/catalog/schema/front-end/formats.ts"
import { lowerSchema } from "../../src/catalog/schema/lower.ts"
import { casesIn, folder, judge, known, notes, refusedIn } from "../catalog/json-schema-suite.ts"
import { languages, prove } from "../catalog/proof.ts"
import { faultsOf, frontEnds, isControl, readRedos, unsafe } from "../catalog/redos.ts"
import { open, type Ruling, rulings, stricter, transforms } from "../text/json-test-suite.ts"
import { type Case, hasFile, type Row, rowOf } from "./suite.ts"
import type { Line } from "./table.ts"

export function textRows(): readonly Row[] {
  if (!hasFile("JSONTestSuite/test_parsing") || !hasFile("JSONTestSuite/test_transform")) return []
  const files = [...rulings("test_parsing")]
  const ruled = (suite: string, prefix: string, right: Ruling | "refused" | undefined): Row =>
    rowOf(
      suite,
      files.filter(([file]) => file.startsWith(prefix)).map(([file, said]) => caseOf(file, said, right)),
    )
  return [
    ruled("JSONTestSuite, to be taken", "y_", "taken"),
    ruled("JSONTestSuite, to be refused", "n_", "refused"),
    ruled("JSONTestSuite, left open: ruled on here", "i_", undefined),
    rowOf(
      "JSONTestSuite, odd structures",
      [...rulings("test_transform")].map(([file, said]) => caseOf(file, said, undefined)),
    ),
  ]
}

/** `right` is what the suite asks; what it leaves open, or we refuse all the same, has a ruling of ours. */
function caseOf(file: string, said: Ruling, right: Ruling | "refused" | undefined): Case {
  const ok = said === "taken"
  if (right !== undefined && ok === (right === "taken")) return { ok, verdict: "as-expected" }
  const ours = open[file]?.[0] ?? stricter[file]?.[0] ?? transforms[file]
  return { ok, verdict: ours === said ? "explained" : { unexplained: `${file}: ${said}, by our rulings ${ours}` } }
}

/** Refused by name counts as judged. */
export function suiteRows(): readonly Row[] {
  const asRow = (suite: string, path: string, taken: typeof formats, isKnown: (wrong: string) => boolean): Row => {
    const count = judge(casesIn(path), taken)
    const refused = refusedIn(count)
    const unexplained = count.wrong.filter((one) => !isKnown(one))
    const accepted = count.right + count.wrong.length
    const explained = refused + count.wrong.length - unexplained.length
    return { suite, cases: accepted + refused, accepted, refused, explained, unexplained }
  }
  return [
    ...(hasFile(folder) ? [asRow("JSON-Schema-Test-Suite 2020-12, required", folder, notes, () => false)] : []),
    ...(hasFile(`${folder}/optional/format`)
      ? [asRow("… optional formats", `${folder}/optional/format`, formats, (one) => known.test(one))]
      : []),
  ]
}

export function redosRows(): readonly Row[] {
  if (!hasFile("redos/patterns.jsonl")) return []
  const patterns = readRedos()
  return frontEnds.map(([name, schemaOf]) =>
    rowOf(
      `redos set, as ${name}`,
      patterns.map((row): Case => {
        const faults = faultsOf(lowerSchema(schemaOf(row.pattern, row.flags), "params"))
        const ok = faults.length === 0
        const right = isControl(row) ? ok : faults.length === 1 && unsafe.test(faults[0] ?? "")
        return { ok, verdict: right ? "as-expected" : { unexplained: `${row.pattern}: [${faults.join(", ")}]` } }
      }),
    ),
  )
}

const acceptedFloor = 0.4
/** Of a few pairs, all of a few schemas, the share says nothing. */
const pairsForShare = 5_000

/** Each pair holds, or the proof ends with the first that does not. */
export const proofLines = (pairs: number, seed: number): readonly Line[] =>
  Object.keys(languages).map((language): Line => {
    try {
      const count = prove(language, { pairs: Math.ceil(pairs / Object.keys(languages).length), seed })
      const share = count.right / count.pairs
      return {
        what: `${language}, ${Math.round((100 * count.exact) / count.pairs)} % by exact shapes`,
        cells: [count.pairs, count.right, count.pairs - count.right, count.pairs, 0],
        unexplained:
          count.pairs >= pairsForShare && share < acceptedFloor ? [`only ${Math.round(100 * share)} % accepted`] : [],
      }
    } catch (thrown) {
      return { what: language, cells: [], unexplained: [thrown instanceof Error ? thrown.message : String(thrown)] }
    }
  })
