/** `sequitur run`: compiles a plan and runs it until it ends or waits for a person. */
import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import type { Principal } from "../../catalog/predicate.ts"
import { gather, marksOf } from "../../catalog/sensitive.ts"
import type { CompiledPlan } from "../../check/compiled.ts"
import { sayDiagnostic } from "../../explain/diagnostic.ts"
import { explainVerdict, sayVerdict, viewVerdict } from "../../explain/verdict.ts"
import { adviseWith, type Refused } from "../advice.ts"
import { approversFor } from "../approvers.ts"
import { follow } from "../follow.ts"
import { findTools } from "../modules.ts"
import { openPlan, type PlanFile, type PlanOptions, spokenOf } from "../plan-file.ts"
import { readValue } from "../read-value.ts"
import { exit, type Format, lookOf, print, printJson, secrets, UsageError } from "../terminal.ts"
import { type Along, typed } from "../typed.ts"
import { readToken } from "./decide.ts"

export interface RunCommandOptions extends PlanOptions {
  readonly tools?: string
  readonly store: string
  readonly inputs?: string
  readonly tenant: string
  readonly subject: string
  readonly roles?: string
  readonly session: string
  readonly task?: string
  readonly run?: string
  /** What people have signed who agree to the whole plan. */
  readonly approval?: readonly string[]
  /** The plan that they have signed, where it is another. */
  readonly approvedPlan?: string
  /** The key set of those who may approve. */
  readonly approvers?: string
  readonly format: Format
}

export async function runPlan(file: string, options: RunCommandOptions): Promise<number> {
  const { store, format } = options
  if (file === "-" && options.inputs === "-") throw new UsageError("standard input can be read once only")
  const principal = principalIn(options)
  // What they may not do is refused before anything is written.
  const plan = await openPlan(file, { ...options, principal })
  const { compiled, catalog, catalogPath } = plan
  if (!compiled.ok) {
    tellPlan(file, plan, format)
    return exit.refused
  }
  const inputs =
    options.inputs === undefined ? undefined : await readValue("the inputs", options.inputs, catalog.bounds)
  if (inputs !== undefined) gather(inputs, marksOf(catalog).inputs, secrets)
  const toolsPath = resolve(options.tools ?? findTools(catalogPath))
  const onBegin = (): void => tellPlan(file, plan, format)
  const approvers = approversFor(options.approvers, catalogPath)
  const { run: named, approval } = options
  const tokens = approval === undefined ? undefined : await Promise.all(approval.map(readToken))
  const signed = options.approvedPlan === undefined ? undefined : await openSigned(options.approvedPlan, options)
  const along = { approvers: options.approvers }
  const running = follow({ catalog, toolsPath, approvers, store, along, format, onBegin }, async (runner) => {
    const { runId } = await runner.run(compiled.plan, {
      principal,
      sessionId: options.session,
      // To run a plan again is to mean it again; whoever names the task says that it is still the same one.
      taskId: options.task ?? `task_${randomUUID()}`,
      ...(inputs === undefined ? {} : { inputs }),
      ...(named === undefined ? {} : { runId: named }),
      ...(tokens === undefined ? {} : { approval: tokens }),
      ...(signed === undefined ? {} : { approvedPlan: signed }),
      // So that `approve` and `resume` find them in another process.
      origin: { plan: file === "-" ? file : resolve(file), catalog: catalogPath, tools: toolsPath },
    })
    return runId
  })
  return running.catch((error) => {
    throw adviseWith(error, (refused) => hintOfBeginning(refused, { store, along, whole: tokens !== undefined }))
  })
}

async function openSigned(file: string, options: PlanOptions): Promise<CompiledPlan> {
  const { compiled } = await openPlan(file, options)
  if (!compiled.ok) throw new UsageError(`--approved-plan ${file}: it does not compile: \`sequitur compile\` says why`)
  return compiled.plan
}

/** What can be wrong with the id of a new run, and with what was signed for it. */
function hintOfBeginning(
  { code, fields }: Refused,
  { store, along, whole }: { readonly store: string; readonly along: Along; readonly whole: boolean },
): string | undefined {
  if (code === "RUN308" && whole)
    return "Run it as it was signed for, with the --inputs, --tenant, --subject and --roles of `approve --plan`; or have it approved anew as it is to run."
  if (code !== "RUN207") return undefined
  const command = (name: string): string => `\`${typed(name, [`${fields.runId}`], store, along)}\``
  const seen = `${command("log")} shows how that run went, and ${command("resume")} goes on with one that has not ended.`
  return whole
    ? `What was signed for a whole plan counts for one run, and that one was begun: ${seen} To run the plan again, have it approved again, by \`approve --plan\` with another --run.`
    : `${seen} Or choose another --run.`
}

function tellPlan(file: string, plan: PlanFile, format: Format): void {
  const { name, compiled } = plan
  const look = lookOf(process.stdout)
  if (format === "json") printJson({ plan: viewVerdict(file, compiled) })
  else if (!compiled.ok) print(explainVerdict(compiled, spokenOf(plan), look))
  else {
    // What needs approval is told when the run gets there, with its inputs.
    const warnings = compiled.diagnostics.filter(({ severity }) => severity !== "approval")
    for (const warning of warnings) print(sayDiagnostic(warning, name, look))
    print(`${sayVerdict(compiled, name, look)}\n`)
  }
}

/** Who acts, as `--tenant`, `--subject` and `--roles` say it. */
export const principalIn = ({
  tenant,
  subject,
  roles,
}: Pick<RunCommandOptions, "tenant" | "subject" | "roles">): Principal => ({ tenant, subject, roles: rolesIn(roles) })

const rolesIn = (roles = ""): readonly string[] =>
  roles
    .split(",")
    .map((role) => role.trim())
    .filter((role) => role !== "")
