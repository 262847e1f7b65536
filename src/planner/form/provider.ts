/** What each provider's structured output takes, by its published pages (as of late 2026). */
import type { Count } from "./measure.ts"
import type { Style } from "./structured.ts"

export type ProviderName = "openai" | "anthropic" | "gemini"

export interface Provider extends Style {
  readonly title: string
  readonly limits: { readonly [C in Count]?: number }
  /** Whose numbers the limits are. */
  readonly limitsBy: "provider" | "us"
}

/**
 * OpenAI API, guide "Structured model outputs", section "Supported schemas": every field required, an optional one a
 * union with null; the root an object and no `anyOf`; `additionalProperties: false` in every object; 5,000 properties in
 * all, 10 levels of objects; 1,000 enum values; a list of more than 250 strings has 15,000 characters at most; names and
 * listed values have 120,000 in all. Strings take `pattern` and `format` only.
 */
const openai: Provider = {
  title: "OpenAI",
  absent: "null",
  keywords: new Set([
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
  ]),
  simplePatterns: true,
  limits: { properties: 5_000, depth: 10, enumValues: 1_000, longEnum: 15_000, characters: 120_000 },
  limitsBy: "provider",
}

/**
 * Claude docs, page "Structured outputs", sections "JSON Schema limitations" and "Schema complexity limits": no bounds of
 * numbers or strings, `minItems` of 0 or 1 and no `maxItems`, no recursion, simple patterns; 24 parameters that are not
 * required and 16 with a union, over all schemas of a request. There are further limits that the page does not number.
 */
const anthropic: Provider = {
  title: "Anthropic",
  absent: "omitted",
  keywords: new Set(["pattern", "minItems"]),
  minItemsMax: 1,
  simplePatterns: true,
  limits: { optional: 24, unions: 16 },
  limitsBy: "provider",
}

/**
 * Gemini API reference, `GenerationConfig.responseJsonSchema`: an allow-list of keywords without `const`, `pattern` and
 * lengths, `$ref` alone, no cycles but in what may be left out. Guide "Structured outputs", section "Limitations": very
 * large or deeply nested schemas may be refused, without numbers; bounds on the length of arrays are known to cost most
 * and are left out. The numbers here are ours, on the safe side of what users report.
 */
const gemini: Provider = {
  title: "Gemini",
  absent: "omitted",
  keywords: new Set(["minimum", "maximum"]),
  limits: { properties: 120, depth: 10, enumValues: 120 },
  limitsBy: "us",
}

export const providers: { readonly [Name in ProviderName]: Provider } = { openai, anthropic, gemini }
