/** What each call is held to right before it is made, beside what its plan still leaves open: by tool, with the steps that call it. */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { sayPath } from "../catalog/place.ts"
import { sayPredicate } from "../catalog/predicate.ts"
import type { CompiledPlan } from "../check/compiled.ts"

export interface HeldView {
  readonly tool: string
  /** The steps that call it. */
  readonly steps: readonly string[]
  /** The catalog allows it to nobody. */
  readonly nobody?: true
  /** Who acts must have one of them. */
  readonly roles?: readonly string[]
  /** Who acts must be of one of so many tenants: which they are is told to nobody. */
  readonly tenants?: number
  /** Of the arguments and who acts, as `name@version`. */
  readonly when?: string
  /** Parameters that must be stated. */
  readonly mustState?: readonly string[]
  /** Its own toolbox is asked. */
  readonly validate?: true
  /** What these arguments were taken from is read again, where that is older. */
  readonly freshness?: { readonly pointers: readonly string[]; readonly maxAgeMs: number }
}

export function listHeld({ steps }: CompiledPlan, { tools }: Catalog): readonly HeldView[] {
  const calls = steps.flatMap(({ step }) => (step.kind === "call" ? [step] : []))
  return [...Map.groupBy(calls, ({ tool }) => tool)].flatMap(([name, group]) => {
    const tool = tools.get(name)
    const held = tool === undefined ? {} : holdTo(tool)
    return Object.keys(held).length === 0 ? [] : [{ tool: name, steps: group.map(({ id }) => id), ...held }]
  })
}

function holdTo({ authority, rules, validate, mutates }: Tool): Omit<HeldView, "tool" | "steps"> {
  const { nobody, roles, tenants, when, freshness } = authority
  const stated = rules.flatMap(({ mustState, path }) => (mustState ? [sayPath(path)] : []))
  return {
    ...(nobody ? { nobody } : {}),
    ...(roles === undefined ? {} : { roles }),
    ...(tenants === undefined ? {} : { tenants: tenants.length }),
    ...(when === undefined ? {} : { when: sayPredicate(when) }),
    ...(stated.length === 0 ? {} : { mustState: stated }),
    ...(validate && mutates ? { validate } : {}),
    ...(freshness === undefined ? {} : { freshness }),
  }
}
