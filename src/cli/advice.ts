/** What to do about a refusal of the run, in the words of the command line: which command, which flag. */
import { type Along, typed } from "./typed.ts"

/** A typed error of the run, seen without loading its classes. */
export interface Refused extends Error {
  readonly code: string
  readonly hint: string
  readonly fields: { readonly [name: string]: string | number }
}

export const isRefused = (error: unknown): error is Refused =>
  error instanceof Error && "code" in error && /^RUN\d{3}$/.test(String(error.code)) && "hint" in error

/** The same refusal with another hint. */
class Advised extends Error implements Refused {
  readonly code: string
  readonly hint: string
  readonly fields: Refused["fields"]

  constructor({ code, message, fields }: Refused, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
    this.fields = fields
  }
}

/** What the command knew when it was refused. */
export interface Place {
  readonly store: string
  /** What the command was told beside its run. */
  readonly along?: Along | undefined
  /** How a decision on it is proved. */
  readonly signing?: readonly string[] | undefined
  /** The run, once it has an entry. */
  readonly runId?: string | undefined
  /** The step that the run waits at. */
  readonly waitsAt?: string | undefined
  /** What the catalog declares as inputs. */
  readonly inputs?: readonly string[] | undefined
}

export function advise(error: unknown, place: Place): unknown {
  if (!isRefused(error)) return error
  const hint = hintOf(error, place)
  return hint === undefined ? error : new Advised(error, hint)
}

/** Where one command alone knows what to do. */
export const adviseWith = (error: unknown, hintFor: (error: Refused) => string | undefined): unknown => {
  const hint = isRefused(error) ? hintFor(error) : undefined
  return isRefused(error) && hint !== undefined ? new Advised(error, hint) : error
}

/** Undefined where the run's own hint says it all. */
function hintOf(error: Refused, { store, along, signing = [], runId, waitsAt, inputs }: Place): string | undefined {
  const { code, hint, fields } = error
  const command = (name: string, ...args: readonly string[]): string => `\`${typed(name, args, store, along)}\``
  switch (code) {
    case "RUN201":
      if (fields.field === "`approvers`")
        return "Put what `sequitur keygen` printed into approvers.json beside the catalog, as a JSON list, or name such a file with --approvers; its private half signs, by --key."
      return hintOfField(/(\w+)(?:\[\d+\])?`?$/.exec(`${fields.field}`)?.[1] ?? "", hint, inputs)
    case "RUN204":
      return `${command("runs")} lists the runs there are.`
    case "RUN205":
      return runId && `An ended run is never taken up again; ${command("log", runId)} shows how it went.`
    case "RUN206":
      return runId && hintOfDoubt(command("log", runId, "--format", "json"), runId, `${fields.stepId}`, store, along)
    case "RUN208":
      if (runId === undefined) return undefined
      // Who holds an imported run is in another store: there is nothing here to wait for.
      if (`${fields.standing}`.startsWith("was recovered"))
        return `Find out what it has done beyond ${command("log", runId)}; then ${command("resume", runId)} with --take-over goes on with it.`
      return `${fields.standing}`.startsWith("is held by")
        ? waitFor(`${fields.remedy}`.includes("`resolve`") ? "say it again" : command("resume", runId))
        : hintOfAdopted(`${fields.remedy}`, runId, store, along)
    case "RUN209":
      return (
        runId &&
        `${command("log", runId)} shows what it waits for now; where a late answer has settled it, ${command("resume", runId)} goes on.`
      )
    case "RUN211":
      if (runId === undefined) return undefined
      return fields.deed === "given up"
        ? "Say --applied with its result, --not-applied, or --retry; to stop the run, `cancel` it as well."
        : "Find out whether it has happened, and say --applied with its result, or --not-applied."
    case "RUN305":
      return (
        runId &&
        `${command("log", runId)} shows what becomes of it; where no process holds it, ${command("resume", runId)} goes on.`
      )
    case "RUN312":
      return "Sign it with --key (`sequitur keygen` makes one; its public half goes into approvers.json beside the catalog, or a file that --approvers names), or hand in --token."
    case "RUN303":
      return runId && `The first decision stands; ${command("log", runId)} shows what came of it.`
    case "RUN302":
      if (runId === undefined) return undefined
      return waitsAt === undefined
        ? `It waits for nobody now; ${command("log", runId)} shows how far it is.`
        : `It waits at \`${waitsAt}\` now: ${command("approve", runId, waitsAt, ...signing)}, or \`deny\`.`
    case "RUN501":
      if (isDamage(error))
        return `What verifies of it is copied into a new store by \`${typed("recover", [store, "<new store>"])}\`.`
      if ("trouble" in error && error.trouble === "busy")
        return "Another process has kept the store locked for long; nothing was called. Try again when it has let go."
      return runId === undefined
        ? "Name a store that can be used, with --store; nothing was called."
        : `Nothing was called without a durable entry; when the store works again, ${command("resume", runId)} goes on.`
    case "RUN502":
      return runId && `Only one process may move it on; ${command("log", runId)} shows what the other did.`
    default:
      return undefined
  }
}

/** What is in doubt goes on by a person's word alone, which the command has just been given. */
const hintOfAdopted = (remedy: string, runId: string, store: string, along: Along | undefined): string =>
  remedy.includes("`resolve`")
    ? "Say it again with --take-over, if you know that it does not go on in the store it comes from."
    : `\`${typed("resume", [runId, "--take-over"], store, along)}\` goes on with it here, if you know that it does not go on in the store it comes from.`

const waitFor = (resume: string): string =>
  `Wait, then ${resume}; or add --take-over, if you know that no process is at work on it any more.`

function hintOfDoubt(log: string, runId: string, stepId: string, store: string, along: Along | undefined): string {
  const say = (answer: readonly string[]): string =>
    typed("resolve", [runId, stepId, ...answer, "--reason", "<how you know>"], store, along)
  const [applied, not] = [say(["--applied", "<its result.json>"]), say(["--not-applied"])]
  return `Find out by the idempotency key of the last call in ${log} whether it has happened; then \`${applied}\`, or \`${not}\`.`
}

/** As `StoreUnavailable` has it. */
const isDamage = (error: object): boolean =>
  "trouble" in error && (error.trouble === "corrupt" || error.trouble === "broken")

/** The option of each part that the host hands to a run. */
const flags: Readonly<Record<string, string>> = {
  tenant: "--tenant",
  subject: "--subject",
  roles: "--roles",
  sessionId: "--session",
  taskId: "--task",
  by: "--by",
  reason: "--reason",
}

function hintOfField(field: string, hint: string, inputs: readonly string[] | undefined): string | undefined {
  if (field !== "inputs") return flags[field] && `${hint.replace(/\.$/, "")}, with ${flags[field]}.`
  if (inputs === undefined) return "Leave --inputs out, or declare `inputs` in the catalog."
  const names = inputs.map((name) => `\`${name}\``).join(", ")
  return `Give --inputs, a JSON file or JSON itself${names === "" ? "" : `; the catalog declares ${names}`}.`
}
