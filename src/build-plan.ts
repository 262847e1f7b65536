/** Plans built step by step, for code that assembles them: each step is checked by tsc as it is added. */
import type { Catalog, CatalogSpec } from "./catalog/catalog.ts"
import type { CompileOptions } from "./compile.ts"
import { definePlan } from "./define-plan.ts"
import type { StartedPlan, StepOptions, UntypedBuilder } from "./typed/builder.ts"

/**
 * Starts a plan: `plan(catalog).call("find", "list_workspaces", { accountId }).done()`. For up to about a hundred steps;
 * a longer one is checked sooner as one literal, by `definePlan`.
 */
export const plan = <Spec extends CatalogSpec>(
  catalog: Catalog<Spec>,
  header: { readonly goal?: string } = {},
): StartedPlan<Spec> => build(catalog, header, []) as unknown as StartedPlan<Spec>

function build<Spec extends CatalogSpec>(
  catalog: Catalog<Spec>,
  header: { readonly goal?: string },
  steps: readonly unknown[],
): UntypedBuilder<Spec> {
  // What is said beside a step changes nothing of the step.
  const add = (step: object, more: StepOptions = {}): UntypedBuilder<Spec> =>
    build(catalog, header, [...steps, { ...step, ...more, ...step }])
  const builder: UntypedBuilder<Spec> = {
    call: (id, tool, args, more) => add({ id, tool, args }, more),
    transition: (id, transition, more) => add({ id, transition }, more),
    untyped: () => builder,
    done: (options?: Pick<CompileOptions, "spent">) =>
      definePlan(catalog, { version: 1, ...header, steps } as unknown, options),
  }
  return Object.freeze(builder)
}
