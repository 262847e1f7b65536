/** A journal as people read it: one line an entry, with its place, its time and what happened in words. */
import { match } from "ts-pattern"
import type { Event, Recorded } from "../journal/entry.ts"
import type { Json } from "../text/json.ts"
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
      const again = event.attempt > 1 ? ` (attempt ${event.attempt})` : ""
      const key =
        event.idempotencyKey === undefined ? "" : paint(look, "dim", `  key ${clip(event.idempotencyKey, 16)}`)
      return `calls ${clip(event.tool, nameRoom)} ${show(event.args)}${again}${key}`
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
      const change = `${clip(event.from, nameRoom)} → ${clip(event.to, nameRoom)}`
      return `${paint(look, "magenta", "asks for approval")} of ${change}, before ${opened === "" ? "nothing" : opened}`
    })
    .with({ kind: "approval-decided" }, (event) => {
      const reason = event.reason === "" ? "" : `: ${clip(event.reason, sentence)}`
      return `${paint(look, event.decision === "approved" ? "green" : "red", event.decision)} by ${clip(event.by, nameRoom)}${reason}`
    })
    .with(
      { kind: "in-doubt" },
      (event) => `${paint(look, "red", "in doubt")} ${event.failure.code}: ${clip(event.failure.message, sentence)}`,
    )
    .with({ kind: "run-ended" }, ({ status, failure }) => {
      const reason = failure === undefined ? "" : ` ${failure.code}: ${clip(failure.message, sentence)}`
      return `${paint(look, ["bold", status === "succeeded" ? "green" : "red"], `run ${status}`)}${reason}`
    })
    .exhaustive()

/** Values are told short here; the whole stands in the JSON form. */
const show = (value: Json): string => clip(JSON.stringify(value), valueRoom)
