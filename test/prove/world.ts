/**
 * The outside world: what was asked of it, what has happened, and what it remembers. It has no clock of its own: every request
 * says what time it is, and what was due by then has happened before it is answered.
 */
import { animalOf, kinds, type Outside } from "./zoo.ts"

export interface Request {
  readonly tool: string
  readonly item: string
  readonly key: string
}

/** An effect that has happened. */
export interface Effect extends Request {
  readonly atMs: number
}

interface Pending extends Request {
  readonly landsAtMs: number
}

/** `pending`: accepted, and it happens then, whoever waits for it. */
export type Answer =
  | { readonly kind: "done"; readonly did: string }
  | { readonly kind: "pending"; readonly untilMs: number }
  | { readonly kind: "refused" }

export type Told =
  | { readonly kind: "applied"; readonly did: string }
  | { readonly kind: "not-applied" | "barred" | "unknown" }

/** Plain data: it is copied and compared as JSON. */
export interface Ground {
  nowMs: number
  readonly effects: Effect[]
  readonly pending: Pending[]
  readonly barred: string[]
  /** Keys whose second request was turned away. */
  readonly turnedAway: string[]
  /** When a key was first seen, for as long as its tool remembers. */
  readonly seen: { [key: string]: number }
  /** What was acknowledged to a caller of the executor, entry by entry, and at last. */
  readonly acknowledged: { [seq: string]: string }
  ended: string | undefined
}

export const bareGround = (): Ground => ({
  nowMs: 0,
  effects: [],
  pending: [],
  barred: [],
  turnedAway: [],
  seen: {},
  acknowledged: {},
  ended: undefined,
})

/** What is in its lists never changes. */
export const copyOf = (ground: Ground): Ground => ({
  ...ground,
  effects: [...ground.effects],
  pending: [...ground.pending],
  barred: [...ground.barred],
  turnedAway: [...ground.turnedAway],
  seen: { ...ground.seen },
  acknowledged: { ...ground.acknowledged },
})

export function passTo(ground: Ground, nowMs: number): void {
  ground.nowMs = Math.max(ground.nowMs, nowMs)
  for (const due of ground.pending.filter(({ landsAtMs }) => landsAtMs <= ground.nowMs)) {
    ground.pending.splice(ground.pending.indexOf(due), 1)
    const { landsAtMs: atMs, ...request } = due
    happen(ground, request, atMs)
  }
}

/** Everything that was accepted has happened. */
export const settle = (ground: Ground): void => passTo(ground, Number.MAX_SAFE_INTEGER)

function happen(ground: Ground, request: Request, atMs: number): void {
  const { sets } = outsideOf(request)
  if (sets && ground.effects.some(({ tool, item }) => tool === request.tool && item === request.item)) return
  ground.effects.push({ ...request, atMs })
}

const outsideOf = ({ tool }: Request): Outside => {
  const animal = animalOf(tool)
  return animal === undefined ? {} : kinds[animal.kind].outside
}

const resultOf = ({ tool, item }: Request): string => `${tool} ${item}`

export function ask(ground: Ground, request: Request, nowMs: number): Answer {
  passTo(ground, nowMs)
  const { key } = request
  const { dedupesForMs, delayMs = 0, busy } = outsideOf(request)
  if (ground.barred.includes(key)) return { kind: "refused" }
  const firstMs = ground.seen[key]
  if (busy && firstMs !== undefined && !ground.turnedAway.includes(key)) {
    ground.turnedAway.push(key)
    return { kind: "refused" }
  }
  if (dedupesForMs !== undefined && firstMs !== undefined && ground.nowMs <= firstMs + dedupesForMs)
    return collect(ground, request, nowMs)
  ground.seen[key] = ground.nowMs
  if (delayMs === 0) happen(ground, request, ground.nowMs)
  else ground.pending.push({ ...request, landsAtMs: ground.nowMs + delayMs })
  return collect(ground, request, nowMs)
}

/** What has become of a request that was accepted. */
export function collect(ground: Ground, { tool, item, key }: Request, nowMs: number): Answer {
  passTo(ground, nowMs)
  const waiting = ground.pending.find((pending) => pending.key === key)
  if (waiting !== undefined) return { kind: "pending", untilMs: waiting.landsAtMs }
  return ground.barred.includes(key) ? { kind: "refused" } : { kind: "done", did: resultOf({ tool, item, key }) }
}

/** What the outside says of a key afterwards. */
export function tell(ground: Ground, request: Request, nowMs: number): Told {
  passTo(ground, nowMs)
  const { tells } = outsideOf(request)
  if (tells === undefined || tells === "nothing") return { kind: "unknown" }
  if (ground.effects.some(({ key }) => key === request.key)) return { kind: "applied", did: resultOf(request) }
  if (tells === "truth") return { kind: "not-applied" }
  ground.barred.push(request.key)
  const waiting = ground.pending.findIndex(({ key }) => key === request.key)
  if (waiting >= 0) ground.pending.splice(waiting, 1)
  return { kind: "barred" }
}
