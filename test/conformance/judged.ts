/**
 * Where the compiler's verdict is not the data's: each case looked at, and who was right. No data stands here, only ids,
 * digests, the two verdicts, and reasons. A judgement holds for exactly the case and the verdicts it was made of: where
 * one of them changes, or other data has a case of the same name, nothing is explained any more.
 */
import { createHash } from "node:crypto"
import { digests } from "./judged-cases.ts"
import { judgements } from "./judgements.ts"
import type { Case } from "./suite.ts"

export interface Judgement {
  readonly suite: string
  readonly ids: readonly string[]
  /** What each side says, in its own words, sorted and joined by commas; empty is "accepted". */
  readonly ours: string
  readonly theirs: string
  readonly right: "sequitur" | "the data" | "both"
  readonly why: string
}

/** What was judged: its name in the data, and its text. */
export interface Judged {
  readonly id: string
  readonly text: string
}

/** Of what is said, "SEQ120 /steps/0/args", the code. What has none stands for itself. */
export const codeOf = (said: string): string => /^SEQ\d{3}/.exec(said)?.[0] ?? said

const joined = (findings: readonly string[]): string => [...new Set(findings)].sort().join(", ")

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12)

const keyOf = (suite: string, digest: string | undefined, ours: string, theirs: string): string =>
  JSON.stringify([suite, digest, ours, theirs])

const byKey = new Map(
  judgements.flatMap((judgement) =>
    judgement.ids.map(
      (id) => [keyOf(judgement.suite, digests[id], judgement.ours, judgement.theirs), judgement] as const,
    ),
  ),
)

const met = new Map<string, Set<string>>()

/** Judgements that no case has needed, of those suites: each is out of date. */
export const unmet = (): readonly string[] => [...byKey.keys()].filter((key) => !met.has(key))

/** The verdict on a case where the two sides differ. Judged by codes; told with places. */
export function explain(
  suite: string,
  { id, text }: Judged,
  ours: readonly string[],
  theirs: readonly string[],
): Case["verdict"] {
  const digest = digestOf(text)
  const key = keyOf(suite, digest, joined(ours.map(codeOf)), joined(theirs))
  if (byKey.has(key)) {
    met.set(key, (met.get(key) ?? new Set()).add(id))
    return "explained"
  }
  return { unexplained: `${id} (${digest}): we say [${ours.join(", ")}], the data [${joined(theirs)}]` }
}

/** The judgements that were needed, each with the cases that needed it. */
export const judgementsMet = (): readonly string[] =>
  judgements.flatMap(({ suite, ids, ours, theirs, right, why }) => {
    const needed = [...new Set(ids.flatMap((id) => [...(met.get(keyOf(suite, digests[id], ours, theirs)) ?? [])]))]
    const who = right === "both" ? "Both are right" : `Right: ${right}`
    return needed.length === 0
      ? []
      : [`${suite} ${needed.join(", ")}: we say [${ours}], the data [${theirs}]. ${who}. ${why}`]
  })
