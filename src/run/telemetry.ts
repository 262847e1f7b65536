/**
 * Spans and metrics of runs, made from their entries as they become durable: off, they cost nothing. Names, numbers and codes
 * alone; no argument, result or message of a tool.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { Event, RunStarted } from "../journal/entry.ts"
import type { JournalService } from "../journal/journal.ts"
import type { RunState } from "../journal/state.ts"
import type { JsonObject } from "../text/json.ts"
import type { RunEntry } from "./listener.ts"
import type { Driving } from "./run.ts"

/** Where spans and metrics go: a layer with a tracer, such as `otlp` of sequitur/otel or one of Effect's. */
export type TelemetryLayer = Layer.Layer<never>

/** A call that a model proposed, and what became of it. */
export interface CallTold {
  readonly runId: string
  readonly callId: string
  readonly tool: string
  /** The catalog has the tool. Any other name is a model's word, and goes nowhere. */
  readonly known: boolean
  readonly effect: boolean
  readonly again: boolean
  readonly replayed: boolean
  readonly model: string
  readonly kind: string
  readonly reason: string | undefined
  readonly codes: readonly string[]
  /** By which codes it would have been refused, where it was only watched. */
  readonly foreseen: readonly string[] | undefined
  readonly beganMs: number
  readonly tookMs: number
}

export interface Telemetry {
  readonly onEvent: Driving["onEvent"]
  readonly onTakeUp: Driving["onTakeUp"]
  /** A door has refused what was asked of it. */
  readonly onRefused: (error: unknown) => void
  readonly onCall: (call: CallTold) => void
  /** Effects are accepted less often than they were: of whom, in the words `tenant`, `model` and `tool`. */
  readonly onDrift: (drift: { readonly by: string; readonly holds: boolean }) => void
  /** Counts what waits in a store. */
  readonly measure: (journal: JournalService, nowMs: number) => Effect.Effect<void>
}

export const silent: Telemetry = {
  onEvent: undefined,
  onTakeUp: undefined,
  onRefused: () => {},
  onCall: () => {},
  onDrift: () => {},
  measure: () => Effect.void,
}

/** Listens once its layer stands; and where nothing is measured, it is as if it were not there. */
export function listen(
  given: TelemetryLayer | undefined,
  { onEvent, onTakeUp }: Pick<Driving, "onEvent" | "onTakeUp"> = {},
): Telemetry & { readonly layer: Layer.Layer<never> } {
  if (given === undefined) return { ...silent, layer: Layer.empty, onEvent, onTakeUp }
  let measured: Measured | undefined
  return {
    layer: Layer.effectDiscard(
      Effect.map(Effect.context<never>(), (context) => {
        measured = new Measured(context)
      }),
    ).pipe(Layer.provide(given)),
    onEvent: (entry) => {
      measured?.note(entry)
      return onEvent?.(entry)
    },
    onTakeUp: (state) => {
      measured?.resume(state)
      onTakeUp?.(state)
    },
    onRefused: (error) => measured?.refuse(error),
    onCall: (call) => measured?.call(call),
    onDrift: (drift) => measured?.drift(drift),
    measure: (journal, nowMs) => measured?.measure(journal, nowMs) ?? Effect.void,
  }
}

/** What there is to alert on; see the README. */
export const metrics = {
  runs: Metric.counter("sequitur.runs", { description: "Runs that ended, by status.", incremental: true }),
  calls: Metric.counter("sequitur.calls", { description: "Calls of tools, by tool and outcome.", incremental: true }),
  refusals: Metric.counter("sequitur.refusals", { description: "What was refused, by code.", incremental: true }),
  effects: Metric.counter("sequitur.effects", { description: "Effects that took place, by tool.", incremental: true }),
  proposals: Metric.counter("sequitur.proposals", {
    description: "Calls that a model proposed to a gate, by tool, verdict and reason.",
    incremental: true,
  }),
  acceptance: Metric.gauge("sequitur.proposals.accepted", {
    description: "The share of the proposed calls that was accepted, by tool.",
  }),
  verdictTime: Metric.histogram("sequitur.proposals.time", {
    description: "From a proposed call to its verdict, in seconds.",
    boundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
  }),
  toolTime: Metric.histogram("gen_ai.execute_tool.duration", {
    description: "How long tools took, in seconds.",
    // As the convention asks for.
    boundaries: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  }),
  drifts: Metric.counter("sequitur.drifts", {
    description: "Effects came to be accepted less often, by whose they are.",
    incremental: true,
  }),
  doubts: Metric.counter("sequitur.doubts", {
    description: "Effects that came to be in doubt, by tool.",
    incremental: true,
  }),
  resolutions: Metric.counter("sequitur.resolutions", {
    description: "What people have said of effects in doubt, by their answer.",
    incremental: true,
  }),
  lateAnswers: Metric.counter("sequitur.answers.late", {
    description: "Answers that came late, by what they said.",
    incremental: true,
  }),
  doubtsOpen: Metric.gauge("sequitur.doubts.open", { description: "Runs in doubt, that wait for a person." }),
  approvalsWaiting: Metric.gauge("sequitur.approvals.waiting", { description: "Runs that wait for a decision." }),
  oldestApproval: Metric.gauge("sequitur.approvals.oldest", {
    description: "How long the oldest of them has waited, in seconds.",
  }),
  recovery: Metric.histogram("sequitur.recovery.time", {
    description: "From when a call was begun whose process ended, until it was settled or in doubt, in seconds.",
    boundaries: [0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 900, 3_600],
  }),
} as const

/** How often the runs of a store are counted, in milliseconds. */
const measureMs = 15_000

/** A stretch of work on a run, in this process. */
interface Activation {
  readonly span: Tracer.Span
  readonly tools: Map<string, string>
  call: Tracer.Span | undefined
  /** Of the call under way. */
  begun: { readonly tool: string; readonly effect: boolean; readonly atMs: number } | undefined
  /** When the call was begun that its process did not live to see answered. */
  recoveringMs: number | undefined
}

class Measured {
  readonly #context: Context.Context<never>
  readonly #tracer: Tracer.Tracer
  readonly #activations = new Map<string, Activation>()
  readonly #shares = new Map<string, { proposed: number; accepted: number }>()
  #measuredMs = Number.NEGATIVE_INFINITY

  constructor(context: Context.Context<never>) {
    this.#context = context
    this.#tracer = Context.get(context, Tracer.Tracer)
  }

  begin(runId: string, started: RunStarted, atMs: number, cutOffMs?: number): void {
    this.#end(runId, atMs, undefined)
    const { origin, document } = started
    const span = this.#span("sequitur.run", parentIn(origin), atMs, "internal")
    // No hash of the plan: what it says could be guessed from it.
    span.attribute("sequitur.run.id", runId)
    if (typeof origin.model === "string") span.attribute("gen_ai.request.model", origin.model)
    const tools = new Map(document.steps.map(({ id, tool = "" }) => [id, tool]))
    this.#activations.set(runId, { span, tools, call: undefined, begun: undefined, recoveringMs: cutOffMs })
  }

  resume({ runId, started, updatedAtMs, step }: RunState): void {
    this.begin(runId, started, updatedAtMs, step.open === undefined ? undefined : step.lastAtMs)
  }

  note({ runId, atMs, event }: RunEntry): void {
    if (event.kind === "run-started") this.begin(runId, event, atMs)
    const activation = this.#activations.get(runId)
    this.#count(event, activation)
    if (activation !== undefined) this.#time(event, activation, atMs)
    if (activation !== undefined) this.#trace(runId, activation, event, atMs)
  }

  refuse(error: unknown): void {
    if (error instanceof Error && "code" in error) this.#add(metrics.refusals, { code: `${error.code}` })
  }

  /** As the GenAI conventions of OpenTelemetry have it, from 1.41: a span `execute_tool`, with neither arguments nor result. */
  call(told: CallTold): void {
    const { kind, reason = "", codes, foreseen = [], callId, runId, model, beganMs, tookMs, again, replayed } = told
    const tool = told.known ? told.tool : otherTool
    const parent = Option.fromNullishOr(this.#activations.get(runId)?.span)
    const span = this.#span(`execute_tool ${tool}`, parent, beganMs, "internal")
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.call.id": callId,
      "gen_ai.tool.type": "function",
      ...(model === "" ? {} : { "gen_ai.request.model": model }),
      "sequitur.run.id": runId,
      "sequitur.effect": told.effect,
      "sequitur.reason": reason,
      "sequitur.codes": codes.join(),
      "sequitur.foreseen": foreseen.join(),
      "sequitur.replayed": replayed,
    }
    for (const [name, value] of Object.entries(attributes)) if (value !== "") span.attribute(name, value)
    endWith(span, beganMs + tookMs, kind, reason === "" ? undefined : (codes[0] ?? reason))
    if (!replayed) for (const code of kind === "refused" ? codes : foreseen) this.#add(metrics.refusals, { code })
    Metric.withAttributes(metrics.verdictTime, { outcome: kind }).updateUnsafe(tookMs / 1_000, this.#context)
    if (replayed) return
    if (!again) this.#add(metrics.proposals, { tool, outcome: kind, reason })
    this.#share(tool, again, kind === "accepted" && foreseen.length === 0)
  }

  /** What has waited for a person may be accepted when it is asked again. */
  #share(tool: string, again: boolean, accepted: boolean): void {
    const share = this.#shares.get(tool) ?? { proposed: 0, accepted: 0 }
    this.#shares.set(tool, share)
    if (!again) share.proposed++
    // Put in another process: it was counted there.
    if (share.proposed === 0) return
    if (accepted) share.accepted = Math.min(share.accepted + 1, share.proposed)
    const gauge = Metric.withAttributes(metrics.acceptance, { tool })
    gauge.updateUnsafe(share.accepted / share.proposed, this.#context)
  }

  drift({ by, holds }: { readonly by: string; readonly holds: boolean }): void {
    this.#add(metrics.drifts, { by, holds: `${holds}` })
  }

  measure(journal: JournalService, nowMs: number): Effect.Effect<void> {
    if (nowMs >= this.#measuredMs && nowMs - this.#measuredMs < measureMs) return Effect.void
    this.#measuredMs = nowMs
    return Effect.match(journal.list(), {
      onFailure: () => {},
      onSuccess: (runs) => {
        const waiting = runs.filter(({ status }) => status === "awaiting_approval")
        const doubts = runs.filter(({ status }) => status === "in_doubt")
        const oldestMs = waiting.reduce((least, { updatedAtMs }) => Math.min(least, updatedAtMs), nowMs)
        metrics.doubtsOpen.updateUnsafe(doubts.length, this.#context)
        metrics.approvalsWaiting.updateUnsafe(waiting.length, this.#context)
        metrics.oldestApproval.updateUnsafe((nowMs - oldestMs) / 1_000, this.#context)
      },
    })
  }

  #trace(runId: string, activation: Activation, event: Event, atMs: number): void {
    const { span } = activation
    switch (event.kind) {
      case "step-added":
        activation.tools.set(event.step.id, event.step.tool ?? "")
        return
      case "taken-up":
        span.attribute("sequitur.epoch", event.epoch)
        return
      case "intent": {
        const name = event.undoes === true ? `undo ${event.tool}` : `call ${event.tool}`
        activation.call = this.#span(name, Option.some(span), atMs, "client")
        this.#describe(activation.call, runId, event, event.tool)
        activation.call.attribute("sequitur.attempt", event.attempt)
        return
      }
      case "reconciled": {
        const asked = this.#span("reconcile", Option.some(span), atMs - event.tookMs, "client")
        this.#describe(asked, runId, event, activation.tools.get(event.stepId) ?? "")
        endWith(asked, atMs, event.answer, undefined)
        this.#settle(activation, event.answer === "applied" || event.answer === "barred", atMs)
        return
      }
      case "outcome":
        endWith(activation.call, atMs, "answered", event.failure?.code)
        this.#settle(activation, true, atMs)
        return
      case "attempt-failed":
        endWith(activation.call, atMs, "failed", event.failure.code)
        this.#settle(activation, true, atMs)
        return
      case "answer-lost":
        endWith(activation.call, atMs, "lost", event.failure.code)
        activation.call = undefined
        return
      case "in-doubt":
        this.#settle(activation, true, atMs)
        this.#end(runId, atMs, "in_doubt", event.failure.code)
        return
      case "approval-requested":
        this.#end(runId, atMs, "awaiting_approval")
        return
      case "run-ended":
        this.#settle(activation, true, atMs)
        this.#end(runId, atMs, event.status, event.failure?.code)
        return
      default:
        span.event(event.kind, nanos(atMs), "stepId" in event ? { "sequitur.step": event.stepId } : {})
    }
  }

  #count(event: Event, activation: Activation | undefined): void {
    const tool = ("stepId" in event && activation?.tools.get(event.stepId)) || ""
    switch (event.kind) {
      case "outcome":
        this.#add(metrics.calls, { tool, outcome: event.failure === undefined ? "answered" : "unusable" })
        return
      case "attempt-failed":
        this.#add(metrics.calls, { tool, outcome: "failed" })
        return
      case "answer-lost":
        this.#add(metrics.calls, { tool, outcome: "lost" })
        return
      case "replayed":
        this.#add(metrics.calls, { tool, outcome: "replayed" })
        return
      case "in-doubt":
        this.#add(metrics.doubts, { tool })
        return
      case "resolved":
        this.#add(metrics.resolutions, { answer: event.answer })
        return
      case "observed":
        this.#add(metrics.lateAnswers, { answer: event.answer })
        return
      case "step-refused":
        this.#add(metrics.refusals, { code: event.failure.code })
        return
      case "run-ended":
        this.#add(metrics.runs, { status: event.status, code: event.failure?.code ?? "" })
        return
    }
  }

  /** How long tools take, and which effects there are. */
  #time(event: Event, activation: Activation, atMs: number): void {
    if (event.kind === "intent") {
      const { tool, idempotencyKey } = event
      activation.begun = { tool, effect: idempotencyKey !== undefined, atMs }
      return
    }
    if (event.kind === "reconciled" && event.answer === "applied" && event.undoes === undefined)
      this.#add(metrics.effects, { tool: activation.tools.get(event.stepId) ?? "" })
    const failed = event.kind === "attempt-failed" || event.kind === "answer-lost"
    if (event.kind !== "outcome" && !failed) return
    const { begun } = activation
    activation.begun = undefined
    if (begun === undefined) return
    const { tool } = begun
    if (begun.effect && !failed) this.#add(metrics.effects, { tool })
    const error: Readonly<Record<string, string>> =
      event.failure === undefined ? {} : { "error.type": event.failure.code }
    const timed = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, ...error }
    const seconds = Math.max(0, atMs - begun.atMs) / 1_000
    Metric.withAttributes(metrics.toolTime, timed).updateUnsafe(seconds, this.#context)
  }

  /** What was cut off when a process ended has come to something. */
  #settle(activation: Activation, settled: boolean, atMs: number): void {
    if (!settled) return
    activation.call = undefined
    const { recoveringMs } = activation
    if (recoveringMs === undefined) return
    activation.recoveringMs = undefined
    metrics.recovery.updateUnsafe(Math.max(0, atMs - recoveringMs) / 1_000, this.#context)
  }

  #end(runId: string, atMs: number, status: string | undefined, code?: string): void {
    const activation = this.#activations.get(runId)
    if (activation === undefined) return
    this.#activations.delete(runId)
    endWith(activation.call, atMs, "lost", undefined)
    endWith(activation.span, atMs, status ?? "left", code)
  }

  #describe(span: Tracer.Span, runId: string, { stepId }: { readonly stepId: string }, tool: string): void {
    span.attribute("sequitur.run.id", runId)
    span.attribute("sequitur.step", stepId)
    span.attribute("sequitur.tool", tool)
  }

  #span(name: string, parent: Option.Option<Tracer.AnySpan>, atMs: number, kind: Tracer.SpanKind): Tracer.Span {
    const startTime = nanos(atMs)
    const root = Option.isNone(parent)
    return this.#tracer.span({
      name,
      parent,
      annotations: this.#context,
      links: [],
      startTime,
      kind,
      root,
      sampled: true,
    })
  }

  #add(metric: Metric.Counter<number>, attributes: Record<string, string>): void {
    Metric.withAttributes(metric, attributes).updateUnsafe(1, this.#context)
  }
}

/** Where any name may stand, one stands for all. */
const otherTool = "_OTHER"

const nanos = (atMs: number): bigint => BigInt(Math.round(atMs)) * 1_000_000n

function endWith(span: Tracer.Span | undefined, atMs: number, outcome: string, code: string | undefined): void {
  if (span === undefined) return
  span.attribute("sequitur.outcome", outcome)
  if (code !== undefined) span.attribute("error.type", code)
  span.end(nanos(atMs), code === undefined ? Exit.void : Exit.fail(code))
}

/** The host's own span: as a W3C `traceparent`, or as `traceId` and `spanId`. */
function parentIn({ traceparent, traceId, spanId }: JsonObject): Option.Option<Tracer.AnySpan> {
  const [, trace, parent, sampled] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(`${traceparent}`) ?? []
  if (trace !== undefined && parent !== undefined) {
    return Option.some(Tracer.externalSpan({ traceId: trace, spanId: parent, sampled: sampled !== "00" }))
  }
  if (!/^[0-9a-f]{32}$/.test(`${traceId}`) || !/^[0-9a-f]{16}$/.test(`${spanId}`)) return Option.none()
  return Option.some(Tracer.externalSpan({ traceId: `${traceId}`, spanId: `${spanId}` }))
}
