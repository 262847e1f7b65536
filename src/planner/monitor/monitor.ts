/**
 * Effects proposed against effects accepted: of a model, of a tool, of a tenant, and of the three together. A share that falls is an
 * early sign that a model has changed, or that somebody else speaks through it. It is kept in memory, and counted by one process.
 */
import { demand } from "../../text/demand.ts"
import { Cusum } from "./cusum.ts"
import { type Hook, Later } from "./later.ts"
import { Window } from "./window.ts"

export interface Place {
  readonly tenant: string
  /** The host's word for it, as in `origin.model`; empty where it has none. */
  readonly model: string
  readonly tool: string
}

/** An effect that was proposed, and whether the gates let it through. */
export interface Observation extends Place {
  readonly accepted: boolean
}

/** Whose calls are counted together: those that agree in what is named. */
export type Whose = Partial<Place>

export interface Drift {
  readonly of: Whose
  readonly atMs: number
  /** The share that was usual: a lower bound of it. */
  readonly usual: number
  /** Within the window. */
  readonly proposed: number
  readonly accepted: number
  /** Effects of this place are held until `release`. */
  readonly holds: boolean
}

export interface Series {
  readonly of: Whose
  readonly proposed: number
  readonly accepted: number
  /** Undefined while it is learnt. */
  readonly usual: number | undefined
  readonly drift: Drift | undefined
}

export interface MonitorOptions {
  /** How far back `proposed` and `accepted` look, in milliseconds. Default an hour. */
  readonly windowMs?: number | undefined
  /** Effects by which the usual share is learnt, 20 at least: before that nothing is raised. Default 50. */
  readonly learn?: number | undefined
  /** By how much the share has to fall to be found soon. Default 0.25. */
  readonly fall?: number | undefined
  /** False alarms of a series come this many calls apart, on average and at least. Default 10,000. */
  readonly falseAlarmEvery?: number | undefined
  /**
   * Whether a drift holds effects. It does so only where a tenant is named in it: nobody else is held for what one tenant's model does.
   * A function that throws holds. Default false.
   */
  readonly hold?: boolean | ((drift: Omit<Drift, "holds">) => boolean) | undefined
  /** Told of each drift, later: it can neither fail nor delay a call. */
  readonly onDrift?: Hook<Drift> | undefined
  /** More are not kept: the one that was longest without a call is forgotten first, but never one that has drifted. Default 10,000. */
  readonly seriesMax?: number | undefined
  readonly now?: (() => number) | undefined
}

export interface Monitor {
  /** Counts an effect, and gives what has drifted by it. */
  readonly note: (observation: Observation) => readonly Drift[]
  /** The drift for which an effect of this place is held. */
  readonly holds: (place: Place) => Drift | undefined
  /** Ends the drifts of all places that agree; `learn`: what is usual is learnt anew there. */
  readonly release: (whose?: Whose, options?: { readonly learn?: boolean | undefined }) => void
  readonly series: () => readonly Series[]
}

interface Kept {
  readonly of: Whose
  readonly window: Window
  readonly cusum: Cusum
  drift: Drift | undefined
}

/** For `createGate({ …, monitor })`, for any number of gates; plans are noted by the host. */
export function createMonitor(given: MonitorOptions = {}): Monitor {
  demand(typeof given === "object" && given !== null, "the monitor's options must be an object")
  const options = { ...given }
  const { windowMs = 3_600_000, learn = 50, fall = 0.25, falseAlarmEvery = 10_000, seriesMax = 10_000 } = options
  const { now = Date.now, hold = false, onDrift } = options
  demand(Number.isSafeInteger(windowMs) && windowMs >= 12, "`windowMs` must be an integer from 12")
  demand(Number.isSafeInteger(learn) && learn >= 20, "`learn` must be an integer from 20")
  demand(fall > 0 && fall < 1, "`fall` must be between 0 and 1")
  demand(falseAlarmEvery >= 100 && Number.isFinite(falseAlarmEvery), "`falseAlarmEvery` must be a number from 100")
  demand(Number.isSafeInteger(seriesMax) && seriesMax >= 4, "`seriesMax` must be an integer from 4")
  demand(typeof hold === "boolean" || typeof hold === "function", "`hold` must be true, false or a function")
  demand(onDrift === undefined || typeof onDrift === "function", "`onDrift` must be a function")
  demand(typeof now === "function", "`now` must be a function")
  const kept = new Map<string, Kept>()
  const later = new Later()

  const keptOf = (of: Whose): Kept | undefined => {
    const key = keyOf(of)
    const known = kept.get(key)
    if (known !== undefined) {
      // A Map keeps its order: what was used last stands last.
      kept.delete(key)
      kept.set(key, known)
      return known
    }
    if (kept.size >= seriesMax && !forget(kept)) return undefined
    const cusum = new Cusum({ learn, fall, between: falseAlarmEvery })
    const made: Kept = { of: Object.freeze(of), window: new Window(windowMs), cusum, drift: undefined }
    kept.set(key, made)
    return made
  }

  const raise = ({ of, window, cusum }: Kept, nowMs: number): Drift => {
    const found = { of, atMs: nowMs, usual: cusum.usual ?? 0, ...window.counts(nowMs) }
    const drift = Object.freeze({ ...found, holds: of.tenant !== undefined && isHeld(hold, found) })
    later.tell(onDrift, drift)
    return drift
  }

  return {
    note: ({ tenant, model, tool, accepted }) => {
      const nowMs = now()
      return seriesOf({ tenant, model, tool }).flatMap((of) => {
        const one = keptOf(of)
        if (one === undefined) return []
        one.window.note(accepted, nowMs)
        // Once it has drifted it stays so, until it is released.
        if (one.drift !== undefined || !one.cusum.note(accepted)) return []
        one.drift = raise(one, nowMs)
        return [one.drift]
      })
    },
    holds: (place) => {
      for (const of of seriesOf(place)) {
        const drift = kept.get(keyOf(of))?.drift
        if (drift?.holds === true) return drift
      }
      return undefined
    },
    release: (whose = {}, { learn: again = false } = {}) => {
      for (const one of kept.values()) {
        if (!agrees(one.of, whose)) continue
        one.drift = undefined
        one.cusum.reset(again)
      }
    },
    series: () => {
      const nowMs = now()
      return [...kept.values()].map(({ of, window, cusum: { usual }, drift }) => ({
        of,
        ...window.counts(nowMs),
        usual,
        drift,
      }))
    },
  }
}

const seriesOf = ({ tenant, model, tool }: Place): readonly Whose[] => [
  { tenant, model, tool },
  { tenant },
  { model },
  { tool },
]

const keyOf = ({ tenant, model, tool }: Whose): string => JSON.stringify([tenant, model, tool])

const agrees = (of: Whose, whose: Whose): boolean =>
  (["tenant", "model", "tool"] as const).every((name) => whose[name] === undefined || of[name] === whose[name])

function isHeld(hold: NonNullable<MonitorOptions["hold"]>, found: Omit<Drift, "holds">): boolean {
  if (typeof hold === "boolean") return hold
  try {
    return hold(Object.freeze({ ...found })) === true
  } catch {
    return true
  }
}

/** False where all have drifted. */
function forget(kept: Map<string, Kept>): boolean {
  for (const [key, { drift }] of kept) {
    if (drift !== undefined) continue
    return kept.delete(key)
  }
  return false
}
