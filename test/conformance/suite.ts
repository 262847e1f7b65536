/** What a suite of other people's plans gives: one row of the table, and by name each case that nothing explains. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { Catalog, Compiled } from "sequitur"
import { compile } from "sequitur"
import { dataFolder, readData } from "../data.ts"

export interface Row {
  readonly suite: string
  readonly cases: number
  readonly accepted: number
  readonly refused: number
  /** Cases where the verdict is not the data's, each judged in the committed list. */
  readonly explained: number
  readonly unexplained: readonly string[]
}

/** One case: was it accepted, and what is left to say of it. */
export interface Case {
  readonly ok: boolean
  readonly verdict: "as-expected" | "explained" | { readonly unexplained: string }
}

export function rowOf(suite: string, cases: readonly Case[]): Row {
  const accepted = cases.filter(({ ok }) => ok).length
  return {
    suite,
    cases: cases.length,
    accepted,
    refused: cases.length - accepted,
    explained: cases.filter(({ verdict }) => verdict === "explained").length,
    unexplained: cases.flatMap(({ verdict }) => (typeof verdict === "object" ? [verdict.unexplained] : [])),
  }
}

/** Errors as `code place`: what a refusal is held to. */
export const saidOf = ({ diagnostics }: Compiled): readonly string[] =>
  diagnostics.filter(({ severity }) => severity === "error").map(({ code, at }) => `${code} ${at}`)

/** Compiles, and holds what is said against what was to be said: an empty list is to be accepted. */
export function held(id: string, catalog: Catalog, text: string, expected: readonly string[]): Case {
  const compiled = compile(catalog, text)
  const said = saidOf(compiled)
  const right = [...said].sort().join("\n") === [...expected].sort().join("\n") && compiled.ok === (said.length === 0)
  const unexplained = `${id}: said [${said.join(", ")}], to be said [${expected.join(", ")}]`
  return { ok: compiled.ok, verdict: right ? "as-expected" : { unexplained } }
}

export const hasFile = (path: string): boolean => existsSync(resolve(dataFolder, path))

/** What the data finds wrong with each plan; where it says nothing of one, that it is right. */
export const readExpected = (path: string): { readonly [id: string]: readonly string[] } =>
  hasFile(path) ? (JSON.parse(readData(path)) as { readonly [id: string]: readonly string[] }) : {}
