/** What a model is told of a verdict, where the host has no words of its own for it. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { Verdict } from "../gate/verdict.ts"
import { verdictText } from "../gate/verdict-text.ts"

/** The catalog knows what is secret. */
export type Tell = (verdict: Verdict, catalog: Catalog) => string

export const tell: Tell = (verdict, catalog) => verdictText(verdict, { catalog })
