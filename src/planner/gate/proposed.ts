/** A proposed call as it came: its arguments read strictly, and made the step of a plan. Data is never an expression there. */
import { sha256 } from "#sha256"
import type { Catalog } from "../../catalog/catalog.ts"
import { hasMarks } from "../../catalog/sensitive.ts"
import { adviceOnCall, factOnCall } from "../../diagnostic/codes.ts"
import { type Diagnostic, diagnose } from "../../diagnostic/diagnostic.ts"
import { hush } from "../../diagnostic/hush.ts"
import { stepOf } from "../../diagnostic/report.ts"
import { diagnoseText } from "../../diagnostic/text.ts"
import { isId } from "../../document/admit.ts"
import type { StepDocument } from "../../document/document.ts"
import { maskText } from "../../plan/mask.ts"
import { canonical } from "../../text/canonical.ts"
import { copyJson } from "../../text/copy-json.ts"
import { isObject, type Json, type JsonObject } from "../../text/json.ts"
import type { Pointer } from "../../text/pointer.ts"
import { readJson } from "../../text/read-json.ts"
import type { ProposedCall } from "./verdict.ts"

/** A call whose arguments were read, or why they could not be. */
export interface ReadCall {
  readonly callId: string
  readonly tool: string
  readonly occurrence: number | undefined
  /** As values, where they are any; undefined with what is wrong with them. */
  readonly args: Json | undefined
  readonly faults: readonly Diagnostic[]
  /** As a host without a gate would have read them: undefined where it could not have. */
  readonly given: Json | undefined
  /** A value that is no plain JSON, or too much of it, as the host gave it. */
  readonly odd?: unknown
  /** By which the same call is known again. */
  readonly digest: string
}

export function readCall({ callId, tool, args, occurrence }: ProposedCall, catalog: Catalog, salt: string): ReadCall {
  const read = typeof args === "string" ? readText(args, catalog) : readValue(args, catalog)
  const about: Json =
    read.args === undefined ? ["text", typeof args === "string" ? args : sayOdd(args)] : ["value", read.args]
  const digest = sha256(canonical([salt, tool, occurrence ?? 1, about], true))
  return { callId, tool, occurrence, ...read, digest }
}

type Read = Pick<ReadCall, "args" | "faults" | "given" | "odd">

function readText(text: string, catalog: Catalog): Read {
  // So some providers' servers write a call without arguments.
  if (text === "") return { args: {}, faults: [], given: {} }
  const json = readJson(text, catalog.bounds)
  if (json.ok) return { args: json.value, faults: [], given: json.value }
  const fault = diagnoseText(json.fault)
  const told = hasMarks(catalog) ? hush(fault, maskText(text, catalog).secrets) : fault
  return { args: undefined, faults: [inArgs(told)], given: parse(text) }
}

function readValue(args: unknown, { bounds }: Catalog): Read {
  const copied = copyJson(args, { ...bounds, bytes: bounds.textBytes })
  if (copied.ok) return { args: copied.value, faults: [], given: copied.value }
  return {
    args: undefined,
    given: undefined,
    odd: args,
    faults: [inArgs(diagnose("SEQ019", copied.at, { problem: copied.problem }))],
  }
}

function sayOdd(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return ""
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

const inArgs = ({ at, code, severity, message, hint, range }: Diagnostic): Diagnostic => {
  const [fact, deed] = [factOnCall(code, message), adviceOnCall(code) ?? hint]
  const told = { code, severity, message: fact, hint: deed, at: `/args${at}` as Pointer }
  return range === undefined ? told : { ...told, range }
}

/** The step that a call is. Whatever holds what would be an expression stands there literally. */
export const stepFor = ({ callId, tool, args, occurrence }: ReadCall, taken: TakenIds): StepDocument => ({
  id: idFor(callId, taken),
  tool,
  ...(args === undefined ? {} : { args: (isObject(args) ? membersOf(args) : args) as JsonObject }),
  ...(occurrence === undefined ? {} : { occurrence }),
})

export type TakenIds = Pick<ReadonlySet<string>, "size" | "has">

/** Its own id, where a step may be called so. */
export function idFor(callId: string, taken: TakenIds): string {
  if (isId(callId) && !taken.has(callId)) return callId
  let number = taken.size + 1
  while (taken.has(`call-${number}`)) number++
  return `call-${number}`
}

const membersOf = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).map(([key, value]) => [key, literal(value)]))

function literal(value: Json): Json {
  if (Array.isArray(value)) return value.map(literal)
  if (!isObject(value)) return value
  return Object.keys(value).some((key) => key.startsWith("$")) ? { $literal: value } : membersOf(value)
}

/** What the compiler says of the step at `index`, as of a call alone. */
export const asOfCall = (diagnostics: readonly Diagnostic[], index: number): readonly Diagnostic[] =>
  diagnostics.slice(0, diagnosticsMax).map(({ code, severity, message, hint, at }) => ({
    code,
    severity,
    message: factOnCall(code, message),
    hint: adviceOnCall(code) ?? hint,
    at: placeInCall(at, index),
  }))

/** What is said of a plan as a whole is said of the call as a whole. */
function placeInCall(at: Pointer, index: number): Pointer {
  const step = stepOf(at)
  if (step === undefined) return "" as Pointer
  return step === index ? (at.slice(`/steps/${index}`.length).replace("/$literal", "") as Pointer) : at
}

/** More are not kept of one call. */
const diagnosticsMax = 20
