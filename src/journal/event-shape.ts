/** What each kind of event must look like: for entries that come from elsewhere, whose chain alone says nothing of that. */
import { type TSchema, Type } from "@sinclair/typebox"
import { accepts } from "../catalog/schema/accept.ts"
import { judgePattern } from "../catalog/schema/pattern.ts"
import { DocumentShape, StepShape } from "../document/document.ts"
import type { Json } from "../text/json.ts"
import { root } from "../text/pointer.ts"
import { runCodes } from "./codes.ts"
import { type Event, type Intent, journalVersion, type RunStarted } from "./entry.ts"

const closed = { additionalProperties: false } as const
const text = Type.String()
const name = Type.String({ minLength: 1 })
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const positive = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
/** Clocks may count in fractions. */
const milliseconds = Type.Number({ minimum: 0 })
const json = Type.Unknown()
const object = Type.Object({}, { additionalProperties: Type.Unknown() })
const record = (value: TSchema) => Type.Object({}, { additionalProperties: value })
const optional = Type.Optional
const oneOf = (...values: readonly string[]) => Type.Union(values.map((value) => Type.Literal(value)))

const scope = oneOf("task", "session", "tenant")
const undoes = optional(Type.Literal(true))
const step = { stepId: name, undoes }
const attempt = { ...step, attempt: positive }
const pause = optional(Type.Object({ afterMs: milliseconds, atMs: Type.Number() }, closed))
const transition = { stepId: name, from: text, to: text }
const word = { by: text, reason: text }

const failureOf = (cause: TSchema) =>
  Type.Object(
    {
      tag: oneOf(...new Set(Object.values(runCodes).map(({ tag }) => tag))),
      code: oneOf(...Object.keys(runCodes)),
      message: text,
      stepId: optional(text),
      cause: optional(cause),
    },
    closed,
  )
const failure = failureOf(failureOf(failureOf(object)))
const answer = { result: optional(json), failure: optional(failure) }

const argument = Type.Object(
  {
    name: text,
    source: Type.Union([
      Type.Object({ kind: oneOf("from-result", "from-args"), path: text }, closed),
      Type.Object({ kind: Type.Literal("literal"), value: json }, closed),
    ]),
  },
  closed,
)

const places = Type.Array(text)

const policy = Type.Object(
  {
    version: text,
    effect: oneOf("read", "write", "destructive"),
    timeoutMs: positive,
    idempotency: Type.Union([
      Type.Object({ kind: Type.Literal("key"), retentionMs: positive }, closed),
      Type.Object({ kind: oneOf("natural", "none") }, closed),
    ]),
    reconcile: optional(Type.Object({ finalAfterMs: count }, closed)),
    retry: optional(
      Type.Object(
        {
          times: optional(Type.Integer({ minimum: 1, maximum: 10 })),
          backoffMs: optional(positive),
          maxBackoffMs: optional(positive),
        },
        closed,
      ),
    ),
    undo: optional(Type.Object({ kind: Type.Literal("call"), tool: name, args: Type.Array(argument) }, closed)),
    sensitive: optional(Type.Object({ args: optional(places), result: optional(places) }, closed)),
  },
  closed,
)

const reserve = Type.Object({ scope, dimension: name, amount: count, max: count, above: optional(count) }, closed)
const claim = Type.Object({ scope, digest: text, call: text }, closed)
const following = Type.Object(
  {
    stepId: name,
    tool: name,
    effect: text,
    description: text,
    args: object,
    open: optional(Type.Array(text)),
  },
  closed,
)

const diagnostic = Type.Object(
  { code: text, severity: oneOf("error", "warning", "approval"), message: text, hint: text, at: text },
  { additionalProperties: json },
)

const because = Type.Union([
  Type.Object({ kind: Type.Literal("always") }, closed),
  Type.Object(
    {
      kind: Type.Literal("above"),
      dimension: name,
      above: count,
      total: count,
      scope: optional(scope),
      own: optional(count),
    },
    closed,
  ),
])

const facts = Type.Object(
  {
    from: text,
    to: text,
    inputs: json,
    results: object,
    follows: Type.Array(
      Type.Object({ stepId: name, tool: name, args: object, open: optional(Type.Array(text)) }, closed),
    ),
  },
  closed,
)

const document = Type.Object({ ...DocumentShape.properties, version: Type.Literal(1) }, closed)

const approved = Type.Object(
  {
    blast: record(count),
    people: Type.Array(Type.Object({ by: name, roles: Type.Array(text), reason: text, token: text }, closed), {
      minItems: 1,
    }),
    plan: optional(Type.Object({ planHash: text, catalogHash: text, document }, closed)),
  },
  closed,
)

const fields: { readonly [Kind in Event["kind"]]: { readonly [field: string]: TSchema } } = {
  "run-started": {
    journal: Type.Literal(journalVersion),
    salt: text,
    tenant: name,
    subject: name,
    roles: Type.Array(text),
    sessionId: name,
    taskId: name,
    planHash: text,
    catalogHash: text,
    slice: record(text),
    compiler: text,
    document,
    inputs: json,
    earlier: optional(
      record(Type.Object({ tool: name, result: json, carries: Type.Array(oneOf("untrusted", "private")) }, closed)),
    ),
    origin: object,
    deadlineMs: optional(milliseconds),
    budgets: optional(Type.Object({ retries: optional(count), microUsd: optional(count) }, closed)),
    spent: Type.Object({ tokens: optional(count), microUsd: optional(count) }, closed),
    keyed: optional(text),
    unsigned: optional(Type.Literal(true)),
    approved: optional(approved),
    open: optional(Type.Object({ literals: optional(Type.Literal("untrusted")) }, closed)),
    sensitive: optional(places),
    tools: record(policy),
  },
  "taken-up": { epoch: positive, owner: text, takeOver: Type.Boolean(), adopted: optional(Type.Literal(true)) },
  "state-entered": transition,
  intent: {
    ...attempt,
    tool: name,
    args: object,
    idempotencyKey: optional(name),
    identity: optional(name),
    generation: optional(positive),
    once: optional(claim),
    reserves: optional(Type.Array(reserve)),
    microUsd: optional(count),
    again: optional(oneOf("natural", "key", "not-applied")),
  },
  outcome: { ...attempt, tookMs: milliseconds, ...answer },
  "attempt-failed": {
    ...attempt,
    tookMs: milliseconds,
    failure,
    retryAfterMs: optional(count),
    again: pause,
  },
  "answer-lost": { ...attempt, tookMs: milliseconds, failure, again: pause },
  reconciled: {
    ...step,
    tookMs: milliseconds,
    askedAtMs: optional(Type.Number()),
    answer: oneOf("applied", "not-applied", "barred", "unknown"),
    ...answer,
    said: optional(text),
    again: pause,
  },
  replayed: {
    stepId: name,
    tool: name,
    args: object,
    idempotencyKey: name,
    identity: optional(name),
    from: Type.Object({ runId: name, stepId: name }, closed),
    ...answer,
  },
  "step-refused": { ...step, failure },
  "approval-requested": {
    stepId: name,
    from: optional(text),
    to: optional(text),
    because: optional(Type.Array(because)),
    covers: optional(Type.Literal(true)),
    requestId: name,
    follows: Type.Array(following),
    opens: optional(
      Type.Object(
        {
          tools: Type.Array(Type.Object({ tool: name, effect: text }, closed)),
          untilMs: optional(milliseconds),
        },
        closed,
      ),
    ),
    inputs: optional(text),
    approvers: optional(positive),
    approverRoles: optional(Type.Array(text)),
  },
  "approval-decided": {
    stepId: name,
    requestId: name,
    decision: oneOf("approved", "denied"),
    ...word,
    token: optional(text),
    left: optional(positive),
  },
  "request-delivered": { stepId: name, requestId: name },
  "approval-lapsed": { stepId: name, requestId: name, failure },
  "rule-evaluated": {
    stepId: name,
    rule: name,
    inputs: facts,
    holds: Type.Boolean(),
    tookMs: milliseconds,
    failure: optional(failure),
  },
  reread: { stepId: name, before: name, tool: name, tookMs: milliseconds, ...answer },
  "in-doubt": { ...attempt, failure },
  resolved: { ...step, answer: oneOf("applied", "not-applied", "again", "given-up"), ...word, ...answer },
  "cancel-requested": word,
  observed: {
    ...attempt,
    idempotencyKey: optional(name),
    answer: oneOf("answered", "not-applied", "threw"),
    ...answer,
  },
  "winding-down": { status: oneOf("failed", "cancelled", "exhausted"), failure },
  "run-ended": { status: oneOf("succeeded", "failed", "cancelled", "exhausted"), failure: optional(failure) },
  "step-added": {
    callId: optional(name),
    step: StepShape,
    seen: count,
    shown: optional(Type.Array(oneOf("untrusted", "private"))),
    planHash: text,
  },
  "step-given-up": { stepId: name, failure },
  "call-refused": {
    callId: name,
    tool: text,
    digest: text,
    diagnostics: Type.Array(diagnostic),
    watched: optional(Type.Literal(true)),
  },
  "call-observed": {
    callId: name,
    tool: text,
    digest: text,
    tookMs: milliseconds,
    diagnostics: Type.Array(diagnostic),
    waits: optional(Type.Literal(true)),
    made: optional(Type.Object({ step: StepShape, seen: count, planHash: text }, closed)),
    ...answer,
    wouldFail: optional(oneOf(...Object.keys(runCodes))),
  },
  "circuit-reset": { tool: optional(name) },
  "run-closed": {},
}

/** Every kind that there is. */
export const eventKinds = Object.keys(fields) as readonly Event["kind"][]

const shapes = new Map<Json | undefined, TSchema>(
  Object.entries(fields).map(([kind, rest]) => [kind, Type.Object({ kind: Type.Literal(kind), ...rest }, closed)]),
)

/** Of a run of an older version, no more than is asked of it here. */
const oldStart = Type.Object(
  {
    kind: Type.Literal("run-started"),
    journal: Type.Integer({ minimum: 1, maximum: journalVersion - 1 }),
    tenant: name,
    subject: name,
    sessionId: name,
    taskId: name,
    document: Type.Object({ goal: optional(text), steps: Type.Array(object) }, { additionalProperties: json }),
  },
  { additionalProperties: json },
)
const oldEvent = Type.Object(
  { stepId: optional(text), idempotencyKey: optional(text), status: optional(text) },
  { additionalProperties: json },
)

/** Why an event is none; undefined where it is one. `started` is how its run began: undefined for the first entry. */
export function misshapen(event: Event, started: RunStarted | undefined): string | undefined {
  const value = event as unknown as { readonly [field: string]: Json }
  const shape = shapes.get(value.kind)
  if (shape === undefined)
    return `its kind is none that is known: ${(JSON.stringify(value.kind) ?? "it has none").slice(0, 40)}`
  const version = started?.journal ?? (Number.isInteger(value.journal) ? Number(value.journal) : journalVersion)
  const asked = version >= journalVersion ? shape : started === undefined ? oldStart : oldEvent
  if (!accepts(asked, value)) return tellMisfit(asked, value)
  if (version !== journalVersion) return undefined
  if (event.kind === "run-started") return refuseTools(event)
  return event.kind === "intent" && started !== undefined ? refuseKey(event, started) : undefined
}

function tellMisfit(shape: TSchema, value: Json): string {
  const [misfit] = judgePattern<never>(shape, { kind: "literal", at: root, value }, () => undefined)
  if (misfit === undefined) return "it is no event"
  const { at, kind, key = "", expected, found } = misfit
  if (kind === "missing") return `\`${at}/${key}\` is missing`
  return kind === "unknown" ? `\`${at}\` is not known` : `\`${at}\` is ${found}, and should be ${expected}`
}

/** Settling and undoing go by what the run says of its tools. */
function refuseTools({ document, tools }: RunStarted): string | undefined {
  for (const { id, tool, transition, args } of document.steps) {
    if ((tool === undefined) === (transition === undefined)) return `step \`${id}\` is neither a call nor a transition`
    if (tool !== undefined && (args === undefined || !Object.hasOwn(tools, tool)))
      return `step \`${id}\` calls \`${tool}\`, of which it says too little`
  }
  return undefined
}

function refuseKey({ tool, idempotencyKey }: Intent, { tools }: RunStarted): string | undefined {
  const policy = Object.hasOwn(tools, tool) ? tools[tool] : undefined
  if (policy === undefined) return `nothing is said of \`${tool}\``
  return policy.effect === "read" || idempotencyKey !== undefined ? undefined : "an effect has no key"
}
