/**
 * What the write-ahead log of an open store must go on to be. SQLite reads it by an index in memory, and does not see that it was
 * cut or overwritten under its hands: what it then writes hangs on what is gone.
 */
import { closeSync, fstatSync, openSync, readlinkSync, readSync, statfsSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"

/** https://www.sqlite.org/fileformat2.html#walformat */
const headerBytes = 32
const frameHeaderBytes = 24

/**
 * Linux since 6.13 has multigrain timestamps: where somebody has looked at a file (`stat`), the next write to it changes its time,
 * and the sync of that commit must write its inode too. So nobody looks at the log where what a descriptor of it says is enough:
 * on file systems of this machine alone (ext4, xfs, btrfs, tmpfs, overlayfs), whose names nobody changes behind the system's back.
 */
const local: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630])

const chunk = Buffer.alloc(65_536)

export class Log {
  readonly #db: DatabaseSync
  /** SQLite locks no byte of the log: closing this loses no lock, as it would for the other two files. */
  readonly #fd: number
  readonly #path: string
  /** Whether its descriptor tells by what name it is to be found. */
  readonly isNamed: boolean
  readonly #pageBytes: number
  #bytes = 0
  #header: Buffer<ArrayBufferLike> = Buffer.alloc(0)

  constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#pageBytes = Number(db.prepare("PRAGMA page_size").get()?.page_size)
    this.#fd = openSync(path, "r")
    this.#path = path
    this.isNamed = local.has(statfsSync(path).type) && this.isThere()
  }

  /** Whether it is still to be found by its name: false where it was deleted, moved away or replaced. */
  isThere(): boolean {
    try {
      return readlinkSync(`/proc/self/fd/${this.#fd}`) === this.#path
    } catch {
      return false
    }
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Why it is not what SQLite has made of it; undefined where it can be. What came since is kept in mind. */
  check(): string | undefined {
    const bytes = this.#size()
    if (bytes < this.#bytes && this.#isCut(bytes)) return "its log was cut off while it was in use"
    const header = this.#readHeader()
    // It is written as a whole, before the first frame.
    if (header.length === headerBytes && !header.equals(this.#header) && !this.#isHeader(header))
      return "its log was overwritten while it was in use"
    this.#bytes = bytes
    this.#header = header
    return undefined
  }

  /** From the last byte that is known of it: it seldom grows by much, and reading it is no look at its times. */
  #size(): number {
    if (!this.isNamed) return fstatSync(this.#fd).size
    let bytes = Math.max(0, this.#bytes - 1)
    for (;;) {
      const read = readSync(this.#fd, chunk, 0, chunk.length, bytes)
      if (read === 0 && bytes < this.#bytes) return fstatSync(this.#fd).size
      bytes += read
      if (read < chunk.length) return bytes
    }
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
