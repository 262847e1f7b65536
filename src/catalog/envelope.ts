/** The shape of a catalog's declaration, for hosts whose compiler did not check it. */
import { Type } from "@sinclair/typebox"

const closed = { additionalProperties: false } as const
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const positive = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
/** Timers count in 32 bits: more would fire at once. */
const milliseconds = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
/** A step is begun ten times at most, and what waits for longer than an hour waits for a person. */
const Retry = Type.Object(
  {
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    backoffMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600_000 })),
    maxBackoffMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600_000 })),
  },
  { additionalProperties: false },
)
const name = Type.String({ minLength: 1 })
const scope = Type.Union([Type.Literal("run"), Type.Literal("task"), Type.Literal("session"), Type.Literal("tenant")])
const scopeOfOnce = Type.Union([Type.Literal("task"), Type.Literal("session"), Type.Literal("tenant")])
const record = <T extends Parameters<typeof Type.Record>[1]>(value: T) =>
  Type.Object({}, { additionalProperties: value })

const Rule = Type.Object(
  {
    from: Type.Optional(Type.Array(name, { minItems: 1 })),
    trusted: Type.Optional(Type.Boolean()),
    public: Type.Optional(Type.Boolean()),
    mustState: Type.Optional(Type.Boolean()),
  },
  closed,
)

const labelled = Type.Optional(Type.Union([Type.Literal(true), Type.Array(Type.String())]))
const labels = { untrusted: labelled, private: labelled }

const Counted = Type.Object(
  {
    kind: Type.Union([Type.Literal("argument"), Type.Literal("count")]),
    parameter: name,
    max: Type.Optional(count),
  },
  closed,
)

const ToolEnvelope = Type.Object(
  {
    description: name,
    version: Type.Optional(name),
    params: Type.Unknown(),
    result: Type.Optional(Type.Unknown()),
    effect: Type.Union([Type.Literal("read"), Type.Literal("write"), Type.Literal("destructive")]),
    timeoutMs: Type.Optional(milliseconds),
    states: Type.Optional(Type.Array(name, { minItems: 1 })),
    requires: Type.Optional(Type.Array(Type.Object({ tool: name, same: Type.Optional(Type.Array(name)) }, closed))),
    rules: Type.Optional(record(Rule)),
    ...labels,
    endorse: Type.Optional(Type.Array(Type.Union([Type.Literal("trusted"), Type.Literal("public")]), { minItems: 1 })),
    blast: Type.Optional(record(Type.Union([count, Counted]))),
    once: Type.Optional(Type.Object({ by: Type.Array(name, { minItems: 1 }), scope: scopeOfOnce }, closed)),
    idempotency: Type.Optional(
      Type.Union([
        Type.Literal("natural"),
        Type.Literal("none"),
        Type.Object({ key: Type.Object({ retentionMs: positive }, closed) }, closed),
      ]),
    ),
    reconcile: Type.Optional(Type.Object({ finalAfterMs: count }, closed)),
    validate: Type.Optional(Type.Literal(true)),
    retry: Type.Optional(Retry),
    compensate: Type.Optional(
      Type.Union([Type.Literal("none"), Type.Object({ tool: name, args: record(Type.Unknown()) }, closed)]),
    ),
    cost: Type.Optional(Type.Object({ microUsd: count }, closed)),
    authority: Type.Optional(
      Type.Object(
        {
          roles: Type.Optional(Type.Array(name, { minItems: 1 })),
          tenants: Type.Optional(Type.Array(name, { minItems: 1 })),
          when: Type.Optional(Type.Unknown()),
          approval: Type.Optional(Type.Literal("always")),
          approvers: Type.Optional(positive),
          approverRoles: Type.Optional(Type.Array(name, { minItems: 1 })),
          freshness: Type.Optional(
            Type.Object({ pointers: Type.Array(name, { minItems: 1 }), maxAgeMs: positive }, closed),
          ),
        },
        closed,
      ),
    ),
    claims: Type.Optional(
      Type.Object(
        {
          readOnlyHint: Type.Optional(Type.Boolean()),
          destructiveHint: Type.Optional(Type.Boolean()),
          idempotentHint: Type.Optional(Type.Boolean()),
          openWorldHint: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
    isolate: Type.Optional(Type.Boolean()),
  },
  closed,
)

/** What it names as its guard is judged where it is read. */
const Transition = Type.Object(
  {
    guard: Type.Optional(Type.Unknown()),
    covers: Type.Optional(Type.Literal("next")),
    approvers: Type.Optional(positive),
    approverRoles: Type.Optional(Type.Array(name, { minItems: 1 })),
  },
  closed,
)

const Machine = Type.Object(
  {
    initial: name,
    transitions: record(record(Transition)),
  },
  closed,
)

const BoundsEnvelope = Type.Object(
  {
    textBytes: Type.Optional(positive),
    // Expressions and schemas are walked by recursion: deeper than this could exhaust the stack.
    depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    nodes: Type.Optional(positive),
    steps: Type.Optional(positive),
    diagnostics: Type.Optional(positive),
    stringBytes: Type.Optional(positive),
    resultBytes: Type.Optional(positive),
    concatParts: Type.Optional(positive),
    goalLength: Type.Optional(positive),
  },
  closed,
)

const Limit = Type.Object({ max: count, approveAbove: Type.Optional(count), per: Type.Optional(scope) }, closed)

const Budgets = Type.Object(
  {
    steps: Type.Optional(count),
    wallMs: Type.Optional(milliseconds),
    deadlineMs: Type.Optional(positive),
    retries: Type.Optional(count),
    tokens: Type.Optional(count),
    microUsd: Type.Optional(count),
    sideEffects: Type.Optional(count),
  },
  closed,
)

/** Schemas, formats and predicates are anything here: they are judged where they are read. */
export const CatalogEnvelope = Type.Object(
  {
    name,
    version: name,
    inputs: Type.Optional(Type.Unknown()),
    inputLabels: Type.Optional(Type.Object(labels, closed)),
    authority: Type.Optional(
      Type.Object({ default: Type.Optional(Type.Union([Type.Literal("allow"), Type.Literal("deny")])) }, closed),
    ),
    approvals: Type.Optional(Type.Union([Type.Literal("signed"), Type.Literal("unsigned")])),
    carryOver: Type.Optional(Type.Boolean()),
    formats: Type.Optional(record(Type.Unknown())),
    machine: Type.Optional(Machine),
    blastRadius: Type.Optional(record(Limit)),
    budgets: Type.Optional(Budgets),
    bounds: Type.Optional(BoundsEnvelope),
    tools: record(ToolEnvelope),
  },
  closed,
)
