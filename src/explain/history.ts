/** A journal as people read it: one line an entry, with its place, its time and what happened in words. */

import { match } from "ts-pattern"
import type { Event, Recorded } from "../journal/entry.ts"
import type { Json } from "../text/json.ts"
import { sayAsked } from "./approval.ts"
import { type Look, paint } from "./look.ts"
import { clip, pad } from "./printable.ts"

const nameRoom = 24
const valueRoom = 100
const sentence = 500

/** The hash is told where it is at hand: what is told as it happens has none yet. */
export function explainEntry({ seq, atMs, event, hash }: Recorded & { readonly hash?: string }, look: Look): string {
  const step = "stepId" in event ? event.stepId : ""
  const place = [pad(`${seq}`, 4, "left"), hash?.slice(0, 8), timeOf(atMs)]
    .filter((part) => part !== undefined)
    .join(" ")
  return `${paint(look, "dim", place)}  ${pad(clip(step, nameRoom), 12)}  ${sayEvent(event, look)}`
}

/** A clock may be wrong, but never stops the log. */
export function timeOf(atMs: number): string {
  const time = new Date(atMs)
  return Number.isNaN(time.getTime()) ? `${atMs} ms` : time.toISOString()
}

const sayEvent = (event: Event, look: Look): string =>
  match(event)
    .with({ kind: "run-started" }, (event) => {
      const who = `${clip(event.subject, nameRoom)} of ${clip(event.tenant, nameRoom)}`
      const scope = `session ${clip(event.sessionId, nameRoom)}, task ${clip(event.taskId, nameRoom)}`
      return `${paint(look, "bold", "run started")} by ${who}, ${scope}, plan ${event.planHash.slice(0, 12)}`
    })
    .with({ kind: "state-entered" }, (event) => `state ${clip(event.from, nameRoom)} → ${clip(event.to, nameRoom)}`)
    .with({ kind: "intent" }, (event) => {
      const reason = event.again === undefined ? "" : `, ${againBecause[event.again]}`
      const again = event.attempt > 1 ? ` (attempt ${event.attempt}${reason})` : ""
      const deed = event.undoes === true ? "undoes it: calls" : "calls"
      const key =
        event.idempotencyKey === undefined ? "" : paint(look, "dim", `  key ${clip(event.idempotencyKey, 16)}`)
      return `${deed} ${clip(event.tool, nameRoom)} ${show(event.args)}${again}${key}`
    })
    .with({ kind: "outcome" }, ({ result, failure }) => {
      const answer = `${paint(look, failure ? "red" : "green", "answered")} ${result === undefined ? "with what cannot be kept" : show(result)}`
      return failure === undefined ? answer : `${answer}, but ${failure.code}: ${clip(failure.message, sentence)}`
    })
    .with({ kind: "attempt-failed" }, (event) => {
      const again = event.again === undefined ? "" : `; again at ${timeOf(event.again.atMs)}`
      return `${paint(look, "red", "failed")} ${event.failure.code}: ${clip(event.failure.message, sentence)}${again}`
    })
    .with({ kind: "approval-requested" }, (event) => {
      const opened = event.follows.map(({ stepId }) => clip(stepId, nameRoom)).join(", ")
      const what = clip(sayAsked(event), sentence)
      return `${paint(look, "magenta", "asks for approval")}: ${what}, before ${opened === "" ? "nothing" : opened}`
    })
    .with({ kind: "approval-decided" }, (event) => {
      const reason = event.reason === "" ? "" : `: ${clip(event.reason, sentence)}`
      const left = event.left === undefined ? "" : `; ${event.left} more must agree`
      return `${paint(look, event.decision === "approved" ? "green" : "red", event.decision)} by ${clip(event.by, nameRoom)}${reason}${left}`
    })
    .with({ kind: "request-delivered" }, () => "the request was delivered")
    .with(
      { kind: "approval-lapsed" },
      ({ failure }) =>
        `${paint(look, "yellow", "approval lapsed")} ${failure.code}: ${clip(failure.message, sentence)}; asked anew`,
    )
    .with({ kind: "rule-evaluated" }, ({ rule, holds, failure }) =>
      holds
        ? `rule ${clip(rule, nameRoom * 2)} ${paint(look, "green", "holds")}`
        : `rule ${clip(rule, nameRoom * 2)} ${paint(look, "red", "does not hold")}${failure === undefined ? "" : `: ${clip(failure.message, sentence)}`}`,
    )
    .with({ kind: "reread" }, ({ before, tool, result, failure }) => {
      const value = result === undefined ? "" : ` answered ${show(result)}`
      const why = failure === undefined ? "" : ` ${failure.code}: ${clip(failure.message, sentence)}`
      return `read again before ${clip(before, nameRoom)}: ${clip(tool, nameRoom)}${value}${why}`
    })
    .with(
      { kind: "in-doubt" },
      (event) => `${paint(look, "red", "in doubt")} ${event.failure.code}: ${clip(event.failure.message, sentence)}`,
    )
    .with({ kind: "taken-up" }, ({ epoch, takeOver }) => `taken up${takeOver ? " by force" : ""}, epoch ${epoch}`)
    .with({ kind: "answer-lost" }, ({ failure, again }) => {
      const next = again === undefined ? "" : `; again at ${timeOf(again.atMs)}`
      return `${paint(look, "yellow", "answer lost")} ${failure.code}: ${clip(failure.message, sentence)}${next}`
    })
    .with({ kind: "reconciled" }, ({ answer, result, failure, said }) => {
      const asked = `asked what became of it: ${paint(look, "bold", answer.replace("-", " "))}`
      const why = said === undefined ? "" : ` (${clip(said, sentence)})`
      const value = result === undefined ? "" : ` ${show(result)}`
      return `${asked}${value}${why}${failure === undefined ? "" : `, but ${failure.code}: ${clip(failure.message, sentence)}`}`
    })
    .with({ kind: "replayed" }, ({ tool, from, result, failure }) => {
      const other = `${clip(from.stepId, nameRoom)} of ${clip(from.runId, 40)}`
      const value = result === undefined ? "" : `: ${show(result)}`
      const but = failure === undefined ? "" : `, but ${failure.code}: ${clip(failure.message, sentence)}`
      return `${paint(look, "green", "replayed")} ${clip(tool, nameRoom)}, as ${other} has done it${value}${but}`
    })
    .with(
      { kind: "step-refused" },
      ({ failure }) => `${paint(look, "red", "refused")} ${failure.code}: ${clip(failure.message, sentence)}`,
    )
    .with({ kind: "resolved" }, ({ answer, by, reason, result }) => {
      const value = result === undefined ? "" : ` ${show(result)}`
      return `${paint(look, "bold", `resolved: ${words[answer]}`)}${value} by ${clip(by, nameRoom)}: ${clip(reason, sentence)}`
    })
    .with(
      { kind: "cancel-requested" },
      ({ by, reason }) =>
        `${paint(look, "yellow", "to be cancelled")} by ${clip(by, nameRoom)}: ${clip(reason, sentence)}`,
    )
    .with({ kind: "observed" }, ({ attempt, answer, result, failure }) => {
      const value = result === undefined ? "" : ` ${show(result)}`
      const why = failure === undefined ? "" : ` ${failure.code}: ${clip(failure.message, sentence)}`
      return `late: attempt ${attempt} ${paint(look, "bold", answer.replace("-", " "))}${value}${why}`
    })
    .with(
      { kind: "winding-down" },
      ({ status, failure }) =>
        `undoes what was done, to end ${status}: ${failure.code}: ${clip(failure.message, sentence)}`,
    )
    .with({ kind: "run-ended" }, ({ status, failure }) => {
      const reason = failure === undefined ? "" : ` ${failure.code}: ${clip(failure.message, sentence)}`
      return `${paint(look, ["bold", status === "succeeded" ? "green" : "red"], `run ${status}`)}${reason}`
    })
    .with({ kind: "step-added" }, ({ step, callId }) => {
      const what = step.transition === undefined ? (step.tool ?? "") : `transition to ${step.transition}`
      const by = callId === undefined ? "" : `, call ${clip(callId, nameRoom)}`
      return `step ${clip(step.id, nameRoom)} added: ${clip(what, nameRoom)}${by}`
    })
    .with(
      { kind: "step-given-up" },
      ({ failure }) => `${paint(look, "red", "came to nothing")} ${failure.code}: ${clip(failure.message, sentence)}`,
    )
    .with({ kind: "call-refused" }, ({ callId, tool, diagnostics }) => {
      const codes = [...new Set(diagnostics.map(({ code }) => code))].join(", ")
      return `${paint(look, "red", "refused")} ${clip(tool, nameRoom)}, call ${clip(callId, nameRoom)}: ${codes}`
    })
    .with(
      { kind: "circuit-reset" },
      ({ tool }) => `circuit of ${tool === undefined ? "all" : clip(tool, nameRoom)} reset`,
    )
    .with({ kind: "call-observed" }, ({ callId, tool, diagnostics, waits, failure, wouldFail }) => {
      const codes = [...new Set(diagnostics.map(({ code }) => code))].join(", ")
      const said = codes !== "" ? `would be refused: ${codes}` : waits ? "would wait for a person" : passing(wouldFail)
      const threw = failure === undefined ? "" : `; it failed: ${clip(failure.message, sentence)}`
      return `observed ${clip(tool, nameRoom)}, call ${clip(callId, nameRoom)}: ${said}${threw}`
    })
    .with({ kind: "run-closed" }, () => "closed: it takes no further step")
    .exhaustive()

const passing = (wouldFail: string | undefined): string =>
  wouldFail === undefined ? "would pass" : `would fail: ${wouldFail}`

const words = {
  applied: "applied",
  "not-applied": "not applied",
  again: "to be tried again",
  "given-up": "left undone",
} as const

const againBecause = {
  natural: "it may be repeated",
  key: "its key is still good",
  "not-applied": "it was not applied",
} as const

/** Values are told short here; the whole stands in the JSON form. */
const show = (value: Json): string => clip(JSON.stringify(value), valueRoom)
