/** Servers: what an on-call agent may do to instances in the regions it looks after. Schemas in TypeBox. */
import { Type } from "@sinclair/typebox"
import { defineCatalog, tool } from "sequitur"

const closed = { additionalProperties: false }
const Region = Type.Union([Type.Literal("eu-central-1"), Type.Literal("eu-west-1")])
const InstanceId = Type.String({ pattern: "^i-[0-9a-f]{8}$" })
const State = Type.Union([Type.Literal("serving"), Type.Literal("drained")])

const Instance = Type.Object({
  id: InstanceId,
  name: Type.String(),
  state: State,
  connections: Type.Integer({ minimum: 0 }),
})

/** An instance is always named together with its region, so that no id can reach into another one. */
const Target = Type.Object({ region: Region, instanceId: InstanceId }, closed)

export default defineCatalog({
  name: "servers",
  version: "1",
  inputs: Type.Object({ region: Region, name: Type.String({ minLength: 1, maxLength: 64 }) }, closed),
  approvals: "unsigned",
  machine: {
    initial: "OBSERVING",
    transitions: { OBSERVING: { MAINTENANCE: { guard: "approval" } }, MAINTENANCE: { OBSERVING: {} } },
  },
  blastRadius: { restarts: { max: 2 }, instances: { max: 6 } },
  budgets: { steps: 20, sideEffects: 8, retries: 6, wallMs: 300_000, deadlineMs: 86_400_000 },
  tools: {
    list_instances: tool({
      description: "List the instances of a region.",
      effect: "read",
      params: Type.Object({ region: Region }, closed),
      result: Type.Object({ instances: Type.Array(Instance) }),
      timeoutMs: 5_000,
    }),
    check_health: tool({
      description: "Say whether an instance is healthy, and how often it has been started.",
      effect: "read",
      params: Target,
      result: Type.Object({ healthy: Type.Boolean(), boots: Type.Integer({ minimum: 0 }) }),
      timeoutMs: 5_000,
    }),
    drain_instance: tool({
      description: "Take an instance out of the load balancer and let its connections end.",
      effect: "write",
      params: Target,
      result: Type.Object({ instanceId: InstanceId, state: State }),
      states: ["MAINTENANCE"],
      blast: { instances: 1 },
      idempotency: "natural",
      compensate: "none",
      timeoutMs: 60_000,
    }),
    restart_instance: tool({
      description: "Restart a drained instance. Whatever still runs on it is lost.",
      effect: "destructive",
      params: Target,
      result: Type.Object({ instanceId: InstanceId, boots: Type.Integer({ minimum: 1 }) }),
      states: ["MAINTENANCE"],
      requires: [{ tool: "drain_instance", same: ["region", "instanceId"] }],
      blast: { instances: 1, restarts: 1 },
      idempotency: { key: { retentionMs: 3_600_000 } },
      compensate: "none",
      timeoutMs: 120_000,
    }),
    return_to_service: tool({
      description: "Put a drained instance back behind the load balancer.",
      effect: "write",
      params: Target,
      result: Type.Object({ instanceId: InstanceId, state: State }),
      states: ["MAINTENANCE"],
      requires: [{ tool: "drain_instance", same: ["region", "instanceId"] }],
      blast: { instances: 1 },
      idempotency: "natural",
      compensate: "none",
      timeoutMs: 60_000,
    }),
  },
})
