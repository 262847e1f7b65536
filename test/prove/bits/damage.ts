/** Every way to damage a specimen by one bit, or to cut it short. */
import type { Specimen } from "./specimen.ts"

export interface Damage {
  readonly specimen: Specimen
  readonly file: "db" | "wal"
  readonly kind: "flip" | "cut"
  /** Which bit is flipped; after how many bytes it ends. */
  readonly at: number
}

interface Stretch extends Omit<Damage, "at"> {
  readonly length: number
}

const stretchesOf = (specimens: readonly Specimen[]): readonly Stretch[] =>
  specimens.flatMap((specimen) =>
    (["db", "wal"] as const).flatMap((file) => [
      { specimen, file, kind: "flip", length: 8 * specimen[file].length } as const,
      { specimen, file, kind: "cut", length: specimen[file].length } as const,
    ]),
  )

/** All of them, by number. */
export class Damages {
  readonly #stretches: readonly Stretch[]

  constructor(specimens: readonly Specimen[]) {
    this.#stretches = stretchesOf(specimens)
  }

  get count(): number {
    return this.#stretches.reduce((sum, { length }) => sum + length, 0)
  }

  at(index: number): Damage {
    let left = index
    for (const { length, ...stretch } of this.#stretches) {
      if (left < length) return { ...stretch, at: left }
      left -= length
    }
    throw new RangeError(`there is no damage ${index}`)
  }
}

export function damage({ specimen, file, kind, at }: Damage): { readonly db: Buffer; readonly wal: Buffer } {
  const whole = specimen[file]
  const damaged = kind === "cut" ? whole.subarray(0, at) : Buffer.from(whole)
  if (kind === "flip") damaged[at >> 3] = (damaged[at >> 3] ?? 0) ^ (1 << (at & 7))
  const { db, wal } = specimen
  return { db, wal, [file]: damaged }
}

export const tellDamage = ({ specimen, file, kind, at }: Damage): string =>
  kind === "cut"
    ? `${specimen.name} ${file}, cut after ${at} of ${specimen[file].length} bytes`
    : `${specimen.name} ${file}, bit ${at & 7} of byte ${at >> 3} flipped`
