/**
 * What a model is told of its call. As for `feedback`: bounded, no stack, no secret, and what others wrote stands in it as a JSON
 * string, so that it cannot pass for our words.
 */
import type { Catalog } from "../../catalog/catalog.ts"
import { gather, hide, marksOf } from "../../catalog/sensitive.ts"
import type { Failure } from "../../journal/entry.ts"
import { escapeHidden, escapeHiddenJson } from "../../text/escape.ts"
import type { Json } from "../../text/json.ts"
import { Secrets } from "../../text/secrets.ts"
import type { Accepted, Verdict } from "./verdict.ts"

export interface VerdictTextOptions {
  /** By whose marks secrets are left out. Without it nothing is known to be secret. */
  readonly catalog?: Catalog | undefined
  /** UTF-16 units of the whole text, 400 at least. Default 16,000. */
  readonly maxLength?: number | undefined
}

const least = 400
/** Of one string of a refusal. */
const quotedLength = 300
const reasonLength = 1_000

export function verdictText(verdict: Verdict, { catalog, maxLength = 16_000 }: VerdictTextOptions = {}): string {
  const room = Math.max(least, maxLength)
  const text = sayVerdict(verdict, catalog, room)
  return text.length <= room ? text : `${text.slice(0, room - cut.length).toWellFormed()}${cut}`
}

const cut = "… (cut)"

function sayVerdict(verdict: Verdict, catalog: Catalog | undefined, room: number): string {
  const tool = quoted(verdict.tool, quotedLength)
  switch (verdict.kind) {
    case "accepted":
      return sayResult(resultShown(verdict, catalog), room)
    case "refused": {
      const head = `The call of ${tool} was refused, and nothing was done. Mend all of it and call again by a new id. Strings quote your call as data.`
      const lines = verdict.diagnostics.map(
        ({ code, severity, at, message, hint }) =>
          `- ${severity === "error" ? code : `${severity} ${code}`} at ${quoted(at, quotedLength)}: ${quoted(message, quotedLength)}.${hint === "" ? "" : ` Right: ${quoted(hint, quotedLength)}.`}`,
      )
      return fitLines(head, lines, room)
    }
    case "failed":
      if (verdict.observed) return `The call of ${tool} failed: ${say(verdict.failure)}.`
      if (verdict.undone)
        return `The call of ${tool} was made, and what it did has been undone: ${say(verdict.failure)}.`
      return verdict.applied
        ? `The call of ${tool} was made and has taken effect, but its answer cannot be used: ${say(verdict.failure)}. Do not call it again for this.`
        : `The call of ${tool} failed, and nothing of it has happened: ${say(verdict.failure)}.`
    case "circuit-open":
      return `${verdict.of === "tool" ? `Calls of ${tool}` : "All calls"} are held back after ${verdict.failures} failures in a row. Do something else, or say that it does not work.`
    case "held":
      return `The call of ${tool} was not made: effects are held back until a person has looked at what was asked for lately. Do not ask again.`
    case "waiting":
      if (verdict.behind !== undefined)
        return `The call of ${tool} was not made, and not looked at: it stands behind ${quoted(verdict.behind, quotedLength)}, on which a person must decide first. When they have, ask for the same call again, by the same id where you can.`
      return `The call of ${tool} was not made: a person must decide first. It goes on when they have; the same call is answered then with what became of it.`
    case "in-doubt":
      if (verdict.behind !== undefined)
        return `The call of ${tool} was not made: it stands behind ${quoted(verdict.behind, quotedLength)}, of which nobody knows yet whether it has taken effect (${say(verdict.failure)}). When that is settled, ask for the same call again.`
      return `Nobody knows yet whether the call of ${tool} has taken effect: ${say(verdict.failure)}. Further calls wait until that is settled.`
    case "call-id-reused":
      return `The call of ${tool} was not made: its id was used for another call before. Use a new id for each call.`
    case "run-over":
      return `The call of ${tool} was not made: no further calls are taken${verdict.failure === undefined ? "" : ` (${say(verdict.failure)})`}.`
  }
}

/** Without what is marked, wherever in it that stands, and without what else the run knows to be secret. */
export function resultShown(verdict: Accepted, catalog: Catalog | undefined): Json {
  const { tool, result, shown = result } = verdict
  const paths = catalog === undefined ? [] : marksOf(catalog).of(tool).result
  const secrets = new Secrets()
  gather(result, paths, secrets)
  return secrets.scrubJson(hide(shown, paths))
}

/** Plain JSON: it is the tool's word, and the model's to read. */
function sayResult(result: Json, room: number): string {
  const text = harmless(JSON.stringify(result))
  if (text.length <= room) return text
  return `The result is too long to be shown whole. It begins: ${quoted(text, room - 200)}`
}

const say = ({ code, message }: Failure): string => `${code}: ${quoted(message, reasonLength)}`

function fitLines(head: string, lines: readonly string[], room: number): string {
  const told: string[] = [head]
  let left = room - head.length - tailOf(lines.length).length - 1
  for (const line of lines) {
    if (line.length + 1 > left) break
    told.push(line)
    left -= line.length + 1
  }
  const untold = lines.length - told.length + 1
  return [...told, ...(untold > 0 ? [tailOf(untold)] : [])].join("\n")
}

const tailOf = (count: number): string => `(${count} more, not shown)`

/** A JSON string, cut where it is long. */
function quoted(text: string, length: number): string {
  const short = text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text
  return written(JSON.stringify(escapeHidden(short)))
}

/** `<` and `>` are written out, so that no tag and no marker of a chat stands in it. */
const written = (json: string): string => json.replace(/[<>]/g, (sign) => (sign === "<" ? "\\u003c" : "\\u003e"))

/** The same JSON, with nothing in it that hides or opens a tag. */
const harmless = (json: string): string => written(escapeHiddenJson(json))
