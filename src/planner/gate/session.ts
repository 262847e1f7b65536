/** The open runs of one session, as far as the circuit breaker is concerned: what came of their calls. */
import type * as Effect from "effect/Effect"
import type { JournalService } from "../../journal/journal.ts"
import type { StoreFailure } from "../../run/failure.ts"
import type { RunEntry } from "../../run/listener.ts"
import { Marker, merged } from "./circuit.ts"

interface Peer {
  readonly entries: number
  /** Undefined of a run of a whole plan. */
  readonly marker: Marker | undefined
}

export class Session {
  readonly #journal: JournalService
  readonly #of: { readonly tenant: string; readonly sessionId: string }
  readonly #own = new Marker()
  readonly #peers = new Map<string, Peer>()
  #runId: string | undefined
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #seq = -1

  constructor(journal: JournalService, of: { readonly tenant: string; readonly sessionId: string }) {
    this.#journal = journal
    this.#of = of
  }

  /** Told of what is durable of our own run. What comes too early is read later. */
  note(entry: RunEntry): void {
    this.#runId ??= entry.runId
    if (entry.seq !== this.#seq + 1) return
    this.#seq = entry.seq
    this.#own.note(entry)
  }

  /** By what is durable now, of our own run; of others as of a second ago at the most. */
  *marks(runId: string, seq: number, nowMs: number): Effect.fn.Return<ReturnType<typeof merged>, StoreFailure> {
    this.#runId = runId
    if (seq > this.#seq) for (const entry of yield* this.#journal.read(runId)) this.note(entry)
    if (Math.abs(nowMs - this.#lookedAtMs) >= lookMs) {
      yield* this.#lookRound()
      this.#lookedAtMs = nowMs
    }
    return merged([this.#own, ...[...this.#peers.values()].flatMap(({ marker }) => marker ?? [])])
  }

  *#lookRound(): Effect.fn.Return<void, StoreFailure> {
    const { tenant, sessionId } = this.#of
    const runs = yield* this.#journal.list({ tenant })
    for (const { runId, entries, sessionId: other, status } of runs) {
      if (other !== sessionId || runId === this.#runId || status === "damaged") continue
      const known = this.#peers.get(runId)
      if (known !== undefined && (known.entries === entries || known.marker === undefined)) continue
      const all = yield* this.#journal.read(runId)
      const isOpen = all[0]?.event.kind === "run-started" && all[0].event.open !== undefined
      const marker = isOpen ? new Marker() : undefined
      for (const entry of all) marker?.note(entry)
      this.#peers.set(runId, { entries: all.length, marker })
    }
  }
}

/** How often others are looked out for, in milliseconds. */
const lookMs = 1_000
