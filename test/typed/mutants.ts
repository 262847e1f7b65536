/**
 * `node --conditions=@sequitur/source test/typed/mutants.ts`: the types with one rule dropped or bent at a time. Each must
 * be noticed as a difference between tsc and the compiler; exits 1 where one is not.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { differ } from "./differential.ts"

interface Mutant {
  readonly rule: string
  readonly file: string
  readonly from: string
  readonly to: string
}

const mutants: readonly Mutant[] = [
  {
    rule: "references to later steps pass",
    file: "reference.ts",
    from: 'true extends IsBefore<At, S["at"]>',
    to: "true extends true",
  },
  {
    rule: "references to unknown steps pass",
    file: "reference.ts",
    from: 'S["plan"]["open"] extends true',
    to: "true extends true",
  },
  {
    rule: "optional values are always there",
    file: "value.ts",
    from: ', "optional">',
    to: ', "absent"> | Found<Inner>',
  },
  {
    rule: "an optional parameter is needed",
    file: "value.ts",
    from: "IsOptional<T, Key> extends true ? never : Key",
    to: "Key",
  },
  { rule: "nothing is needed", file: "arguments.ts", from: "[Needed<O>] extends [keyof A]", to: "true extends true" },
  {
    rule: "what may fit does not",
    file: "value.ts",
    from: "[Meet<Given, Asked>] extends [never]",
    to: "true extends true",
  },
  {
    rule: "a state is left at a call",
    file: "machine.ts",
    from: "Road<State, Name extends Called ? Called : Called | Name, Faults>",
    to: "Road<string, Name extends Called ? Called : Called | Name, Faults>",
  },
  {
    rule: "every transition is declared",
    file: "machine.ts",
    from: "To extends keyof M",
    to: "unknown extends unknown ? true : To extends keyof M",
  },
  {
    rule: "no predecessor is called",
    file: "machine.ts",
    from: "Name extends Called ? Called : Called | Name, Faults>",
    to: "Called, Faults>",
  },
  {
    rule: "every predecessor is called",
    file: "machine.ts",
    from: '[C["tools"][Name]["requires"]] extends [Called]',
    to: "true extends true",
  },
  {
    rule: "a limit met exactly is passed",
    file: "sum.ts",
    from: "SoFar = false",
    to: "SoFar = true",
  },
  { rule: "carries are lost", file: "sum.ts", from: 'Carry extends "0"', to: "Carry extends string" },
  {
    rule: "ids may be used twice",
    file: "order.ts",
    from: '[C["spots"][Id]["at"]] extends [Place<I>]',
    to: "true extends true",
  },
  { rule: "ids may be kept words", file: "order.ts", from: '  | "toJSON"', to: '  | "other"' },
  {
    rule: "any scalar is right at first sight",
    file: "tools.ts",
    from: "Extract<Takes[Key], ",
    to: "Extract<Scalar, ",
  },
  {
    rule: "whatever is read is right at first sight",
    file: "reference.ts",
    from: "? CouldBe<Value, T> : false",
    to: "? true : false",
  },
  {
    rule: "every step is earlier at first sight",
    file: "reference.ts",
    from: "Spot<Earlier<Place<I>>, infer Name extends string>",
    to: "Spot<string, infer Name extends string>",
  },
  {
    rule: "what is unknown is known",
    file: "plan.ts",
    from: 'extends [C["tools"][Tool]["known"]]',
    to: "extends [unknown]",
  },
  {
    rule: "every cost is far from the limit",
    file: "blast.ts",
    from: "extends [never]\n      ? true",
    to: "extends [unknown]\n      ? true",
  },
  {
    rule: "unknown parameters pass",
    file: "arguments.ts",
    from: 'Say<"SEQ121", { tool: S["tool"]; argument: Below<Path, Key> }>',
    to: "Value",
  },
]

let unnoticed = 0
for (const { rule, file, from, to } of mutants) {
  const folder = mkdtempSync(join(tmpdir(), "sequitur-mutant-"))
  try {
    cpSync("src", join(folder, "src"), { recursive: true })
    for (const part of ["package.json", "node_modules"]) symlinkSync(resolve(part), join(folder, part))
    const path = join(folder, "src", "typed", file)
    const text = readFileSync(path, "utf8")
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
    writeFileSync(path, text.replaceAll(from, to))
    // More cases, until it is noticed.
    const seed = [1, 2, 3, 4, 5, 6, 7, 8].find((one) => differ(600, one, join(folder, "src")).differences.length > 0)
    console.log(`${seed === undefined ? "NOT NOTICED" : `noticed in ${seed * 600} cases`}: ${rule}`)
    if (seed === undefined) unnoticed++
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
process.exitCode = unnoticed === 0 ? 0 : 1
