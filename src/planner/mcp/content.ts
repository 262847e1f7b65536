/** The result of a tool that declares no `outputSchema`: what it says, as text and as it came. */
import { isObject, type Json } from "../../text/json.ts"

/** For `result` in a catalog. */
export const contentSchema = {
  type: "object",
  properties: {
    /** All of its text, a line break between the parts. */
    text: { type: "string" },
    content: {
      type: "array",
      items: {
        type: "object",
        properties: { type: { type: "string" } },
        required: ["type"],
        additionalProperties: true,
      },
    },
  },
  required: ["text", "content"],
  additionalProperties: false,
} as const

export interface Content {
  readonly text: string
  readonly content: readonly Json[]
}

/** Undefined where it is none: each part must say of which kind it is, and a text have text. */
export function readContent(value: unknown): Content | undefined {
  if (!Array.isArray(value)) return undefined
  const parts = value.every((part) => isObject(part) && typeof part.type === "string")
  const texts = value
    .filter((part) => isObject(part) && part.type === "text")
    .map((part) => (part as { text?: unknown }).text)
  if (!parts || texts.some((text) => typeof text !== "string")) return undefined
  return { text: texts.join("\n"), content: value as readonly Json[] }
}
