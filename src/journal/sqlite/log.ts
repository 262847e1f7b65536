/**
 * What the write-ahead log of an open store must go on to be. SQLite reads it by an index in memory, and does not see that it was
 * cut or overwritten under its hands: what it then writes hangs on what is gone.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"

/** https://www.sqlite.org/fileformat2.html#walformat */
const headerBytes = 32
const frameHeaderBytes = 24

export class Log {
  readonly #db: DatabaseSync
  /** SQLite locks no byte of the log: closing this loses no lock, as it would for the other two files. */
  readonly #fd: number
  readonly #pageBytes: number
  #bytes = 0
  #header: Buffer<ArrayBufferLike> = Buffer.alloc(0)

  constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#pageBytes = Number(db.prepare("PRAGMA page_size").get()?.page_size)
    this.#fd = openSync(path, "r")
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Why it is not what SQLite has made of it; undefined where it can be. What came since is kept in mind. */
  check(): string | undefined {
    const bytes = fstatSync(this.#fd).size
    if (bytes < this.#bytes && this.#isCut(bytes)) return "its log was cut off while it was in use"
    const header = this.#readHeader()
    // It is written as a whole, before the first frame.
    if (header.length === headerBytes && !header.equals(this.#header) && !this.#isHeader(header))
      return "its log was overwritten while it was in use"
    this.#bytes = bytes
    this.#header = header
    return undefined
  }

  /** A checkpoint may leave it shorter, or empty: then SQLite counts on no more of it than is there. */
  #isCut(bytes: number): boolean {
    // SQLite tells how much it counts on outside of transactions only. What has not been written yet is begun anew.
    const again = this.#db.isTransaction
    if (again) this.#db.exec("ROLLBACK")
    const frames = framesIn(this.#db)
    if (again) this.#db.exec("BEGIN IMMEDIATE")
    return frames > 0 && bytes < headerBytes + frames * (frameHeaderBytes + this.#pageBytes)
  }

  #readHeader(): Buffer<ArrayBufferLike> {
    const header = Buffer.alloc(headerBytes)
    return header.subarray(0, readSync(this.#fd, header, 0, headerBytes, 0))
  }

  /** Another process may write it anew meanwhile. */
  #isHeader(header: Buffer<ArrayBufferLike>): boolean {
    return isSound(header) || isSound(this.#readHeader())
  }
}

/**
 * As many as can be, where SQLite cannot tell: any more, or without a checkpoint of its own (before 3.51), which would carry what is
 * left of the log over.
 */
function framesIn(db: DatabaseSync): number {
  const [major = 0, minor = 0] = `${process.versions.sqlite}`.split(".").map(Number)
  if (major === 3 && minor < 51) return Number.MAX_SAFE_INTEGER
  try {
    return Number(db.prepare("PRAGMA wal_checkpoint(NOOP)").get()?.log)
  } catch {
    return Number.MAX_SAFE_INTEGER
  }
}

function isSound(header: Buffer<ArrayBufferLike>): boolean {
  if (header.length < headerBytes) return false
  const magic = header.readUInt32BE(0)
  if ((magic & ~1) !== 0x377f0682) return false
  const word = (at: number): number => (magic & 1 ? header.readUInt32BE(at) : header.readUInt32LE(at))
  let [one, two] = [0, 0]
  for (let at = 0; at < 24; at += 8) {
    one = (one + word(at) + two) >>> 0
    two = (two + word(at + 4) + one) >>> 0
  }
  return one === header.readUInt32BE(24) && two === header.readUInt32BE(28)
}
