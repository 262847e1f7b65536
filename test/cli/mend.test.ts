/** Mending a text comes to where mending its document comes to, and leaves alone what stands round it. */
import { applyPatch, compile, defineCatalog, type Json, tool } from "sequitur"
import { expect, test } from "vitest"
import { z } from "zod"
import { mend } from "../../src/cli/mend.ts"
import type { PlanFile } from "../../src/cli/plan-file.ts"
import { numbers, rewrite } from "../check/rewrite.ts"
import { mend as mendDocument } from "../convergence/converge.ts"
import { faults, type Pick, type WrittenPlan } from "../convergence/faults.ts"
import { deskPlans, domainPlans } from "../convergence/good-plans.ts"

const opened = (catalog: PlanFile["catalog"], text: string, unwrap?: "fence"): PlanFile => ({
  file: "plan.json",
  name: "plan.json",
  text,
  shown: text,
  bytes: Buffer.from(text),
  source: "plan",
  catalogPath: "catalog.ts",
  catalog,
  options: unwrap === undefined ? {} : { unwrap },
  compiled: compile(catalog, text, unwrap === undefined ? {} : { unwrap }),
})

test("one to three faults, written in any manner, bare or in a fence", () => {
  const good = [...deskPlans(3, 60), ...domainPlans()]
  const kinds = Object.values(faults)
  const next = numbers(11)
  const pick: Pick = (below) => next() % below
  const seen = { mended: 0, accepted: 0, rounds: 0 }
  for (let tries = 0; tries < 1_500; tries++) {
    const chosen = good[pick(good.length)]
    if (chosen === undefined) break
    let faulty: WrittenPlan | undefined = chosen.plan
    for (let times = 1 + pick(3); times > 0 && faulty !== undefined && Array.isArray(faulty.steps); times--) {
      faulty = kinds[pick(kinds.length)]?.(faulty, chosen.catalog, pick)
    }
    if (faulty === undefined) continue
    const value = faulty as unknown as Json
    const text = rewrite(value, { seed: pick(1_000_000), spaces: true, order: pick(2) === 0, escapes: true })
    const fenced = pick(2) === 0
    const around = fenced ? (["\n```json\r\n", "\n``` \n"] as const) : (["", ""] as const)
    const unwrap = fenced ? "fence" : undefined
    const mended = mend(opened(chosen.catalog, around.join(text), unwrap))
    const expected = mendDocument(chosen.catalog, value)
    expect(mended?.rounds ?? 0).toBe(expected.rounds)
    if (mended === undefined) continue
    seen.mended++
    seen.rounds = Math.max(seen.rounds, mended.rounds)
    if (mended.compiled.ok) seen.accepted++
    expect(mended.compiled.ok).toBe(expected.ok)
    expect(mended.document).toEqual(expected.document)
    expect(applyPatch(value, mended.patch)).toEqual(mended.document)
    const [before, after] = around
    expect(mended.text.startsWith(before) && mended.text.endsWith(after)).toBe(true)
    expect(JSON.parse(mended.text.slice(before.length, mended.text.length - after.length))).toEqual(mended.document)
  }
  expect(seen.mended).toBeGreaterThan(400)
  expect(seen.accepted).toBeGreaterThan(300)
  expect(seen.rounds).toBeGreaterThan(1)
})

test("a plan that would outgrow the bounds is left as it is", () => {
  const text = '{"version":1,"steps":[{"id":"a","tool":"find_ordr","args":{}}]}'
  const bounded = (textBytes: number): PlanFile["catalog"] =>
    defineCatalog({
      name: "x",
      version: "1",
      bounds: { textBytes },
      tools: { find_order: tool({ description: "Find an order.", effect: "read", params: z.strictObject({}) }) },
    })
  expect(mend(opened(bounded(text.length + 1), text))).toMatchObject({ rounds: 1, compiled: { ok: true } })
  expect(mend(opened(bounded(text.length), text))).toBeUndefined()
})
