/** `sequitur approve --plan`: shows a whole plan before it runs, and signs it for one run. */
import { gather, marksOf } from "../../catalog/sensitive.ts"
import { explainPlanRequest } from "../../explain/approval.ts"
import { explainVerdict, viewVerdict } from "../../explain/verdict.ts"
import { planRequest } from "../../run/approval/plan-request.ts"
import { openPlan, type PlanOptions, spokenOf } from "../plan-file.ts"
import { readValue } from "../read-value.ts"
import { complain, exit, type Format, lookOf, print, printJson, secrets, UsageError } from "../terminal.ts"
import { signWith } from "./decide.ts"
import { principalIn } from "./run.ts"

export interface ApprovePlanOptions extends PlanOptions {
  readonly plan: string
  readonly run?: string
  readonly key?: string
  readonly inputs?: string
  readonly tenant?: string
  readonly subject: string
  readonly roles?: string
  /** As `cents=5000`. */
  readonly blast?: readonly string[]
  readonly reason: string
  readonly format: Format
}

/** The token alone goes to standard output; what it is about is shown beside it. */
export async function approvePlan({
  plan: file,
  key,
  reason,
  format,
  ...options
}: ApprovePlanOptions): Promise<number> {
  const { run: runId } = options
  if (runId === undefined || key === undefined)
    throw new UsageError("a plan is approved for one run: give --run, the id that it will have, and --key to sign with")
  if (file === "-" && options.inputs === "-") throw new UsageError("standard input can be read once only")
  const { tenant = "local" } = options
  const principal = principalIn({ ...options, tenant })
  const opened = await openPlan(file, { ...options, principal })
  const { compiled, catalog } = opened
  if (!compiled.ok) {
    if (format === "json") printJson({ plan: viewVerdict(file, compiled) })
    else print(explainVerdict(compiled, spokenOf(opened), lookOf(process.stdout)))
    return exit.refused
  }
  const inputs =
    options.inputs === undefined ? undefined : await readValue("the inputs", options.inputs, catalog.bounds)
  if (inputs !== undefined) gather(inputs, marksOf(catalog).inputs, secrets)
  const request = await planRequest(compiled.plan, {
    catalog,
    runId,
    principal,
    ...(inputs === undefined ? {} : { inputs: inputs as never }),
    blast: blastIn(options.blast ?? []),
  })
  const token = await signWith(key, { bound: request.bound, decision: "approved", reason })
  if (format === "json") printJson({ approval: { ...request, token } })
  else {
    complain(explainPlanRequest(request, lookOf(process.stderr)))
    print(token)
  }
  return exit.fine
}

function blastIn(given: readonly string[]): { readonly [dimension: string]: number } {
  return Object.fromEntries(
    given.map((text) => {
      const [, dimension = "", most = ""] = /^(.+)=(\d+)$/.exec(text) ?? []
      if (dimension === "") throw new UsageError(`--blast ${text}: write a dimension and the most of it, as cents=5000`)
      return [dimension, Number(most)]
    }),
  )
}
