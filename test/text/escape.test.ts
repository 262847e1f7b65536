/** One list of what does not show, for every text that is printed, told to a model, or written as JSON. */
import { compile, defineCatalog, tool } from "sequitur"
import { feedback, planPrompt } from "sequitur/planner"
import { expect, test } from "vitest"
import { z } from "zod"
import { printable } from "../../src/explain/printable.ts"
import { escapeHidden, escapeHiddenJson } from "../../src/text/escape.ts"

const points = [
  0x00, 0x1b, 0x7f, 0x85, 0xa0, 0xad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x200e, 0x2028, 0x2029,
  0x202e, 0x2060, 0x2066, 0x2800, 0x3000, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xe0041, 0xe0100, 0xe01ef, 0xd800, 0xe000,
]
const hidden = points.map((point) => [point.toString(16), String.fromCodePoint(point)] as const)

test.each(hidden)("U+%s is written out everywhere", (_, character) => {
  const name = `a${character}b`
  const catalog = defineCatalog({
    name: "c",
    version: "1",
    tools: {
      look: tool({
        description: `look ${name}`,
        effect: "read",
        params: z.strictObject({ v: z.enum(["x"]).optional() }).describe(name),
      }),
    },
  })
  const step = { id: "s", tool: "look", args: { [name]: 1, v: name } }
  const compiled = compile(catalog, JSON.stringify({ version: 1, steps: [step] }))
  const texts = [
    escapeHidden(name),
    printable(name),
    escapeHiddenJson(JSON.stringify(name)),
    planPrompt(catalog),
    feedback(compiled.diagnostics),
    ...compiled.diagnostics.flatMap(({ message, hint }) => [message, hint]),
  ]
  for (const text of texts) expect(text).not.toContain(character)
  expect(JSON.parse(escapeHiddenJson(JSON.stringify(name)))).toBe(name)
})

test.each(["plain words", "größer", "日本語", "नमस्ते", "🎉", "é"])("%s stays as it is", (text) => {
  expect(escapeHidden(text)).toBe(text)
  expect(escapeHiddenJson(text)).toBe(text)
})
