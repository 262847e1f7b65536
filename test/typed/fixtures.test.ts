/** The refused plans of `plans/invalid`, told by tsc too: the same codes at the same places, in the same words. */
import { type Catalog, compile } from "sequitur"
import { describe, expect, test } from "vitest"
import { fixtures } from "./fixtures.ts"
import { judgeByTypes } from "./judge.ts"

const said = judgeByTypes(fixtures.map(({ module }) => module))

/** What types do not tell of these plans, and why. */
const untold: { readonly [fault: string]: string } = {
  "SEQ101/id-number.json SEQ101 /steps/1/args": "a list is an object without parameters; the tool's name is told",
  "SEQ103/among-others.json SEQ103 /steps/3/arg": "TypeScript tells one fault of a step that has no `args`: its tool",
  "SEQ103/among-others.json SEQ106 /steps/3/id": "the same step",
  "SEQ109/too-many.json SEQ109 /steps": "bounds are in no type",
  "SEQ110/long-goal.json SEQ110 /goal": "bounds are in no type",
  "SEQ121/misspelt.json SEQ120 /steps/0/args": "TypeScript tells the parameter that is misspelt, and no more",
  "SEQ123/above-maximum.json SEQ123 /steps/3/args/cents": "ranges are in no type",
  "SEQ124/blank-tag.json SEQ124 /steps/0/args/tag": "refinements are in no type",
  "SEQ133/too-many.json SEQ133 /steps/1/args/tag/$concat": "bounds are in no type",
  "SEQ209/another-order.json SEQ209 /steps/3/args/orderId": "`same` compares values",
  "SEQ215/objects.json SEQ401 /steps/1/args/skus": "a reference counts by its schema",
  "SEQ401/by-reference.json SEQ401 /steps/3/args/skus": "a reference counts by its schema",
  "SEQ402/two-refunds.json SEQ402 /steps/4/args/cents": "a reference counts by its schema",
  "SEQ602/memo-from-mail.json SEQ602 /steps/2/args/memo": "labels are not followed through tools",
  "SEQ403/cost.json SEQ403 /steps": "budgets are not asked",
  "SEQ403/steps.json SEQ403 /steps": "budgets are not asked",
}

/** Codes whose words say more than types know: what a schema asks, which character. Up to there they are the same. */
const inPart = ["SEQ105", "SEQ123", "SEQ207", "SEQ211", "SEQ212", "SEQ213"]

describe("both judges", async () => {
  for (const [number, { catalog: path, files, texts }] of fixtures.entries()) {
    const { default: catalog } = (await import(path)) as { readonly default: Catalog }
    files.forEach((file, index) => {
      test(file, () => {
        const errors = compile(catalog, texts[index] ?? "").diagnostics.filter(({ severity }) => severity === "error")
        const types = said[number]?.[index] ?? []
        const missing = errors.filter(({ at }) => !types.some((one) => one.at === at))
        expect(missing.map(({ code, at }) => `${file} ${code} ${at}`).sort()).toEqual(
          Object.keys(untold)
            .filter((fault) => fault.startsWith(`${file} `))
            .sort(),
        )
        for (const { at, code, message } of types) {
          const same = errors.filter((error) => error.at === at)
          expect(same.length, `${at} is told by types alone: ${message}`).toBeGreaterThan(0)
          if (code === undefined) continue
          expect(same.map((error) => error.code)).toContain(code)
          if (!inPart.includes(code)) expect(same.map((error) => error.message)).toContain(message)
        }
      })
    })
  }
})
