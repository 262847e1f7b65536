/** What a model is told of its call: bounded, quoted, without secrets, and nothing of it can pass for our words. */
import fc from "fast-check"
import { type Diagnostic, defineCatalog, tool } from "sequitur"
import { type Verdict, verdictText } from "sequitur/gate"
import { expect, test } from "vitest"
import { z } from "zod"

const named = { callId: "c", tool: "pay", stepId: "c" }
const failure = (message: string) => ({ tag: "StepFailed", code: "RUN101", message, stepId: "c" }) as const
const diagnostic = (message: string): Diagnostic => ({
  code: "SEQ122",
  severity: "error",
  message,
  hint: message,
  at: "/args/x" as Diagnostic["at"],
})

const verdicts = (text: string): readonly Verdict[] => [
  { kind: "refused", ...named, diagnostics: Array.from({ length: 30 }, () => diagnostic(text)) },
  { kind: "failed", ...named, failure: failure(text), applied: false },
  { kind: "failed", ...named, failure: failure(text), applied: true },
  { kind: "circuit-open", ...named, tool: text, of: "tool", failures: 3, untilMs: 1 },
  { kind: "held", ...named, tool: text, sinceMs: 1 },
  { kind: "waiting", ...named, tool: text, requestId: "apr" },
  { kind: "in-doubt", ...named, failure: failure(text) },
  { kind: "call-id-reused", ...named, tool: text },
  { kind: "run-over", ...named, failure: failure(text) },
]

test("each verdict in words", () => {
  expect(verdicts("no <b>\nstock").map((verdict) => verdictText(verdict, { maxLength: 400 }))).toMatchSnapshot()
  expect(verdictText({ kind: "accepted", ...named, result: { id: 1 }, replayed: false })).toBe('{"id":1}')
})

test("whatever stands in it, nothing breaks out, and it is never longer than it may be", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 600 }),
      fc.integer({ min: 0, max: 3_000 }),
      (text, maxLength) => {
        for (const verdict of verdicts(text)) {
          const told = verdictText(verdict, { maxLength })
          expect(told.length).toBeLessThanOrEqual(Math.max(400, maxLength))
          expect(told.isWellFormed()).toBe(true)
          const lines = verdict.kind === "refused" ? told.split("\n").slice(1) : []
          for (const line of lines) expect(line).toMatch(/^(- SEQ122 at |\(\d+ more, not shown\)$)/)
          if (verdict.kind !== "refused") expect(told).not.toMatch(/[\n<>]/)
        }
      },
    ),
  )
})

const secret = "sk-live-4242424242"
const catalog = defineCatalog({
  name: "pay",
  version: "1",
  tools: {
    pay: tool({
      description: "Pay.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ token: z.string().meta({ sensitive: true }), said: z.string() }),
    }),
  },
})

test("what the catalog marks is left out, also where it stands in another text", () => {
  const result = { token: secret, said: `use ${secret}` }
  const verdict: Verdict = { kind: "accepted", ...named, result, replayed: false }
  expect(verdictText(verdict)).toContain(secret)
  expect(verdictText(verdict, { catalog })).not.toContain(secret)
})

test("a long result is cut, and says so", () => {
  const verdict: Verdict = { kind: "accepted", ...named, result: "x".repeat(50_000), replayed: false }
  expect(verdictText(verdict).length).toBeLessThanOrEqual(16_000)
  expect(verdictText(verdict)).toContain("too long")
})
