/**
 * Where the compiler's verdict is not the data's: each case looked at, and who was right. No data stands here, only
 * ids, the two verdicts, and reasons. A judgement holds for exactly the verdicts it was made of: where either changes,
 * nothing is explained any more.
 */
import { judgements } from "./judgements.ts"
import { type Case, markdown } from "./suite.ts"

export interface Judgement {
  readonly suite: string
  readonly ids: readonly string[]
  /** What each side says, in its own words, sorted and joined by commas; empty is "accepted". */
  readonly ours: string
  readonly theirs: string
  readonly right: "sequitur" | "the data" | "both"
  readonly why: string
}

/** Of what is said, "SEQ120 /steps/0/args", the code. What has none stands for itself. */
export const codeOf = (said: string): string => /^SEQ\d{3}/.exec(said)?.[0] ?? said

const joined = (findings: readonly string[]): string => [...new Set(findings)].sort().join(", ")

const keyOf = (suite: string, id: string, ours: string, theirs: string): string =>
  JSON.stringify([suite, id, ours, theirs])

const judged = new Set(
  judgements.flatMap(({ suite, ids, ours, theirs }) => ids.map((id) => keyOf(suite, id, ours, theirs))),
)

const met = new Set<string>()

/** Judgements that no case has needed, of those suites: each is out of date. */
export const unmet = (): readonly string[] => [...judged].filter((key) => !met.has(key))

/** The verdict on a case where the two sides differ. Judged by codes; told with places. */
export function explain(
  suite: string,
  id: string,
  ours: readonly string[],
  theirs: readonly string[],
): Case["verdict"] {
  const [we, they] = [joined(ours.map(codeOf)), joined(theirs)]
  const key = keyOf(suite, id, we, they)
  if (judged.has(key)) {
    met.add(key)
    return "explained"
  }
  return { unexplained: `${suite} ${id}: we say [${ours.join(", ")}], the data [${they}]` }
}

/** The judgements that were needed; empty where none was. */
export function judgementsAsTable(): string {
  const header = ["deviation", "cases", "we say", "the data says", "right"]
  const lines = judgements.flatMap(({ suite, ids, ours, theirs, right }) => {
    const needed = ids.filter((id) => met.has(keyOf(suite, id, ours, theirs)))
    return needed.length === 0 ? [] : [[suite, needed.join(", "), ours, theirs || "nothing", right]]
  })
  return lines.length === 0 ? "" : markdown(header, lines)
}
