/**
 * The service that looks after the instances, and the tools that reach it. It keeps its records in the SQLite file that
 * `file` names, or the environment variable `SERVERS_DB`, or `servers.db` beside this file; delete it to begin again.
 */
import { fileURLToPath } from "node:url"
import { toolbox } from "sequitur/run"
import { openRecords, orNotApplied, Refused } from "../records.ts"
import catalog from "./catalog.ts"

interface Instance {
  readonly id: string
  readonly name: string
  readonly state: "serving" | "drained"
  readonly connections: number
}

interface Target {
  readonly region: string
  readonly instanceId: string
}

const seed = `
  CREATE TABLE instances (
    id TEXT PRIMARY KEY, region TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL, connections INTEGER NOT NULL,
    healthy INTEGER NOT NULL, boots INTEGER NOT NULL
  ) STRICT;
  INSERT INTO instances VALUES
    ('i-0a1b2c3d', 'eu-central-1', 'web-1', 'serving', 214, 1, 3),
    ('i-1b2c3d4e', 'eu-central-1', 'web-2', 'serving', 187, 0, 7),
    ('i-2c3d4e5f', 'eu-west-1', 'web-1', 'serving', 92, 1, 1),
    ('i-3d4e5f60', 'us-gov-1', 'ledger-1', 'serving', 4, 1, 1);
`

export function service(file: string) {
  const { sql, once, close } = openRecords(file, seed)

  const find = ({ region, instanceId }: Target) => {
    const [found] = sql<Instance & { healthy: number; boots: number }>(
      "SELECT * FROM instances WHERE region = ? AND id = ?",
      region,
      instanceId,
    )
    if (found === undefined) throw new Refused(`there is no instance ${instanceId} in ${region}`)
    return found
  }

  return {
    close,
    instances: (region: string): Instance[] =>
      sql("SELECT id, name, state, connections FROM instances WHERE region = ? ORDER BY name", region),

    health: (target: Target) => {
      const { healthy, boots } = find(target)
      return { healthy: healthy === 1, boots }
    },

    drain: (key: string | undefined, target: Target) =>
      once(key, { drain: target }, () => {
        const { id } = find(target)
        sql("UPDATE instances SET state = 'drained', connections = 0 WHERE id = ?", id)
        return { instanceId: id, state: "drained" as const }
      }),

    restart: (key: string | undefined, target: Target) =>
      once(key, { restart: target }, () => {
        const { id, name, state, boots } = find(target)
        if (state !== "drained") throw new Refused(`${name} is still serving`)
        sql("UPDATE instances SET healthy = 1, boots = boots + 1 WHERE id = ?", id)
        return { instanceId: id, boots: boots + 1 }
      }),

    serve: (key: string | undefined, target: Target) =>
      once(key, { serve: target }, () => {
        const { id, name, healthy } = find(target)
        if (healthy !== 1) throw new Refused(`${name} is not healthy`)
        sql("UPDATE instances SET state = 'serving' WHERE id = ?", id)
        return { instanceId: id, state: "serving" as const }
      }),

    /** Everything the service knows, for tests and for people. */
    records: () => ({
      instances: sql<Instance & { readonly region: string; readonly healthy: number; readonly boots: number }>(
        "SELECT * FROM instances ORDER BY id",
      ),
    }),
  }
}

const ownFile = () => process.env.SERVERS_DB ?? fileURLToPath(new URL("servers.db", import.meta.url))

export default function tools(options: { readonly file?: string } = {}) {
  const servers = service(options.file ?? ownFile())
  return toolbox(catalog, {
    list_instances: ({ region }) => ({ instances: servers.instances(region) }),
    check_health: (target) => servers.health(target),
    drain_instance: (target, { idempotencyKey }) => orNotApplied(() => servers.drain(idempotencyKey, target)),
    restart_instance: (target, { idempotencyKey }) => orNotApplied(() => servers.restart(idempotencyKey, target)),
    return_to_service: (target, { idempotencyKey }) => orNotApplied(() => servers.serve(idempotencyKey, target)),
  })
}
