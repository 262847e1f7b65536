/** Counts of the last while, in few slots: what is older than the window is forgotten slot by slot. */
const slots = 12

export class Window {
  readonly #slotMs: number
  readonly #slots: { at: number; proposed: number; accepted: number }[] = Array.from({ length: slots }, () => ({
    at: Number.NEGATIVE_INFINITY,
    proposed: 0,
    accepted: 0,
  }))

  constructor(windowMs: number) {
    this.#slotMs = windowMs / slots
  }

  note(accepted: boolean, nowMs: number): void {
    const at = Math.floor(nowMs / this.#slotMs)
    const slot = this.#slots[((at % slots) + slots) % slots]
    if (slot === undefined) return
    if (slot.at !== at) Object.assign(slot, { at, proposed: 0, accepted: 0 })
    slot.proposed++
    if (accepted) slot.accepted++
  }

  counts(nowMs: number): { readonly proposed: number; readonly accepted: number } {
    const now = Math.floor(nowMs / this.#slotMs)
    const kept = this.#slots.filter(({ at }) => at > now - slots && at <= now)
    const sum = (of: "proposed" | "accepted"): number => kept.reduce((total, slot) => total + slot[of], 0)
    return { proposed: sum("proposed"), accepted: sum("accepted") }
  }
}
