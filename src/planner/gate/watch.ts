/** Tells of each call to whoever wants to know: the host's hooks, the monitor, telemetry. None of them has a say in what becomes of it. */
import type { Catalog } from "../../catalog/catalog.ts"
import type { RunState } from "../../journal/state.ts"
import type { Telemetry } from "../../run/telemetry.ts"
import { Later } from "../monitor/later.ts"
import type { Drift, Monitor } from "../monitor/monitor.ts"
import { codesOf, type GateHooks, hookFor, type Proposed, reasonFor, type Told } from "./hooks.ts"
import type { Verdict } from "./verdict.ts"

export interface Watching {
  readonly hooks: GateHooks
  readonly monitor: Monitor | undefined
  readonly telemetry: Telemetry
  readonly catalog: Catalog
}

/** Of a name that a model made up. */
const toolMax = 200

export class Watch {
  readonly #watching: Watching
  readonly #of: Pick<Proposed, "runId" | "tenant" | "session" | "model">
  readonly #later = new Later()

  constructor(watching: Watching, { runId, started }: Pick<RunState, "runId" | "started">) {
    const { tenant, sessionId, origin } = started
    const model = typeof origin.model === "string" ? origin.model : ""
    this.#watching = watching
    this.#of = { runId, tenant, session: sessionId, model }
  }

  /** Why an effect is held back; undefined where it is not. */
  holds(tool: string): Drift | undefined {
    const { monitor, catalog } = this.#watching
    if (monitor === undefined || catalog.tools.get(tool)?.mutates !== true) return undefined
    const { tenant, model } = this.#of
    return monitor.holds({ tenant, model, tool })
  }

  proposed({ callId, tool }: { readonly callId: string; readonly tool: string }, again: boolean): Proposed {
    const declared = this.#watching.catalog.tools.get(tool)
    const proposed = Object.freeze({
      ...this.#of,
      callId,
      tool: declared === undefined ? tool.slice(0, toolMax).toWellFormed() : tool,
      known: declared !== undefined,
      effect: declared?.mutates === true,
      again,
    })
    this.#later.tell(this.#watching.hooks.onProposed, proposed)
    return proposed
  }

  told(
    proposed: Proposed,
    verdict: Verdict,
    more: Pick<Told, "foreseen" | "replayed" | "tookMs"> & { readonly beganMs: number },
  ): void {
    const { hooks, telemetry } = this.#watching
    const { beganMs, foreseen, replayed, tookMs } = more
    const { kind } = verdict
    const told: Told = Object.freeze({
      ...proposed,
      kind,
      reason: reasonFor(verdict),
      codes: Object.freeze(codesOf(verdict)),
      foreseen: foreseen && Object.freeze(foreseen),
      replayed,
      tookMs,
    })
    this.#later.tell(hooks.onVerdict, told)
    this.#later.tell(hooks[hookFor(kind)], told)
    telemetry.onCall({ ...told, beganMs })
    const accepted = judged(told)
    if (accepted !== undefined) this.#note(told.tool, accepted)
  }

  #note(tool: string, accepted: boolean): void {
    const { monitor, telemetry } = this.#watching
    const { tenant, model } = this.#of
    try {
      for (const { of, holds } of monitor?.note({ tenant, model, tool, accepted }) ?? [])
        telemetry.onDrift({ by: Object.keys(of).join("+"), holds })
    } catch {
      // It is the host's clock that failed.
    }
  }
}

/**
 * What the gates said of an effect that was put for the first time; undefined where they did not say. A tool that fails, a breaker, a
 * person say nothing of a model.
 */
function judged({ effect, replayed, kind, reason, foreseen }: Told): boolean | undefined {
  if (!effect || replayed) return undefined
  if (foreseen !== undefined) return foreseen.length === 0
  if (reason === "validation") return false
  return kind === "accepted" || (kind === "failed" && reason === "handler-failure") ? true : undefined
}
