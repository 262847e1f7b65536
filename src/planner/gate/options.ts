/** What a host says of a gate, and what of it is refused before anything is begun. */
import * as Layer from "effect/Layer"
import type { CatalogSpec } from "../../catalog/catalog.ts"
import { suggest } from "../../diagnostic/nearest.ts"
import type { JournalNewer, StoreUnavailable } from "../../journal/failure.ts"
import type { Journal } from "../../journal/journal.ts"
import type { Carried } from "../../plan/earlier.ts"
import { admitName, type OptionNames, refuseCount, refuseUnknown, sayFound } from "../../run/admit.ts"
import { InputsRefused } from "../../run/failure.ts"
import type { Ids } from "../../run/ids.ts"
import type { OpenOptions } from "../../run/open/hand.ts"
import type { OnRequested } from "../../run/outbox.ts"
import type { Driving } from "../../run/run.ts"
import type { TelemetryLayer } from "../../run/telemetry.ts"
import type { Equipment, Principal, Tools } from "../../run/toolbox.ts"
import { isObject } from "../../text/json.ts"
import type { Monitor } from "../monitor/monitor.ts"
import type { Breaker } from "./circuit.ts"
import { type GateHooks, hookNames } from "./hooks.ts"
import type { TurnOptions } from "./verdict.ts"

export interface GateOptions<Spec extends CatalogSpec = CatalogSpec, Written extends Tools<Spec> = Tools<Spec>>
  extends Equipment<Spec, Written>,
    Pick<Driving, "onEvent" | "leaseMs" | "approvers" | "credentials" | "keySecret">,
    Pick<OpenOptions, "origin" | "spent" | "expiresMs" | "literals"> {
  /** `memory()` or `sqlite(file)`. */
  readonly store: Layer.Layer<Journal, StoreUnavailable | JournalNewer>
  /** Who acts, authenticated by the host. */
  readonly principal: Principal
  /** Scopes of limits, idempotency keys and the circuit breaker. */
  readonly session: string
  readonly task: string
  readonly inputs?: unknown
  /** Of the open run: of one that is there already, it is gone on with where its journal ends. */
  readonly runId?: string | undefined
  /** Also a run that another process holds, or that was imported: see `resume`. */
  readonly takeOver?: boolean | undefined
  /** Failures in a row that hold further calls back: of one tool, and of the session; 0 never does. Default 5, and 10. */
  readonly maxConsecutiveFailures?: number | { readonly tool?: number; readonly session?: number } | undefined
  /** How long they are held back, in milliseconds. Default 60,000. */
  readonly coolDownMs?: number | undefined
  /** `observe`: tools are called as ever, past the gates, and what those would have refused is only written down. Default `enforce`. */
  readonly mode?: "enforce" | "observe" | undefined
  /** While observing: tools whose calls the gates hold all the same. */
  readonly enforce?: readonly string[] | undefined
  /** Told of calls: see `GateHooks`. */
  readonly hooks?: GateHooks | undefined
  /** Counts effects, and may hold them: `createMonitor({ hold: true })`. */
  readonly monitor?: Monitor | undefined
  /** Told of what waits for a person in this gate's run: as a runner's, at least once for each request. */
  readonly onRequested?: OnRequested | undefined
  readonly ids?: Layer.Layer<Ids>
  /** Where spans and metrics go. Left out, nothing is measured. */
  readonly telemetry?: TelemetryLayer | undefined
}

/** By what its breaker goes; or what is wrong with the options. The rest of them is looked at where it is used. */
export function admitGate(options: GateOptions): Breaker | InputsRefused {
  const refused =
    refuseUnknown(options, optionNames, "gate", { sessionId: "session", taskId: "task" }) ??
    admitName("session", options.session) ??
    admitName("task", options.task) ??
    admitMode(options) ??
    admitWatching(options)
  return refused ?? readBreaker(options)
}

const optionNames: OptionNames<GateOptions> = {
  catalog: true,
  tools: true,
  store: true,
  principal: true,
  session: true,
  task: true,
  inputs: true,
  runId: true,
  takeOver: true,
  maxConsecutiveFailures: true,
  coolDownMs: true,
  mode: true,
  enforce: true,
  hooks: true,
  monitor: true,
  onRequested: true,
  ids: true,
  telemetry: true,
  onEvent: true,
  leaseMs: true,
  approvers: true,
  credentials: true,
  keySecret: true,
  origin: true,
  spent: true,
  expiresMs: true,
  literals: true,
}

/** What a host wants to hear, or to have held: also of a module whose exports nobody has checked. */
export function admitWatching({ hooks, monitor, telemetry }: Pick<GateOptions, "hooks" | "monitor" | "telemetry">) {
  const refuse = (field: string, found: unknown, expected: string): InputsRefused =>
    new InputsRefused({ of: "gate", field, problem: `is none, but ${sayFound(found)}`, expected })
  if (monitor !== undefined && !(isObject(monitor) && typeof monitor.note === "function"))
    return refuse("`monitor`", monitor, "Make one by `createMonitor({ … })`.")
  if (telemetry !== undefined && !Layer.isLayer(telemetry))
    return refuse("`telemetry`", telemetry, "Make one by `otlp({ … })`.")
  return admitHooks(hooks)
}

/** In one order, each once. */
export function admitShown(options: TurnOptions | undefined): readonly Carried[] | InputsRefused {
  const shown: unknown = options?.shown ?? []
  const labels = ["untrusted", "private"] as const
  if (Array.isArray(shown) && shown.every((label) => labels.includes(label)))
    return labels.filter((label) => shown.includes(label))
  const expected = 'Give a list of "untrusted" and "private".'
  return new InputsRefused({ field: "`shown`", problem: "is no list of labels", expected })
}

function admitMode({
  catalog,
  mode,
  enforce = [],
}: Pick<GateOptions, "catalog" | "mode" | "enforce">): InputsRefused | undefined {
  if (mode !== undefined && mode !== "enforce" && mode !== "observe")
    return new InputsRefused({
      of: "gate",
      field: "`mode`",
      problem: "is neither",
      expected: 'Say "enforce" or "observe".',
    })
  if (!(Array.isArray(enforce) && enforce.every((name) => typeof name === "string")))
    return new InputsRefused({
      of: "gate",
      field: "`enforce`",
      problem: "must be a list of names",
      expected: "Give names of tools.",
    })
  const tools = isObject(catalog) ? catalog.tools : undefined
  // What is no catalog is refused where it is looked at.
  const unknown = tools instanceof Map ? enforce.find((name) => !tools.has(name)) : undefined
  if (tools === undefined || unknown === undefined) return undefined
  return new InputsRefused({
    of: "gate",
    field: "`enforce`",
    problem: `names \`${unknown.slice(0, 100)}\`, which is no tool of the catalog`,
    expected: suggest(unknown, tools.keys(), "tools"),
  })
}

function admitHooks(hooks: unknown): InputsRefused | undefined {
  if (hooks === undefined) return undefined
  if (!isObject(hooks))
    return new InputsRefused({
      of: "gate",
      field: "`hooks`",
      problem: `must be an object, but ${sayFound(hooks)}`,
      expected: "Give functions by name.",
    })
  const known: readonly string[] = hookNames
  for (const [name, hook] of Object.entries(hooks)) {
    const field = `\`hooks.${name}\``
    if (!known.includes(name))
      return new InputsRefused({ of: "gate", field, problem: "is none", expected: `There are ${known.join(", ")}.` })
    if (hook !== undefined && typeof hook !== "function")
      return new InputsRefused({
        of: "gate",
        field,
        problem: `must be a function, but ${sayFound(hook)}`,
        expected: "Give a function.",
      })
  }
  return undefined
}

function readBreaker({
  maxConsecutiveFailures: max = {},
  coolDownMs = 60_000,
}: Pick<GateOptions, "maxConsecutiveFailures" | "coolDownMs">): Breaker | InputsRefused {
  const { tool = 5, session = 10 } = typeof max === "number" ? { tool: max, session: max } : max
  for (const [field, value] of Object.entries({ maxConsecutiveFailures: tool, session, coolDownMs }))
    if (!Number.isSafeInteger(value) || value < 0) return refuseCount(`\`${field}\``, value, 0)
  return { tool, session, coolDownMs }
}
