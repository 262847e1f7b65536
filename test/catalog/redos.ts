/** The `redos` set: catastrophic patterns and some that are not, as each language of schemas writes them. */
import { Type } from "@sinclair/typebox"
import { z } from "zod"
import type { Lowered } from "../../src/catalog/schema/schema.ts"
import { readData } from "../data.ts"

export interface Row {
  readonly pattern: string
  readonly flags: string
  readonly attack: { readonly repeat: string; readonly times: number; readonly suffix: string } | null
  readonly kind: string
}

export const readRedos = (): readonly Row[] =>
  readData("redos/patterns.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row)

/** Fast enough, and to be let through. */
export const isControl = ({ kind }: Row): boolean => kind.startsWith("control:")

export const frontEnds: readonly (readonly [name: string, of: (source: string, flags: string) => unknown])[] = [
  ["zod", (source, flags) => z.strictObject({ text: z.string().regex(new RegExp(source, flags)) })],
  [
    "TypeBox",
    (source, flags) => Type.Object({ text: Type.RegExp(new RegExp(source, flags)) }, { additionalProperties: false }),
  ],
  [
    "JSON Schema",
    (pattern) => ({ type: "object", properties: { text: { type: "string", pattern } }, additionalProperties: false }),
  ],
]

export const faultsOf = (lowered: Lowered): readonly string[] =>
  lowered.ok ? [] : lowered.faults.map(({ kind, at, problem }) => `${kind} ${at} ${problem}`)

/** What is said of one that is refused. */
export const unsafe = /^unsafe-pattern \/text (may take|cannot be proved)/
